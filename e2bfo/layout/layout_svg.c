// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * layout_svg.c - a layout as one picture: per volume two plots and the map of its blocks
 *
 *   title, numbers
 *   readdir position -> inode number | inode number -> first block
 *   map of blocks, legend
 *
 * Self-contained: shapes and text, no scripts, no fonts but the viewer's.  However many files there
 * are, a plot is BFO_PLOT_SIDE cells wide and high: those that hold points are drawn, darker the
 * more of them, those of a shade as one path; few points become larger dots.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/size.h"
#include "layout/picture.h"
#include "layout.h"

#define MARGIN 24
#define PLOT 320.0		/* side of a plot */
#define LABELS 64		/* left of a plot, for its axis */
#define WIDTH (2 * (LABELS + (int) PLOT) + 3 * MARGIN)
#define PLOT_TOP 132
#define MAP_TOP (PLOT_TOP + (int) PLOT + 92)
#define MAP_WIDTH (WIDTH - 2 * MARGIN)
#define MAP_COLUMNS 128
#define FEW 1500		/* points that are drawn as dots */
#define SHADES 8

static const struct {
	const char *color, *text;
} uses[BFO_USES] = {
	[BFO_USE_FREE] = { "#f1f3f5", "free" },
	[BFO_USE_CONTIGUOUS] = { "#2f78b7", "contiguous files" },
	[BFO_USE_FRAGMENTED] = { "#d9480f", "fragmented files" },
	[BFO_USE_DIRECTORY] = { "#2b8a3e", "directories" },
	[BFO_USE_OTHER] = { "#868e96", "everything else" },
};

/* Bytes from the command line as text: what XML or a viewer could take for more is escaped. */
static void put_text(FILE *out, const char *text)
{
	char shown[256];
	const unsigned char *p;

	bfo_text_escape(text, strlen(text), shown, sizeof(shown));
	for (p = (const unsigned char *) shown; *p; p++)
		if (*p >= 0x7f)
			fprintf(out, "\\x%02X", *p);
		else if (strchr("<>&\"'", *p))
			fprintf(out, "&#%d;", *p);
		else
			putc(*p, out);
}

static void label(FILE *out, double x, double y, const char *anchor, const char *color,
		  const char *text)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>\n", x,
		y, anchor, color, text);
}

static void number_label(FILE *out, double x, double y, const char *anchor, uint64_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long) n);
	label(out, x, y, anchor, "#495057", text);
}

/* ---- plots ---- */

/* How dark a share is drawn, of SHADES: small ones can be seen, too. */
static int shade(double share)
{
	int n = share * SHADES;

	return n < 0 ? 0 : n < SHADES ? n : SHADES - 1;
}

static double opacity(int n)
{
	return .3 + .7 * n / (SHADES - 1);
}

static void draw_dots(FILE *out, const struct bfo_plot *p)
{
	double cell = PLOT / BFO_PLOT_SIDE;
	uint32_t x, y;

	for (y = 0; y < BFO_PLOT_SIDE; y++)
		for (x = 0; x < BFO_PLOT_SIDE; x++)
			if (p->cell[y][x])
				fprintf(out, "<circle cx=\"%.0f\" cy=\"%.0f\" r=\"%s\"/>\n",
					(x + .5) * cell, PLOT - (y + .5) * cell,
					p->points <= 100 ? "3.5" : "2");
}

/* The cells of shade N: one path. */
static void draw_shade(FILE *out, const struct bfo_plot *p, int n)
{
	double cell = PLOT / BFO_PLOT_SIDE, full = log1p(p->most);
	uint32_t x, y;

	fprintf(out, "<path fill-opacity=\"%.2f\" d=\"", opacity(n));
	for (y = 0; y < BFO_PLOT_SIDE; y++)
		for (x = 0; x < BFO_PLOT_SIDE; x++)
			if (p->cell[y][x] && shade(log1p(p->cell[y][x]) / full) == n)
				fprintf(out, "M%.0f %.0fh%.0fv%.0fh-%.0fz", x * cell,
					PLOT - (y + 1) * cell, cell, cell, cell);
	fputs("\"/>\n", out);
}

static void draw_cells(FILE *out, const struct bfo_plot *p)
{
	int n;

	if (p->points <= FEW)
		draw_dots(out, p);
	else
		for (n = 0; n < SHADES; n++)
			draw_shade(out, p, n);
}

