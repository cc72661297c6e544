// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_filter.c - plan/glob, plan/filter, plan/outside: which names are dropped
 *
 * Judged by what is plain and slow: fnmatch(3) on whole paths, tried at every slash, and a walk
 * that builds them.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/bfo_err.h"
#include "merged.h"
#include "plan/filter.h"
#include "plan/glob.h"
#include "tree/access.h"
#include "tree/path.h"

#define PATTERNS 6
#define DIRS 30
#define FILES 60
#define ROOMY 4096

/* ---- the plain matcher ---- */

/* The first two stars behind each other that no backslash makes bytes. */
static const char *double_star(const char *p)
{
	for (; *p; p++) {
		if (p[0] == '*' && p[1] == '*')
			return p;
		if (p[0] == '\\' && p[1])
			p++;
	}
	return NULL;
}

/* `**` is any bytes: every way to cut TEXT there is tried; the rest is for fnmatch(3). */
static int plain_match(const char *pattern, const char *text)
{
	const char *stars = double_star(pattern), *rest;
	char head[256], part[ROOMY];
	size_t i, j, len = strlen(text);

	if (!stars)
		return !fnmatch(pattern, text, FNM_PATHNAME);
	snprintf(head, sizeof(head), "%.*s", (int) (stars - pattern), pattern);
	rest = stars + strspn(stars, "*");
	for (i = 0; i <= len; i++) {
		snprintf(part, sizeof(part), "%.*s", (int) i, text);
		if (fnmatch(head, part, FNM_PATHNAME))
			continue;
		for (j = i; j <= len; j++)
			if (plain_match(rest, text + j))
				return 1;
	}
	return 0;
}

/* PATH begins with a slash. */
static int plain_excludes(const char *pattern, const char *path, int is_dir)
{
	char p[256];
	size_t len;

	snprintf(p, sizeof(p), "%s", pattern);
	len = strlen(p);
	if (p[len - 1] == '/' && !is_dir)
		return 0;
	while (len && p[len - 1] == '/')
		p[--len] = 0;
	if (*p == '/')
		return plain_match(p, path);
	for (; path; path = strchr(path, '/'))
		if (plain_match(p, ++path))
			return 1;
	return 0;
}

/* ---- random patterns ---- */

static void random_text(struct chance *c, const char *const *pieces, unsigned int n,
			unsigned int most, char *out)
{
	unsigned int k = chance_between(c, 1, most);

	for (*out = 0; k; k--)
		strcat(out, pieces[chance_below(c, n)]);
}

/*
 * No two slashes behind each other, which the plain matcher does not know, and not slashes alone.
 */
static void random_pattern(struct chance *c, char *out)
{
	static const char *const pieces[] = {
		"a", "a", "b", "b", ".", "/a", "/", "*", "*", "?", "**", "**", "[ab]", "[!a]",
		"[a-c]", "[]a]", "[[:alpha:]]", "[[.a.]b]", "[\\]a]", "\\*", "\\a", "]", "-",
	};

	do
		random_text(c, pieces, sizeof(pieces) / sizeof(*pieces), 6, out);
	while (strstr(out, "//") || !strcmp(out, "/"));
	if (!chance_below(c, 20))
		strcat(out, "[");
	else if (!chance_below(c, 20))
		strcat(out, "\\");
	else if (out[strlen(out) - 1] != '/' && !chance_below(c, 5))
		strcat(out, "/");
}

static void random_name(struct chance *c, char *out)
{
	static const char *const pieces[] = { "a", "b", "a", "b", "c", "*", "]", ".", "-", "[" };

	do
		random_text(c, pieces, sizeof(pieces) / sizeof(*pieces), 3, out);
	while (!strcmp(out, ".") || !strcmp(out, ".."));
}

static void random_path(struct chance *c, char *out)
{
	unsigned int k = chance_between(c, 1, 4);
	char name[16];

	for (*out = 0; k; k--) {
		random_name(c, name);
		strcat(strcat(out, "/"), name);
	}
}

