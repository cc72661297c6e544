// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * draft.c - inodes of a volume that is being changed, in memory
 *
 * A draft stays where it is until the commit, so pointers to it hold until then.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/disk.h"
#include "edit/edit.h"
#include "edit/filemap.h"
#include "edit/indexed.h"
#include "edit/mapped.h"
#include "gather/inode_check.h"

#define FIRST_BITS 10			/* of the table */

static struct bfo_draft **bucket(const struct bfo_edit *e, uint32_t ino)
{
	return &e->table[ino * 2654435761U >> (32 - e->table_bits)];
}

static errcode_t enlarge(struct bfo_edit *e)
{
	struct bfo_draft **old = e->table, *n, *next;
	size_t i, buckets = e->table ? (size_t) 1 << e->table_bits : 0;
	unsigned int bits = e->table ? e->table_bits + 1 : FIRST_BITS;

	if (e->table && (e->drafts < buckets || bits > 30))
		return 0;
	e->table = calloc((size_t) 1 << bits, sizeof(*e->table));
	if (!e->table) {
		e->table = old;
		return ENOMEM;
	}
	e->table_bits = bits;
	for (i = 0; i < buckets; i++)
		for (n = old[i]; n; n = next) {
			next = n->next;
			n->next = *bucket(e, n->ino);
			*bucket(e, n->ino) = n;
		}
	free(old);
	return 0;
}

static errcode_t add_draft(struct bfo_edit *e, uint32_t ino, struct bfo_draft **draft)
{
	struct bfo_draft *n;
	errcode_t err = enlarge(e);

	if (err)
		return err;
	n = calloc(1, sizeof(*n) + e->vol->inode_size);
	if (!n)
		return ENOMEM;
	n->ino = ino;
	n->next = *bucket(e, ino);
	*bucket(e, ino) = n;
	e->drafts++;
	*draft = n;
	return 0;
}

static void take_out(struct bfo_edit *e, struct bfo_draft *n)
{
	struct bfo_draft **at = bucket(e, n->ino);

	while (*at != n)
		at = &(*at)->next;
	*at = n->next;
	e->drafts--;
}

static void free_draft(struct bfo_draft *n)
{
	bfo_vec_free(&n->segs);
	bfo_vec_free(&n->old_map);
	if (n->entries)
		bfo_entries_free(n->entries);
	free(n->entries);
	free(n->ea);
	free(n);
}

static errcode_t damaged(const struct bfo_edit *e, uint32_t ino, const char *what)
{
	return bfo_fail(e->ctx, BFO_ET_DAMAGED, "reading inode %u of %s: %s", ino, e->vol->spec,
			what);
}

/* Whether RAW, of inode INO, is one that can be changed. */
static errcode_t check(const struct bfo_edit *e, uint32_t ino, const struct ext2_inode *raw)
{
	uint32_t mode = le16(raw->i_mode);

	if (!bfo_inode_csum_ok(e->vol, ino, raw))
		return damaged(e, ino, "its checksum is wrong");
	if (!raw->i_links_count || !ext2fs_test_inode_bitmap2(e->vol->fs->inode_map, ino))
		return damaged(e, ino, "it is not in use");
	if (!bfo_dirent_type(mode))
		return damaged(e, ino, "no file has its type");
	if (!bfo_inode_xattrs_ok(e->vol, raw))
		return damaged(e, ino, "its attributes are damaged");
	if (bfo_inode_ea_block(raw) && !bfo_volume_contains(e->vol, bfo_inode_ea_block(raw), 1))
		return damaged(e, ino, "its attributes are nowhere");
	if (le32(raw->i_flags) & EXT4_INLINE_DATA_FL && !e->shape.has_inline)
		return damaged(e, ino, "it has inline data");
	return 0;
}

