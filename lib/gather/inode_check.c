// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inode_check.c - soundness of raw inodes, extent nodes and extended attributes
 */
#include <stddef.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/disk.h"
#include "gather/inode_check.h"

#define CSUM_LO offsetof(struct ext2_inode, osd2.linux2.l_i_checksum_lo)
#define CSUM_HI offsetof(struct ext2_inode_large, i_checksum_hi)
#define EXTENT_DEPTH_MAX 5
#define VALUE_MAX (1U << 24)		/* EXT4_XATTR_SIZE_MAX */
#define SYSTEM_INDEX 7			/* EXT4_XATTR_INDEX_SYSTEM */
#define ENCRYPTION_INDEX 9		/* EXT4_XATTR_INDEX_ENCRYPTION */

static int has_csum_hi(const struct bfo_volume *vol, const struct ext2_inode_large *raw)
{
	return vol->inode_size > EXT2_GOOD_OLD_INODE_SIZE && le16(raw->i_extra_isize) >= 4;
}

int bfo_inode_csum_ok(const struct bfo_volume *vol, uint32_t ino, const void *data)
{
	static const uint16_t zero;
	const struct ext2_inode_large *raw = data;
	const uint8_t *p = data;
	uint32_t crc, want;
	int hi = has_csum_hi(vol, raw);
	size_t at = CSUM_LO + 2;

	if (!vol->has_csum)
		return 1;
	crc = bfo_crc32c_inode_seed(vol->csum_seed, ino, le32(raw->i_generation));
	crc = bfo_crc32c(crc, p, CSUM_LO);
	crc = bfo_crc32c(crc, &zero, 2);
	if (hi) {
		crc = bfo_crc32c(crc, p + at, CSUM_HI - at);
		crc = bfo_crc32c(crc, &zero, 2);
		at = CSUM_HI + 2;
	}
	crc = bfo_crc32c(crc, p + at, vol->inode_size - at);
	want = le16(raw->i_checksum_lo);
	if (hi)
		return crc == (want | (uint32_t) le16(raw->i_checksum_hi) << 16);
	return (crc & 0xffff) == want;
}

uint64_t bfo_inode_size(const struct ext2_inode *raw)
{
	return le32(raw->i_size) | (uint64_t) le32(raw->i_size_high) << 32;
}

/* True if the fields of RAW reach to byte END. */
static int reaches(const struct ext2_inode_large *raw, uint32_t inode_size, size_t end)
{
	return inode_size > EXT2_GOOD_OLD_INODE_SIZE &&
	       EXT2_GOOD_OLD_INODE_SIZE + le16(raw->i_extra_isize) >= (int) end;
}

uint64_t bfo_inode_version(const void *data, uint32_t inode_size)
{
	const struct ext2_inode_large *raw = data;
	uint64_t version = le32(raw->osd1.linux1.l_i_version);

	if (reaches(raw, inode_size, offsetof(struct ext2_inode_large, i_version_hi) + 4))
		version |= (uint64_t) le32(raw->i_version_hi) << 32;
	return version;
}

uint64_t bfo_inode_value_refs(const void *data)
{
	const struct ext2_inode_large *raw = data;

	return (uint64_t) le32(raw->i_ctime) << 32 | le32(raw->osd1.linux1.l_i_version);
}

void bfo_inode_set_value_refs(void *data, uint64_t refs)
{
	struct ext2_inode_large *raw = data;

	raw->i_ctime = to_le32((uint32_t) (refs >> 32));
	raw->osd1.linux1.l_i_version = to_le32((uint32_t) refs);
}

void bfo_inode_ctime(const void *data, uint32_t inode_size, int64_t *sec, uint32_t *nsec)
{
	const struct ext2_inode_large *raw = data;
	uint32_t extra = 0;

	if (reaches(raw, inode_size, offsetof(struct ext2_inode_large, i_ctime_extra) + 4))
		extra = le32(raw->i_ctime_extra);
	*sec = (int64_t) (int32_t) le32(raw->i_ctime) + ((int64_t) (extra & 3) << 32);
	*nsec = extra >> 2;
}

