// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_fit.c - gather/fit: what becomes of sets that are too much for a target
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <ext2fs/ext2fs.h>

#include "base/crc32c.h"
#include "gather/ea_fit.h"
#include "tree/access.h"
#include "xattrs.h"

struct bed {
	struct bfo_tree tree;
	struct bfo_target target;
	struct bfo_sets sets;
	struct bfo_fit fit;
};

static void bed_make(struct bed *b, uint32_t block, uint32_t inode, int has_ea_inode)
{
	struct bfo_inode file = { .ino = 12, .mode = S_IFREG, .ea = BFO_NONE, .name = BFO_NONE };

	memset(b, 0, sizeof(*b));
	b->tree.block_size = 65536;
	b->target = (struct bfo_target) { .block_size = block, .inode_size = inode,
		.extra_isize = inode > 128 ? 32 : 0, .has_ea_inode = has_ea_inode,
		.csum_seed = 0x12345678 };
	want_ok(bfo_vec_push(&b->tree.inodes, file));
	b->fit = (struct bfo_fit) { .sets = &b->sets, .tree = &b->tree, .target = &b->target };
}

static void bed_free(struct bed *b)
{
	bfo_sets_free(&b->sets);
	bfo_tree_free(&b->tree);
}

/* As bfo_xattrs_split() returns. */
static int split(const struct bed *b, const bfo_xattrs *set)
{
	uint8_t *inside = unit_alloc(set->n + 1);
	uint32_t room = b->target.inode_size - 128 - b->target.extra_isize;
	int state = bfo_xattrs_split(set, room, b->target.block_size, inside);

	free(inside);
	return state;
}

/* Would SET fit if all its values stood elsewhere? */
static int names_fit(const struct bed *b, const bfo_xattrs *set)
{
	bfo_xattrs bare = { 0 };
	size_t i;
	int state;

	for (i = 0; i < set->n; i++) {
		want_ok(bfo_vec_push(&bare, set->v[i]));
		bare.v[i].inum = 1;
	}
	state = split(b, &bare);
	bfo_vec_free(&bare);
	return state >= 0;
}

/* The bytes of X, of a set that was fitted. */
static const char *bytes_of(const struct bed *b, const struct bfo_xattr *x)
{
	const struct bfo_value *v;
	const struct bfo_inode *rec;

	if (!x->inum)
		return x->value;
	v = bfo_tree_value(&b->tree, x->inum - 1);
	want(v && v->row && v->row < b->tree.inodes.n);
	rec = &b->tree.inodes.v[v->row];
	want(S_ISREG(rec->mode) && rec->state == BFO_INODE_MOVED && !rec->ino);
	want(rec->flags == EXT4_EA_INODE_FL && rec->size == x->size);
	want_eq(bfo_seg_count(&b->tree, rec), 1);
	want_eq((uint64_t) bfo_seg_of(&b->tree, rec, 0)->len, 1);
	want(v->at + x->size <= b->tree.moved.n);
	want_eq(v->hash, bfo_crc32c(b->target.csum_seed, b->tree.moved.v + v->at, x->size));
	want_eq(x->hash, bfo_xattr_hash(x, v->hash, 0));
	return b->tree.moved.v + v->at;
}

/* GOT is FROM, but for what is in other inodes; or part of it, if LOST. */
static void want_kept(const struct bed *b, const bfo_xattrs *from, const bfo_xattrs *got, int lost)
{
	size_t i, j = 0;

	for (i = 0; i < from->n; i++) {
		if (j == got->n || bfo_xattr_compare(&from->v[i], &got->v[j])) {
			want(lost);
			continue;
		}
		want_eq(from->v[i].size, got->v[j].size);
		want_mem(from->v[i].value, bytes_of(b, &got->v[j]), got->v[j].size);
		j++;
	}
	want_eq(j, got->n);
	want_eq(lost, got->n < from->n);
}

/* No value moved needlessly: they are the largest, and with the smallest of them it is too much. */
static void want_least(const struct bed *b, const bfo_xattrs *from, bfo_xattrs *got)
{
	uint32_t least = UINT32_MAX, most = 0;
	size_t i, j, found = 0;

	for (i = 0; i < got->n; i++)
		if (got->v[i].inum && got->v[i].size < least)
			least = got->v[found = i].size;
		else if (!got->v[i].inum && got->v[i].size > most)
			most = got->v[i].size;
	if (least == UINT32_MAX)
		return;
	want(least >= most);
	for (j = 0; bfo_xattr_compare(&from->v[j], &got->v[found]); j++)
		;
	got->v[found] = from->v[j];
	want(split(b, got) < 0);
}

static uint32_t add(struct bed *b, const bfo_xattrs *set)
{
	uint32_t index;

	want_ok(bfo_sets_add(&b->sets, set, &index));
	return index;
}

#define SETS 40

