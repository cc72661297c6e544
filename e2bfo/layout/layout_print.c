// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * layout_print.c - a layout for people: a column per volume, then what is worst
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/message.h"
#include "cli/size.h"
#include "tree/path.h"
#include "e2bfo/journals.h"
#include "layout.h"

#define PATH_BYTES 4096
#define SHOWN 5			/* of the worst */
#define SHOWN_MORE 20		/* with --verbose */
#define CELL LAYOUT_CELL

typedef void (*cell_text)(const struct layout_side *s, char *out);

/* ---- rows of the table ---- */

static void put_count(uint64_t n, char *out)
{
	snprintf(out, CELL, "%llu", (unsigned long long) n);
}

/* Rounded down: only all is 100. */
static void put_percent(uint64_t part, uint64_t whole, char *out)
{
	if (whole)
		snprintf(out, CELL, "%.1f %%", floor(1000.0 * part / whole + 1e-6) / 10);
	else
		strcpy(out, "-");
}

static void put_fraction(double value, char *out)
{
	if (isnan(value))
		strcpy(out, "-");
	else
		snprintf(out, CELL, "%.4f", floor(value * 1e4 + 1e-6) / 1e4);
}

void layout_put_seconds(double s, char *out)
{
	if (s < 0.09995)
		snprintf(out, CELL, "%.1f ms", 1000 * s);
	else
		snprintf(out, CELL, s < 9.995 ? "%.2f s" : s < 99.95 ? "%.1f s" : "%.0f s", s);
}

static void size_cell(const struct layout_side *s, char *out)
{
	size_text(s->volume->blocks * s->volume->block_size, out, CELL);
}

static void block_cell(const struct layout_side *s, char *out)
{
	put_count(s->volume->block_size, out);
}

static void files_cell(const struct layout_side *s, char *out)
{
	put_count(s->measured.pieces.files, out);
}

static void dirs_cell(const struct layout_side *s, char *out)
{
	put_count(s->measured.directories, out);
}

static void others_cell(const struct layout_side *s, char *out)
{
	put_count(s->measured.others, out);
}

static void data_cell(const struct layout_side *s, char *out)
{
	size_text(s->measured.pieces.blocks * s->volume->block_size, out, CELL);
}

static void pieces_cell(const struct layout_side *s, char *out)
{
	put_count(s->measured.pieces.fragments.total, out);
}

static void contiguous_cell(const struct layout_side *s, char *out)
{
	put_percent(s->measured.pieces.contiguous, s->measured.pieces.fragments.things, out);
}

static void fill_cell(const struct layout_side *s, char *out)
{
	put_percent(s->measured.fill.used, s->measured.fill.room, out);
}

static void inode_steps_cell(const struct layout_side *s, char *out)
{
	put_fraction(s->measured.inodes.ascending, out);
}

static void inode_correlation_cell(const struct layout_side *s, char *out)
{
	put_fraction(s->measured.inodes.correlation, out);
}

static void data_steps_cell(const struct layout_side *s, char *out)
{
	put_fraction(s->measured.data.ascending, out);
}

static void data_correlation_cell(const struct layout_side *s, char *out)
{
	put_fraction(s->measured.data.correlation, out);
}

static void free_cell(const struct layout_side *s, char *out)
{
	if (s->free_error)
		strcpy(out, "not known");
	else
		put_percent(s->free_runs.total, s->volume->blocks, out);
}

static void runs_cell(const struct layout_side *s, char *out)
{
	put_count(s->free_runs.things, out);
}

static void largest_cell(const struct layout_side *s, char *out)
{
	size_text(s->free_runs.largest * s->volume->block_size, out, CELL);
}

static const struct {
	const char *label;
	cell_text text;
} rows[] = {
	{ "size", size_cell },
	{ "block size", block_cell },
	{ "files", files_cell },
	{ "directories", dirs_cell },
	{ "symbolic links, devices", others_cell },
	{ "data", data_cell },
	{ "fragments of files", pieces_cell },
	{ "contiguous files", contiguous_cell },
	{ "directories filled", fill_cell },
	{ "free", free_cell },
	{ "free runs", runs_cell },
	{ "largest free run", largest_cell },
	{ "readdir -> inode: ascending", inode_steps_cell },
	{ "                  correlation", inode_correlation_cell },
	{ "inode -> data:    ascending", data_steps_cell },
	{ "                  correlation", data_correlation_cell },
};

