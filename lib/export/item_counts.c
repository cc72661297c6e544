// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * item_counts.c - how many items of each kind an outlet has taken
 */
#include <sys/stat.h>

#include "export/item_counts.h"

void bfo_item_count(struct bfo_item_counts *counts, const struct bfo_item *item)
{
	uint16_t mode = item->attrs.mode;

	if (item->first)
		counts->links++;
	else if (S_ISDIR(mode))
		counts->directories++;
	else if (S_ISLNK(mode))
		counts->symlinks++;
	else if (S_ISCHR(mode) || S_ISBLK(mode))
		counts->devices++;
	else if (S_ISFIFO(mode))
		counts->fifos++;
	else if (S_ISSOCK(mode))
		counts->sockets++;
	else
		counts->files++;
}

uint64_t bfo_item_inodes(const struct bfo_item_counts *counts)
{
	return counts->files + counts->directories + counts->symlinks + counts->devices +
	       counts->fifos + counts->sockets;
}
