// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kept.c - things that were read, kept by a number as long as there is room
 */
#include "view/kept.h"

static struct bfo_kept_item **bucket_of(struct bfo_kept *k, uint64_t key)
{
	return &k->buckets[(key ^ key >> 32) % BFO_KEPT_BUCKETS];
}

static void link_newest(struct bfo_kept *k, struct bfo_kept_item *item)
{
	item->newer = NULL;
	item->older = k->newest;
	if (k->newest)
		k->newest->newer = item;
	else
		k->oldest = item;
	k->newest = item;
}

static void unlink_item(struct bfo_kept *k, struct bfo_kept_item *item)
{
	*(item->newer ? &item->newer->older : &k->newest) = item->older;
	*(item->older ? &item->older->newer : &k->oldest) = item->newer;
}

static void drop(struct bfo_kept *k, struct bfo_kept_item *item)
{
	struct bfo_kept_item **at = bucket_of(k, item->key);

	while (*at != item)
		at = &(*at)->next;
	*at = item->next;
	unlink_item(k, item);
	k->bytes -= item->bytes;
	k->drop(item);
}

void *bfo_kept_find(struct bfo_kept *k, uint64_t key)
{
	struct bfo_kept_item *item = *bucket_of(k, key);

	while (item && item->key != key)
		item = item->next;
	if (item && item != k->newest) {
		unlink_item(k, item);
		link_newest(k, item);
	}
	return item;
}

void bfo_kept_add(struct bfo_kept *k, struct bfo_kept_item *item, uint64_t key, size_t bytes)
{
	struct bfo_kept_item **bucket = bucket_of(k, key);

	item->key = key;
	item->bytes = bytes;
	item->next = *bucket;
	*bucket = item;
	link_newest(k, item);
	k->bytes += bytes;
	while (k->bytes > k->limit && k->oldest != item)
		drop(k, k->oldest);
}

void bfo_kept_free(struct bfo_kept *k)
{
	while (k->oldest)
		drop(k, k->oldest);
}