static int globs_excludes(const struct bfo_globs *g, const char *path, int is_dir)
{
	uint64_t *state = unit_alloc(g->words * sizeof(*state));
	size_t half = strlen(path) / 2;
	int found;

	bfo_globs_begin(g, state);
	bfo_globs_feed(g, state, path, half);
	bfo_globs_feed(g, state, path + half, strlen(path + half));
	found = bfo_globs_match(g, state, is_dir);
	free(state);
	return found;
}

START_TEST(matches_like_fnmatch)
{
	char text[64], path[256];
	const char *pattern = text;
	struct bfo_globs g;
	struct chance c;
	int i, k, is_dir, hits = 0;

	chance_init(&c, 40 + _i);
	for (i = 0; i < 3000; i++) {
		random_pattern(&c, text);
		want_ok(bfo_globs_compile(&g, &pattern, 1));
		for (k = 0; k < 20; k++) {
			random_path(&c, path);
			is_dir = chance_below(&c, 2);
			if (globs_excludes(&g, path, is_dir) != plain_excludes(text, path, is_dir))
				ck_abort_msg("'%s' and '%s' (dir %d)", text, path, is_dir);
			hits += plain_excludes(text, path, is_dir);
		}
		bfo_globs_free(&g);
	}
	want(hits > 1000);
}
END_TEST

/* What the manual page says, word by word. */
START_TEST(matches_as_documented)
{
	static const struct {
		const char *pattern, *path;
		int is_dir, match;
	} rows[] = {
		{ "*.o", "/a/b.o", 0, 1 }, { "*.o", "/a.o/b", 0, 0 }, { "*.o", "/.o", 0, 1 },
		{ "/a", "/a", 0, 1 }, { "/a", "/b/a", 0, 0 }, { "a/b", "/x/a/b", 0, 1 },
		{ "a/b", "/xa/b", 0, 0 }, { "a/", "/a", 1, 1 }, { "a/", "/a", 0, 0 },
		{ "//a//b//", "/a/b", 1, 1 }, { "/*", "/a", 0, 1 }, { "/*", "/a/b", 0, 0 },
		{ "/a/**", "/a/b/c", 0, 1 }, { "/a/**", "/a", 1, 0 }, { "a**c", "/x/a/b/c", 0, 1 },
		{ "a/**/b", "/a/b", 0, 0 }, { "**", "/a", 0, 1 }, { "***", "/a/b", 0, 1 },
		{ "a?b", "/a/b", 0, 0 }, { "[!a]", "/", 1, 0 }, { "\\*", "/*", 0, 1 },
		{ "\\*", "/a", 0, 0 }, { "[a/b", "/[a/b", 0, 1 }, { "\377?", "/\377\376", 0, 1 },
		{ "/", "/a", 1, 0 }, { "", "/a", 0, 0 },
	};
	struct bfo_globs g;

	want_ok(bfo_globs_compile(&g, &rows[_i].pattern, 1));
	want_eq(globs_excludes(&g, rows[_i].path, rows[_i].is_dir), rows[_i].match);
	bfo_globs_free(&g);
}
END_TEST

/* Many patterns lie behind each other, over many words, and do not run into each other. */
START_TEST(matches_many_patterns)
{
	const char *all[200];
	char text[200][64], path[256];
	struct bfo_globs g;
	struct chance c;
	int i, k, want_it;

	chance_init(&c, 50);
	for (i = 0; i < 200; i++) {
		do
			random_pattern(&c, text[i] + 4);
		while (strstr(text[i] + 4, "**"));
		memcpy(text[i], "/a*b", 4);
		all[i] = text[i];
	}
	want_ok(bfo_globs_compile(&g, all, 200));
	want(g.words > 10);
	for (k = 0; k < 3000; k++) {
		random_path(&c, path);
		for (want_it = i = 0; i < 200; i++)
			want_it |= plain_excludes(all[i], path, 0);
		want_eq(globs_excludes(&g, path, 0), want_it);
	}
	bfo_globs_free(&g);
}
END_TEST

/* ---- trees ---- */

struct wood {
	struct made m;
	uint8_t *dropped;		/* what the plain walk says: per position in names[] */
	uint8_t *entered;		/* per record */
	uint8_t met[PATTERNS];		/* per pattern: it excluded something */
	struct bfo_filter *filter;
	uint32_t reached;
};

