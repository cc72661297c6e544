// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_sequence.c - plan/sequence: what each policy takes, and what becomes of the rest
 */
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "forest.h"
#include "merged.h"
#include "plan/lookup.h"
#include "plan/sequence.h"
#include "tree/access.h"

struct bed {
	struct forest f;
	struct bfo_sequence s;
	bfo_row *before;		/* the order without policies */
	size_t n;
};

static void bed_init(struct bed *b, uint64_t seed, uint32_t blocks)
{
	struct chance c;

	chance_init(&c, seed);
	forest_init(&b->f, &c, 40, 600, blocks);
	want_ok(made_plan(&b->f.m, NULL));
	b->n = b->f.m.plan.order.n;
	b->before = unit_copy(b->f.m.plan.order.v, b->n * sizeof(*b->before));
	want_ok(bfo_sequence_begin(&b->s, &b->f.m.plan));
}

static void bed_free(struct bed *b)
{
	bfo_sequence_free(&b->s);
	free(b->before);
	forest_free(&b->f);
}

static const struct bfo_inode *item(const struct bed *b, size_t i)
{
	return &b->f.m.tree.inodes.v[b->f.m.plan.order.v[i]];
}

static size_t place_before(const struct bed *b, bfo_row row)
{
	size_t i;

	for (i = 0; i < b->n && b->before[i] != row; i++)
		;
	return i;
}

/* Ends the sequence: nothing is lost or doubled, and from item TAKEN on it is as it was before. */
static void want_rest(struct bed *b, size_t taken)
{
	const struct bfo_plan *plan = &b->f.m.plan;
	uint8_t *seen = unit_alloc(b->f.m.tree.inodes.n);
	size_t i, last = 0;

	want_ok(bfo_sequence_end(&b->s));
	want_eq(plan->order.n, b->n);
	for (i = 0; i < b->n; i++) {
		want(!seen[plan->order.v[i]]++);
		if (i > taken)
			want(place_before(b, plan->order.v[i]) > last);
		if (i >= taken)
			last = place_before(b, plan->order.v[i]);
	}
	for (i = 0; i < b->n; i++)
		want(seen[b->before[i]]);
	free(seen);
}

START_TEST(nothing_taken_is_readdir)
{
	struct bed b;

	bed_init(&b, 6000, 0);
	want_ok(bfo_sequence_group(&b.s, 1));
	want_rest(&b, 0);
	want_eq(b.s.groups.n, 0);
	bed_free(&b);
}
END_TEST

/* The N-th file, or more, of the order without policies. */
static bfo_row file_before(const struct bed *b, size_t n)
{
	while (S_ISDIR(b->f.m.tree.inodes.v[b->before[n]].mode))
		n++;
	return b->before[n];
}

/* Members that follow each other from place AT on, behind all directories that lead to them. */
static void want_members(const struct bed *b, size_t at, const bfo_row *members, size_t n)
{
	const struct bfo_plan *plan = &b->f.m.plan;
	bfo_row dir;
	size_t i, place, below;

	for (i = 0; i < n; i++) {
		want_eq(plan->order.v[at + i], members[i]);
		for (dir = members[i], below = at; dir != plan->root; below = place) {
			dir = plan->tree->names.v[plan->tree->inodes.v[dir].name].dir;
			for (place = 0; plan->order.v[place] != dir; place++)
				want(place + 1 < below);
		}
	}
}

START_TEST(takes_groups)
{
	uint32_t first[] = { 0, 0, 0 }, second[] = { 0, 0, 0 }, third[] = { 0, 0 };
	struct bed b;
	size_t i, files = 0;

	bed_init(&b, 6001, 0);
	first[0] = first[2] = file_before(&b, 300);		/* one of them twice */
	first[1] = file_before(&b, 20);
	second[0] = file_before(&b, 20);
	second[1] = file_before(&b, 400);
	second[2] = file_before(&b, 5);
	third[0] = file_before(&b, 400);
	third[1] = file_before(&b, 7);				/* one that is left is no group */
	want_ok(bfo_sequence_group(&b.s, 2));		/* an empty one is none */
	want_ok(bfo_sequence_take_group(&b.s, 3, 17, first, 3));
	want_ok(bfo_sequence_take_group(&b.s, 4, 0, second, 3));
	want_ok(bfo_sequence_take_group(&b.s, 5, 0, third, 2));
	for (i = 0; i < b.s.taken.n; i++)
		files += !S_ISDIR(b.f.m.tree.inodes.v[b.s.taken.v[i]].mode);
	want_eq(files, 4);				/* of the rest, directories alone */
	want_rest(&b, b.s.taken.n);
	want_eq(b.s.groups.n, 2);
	want_members(&b, b.s.groups.v[0].first, first, 2);
	want_members(&b, b.s.groups.v[1].first, second + 1, 2);
	want_eq(b.s.groups.v[0].support, 17);
	want_eq(b.s.groups.v[0].policy, 3);
	want_eq(b.s.groups.v[0].n, 2);
	want_eq(b.s.groups.v[1].n, 2);
	want_eq(b.s.groups.v[1].policy, 4);
	bed_free(&b);
}
END_TEST

