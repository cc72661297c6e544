// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tables.c - the target's inode tables, window by window
 *
 *   window    the next items in the plan's order, so of ascending new numbers
 *   pull      their source table blocks, sorted, read over gaps; each inode to its slot, where it
 *             gets its new places (plan/inode_image)
 *   push      whole blocks, ascending
 *
 * With the window as large as all inodes, the source's tables are read once more and no more.  One
 * that has none hands inodes out of its memory, in any order: there a small window stays in the
 * caches.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/pages.h"
#include "base/prefetch.h"
#include "base/sort.h"
#include "commit/tables.h"
#include "gather/inode_check.h"
#include "plan/charge.h"
#include "plan/inode_image.h"
#include "plan/itrees.h"
#include "tree/access.h"

#define WINDOW_MIN (1U << 20)		/* bytes */
#define WINDOW_AT_HAND (8U << 20)	/* the same, of a source that has no tables */
#define WRITE_BYTES (4U << 20)		/* longest write */
#define SLOTS_AHEAD 8U

struct pull {			/* sort key first */
	bfo_row row;		/* record: ascending records are ascending source inodes */
	uint32_t slot;		/* index into the window's slots */
};

struct window {
	struct bfo_plan *plan;
	struct bfo_source *source;
	struct bfo_transaction *t;
	struct bfo_volume *target;
	char *slots;			/* blocks of inodes */
	uint32_t max_blocks;
	BFO_VEC(uint64_t) blks;		/* target block of each block in slots */
	uint32_t group;			/* of the last block, */
	uint64_t next;			/* and the first one there that nobody has written */
	BFO_VEC(struct pull) pulls;
	bfo_order_list nodes;
	/* of those pulls that have an inode in the source, the first ones */
	bfo_numbers inos;
	size_t turn;			/* the pull that comes next, most likely */
	size_t taken;			/* how many came */
	struct bfo_inode_scratch scratch;
	uint64_t done;			/* inodes; progress */
};

static void *slot_of(const struct window *w, size_t i)
{
	return w->slots + (size_t) w->pulls.v[i].slot * w->target->inode_size;
}

/* Asks in time for the slot of pull I, as bfo_plan_at() does for records. */
static void ask_slot(const struct window *w, size_t i)
{
	if (i < w->pulls.n)
		bfo_prefetch_bytes(slot_of(w, i), w->target->inode_size);
}

/* Files and links that are to stand in their inode, and do not yet. */
static int moves_inside(const struct bfo_inode *rec)
{
	return rec->state & BFO_INODE_STUFF && !(rec->state & BFO_INODE_INLINE) &&
	       !S_ISDIR(rec->mode);
}

/* Sink: the block of the file of pull node->tag; what is in it waits in its slot. */
static errcode_t take_content(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			      const void *data)
{
	struct window *w = priv;
	bfo_row row = w->pulls.v[node->tag].row;

	(void) at;
	(void) count;
	memcpy(slot_of(w, node->tag), data, w->plan->tree->inodes.v[row].size);
	return 0;
}

/* Sink: it cannot be read; bfo_lost_report() tells. */
static errcode_t lose_content(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	struct window *w = priv;
	const struct bfo_inode *rec = &w->plan->tree->inodes.v[w->pulls.v[node->tag].row];

	(void) at;
	(void) count;
	if (!bfo_source_zeroes(w->source) || !S_ISREG(rec->mode))
		return bfo_source_failed(w->source, bfo_node_blk(node));
	memset(slot_of(w, node->tag), 0, rec->size);
	return 0;
}

/* Reads the content of files that move into their inode. */
static errcode_t pull_contents(struct window *w)
{
	struct bfo_sink sink = { .take = take_content, .lost = lose_content, .priv = w };
	const struct bfo_tree *tree = w->plan->tree;
	errcode_t err = 0;
	size_t i;

	w->nodes.n = 0;
	for (i = 0; i < w->pulls.n && !err; i++) {
		const struct bfo_inode *rec = &tree->inodes.v[w->pulls.v[i].row];

		if (moves_inside(rec))
			err = bfo_vec_push(&w->nodes, bfo_node_make(
					   bfo_seg_of(tree, rec, 0)->blk, 1, i, 0));
	}
	bfo_order_list_sort(&w->nodes);
	return err ? err : w->source->ops->read(w->source, w->nodes.v, w->nodes.n, &sink);
}

