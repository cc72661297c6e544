/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recorded.h - the text that a copy leaves in its record (commit/record.h)
 *
 * Strings that end in NUL: the directory in which the copy was begun, then its command line.
 */
#ifndef E2BFO_COPY_RECORDED_H
#define E2BFO_COPY_RECORDED_H

#include "commit/record.h"
#include "copy_options.h"

struct recorded {
	bfo_chars text;		/* of its own: that of the record goes when the copy is done */
	char **words;		/* in it: the directory, "copy", and what followed that */
	int n;
	char **arguments;	/* without the directory, as options_read() has left them */
	struct copy_options opt;
};

/* Reads what R says.  Free in any case. */
errcode_t recorded_read(struct bfo_context *ctx, const struct bfo_record *r, struct recorded *said);
void recorded_free(struct recorded *said);

/* True if the copy was making an image file, which gets its name when it is complete. */
int recorded_makes_file(const struct recorded *said);

#endif
