/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote_answer.h - what e2bfo on another machine answers: bytes that nobody has checked
 *
 *   bytes ── lines, of bounded length ──┬── an object of progress ── take->progress
 *                                       ├── an object that is a report ── struct remote_report
 *                                       └── anything else ── take->text, for people
 *
 * Objects are those of cli/result.h and cli/progress.h.  ssh(1), a shell and sudo(8) may say
 * something, too: that is text.  Text may hold anything but a NUL or a newline; whoever prints it
 * escapes it (cli/message.h).  Of a field that is longer than it can be, or has another type,
 * nothing is taken.  Of an object that is longer than a line can be, it is what stands in front.
 */
#ifndef E2BFO_COPY_REMOTE_ANSWER_H
#define E2BFO_COPY_REMOTE_ANSWER_H

#include "base/context.h"
#include "cli/json_in.h"
#include "e2bfo/damage.h"
#include "wire/stream.h"

#define REMOTE_LINE_MOST (1U << 20)	/* bytes of an object; what follows is passed over */
#define REMOTE_TEXT_MOST 1000U		/* bytes of a line of text that are shown */
#define REMOTE_TEXT_LINES 10000U	/* lines of text that are shown */

/* What a report says.  Strings are empty, and numbers 0, where it says nothing. */
struct remote_report {
	int is_there;
	int status;			/* the exit status */
	int is_complete, is_resumable;
	char command[16], version[32];
	char code[40];			/* an error of cli/error_word.h */
	char error[128], what[512];
	char state[24];			/* of the target */
	char token[BFO_STREAM_TOKEN_TEXT];	/* that of a stream: well-formed */
	char uuid[40];			/* of a volume; else empty */
	/* of a plan; names that existed and stay as they are, and whose files were replaced */
	int has_plan;
	uint64_t files, dirs, skipped, replaced;
	/* of one for a volume */
	uint64_t blocks_needed, blocks_free, block_size, inodes_needed, inodes_free, smallest;
	int is_cut;			/* there was more of it */
	struct json_in json;		/* all of it; for: */
};

/* Something that could not be kept there.  WHERE has no kind: that is a word of another version. */
struct remote_finding {
	char kind[40];
	const char *path;		/* any bytes */
	size_t len;
	struct damage where;
};

/* The next one of R: *AT is 0 at first.  Returns 0 if there is none. */
int remote_report_finding(const struct remote_report *r, size_t *at, struct remote_finding *f);
void remote_report_free(struct remote_report *r);

/* Who is told.  TEXT ends in NUL. */
struct remote_take {
	void (*text)(void *priv, const char *text);
	void (*progress)(void *priv, const struct bfo_progress *p);
	void *priv;
};

/* One sequence of bytes: zeroed at first. */
struct remote_answer {
	bfo_chars line;			/* that has not come to its end */
	int is_long;			/* the rest of it is passed over */
	uint32_t lines;			/* of text */
	struct json_in json;
};

/* The next LEN bytes.  ENOMEM. */
errcode_t remote_answer_feed(struct remote_answer *a, const char *bytes, size_t len,
			     const struct remote_take *take, struct remote_report *report);

/* No more will come: what stands without a newline is a line.  ENOMEM. */
errcode_t remote_answer_end(struct remote_answer *a, const struct remote_take *take,
			    struct remote_report *report);
void remote_answer_free(struct remote_answer *a);

#endif
