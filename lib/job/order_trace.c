// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * order_trace.c - groups of files that were used together
 *
 * The trace is read line by line; what is kept of it is what bfo_mine keeps, a cache of paths, and
 * which files it has, in the order of their first access.  They are placed in that order, but with
 * its first member comes all of a group:
 *
 *   trace     a b c a b d c a b		placed   a b | c d
 *   group     a b
 *
 * Mining finds what comes together again and again; what comes once, as the sources of a program
 * do, comes together, too.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "mine/mine.h"
#include "mine/trace_text.h"
#include "job/copy.h"
#include "plan/paths.h"

#define TEXT_BYTES (4 * BFO_TRACE_LINE)

struct trace {
	struct bfo_copy *c;
	struct bfo_trace_text *text;
	struct bfo_mine *mine;
	struct bfo_paths paths;
	char *buffer;			/* TEXT_BYTES; used: at .. end */
	size_t at, end;
	/* what comes up to the next newline belongs to too long a line */
	int is_long;
	struct bfo_path path;
	int is_trace;			/* it has an access, whatever to */
	uint64_t *met;			/* bit per record */
	BFO_VEC(uint32_t) first;	/* the records of those bits, in the order of the trace */
};

static errcode_t failed(const struct trace *t, errcode_t err)
{
	return bfo_fail(t->c->ctx, err, "reading %s", t->c->opt.order.trace);
}

/* Reads more behind what is left of the buffer; *MORE is 0 at the end of the file. */
static errcode_t fill(struct trace *t, int *more)
{
	FILE *f = t->c->order.trace;
	size_t got;

	memmove(t->buffer, t->buffer + t->at, t->end - t->at);
	t->end -= t->at;
	t->at = 0;
	errno = 0;
	got = fread(t->buffer + t->end, 1, TEXT_BYTES - t->end, f);
	t->end += got;
	*more = got > 0;
	if (bfo_cancelled(t->c->ctx))
		return bfo_fail(t->c->ctx, BFO_ET_CANCELLED, "planning");
	return ferror(f) ? failed(t, errno ? errno : EIO) : 0;
}

/*
 * The path in the source that access A means: without the directory where the source was mounted,
 * below the one where a web server's begin.  0: none.
 */
static int find_place(struct trace *t, const struct bfo_trace_access *a)
{
	const struct bfo_order_options *o = &t->c->opt.order;
	const char *path = a->path, *root = o->root ? o->root : "/";
	size_t len = a->len, skip = o->mount ? strlen(o->mount) : 0;

	while (skip && o->mount[skip - 1] == '/')
		skip--;
	if (skip && (len <= skip || memcmp(path, o->mount, skip) || path[skip] != '/'))
		return 0;
	for (path += skip, len -= skip; len && *path == '/'; len--)
		path++;
	return bfo_path_join(&t->path, root, strlen(root), path, len);
}

static errcode_t note_first(struct trace *t, bfo_row row)
{
	uint64_t bit = 1ULL << row % 64;

	if (t->met[row / 64] & bit)
		return 0;
	t->met[row / 64] |= bit;
	return bfo_vec_push(&t->first, row);
}

static errcode_t add_access(struct trace *t, const struct bfo_trace_access *a)
{
	bfo_row row = BFO_NONE;
	errcode_t err = 0;

	if (find_place(t, a) && (!a->folder || bfo_path_join(&t->path, t->path.text, t->path.len,
							     "index.html", 10)))
		err = bfo_paths_find(&t->paths, t->path.text, t->path.len, &row);
	if (!err && row == BFO_NONE)
		t->c->order.missing[BFO_ORDER_TRACE]++;
	else if (!err)
		err = note_first(t, row);
	if (!err && row != BFO_NONE)
		err = bfo_mine_add(t->mine, bfo_trace_text_stream(a), row);
	return err;
}

static errcode_t add_line(struct trace *t, const char *line, size_t len)
{
	struct bfo_trace_access a;
	int is_long = t->is_long;

	t->is_long = 0;
	if (is_long || !bfo_trace_text_line(t->text, line, len, &a))
		return 0;
	t->is_trace |= !a.is_guess;
	return add_access(t, &a);
}

/* All lines that are whole in the buffer. */
static errcode_t add_lines(struct trace *t)
{
	errcode_t err = 0;
	char *end;

	while (!err && (end = memchr(t->buffer + t->at, '\n', t->end - t->at))) {
		err = add_line(t, t->buffer + t->at, end - t->buffer - t->at);
		t->at = end + 1 - t->buffer;
	}
	if (t->end - t->at > BFO_TRACE_LINE) {
		t->is_long = 1;
		t->at = t->end;
	}
	return err;
}

