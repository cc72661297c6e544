// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lists.c - lists of paths and of patterns, and the patterns against each other as paths
 *
 * The first byte chooses: how entries end, paths or patterns.  A pattern that has no special
 * bytes matches itself.
 */
#include <string.h>

#include "job/lists.h"
#include "../fuzz.h"
#include "plan/glob.h"

#define FROM0 1
#define PATHS 2
#define MOST 64U		/* patterns that are tried */

static void match(const struct bfo_list *l)
{
	size_t n = l->v.n < MOST ? l->v.n : MOST, i;
	uint64_t state[1024];
	struct bfo_globs g;
	int is_dir;

	if (!n || bfo_globs_compile(&g, l->v.v, n))
		return;
	for (i = 0; i < n && g.words <= 1024; i++) {
		size_t len = strlen(l->v.v[i]);

		bfo_globs_begin(&g, state);
		bfo_globs_feed(&g, state, l->v.v[i], len);
		is_dir = l->v.v[i][len - 1] == '/';
		if (*l->v.v[i] == '/' && !is_dir && !strstr(l->v.v[i], "//") &&
		    !strpbrk(l->v.v[i], "?*[]\\") && !bfo_globs_match(&g, state, 0))
			fuzz_fail("'%s' does not match itself", l->v.v[i]);
		bfo_globs_note(&g, state, is_dir);
	}
	bfo_globs_free(&g);
}

/* Each ends behind one entry or more. */
static void check_groups(const struct bfo_list *l)
{
	uint32_t last = 0;
	size_t i;

	for (i = 0; i < l->ends.n; last = l->ends.v[i++])
		if (l->ends.v[i] <= last || l->ends.v[i] > l->v.n)
			fuzz_fail("group %zu has no entry, or one that is not there", i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bfo_copy_options opt = { 0 };
	struct bfo_exclude exclude = { .is_file = 1 };
	struct bfo_context ctx = { 0 };
	struct bfo_lists l = { 0 };

	if (!size)
		return 0;
	opt.from0 = !!(*data & FROM0);
	exclude.text = fuzz_file(data + 1, size - 1);
	if (*data & PATHS) {
		opt.files_from = exclude.text;
	} else {
		opt.exclude = &exclude;
		opt.n_exclude = 1;
	}
	if (!bfo_lists_read(&l, &ctx, &opt)) {
		check_groups(*data & PATHS ? &l.files : &l.exclude);
		match(*data & PATHS ? &l.files : &l.exclude);
	}
	bfo_lists_free(&l);
	return 0;
}