/* Puts aside what is to stand in inode RAW's successor, which is going to take SLOT. */
static errcode_t note_content(struct window *w, const struct bfo_inode *rec, const void *raw,
			      const void *slot)
{
	errcode_t err;

	if (!(rec->state & BFO_INODE_STUFF) || S_ISDIR(rec->mode))
		return 0;
	w->scratch.content.n = 0;
	err = bfo_vec_reserve(&w->scratch.content, rec->size + 1);
	if (err)
		return err;
	w->scratch.content.n = rec->size;
	if (moves_inside(rec))
		memcpy(w->scratch.content.v, slot, rec->size);
	else
		bfo_inode_inline_content(w->source->reader->vol, raw, w->scratch.content.v,
					 rec->size);
	return 0;
}

/* Makes RAW the inode of record ROW, for which its owners are charged. */
static errcode_t make_inode(struct window *w, bfo_row row, void *raw)
{
	errcode_t err = bfo_inode_image(w->plan, row, raw, &w->scratch);

	if (!err)
		bfo_itrees_note(w->plan, w->plan->tree->inodes.v[row].new_ino, raw);
	return err ? err : bfo_charges_add(w->plan, row, raw);
}

/* The pull of source inode INO: mostly the next one. */
static size_t pull_of(struct window *w, uint32_t ino)
{
	if (w->turn == w->inos.n || w->inos.v[w->turn] != ino)
		w->turn = bfo_vec_lower_number(&w->inos, ino);
	assert(w->turn < w->inos.n && w->inos.v[w->turn] == ino);
	return w->turn++;
}

/* Source inode INO, RAW: into its slot, and made what it is to be. */
static errcode_t take_source(void *priv, uint32_t ino, const void *raw)
{
	struct window *w = priv;
	size_t i = pull_of(w, ino);
	bfo_row row = w->pulls.v[i].row;
	errcode_t err;

	w->taken++;
	ask_slot(w, i + SLOTS_AHEAD);
	err = note_content(w, &w->plan->tree->inodes.v[row], raw, slot_of(w, i));
	if (err)
		return err;
	bfo_inode_recast(w->plan, raw, w->source->inode_size, slot_of(w, i));
	return make_inode(w, row, slot_of(w, i));
}

/* Those that have an inode in the source come first, as rows ascend by its number. */
static errcode_t list_pulls(struct window *w)
{
	const struct bfo_tree *tree = w->plan->tree;
	errcode_t err = 0;
	size_t i;

	w->inos.n = w->turn = w->taken = 0;
	for (i = 0; i < w->pulls.n && !err; i++)
		if (tree->inodes.v[w->pulls.v[i].row].ino) {
			assert(i == w->inos.n);
			err = bfo_vec_push(&w->inos, tree->inodes.v[w->pulls.v[i].row].ino);
		}
	return err;
}

/* An inode that was in use when the source was gathered is not any more. */
static errcode_t changed(const struct window *w)
{
	return bfo_fail(w->plan->ctx, BFO_ET_CHANGED, "reading inodes of %s", w->source->name);
}

/* Brings the source's inodes into their slots, and makes them what they are to be. */
static errcode_t pull(struct window *w)
{
	errcode_t err;
	size_t i;

	bfo_sort(w->pulls.v, w->pulls.n, sizeof(*w->pulls.v), 1);
	err = pull_contents(w);
	if (!err)
		err = list_pulls(w);
	for (i = w->inos.n; i < w->pulls.n && !err; i++)
		err = make_inode(w, w->pulls.v[i].row, slot_of(w, i));
	if (!err && w->inos.n)
		err = w->source->ops->inodes(w->source, w->inos.v, w->inos.n, take_source, NULL, w);
	return !err && w->taken != w->inos.n ? changed(w) : err;
}

/*
 * With group checksums the descriptors say how much of a table is in use; without, everything that
 * looks at a filesystem after a crash finds what stands in a slot.
 */
