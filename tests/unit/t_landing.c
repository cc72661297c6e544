// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_landing.c - plan/landing: which paths are copied to where, and which are refused
 *
 *   source  /a/x, /a/sub/y, /a/sub/up/, /b/x, /b/z, /f, /..d
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "merged.h"
#include "plan/names.h"
#include "tree/access.h"

static void make_source(struct made *m)
{
	made_init(m);
	made_inode(m, ROOT, S_IFDIR | 0700);
	made_inode(m, 20, S_IFDIR | 0755);
	made_inode(m, 21, S_IFDIR | 0755);
	made_inode(m, 22, S_IFDIR | 0755);
	made_inode(m, 23, S_IFDIR | 0755);
	made_inode(m, 24, S_IFDIR | 0755);
	made_file(m, 30, 0, 0);
	made_file(m, 31, 0, 0);
	made_seal(m);
	made_name(m, ROOT, "a", 20);
	made_name(m, 20, "x", 30);
	made_name(m, 20, "sub", 21);
	made_name(m, 21, "y", 30);
	made_name(m, 21, "up", 23);
	made_name(m, ROOT, "b", 22);
	made_name(m, 22, "x", 30);
	made_name(m, 22, "z", 31);
	made_name(m, ROOT, "f", 31);
	made_name(m, ROOT, "..d", 24);
}

/* The record of the directory that --to names: COMPONENTS below the root, all made by the plan. */
static bfo_row landing(const struct made *m, uint32_t components)
{
	bfo_row dir = m->plan.landing, k;

	want(dir != BFO_NONE && !m->plan.whole);
	for (k = 0; k < components; k++, dir = bfo_plan_parent(&m->plan, dir)) {
		want(m->tree.inodes.v[dir].state & BFO_INODE_MADE);
		want(m->tree.inodes.v[dir].mode == (S_IFDIR | 0755));
		want(dir != m->plan.root);
	}
	want_eq(dir, m->plan.root);
	want(m->tree.inodes.v[dir].state & BFO_INODE_MADE);
	return m->plan.landing;
}

/* TEXT in directory record DIR leads to source inode INO, which landed there. */
static void want_landed(const struct made *m, bfo_row dir, const char *text, uint32_t ino)
{
	const struct bfo_name *n = merged_name(m, dir, text);
	bfo_row row = bfo_tree_find(&m->tree, ino);

	want(n && bfo_name_row(&m->tree, n) == row);
	want(m->tree.inodes.v[row].state & BFO_INODE_LANDED);
	want_eq(bfo_plan_parent(&m->plan, row), dir);
}

static int placed(const struct made *m, uint32_t ino)
{
	return !!(m->tree.inodes.v[bfo_tree_find(&m->tree, ino)].state & BFO_INODE_PLACED);
}

/* What is named lands, with what is below it and nothing else; the target's root stays. */
START_TEST(lands_several_paths)
{
	static const char *const from[] = { "/a/sub", "b//./z/", "f" };
	struct made m;
	bfo_row dir;

	make_source(&m);
	want_ok(made_plan_paths(&m, from, 3, "/", NULL));
	dir = landing(&m, 0);
	want_landed(&m, dir, "sub", 21);
	want_landed(&m, dir, "z", 31);
	want_landed(&m, dir, "f", 31);
	want_eq(made_count(&m, dir), 4);		/* and lost+found */
	want_eq(bfo_name_number(&m.tree, merged_name(&m, dir, "lost+found")),
		EXT2_GOOD_OLD_FIRST_INO);
	want(m.tree.inodes.v[dir].state & BFO_INODE_KEEP);
	want_eq(m.tree.inodes.v[dir].new_ino, ROOT);
	want_eq(m.plan.merged.n, 1);
	want_eq(m.plan.merged.v[0].gained, 3);
	want(placed(&m, 21) && placed(&m, 23) && placed(&m, 30) && placed(&m, 31));
	want(!placed(&m, ROOT) && !placed(&m, 20) && !placed(&m, 22) && !placed(&m, 24));
	want_eq(m.plan.order.n, 1 + 4);
	want_eq(bfo_plan_links(&m.plan, &m.tree.inodes.v[dir]), 3 + 1);
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, 31)), 2);
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, 21)), 3);
	made_free(&m);
}
END_TEST