static int is_dir(const struct made *m, bfo_row row)
{
	return S_ISDIR(m->tree.inodes.v[row].mode);
}

/* A directory that has no such name yet. */
static void add_name(struct made *m, struct chance *c, uint32_t dir, uint32_t ino)
{
	char name[16];
	size_t i;

again:
	random_name(c, name);
	for (i = 0; i < m->tree.names.n; i++) {
		const struct bfo_name *n = &m->tree.names.v[i];

		if (m->tree.inodes.v[n->dir].ino == dir && bfo_name_len(n) == strlen(name) &&
		    !memcmp(bfo_name_text(&m->tree, n), name, strlen(name)))
			goto again;
	}
	made_name(m, dir, name, ino);
}

/* Directories 100 and up, each in one before it; files with a few names; CIRCLES: further names. */
static void grow(struct made *m, struct chance *c, int circles)
{
	uint32_t i, k;

	made_init(m);
	made_inode(m, ROOT, S_IFDIR | 0755);
	for (i = 0; i < DIRS; i++)
		made_inode(m, 100 + i, S_IFDIR | 0755);
	for (i = 0; i < FILES; i++)
		made_file(m, 200 + i, 0, 0);
	made_seal(m);
	for (i = 0; i < DIRS; i++)
		add_name(m, c, i && chance_below(c, 4) ? 100 + chance_below(c, i) : ROOT, 100 + i);
	for (i = 0; i < FILES; i++)
		for (k = chance_between(c, 1, 3); k; k--)
			add_name(m, c, chance_below(c, 8) ? 100 + chance_below(c, DIRS) : ROOT,
				 200 + i);
	for (; circles; circles--)
		add_name(m, c, 100 + chance_below(c, DIRS), 100 + chance_below(c, DIRS));
}

/* True if PATH is one of the files, or lies in one; *LEADS if it leads to one. */
static int is_listed(const struct bfo_filter *f, const char *path, int *leads)
{
	size_t i, len = strlen(path), n;
	int listed = 0;

	*leads = 0;
	for (i = 0; i < f->n_files; i++) {
		n = strlen(f->files[i]);
		if (!strncmp(path, f->files[i], n) && (path[n] == '/' || !path[n]))
			listed = 1;
		if (!strncmp(path, f->files[i], len) && f->files[i][len] == '/')
			*leads = 1;
	}
	return listed;
}

static void plain_walk(struct wood *w, bfo_row dir, const char *path)
{
	const struct bfo_tree *t = &w->m.tree;
	struct bfo_slice s = bfo_dir_names(t, &t->inodes.v[dir]);
	char below[ROOMY];
	uint32_t i, k;
	int leads, drop, unlisted;

	w->entered[dir] = 1;
	for (i = s.first; i < s.end; i++) {
		const struct bfo_name *n = &t->names.v[i];
		bfo_row row = bfo_name_row(t, n);

		w->reached++;
		snprintf(below, sizeof(below), "%s/%.*s", path, (int) bfo_name_len(n),
			 bfo_name_text(t, n));
		unlisted = w->filter->selects && !is_listed(w->filter, below, &leads) && !leads;
		drop = unlisted;
		for (k = 0; k < w->filter->n_exclude && !unlisted; k++)
			if (plain_excludes(w->filter->exclude[k], below, is_dir(&w->m, row)))
				drop = w->met[k] = 1;
		w->dropped[i] = drop;
		if (!drop && is_dir(&w->m, row) && !w->entered[row])
			plain_walk(w, row, below);
	}
}

/* Those that excluded nothing are idle, and no others. */
static void want_idle(const struct wood *w)
{
	size_t i, k = 0;

	for (i = 0; i < w->filter->n_exclude; i++) {
		if (w->met[i])
			continue;
		want(k < w->filter->idle.n && w->filter->idle.v[k] == i);
		k++;
	}
	want_eq(k, w->filter->idle.n);
}

