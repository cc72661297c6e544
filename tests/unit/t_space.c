// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_space.c - plan/space: the stem, and every item's slice of it
 *
 *   stem     | dir | ea | data | data | ...              | tree of item i, of item j ... |
 *            0                                  stem_len                stem_len + tree_len
 *   target   free runs, ascending, cut off exactly at the end
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "forest.h"
#include "plan/dirimage.h"
#include "plan/extent.h"
#include "tree/access.h"

/* Free blocks in runs of up to LONGEST, AT LEAST so many. */
static void scatter_blocks(struct made *m, struct chance *c, uint64_t at_least, uint32_t longest)
{
	uint64_t at = 5000, sum = 0;
	uint32_t len;

	while (sum < at_least) {
		len = chance_between(c, 1, longest);
		at += chance_between(c, 1, 50);
		made_free_blocks(m, at, len);
		at += len;
		sum += len;
	}
}

static void plan_forest(struct forest *f, struct chance *c, uint32_t blocks, uint32_t longest)
{
	forest_init(f, c, 60, 700, blocks);
	f->m.target.block_size = f->m.tree.block_size = 1024;
	want_ok(made_plan(&f->m, NULL));
	made_free_inodes(&f->m, 12, 5000);
	scatter_blocks(&f->m, c, 1500 * blocks + 5000, longest);
	want_ok(bfo_plan_numbers(&f->m.plan));
}

static uint64_t blocks_of(const struct made *m, const struct bfo_inode *rec)
{
	uint64_t sum = 0;
	uint32_t i;

	if (S_ISDIR(rec->mode))
		return rec->size / m->target.block_size;
	for (i = 0; i < bfo_seg_count(&m->tree, rec); i++)
		sum += bfo_seg_of(&m->tree, rec, i)->len;
	return sum;
}

/* Items follow each other without gaps; an attribute block stands before its first user. */
static void want_slices(struct made *m)
{
	uint8_t *seen = unit_alloc(m->tree.eas.n);
	uint64_t at = 0, ea_len = 0, dir_len = 0;
	size_t i;

	for (i = 0; i < m->plan.order.n; i++) {
		struct bfo_inode *rec = &m->tree.inodes.v[m->plan.order.v[i]];

		if (rec->ea != BFO_NONE && !seen[rec->ea]++) {
			want_eq(m->tree.eas.v[rec->ea].stem, at++);
			ea_len++;
		}
		want_eq(rec->stem, at);
		at += blocks_of(m, rec);
		dir_len += S_ISDIR(rec->mode) ? blocks_of(m, rec) : 0;
	}
	want_eq(m->plan.stem_len, at);
	want_eq(m->plan.ea_len, ea_len);
	want_eq(m->plan.dir_len, dir_len);
	free(seen);
}

/* The runs lie in free blocks, ascend, and are as long as the stem. */
static void want_runs(const struct made *m)
{
	const bfo_ranges *free = &m->target.free_blocks;
	uint64_t at = 0, end = 0, len, k;
	size_t i, r = 0;

	for (i = 0; i < m->plan.stem.n; i++) {
		const struct bfo_stem_run *run = &m->plan.stem.v[i];

		want_eq(run->at, at);
		want(run->len && run->blk >= end);
		while (r < free->n && free->v[r].start + free->v[r].len <= run->blk)
			r++;
		want(r < free->n && free->v[r].start <= run->blk);
		want(run->blk + run->len <= free->v[r].start + free->v[r].len);
		for (k = 0; k < run->len; k += run->len > 1 ? run->len - 1 : 1) {
			want_eq(bfo_plan_block(&m->plan, at + k, &len), run->blk + k);
			want_eq(len, run->len - k);
		}
		at += run->len;
		end = run->blk + run->len;
	}
	want_eq(at, m->plan.stem_len + m->plan.tree_len);
}

static int by_stem(const void *a, const void *b)
{
	const struct bfo_map_tree *x = a, *y = b;

	return (x->stem > y->stem) - (x->stem < y->stem);
}

/* Whoever has more than four extents has a tree, and nobody else; trees stand behind the items. */
static void want_trees(struct made *m)
{
	struct bfo_map_tree *all = unit_copy(m->plan.trees.v, m->plan.trees.n * sizeof(*all));
	uint64_t extents = 0, at = m->plan.stem_len;
	const struct bfo_map_tree *tree;
	bfo_segs ext = { 0 };
	size_t i, trees = 0;

	for (i = 0; i < m->plan.order.n; i++) {
		want_ok(bfo_extents_of(&m->plan, m->plan.order.v[i], &ext));
		extents += ext.n;
		tree = bfo_plan_tree(&m->plan, m->plan.order.v[i]);
		want_eq(tree != NULL, ext.n > 4);
		if (!tree)
			continue;
		want_eq(tree->row, m->plan.order.v[i]);
		want_eq(tree->extents, ext.n);
		want_eq(tree->blocks, bfo_extent_tree_blocks(ext.n, m->target.block_size));
		trees++;
	}
	want_eq(m->plan.trees.n, trees);
	want_eq(m->plan.extents, extents);
	qsort(all, trees, sizeof(*all), by_stem);
	for (i = 0; i < trees; at += all[i++].blocks)
		want_eq(all[i].stem, at);
	want_eq(at, m->plan.stem_len + m->plan.tree_len);
	bfo_vec_free(&ext);
	free(all);
}

