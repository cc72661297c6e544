/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xattr.h - extended attributes, freed from the place where they stand
 *
 *   raw inode -- of_inode --.                                  .-- put_inode --> raw inode
 *                           set -- sort -- pack ... unpack -- split
 *   block ------ of_block --'      (equal sets, equal bytes)   '-- put_block --> block
 *
 * ext4 keeps attributes behind i_extra_isize of large inodes, and in one block.  What fits there
 * depends on the sizes of inodes and blocks, so between filesystems that differ in these a set is
 * taken out, and split anew.  Both places are built alike: entries from the front, a zero word,
 * room, values from the end.
 *
 *   inode: magic | entries -> 0000 ... <- values	offsets count from the first entry
 *   block: header (32 bytes) | entries -> 0000 ... <- values	offsets count from the block
 *
 * All functions are pure.  Buffers are little endian, as on disk, and aligned to 4 bytes.
 * Sources of the format: the kernel's Documentation/filesystems/ext4/attributes.rst and
 * fs/ext4/xattr.c, libext2fs' ext_attr.c, and what e2fsck's pass 1 accepts.
 */
#ifndef BFO_TREE_XATTR_H
#define BFO_TREE_XATTR_H

#include "base/vec.h"

/* Values of name_index: the part of the name that is not stored. */
enum bfo_xattr_index {
	BFO_XATTR_USER = 1,
	BFO_XATTR_ACL_ACCESS = 2,	/* "system.posix_acl_access"; the rest of the name is "" */
	BFO_XATTR_ACL_DEFAULT = 3,
	BFO_XATTR_TRUSTED = 4,
	BFO_XATTR_SECURITY = 6,
	BFO_XATTR_SYSTEM = 7,
	BFO_XATTR_RICHACL = 8,
};

struct bfo_xattr {
	uint8_t name_index;	/* of an enum bfo_xattr_index; others are carried along */
	uint8_t name_len;
	const char *name;	/* not terminated; any bytes */
	const void *value;	/* NULL: in inode INUM */
	uint32_t size;		/* of the value, in bytes */
	uint32_t inum;		/* the inode that holds the value, or 0; see gather/repack.h */
	uint32_t hash;		/* e_hash as it was stored, host order */
};

/* Points into the buffers it was made from, which have to stay. */
typedef BFO_VEC(struct bfo_xattr) bfo_xattrs;

/* Bytes for attributes in RAW: all behind i_extra_isize; 0 if none can stand there. */
uint32_t bfo_xattrs_inode_room(const void *raw, uint32_t inode_size);

/*
 * Append the attributes of an inode, of a block.  Returns 0, ENOMEM, or BFO_ET_DAMAGED if
 * something reaches out of its room; then OUT is as it was.  An inode without room for
 * attributes, or without their magic, has none; an entry without name and value is none.
 * "system.data" comes along (see below).  Take the inode's before the block's: see
 * bfo_xattrs_sort().
 */
errcode_t bfo_xattrs_of_inode(bfo_xattrs *out, const void *raw, uint32_t inode_size);
errcode_t bfo_xattrs_of_block(bfo_xattrs *out, const void *block, uint32_t block_size);

/* True for "system.data", which is no attribute but the tail of inline data. */
int bfo_xattr_is_data(const struct bfo_xattr *x);

/* True for "security.capability". */
int bfo_xattr_is_capability(const struct bfo_xattr *x);

/* (With more of a name it is none, whatever the index says.) */
static inline int bfo_xattr_is_acl(const struct bfo_xattr *x)
{
	return !x->name_len && (x->name_index == BFO_XATTR_ACL_ACCESS ||
				x->name_index == BFO_XATTR_ACL_DEFAULT);
}

/* True if its value can have numbers of users or groups. */
static inline int bfo_xattr_has_ids(const struct bfo_xattr *x)
{
	return bfo_xattr_is_acl(x) || bfo_xattr_is_capability(x);
}

/*
 * Brings SET into the order the kernel demands in blocks: name_index, length of the name, its
 * bytes.  Of several with one name the first stays, as only that one can be read; returns how
 * many went.  The functions below want sorted sets.
 */
size_t bfo_xattrs_sort(bfo_xattrs *set);

/*
 * One string of bytes per set, the same for equal sets: those whose names, values and, of values
 * in inodes, numbers, sizes and hashes agree.  It is for memory, not for disk.  bfo_xattrs_bytes()
 * says how long, pack writes it, unpack appends to OUT, pointing into BYTES (of any alignment),
 * with hash 0 for values not in inodes; returns 0 or ENOMEM.
 */
uint32_t bfo_xattrs_bytes(const bfo_xattrs *set);
void bfo_xattrs_pack(const bfo_xattrs *set, void *bytes);
errcode_t bfo_xattrs_unpack(bfo_xattrs *out, const void *bytes, uint32_t size);

/* What INDEX stands for in names that users see; NULL: nothing known. */
const char *bfo_xattr_prefix(uint8_t index);

#define BFO_XATTR_NAME_MAX 288

/*
 * The name as users see it ("user.x"; what has no known prefix begins with "INDEX:"); its length.
 */
size_t bfo_xattr_name(const struct bfo_xattr *x, char out[BFO_XATTR_NAME_MAX]);

/* Compares names in that order. */
int bfo_xattr_compare(const struct bfo_xattr *a, const struct bfo_xattr *b);

/*
 * The hash of the entry of X, whose value, with hash VALUE, stands in an inode of its own.  In
 * former times bytes of names were signed.
 */
uint32_t bfo_xattr_hash(const struct bfo_xattr *x, uint32_t value, int is_signed);

/* Bytes that X takes, in either place: entry and value, padded. */
uint64_t bfo_xattr_cost(const struct bfo_xattr *x);

/*
 * Decides what goes into the inode: inside[i] becomes 1 or 0 for each attribute.  Room in the
 * inode: bfo_xattrs_inode_room(); in the block: the block size, or 0 if there must be none.
 *
 *  1. Inside must be: system.data, and what has index 0, to which e2fsck objects in blocks.
 *  2. security.*, then ACLs, then others, each kind small ones first, as long as one fits.
 *  3. If the rest is too much for the block: the choice that fills the inode best instead.
 *
 * Because of 3, whatever fits at all is kept; e.g. a set that came from rooms not larger.
 * Returns 0: all are inside, 1: the others need a block, -1: they do not fit.
 */
int bfo_xattrs_split(const bfo_xattrs *set, uint32_t inode_room, uint32_t block_room,
		     uint8_t *inside);

/*
 * Writes what is inside into RAW, behind its i_extra_isize; the other bytes there become 0, so SET
 * must not point into RAW.  What is inside has to fit, as it does after bfo_xattrs_split().
 * Hashes are 0, as the kernel has it, but for values in inodes.  (Such a hash covers the hash of
 * the value, which depends on the filesystem's checksum seed: to another, set it before.)
 */
void bfo_xattrs_put_inode(const bfo_xattrs *set, const uint8_t *inside, void *raw,
			  uint32_t inode_size);

/*
 * Makes BLOCK, likewise, of what is not inside: one reference, hashes set.  The checksum is 0: it
 * depends on where the block will stand.
 */
void bfo_xattrs_put_block(const bfo_xattrs *set, const uint8_t *inside, void *block,
			  uint32_t block_size);

#endif
