/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * progress.h - how far the work has come: a bar on the terminal, lines for a log, JSON for programs
 *
 *   library ── bfo_context.progress ── stage and time ──┬── bar, redrawn, on a terminal
 *                                                       ├── a line, now and then, or after SIGUSR1
 *                                                       └── an object, likewise
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "base/clock.h"
#include "base/context.h"

enum progress_mode { PROGRESS_AUTO, PROGRESS_BAR, PROGRESS_LINES, PROGRESS_JSON, PROGRESS_NONE };

/* What was asked for; zeroed: a bar if standard error is a terminal. */
struct progress_options {
	enum progress_mode mode;
	int fd;			/* of lines and objects; 0: standard error */
};

struct bar {
	struct progress_options opt;	/* its mode is not AUTO any more */
	const struct bfo_timer *timer;
	double attached;	/* seconds */
	int known;		/* some stage was reported */
	enum bfo_stage stage;
	double begun;		/* of this stage */
	double told;		/* of the last line, object or drawing */
	int shown;		/* a bar stands on the terminal */
};

/* How far one stage is, for who tells it. */
struct progress_state {
	const char *label;	/* "Copying" */
	const char *word;	/* "copying" */
	/* what the stage is at: "reading inodes", "inodes"; or NULL */
	const char *part, *part_word;
	int in_bytes;		/* `done` and `total` are; else they are things */
	uint64_t done, total;	/* total 0: unknown */
	uint64_t files;		/* 0: not counted */
	double share;		/* of 1; negative: unknown */
	double rate;		/* units a second; negative: unknown */
	double left;		/* seconds; negative: unknown */
	double seconds;		/* since the work began */
};

/* For options: 0 if TEXT is none. */
int progress_mode_read(const char *text, enum progress_mode *mode);
int progress_fd_read(const char *text, int *fd);
#define PROGRESS_WORDS "auto, bar, lines, json or none"

/* For rows of option tables. */
#define PROGRESS_ARGUMENT "auto|bar|lines|json|none"
#define PROGRESS_HELP "lines: for logs; json: an object a line"
#define PROGRESS_FD_HELP "where lines and objects go (default standard error)"

/* 0 if these do not go together; or if the descriptor is not open. */
int progress_is_possible(const struct progress_options *opt);
int progress_is_open(const struct progress_options *opt);

/*
 * Makes CTX tell its progress as OPT says; QUIET: without a bar that was not asked for.  SIGUSR1
 * has its answer whatever they say.
 */
void progress_attach(struct bar *bar, struct bfo_context *ctx, const struct progress_options *opt,
		     int quiet);

/* The stage that objects call WORD; 0: none is called so. */
int progress_stage_read(const char *word, enum bfo_stage *stage);

/*
 * Takes the bar away, so that something else can be printed: by another thread, too, if that has
 * locked stderr.
 */
void progress_wipe(struct bar *bar);

/* ---- progress_text.c: the state in words; returns OUT ---- */

const char *progress_line(const struct progress_state *s, char *out, size_t size);

/* The bar, to be redrawn in place. */
const char *progress_bar(const struct progress_state *s, char *out, size_t size);

/* An object on a line of its own. */
const char *progress_object(const struct progress_state *s, char *out, size_t size);

#endif