static errcode_t read_trace(struct trace *t)
{
	const struct bfo_order_options *o = &t->c->opt.order;
	int more;
	errcode_t err = fill(t, &more);

	if (!err)
		err = bfo_trace_text_open(&t->text, bfo_trace_text_detect(t->buffer, t->end),
					  o->mount ? o->mount : "/");
	while (!err && more) {
		err = add_lines(t);
		if (!err)
			err = fill(t, &more);
	}
	if (!err && t->end > t->at)
		err = add_line(t, t->buffer + t->at, t->end - t->at);
	if (!err && !t->is_trace && !t->first.n)
		err = bfo_fail(t->c->ctx, BFO_ET_NO_TRACE, "reading %s: no line of it is an access "
			       "of strace, fatrace or a web server's log, or a path that begins "
			       "with a slash, or one of the source", o->trace);
	return err;
}

static errcode_t trace_init(struct trace *t)
{
	const struct bfo_order_options *o = &t->c->opt.order;
	struct bfo_mine_options options = BFO_MINE_DEFAULTS;
	errcode_t err;

	if (o->support)
		options.support = o->support / 100.0;
	if (o->window)
		options.window = o->window;
	t->buffer = malloc(TEXT_BYTES);
	t->met = calloc(t->c->job.tree.inodes.n / 64 + 1, sizeof(*t->met));
	if (!t->buffer || !t->met)
		return ENOMEM;
	err = bfo_paths_init(&t->paths, &t->c->job.plan);
	return err ? err : bfo_mine_open(&t->mine, &options);
}

/*
 * Files of no group that come one after the other: what is written as one need not be listed as
 * one.
 */
static errcode_t take_others(struct trace *t, const bfo_row *inodes, size_t n)
{
	struct bfo_sequence *s = &t->c->order.sequence;
	errcode_t err;

	if (n != 1)
		return bfo_sequence_take_group(s, BFO_ORDER_TRACE, 0, inodes, n);
	err = bfo_sequence_group(s, BFO_ORDER_TRACE);
	return err ? err : bfo_sequence_take(s, *inodes);
}

/* The group of each record, counted from 1; 0: none. */
static uint32_t *map_groups(const struct trace *t, const struct bfo_groups *g)
{
	uint32_t *of = calloc(t->c->job.tree.inodes.n + 1, sizeof(*of)), i, k;

	for (i = 0; of && i < g->groups.n; i++)
		for (k = 0; k < g->groups.v[i].len; k++)
			of[g->files.v[g->groups.v[i].start + k]] = i + 1;
	return of;
}

static errcode_t take_all(struct trace *t, const struct bfo_groups *g)
{
	uint32_t *of = map_groups(t, g), group;
	size_t i, others = 0, n = t->first.n;
	errcode_t err = of ? 0 : ENOMEM;

	for (i = 0; i < n && !err; i++) {
		const struct bfo_group *found;

		group = of[t->first.v[i]];
		if (!group)
			continue;
		err = take_others(t, t->first.v + others, i - others);
		others = i + 1;
		found = &g->groups.v[group - 1];
		if (!err)
			err = bfo_sequence_take_group(&t->c->order.sequence, BFO_ORDER_TRACE,
						      found->support, g->files.v + found->start,
						      found->len);
	}
	if (!err)
		err = take_others(t, t->first.v + others, n - others);
	free(of);
	return err;
}

errcode_t bfo_order_by_trace(struct bfo_copy *c)
{
	struct bfo_groups groups = { 0 };
	struct trace *t = calloc(1, sizeof(*t));
	errcode_t err;

	if (!t)
		return bfo_fail(c->ctx, ENOMEM, "reading %s", c->opt.order.trace);
	t->c = c;
	err = trace_init(t);
	if (!err)
		err = read_trace(t);
	if (!err)
		err = bfo_mine_finish(t->mine, &groups);
	if (err == ENOMEM || err == BFO_ET_OVERFLOW)
		failed(t, err);
	if (!err)
		err = take_all(t, &groups);
	bfo_groups_free(&groups);
	bfo_mine_close(t->mine);
	bfo_trace_text_close(t->text);
	bfo_paths_free(&t->paths);
	bfo_vec_free(&t->first);
	free(t->met);
	free(t->buffer);
	free(t);
	return err;
}