/* _i: how scattered the free space is, how long the files are. */
START_TEST(lays_items_end_to_end)
{
	static const uint32_t longest[] = { 1, 2, 7, 300, 100000 };
	struct forest f;
	struct chance c;

	chance_init(&c, 5000 + _i);
	plan_forest(&f, &c, _i / 5 ? 60 : 6, longest[_i % 5]);
	want_ok(bfo_plan_space(&f.m.plan));
	want_slices(&f.m);
	want_runs(&f.m);
	want_trees(&f.m);
	want(f.m.plan.trees.n || longest[_i % 5] > 7);
	want_ok(bfo_plan_space(&f.m.plan));		/* may be repeated */
	want_slices(&f.m);
	want_runs(&f.m);
	want_trees(&f.m);
	forest_free(&f);
}
END_TEST

/* Unwritten blocks take room, but nobody reads them. */
START_TEST(counts_data)
{
	uint64_t written = 0;
	struct forest f;
	struct chance c;
	size_t i;

	chance_init(&c, 5100);
	plan_forest(&f, &c, 6, 1000);
	want_ok(bfo_plan_space(&f.m.plan));
	for (i = 0; i < f.m.tree.segs.n; i++)
		written += bfo_seg_unwritten(&f.m.tree.segs.v[i]) ? 0 : f.m.tree.segs.v[i].len;
	want_eq(f.m.plan.data_blocks, written);
	want(written);
	forest_free(&f);
}
END_TEST

/* A directory is as large as its image, and indexed if that is. */
START_TEST(sizes_directories)
{
	struct bfo_dirimage img;
	struct forest f;
	struct chance c;
	size_t i, indexed = 0;

	chance_init(&c, 5200 + _i);
	plan_forest(&f, &c, 1, 1000);
	f.m.plan.dir_fill = _i ? 100 : 20;
	f.m.target.has_dir_index = !_i;
	want_ok(bfo_plan_space(&f.m.plan));
	for (i = 0; i < f.m.tree.inodes.n; i++) {
		struct bfo_inode *rec = &f.m.tree.inodes.v[i];

		if (!S_ISDIR(rec->mode))
			continue;
		want_ok(bfo_dirimage_init(&img, &f.m.tree, &f.m.target, i, _i ? 100 : 20));
		want_eq(rec->size, img.blocks * 1024ULL);
		want_eq(!!(rec->state & BFO_INODE_INDEX), img.indexed);
		indexed += img.indexed;
		bfo_dirimage_free(&img);
	}
	want_eq(indexed > 0, !_i);
	forest_free(&f);
}
END_TEST

/* Exactly as many free blocks as are needed suffice. */
START_TEST(says_how_many_blocks_are_missing)
{
	struct forest f;
	struct chance c;
	uint64_t need;

	chance_init(&c, 5300);
	plan_forest(&f, &c, 6, 100000);
	want_ok(bfo_plan_space(&f.m.plan));
	need = f.m.plan.stem_len + f.m.plan.tree_len;
	f.m.target.free_blocks.n = 0;
	made_free_blocks(&f.m, 10000, need - 17);
	want_err(bfo_plan_space(&f.m.plan), BFO_ET_NO_SPACE);
	want(f.m.plan.tree_len > 17);
	want(strstr(f.m.ctx.what, " 17 missing"));
	made_free_blocks(&f.m, 10000 + need - 17, 16);
	want_err(bfo_plan_space(&f.m.plan), BFO_ET_NO_SPACE);
	want(strstr(f.m.ctx.what, " 1 missing"));
	made_free_blocks(&f.m, 10000 + need - 1, 1);
	want_ok(bfo_plan_space(&f.m.plan));
	want_runs(&f.m);
	forest_free(&f);
}
END_TEST

/*
 * A file of 1,000 blocks, free blocks that lie apart, 1 KiB each: 1,000 extents, 12 leaves of 84
 * and an index over them, so 13 blocks more; and the root of one block.
 */