/* Any sets, any target. */
START_TEST(fits_whatever_comes)
{
	static const uint32_t blocks[] = { 1024, 2048, 4096 }, inodes[] = { 128, 256, 1024 };
	uint32_t block = blocks[_i % 3], inode = inodes[_i / 3 % 3], index[SETS], now, i;
	struct xattrs made[SETS] = { 0 };
	bfo_xattrs got = { 0 };
	struct chance c;
	struct bed b;
	int lost, has = _i % 4 != 3;

	chance_init(&c, _i);
	bed_make(&b, block, inode, has);
	for (i = 0; i < SETS; i++) {
		xattrs_fill(&made[i], &c, chance_below(&c, 6000), 1);
		index[i] = add(&b, &made[i].set);
	}
	want_ok(bfo_fit_begin(&b.fit));
	for (i = 0; i < SETS; i++) {
		now = index[i];
		want_ok(bfo_fit_set(&b.fit, &now, &lost));
		want(made[i].set.n == 0 || split(&b, &made[i].set) < 0 ||
		     (now == index[i] && !lost));
		index[i] = now;
		want(!has || lost == !names_fit(&b, &made[i].set));
	}
	bfo_fit_end(&b.fit);
	for (i = 0; i < SETS; i++) {
		got.n = 0;
		want_ok(bfo_sets_append(&b.sets, index[i], &got));
		want(!got.n || split(&b, &got) >= 0);
		want(index[i] == BFO_NONE || b.sets.list.v[index[i]].no_block == !split(&b, &got));
		want_kept(&b, &made[i].set, &got, got.n < made[i].set.n);
		if (has)
			want_least(&b, &made[i].set, &got);
		xattrs_free(&made[i]);
	}
	want(has ? b.tree.values.n : !b.tree.values.n && b.tree.inodes.n == 1);
	bfo_vec_free(&got);
	bed_free(&b);
}
END_TEST

/* One value in several sets and under several names gets one inode. */
START_TEST(equal_values_share)
{
	char value[3000], other[3000];
	struct bfo_xattr both[] = {
		{ .name_index = 1, .name = "a", .name_len = 1, .value = value, .size = 3000 },
		{ .name_index = 1, .name = "b", .name_len = 1, .value = value, .size = 3000 },
		{ .name_index = 4, .name = "c", .name_len = 1, .value = other, .size = 3000 },
	};
	bfo_xattrs two = { .v = both, .n = 2 }, three = { .v = both, .n = 3 };
	bfo_xattrs last = { .v = both + 1, .n = 1 }, got = { 0 };
	uint32_t index[3], i;
	struct bed b;
	int lost;

	memset(value, 'v', sizeof(value));
	memset(other, 'v', sizeof(other));
	other[2999] = 'w';
	bed_make(&b, 1024, 256, 1);
	index[0] = add(&b, &two);
	index[1] = add(&b, &three);
	index[2] = add(&b, &last);
	want_ok(bfo_fit_begin(&b.fit));
	for (i = 0; i < 3; i++) {
		want_ok(bfo_fit_set(&b.fit, &index[i], &lost));
		want(!lost);
	}
	bfo_fit_end(&b.fit);
	want_eq(b.tree.values.n, 2);
	want_eq(b.tree.inodes.n, 3);
	for (i = 0; i < 3; i++)
		want_ok(bfo_sets_append(&b.sets, index[i], &got));
	want_eq(got.n, 6);
	for (i = 0; i < 6; i++)
		want_eq(got.v[i].inum, i == 4 ? 3 : 2);
	want(got.v[0].hash != got.v[1].hash);
	bfo_vec_free(&got);
	bed_free(&b);
}
END_TEST

/* What was inline goes to a block first. */
START_TEST(inline_data_gives_way)
{
	char value[60] = "value";
	struct bfo_xattr x = { .name_index = 1, .name = "a", .name_len = 1, .value = value,
			       .size = sizeof(value) };
	bfo_xattrs set = { .v = &x, .n = 1 };
	struct bed b;
	uint32_t index;
	int lost;

	bed_make(&b, 1024, 256, 1);
	index = add(&b, &set);
	b.sets.list.v[index].reserve = 40;
	want_ok(bfo_fit_begin(&b.fit));
	want_ok(bfo_fit_set(&b.fit, &index, &lost));
	bfo_fit_end(&b.fit);
	want(!lost && !b.tree.values.n);
	want_eq(index, 0);
	want_eq(b.sets.list.v[0].reserve, 40);
	want(!b.sets.list.v[0].no_block);
	bed_free(&b);

	x.size = 2000;
	x.value = unit_alloc(2000);
	bed_make(&b, 1024, 256, 1);
	index = add(&b, &set);
	b.sets.list.v[index].reserve = 90;
	want_ok(bfo_fit_begin(&b.fit));
	want_ok(bfo_fit_set(&b.fit, &index, &lost));
	bfo_fit_end(&b.fit);
	want(!lost && b.tree.values.n == 1);
	want(b.sets.list.v[index].no_block && !b.sets.list.v[index].reserve);
	free((void *) x.value);
	bed_free(&b);
}
END_TEST

Suite *fit_suite(void)
{
	Suite *s = suite_create("fit");

	unit_case(s, "fits_whatever_comes", fits_whatever_comes, 36);
	unit_case(s, "equal_values_share", equal_values_share, 0);
	unit_case(s, "inline_data_gives_way", inline_data_gives_way, 0);
	return s;
}
