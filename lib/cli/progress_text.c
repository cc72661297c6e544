// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * progress_text.c - how far the work has come, in words, as a bar, as JSON
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/json.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/result.h"
#include "cli/size.h"

#define WIDTH 24		/* of the bar */
#define MB 1e6

/* A text that grows, and is cut off where the room ends. */
struct text {
	char *out;
	size_t size, n;
};

static void add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->out + t->n, t->size - t->n, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->n += (size_t) n < t->size - t->n ? (size_t) n : t->size - t->n - 1;
}

static void add_stage(struct text *t, const struct progress_state *s)
{
	add(t, s->part ? "%s: %s" : "%s", s->label, s->part);
}

/* "45 s", "2:05", "1:00:00" */
static void add_time(struct text *t, double seconds)
{
	unsigned long whole = seconds < 1e9 ? ceil(seconds) : 1e9;

	if (whole < 100)
		add(t, "%lu s", whole);
	else if (whole < 3600)
		add(t, "%lu:%02lu", whole / 60, whole % 60);
	else
		add(t, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
}

static void add_left(struct text *t, const char *before, const struct progress_state *s)
{
	if (s->left < 0 || s->share >= 1)
		return;
	add(t, "%s", before);
	add_time(t, s->left);
	add(t, " left");
}

static void add_amount(struct text *t, const struct progress_state *s)
{
	char done[32], total[32];

	if (s->in_bytes)
		add(t, ", %s", size_text(s->done, done, sizeof(done)));
	if (s->in_bytes && s->total)
		add(t, " of %s", size_text(s->total, total, sizeof(total)));
	if (s->files)
		add(t, ", %llu file%s", (unsigned long long) s->files, s->files == 1 ? "" : "s");
	if (s->in_bytes && s->rate >= 0)
		add(t, ", %.1f MB/s", s->rate / MB);
}

const char *progress_line(const struct progress_state *s, char *out, size_t size)
{
	struct text t = { .out = out, .size = size };

	add(&t, "%s: ", message_speaker());
	add_stage(&t, s);
	if (s->share >= 0)
		add(&t, ": %.0f %%", floor(100 * s->share));
	add_amount(&t, s);
	add_left(&t, ", ", s);
	add(&t, "\n");
	return out;
}

const char *progress_bar(const struct progress_state *s, char *out, size_t size)
{
	struct text t = { .out = out, .size = size };
	int i;

	add_stage(&t, s);
	if (s->share >= 0) {
		add(&t, " [");
		for (i = 0; i < WIDTH; i++)
			add(&t, "%c", i < s->share * WIDTH ? '#' : '.');
		add(&t, "] %3.0f %%", s->share * 100);
	}
	if (s->in_bytes && s->rate >= 0) {
		add(&t, "  %.0f MB/s", s->rate / MB);
		if (s->files)
			add(&t, "  %.0f files/s", s->files / (s->done / s->rate));
		add_left(&t, "  ", s);
	}
	return out;
}

/* VALUE rounded to so many digits that nobody takes it for exact; null if it is not known. */
static void put_estimate(struct json *j, const char *name, double value)
{
	json_real(j, name, value < 0 ? NAN : value);
}

const char *progress_object(const struct progress_state *s, char *out, size_t size)
{
	struct json j = { .out = fmemopen(out, size, "w") };

	*out = 0;
	if (!j.out)
		return out;
	json_open(&j, NULL, '{');
	json_string(&j, "program", message_speaker());
	json_number(&j, "schema", RESULT_SCHEMA);
	json_string(&j, "stage", s->word);
	json_string(&j, "part", s->part_word);
	json_string(&j, "unit", s->in_bytes ? "bytes" : "things");
	json_number(&j, "done", s->done);
	json_number(&j, "total", s->total);
	put_estimate(&j, "percent", s->share < 0 ? -1 : 100 * s->share);
	json_number(&j, "files", s->files);
	put_estimate(&j, "per_second", s->rate);
	put_estimate(&j, "seconds_left", s->left);
	json_real(&j, "seconds", s->seconds);
	json_close(&j, '}');
	fputs("\n", j.out);
	fclose(j.out);
	return out;
}
