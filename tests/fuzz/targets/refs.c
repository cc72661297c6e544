// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refs.c - references in HTML, CSS, C and makefiles
 *
 * The first byte chooses the kind; a reference is a part of what was given, a path is plain.
 */
#include <string.h>

#include "../fuzz.h"
#include "mine/refs.h"

#define FOLDERS 20U		/* more than are tried for a reference */

struct scan {
	enum bfo_refs_kind kind;
	const char *data;
	size_t size;
};

static void check_part(const struct scan *s, const char *text, size_t len)
{
	if (text < s->data || len > s->size || text > s->data + s->size - len)
		fuzz_fail("a reference is not in the file");
}

static errcode_t take(void *priv, const struct bfo_ref *ref)
{
	static const char from[] = "/a/b/c/file";
	const struct scan *s = priv;
	struct bfo_path path;
	unsigned int n;

	check_part(s, ref->text, ref->len);
	if (ref->target)
		check_part(s, ref->target, ref->target_len);
	for (n = 0; n < FOLDERS && bfo_refs_resolve(s->kind, from, sizeof(from) - 1, "/www",
						    ref->text, ref->len, n, &path); n++)
		if (!path.len || path.len > BFO_PATH_MOST || *path.text != '/' ||
		    memchr(path.text, 0, path.len))
			fuzz_fail("no plain path");
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scan s = { .data = (const char *) data + 1, .size = size - 1 };

	if (!size)
		return 0;
	s.kind = BFO_REFS_HTML + *data % 4;
	bfo_refs_scan(s.kind, s.data, s.size, take, &s);
	return 0;
}
