// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_mapfile.c - device/mapfile: what is taken for a mapfile, and what it then says
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "device/mapfile.h"

#define BYTES 300		/* of the model */

static errcode_t read_text(const char *text, size_t len, struct bfo_mapfile *map)
{
	struct bfo_context ctx = { 0 };
	char *path = unit_path("map");
	FILE *f = fopen(path, "w");
	errcode_t err;

	want(f && fwrite(text, 1, len, f) == len && !fclose(f));
	err = bfo_mapfile_read(&ctx, path, map);
	want(!err == !*ctx.what);
	free(path);
	return err;
}

/* As ddrescue writes it, and as its manual allows. */
static const struct {
	const char *text;
	size_t areas;		/* 0: refused */
} samples[] = {
	{ "# Mapfile. Created by GNU ddrescue version 1.27\n# Command line: x\n"
	  "# current_pos  current_status  current_pass\n0x00120000     ?               1\n"
	  "#      pos        size  status\n0x00000000  0x00117000  +\n"
	  "0x00117000  0x00000200  -\n0x00117200  0x00001000  /\n"
	  "0x00118200  0x00007E00  *\n0x00120000  0x00048000  ?\n", 5 },
	{ "0 +\n0 10 +\n", 1 },		/* before passes were counted */
	{ "0 G 1\n0 10 +\n", 1 },
	{ "0 + 1", 0x100 },			/* no areas: nothing was read */
	{ "0 + 1\n0 010 + # octal\n8 0x8 -# no comment\n", 0 },
	{ "0 + 1\n0 010 + # octal\n8 0x8 - # hexadecimal\n", 2 },
	{ "\t 0 \t + 1 \r\n\n 0 10 +\r\n", 1 },
	{ "0 + 1\n5 5 +\n", 2 },		/* what is left out was not tried */
	{ "0 + 1\n0 5 +\n6 5 +\n", 3 },
	{ "0 + 1\n0 0 -\n0 5 +\n", 1 },
	{ "0 + 1\n0 5 +\n4 5 +\n", 0 },	/* overlap */
	{ "0 + 1\n5 5 +\n0 5 +\n", 0 },	/* descending */
	{ "", 0 },
	{ "# only a comment\n", 0 },
	{ "0 5 +\n", 0 },			/* no status line */
	{ "0 + 1\n0 5\n", 0 },
	{ "0 + 1\n0 5 + 1\n", 0 },
	{ "0 + 1\n0 5 F\n", 0 },
	{ "0 + 1\n0 5 ++\n", 0 },
	{ "0 + 1\n-1 5 +\n", 0 },
	{ "0 + 1\n0 5x +\n", 0 },
	{ "0 + 1\n0 09 +\n", 0 },
	{ "0 + 1\n0 0x7fffffffffffffff +\n", 1 },
	{ "0 + 1\n0 0x8000000000000000 +\n", 0 },
	{ "0 + 1\n1 0x7fffffffffffffff +\n", 0 },
	{ "0 + 1\n0 99999999999999999999 +\n", 0 },
	{ "0 x 1\n0 5 +\n", 0 },
	{ "0 + x\n0 5 +\n", 0 },
};

START_TEST(knows_a_mapfile)
{
	struct bfo_mapfile map;
	size_t i;

	for (i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		const char *text = samples[i].text;

		if (samples[i].areas) {
			want_ok(read_text(text, strlen(text), &map));
			want_eq(map.areas.n, samples[i].areas & 0xff);
		} else {
			want_err(read_text(text, strlen(text), &map), BFO_ET_MAPFILE);
		}
		bfo_mapfile_free(&map);
	}
}
END_TEST

