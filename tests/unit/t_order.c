// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_order.c - plan/order: readdir order, links, shared attributes, numbers
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "tree/access.h"
#include "forest.h"

static uint32_t item_ino(const struct made *m, size_t i)
{
	return m->tree.inodes.v[m->plan.order.v[i]].ino;
}

START_TEST(is_depth_first_in_readdir_order)
{
	static const uint32_t dirs[] = { 0, 1, 10, 500 };
	struct forest f;
	struct chance c;
	size_t i;

	chance_init(&c, 4000 + _i);
	forest_init(&f, &c, dirs[_i % 4], _i / 4 ? 3000 : 20, 0);
	want_ok(made_plan(&f.m, NULL));
	forest_expect(&f);
	want_eq(f.m.plan.order.n, f.expect.n);
	for (i = 0; i < f.expect.n; i++)
		want_eq(item_ino(&f.m, i), f.expect.v[i]);
	want_eq(f.m.plan.files, f.files);
	want_eq(f.m.plan.dirs, f.dirs);
	forest_free(&f);
}
END_TEST

START_TEST(counts_links)
{
	uint32_t *names, *subdirs;
	struct forest f;
	struct chance c;
	size_t i;

	chance_init(&c, 4100);
	forest_init(&f, &c, 100, 1000, 0);
	names = unit_alloc(2000 * sizeof(*names));
	subdirs = unit_alloc(2000 * sizeof(*subdirs));
	for (i = 0; i < f.links.n; i++) {
		names[f.links.v[i].ino]++;
		subdirs[f.links.v[i].dir] += S_ISDIR(made_rec(&f.m, f.links.v[i].ino)->mode) != 0;
	}
	for (i = 0; i < f.m.tree.inodes.n; i++)
		f.m.tree.inodes.v[i].links_read = names[f.m.tree.inodes.v[i].ino];
	f.m.tree.inodes.v[5].links_read++;
	want_ok(made_plan(&f.m, NULL));
	for (i = 0; i < f.m.tree.inodes.n; i++) {
		const struct bfo_inode *rec = &f.m.tree.inodes.v[i];

		if (rec->ino == EXT2_ROOT_INO)	/* 3: the target's, with its lost+found */
			want_eq(bfo_plan_links(&f.m.plan, rec), 3 + subdirs[rec->ino]);
		else
			want_eq(bfo_plan_links(&f.m.plan, rec), S_ISDIR(rec->mode) ?
				2 + subdirs[rec->ino] : names[rec->ino]);
	}
	want_ok(bfo_plan_audit(&f.m.plan));
	want_eq(made_found(&f.m, BFO_FOUND_LINK_COUNT), !S_ISDIR(f.m.tree.inodes.v[5].mode));
	want_eq(made_found(&f.m, BFO_FOUND_UNREACHED), 0);
	free(names);
	free(subdirs);
	forest_free(&f);
}
END_TEST

/*
 * Names that share both hashes come as a kernel lists them: the first, then the last, the last
 * but one ... down to the second.
 */
