/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * layout.h - what the parts of `e2bfo layout` share
 */
#ifndef E2BFO_LAYOUT_LAYOUT_H
#define E2BFO_LAYOUT_LAYOUT_H

#include "gather/batch.h"
#include "gather/target.h"
#include "layout/measure.h"
#include "layout_options.h"

/* One volume. */
struct layout_side {
	const char *name;		/* as it was called */
	struct bfo_context *ctx;
	struct bfo_medium *medium;		/* how it is to be opened */
	struct bfo_volume *volume;
	struct bfo_reader reader;
	struct bfo_target shape;
	struct bfo_tree tree;
	struct bfo_tables tables;
	bfo_rows roots;		/* records of the PATHs */
	struct bfo_layout measured;
	bfo_ranges free;
	struct bfo_histogram free_runs;
	errcode_t free_error;		/* the free space is not known */
	uint64_t damage;		/* findings that belong to what was asked for */
};

struct layout {
	struct layout_options opt;
	struct bfo_context ctx;
	struct layout_side side[2];
	FILE *svg;
};

/* ---- layout_gather.c ---- */

/* Reads the volume of S->name: its tree, with names as they are listed, and its free space. */
errcode_t layout_gather(struct layout_side *s, const struct layout_options *opt);
void layout_release(struct layout_side *s);

/* The path of finding F into OUT; its length, or 0 if it is about something not asked for. */
size_t layout_finding_path(const struct layout_side *s, const struct bfo_finding *f, char *out,
			   size_t size);

/* ---- layout_json.c ---- */

/* The whole report; ERR, unless 0, happened while WHAT. */
errcode_t layout_json(const struct layout *l, errcode_t err, const char *what, int status);

/* ---- layout_damage.c ---- */

/* To standard error, what is damaged; counts it. */
void layout_print_damage(struct layout *l);

/* ---- layout_print.c ---- */

#define LAYOUT_CELL 24		/* bytes of a figure's text */

/* The report for people. */
errcode_t layout_print(const struct layout *l);

/* The time S as people read it, into OUT[LAYOUT_CELL]. */
void layout_put_seconds(double s, char *out);

/* ---- layout_words.c ---- */

/* What the costs of S mean, a line or more; OF_SIDE says which volume it is, "" if there is one. */
void layout_print_words(const struct layout_side *s, const char *of_side);

/* ---- layout_svg.c ---- */

/* Draws all sides into L->svg. */
errcode_t layout_draw(const struct layout *l);

extern const char *const layout_order_words[BFO_WALK_ORDERS];

#endif
