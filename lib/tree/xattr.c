// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xattr.c - extended attributes, freed from the place where they stand
 *
 * A packed set is a row of these, one for each attribute:
 *
 *   0  4  size of the value		 8  4  hash, 0 unless in an inode	13  1  name_len
 *   4  4  inode of the value		12  1  name_index			14  .  name, value
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <ext2fs/ext2fs.h>
#include <ext2fs/ext2_ext_attr.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "tree/xattr.h"

#define MAGIC_SIZE 4U
#define END_SIZE 4U		/* the zero word behind the entries */
#define PACKED_SIZE 14U		/* before name and value */
#define UNIT EXT2_EXT_ATTR_PAD

/* What e_name_index stands for (attributes.rst). */
static const char *const prefixes[] = {
	[0] = "", [BFO_XATTR_USER] = "user.", [BFO_XATTR_ACL_ACCESS] = "system.posix_acl_access",
	[BFO_XATTR_ACL_DEFAULT] = "system.posix_acl_default", [BFO_XATTR_TRUSTED] = "trusted.",
	[BFO_XATTR_SECURITY] = "security.", [BFO_XATTR_SYSTEM] = "system.",
	[BFO_XATTR_RICHACL] = "system.richacl",
};

#define PREFIXES (sizeof(prefixes) / sizeof(*prefixes))

const char *bfo_xattr_prefix(uint8_t index)
{
	return index < PREFIXES ? prefixes[index] : NULL;
}

size_t bfo_xattr_name(const struct bfo_xattr *x, char out[BFO_XATTR_NAME_MAX])
{
	const char *prefix = bfo_xattr_prefix(x->name_index);
	size_t len;

	if (prefix)
		len = snprintf(out, BFO_XATTR_NAME_MAX, "%s", prefix);
	else
		len = snprintf(out, BFO_XATTR_NAME_MAX, "%u:", x->name_index);
	memcpy(out + len, x->name, x->name_len);
	return len + x->name_len;
}

/* What holds entries and values: entries from byte FIRST on, values counted from BASE. */
struct room {
	char *base;
	uint32_t first, size;	/* bytes from base */
};

static uint32_t extra_isize(const void *raw)
{
	return le16(((const struct ext2_inode_large *) raw)->i_extra_isize);
}

uint32_t bfo_xattrs_inode_room(const void *raw, uint32_t inode_size)
{
	uint32_t start;

	if (inode_size <= EXT2_GOOD_OLD_INODE_SIZE || !extra_isize(raw) || extra_isize(raw) % UNIT)
		return 0;
	start = EXT2_GOOD_OLD_INODE_SIZE + extra_isize(raw);
	return start + MAGIC_SIZE + END_SIZE > inode_size ? 0 : inode_size - start;
}

static errcode_t take_entry(bfo_xattrs *out, const struct room *room,
			    const struct ext2_ext_attr_entry *e)
{
	uint32_t offs = le16(e->e_value_offs);
	struct bfo_xattr x = {
		.name_index = e->e_name_index, .name_len = e->e_name_len,
		.name = (const char *) (e + 1), .size = le32(e->e_value_size),
		.inum = le32(e->e_value_inum), .hash = le32(e->e_hash),
	};

	if (!x.inum) {
		if (!x.size)
			offs = 0;
		if (offs > room->size || x.size > room->size - offs)
			return BFO_ET_DAMAGED;
		x.value = room->base + offs;
	}
	/* No attribute, to the kernel and e2fsck, if it has an offset; without, the list's end. */
	if (!x.name_index && !x.name_len && (x.inum || !x.size))
		return x.inum ? BFO_ET_DAMAGED : 0;
	return bfo_vec_push(out, x);
}

static errcode_t take_entries(bfo_xattrs *out, const struct room *room)
{
	const struct ext2_ext_attr_entry *e;
	uint32_t at = room->first, len;
	errcode_t err;

	for (;;) {
		if (room->size - at < END_SIZE)
			return BFO_ET_DAMAGED;
		e = (const void *) (room->base + at);
		if (EXT2_EXT_IS_LAST_ENTRY(e))
			return 0;
		len = EXT2_EXT_ATTR_LEN(e->e_name_len);
		if (room->size - at < len)
			return BFO_ET_DAMAGED;
		err = take_entry(out, room, e);
		if (err)
			return err;
		at += len;
	}
}

static errcode_t take(bfo_xattrs *out, const struct room *room)
{
	size_t before = out->n;
	errcode_t err = take_entries(out, room);

	if (err)
		out->n = before;
	return err;
}

static int has_magic(const void *p)
{
	return le32(*(const uint32_t *) p) == EXT2_EXT_ATTR_MAGIC;
}