uint64_t bfo_inode_ea_block(const struct ext2_inode *raw)
{
	return le32(raw->i_file_acl) |
	       (uint64_t) le16(raw->osd2.linux2.l_i_file_acl_high) << 32;
}

/* The hash over an entry and its value, in either of its two historical versions. */
static int entry_hash_ok(const struct ext2_ext_attr_entry *e, const void *value)
{
	struct ext2_ext_attr_entry *entry = (struct ext2_ext_attr_entry *) e;
	void *v = (void *) value;

	return e->e_hash == ext2fs_ext_attr_hash_entry(entry, v) ||
	       e->e_hash == ext2fs_ext_attr_hash_entry_signed(entry, v);
}

/* The room that holds entries and values: entries from byte FIRST on, values counted from BASE. */
struct ea_room {
	const char *base;
	size_t first;		/* bytes from base */
	size_t size;		/* bytes from base */
	int has_values;		/* values may stand in inodes of their own (ea_inode) */
};

static const struct ext2_ext_attr_entry *entry_at(const struct ea_room *room, size_t at)
{
	return (const void *) (room->base + at);
}

/* Where the list of entries ends (behind its zero word), or 0 if it runs out of the room. */
static size_t entries_end(const struct ea_room *room)
{
	const struct ext2_ext_attr_entry *e;
	size_t at = room->first;

	for (;;) {
		if (room->size < at + 4)
			return 0;
		e = entry_at(room, at);
		if (EXT2_EXT_IS_LAST_ENTRY(e))
			return at + 4;
		if (room->size < at + sizeof(*e))
			return 0;
		at += EXT2_EXT_ATTR_LEN(e->e_name_len);
	}
}

/* True if the values of two entries share bytes. */
static int values_overlap(const struct ext2_ext_attr_entry *a, const struct ext2_ext_attr_entry *b)
{
	size_t alen = a->e_value_inum ? 0 : EXT2_EXT_ATTR_SIZE(le32(a->e_value_size));
	size_t blen = b->e_value_inum ? 0 : EXT2_EXT_ATTR_SIZE(le32(b->e_value_size));

	return alen && blen && le16(a->e_value_offs) < le16(b->e_value_offs) + blen &&
	       le16(b->e_value_offs) < le16(a->e_value_offs) + alen;
}

static int value_ok(const struct ea_room *room, size_t at, size_t end)
{
	const struct ext2_ext_attr_entry *e = entry_at(room, at), *other;
	size_t size = le32(e->e_value_size), offs = le16(e->e_value_offs), p;

	if (e->e_value_inum)
		return room->has_values && size && size <= VALUE_MAX && !offs;
	if (size > room->size)
		return 0;
	if (size && (offs < end || offs + EXT2_EXT_ATTR_SIZE(size) > room->size))
		return 0;
	if (offs + size > room->size || (room->first && !e->e_name_index))
		return 0;		/* e2fsck: of empty values too; the latter in blocks */
	for (p = room->first; p < at; p += EXT2_EXT_ATTR_LEN(other->e_name_len)) {
		other = entry_at(room, p);
		if (values_overlap(e, other))
			return 0;
	}
	if (!room->first && !e->e_hash)
		return 1;		/* in inodes it need not be set */
	return entry_hash_ok(e, size ? room->base + offs : room->base);
}

static int entries_ok(const struct ea_room *room)
{
	size_t end = entries_end(room), at;

	if (!end)
		return 0;
	for (at = room->first; at < end - 4;
	     at += EXT2_EXT_ATTR_LEN(entry_at(room, at)->e_name_len))
		if (!value_ok(room, at, end))
			return 0;
	return 1;
}

