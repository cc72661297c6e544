// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_itrees.c - plan/itrees: the container in a plan, its name, its number, where its trees stand
 */
#include <stdio.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "gather/inode_check.h"
#include "itree/format.h"
#include "merged.h"
#include "plan/itrees.h"
#include "plan/names.h"
#include "tree/access.h"

#define OLD_INO 77

/* The target: a root with names "a" and "z", and lost+found. */
static errcode_t merge_root(struct made *m)
{
	struct made old;
	errcode_t err;

	made_init(&old);
	made_old_dir(&old, ROOT, 3);
	made_old_dir(&old, 11, 2);
	made_seal(&old);
	made_name(&old, ROOT, "lost+found", 11);
	made_name(&old, ROOT, "a", 12);
	made_name(&old, ROOT, "z", 13);
	err = bfo_plan_merge(&m->plan, &old.tree);
	made_free(&old);
	return err;
}

/* A plan that copies nothing, with container IT, which the target has as inode INO (0: not). */
static void plan_nothing(struct made *m, struct bfo_itrees *it, uint32_t ino)
{
	made_init(m);
	made_seal(m);
	made_free_inodes(m, 20, 100);
	made_free_blocks(m, 5000, 100000);
	bfo_plan_init(&m->plan, &m->ctx, &m->tree, &m->target);
	m->planned = 1;
	bfo_itrees_init(it, &m->plan);
	it->ino = ino;
	want_ok(bfo_plan_names(&m->plan));
	want_ok(bfo_plan_land(&m->plan, NULL, 0, "/"));
	want_ok(bfo_itrees_name(&m->plan));
	want_ok(merge_root(m));
	want_ok(bfo_plan_order(&m->plan));
	want_ok(bfo_itrees_renew(&m->plan));
	want_ok(bfo_plan_numbers(&m->plan));
}

static void release(struct made *m, struct bfo_itrees *it)
{
	bfo_itrees_free(it);
	made_free(m);
}

static void add_tree(struct bfo_itrees *it, uint32_t ino, uint32_t blocks)
{
	want_ok(bfo_vec_push(&it->trees, (struct bfo_itree) { .dir = { .ino = ino,
			     .blocks = blocks } }));
}

/* The root is written anew with one name more, and the container takes the lowest free number. */
START_TEST(makes_a_container)
{
	struct bfo_itrees it;
	const struct bfo_inode *rec;
	const struct bfo_name *n;
	struct made m;

	plan_nothing(&m, &it, 0);
	rec = &m.tree.inodes.v[it.row];
	want_eq(m.plan.order.n, 2);
	want_eq(m.plan.order.v[0], m.plan.root);
	want_eq(m.plan.order.v[1], it.row);
	want_eq(m.plan.new_inodes, 1);
	want_eq(bfo_itrees_number(&m.plan), 20);
	want_eq(rec->mode, S_IFREG | 0600);
	want_eq(rec->flags, EXT2_IMMUTABLE_FL);
	want_eq(bfo_plan_links(&m.plan, rec), 1);
	n = merged_name(&m, m.plan.root, ITREE_NAME);
	want(n && bfo_name_type(n) == EXT2_FT_REG_FILE);
	want_eq(bfo_name_row(&m.tree, n), it.row);
	want(merged_name(&m, m.plan.root, "lost+found") && merged_name(&m, m.plan.root, "z"));
	want_eq(made_count(&m, m.plan.root), 4);
	release(&m, &it);
}
END_TEST

/* One that is there keeps its number, and the root stays as it is. */
START_TEST(renews_a_container)
{
	struct bfo_itrees it;
	const struct bfo_inode *rec;
	struct made m;

	plan_nothing(&m, &it, OLD_INO);
	rec = &m.tree.inodes.v[it.row];
	want_eq(m.plan.order.n, 1);
	want_eq(m.plan.order.v[0], it.row);
	want_eq(m.plan.new_inodes, 0);
	want_eq(rec->new_ino, OLD_INO);
	want(bfo_inode_is_renewed(rec) && bfo_plan_is_container(&m.plan, it.row));
	want(bfo_plan_is_written_last(&m.plan, rec));
	release(&m, &it);
}
END_TEST

/* With so many trees the catalogue takes so many blocks. */
static const struct { uint32_t trees, catalogue; } catalogues[] = {
	{ 0, 1 }, { 1, 1 }, { 63, 1 }, { 64, 2 }, { 126, 2 }, { 127, 3 },
};

START_TEST(lays_trees_out)
{
	uint32_t n = catalogues[_i].trees, k, at = 1 + catalogues[_i].catalogue;
	struct bfo_itrees it;
	struct made m;

	plan_nothing(&m, &it, _i % 2 ? OLD_INO : 0);
	for (k = 0; k < n; k++)
		add_tree(&it, 100 + k, 1 + k % 5);
	want_ok(bfo_itrees_arrange(&it));
	bfo_itrees_lay_out(&m.plan);
	want_eq(it.header.catalogue, 1);
	want_eq(it.header.catalogue_blocks, catalogues[_i].catalogue);
	want_eq(it.header.trees, n);
	for (k = 0; k < n; k++) {
		want_eq(it.trees.v[k].dir.first, at);
		at += 1 + k % 5 + bfo_itrees_reserve(1 + k % 5);
	}
	want_eq(it.header.blocks, at);
	want_eq(m.tree.inodes.v[it.row].size, at * 4096ULL);
	want_ok(bfo_plan_space(&m.plan));
	want_eq(m.plan.stem_len, at + (_i % 2 ? 0 : 1));	/* and the root's block */
	release(&m, &it);
}
END_TEST

