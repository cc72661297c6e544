/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refs_graph.h - groups of files from their references
 *
 *   add  add  first  add ...    groups    free
 *
 * A group is an entry point and what it refers to: in the order of the references, each followed
 * by what it refers to itself, down to DEPTH references from the entry point.  A file belongs to
 * one group: that of the first entry point that reaches it.  Entry points are taken in this order:
 *
 *  1. those named by bfo_refs_graph_first(): index.html
 *  2. files that nothing refers to
 *  3. the other files with references
 *
 * each in the order in which they were first added or named ("the first includer").  A file that
 * is in a group already is no entry point; what only it refers to is a group of its own then, if
 * it is two files or more.
 *
 * Errors: ENOMEM, BFO_ET_OVERFLOW.
 */
#ifndef BFO_MINE_REFS_GRAPH_H
#define BFO_MINE_REFS_GRAPH_H

#include "mine/groups.h"

struct bfo_refs_edge {
	uint32_t from, number, to;	/* number: counts the edges */
	uint32_t unused;
};

/* Zeroed: no references. */
struct bfo_refs_graph {
	BFO_VEC(struct bfo_refs_edge) edges;
	BFO_VEC(uint32_t) first;
	uint32_t limit;			/* ids are below */
};

/* File FROM refers to file TO; a file's references in their order.  Ids are below UINT32_MAX. */
errcode_t bfo_refs_graph_add(struct bfo_refs_graph *g, uint32_t from, uint32_t to);

/* FILE is an entry point before others. */
errcode_t bfo_refs_graph_first(struct bfo_refs_graph *g, uint32_t file);

/*
 * The groups, in the order of their entry points.  DEPTH 0 is taken as 1.  OUT was zeroed; the
 * caller frees it.  Sorts the edges; nothing can be added afterwards, but this can be done again.
 * Time: O(edges + highest id); memory: 16 bytes per edge, and while it works 5 per id and 8 per
 * file with references.
 */
errcode_t bfo_refs_graph_groups(struct bfo_refs_graph *g, uint32_t depth, struct bfo_groups *out);

void bfo_refs_graph_free(struct bfo_refs_graph *g);

#endif
