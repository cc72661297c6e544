// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_merge.c - plan/merge: directories that exist on both sides, and what they keep and give up
 */
#include <ext2fs/ext2fs.h>

#include "merged.h"

/* /a/x, /a/sub/s, /a/sub/deep/, /b, /c/y, /same/ */
static void make_source(struct made *m)
{
	made_init(m);
	made_inode(m, ROOT, S_IFDIR | 0700);
	made_ea(m, 77);
	made_inode(m, 20, S_IFDIR | 0755);
	m->tree.inodes.v[1].ea = 0;
	made_inode(m, 21, S_IFDIR | 0755);
	made_inode(m, 22, S_IFDIR | 0755);
	made_inode(m, 23, S_IFDIR | 0755);
	made_inode(m, 24, S_IFDIR | 0755);
	made_file(m, 30, 0, 0);
	made_seal(m);
	made_name(m, ROOT, "a", 20);
	made_name(m, 20, "x", 30);
	made_name(m, 20, "sub", 21);
	made_name(m, 21, "s", 30);
	made_name(m, 21, "deep", 23);
	made_name(m, ROOT, "b", 30);
	made_name(m, ROOT, "c", 22);
	made_name(m, 22, "y", 30);
	made_name(m, ROOT, "same", 24);
}

/* /a/theirs, /a/sub/t, /a/sub/u/, /same/z, /file, and lost+found; with attribute blocks. */
static void old_both(struct made *old)
{
	uint32_t ea = made_ea(old, 900);

	made_old_dir(old, ROOT, 5)->ea = ea;
	made_seg(old, 1500 | BFO_SEG_UNWRITTEN, 1, 3);
	made_old_dir(old, 11, 2);
	made_old_dir(old, 100, 3)->ea = ea;
	made_old_dir(old, 101, 3)->generation = 4711;
	made_seg(old, 1600, 1, 2);
	made_old_dir(old, 102, 2);
	made_old_dir(old, 103, 2);
	made_file(old, 110, 0, 0);
	made_seal(old);
	made_name(old, ROOT, "lost+found", 11);
	made_name(old, ROOT, "a", 100);
	made_name(old, 100, "theirs", 110);
	made_name(old, 100, "sub", 101);
	made_name(old, 101, "t", 110);
	made_name(old, 101, "u", 102);
	made_name(old, ROOT, "same", 103);
	made_name(old, 103, "z", 110);
	made_name(old, ROOT, "file", 110);
	want_ok(bfo_vec_push(&old->tree.map_blocks, (struct bfo_map_use) { .blk = 1700,
			     .ino = 101 }));
	want_ok(bfo_vec_push(&old->tree.map_blocks, (struct bfo_map_use) { .blk = 1701,
			     .ino = 102 }));
}

START_TEST(joins_both_sides)
{
	struct made m;

	make_source(&m);
	want_ok(made_plan(&m, old_both));
	want_eq(m.plan.clashes.n, 0);
	want_eq(m.plan.pairs.n, 0);
	want_eq(m.tree.findings.n, 0);
	want_eq(m.plan.merged.n, 4);
	merged_dir(&m, ROOT, ROOT, 2);
	merged_dir(&m, 100, 20, 1);
	merged_dir(&m, 101, 21, 2);
	merged_dir(&m, 103, 24, 0);
	want_eq(merged_count(&m, ROOT), 6);
	merged_fixed(&m, ROOT, "lost+found", 11, EXT2_FT_DIR);
	merged_fixed(&m, ROOT, "a", 100, EXT2_FT_DIR);
	merged_fixed(&m, ROOT, "file", 110, EXT2_FT_REG_FILE);
	merged_new(&m, ROOT, "b", 30);
	merged_new(&m, ROOT, "c", 22);
	want_eq(merged_count(&m, 20), 3);
	merged_fixed(&m, 20, "theirs", 110, EXT2_FT_REG_FILE);
	merged_fixed(&m, 20, "sub", 101, EXT2_FT_DIR);
	merged_new(&m, 20, "x", 30);
	want_eq(merged_count(&m, 21), 4);
	merged_new(&m, 21, "deep", 23);
	want_eq(merged_count(&m, 24), 1);
	merged_fixed(&m, 24, "z", 110, EXT2_FT_REG_FILE);
	made_free(&m);
}
END_TEST

