// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_merge_clash.c - plan/merge: names that clash, directories with two names, damaged targets
 */
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "tree/access.h"
#include "merged.h"

static void old_clashing(struct made *old)
{
	made_old_dir(old, ROOT, 5);
	made_old_dir(old, 100, 2);
	made_old_dir(old, 101, 2);
	made_file(old, 110, 0, 0);
	made_inode(old, 111, S_IFLNK | 0777);
	made_seal(old);
	made_name(old, ROOT, "file file", 110);
	made_name(old, ROOT, "file dir", 100);
	made_name(old, ROOT, "dir file", 110);
	made_name(old, ROOT, "dir dir", 101);
	made_name(old, ROOT, "link link", 111);
}

/* /file file, /file dir, /dir file/, /dir dir/, /link link, /new */
static void make_clashing(struct made *m)
{
	made_init(m);
	made_inode(m, ROOT, S_IFDIR | 0755);
	made_inode(m, 20, S_IFDIR | 0755);
	made_inode(m, 21, S_IFDIR | 0755);
	made_file(m, 30, 0, 0);
	made_inode(m, 31, S_IFLNK | 0777);
	made_seal(m);
	made_name(m, ROOT, "file file", 30);
	made_name(m, ROOT, "file dir", 30);
	made_name(m, ROOT, "dir file", 20);
	made_name(m, ROOT, "dir dir", 21);
	made_name(m, ROOT, "link link", 31);
	made_name(m, ROOT, "new", 30);
}

/* How many clashes are of name TEXT in the root, which leads to source inode INO. */
static int clashes(const struct made *m, const char *text, uint32_t ino)
{
	bfo_row root = bfo_tree_find(&m->tree, ROOT);
	const struct bfo_name *n;
	size_t i;
	int found = 0;

	for (i = 0; i < m->plan.clashes.n; i++) {
		n = &m->tree.names.v[m->plan.clashes.v[i].name];
		found += bfo_name_len(n) == strlen(text) && n->dir == root &&
			 !memcmp(bfo_name_text(&m->tree, n), text, strlen(text)) &&
			 bfo_name_row(&m->tree, n) == bfo_tree_find(&m->tree, ino);
	}
	return found;
}

/* Only two directories may have one name; else the target's stays. */
START_TEST(finds_clashes)
{
	struct made m;

	make_clashing(&m);
	want_ok(made_plan(&m, old_clashing));
	want_eq(m.plan.clashes.n, 4);
	want_eq(clashes(&m, "file file", 30), 1);
	want_eq(clashes(&m, "file dir", 30), 1);
	want_eq(clashes(&m, "dir file", 20), 1);
	want_eq(clashes(&m, "link link", 31), 1);
	want_eq(m.plan.merged.n, 2);
	merged_dir(&m, 101, 21, 0);
	merged_dir(&m, ROOT, ROOT, 1);
	want_eq(merged_count(&m, ROOT), 6);
	merged_fixed(&m, ROOT, "file file", 110, EXT2_FT_REG_FILE);
	merged_fixed(&m, ROOT, "file dir", 100, EXT2_FT_DIR);
	merged_fixed(&m, ROOT, "dir file", 110, EXT2_FT_REG_FILE);
	merged_fixed(&m, ROOT, "link link", 111, EXT2_FT_SYMLINK);
	made_free(&m);
}
END_TEST

/* What is not copied neither clashes nor counts. */
START_TEST(leaves_bad_inodes_out)
{
	struct made m;

	make_clashing(&m);
	made_rec(&m, 30)->state |= BFO_INODE_BAD;
	made_rec(&m, 21)->state |= BFO_INODE_BAD;
	want_ok(made_plan(&m, old_clashing));
	want_eq(m.plan.clashes.n, 2);
	want_eq(clashes(&m, "dir file", 20) + clashes(&m, "link link", 31), 2);
	want_eq(m.plan.merged.n, 1);
	merged_dir(&m, ROOT, ROOT, 0);
	want_eq(merged_count(&m, ROOT), 5);
	merged_fixed(&m, ROOT, "dir dir", 101, EXT2_FT_DIR);
	made_free(&m);
}
END_TEST

static void old_twice(struct made *old)
{
	made_old_dir(old, ROOT, 5);
	made_old_dir(old, 100, 2);
	made_old_dir(old, 101, 2);
	made_old_dir(old, 102, 2);
	made_old_dir(old, 103, 2);
	made_old_dir(old, 104, 2);
	made_seal(old);
	made_name(old, ROOT, "p", 100);
	made_name(old, ROOT, "q", 101);
	made_name(old, ROOT, "a", 102);
	made_name(old, 102, "r", 103);
	made_name(old, 100, "self", 104);
}