/* A name can be longer than a column: of two volumes the columns are A and B. */
static void print_heading(const struct layout *l)
{
	if (l->opt.n_volumes == 1)
		message_printf("%-30s %22s\n", "", l->side[0].name);
	else
		message_printf("A is %s\n", l->side[0].name);
	if (l->opt.n_volumes == 1)
		return;
	message_printf("B is %s\n", l->side[1].name);
	printf("%-30s %22s %22s\n", "", "A", "B");
}

static const char *of_side(const struct layout *l, const struct layout_side *s)
{
	return l->opt.n_volumes == 1 ? "" : s == l->side ? " of A" : " of B";
}

static void print_rows(const struct layout *l)
{
	char text[CELL];
	size_t i;
	int k;

	print_heading(l);
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		printf("%-30s", rows[i].label);
		for (k = 0; k < l->opt.n_volumes; k++) {
			rows[i].text(&l->side[k], text);
			printf(" %22s", text);
		}
		putchar('\n');
	}
}

/* ---- histograms, a line each ---- */

static void print_histogram(const struct layout *l, const char *title, int k,
			    const struct bfo_histogram *h)
{
	int i;

	printf("%s%s:", title, of_side(l, &l->side[k]));
	for (i = 0; i < 64; i++) {
		if (!h->count[i])
			continue;
		printf("  %llu", 1ULL << i);
		if (i)
			printf("-%llu", (2ULL << i) - 1);
		printf(": %llu", (unsigned long long) h->count[i]);
	}
	puts(h->things ? "" : "  none");
}

static void print_histograms(const struct layout *l)
{
	int k;

	for (k = 0; k < l->opt.n_volumes; k++)
		print_histogram(l, "files by fragments", k,
				&l->side[k].measured.pieces.fragments);
	for (k = 0; k < l->opt.n_volumes; k++)
		if (!l->side[k].free_error)
			print_histogram(l, "free runs by blocks", k, &l->side[k].free_runs);
}

/* ---- what reading costs ---- */

static void print_cost(const char *label, const struct bfo_cost *c)
{
	char distance[CELL], disk[CELL], cloud[CELL], ssd[CELL];

	layout_put_seconds(bfo_cost_disk(c), disk);
	layout_put_seconds(bfo_cost_cloud(c), cloud);
	layout_put_seconds(bfo_cost_ssd(c), ssd);
	printf("%-18s %10llu %14llu %10s %9s %9s %9s\n", label, (unsigned long long) c->requests,
	       (unsigned long long) c->noncontiguous,
	       size_text(c->distance, distance, sizeof(distance)), disk, cloud, ssd);
}

static void print_costs(const struct layout *l, const char *title, int all)
{
	const struct bfo_layout *m;
	char label[64];
	int order, k;

	printf("\n%-18s %10s %14s %10s %9s %9s %9s\n", title, "requests", "not contiguous",
	       "distance", "disk", "cloud", "SSD");
	for (order = 0; order < BFO_WALK_ORDERS; order++)
		for (k = 0; k < l->opt.n_volumes; k++) {
			m = &l->side[k].measured;
			snprintf(label, sizeof(label), "  in %s order%s",
				 layout_order_words[order], l->opt.n_volumes == 1 ? "" :
				 k ? " B" : " A");
			print_cost(label, all ? &m->cost_all[order] : &m->cost_data[order]);
		}
}

/* ---- the worst ---- */

static const char *path_of(const struct layout_side *s, bfo_row row, char *out, size_t size)
{
	char raw[PATH_BYTES];

	return bfo_text_escape(raw, bfo_tree_path(&s->tree, row, raw, sizeof(raw)), out, size);
}

/* Seconds that a disk seeks while the files are read; the measure of what is worst. */
static double badness(const struct bfo_layout_dir *d)
{
	return d->cost[BFO_WALK_READDIR].seeks;
}