START_TEST(lists_ties_as_a_kernel_does)
{
	uint32_t i, j, n = 200, group;
	struct bfo_name *names;
	struct chance c;
	struct made m;
	char name[16];
	size_t at = 1;

	chance_init(&c, 4200 + _i);
	made_init(&m);
	made_inode(&m, EXT2_ROOT_INO, S_IFDIR | 0755);
	for (i = 0; i < n; i++)
		made_file(&m, 20 + i, 0, 0);
	made_seal(&m);
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%u", i);
		made_name(&m, EXT2_ROOT_INO, name, 20 + i);
	}
	bfo_plan_init(&m.plan, &m.ctx, &m.tree, &m.target);
	m.planned = 1;
	want_ok(bfo_plan_names(&m.plan));
	names = m.tree.names.v + bfo_dir_names(&m.tree, &m.tree.inodes.v[0]).first;
	made_rec(&m, EXT2_ROOT_INO)->state |= BFO_INODE_EXISTS | BFO_INODE_KEEP;
	made_rec(&m, EXT2_ROOT_INO)->new_ino = EXT2_ROOT_INO;
	want_ok(bfo_vec_push(&m.plan.merged, (struct bfo_merged) { .ino = EXT2_ROOT_INO,
			     .gained = n, .links = 2 }));
	for (i = 0, j = 0; i < n; j++)			/* groups of 1 to 9 */
		for (group = chance_between(&c, 1, _i ? 9 : 2); group && i < n; group--, i++) {
			names[i].hash = j * 2;
			names[i].minor = 5;
		}
	want_ok(bfo_plan_order(&m.plan));
	want_ok(bfo_plan_share(&m.plan));
	want_eq(m.plan.order.n, 1 + n);
	for (i = 0; i < n; i = j) {
		for (j = i; j < n && names[j].hash == names[i].hash; j++)
			;
		want_eq(m.plan.order.v[at++], bfo_name_row(&m.tree, &names[i]));
		for (group = j - 1; group > i; group--)
			want_eq(m.plan.order.v[at++], bfo_name_row(&m.tree, &names[group]));
	}
	made_free(&m);
}
END_TEST

/*
 * A directory counts where it is met first; its second name, or one that closes a circle, is not.
 */
START_TEST(takes_a_directory_once)
{
	const struct bfo_finding *f;
	struct made m;
	size_t i;

	made_init(&m);
	made_inode(&m, EXT2_ROOT_INO, S_IFDIR | 0755);
	made_inode(&m, 20, S_IFDIR | 0755);
	made_inode(&m, 21, S_IFDIR | 0755);
	made_file(&m, 22, 0, 0);
	made_seal(&m);
	made_name(&m, EXT2_ROOT_INO, "a", 20);
	made_name(&m, EXT2_ROOT_INO, "again", 20);
	made_name(&m, 20, "b", 21);
	made_name(&m, 21, "circle", 20);
	made_name(&m, 21, "self", 21);
	made_name(&m, 21, "up", EXT2_ROOT_INO);
	made_name(&m, 21, "file", 22);
	want_ok(made_plan(&m, NULL));
	want_eq(m.plan.order.n, 4);
	want_eq(made_found(&m, BFO_FOUND_DIR_TWICE), 3);
	want_eq(made_found(&m, BFO_FOUND_NAME_INODE), 1);
	for (i = 0; i < m.tree.findings.n; i++) {
		f = &m.tree.findings.v[i];
		if (f->kind == BFO_FOUND_DIR_TWICE && f->len == 4)
			want_mem(m.tree.text.v + f->text, "self", 4);
		if (f->kind == BFO_FOUND_DIR_TWICE && f->len == 6)
			want_eq(f->dir, 21);
	}
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, 20)), 3);
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, 21)), 2);
	made_free(&m);
}
END_TEST

START_TEST(leaves_bad_inodes_out)
{
	struct made m;

	made_init(&m);
	made_inode(&m, EXT2_ROOT_INO, S_IFDIR | 0755);
	made_file(&m, 20, 0, 0);
	made_inode(&m, 21, S_IFDIR | 0755);
	made_file(&m, 22, 0, 0);
	made_file(&m, 23, 0, 0);
	made_file(&m, 24, 0, 0);
	made_seal(&m);
	made_rec(&m, 20)->state |= BFO_INODE_BAD;
	made_rec(&m, 21)->state |= BFO_INODE_BAD;
	made_rec(&m, 24)->size = 1ULL << 60;
	made_name(&m, EXT2_ROOT_INO, "bad", 20);
	made_name(&m, EXT2_ROOT_INO, "too big", 24);
	made_name(&m, EXT2_ROOT_INO, "too big, too", 24);
	made_name(&m, EXT2_ROOT_INO, "baddir", 21);
	made_name(&m, EXT2_ROOT_INO, "good", 22);
	made_name(&m, EXT2_ROOT_INO, "nobody", 999);
	want_ok(made_plan(&m, NULL));
	want_eq(m.plan.order.n, 2);
	want_eq(item_ino(&m, 1), 22);
	want_eq(m.plan.files, 1);
	want_eq(made_names_of(&m, 20) + made_names_of(&m, 21) + made_names_of(&m, 24), 0);
	want_eq(made_names_of(&m, 22), 1);
	want_eq(made_found(&m, BFO_FOUND_NAME_INODE), 1);
	want_eq(made_found(&m, BFO_LOST_SIZE), 1);
	want_ok(bfo_plan_audit(&m.plan));
	want_eq(made_found(&m, BFO_FOUND_UNREACHED), 1);	/* 23 */
	made_free(&m);
}
END_TEST