/* By size and by time: files ascend, ties and directories stay as they were. */
START_TEST(sorts_files)
{
	uint64_t *times, last = 0, key;
	size_t i, files = 0, was = 0;
	struct chance c;
	struct bed b;

	bed_init(&b, 6010 + _i, 0);
	chance_init(&c, 6020);
	times = unit_alloc(b.f.m.tree.inodes.n * sizeof(*times));
	for (i = 0; i < b.f.m.tree.inodes.n; i++) {
		times[i] = (uint64_t) chance_below(&c, 5) << 61 | chance_below(&c, 20);
		if (!S_ISDIR(b.f.m.tree.inodes.v[i].mode))
			b.f.m.tree.inodes.v[i].size = (uint64_t) chance_below(&c, 4) << 32 |
						      chance_below(&c, 20);
	}
	want_ok(_i ? bfo_sequence_by_time(&b.s, times) : bfo_sequence_by_size(&b.s));
	for (i = 0; i < b.n; i++)
		files += !S_ISDIR(item(&b, i)->mode);
	want_eq(b.s.taken.n, files);
	want_rest(&b, files);
	for (i = 0; i < files; i++) {
		want(!S_ISDIR(item(&b, i)->mode));
		key = _i ? times[b.f.m.plan.order.v[i]] : item(&b, i)->size;
		want(key >= last);
		if (i && key == last)
			want(place_before(&b, b.f.m.plan.order.v[i]) > was);
		last = key;
		was = place_before(&b, b.f.m.plan.order.v[i]);
	}
	free(times);
	bed_free(&b);
}
END_TEST

static uint64_t block_of(const struct bed *b, const struct bfo_inode *rec)
{
	const struct bfo_tree *t = &b->f.m.tree;
	uint32_t i, n;

	if (S_ISDIR(rec->mode) || !bfo_seg_count(t, rec))
		return 0;
	n = bfo_seg_count(t, rec);
	for (i = 0; i < n && bfo_seg_unwritten(bfo_seg_of(t, rec, i)); i++)
		;
	return bfo_seg_blk(bfo_seg_of(t, rec, i < n ? i : 0));
}

/*
 * By source, also after one file was taken: data by blocks, numbers as in the source, the plan's
 * own order of the numbers ascending.
 */
START_TEST(follows_the_source)
{
	struct bfo_plan *plan;
	uint32_t number, last = 0, own = 0;
	struct bed b;
	size_t i, j;

	bed_init(&b, 6030, 4);
	plan = &b.f.m.plan;
	for (i = 0, number = 0; i < b.n; i++)
		if (item(&b, i)->ino > number && !S_ISDIR(item(&b, i)->mode)) {
			number = item(&b, i)->ino;
			own = plan->order.v[i];
		}
	if (_i)
		want_ok(bfo_sequence_take(&b.s, own));
	want_ok(bfo_sequence_by_source(&b.s));
	want_eq(plan->source_first, _i ? 1 : 0);
	want_rest(&b, b.n);
	for (i = _i ? 2 : 1; i < b.n; i++) {
		want(block_of(&b, item(&b, i)) >= block_of(&b, item(&b, i - 1)));
		if (!block_of(&b, item(&b, i)))
			want(item(&b, i)->ino > item(&b, i - 1)->ino);
	}
	made_free_inodes(&b.f.m, 500, 7);
	made_free_inodes(&b.f.m, 1000, 5000);
	want_ok(bfo_plan_numbers(plan));
	want_eq(plan->by_number.n, plan->order.n);
	for (i = j = 0; i < plan->order.n; i++) {
		const struct bfo_inode *rec = bfo_plan_numbered(plan, i);

		want(!i || rec->new_ino > last);
		last = rec->new_ino;
		if (rec->state & BFO_INODE_EXISTS || rec == &b.f.m.tree.inodes.v[own])
			continue;
		want(rec->ino > j);
		j = rec->ino;
	}
	want_eq(b.f.m.tree.inodes.v[own].new_ino == 500, _i);
	bed_free(&b);
}
END_TEST

