/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text_in.h - a text that somebody else has written, byte by byte or line by line
 *
 * Lines have limits, and no NUL.  The line that is being read is known, for messages.
 */
#ifndef BFO_INTAKE_TEXT_IN_H
#define BFO_INTAKE_TEXT_IN_H

#include "base/context.h"
#include "base/vec.h"

#define BFO_TEXT_MOST (1U << 20)	/* bytes of a line, or of what is read as one */

struct bfo_text_in {
	struct bfo_context *ctx;
	const char *name;		/* for messages; the caller's, as FD is */
	int fd;
	size_t most;			/* bytes of a line; BFO_TEXT_MOST, unless set afterwards */
	uint64_t line;			/* that the last byte or line was in, from 1 on */
	int ended;			/* the last byte ended its line */
	errcode_t err;			/* of reading; what there was before it has come */
	char *buf;
	size_t at, filled;
	bfo_chars text;			/* of the last line, and its end, as it came */
};

/* FD is read from where it is. ENOMEM. */
errcode_t bfo_text_in_open(struct bfo_text_in *t, struct bfo_context *ctx, int fd,
			   const char *name);

/* The next byte, or -1: the end, or an error in `err`. */
int bfo_text_in_byte(struct bfo_text_in *t);

/*
 * The next line is t->text, all bytes of it; *LINE and LEN are the same without its end ("\n" or
 * "\r\n").  NULL: there is none.  It stays until the next call.  Errors:
 * errno's of reading, ENOMEM, BFO_ET_DAMAGED, BFO_ET_CANCELLED.
 */
errcode_t bfo_text_in_line(struct bfo_text_in *t, char **line, size_t *len);

/* Notes that the line at hand cannot be, and why.  Returns BFO_ET_DAMAGED. */
errcode_t bfo_text_in_damaged(struct bfo_text_in *t, const char *why);

/* Notes a failure of another kind.  Returns ERR. */
errcode_t bfo_text_in_failed(struct bfo_text_in *t, errcode_t err);

void bfo_text_in_close(struct bfo_text_in *t);

#endif
