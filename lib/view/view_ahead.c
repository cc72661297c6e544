// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view_ahead.c - a volume that somebody looks at: what is read soon is on its way to memory
 *
 *   a small file, and then one not far behind it ── files that follow ── where they lie, sorted
 *   a member of a composite file ── what comes behind it
 *
 * "Behind" is by inode numbers: in that order names are listed, so who goes through a directory
 * reads files in that order.  The volume is asked for what these have in the order of the device,
 * together with what lies between, as long as reading that costs less than a seek.
 *
 * All of it is advice: what cannot be is left out here, and told when somebody asks for it.
 */
#include "base/disk.h"
#include "gather/inode_check.h"
#include "tree/access.h"
#include "view/view.h"

#define AHEAD (1U << 20)		/* bytes of a composite file, or of files together */
#define SMALL (64U << 10)		/* bytes of a small file */
#define INODES 64U			/* that follow */

/* Asks for the blocks of LIST. */
static void ask(struct bfo_view *v, bfo_order_list *list)
{
	uint64_t from = 0, end = 0;
	size_t i;

	bfo_order_list_sort(list);
	for (i = 0; i < list->n; i++) {
		uint64_t blk = bfo_node_blk(&list->v[i]), behind = blk + list->v[i].len;

		if (end && blk > end + v->reader.gap) {
			bfo_volume_ask_for(v->vol, from, end - from);
			end = 0;
		}
		from = end ? from : blk;
		end = behind > end ? behind : end;
	}
	if (end)
		bfo_volume_ask_for(v->vol, from, end - from);
}

void bfo_view_announce(struct bfo_view *v, struct bfo_view_pack *pack, uint64_t at)
{
	uint64_t bs = v->vol->block_size, end = at + AHEAD;
	uint64_t from = at > pack->announced ? at : pack->announced;
	bfo_order_list list = { 0 };
	struct bfo_view_map *map;
	struct bfo_inode rec;
	const void *raw;

	if (at + AHEAD / 2 < pack->announced)
		return;
	if (end > pack->c.head.table_at)
		end = pack->c.head.table_at;
	pack->announced = at + AHEAD;
	if (from < end && !bfo_view_inode(v, pack->ino, &rec, &raw) &&
	    !(rec.state & BFO_INODE_INLINE) && !bfo_view_map(v, &rec, raw, &map) &&
	    !bfo_view_list_blocks(map, from / bs, (end + bs - 1) / bs, &list))
		ask(v, &list);
	bfo_vec_free(&list);
}

/* ---- small files ---- */

static void add(struct bfo_view *v, uint64_t blk, uint32_t len, bfo_order_list *list)
{
	if (blk && len <= SMALL / EXT2_MIN_BLOCK_SIZE && bfo_volume_contains(v->vol, blk, len))
		(void) bfo_vec_push(list, bfo_node_make(blk, len, 0, 0));
}

/* What inode RAW, as it stands, says of blocks itself. */
static void add_blocks(struct bfo_view *v, const struct ext2_inode *raw, bfo_order_list *list)
{
	const struct ext3_extent_header *eh = (const void *) raw->i_block;
	const struct ext3_extent *ex = (const void *) (eh + 1);
	int i, n;

	if (!(le32(raw->i_flags) & EXT4_EXTENTS_FL)) {
		for (i = 0; i < EXT2_NDIR_BLOCKS; i++)
			add(v, le32(raw->i_block[i]), 1, list);
		return;
	}
	n = bfo_extent_node_entries(eh, sizeof(raw->i_block), 0);
	for (i = 0; i < n; i++)			/* (unwritten ones are longer) */
		add(v, le32(ex[i].ee_start) | (uint64_t) le16(ex[i].ee_start_hi) << 32,
		    le16(ex[i].ee_len), list);
}

static int is_small(const struct ext2_inode *raw)
{
	return raw && raw->i_links_count && S_ISREG(le16(raw->i_mode)) &&
	       bfo_inode_size(raw) <= SMALL &&
	       !(le32(raw->i_flags) & (EXT4_INLINE_DATA_FL | EXT4_ENCRYPT_FL));
}

void bfo_view_ahead(struct bfo_view *v, uint32_t ino)
{
	uint32_t last = v->ahead.last, end = v->vol->fs->super->s_inodes_count;
	bfo_order_list list = { 0 };
	const void *raw;
	int lost;

	v->ahead.last = ino;
	if (ino <= last || ino > last + INODES) {
		v->ahead.until = ino + 1;	/* that may have been by chance */
		return;
	}
	if (v->ahead.until > ino + INODES / 2)
		return;
	if (v->ahead.until <= ino)
		v->ahead.until = ino + 1;
	end = end - ino > INODES ? ino + INODES : end;
	for (; v->ahead.until <= end; v->ahead.until++) {
		if (bfo_order_list_blocks(&list) >= AHEAD / v->vol->block_size ||
		    bfo_inode_tables_find(&v->tables, v->ahead.until, &raw, &lost))
			break;
		if (is_small(raw))
			add_blocks(v, raw, &list);
	}
	ask(v, &list);
	bfo_vec_free(&list);
}