START_TEST(takes_long_comments)
{
	char *text = unit_alloc(1 << 20), *at = text;
	struct bfo_mapfile map;

	at += sprintf(at, "0 + 1\n0 5 + #");
	memset(at, 'x', 100000);
	at += 100000;
	at += sprintf(at, "\n5 5 -\n");
	want_ok(read_text(text, at - text, &map));
	want_eq(map.areas.n, 2);
	bfo_mapfile_free(&map);
	at += sprintf(at, "%9000s\n", "10 5 +");
	want_err(read_text(text, at - text, &map), BFO_ET_MAPFILE);
	free(text);
}
END_TEST

static void want_contiguous(const struct bfo_mapfile *map)
{
	uint64_t end = 0;
	size_t i;

	for (i = 0; i < map->areas.n; i++) {
		want_eq(map->areas.v[i].start, end);
		want(map->areas.v[i].len && strchr("?*/-+", map->areas.v[i].status));
		end += map->areas.v[i].len;
	}
}

/* Whatever is refused or taken: what is taken has no gaps. */
START_TEST(survives_anything)
{
	static const char pieces[] = "0123456789abcdefxX+-*/?#FG \t\n\r\0\xff";
	char text[600];
	struct bfo_mapfile map;
	uint32_t trial, i, len;
	struct chance c;

	chance_init(&c, 3400 + _i);
	for (trial = 0; trial < 300; trial++) {
		snprintf(text, sizeof(text), "%s", samples[chance_below(&c, 8)].text);
		len = strlen(text);
		for (i = chance_below(&c, 6); i && len; i--)
			text[chance_below(&c, len)] =
				pieces[chance_below(&c, sizeof(pieces) - 1)];
		if (!read_text(text, chance_below(&c, 4) ? len : chance_below(&c, len + 1), &map))
			want_contiguous(&map);
		bfo_mapfile_free(&map);
	}
}
END_TEST

/* A byte of the map. */
static char status_at(const struct bfo_mapfile *map, uint64_t at)
{
	size_t i;

	for (i = 0; i < map->areas.n; i++)
		if (at - map->areas.v[i].start < map->areas.v[i].len)
			return map->areas.v[i].status;
	return 0;
}

START_TEST(marks_bytes)
{
	char model[BYTES + 1], from, to;
	struct bfo_mapfile map;
	uint32_t trial, i, at, len;
	bfo_ranges r = { 0 };
	struct chance c;

	chance_init(&c, 3500);
	for (trial = 0; trial < 300; trial++) {
		want_ok(bfo_mapfile_begin(&map, BYTES));
		memset(model, '?', BYTES);
		for (i = 0; i < 8; i++) {
			from = "?+-"[chance_below(&c, 3)];
			to = "+-*"[chance_below(&c, 3)];
			r.n = 0;
			for (at = chance_below(&c, 40); at < BYTES; at += len + 1 +
			     chance_below(&c, 40)) {
				len = chance_between(&c, 1, 60);
				want_ok(bfo_ranges_append(&r, at, len));
			}
			for (at = 0; at < BYTES; at++)
				if (model[at] == from && bfo_ranges_contain(&r, at))
					model[at] = to;
			want_ok(bfo_mapfile_mark(&map, &r, from, to));
			want_contiguous(&map);
			for (at = 0; at < BYTES; at++)
				want_eq(status_at(&map, at), model[at]);
			at = chance_below(&c, BYTES);
			len = chance_below(&c, 20);
			want_eq(bfo_mapfile_has(&map, at, len), at + len <= BYTES &&
				strspn(strncpy((char [21]) { 0 }, model + at, len), "+") == len);
		}
		bfo_mapfile_free(&map);
	}
	bfo_vec_free(&r);
}
END_TEST

Suite *mapfile_suite(void)
{
	Suite *s = suite_create("mapfile");

	unit_case(s, "knows_a_mapfile", knows_a_mapfile, 0);
	unit_case(s, "takes_long_comments", takes_long_comments, 0);
	unit_case(s, "survives_anything", survives_anything, 4);
	unit_case(s, "marks_bytes", marks_bytes, 0);
	return s;
}