/* Both walks over a tree grown from SEED, with FILTER. */
static void compare(struct wood *w, struct bfo_filter *filter)
{
	struct made *m = &w->m;
	uint32_t *before;
	size_t i;

	w->filter = filter;
	w->reached = 0;
	w->dropped = unit_alloc(m->tree.names.n);
	w->entered = unit_alloc(m->tree.inodes.n);
	memset(w->dropped, 0, m->tree.names.n);
	memset(w->entered, 0, m->tree.inodes.n);
	memset(w->met, 0, sizeof(w->met));
	plain_walk(w, bfo_tree_find(&m->tree, ROOT), "");
	before = unit_alloc(m->tree.names.n * sizeof(*before));
	for (i = 0; i < m->tree.names.n; i++)
		before[i] = bfo_name_row(&m->tree, &m->tree.names.v[i]);
	want_ok(bfo_plan_filter(&m->plan, filter));
	for (i = 0; i < m->tree.names.n; i++)
		want_eq(bfo_name_row(&m->tree, &m->tree.names.v[i]),
			w->dropped[i] ? BFO_NONE : before[i]);
	want_idle(w);
	bfo_filter_free(filter);
	free(before);
	free(w->dropped);
	free(w->entered);
}

static void sprout(struct made *m, struct chance *c, int circles)
{
	grow(m, c, circles);
	bfo_plan_init(&m->plan, &m->ctx, &m->tree, &m->target);
	m->planned = 1;
	want_ok(bfo_plan_names(&m->plan));
}

/* The path of a name on the first way to it; empty if there is none. */
static void path_of(const struct made *m, uint32_t pos, char *out)
{
	const struct bfo_tree *t = &m->tree;
	char tail[ROOMY];
	int depth;

	for (*out = 0, depth = 0; depth < 100; depth++) {
		snprintf(tail, sizeof(tail), "/%.*s%s", (int) bfo_name_len(&t->names.v[pos]),
			 bfo_name_text(t, &t->names.v[pos]), out);
		strcpy(out, tail);
		if (t->inodes.v[t->names.v[pos].dir].ino == ROOT)
			return;
		pos = t->inodes.v[t->names.v[pos].dir].name;
	}
	*out = 0;
}

/* Patterns, listed paths, or both, in trees with and without circles. */
START_TEST(drops_what_a_plain_walk_drops)
{
	char patterns[PATTERNS][64], files[PATTERNS][ROOMY];
	const char *exclude[PATTERNS], *list[PATTERNS];
	struct bfo_filter filter;
	struct chance c;
	struct wood w;
	int round, k;

	chance_init(&c, 60 + _i);
	for (round = 0; round < 60; round++) {
		int what = chance_between(&c, 1, 3);

		sprout(&w.m, &c, what & 2 ? 0 : chance_below(&c, 6));
		filter = (struct bfo_filter) { .exclude = exclude, .files = list,
					       .selects = !!(what & 2) };
		for (k = chance_between(&c, 1, PATTERNS); what & 1 && k; k--) {
			random_pattern(&c, patterns[filter.n_exclude]);
			exclude[filter.n_exclude] = patterns[filter.n_exclude];
			filter.n_exclude++;
		}
		for (k = chance_below(&c, PATTERNS); what & 2 && k; k--) {
			path_of(&w.m, chance_below(&c, w.m.tree.names.n), files[filter.n_files]);
			list[filter.n_files] = files[filter.n_files];
			filter.n_files++;
		}
		compare(&w, &filter);
		want(w.m.plan.filtered);
		made_free(&w.m);
	}
}
END_TEST

/* Directories that hold each other, and nothing below the root leads there but one. */
START_TEST(ends_in_circles)
{
	static const char *const exclude[] = { "z" };
	struct bfo_filter filter = { .exclude = exclude, .n_exclude = 1 };
	struct made m;

	made_init(&m);
	made_inode(&m, ROOT, S_IFDIR | 0755);
	made_inode(&m, 20, S_IFDIR | 0755);
	made_inode(&m, 21, S_IFDIR | 0755);
	made_seal(&m);
	made_name(&m, ROOT, "a", 20);
	made_name(&m, 20, "b", 21);
	made_name(&m, 20, "self", 20);
	made_name(&m, 21, "up", 20);
	m.filter = &filter;
	want_ok(made_plan(&m, NULL));
	want_eq(m.plan.dirs, 2);
	want_eq(made_found(&m, BFO_FOUND_DIR_TWICE), 2);
	made_free(&m);
}
END_TEST

