// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * supply.c - free blocks and inode numbers of a volume that is being changed
 *
 * Numbers come from parts of inode tables that nobody has used yet, as long as there are any: such
 * blocks are written before the transaction, not in it.
 */
#include "base/bfo_err.h"
#include "edit/supply.h"

#define LARGE_BYTES (8U << 20)

/* FREE numbers of VOL become those of unused parts of tables (UNUSED 1), or the others. */
static errcode_t add_numbers(struct bfo_supply *s, const struct bfo_volume *vol,
			     const bfo_ranges *free, int unused)
{
	uint32_t ipg = EXT2_INODES_PER_GROUP(vol->fs->super);
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < free->n && !err; i++) {
		uint64_t at = free->v[i].start, end = at + free->v[i].len, stop, used;

		for (; at < end && !err; at = stop) {
			dgrp_t g = (at - 1) / ipg;

			used = (uint64_t) g * ipg + bfo_volume_group_used(vol, g) + 1;
			stop = at < used ? used : (uint64_t) (g + 1) * ipg + 1;
			if (stop > end)
				stop = end;
			if ((at >= used) == unused)
				err = bfo_vec_push(&s->numbers, (struct bfo_range) {
						   .start = at, .len = stop - at });
		}
	}
	return err;
}

errcode_t bfo_supply_init(struct bfo_supply *s, const struct bfo_volume *vol,
			  struct bfo_target *target)
{
	errcode_t err = bfo_rooms_init(&s->rooms, &target->free_blocks, target->cluster_blocks,
				       LARGE_BYTES / vol->block_size);

	if (!err)
		err = add_numbers(s, vol, &target->free_inodes, 1);
	if (!err)
		err = add_numbers(s, vol, &target->free_inodes, 0);
	bfo_vec_free(&target->free_blocks);
	bfo_vec_free(&target->free_inodes);
	return err;
}

void bfo_supply_free(struct bfo_supply *s)
{
	bfo_rooms_free(&s->rooms);
	bfo_vec_free(&s->used);
	bfo_vec_free(&s->back);
	bfo_vec_free(&s->freed);
	bfo_vec_free(&s->numbers);
	bfo_vec_free(&s->spare);
	bfo_vec_free(&s->freed_numbers);
}

/* What was given back has its turn when there is nothing else. */
static errcode_t take_back(struct bfo_supply *s)
{
	errcode_t err = bfo_vec_reserve(&s->rooms.left, s->back.n);
	size_t i;

	for (i = 0; i < s->back.n && !err; i++)
		s->rooms.left.v[s->rooms.left.n++] = s->back.v[i];
	if (!err)
		s->back.n = 0;
	return err;
}

errcode_t bfo_supply_take(struct bfo_supply *s, uint64_t n, uint64_t *blk, uint64_t *got)
{
	errcode_t err = bfo_rooms_take(&s->rooms, n, blk, got);

	if (err == BFO_ET_NO_SPACE && s->back.n) {
		bfo_ranges_settle(&s->back);
		err = take_back(s);
		if (!err)
			err = bfo_rooms_take(&s->rooms, n, blk, got);
	}
	return err;
}

static uint64_t sum(const bfo_ranges *ranges, size_t from)
{
	uint64_t n = 0;

	for (; from < ranges->n; from++)
		n += ranges->v[from].len;
	return n;
}

uint64_t bfo_supply_blocks(const struct bfo_supply *s)
{
	return sum(&s->rooms.list, s->rooms.at) + sum(&s->rooms.left, 0) + sum(&s->back, 0);
}

uint64_t bfo_supply_numbers(const struct bfo_supply *s)
{
	return sum(&s->numbers, s->at) + s->spare.n;
}

errcode_t bfo_supply_reserve(struct bfo_supply *s, size_t n)
{
	errcode_t err = bfo_vec_reserve(&s->back, n);

	return err ? err : bfo_vec_reserve(&s->freed, n);
}

void bfo_supply_give(struct bfo_supply *s, uint64_t blk, uint64_t len, int fresh)
{
	if (fresh)
		s->back.v[s->back.n++] = (struct bfo_range) { .start = blk, .len = len };
	else
		s->freed.v[s->freed.n++] = (struct bfo_range) { .start = blk, .len = len };
}

errcode_t bfo_supply_number(struct bfo_supply *s, uint32_t *ino)
{
	struct bfo_range *now;

	if (s->spare.n) {
		*ino = s->spare.v[--s->spare.n];
		return 0;
	}
	while (s->at < s->numbers.n && !s->numbers.v[s->at].len)
		s->at++;
	if (s->at == s->numbers.n)
		return BFO_ET_NO_INODES;
	now = &s->numbers.v[s->at];
	*ino = now->start++;
	now->len--;
	return 0;
}

errcode_t bfo_supply_reserve_number(struct bfo_supply *s, size_t n)
{
	errcode_t err = bfo_vec_reserve(&s->spare, n);

	return err ? err : bfo_vec_reserve(&s->freed_numbers, n);
}

void bfo_supply_give_number(struct bfo_supply *s, uint32_t ino, int fresh)
{
	if (fresh)
		s->spare.v[s->spare.n++] = ino;
	else
		s->freed_numbers.v[s->freed_numbers.n++] = ino;
}

errcode_t bfo_supply_use(struct bfo_supply *s, uint64_t blk, uint64_t len)
{
	struct bfo_range *last = s->used.n ? &s->used.v[s->used.n - 1] : NULL;

	if (last && last->start + last->len == blk) {
		last->len += len;
		return 0;
	}
	return bfo_vec_push(&s->used, (struct bfo_range) { .start = blk, .len = len });
}

errcode_t bfo_supply_committed(struct bfo_supply *s)
{
	errcode_t err = bfo_vec_reserve(&s->rooms.left, s->freed.n);
	size_t i;

	if (!err)
		err = bfo_vec_reserve(&s->numbers, s->freed_numbers.n);
	if (err)
		return err;
	for (i = 0; i < s->freed.n; i++)
		s->rooms.left.v[s->rooms.left.n++] = s->freed.v[i];
	for (i = 0; i < s->freed_numbers.n; i++)
		s->numbers.v[s->numbers.n++] = (struct bfo_range) {
			.start = s->freed_numbers.v[i], .len = 1 };
	s->used.n = s->freed.n = s->freed_numbers.n = 0;
	return 0;
}