/* Whatever leads to the root is the whole source, if it lands on the root. */
START_TEST(lands_everything)
{
	static const char *const paths[] = { "/", "", "//", "/.", "./" };
	struct made m;

	make_source(&m);
	want_ok(made_plan_paths(&m, &paths[_i], 1, paths[4 - _i], NULL));
	want(m.plan.whole);
	want_eq(m.plan.root, bfo_tree_find(&m.tree, ROOT));
	want(!(made_rec(&m, ROOT)->state & (BFO_INODE_KEEP | BFO_INODE_MADE)));
	merged_dir(&m, ROOT, ROOT, 4);
	want_eq(m.plan.order.n, 8);
	made_free(&m);
}
END_TEST

/* In the target: /old (100), /old/deep (101), /note (a file, 110). */
static void old_with_dirs(struct made *old)
{
	made_old_dir(old, ROOT, 4);
	made_old_dir(old, 100, 3);
	made_old_dir(old, 101, 2);
	made_file(old, 110, 0, 0);
	made_seal(old);
	made_name(old, ROOT, "old", 100);
	made_name(old, ROOT, "note", 110);
	made_name(old, 100, "deep", 101);
}

/* --to: what exists is merged, what does not is made. */
START_TEST(makes_directories)
{
	static const char *const from[] = { "/a", "/b/z" };
	bfo_row dir, up, old;
	struct made m;

	make_source(&m);
	want_ok(made_plan_paths(&m, from, 2, "old/new/./er/", old_with_dirs));
	dir = landing(&m, 3);
	up = bfo_plan_parent(&m.plan, dir);
	old = bfo_plan_parent(&m.plan, up);
	want_eq(made_count(&m, dir), 2);
	want_landed(&m, dir, "a", 20);
	want_landed(&m, dir, "z", 31);
	want_eq(bfo_name_row(&m.tree, merged_name(&m, up, "er")), dir);
	want_eq(made_count(&m, up), 1);
	want_eq(bfo_name_row(&m.tree, merged_name(&m, old, "new")), up);
	want_eq(bfo_name_number(&m.tree, merged_name(&m, old, "deep")), 101);
	want(!((m.tree.inodes.v[dir].state | m.tree.inodes.v[up].state) & BFO_INODE_EXISTS));
	want_eq(m.tree.inodes.v[old].new_ino, 100);
	want_eq(bfo_plan_merged(&m.plan, 100)->row, old);
	want_eq(bfo_plan_merged(&m.plan, 100)->gained, 1);
	want_eq(bfo_plan_merged(&m.plan, ROOT)->gained, 0);
	want_eq(m.plan.merged.n, 2);
	want_eq(bfo_plan_links(&m.plan, &m.tree.inodes.v[m.plan.root]), 4);
	want_eq(bfo_plan_links(&m.plan, &m.tree.inodes.v[old]), 4);
	want_eq(bfo_plan_links(&m.plan, &m.tree.inodes.v[up]), 3);
	want_eq(bfo_plan_links(&m.plan, &m.tree.inodes.v[dir]), 3);
	want_eq(m.plan.dirs, 2 + 3);
	want_eq(m.plan.order.n, 1 + 2 + 3 + 2);
	made_free(&m);
}
END_TEST

/* The source's root elsewhere: all its names land, it does not itself. */
START_TEST(lands_everything_below)
{
	static const char *const from[] = { "/" };
	struct made m;
	bfo_row dir;

	make_source(&m);
	want_ok(made_plan_paths(&m, from, 1, "/old/deep", old_with_dirs));
	dir = landing(&m, 2);
	want_eq(m.tree.inodes.v[dir].new_ino, 101);
	want_eq(bfo_plan_merged(&m.plan, 101)->gained, 4);
	want_landed(&m, dir, "a", 20);
	want_landed(&m, dir, "b", 22);
	want_landed(&m, dir, "f", 31);
	want_landed(&m, dir, "..d", 24);
	want(!placed(&m, ROOT));
	want_eq(bfo_plan_links(&m.plan, &m.tree.inodes.v[dir]), 2 + 3);
	made_free(&m);
}
END_TEST

