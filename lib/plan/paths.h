/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths.h - which files paths lead to, for who asks millions of times, often for the same
 *
 * Caches of limited size before bfo_lookup_file(), 17 MiB: of paths, and of their folders, as those
 * of references that lead nowhere are many, and can be thousands deep.  What they hold is found by
 * 64 bits of a hash of the path.
 *
 * Errors: ENOMEM.
 */
#ifndef BFO_PLAN_PATHS_H
#define BFO_PLAN_PATHS_H

#include "plan/plan.h"

struct bfo_path_slot {
	uint64_t hash;		/* 0: unused */
	bfo_row row;		/* index of the record, or BFO_NONE */
};

struct bfo_folder_slot {
	uint64_t hash;		/* 0: unused */
	uint32_t pos;		/* as in struct bfo_lookup */
	uint32_t found;
};

struct bfo_paths {
	struct bfo_plan *plan;
	struct bfo_path_slot *slots;
	struct bfo_folder_slot *folders;
};

/* The plan's order has to be settled. */
errcode_t bfo_paths_init(struct bfo_paths *p, struct bfo_plan *plan);
void bfo_paths_free(struct bfo_paths *p);

/* The record of the file that LEN bytes at PATH, plain and absolute, lead to, or BFO_NONE. */
errcode_t bfo_paths_find(struct bfo_paths *p, const char *path, size_t len, bfo_row *row);

#endif