START_TEST(refuses_more_than_can_be_numbered)
{
	struct bfo_itrees it;
	struct made m;

	plan_nothing(&m, &it, 0);
	add_tree(&it, 100, UINT32_MAX - 2);
	add_tree(&it, 101, 1);
	want_err(bfo_itrees_arrange(&it), BFO_ET_OVERFLOW);
	release(&m, &it);
}
END_TEST

/* The source's root has a name like that, which is copied. */
START_TEST(clashes_with_what_is_copied)
{
	static const char *const from[] = { "/" };
	struct bfo_itrees it;
	struct made m;

	made_init(&m);
	made_inode(&m, ROOT, S_IFDIR | 0755);
	made_file(&m, 30, 0, 0);
	made_seal(&m);
	made_name(&m, ROOT, "zzz", 30);
	made_name(&m, ROOT, _i ? ITREE_NAME : ITREE_NAME "x", 30);
	bfo_plan_init(&m.plan, &m.ctx, &m.tree, &m.target);
	m.planned = 1;
	bfo_itrees_init(&it, &m.plan);
	want_ok(bfo_plan_names(&m.plan));
	want_ok(bfo_plan_land(&m.plan, from, 1, "/"));
	want_err(bfo_itrees_name(&m.plan), _i ? BFO_ET_CLASH : 0);
	release(&m, &it);
}
END_TEST

/* Its slice stays in the order of hashes, wherever the new name falls. */
START_TEST(sorts_its_name_in)
{
	static const char *const from[] = { "/" };
	struct bfo_slice s;
	struct bfo_itrees it;
	struct made m;
	char name[16];
	uint32_t i;

	made_init(&m);
	made_inode(&m, ROOT, S_IFDIR | 0755);
	made_file(&m, 30, 0, 0);
	made_seal(&m);
	for (i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "%d-%u", _i, i);
		made_name(&m, ROOT, name, 30);
	}
	bfo_plan_init(&m.plan, &m.ctx, &m.tree, &m.target);
	m.planned = 1;
	bfo_itrees_init(&it, &m.plan);
	want_ok(bfo_plan_names(&m.plan));
	want_ok(bfo_plan_land(&m.plan, from, 1, "/"));
	want_ok(bfo_itrees_name(&m.plan));
	s = bfo_dir_names(&m.tree, &m.tree.inodes.v[m.plan.root]);
	want_eq(s.end - s.first, 41);
	for (i = s.first + 1; i < s.end; i++)
		want(bfo_name_compare(&m.tree, &m.tree.names.v[i - 1], &m.tree,
				      &m.tree.names.v[i]) < 0);
	release(&m, &it);
}
END_TEST

/* What the catalogue says of a directory is what its inode is going to say. */
START_TEST(notes_inodes)
{
	struct ext2_inode_large raw = { .i_extra_isize = 32, .i_ctime = 12345,
		.i_ctime_extra = 678U << 2 | 1, .i_version_hi = 9 };
	struct bfo_itrees it;
	struct made m;

	plan_nothing(&m, &it, 0);
	raw.osd1.linux1.l_i_version = 5;
	add_tree(&it, 50, 1);
	add_tree(&it, 60, 1);
	bfo_itrees_note(&m.plan, 55, &raw);
	want_eq(it.trees.v[0].dir.version, 0);
	want_eq(it.trees.v[1].dir.version, 0);
	bfo_itrees_note(&m.plan, 60, &raw);
	want_eq(it.trees.v[0].dir.version, 0);
	want_eq(it.trees.v[1].dir.version, 9ULL << 32 | 5);
	want_eq(it.trees.v[1].dir.ctime, 12345 + (1LL << 32));
	want_eq(it.trees.v[1].dir.ctime_nsec, 678);
	release(&m, &it);
}
END_TEST

Suite *itrees_suite(void)
{
	Suite *s = suite_create("itrees");

	unit_case(s, "makes_a_container", makes_a_container, 0);
	unit_case(s, "renews_a_container", renews_a_container, 0);
	unit_case(s, "lays_trees_out", lays_trees_out,
		  sizeof(catalogues) / sizeof(*catalogues));
	unit_case(s, "refuses_more_than_can_be_numbered", refuses_more_than_can_be_numbered, 0);
	unit_case(s, "clashes_with_what_is_copied", clashes_with_what_is_copied, 2);
	unit_case(s, "sorts_its_name_in", sorts_its_name_in, 8);
	unit_case(s, "notes_inodes", notes_inodes, 0);
	return s;
}
