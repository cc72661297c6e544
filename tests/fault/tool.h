/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tool.h - what the parts of the program "fault" share: it ends at the first thing that keeps it
 * from working, as tests do.  Memory and texts that are made here live until the program ends,
 * but for what says otherwise.
 */
#ifndef FAULT_TOOL_H
#define FAULT_TOOL_H

#include <err.h>
#include <stddef.h>
#include <stdint.h>

static inline void *must(void *memory)
{
	if (!memory)
		err(2, "memory");
	return memory;
}

/* printf() into new memory. */
char *text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Numbers that a seed makes: splitmix64. */
struct dice {
	uint64_t state;
};

uint64_t dice_next(struct dice *d);

static inline uint64_t dice_below(struct dice *d, uint64_t n)
{
	return dice_next(d) % n;
}

#endif