static void draw_plot(FILE *out, const struct bfo_plot *p, double left, const char *title,
		      const char *x_name, const struct bfo_agreement *a)
{
	double right = left + PLOT, bottom = PLOT_TOP + PLOT;
	char text[96];

	fprintf(out, "<g font-weight=\"bold\">");
	label(out, left, PLOT_TOP - 10, "start", "#212529", title);
	fprintf(out, "</g>\n<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%.1f\" fill=\"#fff\" "
		"stroke=\"#adb5bd\"/>\n", left - 3, PLOT_TOP - 3, PLOT + 6, PLOT + 6);
	fprintf(out, "<g transform=\"translate(%.1f %d)\" fill=\"#1c4f8a\">\n", left, PLOT_TOP);
	draw_cells(out, p);
	fputs("</g>\n", out);
	number_label(out, left - 8, bottom, "end", p->y_min);
	number_label(out, left - 8, PLOT_TOP + 10, "end", p->y_max);
	number_label(out, left, bottom + 20, "start", p->x_min);
	number_label(out, right, bottom + 20, "end", p->x_max);
	label(out, (left + right) / 2, bottom + 20, "middle", "#212529", x_name);
	if (a->things < 2)
		snprintf(text, sizeof(text), "too few to compare");
	else
		snprintf(text, sizeof(text), "%.1f %% of steps ascend, rank correlation %.3f",
			 floor(1000 * a->ascending + 1e-6) / 10,
			 floor(1000 * a->correlation + 1e-6) / 1000);
	label(out, left, bottom + 40, "start", "#495057", text);
}

/* ---- the map ---- */

/* What most of the used blocks of a cell are; FREE if none is used. */
static enum bfo_block_use main_use(const uint64_t *cell)
{
	enum bfo_block_use use, most = BFO_USE_FREE;

	for (use = BFO_USE_FREE + 1; use < BFO_USES; use++)
		if (cell[use] && (most == BFO_USE_FREE || cell[use] > cell[most]))
			most = use;
	return most;
}

static double used_part(const uint64_t *cell)
{
	uint64_t used = 0, use;

	for (use = BFO_USE_FREE + 1; use < BFO_USES; use++)
		used += cell[use];
	return used + cell[BFO_USE_FREE] ? (double) used / (used + cell[BFO_USE_FREE]) : 0;
}

static uint32_t map_columns(const struct bfo_block_map *m)
{
	return m->cells < MAP_COLUMNS ? m->cells : MAP_COLUMNS;
}

/* The cells that are mostly for USE, of shade N: one path. */
static void draw_use(FILE *out, const struct bfo_block_map *m, enum bfo_block_use use, int n)
{
	double side = (double) MAP_WIDTH / MAP_COLUMNS, edge = side - .4;
	int begun = 0;
	uint32_t i;

	for (i = 0; i < m->cells; i++) {
		if (main_use(m->cell[i]) != use || shade(used_part(m->cell[i])) != n)
			continue;
		if (!begun++)
			fprintf(out, "<path fill=\"%s\" fill-opacity=\"%.2f\" d=\"",
				uses[use].color, opacity(n));
		fprintf(out, "M%.1f %.1fh%.1fv%.1fh-%.1fz", i % MAP_COLUMNS * side,
			i / MAP_COLUMNS * side, edge, edge, edge);
	}
	if (begun)
		fputs("\"/>\n", out);
}

static void draw_map(FILE *out, const struct bfo_block_map *m)
{
	double side = (double) MAP_WIDTH / MAP_COLUMNS;
	int use, n;

	fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" "
		"stroke=\"#adb5bd\"/>\n<g transform=\"translate(%d %d)\">\n", MARGIN - 1,
		MAP_TOP - 1, map_columns(m) * side + 2,
		(m->cells + MAP_COLUMNS - 1) / MAP_COLUMNS * side + 2, uses[BFO_USE_FREE].color,
		MARGIN, MAP_TOP);
	for (use = BFO_USE_FREE + 1; use < BFO_USES; use++)
		for (n = 0; n < SHADES; n++)
			draw_use(out, m, use, n);
	fputs("</g>\n", out);
}

static void draw_legend(FILE *out, double y)
{
	double x = MARGIN;
	int use;

	for (use = 0; use < BFO_USES; use++) {
		fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" fill=\"%s\" "
			"stroke=\"#adb5bd\"/>\n", x, y - 10, uses[use].color);
		label(out, x + 18, y, "start", "#212529", uses[use].text);
		x += 40 + 7.2 * strlen(uses[use].text);
	}
}

