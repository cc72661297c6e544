// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inode_tables.c - inode tables in pieces
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/inode_tables.h"

#define AT_ONCE 32U		/* pieces: 4 MiB */
#define BLOCKS_MOST (BFO_TABLE_PIECE / EXT2_MIN_BLOCK_SIZE)

struct piece {
	struct bfo_kept_item kept;
	uint8_t lost[BLOCKS_MOST];	/* 1: this block cannot be read */
	char data[];
};

/* Where an inode stands. */
struct place {
	uint64_t key;			/* of its piece */
	dgrp_t group;
	uint32_t first, blocks;		/* of the table: the piece */
	uint32_t block, byte;		/* in the piece */
};

static void drop(struct bfo_kept_item *item)
{
	free(item);
}

void bfo_inode_tables_init(struct bfo_inode_tables *t, struct bfo_reader *r, size_t limit)
{
	*t = (struct bfo_inode_tables) { .reader = r, .pieces = { .limit = limit, .drop = drop } };
}

/* 0: inode INO is in no used part of a table. */
static int find_place(const struct bfo_volume *vol, uint32_t ino, struct place *p)
{
	uint32_t per_group = EXT2_INODES_PER_GROUP(vol->fs->super), bs = vol->block_size;
	uint32_t index = (ino - 1) % per_group, most = BFO_TABLE_PIECE / bs, used, end, number;
	uint64_t byte = (uint64_t) index * vol->inode_size;

	p->group = (ino - 1) / per_group;
	used = bfo_volume_group_used(vol, p->group);
	if (index >= used)
		return 0;
	end = ((uint64_t) used * vol->inode_size + bs - 1) / bs;
	number = byte / bs / most;
	p->first = number * most;
	p->blocks = end - p->first < most ? end - p->first : most;
	p->block = byte / bs - p->first;
	p->byte = byte - (uint64_t) p->first * bs;
	p->key = (uint64_t) p->group << 32 | number;
	return 1;
}

/* ---- reading ---- */

struct load {
	struct bfo_inode_tables *t;
	bfo_order_list list;			/* tag: index of a piece */
	struct piece *pieces[AT_ONCE];
	uint64_t keys[AT_ONCE];
	uint32_t n;
};

static void *place_blocks(void *priv, const struct bfo_node *node, uint32_t at)
{
	struct load *l = priv;

	return l->pieces[node->tag]->data + (size_t) at * l->t->reader->vol->block_size;
}

static errcode_t lose_blocks(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	struct load *l = priv;

	memset(l->pieces[node->tag]->lost + at, 1, count);
	return 0;
}

static errcode_t add_piece(struct load *l, const struct place *p)
{
	const struct bfo_volume *vol = l->t->reader->vol;
	size_t bytes = (size_t) p->blocks * vol->block_size;
	struct piece *piece = malloc(sizeof(*piece) + bytes);

	if (!piece)
		return ENOMEM;
	memset(piece->lost, 0, sizeof(piece->lost));
	l->pieces[l->n] = piece;
	l->keys[l->n] = p->key;
	return bfo_vec_push(&l->list, bfo_node_make(ext2fs_inode_table_loc(vol->fs, p->group) +
						    p->first, p->blocks, l->n++, 0));
}

static errcode_t read_pieces(struct load *l)
{
	const struct bfo_sink sink = { .take = bfo_take_in_place, .lost = lose_blocks,
				       .place = place_blocks, .priv = l };

	bfo_order_list_sort(&l->list);
	return bfo_reader_run(l->t->reader, l->list.v, l->list.n, &sink);
}

/* What was read is kept from now on; after an error ERR nothing is. */
static void settle(struct load *l, errcode_t err)
{
	uint32_t i;

	for (i = 0; i < l->n; i++)
		if (err)
			free(l->pieces[i]);
		else
			bfo_kept_add(&l->t->pieces, &l->pieces[i]->kept, l->keys[i],
				     BFO_TABLE_PIECE);
	bfo_vec_free(&l->list);
}

errcode_t bfo_inode_tables_want(struct bfo_inode_tables *t, const uint32_t *inos, size_t n,
				size_t *done)
{
	struct load l = { .t = t };
	uint64_t last = UINT64_MAX;
	struct place p;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < n && !err; i++) {
		if (!find_place(t->reader->vol, inos[i], &p) || p.key == last)
			continue;
		if (!bfo_kept_find(&t->pieces, p.key)) {
			if (l.n == AT_ONCE)
				break;
			err = add_piece(&l, &p);
		}
		last = p.key;
	}
	if (!err && l.n)
		err = read_pieces(&l);
	settle(&l, err);
	*done = i;
	return err == ENOMEM ? bfo_fail(t->reader->ctx, err, "reading inode tables") : err;
}

errcode_t bfo_inode_tables_find(struct bfo_inode_tables *t, uint32_t ino, const void **raw,
				int *lost)
{
	const struct piece *piece;
	struct place p;
	errcode_t err;
	size_t done;

	*raw = NULL;
	*lost = 0;
	if (!find_place(t->reader->vol, ino, &p))
		return 0;
	err = bfo_inode_tables_want(t, &ino, 1, &done);
	if (err)
		return err;
	piece = bfo_kept_find(&t->pieces, p.key);
	*lost = piece->lost[p.block];
	*raw = *lost ? NULL : piece->data + p.byte;
	return 0;
}

void bfo_inode_tables_free(struct bfo_inode_tables *t)
{
	bfo_kept_free(&t->pieces);
}
