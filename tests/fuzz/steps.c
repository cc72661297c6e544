// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * steps.c - changes of an image, in the terms of the format
 *
 *   row     what kind of thing, and which field of it: the table below, modulo its length;
 *           0xff: checksums are mended now, what follows is left as it is
 *   op      low bits: how the value comes into it; high bit: the other image
 *   which   inode, group or block
 *   nth     entry, extent, attribute, word
 *
 * A field without a width is all of the thing: it becomes a copy of the one that the value names
 * (which in the low half, nth in the high half).
 */
#include <string.h>
#include <ext2fs/ext2fs.h>
#include <ext2fs/ext2_ext_attr.h>

#include "fuzz.h"

#define ROW_RAW 0xff
#define OP_OTHER 0x80
#define IN_BLOCK 0x8000		/* nth: not of the inode itself, of its attribute block */
#define LEAF(nth) ((nth) >> 8)	/* nth of extents: 0 the inode, else a leaf below it */

enum { OP_SET, OP_XOR, OP_ADD, OP_BIT, OPS };

/* Where the thing is, and *ROOM bytes from there on; or NULL. */
typedef uint8_t *(*finder)(const struct fuzz_volume *v, uint32_t which, uint32_t nth, size_t *room);

static uint8_t *find_super(const struct fuzz_volume *v, uint32_t which, uint32_t nth, size_t *room)
{
	(void) which;
	nth = nth * 4 % SUPERBLOCK_SIZE;
	*room = SUPERBLOCK_SIZE - nth;
	return v->at + SUPERBLOCK_OFFSET + nth;
}

static uint8_t *find_group(const struct fuzz_volume *v, uint32_t which, uint32_t nth, size_t *room)
{
	(void) nth;
	*room = v->desc_size;
	return fuzz_group(v, which % v->groups);
}

static uint8_t *find_inode(const struct fuzz_volume *v, uint32_t which, uint32_t nth, size_t *room)
{
	(void) nth;
	*room = v->inode_size;
	return fuzz_inode(v, which);
}

static uint8_t *find_block(const struct fuzz_volume *v, uint32_t which, uint32_t nth, size_t *room)
{
	uint8_t *block = fuzz_block(v, which);

	nth = nth * 4 % v->block_size;
	*room = v->block_size - nth;
	return block ? block + nth : NULL;
}

/* A word of a file: htree nodes, journals, containers, values. */
static uint8_t *find_word(const struct fuzz_volume *v, uint32_t which, uint32_t nth, size_t *room)
{
	uint32_t words = v->block_size / 4;
	uint8_t *block = fuzz_file_block(v, which, nth / words);

	*room = v->block_size - nth % words * 4;
	return block ? block + nth % words * 4 : NULL;
}

static uint8_t *find_entry(const struct fuzz_volume *v, uint32_t which, uint32_t nth, size_t *room)
{
	uint32_t lblk, at;
	uint8_t *block;

	for (lblk = 0; (block = fuzz_file_block(v, which, lblk)) != NULL; lblk++)
		for (at = 0; at + 12 <= v->block_size; ) {
			uint32_t len = block[at + 4] | block[at + 5] << 8;

			*room = v->block_size - at;
			if (!nth--)
				return block + at;
			if (len < 8)
				break;
			at += len;
		}
	return NULL;
}

/* The node of an extent tree; *MOST of its entries are there. */
static uint8_t *find_node(const struct fuzz_volume *v, uint32_t which, uint32_t nth, size_t *room)
{
	struct ext2_inode *raw = (void *) fuzz_inode(v, which);
	const struct ext3_extent_idx *idx;

	*room = sizeof(raw->i_block);
	if (!raw || !(raw->i_flags & EXT4_EXTENTS_FL))
		return NULL;
	if (!LEAF(nth))
		return (uint8_t *) raw->i_block;
	idx = (const void *) raw->i_block;
	*room = v->block_size;
	return fuzz_block(v, idx[1 + (LEAF(nth) - 1) % 4].ei_leaf);
}

static uint8_t *find_extent(const struct fuzz_volume *v, uint32_t which, uint32_t nth, size_t *room)
{
	uint8_t *node = find_node(v, which, nth, room);
	size_t at = (1 + (nth & 0xff)) * sizeof(struct ext3_extent);

	if (!node || at + sizeof(struct ext3_extent) > *room)
		return NULL;
	*room = sizeof(struct ext3_extent);
	return node + at;
}

/*
 * The attribute block, or what stands behind the fields of the inode; its entries begin at *FIRST.
 */