/* The room for entries and values in an inode that has bfo_xattrs_inode_room(). */
static struct room room_of_inode(const void *raw, uint32_t inode_size)
{
	uint32_t start = EXT2_GOOD_OLD_INODE_SIZE + extra_isize(raw) + MAGIC_SIZE;

	return (struct room) { .base = (char *) raw + start, .size = inode_size - start };
}

static struct room room_of_block(const void *block, uint32_t block_size)
{
	return (struct room) { .base = (char *) block, .size = block_size,
			       .first = sizeof(struct ext2_ext_attr_header) };
}

errcode_t bfo_xattrs_of_inode(bfo_xattrs *out, const void *raw, uint32_t inode_size)
{
	struct room room;

	if (inode_size <= EXT2_GOOD_OLD_INODE_SIZE)
		return 0;
	if (extra_isize(raw) % UNIT || EXT2_GOOD_OLD_INODE_SIZE + extra_isize(raw) > inode_size)
		return BFO_ET_DAMAGED;
	if (!bfo_xattrs_inode_room(raw, inode_size))
		return 0;
	room = room_of_inode(raw, inode_size);
	return has_magic(room.base - MAGIC_SIZE) ? take(out, &room) : 0;
}

errcode_t bfo_xattrs_of_block(bfo_xattrs *out, const void *block, uint32_t block_size)
{
	struct room room = room_of_block(block, block_size);

	return has_magic(block) ? take(out, &room) : BFO_ET_DAMAGED;
}

int bfo_xattr_is_data(const struct bfo_xattr *x)
{
	return x->name_index == BFO_XATTR_SYSTEM && x->name_len == 4 && !memcmp(x->name, "data", 4);
}

int bfo_xattr_is_capability(const struct bfo_xattr *x)
{
	static const char name[] = "capability";

	return x->name_index == BFO_XATTR_SECURITY && x->name_len == sizeof(name) - 1 &&
	       !memcmp(x->name, name, x->name_len);
}

int bfo_xattr_compare(const struct bfo_xattr *a, const struct bfo_xattr *b)
{
	if (a->name_index != b->name_index)
		return a->name_index - b->name_index;
	if (a->name_len != b->name_len)
		return a->name_len - b->name_len;
	return memcmp(a->name, b->name, a->name_len);
}

