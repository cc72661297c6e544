// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * progress.c - how far the work has come
 */
#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/process.h"
#include "cli/progress.h"

#define REDRAW 0.2		/* seconds between two drawings of the bar, */
#define LINES_EVERY 5		/* two lines, */
#define OBJECTS_EVERY 1		/* and two objects */
#define RATE_AFTER 0.2		/* a rate before that means nothing */
#define TEXT 1024

/* PART: the stage as part of another one. */
static const struct {
	const char *label, *word, *part;
	int in_bytes, has_files;
} stages[] = {
	[BFO_STAGE_BITMAPS] = { "Checking bitmaps", "checking-bitmaps", "checking bitmaps", 0, 0 },
	[BFO_STAGE_ARRIVAL] = { "Taking in", "arrival", "taking in", 1, 1 },
	[BFO_STAGE_INODES] = { "Reading inodes", "inodes", "reading inodes", 0, 0 },
	[BFO_STAGE_NAMES] = { "Reading directories", "directories", "reading directories", 0, 0 },
	[BFO_STAGE_PLAN] = { "Planning", "planning", "planning", 0, 0 },
	[BFO_STAGE_LOOK] = { "Looking for bad data", "looking", "looking for bad data", 0, 0 },
	[BFO_STAGE_DATA] = { "Copying", "copying", "copying", 1, 1 },
	[BFO_STAGE_TABLES] = { "Writing inodes", "tables", "writing inodes", 0, 0 },
	[BFO_STAGE_REREAD] = { "Verifying", "verifying", "verifying", 1, 0 },
	[BFO_STAGE_FINISH] = { "Finishing", "finishing", "finishing", 0, 0 },
	[BFO_STAGE_INDEX] = { "Building indexes", "building-indexes", "building indexes", 0, 0 },
	[BFO_STAGE_CHECK_INDEX] = { "Checking indexes", "checking-indexes", "checking indexes", 0,
				    0 },
	[BFO_STAGE_COMPARE] = { "Comparing inodes", "comparing", "comparing inodes", 0, 0 },
	[BFO_STAGE_COMPARE_DATA] = { "Comparing data", "comparing-data", "comparing data", 1, 1 },
	[BFO_STAGE_DIGEST] = { "Hashing", "hashing", "hashing", 1, 0 },
	[BFO_STAGE_LIST] = { "Listing", "listing", "listing", 0, 1 },
};

/* ---- options ---- */

int progress_mode_read(const char *text, enum progress_mode *mode)
{
	static const char *const words[] = {
		[PROGRESS_AUTO] = "auto", [PROGRESS_BAR] = "bar", [PROGRESS_LINES] = "lines",
		[PROGRESS_JSON] = "json", [PROGRESS_NONE] = "none",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(text, words[i])) {
			*mode = i;
			return 1;
		}
	return 0;
}

int progress_fd_read(const char *text, int *fd)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (!isdigit((unsigned char) *text) || *end || value < 1 || value > INT16_MAX)
		return 0;
	*fd = value;
	return 1;
}

int progress_is_possible(const struct progress_options *opt)
{
	return !opt->fd || opt->mode == PROGRESS_LINES || opt->mode == PROGRESS_JSON;
}

int progress_is_open(const struct progress_options *opt)
{
	return !opt->fd || fcntl(opt->fd, F_GETFD) >= 0;
}

int progress_stage_read(const char *word, enum bfo_stage *stage)
{
	size_t i;

	for (i = 0; i < sizeof(stages) / sizeof(*stages); i++)
		if (!strcmp(word, stages[i].word)) {
			*stage = i;
			return 1;
		}
	return 0;
}

/* ---- what is told ---- */

static struct progress_state state_of(const struct bar *bar, const struct bfo_progress *p,
				      double now)
{
	double spent = now - bar->begun;
	struct progress_state s = {
		.label = stages[p->stage].label, .word = stages[p->stage].word,
		.in_bytes = stages[p->part].in_bytes, .done = p->done, .total = p->total,
		.files = stages[p->part].has_files ? p->files : 0, .share = -1, .rate = -1,
		.left = -1, .seconds = now - bar->attached,
	};

	if (p->part != p->stage) {
		s.part = stages[p->part].part;
		s.part_word = stages[p->part].word;
	}
	if (p->total)
		s.share = p->done < p->total ? (double) p->done / p->total : 1;
	if (spent < RATE_AFTER || p->part != p->stage)
		return s;
	s.rate = p->done / spent;
	if (s.share > 0)
		s.left = spent / s.share - spent;
	return s;
}

/*
 * In one write, so that lines of several processes do not mix; a reader that is gone is no reason
 * to die.
 */
static void put(struct bar *bar, const char *text)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	int fd = bar->opt.fd ? bar->opt.fd : STDERR_FILENO;

	sigaction(SIGPIPE, &ignore, &before);
	if (write(fd, text, strlen(text)) < 0 && bar->opt.fd)
		bar->opt.mode = PROGRESS_NONE;
	sigaction(SIGPIPE, &before, NULL);
}

static void tell(struct bar *bar, const struct progress_state *s)
{
	char text[TEXT];

	if (bar->opt.mode == PROGRESS_JSON)
		put(bar, progress_object(s, text, sizeof(text)));
	else
		put(bar, progress_line(s, text, sizeof(text)));
}

static void draw(struct bar *bar, const struct progress_state *s)
{
	char text[TEXT];

	flockfile(stderr);
	fprintf(stderr, "\r\033[K%s", progress_bar(s, text, sizeof(text)));
	fflush(stderr);
	bar->shown = 1;
	funlockfile(stderr);
}

/* BEGINS: a stage does. */
static int is_due(const struct bar *bar, int begins, double now)
{
	switch (bar->opt.mode) {
	case PROGRESS_BAR:
		return begins || now - bar->told >= REDRAW;
	case PROGRESS_LINES:
		return now - bar->told >= LINES_EVERY;
	case PROGRESS_JSON:
		return begins || now - bar->told >= OBJECTS_EVERY;
	default:
		return 0;
	}
}

static void on_progress(void *priv, const struct bfo_progress *p)
{
	struct bar *bar = priv;
	int begins = !bar->known || p->stage != bar->stage, asked = progress_requested;
	struct progress_state s;
	double now;

	if (!begins && !asked && bar->opt.mode == PROGRESS_NONE)
		return;
	now = bar->timer->now(bar->timer->priv);
	if (begins)
		bar->begun = now;
	bar->known = 1;
	bar->stage = p->stage;
	if (!asked && !is_due(bar, begins, now))
		return;
	progress_requested = 0;
	fflush(stdout);			/* what was said comes first */
	bar->told = now;
	s = state_of(bar, p, now);
	if (bar->opt.mode == PROGRESS_BAR && !asked) {
		draw(bar, &s);
		return;
	}
	progress_wipe(bar);
	tell(bar, &s);
}

void progress_attach(struct bar *bar, struct bfo_context *ctx, const struct progress_options *opt,
		     int quiet)
{
	*bar = (struct bar) { .opt = *opt, .timer = bfo_timer_of(ctx) };
	if (opt->mode == PROGRESS_AUTO)
		bar->opt.mode = quiet || !isatty(STDERR_FILENO) ? PROGRESS_NONE : PROGRESS_BAR;
	bar->attached = bar->timer->now(bar->timer->priv);
	bar->told = bar->attached - LINES_EVERY;	/* the first is told at once */
	ctx->progress = on_progress;
	ctx->priv = bar;
}

void progress_wipe(struct bar *bar)
{
	flockfile(stderr);
	if (bar->shown) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
	}
	bar->shown = 0;
	funlockfile(stderr);
}
