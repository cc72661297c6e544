// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refs_graph.c - groups of files from their references
 *
 * The edges, sorted by file and number, are the lists of references; `begin` says where that of a
 * file begins.  Walked depth first with a stack of positions in them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "mine/refs_graph.h"

/* What is known of a file. */
enum { TAKEN = 1, REFERRED = 2 };

/* What is left of a list of references: edges next .. end - 1. */
struct list {
	uint32_t next, end;
};

/* A file with references, and the first of them. */
struct entry {
	uint32_t number, file;
};

struct walk {
	const struct bfo_refs_graph *g;
	struct bfo_groups *out;
	uint32_t *begin;		/* by file: its first edge; one more: the end */
	BFO_VEC(struct entry) entries;	/* in the order in which they were added */
	uint8_t *marks;			/* by file */
	uint32_t depth;
	BFO_VEC(struct list) stack;	/* of the files on the way */
};

static errcode_t note(struct bfo_refs_graph *g, uint32_t file)
{
	if (file == UINT32_MAX)
		return BFO_ET_OVERFLOW;
	if (g->limit <= file)
		g->limit = file + 1;
	return 0;
}

errcode_t bfo_refs_graph_add(struct bfo_refs_graph *g, uint32_t from, uint32_t to)
{
	errcode_t err = note(g, from);

	if (!err)
		err = note(g, to);
	if (!err && g->edges.n == UINT32_MAX)
		err = BFO_ET_OVERFLOW;
	return err ? err : bfo_vec_push(&g->edges, (struct bfo_refs_edge) {
		.from = from, .number = g->edges.n, .to = to });
}

errcode_t bfo_refs_graph_first(struct bfo_refs_graph *g, uint32_t file)
{
	errcode_t err = note(g, file);

	return err ? err : bfo_vec_push(&g->first, file);
}

void bfo_refs_graph_free(struct bfo_refs_graph *g)
{
	bfo_vec_free(&g->edges);
	bfo_vec_free(&g->first);
	g->limit = 0;
}

static errcode_t enter(struct walk *w, uint32_t file)
{
	return bfo_vec_push(&w->stack, (struct list) { w->begin[file], w->begin[file + 1] });
}

/* FILE is the group's next member; then come its references, unless they are too deep. */
static errcode_t take(struct walk *w, uint32_t file)
{
	errcode_t err = bfo_vec_push(&w->out->files, file);

	w->marks[file] |= TAKEN;
	return err || w->stack.n == w->depth ? err : enter(w, file);
}

/* Follows the references on the stack. */
static errcode_t descend(struct walk *w)
{
	struct list *top;
	errcode_t err = 0;
	uint32_t file;

	while (w->stack.n && !err) {
		top = &w->stack.v[w->stack.n - 1];
		if (top->next == top->end) {
			w->stack.n--;
			continue;
		}
		file = w->g->edges.v[top->next++].to;
		if (!(w->marks[file] & TAKEN))
			err = take(w, file);
	}
	return err;
}

/* The group of entry point FILE, if there are two files or more for it. */
static errcode_t make_group(struct walk *w, uint32_t file)
{
	struct bfo_groups *out = w->out;
	uint32_t start = out->files.n, len;
	errcode_t err;

	w->stack.n = 0;
	err = w->marks[file] & TAKEN ? enter(w, file) : take(w, file);
	if (!err)
		err = descend(w);
	if (err)
		return err;
	len = out->files.n - start;
	if (len > 1)
		return bfo_vec_push(&out->groups, (struct bfo_group) {
			.start = start, .len = len });
	if (len)
		w->marks[out->files.v[start]] &= ~TAKEN;
	out->files.n = start;
	return 0;
}

/* Sorts the edges; finds where those of each file begin, who is referred to, and entry points. */
static errcode_t prepare(struct walk *w, struct bfo_refs_graph *g)
{
	const struct bfo_refs_edge *e;
	errcode_t err = 0;
	uint32_t i, file;

	bfo_sort(g->edges.v, g->edges.n, sizeof(*g->edges.v), 2);
	for (i = file = 0; i < g->edges.n && !err; i++) {
		e = &g->edges.v[i];
		if (!i || e[-1].from != e->from)
			err = bfo_vec_push(&w->entries, (struct entry) { e->number, e->from });
		while (file <= e->from)
			w->begin[file++] = i;
		if (e->from != e->to)
			w->marks[e->to] |= REFERRED;
	}
	while (file <= g->limit)
		w->begin[file++] = g->edges.n;
	bfo_sort(w->entries.v, w->entries.n, sizeof(*w->entries.v), 1);
	return err;
}

static errcode_t make_groups(struct walk *w)
{
	const struct bfo_refs_graph *g = w->g;
	errcode_t err = 0;
	uint32_t i;

	for (i = 0; i < g->first.n && !err; i++)
		err = make_group(w, g->first.v[i]);
	for (i = 0; i < w->entries.n && !err; i++)
		if (!(w->marks[w->entries.v[i].file] & REFERRED))
			err = make_group(w, w->entries.v[i].file);
	for (i = 0; i < w->entries.n && !err; i++)
		if (w->marks[w->entries.v[i].file] & REFERRED)
			err = make_group(w, w->entries.v[i].file);
	return err;
}

errcode_t bfo_refs_graph_groups(struct bfo_refs_graph *g, uint32_t depth, struct bfo_groups *out)
{
	struct walk w = { .g = g, .out = out, .depth = depth ? depth : 1 };
	errcode_t err = ENOMEM;

	w.begin = calloc((size_t) g->limit + 1, sizeof(*w.begin));
	w.marks = calloc((size_t) g->limit + 1, 1);
	if (w.begin && w.marks)
		err = prepare(&w, g);
	if (!err)
		err = make_groups(&w);
	free(w.begin);
	free(w.marks);
	bfo_vec_free(&w.entries);
	bfo_vec_free(&w.stack);
	return err;
}