/* Findings about names that are dropped go with them; others stay. */
START_TEST(forgets_findings)
{
	static const char *const exclude[] = { "*.o", "/d/e/", "dir/" };
	static const char *const files[] = { "d/x" };
	struct bfo_filter filter = { .exclude = exclude, .n_exclude = 3 };
	struct made m;

	made_init(&m);
	made_inode(&m, ROOT, S_IFDIR | 0755);
	made_inode(&m, 20, S_IFDIR | 0755);
	made_inode(&m, 21, S_IFDIR | 0755);
	made_file(&m, 30, 0, 0);
	made_file(&m, 31, 0, 0);
	made_seal(&m);
	made_name(&m, ROOT, "d", 20);
	made_name(&m, 20, "e", 21);
	made_name(&m, 20, "x", 30);
	made_name(&m, 21, "y", 31);
	want_ok(bfo_tree_found_name(&m.tree, BFO_FOUND_NAME, 20, 99, 0, "bad.o", 5));
	want_ok(bfo_tree_found_name(&m.tree, BFO_FOUND_NAME, 20, 99, 0, "bad", 3));
	want_ok(bfo_tree_found_name(&m.tree, BFO_FOUND_NAME, 20, 21, 0, "dir", 3));
	want_ok(bfo_tree_found_name(&m.tree, BFO_FOUND_NAME, 20, 30, 0, "dir", 3));
	want_ok(bfo_tree_found_name(&m.tree, BFO_FOUND_NAME, 21, 99, 0, "z", 1));
	want_ok(bfo_tree_found(&m.tree, BFO_FOUND_EXTENT, 31, 0));
	want_ok(bfo_tree_found(&m.tree, BFO_FOUND_EXTENT, 30, 0));
	if (_i) {
		filter.selects = 1;
		filter.files = files;
		filter.n_files = 1;
	}
	m.filter = &filter;
	want_ok(made_plan(&m, NULL));
	want_ok(bfo_plan_audit(&m.plan));
	want_eq(made_found(&m, BFO_FOUND_NAME), _i ? 0 : 2);
	want_eq(made_found(&m, BFO_FOUND_EXTENT), 1);
	want_eq(m.tree.findings.n, _i ? 1 : 3);
	bfo_filter_free(&filter);
	made_free(&m);
}
END_TEST

/* A path that does not exist, leads through a file or up; --from into what is excluded. */
START_TEST(refuses_paths)
{
	static const char *const exclude[] = { "/a" };
	static const struct {
		const char *file, *from;
		errcode_t err;
	} rows[] = {
		{ "a/none", "/", BFO_ET_NO_PATH }, { "a/x/y", "/", BFO_ET_NOT_DIR },
		{ "a/../a", "/", EINVAL }, { NULL, "/a/x", BFO_ET_NO_PATH }, { "a/x/", "/", 0 },
		{ "/", "/", 0 }, { "./a//x", "/", 0 },
	};
	struct bfo_filter filter = { .files = &rows[_i].file, .n_files = 1, .selects = 1 };
	struct made m;

	if (!rows[_i].file)
		filter = (struct bfo_filter) { .exclude = exclude, .n_exclude = 1 };
	made_init(&m);
	made_inode(&m, ROOT, S_IFDIR | 0755);
	made_inode(&m, 20, S_IFDIR | 0755);
	made_file(&m, 30, 0, 0);
	made_seal(&m);
	made_name(&m, ROOT, "a", 20);
	made_name(&m, 20, "x", 30);
	m.filter = &filter;
	want_err(made_plan_paths(&m, &rows[_i].from, 1, "/", NULL), rows[_i].err);
	if (!rows[_i].err)
		want_eq(m.plan.files, 1);
	bfo_filter_free(&filter);
	made_free(&m);
}
END_TEST

