/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * item_counts.h - how many items of each kind an outlet has taken
 */
#ifndef BFO_EXPORT_ITEM_COUNTS_H
#define BFO_EXPORT_ITEM_COUNTS_H

#include "export/outlet.h"

struct bfo_item_counts {
	uint64_t files, directories, symlinks, devices, fifos, sockets;
	uint64_t links;			/* further names of any of these but directories */
};

/* ITEM is one of them, too. */
void bfo_item_count(struct bfo_item_counts *counts, const struct bfo_item *item);

/* All of them but further names. */
uint64_t bfo_item_inodes(const struct bfo_item_counts *counts);

#endif
