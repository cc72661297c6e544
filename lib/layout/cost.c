// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cost.c - requests to a device, counted, and how long three kinds of device would take
 *
 * The models are those of the benchmarks (tests/bench/e2bench/models.py), for readers; e2bfo(8)
 * tells them to users.
 */
#include <math.h>

#include "layout/cost.h"

#define DISK_BYTES 1e12
#define DISK_RATE 160e6
#define DISK_NEXT_TRACK 0.8e-3
#define DISK_STROKE 13.3e-3
#define DISK_HALF_TURN (60.0 / 7200 / 2)
#define DISK_COMMAND 0.1e-3

#define CLOUD_IOPS 3000.0
#define CLOUD_RATE 125e6
#define CLOUD_UNIT (256U << 10)

#define SSD_REQUEST 80e-6
#define SSD_RATE 500e6

/* A reader may wait for a short way forward to pass under the head. */
static double seek(double distance, int forward)
{
	double moved = DISK_NEXT_TRACK + DISK_STROKE * sqrt(distance / DISK_BYTES) +
		       DISK_HALF_TURN;
	double waited = DISK_COMMAND + distance / DISK_RATE;

	return forward && waited < moved ? waited : moved;
}

void bfo_cost_add(struct bfo_cost *c, uint64_t start, uint64_t len, uint64_t count)
{
	uint64_t distance = start > c->end ? start - c->end : c->end - start;

	if (!c->requests) {
		c->noncontiguous = 1;		/* wherever the head was before */
	} else if (distance) {
		c->noncontiguous++;
		c->distance += distance;
		c->seeks += seek(distance, start > c->end);
	}
	c->requests += count;
	c->bytes += len * count;
	c->operations += (len + CLOUD_UNIT - 1) / CLOUD_UNIT * count;
	c->end = start + len * count;
}

double bfo_cost_disk(const struct bfo_cost *c)
{
	return c->seeks + c->bytes / DISK_RATE;
}

double bfo_cost_cloud(const struct bfo_cost *c)
{
	return fmax(c->operations / CLOUD_IOPS, c->bytes / CLOUD_RATE);
}

double bfo_cost_ssd(const struct bfo_cost *c)
{
	return c->requests * SSD_REQUEST + c->bytes / SSD_RATE;
}
