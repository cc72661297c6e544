// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * progress.c - the bar on the terminal
 */
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/progress.h"

#define REDRAW 0.2		/* seconds */
#define WIDTH 24

static const char *const stages[] = {
	[BFO_STAGE_INODES] = "Reading inodes", [BFO_STAGE_NAMES] = "Reading directories",
	[BFO_STAGE_PLAN] = "Planning", [BFO_STAGE_DATA] = "Copying",
	[BFO_STAGE_LOOK] = "Looking for bad data",
	[BFO_STAGE_TABLES] = "Writing inodes", [BFO_STAGE_FINISH] = "Finishing",
	[BFO_STAGE_REREAD] = "Verifying", [BFO_STAGE_INDEX] = "Building indexes",
	[BFO_STAGE_CHECK_INDEX] = "Checking indexes",
	[BFO_STAGE_COMPARE] = "Comparing inodes", [BFO_STAGE_COMPARE_DATA] = "Comparing data",
};

static void draw_bar(double share)
{
	int i;

	fputs(" [", stderr);
	for (i = 0; i < WIDTH; i++)
		putc(i < share * WIDTH ? '#' : '.', stderr);
	fprintf(stderr, "] %3.0f %%", share * 100);
}

static void draw(struct bar *bar, const struct bfo_progress *p, double now)
{
	double share = p->total ? (double) p->done / p->total : 0, spent = now - bar->begun;

	fprintf(stderr, "\r\033[K%s", stages[p->stage]);
	if (p->total)
		draw_bar(share > 1 ? 1 : share);
	if ((p->stage == BFO_STAGE_DATA || p->stage == BFO_STAGE_COMPARE_DATA) && spent > REDRAW) {
		fprintf(stderr, "  %.0f MB/s  %.0f files/s", p->done / spent / 1e6,
			p->files / spent);
		if (share > 0 && share < 1)
			fprintf(stderr, "  %.0f s left", spent / share - spent);
	}
	fflush(stderr);
	bar->shown = 1;
	bar->drawn = now;
}

static void on_progress(void *priv, const struct bfo_progress *p)
{
	struct bar *bar = priv;
	double now = bfo_clock();

	if (p->stage != bar->stage || !bar->begun) {
		bar->stage = p->stage;
		bar->begun = now;
	} else if (now - bar->drawn < REDRAW) {
		return;
	}
	draw(bar, p, now);
}

void progress_attach(struct bar *bar, struct bfo_context *ctx, enum progress_mode mode)
{
	*bar = (struct bar) { 0 };
	if (mode == PROGRESS_NONE || (mode == PROGRESS_AUTO && !isatty(STDERR_FILENO)))
		return;
	ctx->progress = on_progress;
	ctx->priv = bar;
}

void progress_wipe(struct bar *bar)
{
	if (!bar->shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	bar->shown = 0;
}