/* The room for attributes in raw inode DATA; 0 if there is none, or no magic in it. */
static int inode_room(const struct bfo_volume *vol, const void *data, struct ea_room *room)
{
	const struct ext2_inode_large *raw = data;
	uint32_t extra, magic, start;

	if (vol->inode_size == EXT2_GOOD_OLD_INODE_SIZE)
		return 0;
	extra = le16(raw->i_extra_isize);
	start = EXT2_GOOD_OLD_INODE_SIZE + extra + sizeof(magic);
	if (!extra || extra % 4 || start + 4 > vol->inode_size)
		return 0;
	memcpy(&magic, (const char *) data + start - sizeof(magic), sizeof(magic));
	*room = (struct ea_room) { .base = (const char *) data + start,
				   .size = vol->inode_size - start,
				   .has_values = ext2fs_has_feature_ea_inode(vol->fs->super) };
	return le32(magic) == EXT2_EXT_ATTR_MAGIC;
}

int bfo_inode_xattrs_ok(const struct bfo_volume *vol, const void *data)
{
	const struct ext2_inode_large *raw = data;
	struct ea_room room;

	if (vol->inode_size > EXT2_GOOD_OLD_INODE_SIZE &&
	    (le16(raw->i_extra_isize) % 4 ||
	     EXT2_GOOD_OLD_INODE_SIZE + le16(raw->i_extra_isize) > (int) vol->inode_size))
		return 0;
	return !inode_room(vol, data, &room) || entries_ok(&room);
}

/* The entry of a sound ROOM with INDEX and NAME, or NULL. */
static const struct ext2_ext_attr_entry *find_entry(const struct ea_room *room, int index,
						    const char *name)
{
	const struct ext2_ext_attr_entry *e;
	size_t at, end = entries_end(room), len = strlen(name);

	for (at = room->first; at < end - 4; at += EXT2_EXT_ATTR_LEN(e->e_name_len)) {
		e = entry_at(room, at);
		if (e->e_name_index == index && e->e_name_len == len && !memcmp(e + 1, name, len))
			return e;
	}
	return NULL;
}

/* "system.data" is no attribute but the tail of inline data. */
static int is_inline_data(const struct ext2_ext_attr_entry *e)
{
	return e->e_name_index == SYSTEM_INDEX && e->e_name_len == 4 && !memcmp(e + 1, "data", 4);
}

uint64_t bfo_inode_blocks(const struct bfo_volume *vol, const void *raw)
{
	const struct ext2_inode *inode = raw;
	uint64_t blocks = le32(inode->i_blocks);

	if (!ext2fs_has_feature_huge_file(vol->fs->super))
		return blocks;
	blocks |= (uint64_t) le16(inode->osd2.linux2.l_i_blocks_hi) << 32;
	return le32(inode->i_flags) & EXT4_HUGE_FILE_FL ? blocks * (vol->block_size / 512) : blocks;
}

int bfo_inode_has_xattrs(const struct bfo_volume *vol, const void *data)
{
	struct ea_room room;
	size_t at, end;

	if (bfo_inode_ea_block(data))
		return 1;
	if (!bfo_inode_xattrs_ok(vol, data) || !inode_room(vol, data, &room))
		return 0;
	end = entries_end(&room);
	for (at = room.first; at < end - 4;
	     at += EXT2_EXT_ATTR_LEN(entry_at(&room, at)->e_name_len))
		if (!is_inline_data(entry_at(&room, at)))
			return 1;
	return 0;
}

int bfo_link_text_ok(const void *text, size_t room, uint64_t size, int secret)
{
	uint16_t len;

	if (!secret)
		return strnlen(text, room) == size;
	memcpy(&len, text, sizeof(len));
	return len && size == le16(len) + sizeof(len);
}