/* ---- one volume ---- */

static void draw_title(FILE *out, const struct layout_side *s)
{
	const struct bfo_layout *m = &s->measured;
	char size[32], data[32], text[256];

	fprintf(out, "<text x=\"%d\" y=\"36\" font-size=\"20\" font-weight=\"bold\" "
		"fill=\"#212529\">", MARGIN);
	put_text(out, s->name);
	fputs("</text>\n", out);
	size_text(s->volume->blocks * s->volume->block_size, size, sizeof(size));
	size_text(m->pieces.blocks * s->volume->block_size, data, sizeof(data));
	snprintf(text, sizeof(text), "%s, %llu files in %llu directories, %s of data, %llu "
		 "fragments", size, (unsigned long long) m->pieces.files,
		 (unsigned long long) m->directories, data,
		 (unsigned long long) m->pieces.fragments.total);
	label(out, MARGIN, 60, "start", "#495057", text);
	snprintf(text, sizeof(text), "reading all files in readdir order: disk %.1f s, cloud "
		 "%.1f s, SSD %.1f s; by inode: %.1f, %.1f, %.1f s",
		 bfo_cost_disk(&m->cost_data[BFO_WALK_READDIR]),
		 bfo_cost_cloud(&m->cost_data[BFO_WALK_READDIR]),
		 bfo_cost_ssd(&m->cost_data[BFO_WALK_READDIR]),
		 bfo_cost_disk(&m->cost_data[BFO_WALK_INODE]),
		 bfo_cost_cloud(&m->cost_data[BFO_WALK_INODE]),
		 bfo_cost_ssd(&m->cost_data[BFO_WALK_INODE]));
	label(out, MARGIN, 80, "start", "#495057", text);
}

static void draw_map_title(FILE *out, const struct layout_side *s, const struct bfo_block_map *m)
{
	char text[128], size[32];

	fprintf(out, "<g font-weight=\"bold\">");
	label(out, MARGIN, MAP_TOP - 10, "start", "#212529", "map of blocks");
	snprintf(text, sizeof(text), "row by row; a cell is %s",
		 size_text(m->cell_blocks * s->volume->block_size, size, sizeof(size)));
	fputs("</g>\n", out);
	label(out, MARGIN + 110, MAP_TOP - 10, "start", "#495057", text);
	if (s->free_error)
		label(out, MARGIN + 400, MAP_TOP - 10, "start", "#d9480f",
		      "free space is not known");
}

static double map_bottom(void)
{
	return MAP_TOP + (double) BFO_MAP_CELLS / MAP_COLUMNS * MAP_WIDTH / MAP_COLUMNS;
}

static errcode_t draw_side(FILE *out, const struct layout_side *s)
{
	struct bfo_block_map *map = malloc(sizeof(*map));
	struct bfo_plot *plot = malloc(sizeof(*plot));

	if (!map || !plot) {
		free(map);
		free(plot);
		return ENOMEM;
	}
	draw_title(out, s);
	bfo_plot_inodes(&s->measured, plot);
	draw_plot(out, plot, MARGIN + LABELS, "readdir order &#8594; inode number",
		  "position in readdir order", &s->measured.inodes);
	bfo_plot_data(&s->measured, plot);
	draw_plot(out, plot, 2 * MARGIN + 2 * LABELS + PLOT, "inode number &#8594; first block",
		  "inode number", &s->measured.data);
	bfo_block_map(&s->measured, &s->free, s->volume->blocks, map);
	draw_map_title(out, s, map);
	draw_map(out, map);
	draw_legend(out, map_bottom() + 28);
	free(map);
	free(plot);
	return 0;
}

errcode_t layout_draw(const struct layout *l)
{
	int width = WIDTH * l->opt.n_volumes, height = map_bottom() + 52, k;
	errcode_t err = 0;
	FILE *out = l->svg;

	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n", width, height, width,
		height);
	for (k = 0; k < l->opt.n_volumes && !err; k++) {
		fprintf(out, "<g transform=\"translate(%d 0)\">\n", k * WIDTH);
		err = draw_side(out, &l->side[k]);
		fputs("</g>\n", out);
	}
	fputs("</svg>\n", out);
	return err;
}