static errcode_t read_draft(struct bfo_edit *e, uint32_t ino, struct bfo_draft **draft)
{
	if (!ino || ino > e->vol->fs->super->s_inodes_count)
		return damaged(e, ino, "there is no such number");
	if (bfo_volume_is_system_inode(e->vol, ino))
		return bfo_fail(e->ctx, BFO_ET_OWN_FILE, "looking at inode %u", ino);
	return bfo_draft_own(e, ino, draft);
}

errcode_t bfo_draft_own(struct bfo_edit *e, uint32_t ino, struct bfo_draft **draft)
{
	const void *block;
	const struct ext2_inode *raw;
	uint32_t byte;
	errcode_t err;

	err = bfo_windows_block(&e->windows, bfo_volume_inode_block(e->vol, ino, &byte), &block);
	if (err)
		return err;
	raw = (const void *) ((const char *) block + byte);
	err = check(e, ino, raw);
	if (!err)
		err = add_draft(e, ino, draft);
	if (!err)
		memcpy((*draft)->raw, raw, e->vol->inode_size);
	return err;
}

errcode_t bfo_draft_get(struct bfo_edit *e, uint32_t ino, struct bfo_draft **draft)
{
	struct bfo_draft *n = e->table ? *bucket(e, ino) : NULL;

	while (n && n->ino != ino)
		n = n->next;
	if (!n)
		return read_draft(e, ino, draft);
	*draft = n;
	return n->is_gone ? damaged(e, ino, "it was removed, but has a name") : 0;
}

/* So that handles of files that had the number before do not fit this one. */
static uint32_t generation(struct bfo_edit *e, uint32_t ino)
{
	uint64_t salt[2] = { (uint64_t) e->now.tv_sec << 20 ^ e->now.tv_nsec,
			     e->made++ << 32 | ino };

	return bfo_crc32c(e->shape.hash_seed[0], salt, sizeof(salt));
}

errcode_t bfo_draft_make(struct bfo_edit *e, uint32_t mode, struct bfo_draft **draft)
{
	enum bfo_draft_time t;
	struct bfo_draft *n;
	uint32_t ino = 0;
	errcode_t err = bfo_supply_reserve_number(&e->supply, 1);

	if (!err)
		err = bfo_supply_number(&e->supply, &ino);
	if (err)
		return err;
	err = add_draft(e, ino, &n);
	if (err) {
		bfo_supply_give_number(&e->supply, ino, 1);
		return err;
	}
	n->is_new = n->is_mapped = 1;
	n->is_remapped = S_ISREG(mode) || S_ISDIR(mode);
	n->raw->i_mode = to_le16(mode);
	n->raw->i_generation = to_le32(generation(e, ino));
	if (e->vol->inode_size > EXT2_GOOD_OLD_INODE_SIZE)
		n->raw->i_extra_isize = to_le16(e->shape.extra_isize);
	for (t = BFO_DRAFT_ATIME; t <= BFO_DRAFT_CRTIME; t++)
		bfo_draft_stamp(e, n, t);
	*draft = n;
	return 0;
}

static void give_segs(struct bfo_edit *e, const struct bfo_draft *n)
{
	size_t i;

	for (i = 0; i < n->segs.n; i++)
		bfo_filemap_give(e, n, 0, UINT64_MAX, i);
}

void bfo_draft_drop(struct bfo_edit *e, struct bfo_draft *n)
{
	give_segs(e, n);
	bfo_supply_give_number(&e->supply, n->ino, 1);
	take_out(e, n);
	free_draft(n);
}

/* The bit of the table block in which INO stands, and its mask. */
static uint8_t *table_bit(const struct bfo_edit *e, uint32_t ino, uint8_t *mask)
{
	uint32_t blk = (ino - 1) / (e->vol->block_size / e->vol->inode_size);

	*mask = 1 << blk % 8;
	return &e->tables[blk / 8];
}

