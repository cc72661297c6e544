// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inode_judge.c - what an inode is, and whether it can be that
 */
#include <string.h>

#include "base/disk.h"
#include "gather/inode_check.h"
#include "gather/inode_judge.h"

static int type_is_known(uint16_t mode)
{
	return S_ISREG(mode) || S_ISDIR(mode) || S_ISLNK(mode) || S_ISCHR(mode) ||
	       S_ISBLK(mode) || S_ISFIFO(mode) || S_ISSOCK(mode);
}

static int can_have_content(const struct bfo_inode *rec)
{
	return S_ISREG(rec->mode) || S_ISDIR(rec->mode) || S_ISLNK(rec->mode);
}

/* A symlink whose target stands in i_block, as all shorter ones do (ext2fs_is_fast_symlink()). */
static int is_fast_symlink(const struct bfo_inode *rec)
{
	return S_ISLNK(rec->mode) && rec->size < sizeof(((struct ext2_inode *) 0)->i_block) &&
	       !(rec->flags & EXT4_INLINE_DATA_FL);
}

/* Flags that must not be there, for lack of the feature that they belong to. */
static uint32_t strange_flags(struct ext2_super_block *sb)
{
	return (ext2fs_has_feature_inline_data(sb) ? 0 : EXT4_INLINE_DATA_FL) |
	       (ext2fs_has_feature_ea_inode(sb) ? 0 : EXT4_EA_INODE_FL) |
	       (ext2fs_has_feature_encrypt(sb) ? 0 : EXT4_ENCRYPT_FL) |
	       (ext2fs_has_feature_casefold(sb) ? 0 : EXT4_CASEFOLD_FL) |
	       (ext2fs_has_feature_verity(sb) ? 0 : EXT4_VERITY_FL);
}

static int size_is_possible(const struct bfo_volume *vol, const struct bfo_inode *rec,
			    const struct ext2_inode *raw)
{
	const void *tail;

	if (rec->state & BFO_INODE_INLINE)
		return rec->size <= EXT4_MIN_INLINE_DATA_SIZE +
				    bfo_inode_inline_tail(vol, raw, &tail);
	if (S_ISREG(rec->mode))
		return rec->size <= (uint64_t) UINT32_MAX * vol->block_size;
	if (S_ISDIR(rec->mode))
		return rec->size && rec->size % vol->block_size == 0 &&
		       rec->size / vol->block_size <= UINT32_MAX;
	if (S_ISLNK(rec->mode))
		return rec->size && rec->size < vol->block_size;
	return 1;
}

static int is_secret(const struct bfo_inode *rec)
{
	return !!(rec->flags & EXT4_ENCRYPT_FL);
}

/* True if an inline symbolic link has text without a zero byte, as long as it should be. */
static int is_inline_text(const struct bfo_volume *vol, const struct bfo_inode *rec,
			  const struct ext2_inode *raw)
{
	char head[EXT4_MIN_INLINE_DATA_SIZE];
	uint32_t in_head = rec->size < sizeof(head) ? rec->size : sizeof(head);
	const void *tail;

	if (is_secret(rec))
		return bfo_link_text_ok(raw->i_block, sizeof(head), rec->size, 1);
	memcpy(head, raw->i_block, sizeof(head));
	if (!rec->size || memchr(head, 0, in_head))
		return 0;
	return rec->size == in_head || (bfo_inode_inline_tail(vol, raw, &tail) &&
					!memchr(tail, 0, rec->size - in_head));
}

