// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * layout_words.c - what the table of costs means: in which order to read, and whether it matters
 */
#include <stdio.h>

#include "layout.h"

#define MATTERS 1.1		/* an order that is not so much slower is as good */

/* What walks in that order. */
static const char *const readers[BFO_WALK_ORDERS] = {
	[BFO_WALK_READDIR] = "plain tar", [BFO_WALK_NAME] = "tar --sort=name",
	[BFO_WALK_INODE] = "tar --sort=inode",
};

static const struct {
	const char *name;
	double (*seconds)(const struct bfo_cost *c);
} devices[] = {
	{ "a disk", bfo_cost_disk },
	{ "a cloud volume", bfo_cost_cloud },
	{ "an SSD", bfo_cost_ssd },
};

#define DEVICES ((int) (sizeof(devices) / sizeof(*devices)))

/* The fastest order on DEVICE; readdir, which asks nothing of the reader, if it does as well. */
static int best_order(const struct bfo_layout *m, int device)
{
	double seconds[BFO_WALK_ORDERS];
	int order, best = BFO_WALK_READDIR;

	for (order = 0; order < BFO_WALK_ORDERS; order++) {
		seconds[order] = devices[device].seconds(&m->cost_data[order]);
		if (seconds[order] < seconds[best])
			best = order;
	}
	return seconds[BFO_WALK_READDIR] <= MATTERS * seconds[best] ? BFO_WALK_READDIR : best;
}

static void print_gain(const struct bfo_layout *m, int device, int best)
{
	char plain[LAYOUT_CELL], sorted[LAYOUT_CELL];

	layout_put_seconds(devices[device].seconds(&m->cost_data[BFO_WALK_READDIR]), plain);
	layout_put_seconds(devices[device].seconds(&m->cost_data[best]), sorted);
	printf("On %s, %s would take %s where %s takes %s.\n", devices[device].name,
	       readers[best], sorted, readers[BFO_WALK_READDIR], plain);
}

/* "On a disk and an SSD": the devices on which readdir order does as well as any. */
static void print_even(const int *best)
{
	int device, n = 0, even = 0;

	for (device = 0; device < DEVICES; device++)
		even += best[device] == BFO_WALK_READDIR;
	if (even == DEVICES) {
		puts("On none of these devices would sorting gain a tenth over plain tar.");
		return;
	}
	for (device = 0; device < DEVICES; device++)
		if (best[device] == BFO_WALK_READDIR)
			printf("%s%s", n++ ? " and " : "On ", devices[device].name);
	if (n)
		puts(", sorting would gain less than a tenth.");
}

void layout_print_words(const struct layout_side *s, const char *of_side)
{
	const struct bfo_layout *m = &s->measured;
	int best[DEVICES], device;

	if (!m->cost_data[BFO_WALK_READDIR].requests)
		return;
	printf("\nIn words%s%s:\n", *of_side ? "," : "", of_side);
	for (device = 0; device < DEVICES; device++) {
		best[device] = best_order(m, device);
		if (best[device] != BFO_WALK_READDIR)
			print_gain(m, device, best[device]);
	}
	print_even(best);
}