/* Who is left out afterwards does not shift where the source's numbers begin. */
START_TEST(leaves_out)
{
	struct bed b;
	bfo_row two[2];
	size_t first;

	bed_init(&b, 6040, 4);
	two[0] = b.before[b.n - 1];
	two[1] = b.before[b.n - 2];
	want(!S_ISDIR(b.f.m.tree.inodes.v[two[0]].mode));
	want_ok(bfo_sequence_take_group(&b.s, 0, 0, two, 2));
	want_ok(bfo_sequence_by_source(&b.s));
	want_ok(bfo_sequence_end(&b.s));
	b.f.m.tree.inodes.v[two[0]].state |= BFO_INODE_BAD;
	first = b.f.m.plan.source_first;
	bfo_plan_leave_out(&b.f.m.plan);
	want_eq(b.f.m.plan.source_first, first - 1);
	want_eq(b.f.m.plan.order.v[first - 2], two[1]);
	want_eq(b.f.m.plan.order.n, b.n - 1);
	want_eq(made_names_of(&b.f.m, b.f.m.tree.inodes.v[two[0]].ino), 0);
	want(made_names_of(&b.f.m, b.f.m.tree.inodes.v[two[1]].ino));
	bed_free(&b);
}
END_TEST

/* /b/2, /b/10, /b/a/, /b/a/x, /a (x again), /c, /abc */
static void make_small(struct made *m)
{
	made_init(m);
	made_inode(m, ROOT, S_IFDIR | 0755);
	made_inode(m, 20, S_IFDIR | 0755);
	made_inode(m, 21, S_IFDIR | 0755);
	made_file(m, 30, 0, 0);
	made_file(m, 31, 0, 0);
	made_file(m, 32, 0, 0);
	made_file(m, 33, 0, 0);
	made_file(m, 34, 0, 0);
	made_seal(m);
	made_name(m, ROOT, "b", 20);
	made_name(m, ROOT, "c", 33);
	made_name(m, ROOT, "a", 32);
	made_name(m, ROOT, "abc", 34);
	made_name(m, 20, "2", 30);
	made_name(m, 20, "10", 31);
	made_name(m, 20, "a", 21);
	made_name(m, 21, "x", 32);
}

static void want_inos(const struct made *m, const uint32_t *inos, size_t n)
{
	size_t i;

	want(m->plan.order.n >= n);
	for (i = 0; i < n; i++)
		want_eq(m->tree.inodes.v[m->plan.order.v[i]].ino, inos[i]);
}

START_TEST(goes_by_name)
{
	static const uint32_t expect[] = { ROOT, 32, 34, 20, 31, 30, 21, 33 };
	struct bfo_sequence s;
	struct made m;

	make_small(&m);
	want_ok(made_plan(&m, NULL));
	want_ok(bfo_sequence_begin(&s, &m.plan));
	want_ok(bfo_sequence_by_name(&s));
	want_ok(bfo_sequence_end(&s));
	want_eq(m.plan.order.n, 8);
	want_inos(&m, expect, 8);
	bfo_sequence_free(&s);
	made_free(&m);
}
END_TEST

/* Where inode INO is in the plan's order. */
static size_t place_of(const struct made *m, uint32_t ino)
{
	size_t i = 0;

	while (i < m->plan.order.n && bfo_plan_item(&m->plan, i)->ino != ino)
		i++;
	want(i < m->plan.order.n);
	return i;
}

/* Files of a directory in the order of readdir, and only then what is below it. */
START_TEST(goes_by_directory)
{
	static const uint32_t inos[] = { 33, 34, 30, 31 };
	size_t listed[4], i, k;
	struct bfo_sequence s;
	struct made m;

	make_small(&m);
	want_ok(made_plan(&m, NULL));
	for (i = 0; i < 4; i++)
		listed[i] = place_of(&m, inos[i]);
	want_ok(bfo_sequence_begin(&s, &m.plan));
	want_ok(bfo_sequence_by_dir(&s));
	want_ok(bfo_sequence_end(&s));
	want_eq(m.plan.order.n, 8);
	want_eq(place_of(&m, ROOT), 0);
	want_eq(place_of(&m, 20), 4);
	want_eq(place_of(&m, 21), 7);
	want(place_of(&m, 32) < 4);
	for (i = 0; i < 4; i++)
		for (k = 0; k < 4; k++)
			if (i / 2 == k / 2)
				want_eq(place_of(&m, inos[i]) < place_of(&m, inos[k]),
					listed[i] < listed[k]);
	bfo_sequence_free(&s);
	made_free(&m);
}
END_TEST

