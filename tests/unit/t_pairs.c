// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_pairs.c - compare/pairs: names in order, what only one side has, who shares an inode
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "compare/pairs.h"
#include "tree/slices.h"
#include "made.h"

struct sides {
	struct made m[2];
	struct bfo_compare c;
	struct bfo_context ctx;
	char said[4096];	/* "KIND PATH\n" per difference */
};

static void note(void *priv, const struct bfo_diff *d)
{
	struct sides *s = priv;
	int alone = d->kind == BFO_DIFF_MISSING || d->kind == BFO_DIFF_EXTRA;
	size_t at = strlen(s->said), len;
	char path[256];

	len = bfo_compare_path(&s->c, d->pair, alone ? &d->name : NULL, path, sizeof(path));
	snprintf(s->said + at, sizeof(s->said) - at, "%s %.*s\n", bfo_diff_words[d->kind],
		 (int) len, path);
}

/* Roots, directory 20 below them, files 30 to 39 on both sides; no names but "dir". */
static void begin(struct sides *s)
{
	uint32_t i, ino;

	memset(s, 0, sizeof(*s));
	for (i = 0; i < 2; i++) {
		made_init(&s->m[i]);
		made_inode(&s->m[i], 2, S_IFDIR | 0755);
		made_inode(&s->m[i], 11, S_IFDIR | 0700);
		made_inode(&s->m[i], 20, S_IFDIR | 0755);
		made_inode(&s->m[i], 21, S_IFDIR | 0755);
		for (ino = 30; ino < 40; ino++)
			made_inode(&s->m[i], ino, S_IFREG | 0644);
		made_seal(&s->m[i]);
		made_name(&s->m[i], 2, "dir", 20);
		s->c.tree[i] = &s->m[i].tree;
		s->c.path[i] = "/";
	}
	s->c.ctx = &s->ctx;
	s->c.found = note;
	s->c.priv = s;
}

static void release(struct sides *s)
{
	bfo_compare_free(&s->c);
	made_free(&s->m[0]);
	made_free(&s->m[1]);
}

static void end(struct sides *s, const char *said)
{
	want_ok(bfo_compare_names(&s->c));
	ck_assert_str_eq(s->said, said);
	release(s);
}

static void both(struct sides *s, uint32_t dir, const char *name, uint32_t a, uint32_t b)
{
	made_name(&s->m[0], dir, name, a);
	made_name(&s->m[1], dir, name, b);
}

START_TEST(sorts_by_bytes)
{
	struct made m;
	struct chance c;
	uint8_t text[12];
	size_t i, j;

	made_init(&m);
	made_inode(&m, 2, S_IFDIR | 0755);
	made_inode(&m, 20, S_IFDIR | 0755);
	made_inode(&m, 30, S_IFREG | 0644);
	made_seal(&m);
	chance_init(&c, 31);
	for (i = 0; i < 5000; i++) {	/* of two bytes: equal beginnings, and doubles */
		size_t len = chance_between(&c, 1, sizeof(text));

		for (j = 0; j < len; j++)
			text[j] = chance_below(&c, 2) ? 0xff : 1;
		made_name_bytes(&m, chance_below(&c, 2) ? 2 : 20, text, len, 30);
	}
	want_ok(bfo_pairs_sort_names(&m.tree));
	for (i = 1; i < m.tree.names.n; i++) {
		const struct bfo_name *a = &m.tree.names.v[i - 1], *b = a + 1;

		want(a->dir < b->dir ||
		     (a->dir == b->dir && bfo_name_order(&m.tree, a, &m.tree, b) < 0));
	}
	want_eq(made_found(&m, BFO_FOUND_NAME_DUPLICATE) + m.tree.names.n, 5000);
	want_eq(made_count(&m, 0) + made_count(&m, 1), m.tree.names.n);
	made_free(&m);
}
END_TEST

START_TEST(pairs_what_has_one_path)
{
	struct sides s;
	uint32_t i, seen = 0;

	begin(&s);
	both(&s, 20, "one", 30, 35);
	both(&s, 20, "two", 31, 34);
	both(&s, 2, "three", 32, 30);
	want_ok(bfo_compare_names(&s.c));
	want_eq(s.c.pairs.n, 5);
	want(s.c.files == 3 && s.c.dirs == 2);
	for (i = 0; i < s.c.pairs.n; i++) {
		uint32_t a = bfo_pair_inode(&s.c, i, 0)->ino, b = bfo_pair_inode(&s.c, i, 1)->ino;

		seen += a == 30 ? b == 35 : a == 31 ? b == 34 : a == 32 ? b == 30 : a == b;
	}
	want_eq(seen, 5);
	release(&s);
}
END_TEST