static uint8_t *find_attrs(const struct fuzz_volume *v, uint32_t which, uint32_t nth, size_t *room,
			   size_t *first)
{
	uint8_t *raw = fuzz_inode(v, which);
	const struct ext2_inode_large *inode = (const void *) raw;
	size_t at;

	if (raw && nth & IN_BLOCK) {
		*room = v->block_size;
		*first = sizeof(struct ext2_ext_attr_header);
		return inode->i_file_acl ? fuzz_block(v, inode->i_file_acl) : NULL;
	}
	if (!raw || v->inode_size == EXT2_GOOD_OLD_INODE_SIZE)
		return NULL;
	at = EXT2_GOOD_OLD_INODE_SIZE + inode->i_extra_isize;
	*first = sizeof(uint32_t);
	*room = at < v->inode_size ? v->inode_size - at : 0;
	return *room > *first ? raw + at : NULL;
}

static uint8_t *find_attr_head(const struct fuzz_volume *v, uint32_t which, uint32_t nth,
			       size_t *room)
{
	size_t first;

	return find_attrs(v, which, nth, room, &first);
}

static uint8_t *find_attr(const struct fuzz_volume *v, uint32_t which, uint32_t nth, size_t *room)
{
	size_t at;
	uint8_t *head = find_attrs(v, which, nth, room, &at);

	for (nth &= 0xff; head && nth && at + sizeof(struct ext2_ext_attr_entry) <= *room; nth--)
		at += EXT2_EXT_ATTR_LEN(head[at]);
	if (!head || at + sizeof(struct ext2_ext_attr_entry) > *room)
		return NULL;
	*room -= at;
	return head + at;
}

/* A word of the record of an interrupted copy: word WHICH, half of the time of its first block. */
static uint8_t *find_record(const struct fuzz_volume *v, uint32_t which, uint32_t nth, size_t *room)
{
	uint8_t *block = fuzz_file_block(v, fuzz_orphan(v), nth % 8 < 4 ? 0 : nth % 4);

	which = which * 4 % v->block_size;
	*room = v->block_size - which;
	return block ? block + which : NULL;
}

#define FIELD(find, type, field) { find, offsetof(struct type, field), \
				   sizeof(((struct type *) 0)->field) }

