/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order_options.h - --order and what belongs to it
 */
#ifndef E2BFO_COPY_ORDER_OPTIONS_H
#define E2BFO_COPY_ORDER_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* In this order they stand in the table of words. */
enum order_policy {
	ORDER_READDIR,		/* these three leave nothing to others */
	ORDER_SOURCE,
	ORDER_NAME,
	ORDER_SIZE,
	ORDER_MTIME,
	ORDER_LIST,
	ORDER_REFS,
	ORDER_TRACE,
	ORDER_POLICIES
};

struct order_options {
	enum order_policy policies[ORDER_POLICIES];	/* each once, in the order in which they choose */
	size_t n;
	const char *list, *trace;	/* files, or NULL */
	uint32_t depth;			/* of refs; 0: the default */
	unsigned int support, window;	/* of trace: percent, accesses; 0: the default */
	const char *root;		/* where paths of web servers begin in the source, or NULL */
	const char *mount;		/* where the source was mounted for the trace, or NULL */
	BFO_VEC(char *) texts;		/* what policies point into */
};

enum { OPT_ORDER = 768, OPT_ORDER_SUPPORT, OPT_ORDER_WINDOW, OPT_ORDER_ROOT, OPT_ORDER_MOUNT };

/* For the options of getopt_long(). */
#define ORDER_LONG \
	{ "order", required_argument, NULL, OPT_ORDER }, \
	{ "order-support", required_argument, NULL, OPT_ORDER_SUPPORT }, \
	{ "order-window", required_argument, NULL, OPT_ORDER_WINDOW }, \
	{ "order-root", required_argument, NULL, OPT_ORDER_ROOT }, \
	{ "order-mount", required_argument, NULL, OPT_ORDER_MOUNT }

const char *order_word(enum order_policy policy);

static inline int order_is_option(int c)
{
	return c >= OPT_ORDER && c <= OPT_ORDER_MOUNT;
}

/* Takes option C, with getopt's optarg.  Returns -1 to go on, else the exit status. */
int order_option(struct order_options *o, int c);
void order_options_free(struct order_options *o);

/* Options that do not go together, or not alone. */
int order_check(const struct order_options *o);

#endif
