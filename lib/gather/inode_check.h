/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inode_check.h - is one raw inode, extent tree block or xattr area what it should be?
 *
 * Pure functions over bytes as they stand on disk (little endian); sources: the kernel's
 * Documentation/filesystems/ext4/ (inodes.rst, ifork.rst, attributes.rst, checksums.rst) and
 * what e2fsck's pass 1 accepts.
 */
#ifndef BFO_GATHER_INODE_CHECK_H
#define BFO_GATHER_INODE_CHECK_H

#include <stdint.h>
#include <ext2fs/ext2fs.h>
#include <ext2fs/ext3_extents.h>

#include "volume/volume.h"

/* True if the checksum of raw inode INO agrees, or the filesystem has none. */
int bfo_inode_csum_ok(const struct bfo_volume *vol, uint32_t ino, const void *raw);

/* Size in bytes of a regular file, directory or symlink. */
uint64_t bfo_inode_size(const struct ext2_inode *raw);

/* i_version of raw inode RAW of INODE_SIZE bytes: 64 bits if the inode has room for all of them. */
uint64_t bfo_inode_version(const void *raw, uint32_t inode_size);

/* The time of its last change, in seconds since 1970 and, if it has room for these, nanoseconds. */
void bfo_inode_ctime(const void *raw, uint32_t inode_size, int64_t *sec, uint32_t *nsec);

/*
 * References to the value of attributes that stands in RAW (feature ea_inode): in i_ctime, the
 * upper half, and i_version.
 */
uint64_t bfo_inode_value_refs(const void *raw);
void bfo_inode_set_value_refs(void *raw, uint64_t refs);

/* The block of extended attributes, 0 if none. */
uint64_t bfo_inode_ea_block(const struct ext2_inode *raw);

/* True if the extended attributes in raw inode RAW (or their absence) are sound. */
int bfo_inode_xattrs_ok(const struct bfo_volume *vol, const void *raw);

/* True if raw inode RAW, which is sound, has extended attributes, in itself or in a block. */
int bfo_inode_has_xattrs(const struct bfo_volume *vol, const void *raw);

/*
 * What is allocated to raw inode RAW, in units of 512 bytes, as in stat(2); which adds some for
 * file data that stand in the inode.
 */
uint64_t bfo_inode_blocks(const struct bfo_volume *vol, const void *raw);

/*
 * What of a file's inline data (inlinedata.rst) does not fit into i_block: the value of system.data
 * in raw inode RAW.  Returns its length in bytes, 0 if there is none.
 */
uint32_t bfo_inode_inline_tail(const struct bfo_volume *vol, const void *raw, const void **tail);

/*
 * True if TEXT, ROOM bytes, begins with the text of a symbolic link of SIZE bytes.  Of one that is
 * encrypted (SECRET) that is the ciphertext, its length in two bytes before it.
 */
int bfo_link_text_ok(const void *text, size_t room, uint64_t size, int secret);

/* Takes SIZE bytes of inline data, head and tail, out of RAW to OUT; what is missing is zero. */
void bfo_inode_inline_content(const struct bfo_volume *vol, const void *raw, void *out,
			      uint32_t size);

/* True if BLOCK, which stands at block BLK, is a sound extended attribute block. */
int bfo_ea_block_ok(const struct bfo_volume *vol, const void *block, uint64_t blk);

/*
 * True if among the attributes in raw inode RAW, in BLOCK, which is sound, is a policy of
 * encryption.
 */
int bfo_inode_has_policy(const struct bfo_volume *vol, const void *raw);
int bfo_ea_block_has_policy(const struct bfo_volume *vol, const void *block);

/*
 * Checks the node of an extent tree: magic, DEPTH (0 = leaf), number of entries against the room
 * of SIZE bytes.  Returns the entries, or -1.  DEPTH -1 accepts any up to EXT4's maximum of 5.
 */
int bfo_extent_node_entries(const struct ext3_extent_header *eh, size_t size, int depth);

/* True if the checksum at the end of an extent tree block agrees, or there is none. */
int bfo_extent_csum_ok(const struct bfo_volume *vol, uint32_t ino, uint32_t generation,
		       const void *block);

#endif
