/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify_report.h - what a comparison tells people and scripts
 */
#ifndef E2BFO_VERIFY_VERIFY_REPORT_H
#define E2BFO_VERIFY_VERIFY_REPORT_H

#include "compare/compare.h"
#include "cli/json.h"
#include "verify_options.h"

struct verify_report {
	const struct verify_options *opt;
	const struct bfo_compare *compare;
	struct bfo_volume *const *volume;
	const struct bfo_end *end;	/* A, B, as far as they are open */
	struct bar *bar;		/* wiped before something is printed */
	uint64_t count[BFO_DIFF_KINDS];	/* differences found */
	uint64_t damage;		/* findings that concern what was compared, */
	uint64_t unread;		/* and those of them about what cannot be read */
	struct json json;
};

/* Before the first difference. */
void verify_report_begin(struct verify_report *r);

/* bfo_compare.found: tells DIFF to standard output. PRIV is the struct verify_report. */
void verify_report_diff(void *priv, const struct bfo_diff *diff);

/* What is damaged in either tree, as far as it was compared: to standard error, or into JSON. */
void verify_report_damage(struct verify_report *r);

/* The end: ERR (0: none) came up while WHAT; STATUS is the exit status; it took SECONDS. */
void verify_report_end(struct verify_report *r, errcode_t err, const char *what, int status,
		       double seconds);

#endif