/* A file of the target where --to wants a directory. */
START_TEST(clashes_with_files)
{
	static const char *const from[] = { "/f" };
	struct made m;

	make_source(&m);
	want_ok(made_plan_paths(&m, from, 1, "/note/x", old_with_dirs));
	want_eq(m.plan.clashes.n, 1);
	want_eq(m.tree.names.v[m.plan.clashes.v[0].name].dir, m.plan.root);
	want_eq(bfo_plan_merged(&m.plan, ROOT)->gained, 0);
	made_free(&m);
}
END_TEST

/* Paths that are not in the source, that overlap, or whose last names are equal. */
START_TEST(refuses_sources)
{
	static const struct {
		const char *from[3];
		errcode_t err;
		const char *what;
	} cases[] = {
		{ { "/nowhere" }, BFO_ET_NO_PATH, "looking for /nowhere in the source" },
		{ { "/a/su" }, BFO_ET_NO_PATH, "/a/su " },
		{ { "/a/subs" }, BFO_ET_NO_PATH, "/a/subs " },
		{ { "/a/../b" }, EINVAL, "/a/../b in the source: '..' is not" },
		{ { "/.." }, EINVAL, "/.. in the source: '..' is not" },
		{ { "/f/x" }, BFO_ET_NOT_DIR, "/f/x " },
		{ { "/a", "/nowhere" }, BFO_ET_NO_PATH, "/nowhere " },
		{ { "/", "/a" }, BFO_ET_OVERLAP, "copying / and other paths" },
		{ { "/a", "/." }, BFO_ET_OVERLAP, "copying / and other paths" },
		{ { "/a", "/a/sub" }, BFO_ET_OVERLAP, "comparing /a/sub and /a" },
		{ { "/a/sub", "/a" }, BFO_ET_OVERLAP, "comparing /a/sub and /a" },
		{ { "/a/sub/up", "/b", "/a" }, BFO_ET_OVERLAP, "comparing /a/sub/up and /a" },
		{ { "/a/x", "/a" }, BFO_ET_OVERLAP, "comparing /a/x and /a" },
		{ { "/a", "/b", "/a" }, BFO_ET_CLASH, "comparing /a and /a" },
		{ { "/a/x", "/b/x" }, BFO_ET_CLASH, "both would get the name x" },
		{ { "/b/x", "/f", "/a/x/" }, BFO_ET_CLASH, "comparing /b/x and /a/x/" },
	};
	size_t n = 0;
	struct made m;

	while (n < 3 && cases[_i].from[n])
		n++;
	make_source(&m);
	want_err(made_plan_paths(&m, cases[_i].from, n, "/", NULL), cases[_i].err);
	if (!strstr(m.ctx.what, cases[_i].what))
		ck_abort_msg("%s", m.ctx.what);
	made_free(&m);
}
END_TEST

/* Neighbours do not overlap, nor do hard links, nor names that begin alike. */
START_TEST(takes_neighbours)
{
	static const char *const from[][2] = {
		{ "/a", "/b" }, { "/a/x", "/a/sub" }, { "/b/z", "/f" }, { "/a/sub/up", "/b" },
		{ "/..d", "/f" },
	};
	struct made m;

	make_source(&m);
	want_ok(made_plan_paths(&m, from[_i], 2, "/", NULL));
	want_eq(bfo_plan_merged(&m.plan, ROOT)->gained, 2);
	made_free(&m);
}
END_TEST

static errcode_t plan_to(const char *to)
{
	static const char *const from[] = { "/f" };
	struct made m;
	errcode_t err;

	make_source(&m);
	err = made_plan_paths(&m, from, 1, to, NULL);
	if (err)
		want(strstr(m.ctx.what, "on the target"));
	made_free(&m);
	return err;
}