/* FILES files share one attribute block: copies of it, each full before the next begins. */
START_TEST(shares_attribute_blocks)
{
	static const bfo_row files[] = { 1, 1023, 1024, 1025, 2048, 3000 };
	bfo_row n = files[_i], i, refs[8] = { 0 }, sum = 0;
	struct made m;
	char name[16];

	made_init(&m);
	made_inode(&m, EXT2_ROOT_INO, S_IFDIR | 0755);
	made_ea(&m, 100);
	made_ea(&m, 200);
	for (i = 0; i < n; i++) {
		made_file(&m, 20 + i, 0, 0);
		m.tree.inodes.v[1 + i].ea = 1;
	}
	m.tree.inodes.v[n].ea = 0;		/* the last one has another */
	made_seal(&m);
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%u", i);
		made_name(&m, EXT2_ROOT_INO, name, 20 + i);
		made_name(&m, EXT2_ROOT_INO, strcat(name, "x"), 20 + i);
	}
	want_ok(made_plan(&m, NULL));
	for (i = 1; i < m.plan.order.n; i++) {
		uint32_t ea = m.tree.inodes.v[m.plan.order.v[i]].ea;

		want_eq(m.tree.eas.v[ea].blk, m.plan.order.v[i] == n ? 100 : 200);
		refs[ea]++;
	}
	for (i = 0; i < m.tree.eas.n; i++) {
		want_eq(m.tree.eas.v[i].refs, refs[i]);
		want(refs[i] <= 1024);
		sum += refs[i];
	}
	want_eq(sum, n);
	want_eq(m.tree.eas.n, n == 1 ? 2 : 1 + (n - 1 + 1023) / 1024);
	made_free(&m);
}
END_TEST

/* DIRS subdirectories in one directory; LINKS names for one file. */
static errcode_t plan_links(struct made *m, uint32_t dirs, uint32_t links, int dir_nlink)
{
	char name[16];
	uint32_t i;

	made_init(m);
	m->target.has_dir_nlink = dir_nlink;
	made_inode(m, EXT2_ROOT_INO, S_IFDIR | 0755);
	made_inode(m, 20, S_IFDIR | 0755);
	made_file(m, 21, 0, 0);
	for (i = 0; i < dirs; i++)
		made_inode(m, 22 + i, S_IFDIR | 0755);
	made_seal(m);
	made_name(m, EXT2_ROOT_INO, "many", 20);
	for (i = 0; i < dirs || i < links; i++) {
		snprintf(name, sizeof(name), "%u", i);
		if (i < links)
			made_name(m, EXT2_ROOT_INO, name, 21);
		if (i < dirs)
			made_name(m, 20, name, 22 + i);
	}
	return made_plan(m, NULL);
}

START_TEST(counts_as_far_as_links_go)
{
	struct made m;

	want_ok(plan_links(&m, 64998, 65000, 0));
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, 20)), 65000);
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, 21)), 65000);
	made_free(&m);
	want_ok(plan_links(&m, 64999, 1, 1));
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, 20)), 1);
	made_free(&m);
	want_ok(plan_links(&m, 70000, 1, 1));
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, 20)), 1);
	made_free(&m);
}
END_TEST