/* The place of X among the first N, which are sorted: that of its equal, or where it belongs. */
static size_t place(const bfo_xattrs *set, size_t n, const struct bfo_xattr *x)
{
	size_t lo = 0, hi = n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (bfo_xattr_compare(&set->v[mid], x) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* By insertion: blocks are in order already, inodes are small, and what came first is known. */
size_t bfo_xattrs_sort(bfo_xattrs *set)
{
	size_t i, at, n = 0, all = set->n;
	struct bfo_xattr x;

	for (i = 0; i < all; i++) {
		x = set->v[i];
		at = place(set, n, &x);
		if (at < n && !bfo_xattr_compare(&set->v[at], &x))
			continue;
		memmove(&set->v[at + 1], &set->v[at], (n - at) * sizeof(x));
		set->v[at] = x;
		n++;
	}
	set->n = n;
	return all - n;
}

static int is_sorted(const bfo_xattrs *set)
{
	size_t i;

	for (i = 1; i < set->n; i++)
		if (bfo_xattr_compare(&set->v[i - 1], &set->v[i]) >= 0)
			return 0;
	return 1;
}

/* Bytes of the value that stand beside the name. */
static uint32_t value_size(const struct bfo_xattr *x)
{
	return x->inum ? 0 : x->size;
}

uint32_t bfo_xattrs_bytes(const bfo_xattrs *set)
{
	uint32_t bytes = 0;
	size_t i;

	for (i = 0; i < set->n; i++)
		bytes += PACKED_SIZE + set->v[i].name_len + value_size(&set->v[i]);
	return bytes;
}

/* Appends LEN bytes to what ends at P; returns the new end. */
static char *add(char *p, const void *data, size_t len)
{
	if (len)
		memcpy(p, data, len);
	return p + len;
}

void bfo_xattrs_pack(const bfo_xattrs *set, void *bytes)
{
	const struct bfo_xattr *x;
	uint32_t head[3];
	char *p = bytes;

	assert(is_sorted(set));
	for (x = set->v; x < set->v + set->n; x++) {
		head[0] = x->size;
		head[1] = x->inum;
		head[2] = x->inum ? x->hash : 0;
		p = add(p, head, sizeof(head));
		p = add(p, &x->name_index, 1);
		p = add(p, &x->name_len, 1);
		p = add(p, x->name, x->name_len);
		p = add(p, x->value, value_size(x));
	}
}

errcode_t bfo_xattrs_unpack(bfo_xattrs *out, const void *bytes, uint32_t size)
{
	const char *p = bytes, *end = p + size;
	struct bfo_xattr x;
	uint32_t head[3];
	errcode_t err;

	while (p < end) {
		assert((size_t) (end - p) >= PACKED_SIZE);
		memcpy(head, p, sizeof(head));
		x = (struct bfo_xattr) {
			.size = head[0], .inum = head[1], .hash = head[2],
			.name_index = p[12], .name_len = p[13], .name = p + PACKED_SIZE,
		};
		assert((size_t) (end - x.name) >= x.name_len + (size_t) value_size(&x));
		p = x.name + x.name_len;
		if (!x.inum)
			x.value = p;
		p += value_size(&x);
		err = bfo_vec_push(out, x);
		if (err)
			return err;
	}
	return 0;
}

/* As the kernel's ext4_xattr_hash_entry() (fs/ext4/xattr.c). */
uint32_t bfo_xattr_hash(const struct bfo_xattr *x, uint32_t value, int is_signed)
{
	uint32_t hash = 0, i, byte;

	for (i = 0; i < x->name_len; i++) {
		byte = is_signed ? (uint32_t) (int8_t) x->name[i] : (uint8_t) x->name[i];
		hash = (hash << 5) ^ (hash >> 27) ^ byte;
	}
	return (hash << 16) ^ (hash >> 16) ^ value;
}

uint64_t bfo_xattr_cost(const struct bfo_xattr *x)
{
	return EXT2_EXT_ATTR_LEN(x->name_len) + EXT2_EXT_ATTR_SIZE((uint64_t) value_size(x));
}

/* Appends the entry of X at byte AT, its value before byte END; returns where that begins. */
static uint32_t put_entry(const struct room *room, uint32_t at, uint32_t end,
			  const struct bfo_xattr *x, int hashed)
{
	struct ext2_ext_attr_entry *e = (void *) (room->base + at);

	assert(at + bfo_xattr_cost(x) + END_SIZE <= end);
	e->e_name_len = x->name_len;
	e->e_name_index = x->name_index;
	e->e_value_inum = le32(x->inum);
	e->e_value_size = le32(x->size);
	add((char *) (e + 1), x->name, x->name_len);
	if (value_size(x)) {
		end -= EXT2_EXT_ATTR_SIZE(x->size);
		e->e_value_offs = le16(end);
		add(room->base + end, x->value, x->size);
	}
	if (x->inum)
		e->e_hash = le32(x->hash);
	else if (hashed)
		e->e_hash = le32(ext2fs_ext_attr_hash_entry(e, room->base + end));
	return end;
}

/* Writes the attributes for which INSIDE is WHICH into zeroed ROOM; returns the entries' end. */
static uint32_t put(const struct room *room, const bfo_xattrs *set, const uint8_t *inside,
		    int which)
{
	uint32_t at = room->first, end = room->size;
	size_t i;

	assert(is_sorted(set));
	for (i = 0; i < set->n; i++) {
		if (inside[i] != which)
			continue;
		end = put_entry(room, at, end, &set->v[i], !which);
		at += EXT2_EXT_ATTR_LEN(set->v[i].name_len);
	}
	return at;
}

void bfo_xattrs_put_inode(const bfo_xattrs *set, const uint8_t *inside, void *raw,
			  uint32_t inode_size)
{
	uint32_t magic = le32(EXT2_EXT_ATTR_MAGIC), start;
	struct room room;

	if (inode_size > EXT2_GOOD_OLD_INODE_SIZE) {
		start = EXT2_GOOD_OLD_INODE_SIZE + extra_isize(raw);
		assert(extra_isize(raw) % UNIT == 0 && start <= inode_size);
		memset((char *) raw + start, 0, inode_size - start);
	}
	if (!set->n || !memchr(inside, 1, set->n))
		return;
	assert(bfo_xattrs_inode_room(raw, inode_size));
	room = room_of_inode(raw, inode_size);
	memcpy(room.base - MAGIC_SIZE, &magic, MAGIC_SIZE);
	put(&room, set, inside, 1);
}

void bfo_xattrs_put_block(const bfo_xattrs *set, const uint8_t *inside, void *block,
			  uint32_t block_size)
{
	struct room room = room_of_block(block, block_size);
	struct ext2_ext_attr_header *h = block;
	uint32_t end;

	memset(block, 0, block_size);
	h->h_magic = le32(EXT2_EXT_ATTR_MAGIC);
	h->h_refcount = h->h_blocks = le32(1);
	end = put(&room, set, inside, 0);
	ext2fs_ext_attr_block_rehash(h, (void *) (room.base + end));
}
