// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_path.c - tree/path: where paths lead, why they do not, and the paths of records
 *
 *   / ── dir (20) ── sub (21) ── file (30), gone (99, no record)
 *                                    circle: 22 in 23 in 22
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/bfo_err.h"
#include "made.h"
#include "tree/access.h"
#include "tree/path.h"
#include "tree/slices.h"

#define ROOT EXT2_ROOT_INO

static void begin(struct made *m)
{
	static const uint32_t dirs[] = { ROOT, 20, 21, 22, 23 };
	size_t i;

	made_init(m);
	for (i = 0; i < sizeof(dirs) / sizeof(*dirs); i++)
		made_inode(m, dirs[i], S_IFDIR | 0755);
	made_file(m, 30, 0, 0);
	made_seal(m);
	made_name(m, ROOT, "dir", 20);
	made_name(m, 20, "sub", 21);
	made_name(m, 21, "file", 30);
	made_name(m, 21, "gone", 99);
	made_name(m, 23, "a", 22);
	made_name(m, 22, "bc", 23);
	want_ok(bfo_slices_sort(&m->tree));
	for (i = 0; i < m->tree.names.n; i++) {
		bfo_row row = bfo_tree_find(&m->tree, bfo_name_number(&m->tree,
					    &m->tree.names.v[i]));

		if (row != BFO_NONE)
			m->tree.inodes.v[row].name = i;
	}
}

/* ---- from a path to a record ---- */

static const struct {
	const char *path;
	errcode_t err;
	uint32_t ino;		/* where it ends, or was left */
	int is_named;		/* by a name */
} ways[] = {
	{ "", 0, ROOT, 0 },
	{ "//./", 0, ROOT, 0 },
	{ "dir", 0, 20, 1 },
	{ "/dir/./sub//file", 0, 30, 1 },
	{ "/dir/su", BFO_ET_NO_PATH, 20, 0 },
	{ "/dir/subs/file", BFO_ET_NO_PATH, 20, 0 },
	{ "/dir/sub/gone", BFO_ET_NO_PATH, 21, 1 },
	{ "/dir/sub/file/x", BFO_ET_NOT_DIR, 30, 1 },
	{ "/dir/../dir", EINVAL, 20, 1 },
	{ "/dir/sub/file/..", EINVAL, 30, 1 },
	{ "/dir/...", BFO_ET_NO_PATH, 20, 0 },
};

#define WAYS (sizeof(ways) / sizeof(*ways))

START_TEST(leads_to_records)
{
	struct bfo_way w = { .rest = ways[_i].path, .at = BFO_NONE };
	struct made m;

	begin(&m);
	w.tree = &m.tree;
	w.row = bfo_tree_find(&m.tree, ROOT);
	want_err(bfo_way_end(&w), ways[_i].err);
	want_eq(m.tree.inodes.v[w.row].ino, ways[_i].ino);
	want_eq(w.at != BFO_NONE, ways[_i].is_named);
	made_free(&m);
}
END_TEST

static uint32_t find_file(const void *priv, bfo_row dir, const char *name, size_t len)
{
	(void) name;
	(void) len;
	return bfo_tree_child(priv, dir, "file", 4);
}

static bfo_row always_root(const void *priv, const struct bfo_name *n)
{
	(void) n;
	return bfo_tree_find(priv, ROOT);
}

/* Whoever brings functions is asked, once a component. */
START_TEST(asks_who_knows_better)
{
	struct bfo_way w = { .rest = "x/dir", .at = BFO_NONE };
	struct made m;
	int more;

	begin(&m);
	w.tree = w.priv = &m.tree;
	w.row = bfo_tree_find(&m.tree, 21);
	w.find = find_file;
	w.row_of = always_root;
	want_ok(bfo_way_step(&w, &more));
	want_eq(more, 1);
	want_eq(bfo_name_number(&m.tree, &m.tree.names.v[w.at]), 30);
	want_eq(m.tree.inodes.v[w.row].ino, ROOT);
	w.find = NULL;
	w.row_of = NULL;
	want_ok(bfo_way_step(&w, &more));
	want_eq(m.tree.inodes.v[w.row].ino, 20);
	want_ok(bfo_way_step(&w, &more));
	want_eq(more, 0);
	made_free(&m);
}
END_TEST