/* What is more than can be counted is lost: the last in the order of the directory. */
START_TEST(loses_more_links)
{
	static const struct { uint32_t dirs, links, lost; } rows[] = {
		{ 64999, 1, 1 }, { 70000, 1, 5002 }, { 1, 65001, 1 },
	};
	const struct bfo_inode *dir;
	struct bfo_slice s;
	struct made m;
	uint32_t i;

	want_ok(plan_links(&m, rows[_i].dirs, rows[_i].links, 0));
	want_eq(made_found(&m, BFO_LOST_LINKS), rows[_i].lost);
	dir = made_rec(&m, 20);
	if (rows[_i].links == 1) {
		want_eq(bfo_plan_links(&m.plan, dir), 65000);
		s = bfo_dir_names(&m.tree, dir);
		for (i = s.first; i < s.end; i++)
			want_eq(bfo_name_is_killed(&m.tree.names.v[i]), i - s.first >= 64998);
		want_eq(m.plan.dirs, 64998 + 1);
	} else {
		want_eq(bfo_plan_links(&m.plan, made_rec(&m, 21)), 65000);
	}
	want_eq(m.tree.findings.n, rows[_i].lost);
	made_free(&m);
}
END_TEST

START_TEST(numbers_ascend)
{
	struct forest f;
	struct chance c;
	uint64_t at = 11;
	size_t i, r = 0, k = 0;

	chance_init(&c, 4300 + _i);
	forest_init(&f, &c, 100, 1000, 0);
	want_ok(made_plan(&f.m, NULL));
	for (i = 0; i < 1100; i += f.m.target.free_inodes.v[f.m.target.free_inodes.n - 1].len) {
		at += chance_between(&c, 1, 100);
		made_free_inodes(&f.m, at, chance_between(&c, 1, _i ? 1 : 300));
		at += f.m.target.free_inodes.v[f.m.target.free_inodes.n - 1].len;
	}
	want_ok(bfo_plan_numbers(&f.m.plan));
	for (i = 0; i < f.m.plan.order.n; i++) {
		const struct bfo_inode *rec = &f.m.tree.inodes.v[f.m.plan.order.v[i]];

		if (rec->ino == EXT2_ROOT_INO) {
			want_eq(rec->new_ino, EXT2_ROOT_INO);
			continue;
		}
		if (k == f.m.target.free_inodes.v[r].len) {	/* the lowest free ones, in order */
			r++;
			k = 0;
		}
		want_eq(rec->new_ino, f.m.target.free_inodes.v[r].start + k++);
	}
	want_eq(f.m.plan.new_inodes, 1100);
	forest_free(&f);
}
END_TEST

START_TEST(says_how_many_inodes_are_missing)
{
	struct forest f;
	struct chance c;

	chance_init(&c, 4400);
	forest_init(&f, &c, 10, 90, 0);
	want_ok(made_plan(&f.m, NULL));
	made_free_inodes(&f.m, 30, 20);
	made_free_inodes(&f.m, 100, 43);
	want_err(bfo_plan_numbers(&f.m.plan), BFO_ET_NO_INODES);
	want(strstr(f.m.ctx.what, "37 missing"));
	made_free_inodes(&f.m, 200, 37);
	want_ok(bfo_plan_numbers(&f.m.plan));
	forest_free(&f);
}
END_TEST

Suite *order_suite(void)
{
	Suite *s = suite_create("order");

	unit_case(s, "is_depth_first_in_readdir_order", is_depth_first_in_readdir_order, 8);
	unit_case(s, "counts_links", counts_links, 0);
	unit_case(s, "lists_ties_as_a_kernel_does", lists_ties_as_a_kernel_does, 2);
	unit_case(s, "takes_a_directory_once", takes_a_directory_once, 0);
	unit_case(s, "leaves_bad_inodes_out", leaves_bad_inodes_out, 0);
	unit_case(s, "shares_attribute_blocks", shares_attribute_blocks, 6);
	unit_case(s, "counts_as_far_as_links_go", counts_as_far_as_links_go, 0);
	unit_case(s, "loses_more_links", loses_more_links, 3);
	unit_case(s, "numbers_ascend", numbers_ascend, 2);
	unit_case(s, "says_how_many_inodes_are_missing", says_how_many_inodes_are_missing, 0);
	return s;
}
