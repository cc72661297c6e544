/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * processes.h - what a trace's processes are in the middle of
 *
 * A table of limited size, like a cache: each name belongs to one of BFO_PROCESS_SETS sets, in
 * which the one that came first makes room.
 */
#ifndef BFO_MINE_PROCESSES_H
#define BFO_MINE_PROCESSES_H

#include <stdint.h>

#include "mine/path_text.h"

#define BFO_PROCESS_SETS 128
#define BFO_PROCESS_WAYS 8
#define BFO_PROCESS_NAME 15		/* bytes; longer ones are not kept */

struct bfo_process {
	char name[BFO_PROCESS_NAME];
	uint8_t len;			/* of name; 0: unused */
	int pending;			/* kind of its unfinished call; 0: none */
	struct bfo_path *call;		/* path of that call; NULL if there never was one */
	struct bfo_path *cwd;		/* NULL: where the trace began */
};

struct bfo_processes {
	struct bfo_process v[BFO_PROCESS_SETS][BFO_PROCESS_WAYS];
	uint8_t next[BFO_PROCESS_SETS];	/* which is replaced next */
};

/* The process NAME, or NULL. */
struct bfo_process *bfo_processes_find(struct bfo_processes *p, const char *name, size_t len);

/* The process NAME, made if it is new; NULL if its name is too long. */
struct bfo_process *bfo_processes_get(struct bfo_processes *p, const char *name, size_t len);

/* Forgets a process. */
void bfo_process_clear(struct bfo_process *p);

/* Sets one of a process's paths; without memory for it, it has none. */
void bfo_process_set(struct bfo_path **at, const struct bfo_path *path);

void bfo_processes_free(struct bfo_processes *p);

#endif
