/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refs.h - which files a file's bytes refer to
 *
 *   kind_of(path)    scan(bytes): struct bfo_ref, one after the other    resolve(ref): path
 *
 * Plain scanners that know as much of each language as a reference needs.  (Not those of a
 * library: which references there are, and so what is written, would depend on its version (P6);
 * a parser that repairs a page's tree, as libxml2 or gumbo, does far more than is wanted here,
 * and for data that nobody trusts (P8); and one beside the other would be two behaviours.)
 *
 * BFO_REFS_HTML: what a browser loads with the page: src, srcset, imagesrcset, poster, background,
 *	data of <object>, href of <link>, <image> and <use> (also xlink:href), style attributes and
 *	<style> as in CSS.  Not href of <a> and <area>, which lead to other pages.  Comments and
 *	scripts are skipped; <base> is not looked at.
 * BFO_REFS_CSS: url() and @import; not comments.
 * BFO_REFS_C: #include "..." (also _next, #import), not <...>; not comments, but also what
 *	conditions leave out.
 * BFO_REFS_MAKE: prerequisites of rules, with their target, and included files; words with '$'
 *	or '%' are not.  Recipes, variables and define ... endef are skipped.
 */
#ifndef BFO_MINE_REFS_H
#define BFO_MINE_REFS_H

#include <et/com_err.h>

#include "mine/path_text.h"

enum bfo_refs_kind {
	BFO_REFS_NONE,
	BFO_REFS_HTML,
	BFO_REFS_CSS,
	BFO_REFS_C,
	BFO_REFS_MAKE,
};

/* A reference, as it is written there: parts of the bytes that were given, no strings. */
struct bfo_ref {
	const char *text;
	size_t len;
	/* BFO_REFS_MAKE: first target of the rule, of which this is a prerequisite; else NULL */
	const char *target;
	size_t target_len;
};

/* Gets the references in their order; an error ends the scan. */
typedef errcode_t (*bfo_refs_sink)(void *priv, const struct bfo_ref *ref);

/* By the name at the end of PATH. */
enum bfo_refs_kind bfo_refs_kind_of(const char *path, size_t len);

/* Scans SIZE bytes, any bytes.  Returns the sink's error.  Allocates nothing; time: O(SIZE). */
errcode_t bfo_refs_scan(enum bfo_refs_kind kind, const char *data, size_t size,
			bfo_refs_sink sink, void *priv);

/*
 * The path a reference means: the first of these, N = 0, 1 ..., that exists.  FROM: the absolute
 * path of the file with the reference.  ROOT: the folder of paths that begin with a slash in HTML
 * and CSS ("" or "/": the root).  Returns 0 if there is no such path: nothing is left to try, the
 * reference leads to another host or is too long.
 *
 * HTML, CSS: one.  Query and fragment are cut off, &amp; and the like and %XX decoded; a path with
 * a slash at its end means index.html there.  Makefiles: one, from FROM's folder.  C: from FROM's
 * folder, its "include", and so on with every folder above it, up to 16 of them.
 */
int bfo_refs_resolve(enum bfo_refs_kind kind, const char *from, size_t from_len, const char *root,
		     const char *text, size_t len, unsigned int n, struct bfo_path *out);

#endif
