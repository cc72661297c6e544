/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * order_options.h - what lies next to each other: options of copy and order
 */
#ifndef E2BFO_ORDER_OPTIONS_H
#define E2BFO_ORDER_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "job/order.h"

/* The words of the command line, taken apart: what policies point into. */
typedef BFO_VEC(char *) order_texts;

enum { OPT_ORDER = 768, OPT_ORDER_SUPPORT, OPT_ORDER_WINDOW, OPT_ORDER_ROOT, OPT_ORDER_MOUNT };

static inline int order_is_option(int c)
{
	return c >= OPT_ORDER && c <= OPT_ORDER_MOUNT;
}

/* Takes option C of COMMAND, with getopt's optarg.  Returns -1 to go on, else the exit status. */
int order_option(const char *command, struct bfo_order_options *o, order_texts *texts, int c);
void order_texts_free(order_texts *texts);

/*
 * For COMMAND: a number from 1 to MOST, with PERCENT perhaps a % behind it; an absolute path.  NAME
 * is what the command line calls them.  Return -1 to go on, else the exit status.
 */
int order_number(const char *command, const char *name, const char *text, unsigned long most,
		 int percent, uint32_t *out);
int order_folder(const char *command, const char *name, const char *text, const char **out);

/* Options that do not go together, or not alone. */
int order_check(const char *command, const struct bfo_order_options *o);

#endif
