/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pack_report.h - what came of `e2bfo pack` and `e2bfo unpack`
 */
#ifndef E2BFO_PACK_PACK_REPORT_H
#define E2BFO_PACK_PACK_REPORT_H

#include "cli/progress.h"
#include "pack_options.h"

/* A composite file, or a file that is not packed. */
struct pack_line {
	size_t at;			/* of its path, in `text` */
	uint64_t members, names, bytes;
	enum bfo_pack_reason why;
};

struct pack_run {
	const struct pack_options *opt;
	struct bfo_context ctx;
	struct bar bar;
	struct bfo_pack_result result;
	bfo_chars text;			/* paths, each with a zero byte */
	BFO_VEC(struct pack_line) composites, left;
};

/* Who notes them; PRIV is a struct pack_run. */
errcode_t pack_report_composite(void *priv, const struct bfo_pack_composite *x);
errcode_t pack_report_left(void *priv, const char *path, enum bfo_pack_reason why);

/* Tells how R ended, by ERR.  Returns the exit status. */
int pack_report(const struct pack_run *r, errcode_t err);
void pack_report_free(struct pack_run *r);

#endif
