// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace.c - traces of accesses, and what is mined from them
 *
 * The first byte chooses: the format, or to detect it; a working directory or none.
 */
#include <string.h>

#include "../fuzz.h"
#include "mine/mine.h"
#include "mine/trace_text.h"

#define DETECT 4
#define WITH_CWD 8
#define FILES 61U		/* files that paths stand for */

static void take(struct bfo_mine *m, const struct bfo_trace_access *a)
{
	uint32_t file = 0;
	size_t i;

	if (!a->len || a->len > BFO_PATH_MOST || *a->path != '/' || memchr(a->path, 0, a->len))
		fuzz_fail("no plain path");
	for (i = 0; i < a->len; i++)
		file = file * 31 + (uint8_t) a->path[i];
	bfo_mine_add(m, bfo_trace_text_stream(a), file % FILES);
}

static void read_lines(struct bfo_trace_text *t, struct bfo_mine *m, const char *text, size_t len)
{
	struct bfo_trace_access a;
	const char *end;

	for (; len; len -= end - text, text = end) {
		end = memchr(text, '\n', len);
		end = end ? end + 1 : text + len;
		if (bfo_trace_text_line(t, text, end - text, &a))
			take(m, &a);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bfo_mine_options how = BFO_MINE_DEFAULTS;
	struct bfo_groups groups = { 0 };
	enum bfo_trace_format format;
	struct bfo_trace_text *t;
	struct bfo_mine *m;
	const char *text = (const char *) data + 1;

	if (!size)
		return 0;
	how.batch = 64;
	format = *data & DETECT ? bfo_trace_text_detect(text, size - 1) : *data % 4;
	if (bfo_mine_open(&m, &how))
		return 0;
	if (!bfo_trace_text_open(&t, format, *data & WITH_CWD ? "/home/ann" : "")) {
		read_lines(t, m, text, size - 1);
		bfo_trace_text_close(t);
	}
	bfo_mine_finish(m, &groups);
	bfo_groups_free(&groups);
	bfo_mine_close(m);
	return 0;
}
