/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send_level.h - the level of compression that lets a stream pass fastest
 *
 * Where the pipe is waited for, smaller bytes pass sooner; where threads are, less work does.  What
 * a step has gained is measured: a level that was slower is not tried again for a while, since
 * data, pipe and processors change.
 */
#ifndef BFO_EXPORT_SEND_LEVEL_H
#define BFO_EXPORT_SEND_LEVEL_H

#include <stddef.h>
#include <stdint.h>

#define BFO_SEND_LEVELS 6

struct bfo_send_level {
	size_t at;			/* of all levels, from the fastest on */
	double rates[BFO_SEND_LEVELS];	/* bytes a second, when it was the level; 0: not known */
	unsigned int looks;		/* since rates were forgotten */
};

/* What was seen over some time. */
struct bfo_send_look {
	double seconds;
	double blocked;			/* of these, waiting for the pipe; */
	double waited;			/* for threads that compress */
	uint64_t bytes;			/* that left, before they were compressed */
};

/* Begins with LEVEL of zstd (or BFO_PACKED_NONE), or the next higher one that "auto" has. */
void bfo_send_level_begin(struct bfo_send_level *l, int level);

/* The level to use from now on, after LOOK. */
void bfo_send_level_look(struct bfo_send_level *l, const struct bfo_send_look *look);

/* As zstd has it, or BFO_PACKED_NONE. */
int bfo_send_level(const struct bfo_send_level *l);

#endif