START_TEST(names_what_is_alone)
{
	struct sides s;

	begin(&s);
	made_name(&s.m[0], 20, "a", 30);
	both(&s, 20, "b", 31, 31);
	made_name(&s.m[1], 20, "c", 30);
	made_name(&s.m[0], 2, "only", 21);
	made_name(&s.m[0], 21, "below", 32);
	end(&s, "missing /only\nmissing /dir/a\nextra /dir/c\n");
}
END_TEST

START_TEST(leaves_out_lost_found)
{
	struct sides s;

	begin(&s);
	made_name(&s.m[0], 2, "lost+found", 11);
	made_name(&s.m[0], 11, "#1", 30);
	made_name(&s.m[1], 20, "lost+found", 21);
	end(&s, "extra /dir/lost+found\n");
}
END_TEST

START_TEST(compares_sharing)
{
	struct sides s;

	begin(&s);
	both(&s, 2, "x1", 30, 39);
	both(&s, 2, "x2", 30, 39);		/* as it should be */
	both(&s, 20, "x3", 30, 38);		/* broken in two */
	both(&s, 2, "y1", 31, 37);
	both(&s, 20, "y2", 32, 37);		/* joined */
	end(&s, "links /dir/x3\nlinks /dir/y2\n");
}
END_TEST

/* Also what was joined or parted is compared with something, and nothing without end. */
START_TEST(pairs_every_inode_once)
{
	struct sides s;
	uint32_t i;

	begin(&s);
	both(&s, 2, "x", 30, 30);
	both(&s, 2, "y", 30, 31);
	both(&s, 2, "z", 31, 30);
	both(&s, 2, "zz", 31, 31);
	want_ok(bfo_compare_names(&s.c));
	ck_assert_str_eq(s.said, "links /y\nlinks /z\nlinks /zz\n");
	want_eq(s.c.files, 3);
	for (i = 0; i < s.c.pairs.n; i++)
		want_eq(s.c.pairs.v[i].names_only, i == s.c.pairs.n - 1);	/* zz */
	release(&s);
}
END_TEST

START_TEST(goes_round_no_circle)
{
	struct sides s;

	begin(&s);
	both(&s, 20, "up", 20, 20);
	both(&s, 20, "root", 2, 2);
	both(&s, 2, "second", 20, 20);
	made_name(&s.m[1], 20, "nowhere", 99);
	want_ok(bfo_compare_names(&s.c));
	want_eq(made_found(&s.m[0], BFO_FOUND_DIR_TWICE), 3);
	want_eq(made_found(&s.m[1], BFO_FOUND_DIR_TWICE), 3);
	want_eq(made_found(&s.m[1], BFO_FOUND_NAME_INODE), 1);
	want_eq(s.c.pairs.n, 2);
	release(&s);
}
END_TEST

START_TEST(compares_subtrees)
{
	struct sides s;

	begin(&s);
	s.c.path[0] = "//dir/./";
	s.c.path[1] = "other/deep";
	made_name(&s.m[0], 20, "a", 30);
	made_name(&s.m[0], 20, "b", 31);
	made_name(&s.m[1], 2, "other", 21);
	made_name(&s.m[1], 21, "deep", 11);
	made_name(&s.m[1], 11, "b", 32);
	end(&s, "missing /dir/a\n");
}
END_TEST

START_TEST(cuts_paths_in_front)
{
	struct sides s;
	char path[8];

	begin(&s);
	both(&s, 20, "name", 30, 30);
	want_ok(bfo_compare_names(&s.c));
	want_eq(bfo_compare_path(&s.c, s.c.pairs.n - 1, NULL, path, sizeof(path)), 8);
	want_mem(path, "dir/name", 8);
	want_eq(bfo_compare_path(&s.c, 0, NULL, path, sizeof(path)), 1);
	want_mem(path, "/", 1);
	release(&s);
}
END_TEST

Suite *pairs_suite(void)
{
	Suite *s = suite_create("pairs");

	unit_case(s, "sorts_by_bytes", sorts_by_bytes, 0);
	unit_case(s, "pairs_what_has_one_path", pairs_what_has_one_path, 0);
	unit_case(s, "names_what_is_alone", names_what_is_alone, 0);
	unit_case(s, "leaves_out_lost_found", leaves_out_lost_found, 0);
	unit_case(s, "compares_sharing", compares_sharing, 0);
	unit_case(s, "pairs_every_inode_once", pairs_every_inode_once, 0);
	unit_case(s, "goes_round_no_circle", goes_round_no_circle, 0);
	unit_case(s, "compares_subtrees", compares_subtrees, 0);
	unit_case(s, "cuts_paths_in_front", cuts_paths_in_front, 0);
	return s;
}