int bfo_table_is_unseen(const struct bfo_volume *vol, uint32_t first_ino, int atomic)
{
	uint32_t ipg = EXT2_INODES_PER_GROUP(vol->fs->super), index = (first_ino - 1) % ipg;
	uint32_t per_block = vol->block_size / vol->inode_size;
	uint32_t n = ipg - index < per_block ? ipg - index : per_block;
	ext2_ino_t used;

	if (ext2fs_has_group_desc_csum(vol->fs))
		return index >= bfo_volume_group_used(vol, (first_ino - 1) / ipg);
	return !atomic && ext2fs_find_first_set_inode_bitmap2(vol->fs->inode_map, first_ino,
							      first_ino + n - 1, &used) == ENOENT;
}

static int is_unseen(const struct window *w, uint32_t first_ino)
{
	return bfo_table_is_unseen(w->target, first_ino, w->t->atomic);
}

/* Copies the inodes that block I of the window has into the transaction's image of it. */
static errcode_t share_block(struct window *w, size_t i)
{
	uint32_t size = w->target->inode_size, bs = w->target->block_size, at;
	const char *block = w->slots + i * bs;
	const struct ext2_inode *raw;
	errcode_t err;
	void *image;

	err = bfo_transaction_get(w->t, w->blks.v[i], &image);
	for (at = 0; at < bs && !err; at += size) {
		raw = (const void *) (block + at);
		if (raw->i_links_count)
			memcpy((char *) image + at, raw, size);
	}
	return err;
}

/* The window's blocks, ascending: whole ones to the device, shared ones to the transaction. */
static errcode_t push(struct window *w, const uint32_t *first_ino)
{
	uint32_t bs = w->target->block_size, max = WRITE_BYTES / bs, n;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < w->blks.n && !err; i += n) {
		n = 1;
		if (!is_unseen(w, first_ino[i])) {
			err = share_block(w, i);
			continue;
		}
		while (i + n < w->blks.n && n < max && w->blks.v[i + n] == w->blks.v[i] + n &&
		       is_unseen(w, first_ino[i + n]))
			n++;
		if (!ext2fs_has_group_desc_csum(w->target->fs))
			err = bfo_ranges_append(&w->t->exposed, w->blks.v[i], n);
		if (!err)
			err = bfo_writer_write(w->t->w, w->blks.v[i], n, w->slots + i * bs);
		bfo_volume_write_back(w->target, w->blks.v[i], n);
	}
	return err;
}

/* Adds block BLK, whose first inode is FIRST, to the window; 0 if that is full. */
static int add_block(struct window *w, uint64_t blk, uint32_t first, uint32_t *first_ino)
{
	if (w->blks.n == w->max_blocks)
		return 0;
	first_ino[w->blks.n] = first;
	w->blks.v[w->blks.n++] = blk;
	return 1;
}

/*
 * Adds the block of inode INO to the window.  Where numbers are kept there may be gaps: table
 * blocks before it that nobody has written yet become part of the used table, so they are added,
 * and are zero.  Returns 0 if the window is full.
 */
static int add_inode_block(struct window *w, uint32_t ino, uint32_t *first_ino)
{
	uint32_t ipg = EXT2_INODES_PER_GROUP(w->target->fs->super), group = (ino - 1) / ipg, byte;
	uint32_t per_block = w->target->block_size / w->target->inode_size;
	uint64_t table = ext2fs_inode_table_loc(w->target->fs, group);
	uint64_t blk = bfo_volume_inode_block(w->target, ino, &byte);

	if (w->blks.n && w->blks.v[w->blks.n - 1] == blk)
		return 1;
	if (!w->next || w->group != group)
		w->next = table + (bfo_volume_group_used(w->target, group) + per_block - 1) /
			  per_block;
	w->group = group;
	for (; w->next < blk; w->next++)
		if (!add_block(w, w->next, group * ipg + (w->next - table) * per_block + 1,
			       first_ino))
			return 0;
	if (!add_block(w, blk, ino - byte / w->target->inode_size, first_ino))
		return 0;
	if (w->next == blk)
		w->next++;
	return 1;
}

