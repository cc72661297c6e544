/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pace.h - so many bytes a second, and not more in any one
 *
 * A bucket that fills at the rate less what it holds: whatever second one looks at, it begins with
 * at most a full bucket, so bucket and inflow together are the limit.
 *
 *   limit  = burst + fill		bytes a second
 *   burst  = limit / 32, at least BFO_PACE_BURST, at most half of the limit
 *
 * Whoever asks for more than `burst` at once gets it, and owes: so ask for less.
 */
#ifndef BFO_BASE_PACE_H
#define BFO_BASE_PACE_H

#include <signal.h>
#include <stdint.h>

#include "base/clock.h"

#define BFO_PACE_BURST (64U << 10)	/* bytes: the largest block */
#define BFO_PACE_LEAST (2 * BFO_PACE_BURST)	/* bytes a second: less would have no inflow */

struct bfo_pace {
	uint64_t burst;			/* bytes that may come at once */
	double fill;			/* bytes a second */
	double have;			/* bytes that may come now; below 0: owed */
	double last;			/* when that was */
	const struct bfo_timer *timer;
	const volatile sig_atomic_t *cancel;	/* then nobody waits any more; may be NULL */
};

/* LIMIT is BFO_PACE_LEAST or more. */
void bfo_pace_init(struct bfo_pace *p, uint64_t limit, const struct bfo_timer *timer,
		   const volatile sig_atomic_t *cancel);

/* Waits until BYTES more may come.  A P of NULL is no limit. */
void bfo_pace_take(struct bfo_pace *p, uint64_t bytes);

#endif