/* ---- from a record to its path ---- */

static void want_path(const struct made *m, uint32_t ino, size_t size, const char *path)
{
	char out[64];
	size_t len = bfo_tree_path(&m->tree, bfo_tree_find(&m->tree, ino), out, size);

	want_eq(len, strlen(path));
	want_mem(out, path, len);
}

START_TEST(tells_paths)
{
	struct made m;

	begin(&m);
	want_path(&m, ROOT, 64, "/");
	want_path(&m, 20, 64, "/dir");
	want_path(&m, 30, 64, "/dir/sub/file");
	made_rec(&m, 20)->name = BFO_NONE;
	want_path(&m, 20, 64, "<20>");
	want_path(&m, 30, 64, "<20>/sub/file");
	made_rec(&m, 20)->state |= BFO_INODE_MADE;
	want_path(&m, 30, 64, "/sub/file");
	made_free(&m);
}
END_TEST

/* What is cut off may be part of a name; a number is there as a whole, or not at all. */
START_TEST(cuts_in_front)
{
	struct made m;

	begin(&m);
	want_path(&m, 30, 13, "/dir/sub/file");
	want_path(&m, 30, 12, "dir/sub/file");
	want_path(&m, 30, 11, "ir/sub/file");
	want_path(&m, 30, 2, "le");
	made_rec(&m, 20)->name = BFO_NONE;
	want_path(&m, 30, 13, "<20>/sub/file");
	want_path(&m, 30, 12, "/sub/file");
	want_path(&m, 22, 11, "a/bc/a/bc/a");
	made_free(&m);
}
END_TEST

static void want_finding(const struct made *m, const struct bfo_finding *f, const char *path)
{
	char out[64];
	size_t len = bfo_tree_finding_path(&m->tree, f, out, sizeof(out));

	want_eq(len, strlen(path));
	want_mem(out, path, len);
}

START_TEST(tells_paths_of_findings)
{
	struct bfo_finding f = { .kind = BFO_FOUND_NAME_INODE, .ino = 30, .len = BFO_NO_NAME };
	const struct bfo_name *gone;
	struct made m;

	begin(&m);
	gone = &m.tree.names.v[bfo_tree_child(&m.tree, bfo_tree_find(&m.tree, 21), "gone", 4)];
	want_finding(&m, &f, "/dir/sub/file");
	f = (struct bfo_finding) { .kind = BFO_FOUND_NAME_INODE, .ino = 99, .dir = 21,
				   .text = gone->at >> 16, .len = 4 };
	want_finding(&m, &f, "/dir/sub/gone");
	f.dir = 77;
	want_finding(&m, &f, "?");
	f.dir = 0;
	f.ino = 20;
	want_finding(&m, &f, "/dir");
	f = (struct bfo_finding) { .kind = BFO_UNREAD_TABLE, .ino = 33, .blocks = 16,
				   .len = BFO_NO_NAME };
	want_finding(&m, &f, "<33-48>");
	f.kind = BFO_UNREAD_QUOTA;
	want_finding(&m, &f, "<33>");
	made_free(&m);
}
END_TEST

START_TEST(shows_paths)
{
	char out[64];
	struct made m;

	made_init(&m);
	made_inode(&m, ROOT, S_IFDIR | 0755);
	made_file(&m, 30, 0, 0);
	made_seal(&m);
	made_name(&m, ROOT, "a\nb", 30);
	made_rec(&m, 30)->name = 0;
	want(!strcmp(bfo_tree_shown_path(&m.tree, 1, out, sizeof(out)), "/a\\x0ab"));
	made_free(&m);
}
END_TEST

Suite *path_suite(void)
{
	Suite *s = suite_create("path");

	unit_case(s, "leads_to_records", leads_to_records, WAYS);
	unit_case(s, "asks_who_knows_better", asks_who_knows_better, 0);
	unit_case(s, "tells_paths", tells_paths, 0);
	unit_case(s, "cuts_in_front", cuts_in_front, 0);
	unit_case(s, "tells_paths_of_findings", tells_paths_of_findings, 0);
	unit_case(s, "shows_paths", shows_paths, 0);
	return s;
}