/* Directories of these names cannot be made. */
START_TEST(refuses_targets)
{
	char name[300];

	want_err(plan_to("/.."), EINVAL);
	want_err(plan_to(".."), EINVAL);
	want_err(plan_to("/old/../etc"), EINVAL);
	want_err(plan_to("/old/.."), EINVAL);
	want_err(plan_to("/old/../"), EINVAL);
	want_ok(plan_to("/..x"));
	want_ok(plan_to("/x../..."));
	snprintf(name, sizeof(name), "/old/%0256u/x", 1);
	want_err(plan_to(name), ENAMETOOLONG);
	snprintf(name, sizeof(name), "/old/%0255u/x", 1);
	want_ok(plan_to(name));
}
END_TEST

/* _i: the source's root is not there, damaged, no directory. */
START_TEST(refuses_without_a_root)
{
	struct made m;

	made_init(&m);
	if (_i)
		made_inode(&m, ROOT, _i == 1 ? S_IFDIR | 0755 : S_IFREG | 0755);
	made_file(&m, 30, 0, 0);
	made_seal(&m);
	if (_i == 1)
		m.tree.inodes.v[0].state |= BFO_INODE_BAD;
	want_err(made_plan(&m, NULL), BFO_ET_ROOT_DAMAGED);
	made_free(&m);
}
END_TEST

/* Names land sorted, whatever the order of the paths. */
START_TEST(sorts_what_lands)
{
	const struct bfo_name *n;
	const char *from[50];
	char name[50][8];
	struct made m;
	uint32_t i;

	made_init(&m);
	made_inode(&m, ROOT, S_IFDIR | 0755);
	made_file(&m, 30, 0, 0);
	made_seal(&m);
	for (i = 0; i < 50; i++) {
		snprintf(name[i], sizeof(name[i]), "/%u", i);
		from[i] = name[i];
		made_name(&m, ROOT, name[i] + 1, 30);
	}
	want_ok(made_plan_paths(&m, from, 50, "/to", NULL));
	want_eq(made_count(&m, landing(&m, 1)), 50);
	n = m.tree.names.v + bfo_dir_names(&m.tree, &m.tree.inodes.v[m.plan.landing]).first;
	for (i = 1; i < 50; i++)
		want(n[i - 1].hash < n[i].hash);
	made_free(&m);
}
END_TEST

/* Names with equal hashes land in the order of their bytes, as merging expects them. */
START_TEST(sorts_ties_by_bytes)
{
	static const char *const from[] = { "/f", "/a", "/b/x" };
	struct made m;

	make_source(&m);
	m.target.hash_version = 99;		/* none: all names are ties */
	made_name(&m, 22, "note", 31);
	want_ok(made_plan_paths(&m, (const char *const []) { "/b/z", "/b/note" }, 2, "/",
				old_with_dirs));
	want_eq(m.plan.clashes.n, 1);
	made_free(&m);
	make_source(&m);
	m.target.hash_version = 99;
	want_ok(made_plan_paths(&m, from, 3, "/to", NULL));
	want_eq(merged_name(&m, m.plan.landing, "a") - m.tree.names.v,
		bfo_dir_names(&m.tree, &m.tree.inodes.v[m.plan.landing]).first);
	made_free(&m);
}
END_TEST

/* A directory's parent is where the name that is kept stands, also if it was to land. */
START_TEST(takes_the_parent_of_the_name_that_is_kept)
{
	const char *from[] = { "/?", "/X/d" };
	char path[] = "/a", c;
	struct made m;
	bfo_row dir;

	for (c = 'e'; c <= 'z'; c++) {
		path[1] = c;
		from[0] = path;
		made_init(&m);
		made_inode(&m, ROOT, S_IFDIR | 0755);
		made_inode(&m, 20, S_IFDIR | 0755);
		made_inode(&m, 21, S_IFDIR | 0755);
		made_inode(&m, 22, S_IFDIR | 0755);
		made_seal(&m);
		made_name(&m, ROOT, path + 1, 20);
		made_name(&m, 20, "d", 22);
		made_name(&m, ROOT, "X", 21);
		made_name(&m, 21, "d", 22);
		want_ok(made_plan_paths(&m, from, 2, "/", NULL));
		dir = bfo_plan_parent(&m.plan, bfo_tree_find(&m.tree, 22));
		want_eq(bfo_name_row(&m.tree, merged_name(&m, dir, "d")), bfo_tree_find(&m.tree, 22));
		made_free(&m);
	}
}
END_TEST