/* What is wrong with an inode so that it cannot be copied at all; BFO_FOUND_KINDS if nothing. */
static enum bfo_finding_kind judge(const struct bfo_volume *vol, const struct bfo_inode *rec,
				   const struct ext2_inode *raw)
{
	if (!bfo_inode_csum_ok(vol, rec->ino, raw))
		return BFO_FOUND_INODE_CSUM;
	if (!type_is_known(rec->mode) || rec->flags & strange_flags(vol->fs->super))
		return BFO_FOUND_INODE_MODE;
	if (rec->state & BFO_INODE_INLINE && rec->flags & EXT4_EXTENTS_FL)
		return BFO_FOUND_EXTENT;
	if (!size_is_possible(vol, rec, raw))
		return BFO_FOUND_INODE_SIZE;
	if (rec->state & BFO_INODE_INLINE && S_ISLNK(rec->mode) &&
	    !is_inline_text(vol, rec, raw))
		return BFO_FOUND_SYMLINK;
	if (rec->state & BFO_INODE_FAST &&
	    !bfo_link_text_ok(raw->i_block, sizeof(raw->i_block), rec->size, is_secret(rec)))
		return BFO_FOUND_SYMLINK;
	return BFO_FOUND_KINDS;
}

/*
 * Flags that say what an inode is, and that it cannot be.  Short links stand in i_block without
 * INLINE_DATA, and no link is immutable; ciphertext without its policy is nothing that anybody
 * could decrypt (the policy may still stand in an attribute block: see inode_scan.c).
 */
static uint32_t impossible_flags(const struct bfo_volume *vol, const struct bfo_inode *rec,
				 const struct ext2_inode *raw)
{
	uint32_t flags = EXT2_IMAGIC_FL;	/* of AFS: a feature that the gate knows not */

	if (!S_ISREG(rec->mode))
		flags |= EXT4_EA_INODE_FL | EXT4_VERITY_FL;
	if (!S_ISDIR(rec->mode))
		flags |= EXT4_CASEFOLD_FL | EXT2_INDEX_FL;
	if (S_ISLNK(rec->mode))
		flags |= EXT2_IMMUTABLE_FL | EXT2_APPEND_FL;
	if (S_ISLNK(rec->mode) && rec->size < sizeof(raw->i_block))
		flags |= EXT4_INLINE_DATA_FL;
	if (!can_have_content(rec) ||
	    (!bfo_inode_ea_block(raw) && !bfo_inode_has_policy(vol, raw)))
		flags |= EXT4_ENCRYPT_FL;
	return flags;
}

static struct bfo_inode record(const struct bfo_volume *vol, uint32_t ino,
			       const struct ext2_inode *raw)
{
	struct bfo_inode rec = {
		.ino = ino, .mode = le16(raw->i_mode), .flags = le32(raw->i_flags),
		.generation = le32(raw->i_generation), .links_read = le16(raw->i_links_count),
		.size = bfo_inode_size(raw), .ea = BFO_NONE, .name = BFO_NONE,
	};

	rec.flags &= ~impossible_flags(vol, &rec, raw);
	if (is_fast_symlink(&rec))
		rec.state |= BFO_INODE_FAST;
	if (rec.flags & EXT4_INLINE_DATA_FL && can_have_content(&rec))
		rec.state |= BFO_INODE_INLINE;
	return rec;
}

enum bfo_finding_kind bfo_inode_judge(const struct bfo_volume *vol, uint32_t ino, const void *raw,
				      struct bfo_inode *rec)
{
	*rec = record(vol, ino, raw);
	return judge(vol, rec, raw);
}

int bfo_inode_has_strange_flags(const struct bfo_inode *rec, const struct ext2_inode *raw)
{
	return rec->flags != le32(raw->i_flags);
}

/* Devices, fifos and sockets: a device number at most, else e2fsck objects. */
int bfo_inode_is_plain(const struct bfo_inode *rec, const struct ext2_inode *raw)
{
	int i;

	if (can_have_content(rec))
		return 1;
	for (i = 4; i < EXT2_N_BLOCKS; i++)
		if (raw->i_block[i])
			return 0;
	return !rec->size && !(rec->flags & (EXT4_EXTENTS_FL | EXT2_IMMUTABLE_FL |
					     EXT2_APPEND_FL | EXT4_INLINE_DATA_FL));
}
