// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mapfile.c - the mapfile of GNU ddrescue
 *
 * Its format: the chapter "Mapfile structure" of ddrescue's manual.  Lines longer than LINE_BYTES
 * can only be comments.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "device/mapfile.h"

#define LINE_BYTES 1024
#define FIELDS 4		/* more than a line may have */

static const char statuses[] = "?*/-+";		/* in the order in which ddrescue does its work */

struct reading {
	struct bfo_mapfile *map;
	int begun;		/* the status line has come */
};

static int read_number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !errno && !*end && *value <= INT64_MAX;
}

static int read_status(const char *text, const char *allowed)
{
	return *text && !text[1] && strchr(allowed, *text);
}

/* What was left out was not tried. */
static errcode_t fill_to(struct bfo_mapfile *map, uint64_t start)
{
	const struct bfo_area *last = map->areas.n ? &map->areas.v[map->areas.n - 1] : NULL;
	uint64_t end = last ? last->start + last->len : 0;

	if (start <= end)
		return 0;
	return bfo_vec_push(&map->areas, (struct bfo_area) { .start = end, .len = start - end,
			    .status = '?' });
}

static errcode_t take_area(struct bfo_mapfile *map, char **field)
{
	const struct bfo_area *last = map->areas.n ? &map->areas.v[map->areas.n - 1] : NULL;
	struct bfo_area a;
	errcode_t err;

	if (!read_number(field[0], &a.start) || !read_number(field[1], &a.len) ||
	    a.len > INT64_MAX - a.start || !read_status(field[2], statuses) ||
	    (last && a.start < last->start + last->len))
		return BFO_ET_MAPFILE;
	if (!a.len)
		return 0;
	a.status = *field[2];
	err = fill_to(map, a.start);
	return err ? err : bfo_vec_push(&map->areas, a);
}

/* LINE without its comment: the status line, an area, or nothing. */
static errcode_t take_line(struct reading *r, char *line)
{
	char *field[FIELDS], *save, *word;
	uint64_t number;
	int n = 0;

	for (word = strtok_r(line, " \t\r\n", &save); word && *word != '#' && n < FIELDS;
	     word = strtok_r(NULL, " \t\r\n", &save))
		field[n++] = word;
	if (!n)
		return 0;
	if (r->begun)
		return n == 3 ? take_area(r->map, field) : BFO_ET_MAPFILE;
	r->begun = 1;
	if ((n == 2 || n == 3) && read_number(field[0], &number) &&
	    read_status(field[1], "?*/-FG+") && (n == 2 || read_number(field[2], &number)))
		return 0;
	return BFO_ET_MAPFILE;
}

/* A line that did not fit: fine if what did not is a comment. */
static errcode_t skip_rest(FILE *f, const char *line)
{
	const char *mark = strchr(line, '#');
	int c;

	if (!mark || (mark > line && !strchr(" \t", mark[-1])))
		return BFO_ET_MAPFILE;
	do
		c = getc(f);
	while (c != '\n' && c != EOF);
	return 0;
}

static errcode_t read_lines(struct bfo_context *ctx, FILE *f, const char *path,
			    struct bfo_mapfile *map)
{
	struct reading r = { .map = map };
	unsigned long number = 0;
	char line[LINE_BYTES];
	errcode_t err = 0;
	size_t len;

	while (!err && fgets(line, sizeof(line), f)) {
		len = strlen(line);
		number++;
		if (len == sizeof(line) - 1 && line[len - 1] != '\n')
			err = skip_rest(f, line);
		if (!err)
			err = take_line(&r, line);
	}
	if (err)
		return bfo_fail(ctx, err, "reading line %lu of %s", number, path);
	if (ferror(f))
		return bfo_fail(ctx, errno ? errno : EIO, "reading %s", path);
	return r.begun ? 0 : bfo_fail(ctx, BFO_ET_MAPFILE, "reading %s: it has no status line",
				      path);
}