/* All that are missing are known by then, and the first says why. */
START_TEST(lists_what_is_missing)
{
	static const char *const files[] = { "none", "a", "a/x/y", "a/../a", "a/x", "x" };
	static const size_t entries[] = { 0, 2, 3, 5 };
	static const errcode_t why[] = { BFO_ET_NO_PATH, BFO_ET_NOT_DIR, EINVAL, BFO_ET_NO_PATH };
	struct bfo_filter filter = { .files = files, .n_files = 6, .selects = 1 };
	struct made m;
	size_t i;

	made_init(&m);
	made_inode(&m, ROOT, S_IFDIR | 0755);
	made_inode(&m, 20, S_IFDIR | 0755);
	made_file(&m, 30, 0, 0);
	made_seal(&m);
	made_name(&m, ROOT, "a", 20);
	made_name(&m, 20, "x", 30);
	m.filter = &filter;
	want_err(made_plan(&m, NULL), BFO_ET_NO_PATH);
	ck_assert_str_eq(m.ctx.what, "looking for none and 3 further paths in the source");
	want_eq(filter.missing.n, 4);
	for (i = 0; i < 4; i++) {
		want_eq(filter.missing.v[i].entry, entries[i]);
		want_err(filter.missing.v[i].why, why[i]);
	}
	bfo_filter_free(&filter);
	made_free(&m);
}
END_TEST

/* Files that have more names than were copied; the path is one that was. */
START_TEST(notes_links_outside)
{
	static const char *const exclude[] = { "/a/" };
	struct bfo_filter filter = { .exclude = exclude, .n_exclude = 1 };
	static const struct {
		const char *from, *to;
		int filtered, noted;
	} rows[] = {
		{ "/", "/", 0, 0 }, { "/", "/", 1, 1 }, { "/b", "/", 0, 1 }, { "/b/x3", "/", 0, 1 },
		{ "/", "/new", 1, 1 }, { "/", "/new", 0, 0 },
	};
	const struct bfo_outside *o;
	char path[64];
	struct made m;
	size_t len;

	made_init(&m);
	made_inode(&m, ROOT, S_IFDIR | 0755);
	made_inode(&m, 20, S_IFDIR | 0755);
	made_inode(&m, 21, S_IFDIR | 0755);
	made_file(&m, 30, 0, 0);
	made_file(&m, 31, 0, 0);
	made_seal(&m);
	made_name(&m, ROOT, "a", 20);
	made_name(&m, ROOT, "b", 21);
	made_name(&m, 20, "x1", 30);
	made_name(&m, 20, "x2", 30);
	made_name(&m, 21, "x3", 30);
	made_name(&m, 21, "y1", 31);
	made_name(&m, 21, "y2", 31);
	made_rec(&m, 30)->links_read = 3;
	made_rec(&m, 31)->links_read = 2;
	m.filter = rows[_i].filtered ? &filter : NULL;
	want_ok(made_plan_paths(&m, &rows[_i].from, 1, rows[_i].to, NULL));
	want_ok(bfo_plan_audit(&m.plan));
	want_eq(m.tree.findings.n, 0);
	want_eq(m.plan.links_outside.n, rows[_i].noted);
	if (rows[_i].noted) {
		o = m.plan.links_outside.v;
		want_eq(m.tree.inodes.v[o->row].ino, 30);
		want_eq(o->names, 3);
		want_eq(o->copied, 1);
		len = bfo_tree_path(&m.tree, o->row, path, sizeof(path));
		want(len == 5 && !memcmp(path, "/b/x3", 5));
	}
	bfo_filter_free(&filter);
	made_free(&m);
}
END_TEST

Suite *filter_suite(void)
{
	Suite *s = suite_create("filter");
	TCase *tc = tcase_create("filter");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, matches_like_fnmatch, 0, 4);
	tcase_add_loop_test(tc, matches_as_documented, 0, 26);
	tcase_add_test(tc, matches_many_patterns);
	tcase_add_loop_test(tc, drops_what_a_plain_walk_drops, 0, 6);
	tcase_add_test(tc, ends_in_circles);
	tcase_add_loop_test(tc, forgets_findings, 0, 2);
	tcase_add_loop_test(tc, refuses_paths, 0, 7);
	tcase_add_test(tc, lists_what_is_missing);
	tcase_add_loop_test(tc, notes_links_outside, 0, 6);
	suite_add_tcase(s, tc);
	return s;
}