static void count_table(struct bfo_edit *e, uint32_t ino)
{
	uint32_t ipg = EXT2_INODES_PER_GROUP(e->vol->fs->super);
	uint8_t mask, *bits = table_bit(e, ino, &mask), *group = &e->groups[(ino - 1) / ipg];

	if (*bits & mask)
		return;
	*bits |= mask;
	e->n_groups += !*group;
	*group = 1;
	if ((ino - 1) % ipg < bfo_volume_group_used(e->vol, (ino - 1) / ipg))
		e->n_tables++;
	else
		e->n_unused++;
}

void bfo_draft_change(struct bfo_edit *e, struct bfo_draft *n)
{
	n->is_changed = 1;
	if (n->is_listed)
		return;
	n->is_listed = 1;
	e->indexes.n_changed += S_ISDIR(bfo_draft_mode(n)) && !n->is_new;
	n->next_changed = e->changed;
	e->changed = n;
	count_table(e, n->ino);
}

int bfo_draft_has_map(const struct bfo_draft *n)
{
	uint32_t mode = bfo_draft_mode(n);

	if (bfo_draft_is_inline(n))
		return 0;
	return S_ISREG(mode) || S_ISDIR(mode) ||
	       (S_ISLNK(mode) && (n->segs.n || !ext2fs_is_fast_symlink((void *) n->raw)));
}

errcode_t bfo_draft_can_go(struct bfo_edit *e, struct bfo_draft *n, struct bfo_going *sum)
{
	errcode_t err = bfo_draft_map(e, n);

	sum->ranges += n->segs.n + n->old_map.n;
	sum->drafts++;
	return err;
}

errcode_t bfo_going_reserve(struct bfo_edit *e, const struct bfo_going *sum)
{
	errcode_t err = bfo_supply_reserve(&e->supply, sum->ranges);

	if (!err)
		err = bfo_supply_reserve_number(&e->supply, sum->drafts);
	return err ? err : bfo_vec_reserve(&e->released, sum->drafts);
}

void bfo_draft_go(struct bfo_edit *e, struct bfo_draft *n)
{
	uint64_t ea = bfo_inode_ea_block((const struct ext2_inode *) n->raw);
	size_t i;

	give_segs(e, n);
	for (i = 0; i < n->old_map.n; i++)
		bfo_supply_give(&e->supply, n->old_map.v[i].start, n->old_map.v[i].len, 0);
	n->segs.n = n->old_map.n = 0;
	if (ea)
		e->released.v[e->released.n++] = ea;
	bfo_supply_give_number(&e->supply, n->ino, n->is_new);
	n->is_gone = 1;
	e->indexes.n_gone += S_ISDIR(bfo_draft_mode(n)) && !n->is_new;
	bfo_draft_change(e, n);
	if (n->is_new)
		take_out(e, n);
}

void bfo_edit_forget(struct bfo_edit *e)
{
	size_t i, buckets = e->table ? (size_t) 1 << e->table_bits : 0;
	uint32_t ipg = EXT2_INODES_PER_GROUP(e->vol->fs->super);
	struct bfo_draft *n, *next;
	uint8_t mask;

	for (n = e->changed; n; n = next) {
		next = n->next_changed;
		*table_bit(e, n->ino, &mask) = 0;
		e->groups[(n->ino - 1) / ipg] = 0;
		if (n->is_gone && n->is_new)	/* it is in no bucket */
			free_draft(n);
	}
	for (i = 0; i < buckets && e->drafts; i++) {
		for (n = e->table[i]; n; n = next) {
			next = n->next;
			free_draft(n);
			e->drafts--;
		}
		e->table[i] = NULL;
	}
	e->changed = NULL;
	bfo_indexes_committed(&e->indexes);
	bfo_entries_free(&e->values);
	e->last_value_ino = 0;
	bfo_mapped_forget(e);
	e->released.n = 0;
	e->n_tables = e->n_dirs = e->n_unused = e->n_groups = e->name_bytes = 0;
	bfo_windows_drop(&e->windows);
	ext2fs_flush_icache(e->vol->fs);
}