/* The target has /b/theirs, /b/a/ and /b/zz/; what it has is no file of a list. */
static void old_small(struct made *old)
{
	made_old_dir(old, ROOT, 4);
	made_old_dir(old, 11, 2);
	made_old_dir(old, 100, 4);
	made_old_dir(old, 101, 2);
	made_old_dir(old, 102, 2);
	made_file(old, 110, 0, 0);
	made_seal(old);
	made_name(old, ROOT, "lost+found", 11);
	made_name(old, ROOT, "b", 100);
	made_name(old, 100, "theirs", 110);
	made_name(old, 100, "a", 101);
	made_name(old, 100, "zz", 102);
	made_name(old, 102, "t", 110);
}

START_TEST(goes_by_list_and_name_where_merged)
{
	static const char *const paths[] = { "b/a/x", "/b/theirs", "/b/zz/t", "/b/zz", "/b/./2", "b/2",
					     "/none", "/b", "..", "/a/x", "", "//c" };
	static const uint32_t listed[] = { 32, 30, 33 };
	static const uint32_t named[] = { 32, 30, 33, ROOT, 34, 20, 31, 21 };
	struct bfo_sequence s;
	struct made m;
	static const uint32_t lost[] = { 1, 2, 3, 6, 7, 8, 9, 10 };
	const bfo_numbers no_ends = { 0 };
	bfo_numbers missing = { 0 };

	make_small(&m);
	want_ok(made_plan(&m, old_small));
	want(made_rec(&m, 20)->state & BFO_INODE_EXISTS);
	want_ok(bfo_sequence_begin(&s, &m.plan));
	want_ok(bfo_sequence_group(&s, 9));
	want_ok(bfo_sequence_by_list(&s, 9, paths, 12, &no_ends, &missing));
	want_eq(missing.n, 8);
	want_mem(missing.v, lost, sizeof(lost));
	bfo_vec_free(&missing);
	want_eq(s.taken.n, 3);
	want_eq(s.groups.v[0].n, 3);
	if (_i)
		want_ok(bfo_sequence_by_name(&s));
	want_ok(bfo_sequence_end(&s));
	want_eq(m.plan.order.n, 8);
	want_inos(&m, _i ? named : listed, _i ? 8 : 3);
	bfo_sequence_free(&s);
	made_free(&m);
}
END_TEST

/* What is not copied is not found: outside of --from, or excluded. */
START_TEST(finds_what_is_copied)
{
	static const char *const from[] = { "/b" };
	bfo_row row;
	struct made m;

	make_small(&m);
	want_ok(made_plan_paths(&m, from, 1, "/new", NULL));
	want_ok(bfo_lookup_file(&m.plan, bfo_lookup_begin("/b/2"), &row));
	want(row != BFO_NONE && m.tree.inodes.v[row].ino == 30);
	/* by its other name */
	want_ok(bfo_lookup_file(&m.plan, bfo_lookup_begin("/a"), &row));
	want(row != BFO_NONE && m.tree.inodes.v[row].ino == 32);
	want_ok(bfo_lookup_file(&m.plan, bfo_lookup_begin("/c"), &row));
	want_eq(row, BFO_NONE);
	want_ok(bfo_lookup_file(&m.plan, bfo_lookup_begin("/new/b/2"), &row));
	want_eq(row, BFO_NONE);
	want_eq(m.ctx.what[0], 0);
	made_free(&m);
}
END_TEST

Suite *sequence_suite(void)
{
	Suite *suite = suite_create("sequence");

	unit_case(suite, "nothing taken is readdir", nothing_taken_is_readdir, 0);
	unit_case(suite, "takes groups", takes_groups, 0);
	unit_case(suite, "sorts files", sorts_files, 2);
	unit_case(suite, "follows the source", follows_the_source, 2);
	unit_case(suite, "leaves out", leaves_out, 0);
	unit_case(suite, "goes by name", goes_by_name, 0);
	unit_case(suite, "goes by directory", goes_by_directory, 0);
	unit_case(suite, "goes by list and name where merged", goes_by_list_and_name_where_merged, 2);
	unit_case(suite, "finds what is copied", finds_what_is_copied, 0);
	return suite;
}