/* Puts D among the N worst; returns how many these are. */
static int note_dir(struct bfo_layout_dir *worst, int n, int most, const struct bfo_layout_dir *d)
{
	int at = n;

	while (at && badness(&worst[at - 1]) < badness(d))
		at--;
	if (at == most)
		return n;
	n += n < most;
	memmove(&worst[at + 1], &worst[at], (n - 1 - at) * sizeof(*worst));
	worst[at] = *d;
	return n;
}

static errcode_t find_worst(const struct layout_side *s, struct bfo_layout_dir *worst, int most,
			    int *n)
{
	const struct bfo_layout *m = &s->measured;
	struct bfo_layout_dir d;
	errcode_t err = 0;
	size_t i;

	*n = 0;
	for (i = 0; i < m->items.n && !err; i++) {
		if (!S_ISDIR(s->tree.inodes.v[m->items.v[i]].mode))
			continue;
		err = bfo_layout_measure_dir(m, m->items.v[i], &d);
		if (!err && badness(&d) > 0)
			*n = note_dir(worst, *n, most, &d);
	}
	return err;
}

static void print_dir(const struct layout_side *s, const struct bfo_layout_dir *d)
{
	char steps[CELL], data[CELL], whole[CELL], fill[CELL], disk[CELL];
	char path[4 * PATH_BYTES];

	put_fraction(d->inodes.ascending, steps);
	put_fraction(d->data.ascending, data);
	put_percent(d->pieces.contiguous, d->pieces.fragments.things, whole);
	put_percent(d->fill.used, d->fill.room, fill);
	layout_put_seconds(badness(d), disk);
	printf("%9s %9llu %8s %8s %10s %8s  %s\n", disk, (unsigned long long) d->names, steps,
	       data, whole, fill, path_of(s, d->row, path, sizeof(path)));
}

static errcode_t print_worst_dirs(const struct layout *l, const struct layout_side *s)
{
	int most = l->opt.common.verbose ? SHOWN_MORE : SHOWN, n, i;
	struct bfo_layout_dir *worst = calloc(most, sizeof(*worst));
	errcode_t err = worst ? find_worst(s, worst, most, &n) : ENOMEM;

	if (!err && n) {
		printf("\nWorst directories%s\n", of_side(l, s));
		printf("%9s %9s %8s %8s %10s %8s\n", "seeking", "names", "inodes", "data",
		       "contiguous", "filled");
	}
	for (i = 0; !err && i < n; i++)
		print_dir(s, &worst[i]);
	free(worst);
	return err;
}

static void print_worst_files(const struct layout *l, const struct layout_side *s)
{
	uint32_t most = l->opt.common.verbose ? SHOWN_MORE : SHOWN, i;
	const struct bfo_fragmented *w = s->measured.worst;
	char path[4 * PATH_BYTES];

	if (s->measured.n_worst)
		printf("\nWorst files%s\nfragments    blocks\n", of_side(l, s));
	for (i = 0; i < s->measured.n_worst && i < most; i++)
		printf("%9u %9llu  %s\n", w[i].fragments, (unsigned long long) w[i].blocks,
		       path_of(s, w[i].row, path, sizeof(path)));
}

errcode_t layout_print(const struct layout *l)
{
	errcode_t err = 0;
	int k;

	print_rows(l);
	print_histograms(l);
	print_costs(l, "Reading all files", 0);
	for (k = 0; k < l->opt.n_volumes; k++)
		layout_print_words(&l->side[k], of_side(l, &l->side[k]));
	if (l->opt.common.verbose)
		print_costs(l, "... with metadata", 1);
	for (k = 0; k < l->opt.n_volumes && !l->opt.common.quiet && !err; k++) {
		err = print_worst_dirs(l, &l->side[k]);
		if (!err)
			print_worst_files(l, &l->side[k]);
	}
	for (k = 0; k < l->opt.n_volumes; k++)
		journals_print(l->side[k].name, l->side[k].volume, &l->side[k].tree);
	return err;
}