static void make_twice(struct made *m, uint32_t dir, const char *second)
{
	made_init(m);
	made_inode(m, ROOT, S_IFDIR | 0755);
	made_inode(m, 20, S_IFDIR | 0755);
	made_inode(m, 21, S_IFDIR | 0755);
	made_seal(m);
	made_name(m, ROOT, "p", 20);
	made_name(m, ROOT, "a", 21);
	made_name(m, dir, second, 20);
}

/* The first character of the only name that DIR_TWICE was found about, in directory DIR. */
static char twice_name(const struct made *m, uint32_t dir)
{
	const struct bfo_finding *f = m->tree.findings.v;

	want_eq(m->tree.findings.n, 1);
	want(f->kind == BFO_FOUND_DIR_TWICE && f->ino == 20 && f->dir == dir);
	return m->tree.text.v[f->text];
}

/* A directory with two names is merged once: where both are met at one level, or at two. */
START_TEST(takes_a_directory_once)
{
	struct made m;
	char name;

	make_twice(&m, ROOT, "q");
	want_ok(made_plan(&m, old_twice));
	name = twice_name(&m, ROOT);
	want(name == 'p' || name == 'q');
	merged_dir(&m, name == 'p' ? 101 : 100, 20, 0);
	want_eq(m.plan.merged.n, 3);
	merged_fixed(&m, ROOT, "p", 100, EXT2_FT_DIR);
	merged_fixed(&m, ROOT, "q", 101, EXT2_FT_DIR);
	made_free(&m);
	make_twice(&m, 21, "r");
	want_ok(made_plan(&m, old_twice));
	want(twice_name(&m, 21) == 'r');
	merged_dir(&m, 100, 20, 0);
	want_eq(m.plan.merged.n, 3);
	merged_fixed(&m, 21, "r", 103, EXT2_FT_DIR);
	made_free(&m);
	make_twice(&m, 20, "self");
	want_ok(made_plan(&m, old_twice));
	want(twice_name(&m, 20) == 's');
	merged_fixed(&m, 20, "self", 104, EXT2_FT_DIR);
	made_free(&m);
}
END_TEST

/* A second name that the target does not have is dropped. */
START_TEST(drops_a_second_name)
{
	struct made m;

	make_twice(&m, ROOT, "second");
	want_ok(made_plan(&m, old_twice));
	want(twice_name(&m, ROOT) == 's');
	merged_dir(&m, 100, 20, 0);
	want(bfo_name_is_killed(merged_name(&m, bfo_tree_find(&m.tree, ROOT), "second")));
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, ROOT)), 5);
	made_free(&m);
}
END_TEST

static int flaw;

static void old_flawed(struct made *old)
{
	made_old_dir(old, ROOT, 5);
	if (flaw != 0)
		made_inode(old, 100, flaw == 1 ? S_IFREG | 0644 : S_IFDIR | 0755);
	made_seal(old);
	made_name(old, ROOT, "dir dir", 100);
	old->tree.names.v[0].at = (old->tree.names.v[0].at & ~0xff00ULL) | EXT2_FT_DIR << 8;
	if (flaw == 2)
		want_ok(bfo_tree_found(&old->tree, BFO_FOUND_DIR_BLOCK, 100, 1));
}

/* _i: the target's directory is not there, no directory, not whole. */
START_TEST(refuses_a_damaged_target)
{
	struct made m;

	flaw = _i;
	make_clashing(&m);
	want_err(made_plan(&m, old_flawed), BFO_ET_UNHEALTHY);
	want(strstr(m.ctx.what, _i == 2 ? "inode 2 of the target" : "inode 100 of the target"));
	made_free(&m);
}
END_TEST

Suite *merge_clash_suite(void)
{
	Suite *s = suite_create("merge_clash");

	unit_case(s, "finds_clashes", finds_clashes, 0);
	unit_case(s, "leaves_bad_inodes_out", leaves_bad_inodes_out, 0);
	unit_case(s, "takes_a_directory_once", takes_a_directory_once, 0);
	unit_case(s, "drops_a_second_name", drops_a_second_name, 0);
	unit_case(s, "refuses_a_damaged_target", refuses_a_damaged_target, 3);
	return s;
}
