// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * size_options.c - options that say how large a new filesystem is going to be
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "e2bfo/argument.h"
#include "size_options.h"

#define PERCENT_MAX 100000	/* a thousand times as much */

/* "N%" of something, or a size; 0 if TEXT is neither. */
static int read_more(const char *text, struct bfo_more *more)
{
	char *end;
	unsigned long percent = strtoul(text, &end, 10);

	*more = (struct bfo_more) { .n = 0 };
	if (*text >= '0' && *text <= '9' && !strcmp(end, "%")) {
		more->percent = percent;
		return percent <= PERCENT_MAX;
	}
	return bfo_text_size(text, &more->n) && more->n <= INT64_MAX;
}

int size_option(const char *command, const char *text, struct bfo_copy_options *opt)
{
	opt->spare = (struct bfo_more) { .n = 0 };
	if (strncmp(text, "min", 3))
		return argument_size(command, "size", text, 1, INT64_MAX, &opt->size);
	opt->size = BFO_SIZE_MIN;
	if (!text[3] || (text[3] == '+' && read_more(text + 4, &opt->spare)))
		return -1;
	return argument_complain(command, "--size %s: neither SIZE, min, min+SIZE nor min+N%%",
				 text);
}

int inodes_option(const char *command, const char *text, struct bfo_copy_options *opt)
{
	opt->inodes = 0;
	opt->more_inodes = (struct bfo_more) { .n = 0 };
	opt->counts_used = !strncmp(text, "used+", 5);
	if (opt->counts_used && read_more(text + 5, &opt->more_inodes) &&
	    opt->more_inodes.n <= UINT32_MAX)
		return -1;
	if (!opt->counts_used && bfo_text_size(text, &opt->inodes) && opt->inodes &&
	    opt->inodes <= UINT32_MAX)
		return -1;
	return argument_complain(command, "--inodes %s: neither N, used+N nor used+N%%", text);
}
