/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settings.h - what the environment asks of the preload, and what it tells when a process ends
 *
 * e2itree-run(1) sets these variables; names and meaning are documented there.
 */
#ifndef READDIR_SETTINGS_H
#define READDIR_SETTINGS_H

#include <stddef.h>

#define READDIR_MEMORY "E2ITREE_READDIR_MEMORY"		/* bytes */
#define READDIR_NO_INDEX "E2ITREE_READDIR_NO_INDEX"	/* not empty: do not look for one */
#define READDIR_EXPLAIN "E2ITREE_READDIR_EXPLAIN"	/* not empty: tell how often which way */

#define READDIR_MEMORY_DEFAULT (64UL << 20)
#define READDIR_MEMORY_LEAST (64UL << 10)

struct readdir_settings {
	size_t memory;		/* bytes that the names of one directory may take */
	int no_index;
	int explain;		/* a descriptor, or -1 */
};

const struct readdir_settings *readdir_settings(void);

/* How a directory was read. */
enum readdir_way {
	READDIR_BY_INDEX,
	READDIR_SORTED,		/* all of it in memory */
	READDIR_IN_RUNS,
	READDIR_PASSED,		/* as if there were no preload */
	READDIR_LEFT_INDEX,	/* begun by index, which was damaged, and sorted from there on */
	READDIR_WAYS
};

void readdir_count(enum readdir_way way);

#endif