/*
 * A name in a directory that stores hashes is found, whatever they are; where it lands it has the
 * hash of that directory.
 */
START_TEST(lands_out_of_stored_hashes)
{
	static const char *const from[] = { "/secret/q", "/a", "/b" };
	const uint32_t flags = EXT4_ENCRYPT_FL | EXT4_CASEFOLD_FL;
	struct bfo_name expected = { .at = 1 };
	const struct bfo_name *n;
	struct made m;
	char name[2] = "";
	uint32_t hashes[2];

	made_init(&m);
	m.target.has_encrypt = 1;
	m.target.encoding = m.tree.encoding = 1;
	made_inode(&m, ROOT, S_IFDIR | 0755);
	m.tree.inodes.v[made_inode(&m, 20, S_IFDIR | 0755)].flags = flags;
	made_file(&m, 21, 0, 0);
	made_seal(&m);
	made_name(&m, ROOT, "a", 21);
	made_name(&m, ROOT, "b", 21);
	made_name(&m, ROOT, "secret", 20);
	for (name[0] = 'c'; name[0] <= 'z'; name[0]++) {
		hashes[0] = name[0] * 0x9e3779b1 & ~1U;
		hashes[1] = name[0];
		made_name(&m, 20, name, 21);
		want_ok(bfo_tree_add_hashes(&m.tree, hashes));
	}
	want_ok(made_plan_paths(&m, from, 3, "/", NULL));
	n = merged_name(&m, m.plan.landing, "q");
	want(n);
	bfo_name_hash(&m.target, 0, "q", &expected);
	want_eq(n->hash, expected.hash);
	want_eq(n->minor, expected.minor);
	made_free(&m);
}
END_TEST

/* Names of folded directories, too, whose hash is that of the folded name. */
START_TEST(lands_out_of_folded_directories)
{
	static const char *const from[] = { "/folded/Q" };
	struct bfo_name expected = { .at = 1 };
	const struct bfo_name *n;
	struct made m;

	made_init(&m);
	m.target.encoding = m.tree.encoding = 1;
	made_inode(&m, ROOT, S_IFDIR | 0755);
	m.tree.inodes.v[made_inode(&m, 20, S_IFDIR | 0755)].flags = EXT4_CASEFOLD_FL;
	made_file(&m, 21, 0, 0);
	made_seal(&m);
	made_name(&m, ROOT, "folded", 20);
	made_name(&m, 20, "Q", 21);
	want_ok(made_plan_paths(&m, from, 1, "/", NULL));
	n = merged_name(&m, m.plan.landing, "Q");
	want(n);
	bfo_name_hash(&m.target, 0, "Q", &expected);
	want_eq(n->hash, expected.hash);
	made_free(&m);
}
END_TEST

/* The target's root has all the subdirectories that it can count, and one less. */
static void old_full(struct made *old)
{
	made_old_dir(old, ROOT, 65000);
	made_seal(old);
}

static void old_one_less(struct made *old)
{
	made_old_dir(old, ROOT, 64999);
	made_seal(old);
}

static int lost(const struct made *m, uint32_t ino)
{
	return !!(m->tree.inodes.v[bfo_tree_find(&m->tree, ino)].state & BFO_INODE_BAD);
}

/*
 * Directories that do not fit are lost with all below them, each by its name; what is also
 * elsewhere has the links that it has there, and the audit of the whole has nothing to add.
 */
