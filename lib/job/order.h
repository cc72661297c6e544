/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order.h - what lies next to each other on the target: what comes before the rest
 *
 *   order.c         the policies, by turns; times
 *   order_trace.c   trace  ── lines ── paths ── frequent sequences ── groups
 *   order_refs.c    refs   ── contents ── references ── groups
 *
 * Errors: BFO_ET_NO_TRACE, BFO_ET_CANCELLED, ENOMEM; those of reading lists, traces and the source.
 */
#ifndef BFO_JOB_ORDER_H
#define BFO_JOB_ORDER_H

#include <stdio.h>

#include "mine/groups.h"
#include "plan/sequence.h"

#define BFO_ORDER_DEPTH_MOST 1000
#define BFO_ORDER_WINDOW_MOST 1000

enum bfo_order_policy {
	BFO_ORDER_READDIR,		/* these four leave nothing to others */
	BFO_ORDER_SOURCE,
	BFO_ORDER_DIR,
	BFO_ORDER_NAME,
	BFO_ORDER_SIZE,
	BFO_ORDER_MTIME,
	BFO_ORDER_LIST,
	BFO_ORDER_REFS,
	BFO_ORDER_TRACE,
	BFO_ORDER_POLICIES
};

/* Strings are the caller's. */
struct bfo_order_options {
	/* each once; they choose by turns */
	enum bfo_order_policy policies[BFO_ORDER_POLICIES];
	size_t n;
	const char *list, *trace;	/* files ("-": standard input), or NULL */
	uint32_t depth;			/* of refs, up to BFO_ORDER_DEPTH_MOST; 0: the default */
	unsigned int support;		/* of trace, percent; 0: the default */
	/* of trace, accesses, up to BFO_ORDER_WINDOW_MOST; 0: the default */
	unsigned int window;
	/* where paths of web servers begin in the source, or NULL */
	const char *root;
	const char *mount;		/* where the source was mounted for the trace, or NULL */
};

/* What was chosen.  Zeroed: nothing was asked for. */
struct bfo_order {
	/* what was taken, group by group; their policies are ours */
	struct bfo_sequence sequence;
	int is_made;
	uint64_t missing[BFO_ORDER_POLICIES];	/* paths that lead to no file that is copied */
	FILE *trace;
};

struct bfo_copy;

/* "readdir", "source" ... */
const char *bfo_order_word(enum bfo_order_policy policy);

/* Opens the trace, so that a wrong name is told before anything is read. */
errcode_t bfo_order_open(struct bfo_copy *c);

/* Changes the plan's order, which must be settled, as the options say. */
errcode_t bfo_order_choose(struct bfo_copy *c);
void bfo_order_free(struct bfo_order *o);

/* Parts of bfo_order_choose(). */
errcode_t bfo_order_by_trace(struct bfo_copy *c);
errcode_t bfo_order_by_refs(struct bfo_copy *c);
errcode_t bfo_order_take_groups(struct bfo_copy *c, enum bfo_order_policy policy,
				const struct bfo_groups *g);

#endif
