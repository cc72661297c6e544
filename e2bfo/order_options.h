/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order_options.h - --order and what belongs to it
 */
#ifndef E2BFO_ORDER_OPTIONS_H
#define E2BFO_ORDER_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

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
};

const char *order_word(enum order_policy policy);

/* What --order, --order-support ... say.  These return -1 to go on, else the exit status. */
int order_read(struct order_options *o, char *text);
int order_read_support(struct order_options *o, const char *text);
int order_read_window(struct order_options *o, const char *text);
int order_read_root(struct order_options *o, const char *text);
int order_read_mount(struct order_options *o, const char *text);

/* Options that do not go together, or not alone. */
int order_check(const struct order_options *o);

#endif