START_TEST(loses_directories_that_do_not_fit)
{
	static const char *const root[] = { "/" }, *const some[] = { "/a", "/b", "/f" };
	struct made m;
	size_t i;

	make_source(&m);
	m.target.has_dir_nlink = 0;
	made_rec(&m, 30)->links_read = 3;
	made_rec(&m, 31)->links_read = 2;
	if (_i < 2)
		want_ok(made_plan_paths(&m, root, 1, "/", _i ? old_one_less : old_full));
	else
		want_ok(made_plan_paths(&m, some, 3, "/", old_full));
	want_ok(bfo_plan_audit(&m.plan));
	want_eq(m.tree.findings.n, 3 - (_i > 0));
	want_eq(lost(&m, 20) + lost(&m, 22) + (_i < 2 && lost(&m, 24)), 3 - (_i > 0));
	for (i = 0; i < m.tree.findings.n; i++) {
		want_eq(m.tree.findings.v[i].kind, BFO_LOST_LINKS);
		want(m.tree.findings.v[i].len == 1 || m.tree.findings.v[i].len == 3);
	}
	want(placed(&m, 31));
	want_eq(bfo_plan_links(&m.plan, &m.tree.inodes.v[m.plan.root]), 65000);
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, 31)), 2 - lost(&m, 22));
	want_eq(placed(&m, 21) && placed(&m, 23), !lost(&m, 20));
	want_eq(placed(&m, 30), !lost(&m, 20) || !lost(&m, 22));
	want_eq(m.plan.links_outside.n, 0);
	made_free(&m);
}
END_TEST

/* A link count of 1 stays, whatever the features say now. */
static void old_overflown(struct made *old)
{
	made_old_dir(old, ROOT, 1);
	made_seal(old);
}

START_TEST(keeps_a_count_of_one)
{
	static const char *const root[] = { "/" };
	struct made m;

	make_source(&m);
	m.target.has_dir_nlink = _i;
	want_ok(made_plan_paths(&m, root, 1, "/", old_overflown));
	want_eq(bfo_plan_links(&m.plan, made_rec(&m, ROOT)), 1);
	want_eq(made_found(&m, BFO_LOST_LINKS), _i ? 0 : 3);
	made_free(&m);
}
END_TEST

START_TEST(refuses_to_land_where_no_directory_fits)
{
	static const char *const from[] = { "/a" };
	struct made m;

	make_source(&m);
	m.target.has_dir_nlink = 0;
	want_err(made_plan_paths(&m, from, 1, "/made", old_full), EMLINK);
	want(strstr(m.ctx.what, "made"));
	made_free(&m);
}
END_TEST

Suite *landing_suite(void)
{
	Suite *s = suite_create("landing");

	unit_case(s, "lands_several_paths", lands_several_paths, 0);
	unit_case(s, "lands_everything", lands_everything, 5);
	unit_case(s, "makes_directories", makes_directories, 0);
	unit_case(s, "lands_everything_below", lands_everything_below, 0);
	unit_case(s, "clashes_with_files", clashes_with_files, 0);
	unit_case(s, "refuses_sources", refuses_sources, 16);
	unit_case(s, "takes_neighbours", takes_neighbours, 5);
	unit_case(s, "refuses_targets", refuses_targets, 0);
	unit_case(s, "refuses_without_a_root", refuses_without_a_root, 3);
	unit_case(s, "sorts_what_lands", sorts_what_lands, 0);
	unit_case(s, "sorts_ties_by_bytes", sorts_ties_by_bytes, 0);
	unit_case(s, "lands_out_of_stored_hashes", lands_out_of_stored_hashes, 0);
	unit_case(s, "lands_out_of_folded_directories", lands_out_of_folded_directories, 0);
	unit_case(s, "loses_directories_that_do_not_fit", loses_directories_that_do_not_fit, 3);
	unit_case(s, "keeps_a_count_of_one", keeps_a_count_of_one, 2);
	unit_case(s, "refuses_to_land_where_no_directory_fits",
		  refuses_to_land_where_no_directory_fits, 0);
	unit_case(s, "takes_the_parent_of_the_name_that_is_kept",
		  takes_the_parent_of_the_name_that_is_kept, 0);
	return s;
}