uint32_t bfo_inode_inline_tail(const struct bfo_volume *vol, const void *data, const void **tail)
{
	const struct ext2_ext_attr_entry *e;
	struct ea_room room;

	if (!inode_room(vol, data, &room) || !entries_ok(&room))
		return 0;
	e = find_entry(&room, SYSTEM_INDEX, "data");
	if (!e)
		return 0;
	*tail = room.base + le16(e->e_value_offs);
	return le32(e->e_value_size);
}

/* A policy of encryption that one can make out: of a length that its version has. */
static int has_policy(const struct ea_room *room)
{
	const struct ext2_ext_attr_entry *e = find_entry(room, ENCRYPTION_INDEX, "c");
	uint32_t size = e ? le32(e->e_value_size) : 0;

	if (!size || e->e_value_inum)
		return 0;
	switch (room->base[le16(e->e_value_offs)]) {
	case 1:	return size == 28;
	case 2:	return size == 40;
	}
	return 1;
}

int bfo_inode_has_policy(const struct bfo_volume *vol, const void *data)
{
	struct ea_room room;

	return bfo_inode_xattrs_ok(vol, data) && inode_room(vol, data, &room) && has_policy(&room);
}

int bfo_ea_block_has_policy(const struct bfo_volume *vol, const void *block)
{
	struct ea_room room = { .base = block, .first = sizeof(struct ext2_ext_attr_header),
				.size = vol->block_size };

	return has_policy(&room);
}

void bfo_inode_inline_content(const struct bfo_volume *vol, const void *data, void *out,
			      uint32_t size)
{
	const struct ext2_inode *raw = data;
	uint32_t head = sizeof(raw->i_block), len;
	const void *tail;

	if (head > size)
		head = size;
	memset(out, 0, size);
	memcpy(out, raw->i_block, head);
	len = bfo_inode_inline_tail(vol, data, &tail);
	if (len > size - head)
		len = size - head;
	if (len)
		memcpy((char *) out + head, tail, len);
}

static int ea_csum_ok(const struct bfo_volume *vol, const void *block, uint64_t blk)
{
	return ext2fs_ext_attr_block_csum_verify(vol->fs, 0, blk, (void *) block);
}

int bfo_ea_block_ok(const struct bfo_volume *vol, const void *block, uint64_t blk)
{
	const struct ext2_ext_attr_header *h = block;
	struct ea_room room = { .base = block, .first = sizeof(*h), .size = vol->block_size,
				.has_values = ext2fs_has_feature_ea_inode(vol->fs->super) };

	return le32(h->h_magic) == EXT2_EXT_ATTR_MAGIC && le32(h->h_blocks) == 1 &&
	       ea_csum_ok(vol, block, blk) && entries_ok(&room);
}

int bfo_extent_node_entries(const struct ext3_extent_header *eh, size_t size, int depth)
{
	uint32_t room = (size - sizeof(*eh)) / sizeof(struct ext3_extent);
	uint32_t max = le16(eh->eh_max), n = le16(eh->eh_entries), d = le16(eh->eh_depth);

	if (le16(eh->eh_magic) != EXT3_EXT_MAGIC || max > room || n > max)
		return -1;
	if (depth < 0 ? d > EXTENT_DEPTH_MAX : d != (uint32_t) depth)
		return -1;
	if (d && !n)
		return -1;
	return n;
}

int bfo_extent_csum_ok(const struct bfo_volume *vol, uint32_t ino, uint32_t generation,
		       const void *block)
{
	const struct ext3_extent_header *eh = block;
	size_t at = sizeof(*eh) + le16(eh->eh_max) * sizeof(struct ext3_extent);
	uint32_t crc, want;

	if (!vol->has_csum)
		return 1;
	if (at + sizeof(want) > vol->block_size)
		return 0;
	memcpy(&want, (const char *) block + at, sizeof(want));
	crc = bfo_crc32c_inode_seed(vol->csum_seed, ino, generation);
	return bfo_crc32c(crc, block, at) == le32(want);
}