static const struct {
	finder find;
	uint16_t at;
	uint8_t width;			/* bytes; 0: all of it */
} rows[] = {
	FIELD(find_inode, ext2_inode_large, i_mode),
	FIELD(find_inode, ext2_inode_large, i_flags),
	FIELD(find_inode, ext2_inode_large, i_size),
	FIELD(find_inode, ext2_inode_large, i_size_high),
	FIELD(find_inode, ext2_inode_large, i_blocks),
	FIELD(find_inode, ext2_inode_large, i_links_count),
	FIELD(find_inode, ext2_inode_large, i_uid),
	FIELD(find_inode, ext2_inode_large, i_dtime),
	FIELD(find_inode, ext2_inode_large, i_ctime),
	FIELD(find_inode, ext2_inode_large, i_generation),
	FIELD(find_inode, ext2_inode_large, i_file_acl),
	FIELD(find_inode, ext2_inode_large, osd2.linux2.l_i_file_acl_high),
	FIELD(find_inode, ext2_inode_large, osd2.linux2.l_i_blocks_hi),
	FIELD(find_inode, ext2_inode_large, osd1.linux1.l_i_version),
	FIELD(find_inode, ext2_inode_large, i_block[0]),
	FIELD(find_inode, ext2_inode_large, i_block[1]),
	FIELD(find_inode, ext2_inode_large, i_block[5]),
	FIELD(find_inode, ext2_inode_large, i_block[EXT2_IND_BLOCK]),
	FIELD(find_inode, ext2_inode_large, i_block[EXT2_DIND_BLOCK]),
	FIELD(find_inode, ext2_inode_large, i_block[EXT2_TIND_BLOCK]),
	FIELD(find_inode, ext2_inode_large, i_extra_isize),
	FIELD(find_inode, ext2_inode_large, i_atime_extra),
	FIELD(find_inode, ext2_inode_large, i_projid),
	{ find_inode, 0, 0 },
	FIELD(find_entry, ext2_dir_entry, inode),
	FIELD(find_entry, ext2_dir_entry, rec_len),
	{ find_entry, 6, 1 },		/* length of the name */
	{ find_entry, 7, 1 },		/* type */
	{ find_entry, 8, 4 },		/* name */
	{ find_entry, 0, 0 },
	FIELD(find_node, ext3_extent_header, eh_magic),
	FIELD(find_node, ext3_extent_header, eh_entries),
	FIELD(find_node, ext3_extent_header, eh_max),
	FIELD(find_node, ext3_extent_header, eh_depth),
	FIELD(find_extent, ext3_extent, ee_block),
	FIELD(find_extent, ext3_extent, ee_len),
	FIELD(find_extent, ext3_extent, ee_start_hi),
	FIELD(find_extent, ext3_extent, ee_start),
	{ find_extent, 0, 0 },
	{ find_attr_head, 0, 4 },	/* magic */
	FIELD(find_attr_head, ext2_ext_attr_header, h_refcount),
	FIELD(find_attr_head, ext2_ext_attr_header, h_blocks),
	FIELD(find_attr_head, ext2_ext_attr_header, h_hash),
	FIELD(find_attr, ext2_ext_attr_entry, e_name_len),
	FIELD(find_attr, ext2_ext_attr_entry, e_name_index),
	FIELD(find_attr, ext2_ext_attr_entry, e_value_offs),
	FIELD(find_attr, ext2_ext_attr_entry, e_value_inum),
	FIELD(find_attr, ext2_ext_attr_entry, e_value_size),
	FIELD(find_attr, ext2_ext_attr_entry, e_hash),
	{ find_attr, sizeof(struct ext2_ext_attr_entry), 4 },	/* name */
	{ find_attr, 0, 0 },
	{ find_word, 0, 1 }, { find_word, 1, 1 }, { find_word, 0, 2 }, { find_word, 2, 2 },
	{ find_word, 0, 4 }, { find_word, 0, 0 },
	{ find_block, 0, 1 }, { find_block, 0, 4 }, { find_block, 0, 0 },
	FIELD(find_group, ext2_group_desc, bg_flags),
	FIELD(find_group, ext2_group_desc, bg_itable_unused),
	FIELD(find_group, ext2_group_desc, bg_free_blocks_count),
	FIELD(find_group, ext2_group_desc, bg_inode_bitmap),
	FIELD(find_group, ext2_group_desc, bg_inode_table),
	FIELD(find_group, ext2_group_desc, bg_block_bitmap),
	{ find_super, 0, 1 }, { find_super, 0, 2 }, { find_super, 0, 4 },
	FIELD(find_super, ext2_super_block, s_feature_compat),
	FIELD(find_super, ext2_super_block, s_feature_incompat),
	FIELD(find_super, ext2_super_block, s_feature_ro_compat),
	FIELD(find_super, ext2_super_block, s_last_orphan),
	FIELD(find_super, ext2_super_block, s_state),
	{ find_record, 0, 1 }, { find_record, 0, 4 },
};

size_t fuzz_rows(void)
{
	return sizeof(rows) / sizeof(*rows);
}

static uint64_t changed(uint64_t old, uint8_t op, uint32_t value)
{
	switch (op % OPS) {
	case OP_XOR:
		return old ^ value;
	case OP_ADD:
		return old + value;
	case OP_BIT:
		return old ^ 1U << value % 32;
	default:
		return value;
	}
}

static void take_step(struct fuzz_volume *v, const uint8_t *step)
{
	uint32_t which = step[2] | step[3] << 8, nth = step[4] | step[5] << 8, value, i;
	uint64_t field = 0;
	size_t room, other, row = step[0] % fuzz_rows();
	uint8_t *to = rows[row].find(v, which, nth, &room), *from;

	memcpy(&value, step + 6, sizeof(value));
	if (!to || rows[row].at + rows[row].width > room)
		return;
	to += rows[row].at;
	if (!rows[row].width) {
		from = rows[row].find(v, value & 0xffff, value >> 16, &other);
		if (from)
			memmove(to, from, room < other ? room : other);
		return;
	}
	for (i = 0; i < rows[row].width; i++)
		field |= (uint64_t) to[i] << 8 * i;
	field = changed(field, step[1], value);
	for (i = 0; i < rows[row].width; i++)
		to[i] = field >> 8 * i;
}

void fuzz_steps(struct fuzz_volume *a, struct fuzz_volume *b, const struct fuzz_input *in)
{
	const uint8_t *step = in->steps, *end = step + in->n * FUZZ_STEP;
	int mended = 0;

	for (;; step += FUZZ_STEP) {
		if (!mended && (step == end || *step == ROW_RAW)) {
			fuzz_mend(a);
			if (b)
				fuzz_mend(b);
			mended = 1;
		}
		if (step == end)
			return;
		if (*step != ROW_RAW)
			take_step(b && step[1] & OP_OTHER ? b : a, step);
	}
}