START_TEST(finds_room_for_trees)
{
	uint32_t n;
	struct made m;

	made_init(&m);
	m.target.block_size = m.tree.block_size = 1024;
	made_inode(&m, EXT2_ROOT_INO, S_IFDIR | 0755);
	made_file(&m, 20, 100, 1000);
	made_seal(&m);
	made_name(&m, EXT2_ROOT_INO, "file", 20);
	want_ok(made_plan(&m, NULL));
	for (n = 0; n < 1000 + 1 + 13 - 1; n++)
		made_free_blocks(&m, 10000 + 2 * n, 1);
	want_err(bfo_plan_space(&m.plan), BFO_ET_NO_SPACE);
	want(strstr(m.ctx.what, "1 missing"));
	made_free_blocks(&m, 10000 + 2 * n, 1);
	want_ok(bfo_plan_space(&m.plan));
	want_eq(m.plan.tree_len, 13);
	want_runs(&m);
	want_trees(&m);
	made_free(&m);
}
END_TEST

START_TEST(refuses_a_directory_too_big)
{
	uint32_t n = 123 * 126 * 3 + 1, i;
	char name[256];
	struct made m;

	made_init(&m);
	m.target.block_size = m.tree.block_size = 1024;
	made_inode(&m, EXT2_ROOT_INO, S_IFDIR | 0755);
	made_inode(&m, 20, S_IFDIR | 0755);
	made_file(&m, 21, 0, 0);
	made_seal(&m);
	made_name(&m, EXT2_ROOT_INO, "large", 20);
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%0255u", i);
		made_name(&m, 20, name, 21);
	}
	want_ok(made_plan(&m, NULL));
	made_free_blocks(&m, 1000, 100000);
	want_err(bfo_plan_space(&m.plan), BFO_ET_DIR_TOO_BIG);
	want(strstr(m.ctx.what, "/large"));
	m.target.has_large_dir = 1;
	want_ok(bfo_plan_space(&m.plan));
	made_free(&m);
}
END_TEST

/*
 * A file of 100 blocks that lie on the target already, the second half of them in use there; one
 * that is moved.  The stem goes elsewhere.
 */
START_TEST(leaves_what_is_kept)
{
	bfo_segs ext = { 0 };
	struct made m;
	size_t i;

	made_init(&m);
	made_inode(&m, EXT2_ROOT_INO, S_IFDIR | 0755);
	made_file(&m, 20, 5000 | BFO_SEG_KEPT, 100);
	made_file(&m, 21, 300, 10);
	made_seal(&m);
	made_name(&m, EXT2_ROOT_INO, "kept", 20);
	made_name(&m, EXT2_ROOT_INO, "moved", 21);
	want_ok(made_plan(&m, NULL));
	made_free_inodes(&m, 12, 100);
	want_ok(bfo_plan_numbers(&m.plan));
	made_free_blocks(&m, 4998, 52);
	made_free_blocks(&m, 6000, 8);
	want_err(bfo_plan_space(&m.plan), BFO_ET_NO_SPACE);
	want(strstr(m.ctx.what, " 11 blocks of 4096 bytes needed, 10 free, 1 missing"));
	made_free_blocks(&m, 7000, 1);
	want_ok(bfo_plan_space(&m.plan));
	want_eq(m.plan.kept.n, 1);
	want_eq(m.plan.kept.v[0].start, 5000);
	want_eq(m.plan.kept.v[0].len, 50);
	want_eq(bfo_plan_need(&m.plan), 61);
	want_eq(m.plan.kept_blocks, 100);
	want_eq(m.plan.data_blocks, 10);
	want_eq(m.plan.stem_len, 11);
	for (i = 0; i < m.plan.stem.n; i++)
		want(m.plan.stem.v[i].blk + m.plan.stem.v[i].len <= 5000 ||
		     m.plan.stem.v[i].blk >= 6000);
	want_runs(&m);
	want_ok(bfo_extents_of(&m.plan, bfo_tree_find(&m.tree, 20), &ext));
	want_eq(ext.n, 1);
	want_eq(ext.v[0].blk, 5000);
	want_eq(ext.v[0].len, 100);
	bfo_vec_free(&ext);
	made_free(&m);
}
END_TEST

Suite *space_suite(void)
{
	Suite *s = suite_create("space");

	unit_case(s, "lays_items_end_to_end", lays_items_end_to_end, 10);
	unit_case(s, "counts_data", counts_data, 0);
	unit_case(s, "sizes_directories", sizes_directories, 2);
	unit_case(s, "says_how_many_blocks_are_missing", says_how_many_blocks_are_missing, 0);
	unit_case(s, "finds_room_for_trees", finds_room_for_trees, 0);
	unit_case(s, "refuses_a_directory_too_big", refuses_a_directory_too_big, 0);
	unit_case(s, "leaves_what_is_kept", leaves_what_is_kept, 0);
	return s;
}
