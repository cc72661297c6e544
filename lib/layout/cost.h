/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost.h - requests to a device, counted, and how long three kinds of device would take
 *
 * Requests follow each other one at a time.  The models, with the constants of cost.c:
 *
 *   disk    7200 rpm, 1 TB, 160 MB/s: a request that begins where the last one ended costs its
 *           transfer; any other the head's way, 0.8 ms + 13.3 ms * sqrt(distance / 1 TB), and half
 *           a turn; or, forward, the wait until the place passes under the head, if that is shorter
 *   cloud   3000 operations and 125 MB a second, whichever takes longer; a request is an
 *           operation per started 256 KiB
 *   ssd     80 us for every request, and 500 MB/s
 */
#ifndef BFO_LAYOUT_COST_H
#define BFO_LAYOUT_COST_H

#include <stdint.h>

struct bfo_cost {		/* zeroed at first */
	uint64_t requests, bytes;
	uint64_t noncontiguous;	/* that do not begin where the last one ended; and the first */
	uint64_t distance;	/* bytes from the end of each to the beginning of the next */
	uint64_t end;		/* of the last */
	uint64_t operations;	/* of a cloud volume */
	double seeks;		/* seconds of a disk, without transfers */
};

/* COUNT > 0 requests of LEN bytes each, one behind the other from byte START on. */
void bfo_cost_add(struct bfo_cost *c, uint64_t start, uint64_t len, uint64_t count);

/* Seconds. */
double bfo_cost_disk(const struct bfo_cost *c);
double bfo_cost_cloud(const struct bfo_cost *c);
double bfo_cost_ssd(const struct bfo_cost *c);

#endif