/* Directories that exist keep what they are, except the root of a whole copy. */
START_TEST(keeps_attributes)
{
	struct made m;

	make_source(&m);
	made_rec(&m, ROOT)->ea = 0;
	want_ok(made_plan(&m, old_both));
	want(!(made_rec(&m, ROOT)->state & BFO_INODE_KEEP));
	want_eq(made_rec(&m, ROOT)->generation, ROOT * 7);
	want_eq(made_rec(&m, ROOT)->ea, 0);
	want_eq(bfo_plan_merged(&m.plan, ROOT)->old_ea, 900);
	want(made_rec(&m, 20)->state & BFO_INODE_KEEP);
	want_eq(made_rec(&m, 20)->ea, BFO_NONE);
	want_eq(bfo_plan_merged(&m.plan, 100)->old_ea, 0);
	want_eq(made_rec(&m, 21)->generation, 4711);
	want(!(made_rec(&m, 22)->state & (BFO_INODE_KEEP | BFO_INODE_EXISTS)));
	want_eq(made_rec(&m, 22)->generation, 22 * 7);
	made_free(&m);
}
END_TEST

/* New subdirectories count; the target's own are in the count it had. */
START_TEST(counts_links)
{
	struct made m;

	make_source(&m);
	want_ok(made_plan(&m, old_both));
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, ROOT)), 5 + 1);
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, 20)), 3);
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, 21)), 3 + 1);
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, 22)), 2);
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, 24)), 2);
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, 30)), 4);
	want_eq(m.plan.order.n, 1 + 2 + 3);	/* 24 gains nothing */
	want_eq(m.plan.dirs, 2);
	made_free(&m);
}
END_TEST

static void want_range(const bfo_ranges *r, size_t i, uint64_t start, uint64_t len)
{
	want(i < r->n);
	want_eq(r->v[i].start, start);
	want_eq(r->v[i].len, len);
}

/* Data and block map of the directory, nobody else's. */
START_TEST(notes_what_is_freed)
{
	const bfo_ranges *r;
	struct made m;

	make_source(&m);
	want_ok(made_plan(&m, old_both));
	r = &bfo_plan_merged(&m.plan, ROOT)->freed;
	want_eq(r->n, 2);
	want_range(r, 0, 1000 + ROOT, 1);
	want_range(r, 1, 1500, 3);
	r = &bfo_plan_merged(&m.plan, 100)->freed;
	want_eq(r->n, 1);
	want_range(r, 0, 1100, 1);
	r = &bfo_plan_merged(&m.plan, 101)->freed;
	want_eq(r->n, 3);
	want_range(r, 0, 1101, 1);
	want_range(r, 1, 1600, 2);
	want_range(r, 2, 1700, 1);
	made_free(&m);
}
END_TEST

static void old_elsewhere(struct made *old)
{
	made_old_dir(old, ROOT, 4)->generation = 1234;
	made_seg(old, 2500, 1, 7);
	made_old_dir(old, 11, 2);
	made_old_dir(old, 100, 9);
	made_old_dir(old, 101, 3)->generation = 815;
	made_old_dir(old, 103, 2);
	made_seal(old);
}

/* The same plan for another target: what is freed there, links and generations there. */
START_TEST(moves_to_another_target)
{
	struct bfo_target other = { .blocks = 5 };
	struct made m, old;
	const bfo_ranges *r;

	make_source(&m);
	want_ok(made_plan(&m, old_both));
	made_init(&old);
	old_elsewhere(&old);
	want_ok(bfo_plan_retarget(&m.plan, &other, &old.tree));
	want(m.plan.target == &other);
	r = &bfo_plan_merged(&m.plan, ROOT)->freed;
	want_eq(r->n, 2);
	want_range(r, 1, 2500, 7);
	want_eq(bfo_plan_merged(&m.plan, 101)->freed.n, 1);
	want_eq(bfo_plan_merged(&m.plan, 100)->links, 9);
	want_eq(bfo_plan_merged(&m.plan, ROOT)->old_ea, 0);
	want_eq(made_rec(&m, 21)->generation, 815);
	want_eq(made_rec(&m, ROOT)->generation, ROOT * 7);
	want_eq(merged_dir(&m, ROOT, ROOT, 2)->links, 4);
	made_free(&old);
	made_free(&m);
}
END_TEST

Suite *merge_suite(void)
{
	Suite *s = suite_create("merge");

	unit_case(s, "joins_both_sides", joins_both_sides, 0);
	unit_case(s, "keeps_attributes", keeps_attributes, 0);
	unit_case(s, "counts_links", counts_links, 0);
	unit_case(s, "notes_what_is_freed", notes_what_is_freed, 0);
	unit_case(s, "moves_to_another_target", moves_to_another_target, 0);
	return s;
}