errcode_t bfo_mapfile_read(struct bfo_context *ctx, const char *path, struct bfo_mapfile *map)
{
	FILE *f = fopen(path, "re");
	errcode_t err;

	*map = (struct bfo_mapfile) { 0 };
	if (!f)
		return bfo_fail(ctx, errno, "opening %s", path);
	err = read_lines(ctx, f, path, map);
	fclose(f);
	if (err)
		bfo_mapfile_free(map);
	return err;
}

void bfo_mapfile_free(struct bfo_mapfile *map)
{
	bfo_vec_free(&map->areas);
}

errcode_t bfo_mapfile_begin(struct bfo_mapfile *map, uint64_t size)
{
	*map = (struct bfo_mapfile) { 0 };
	return fill_to(map, size);
}

int bfo_mapfile_has(const struct bfo_mapfile *map, uint64_t start, uint64_t len)
{
	size_t i = bfo_vec_lower(&map->areas, start, start + 1);

	if (!i--)
		return !len;
	for (; len && i < map->areas.n && map->areas.v[i].status == '+'; i++) {
		uint64_t end = map->areas.v[i].start + map->areas.v[i].len;

		if (start < map->areas.v[i].start || start >= end)
			return 0;
		len = len < end - start ? 0 : len - (end - start);
		start = end;
	}
	return !len;
}

/* Appends [START, END) to OUT, joined to what is like it. */
static errcode_t append(struct bfo_mapfile *out, uint64_t start, uint64_t end, char status)
{
	struct bfo_area *last = out->areas.n ? &out->areas.v[out->areas.n - 1] : NULL;

	if (start == end)
		return 0;
	if (last && last->status == status && last->start + last->len == start) {
		last->len += end - start;
		return 0;
	}
	return bfo_vec_push(&out->areas, (struct bfo_area) { .start = start, .len = end - start,
			    .status = status });
}

/* One area that may be cut by ranges from *NEXT on. */
static errcode_t mark_area(struct bfo_mapfile *out, const struct bfo_area *a,
			   const bfo_ranges *ranges, size_t *next, char status)
{
	uint64_t at = a->start, end = a->start + a->len, lo, hi;
	errcode_t err = 0;

	while (*next < ranges->n && ranges->v[*next].start + ranges->v[*next].len <= at)
		++*next;
	for (; *next < ranges->n && ranges->v[*next].start < end && !err; ++*next) {
		lo = ranges->v[*next].start > at ? ranges->v[*next].start : at;
		hi = ranges->v[*next].start + ranges->v[*next].len;
		err = append(out, at, lo, a->status);
		at = hi < end ? hi : end;
		if (!err)
			err = append(out, lo, at, status);
		if (hi >= end)
			break;			/* it may go on in the next area */
	}
	return err ? err : append(out, at, end, a->status);
}

errcode_t bfo_mapfile_mark(struct bfo_mapfile *map, const bfo_ranges *ranges, char from,
			   char status)
{
	struct bfo_mapfile out = { 0 };
	errcode_t err = 0;
	size_t i, next = 0;

	for (i = 0; i < map->areas.n && !err; i++) {
		const struct bfo_area *a = &map->areas.v[i];

		err = a->status == from ? mark_area(&out, a, ranges, &next, status)
					: append(&out, a->start, a->start + a->len, a->status);
	}
	if (err) {
		bfo_mapfile_free(&out);
		return err;
	}
	bfo_mapfile_free(map);
	*map = out;
	return 0;
}

const struct bfo_area *bfo_mapfile_next(const struct bfo_mapfile *map, char *phase)
{
	const char *s;
	size_t i;

	for (s = statuses; *s != '+'; s++)
		for (i = 0; i < map->areas.n; i++)
			if (map->areas.v[i].status == *s) {
				*phase = *s;
				return &map->areas.v[i];
			}
	*phase = '+';
	return NULL;
}