/* Takes items from position AT on until the window's blocks are used up. */
static errcode_t fill(struct window *w, size_t *at, uint32_t *first_ino)
{
	uint32_t per_block = w->target->block_size / w->target->inode_size, byte;
	const struct bfo_plan *plan = w->plan;
	errcode_t err = 0;

	memset(w->slots, 0, w->blks.n * w->target->block_size);	/* the window before */
	w->blks.n = w->pulls.n = 0;
	for (; *at < plan->order.n && !err; ++*at) {
		const struct bfo_inode *rec = bfo_plan_numbered(plan, *at);

		if (rec->state & BFO_INODE_EXISTS)
			continue;
		if (!add_inode_block(w, rec->new_ino, first_ino))
			break;
		bfo_volume_inode_block(w->target, rec->new_ino, &byte);
		err = bfo_vec_push(&w->pulls, (struct pull) { .row = rec - plan->tree->inodes.v,
				   .slot = (w->blks.n - 1) * per_block +
					   byte / w->target->inode_size });
	}
	return err;
}

/* Makes the inode in the window's first slot of source inode RAW. */
static errcode_t take_old(void *priv, uint32_t ino, const void *raw)
{
	struct window *w = priv;

	(void) ino;
	w->taken++;
	bfo_inode_recast(w->plan, raw, w->source->inode_size, w->slots);
	return 0;
}

/* The target's own that was rewritten, directory or quota file: it changes last. */
static errcode_t update_old(struct window *w, bfo_row row)
{
	const struct bfo_inode *rec = &w->plan->tree->inodes.v[row];
	uint32_t byte, size = w->target->inode_size;
	uint64_t blk = bfo_volume_inode_block(w->target, rec->new_ino, &byte);
	char *raw = w->slots;
	errcode_t err;
	void *image;

	err = bfo_transaction_get(w->t, blk, &image);
	if (err)
		return err;
	memcpy(raw, (char *) image + byte, size);
	bfo_charges_give_back(w->plan, row, raw);
	w->taken = rec->state & BFO_INODE_KEEP;
	if (!w->taken)
		err = w->source->ops->inodes(w->source, &rec->ino, 1, take_old, NULL, w);
	if (!err && !w->taken)
		err = changed(w);
	if (!err)
		err = make_inode(w, row, raw);
	return err ? err : bfo_transaction_late(w->t, BFO_LATE, blk, byte, size, raw);
}

static errcode_t run_windows(struct window *w, uint32_t *first_ino)
{
	const struct bfo_plan *plan = w->plan;
	errcode_t err = 0;
	size_t at = 0;

	while (at < plan->order.n && !err) {
		err = fill(w, &at, first_ino);
		if (!err)
			err = pull(w);
		if (!err)
			err = push(w, first_ino);
		w->done += w->pulls.n;
		bfo_progress_report(plan->ctx, BFO_STAGE_TABLES, w->done, plan->new_inodes, 0);
		if (!err && bfo_cancelled(plan->ctx))
			err = bfo_fail(plan->ctx, BFO_ET_CANCELLED, "writing inode tables");
	}
	for (at = 0; at < plan->order.n && !err; at++)
		if (bfo_plan_item(plan, at)->state & BFO_INODE_EXISTS)
			err = update_old(w, plan->order.v[at]);
	return err;
}

errcode_t bfo_tables_write(struct bfo_plan *plan, struct bfo_source *source,
			   struct bfo_transaction *t, uint64_t memory)
{
	struct window w = { .plan = plan, .source = source, .t = t, .target = t->w->vol };
	uint32_t bs = w.target->block_size, *first_ino;
	uint64_t need = (uint64_t) plan->new_inodes * w.target->inode_size + 2 * bs;
	errcode_t err;

	if (!source->reader && memory > WINDOW_AT_HAND)
		memory = WINDOW_AT_HAND;
	if (memory < WINDOW_MIN)
		memory = WINDOW_MIN;
	w.max_blocks = (memory < need ? memory : need) / bs;
	first_ino = malloc(w.max_blocks * sizeof(*first_ino));
	err = bfo_vec_reserve(&w.blks, w.max_blocks);
	w.slots = bfo_pages_alloc((size_t) w.max_blocks * bs);
	if (!err && first_ino && w.slots)
		err = run_windows(&w, first_ino);
	else
		err = bfo_fail(plan->ctx, ENOMEM, "writing inode tables");
	free(first_ino);
	bfo_pages_free(w.slots, (size_t) w.max_blocks * bs);
	bfo_vec_free(&w.blks);
	bfo_vec_free(&w.pulls);
	bfo_vec_free(&w.nodes);
	bfo_vec_free(&w.inos);
	bfo_inode_scratch_free(&w.scratch);
	return err;
}
