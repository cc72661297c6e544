// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gate.c - which filesystems are let in
 *
 * Features are let in by name, not kept out by name: what is not in the tables below, be it
 * newer than this program, is refused.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <e2p/e2p.h>

#include "base/bfo_err.h"
#include "volume/gate.h"
#include "volume/open.h"

#define FEATURE_BYTES 64		/* of a name */

struct features {
	uint32_t mask[3];	/* E2P_FEATURE_COMPAT, _INCOMPAT, _RO_INCOMPAT */
};

/* Understood on both sides. */
static const struct features both = { {
	EXT2_FEATURE_COMPAT_DIR_PREALLOC | EXT3_FEATURE_COMPAT_HAS_JOURNAL |
	EXT2_FEATURE_COMPAT_EXT_ATTR | EXT2_FEATURE_COMPAT_RESIZE_INODE |
	EXT2_FEATURE_COMPAT_DIR_INDEX | EXT4_FEATURE_COMPAT_SPARSE_SUPER2 |
	EXT4_FEATURE_COMPAT_FAST_COMMIT | EXT4_FEATURE_COMPAT_ORPHAN_FILE |
	EXT4_FEATURE_COMPAT_STABLE_INODES,
	EXT2_FEATURE_INCOMPAT_FILETYPE | EXT3_FEATURE_INCOMPAT_EXTENTS |
	EXT4_FEATURE_INCOMPAT_64BIT | EXT4_FEATURE_INCOMPAT_FLEX_BG |
	EXT2_FEATURE_INCOMPAT_META_BG | EXT4_FEATURE_INCOMPAT_CSUM_SEED |
	EXT4_FEATURE_INCOMPAT_LARGEDIR | EXT4_FEATURE_INCOMPAT_INLINE_DATA |
	EXT4_FEATURE_INCOMPAT_ENCRYPT | EXT4_FEATURE_INCOMPAT_CASEFOLD |
	EXT4_FEATURE_INCOMPAT_EA_INODE | EXT4_FEATURE_INCOMPAT_MMP,
	EXT2_FEATURE_RO_COMPAT_SPARSE_SUPER | EXT2_FEATURE_RO_COMPAT_LARGE_FILE |
	EXT4_FEATURE_RO_COMPAT_BIGALLOC |
	EXT4_FEATURE_RO_COMPAT_HUGE_FILE | EXT4_FEATURE_RO_COMPAT_GDT_CSUM |
	EXT4_FEATURE_RO_COMPAT_DIR_NLINK | EXT4_FEATURE_RO_COMPAT_EXTRA_ISIZE |
	EXT4_FEATURE_RO_COMPAT_METADATA_CSUM | EXT4_FEATURE_RO_COMPAT_PROJECT |
	EXT4_FEATURE_RO_COMPAT_VERITY | EXT4_FEATURE_RO_COMPAT_QUOTA,
} };

/* Harmless where nothing is written. */
static const struct features source_only = { {
	0, 0, EXT4_FEATURE_RO_COMPAT_READONLY | EXT4_FEATURE_RO_COMPAT_SHARED_BLOCKS,
} };

/* Handled by bfo_gate_recovery(), which knows what to tell the user. */
static const struct features elsewhere = { {
	0, EXT3_FEATURE_INCOMPAT_RECOVER, EXT4_FEATURE_RO_COMPAT_ORPHAN_PRESENT,
} };

int bfo_gate_name_features(const uint32_t mask[3], const char *between, char *out, size_t size)
{
	char name[FEATURE_BYTES];
	size_t used = 0;
	int type, bit;

	out[0] = 0;
	for (type = 0; type < 3; type++)
		for (bit = 0; bit < 32; bit++) {
			if (!(mask[type] & 1U << bit))
				continue;
			/* (e2p_feature2string() has one buffer for all threads) */
			e2p_feature_to_string(type, 1U << bit, name, sizeof(name));
			used += snprintf(out + used, size - used, "%s%s", used ? between : "",
					 name);
			if (used >= size)
				return 1;
		}
	return used > 0;
}

void bfo_gate_target_features(const struct ext2_super_block *sb, uint32_t mask[3])
{
	/* dir_prealloc never was; mke2fs refuses it */
	mask[0] = sb->s_feature_compat & both.mask[0] & ~EXT2_FEATURE_COMPAT_DIR_PREALLOC;
	mask[1] = sb->s_feature_incompat & both.mask[1];
	mask[2] = sb->s_feature_ro_compat & both.mask[2];
}

errcode_t bfo_gate_features(struct bfo_context *ctx, const struct bfo_volume *vol)
{
	const struct ext2_super_block *sb = vol->fs->super;
	uint32_t has[3] = { sb->s_feature_compat, sb->s_feature_incompat,
			    sb->s_feature_ro_compat };
	uint32_t strange[3];
	char names[256];
	int i;

	for (i = 0; i < 3; i++) {
		strange[i] = has[i] & ~both.mask[i] & ~elsewhere.mask[i];
		if (!vol->device.writable)
			strange[i] &= ~source_only.mask[i];
	}
	if (bfo_gate_name_features(strange, ", ", names, sizeof(names)))
		return bfo_fail(ctx, BFO_ET_FEATURE, "opening %s: %s", vol->spec, names);
	if (vol->device.writable && ext2fs_has_feature_journal((struct ext2_super_block *) sb) &&
	    !sb->s_journal_inum)
		return bfo_fail(ctx, BFO_ET_FEATURE,
				"opening %s: a target with an external journal", vol->spec);
	return 0;
}

errcode_t bfo_gate_recovery(struct bfo_context *ctx, const struct bfo_volume *vol)
{
	struct ext2_super_block *sb = vol->fs->super;

	if (ext2fs_has_feature_journal_needs_recovery(sb))
		return bfo_fail(
			ctx, BFO_ET_RECOVERY,
			"opening %s: it was not unmounted cleanly; %s"
			"mount and unmount it once, or run e2fsck -p %s",
			vol->spec,
			vol->device.writable
				? "if that comes of a copy that was interrupted, 'e2bfo "
				  "resume' goes on with it and 'e2bfo abort' gives it up, else "
				: "",
			vol->spec);
	if (vol->device.writable && ext2fs_has_feature_orphan_present(sb))
		return bfo_fail(ctx, BFO_ET_RECOVERY, "opening %s: its orphan file is not empty; "
				"run e2fsck -p %s", vol->spec, vol->spec);
	return 0;
}

errcode_t bfo_gate_intact(struct bfo_context *ctx, const struct bfo_volume *vol)
{
	ext2_filsys fs = vol->fs;
	dgrp_t g;

	if (bfo_media_missing(vol) && !vol->media.opt.accept_short)
		return bfo_fail(ctx, BFO_ET_TRUNCATED, "opening %s: it has %llu bytes, its "
				"filesystem needs %llu more", vol->spec,
				(unsigned long long) vol->store.size,
				(unsigned long long) bfo_media_missing(vol));
	for (g = 0; g < fs->group_desc_count; g++) {
		if (!ext2fs_group_desc_csum_verify(fs, g))
			return bfo_fail(ctx, BFO_ET_DAMAGED, "opening %s: checksum of group %u's "
					"descriptor; run e2fsck -f %s", vol->spec, g, vol->spec);
		if (!bfo_volume_contains(vol, ext2fs_inode_table_loc(fs, g),
					 fs->inode_blocks_per_group) ||
		    !bfo_volume_contains(vol, ext2fs_block_bitmap_loc(fs, g), 1) ||
		    !bfo_volume_contains(vol, ext2fs_inode_bitmap_loc(fs, g), 1))
			return bfo_fail(ctx, BFO_ET_DAMAGED, "opening %s: descriptor "
					"of group %u points outside; run e2fsck -f %s", vol->spec,
					g, vol->spec);
	}
	return 0;
}

errcode_t bfo_gate_healthy(struct bfo_context *ctx, const struct bfo_volume *vol, int how)
{
	const struct ext2_super_block *sb = vol->fs->super;
	const char *why = NULL;

	if (sb->s_state & EXT2_ERROR_FS)
		why = "it has errors";
	else if (!(sb->s_state & EXT2_VALID_FS))
		why = "it was not unmounted cleanly";
	else if (sb->s_last_orphan && !(how & BFO_OPEN_RECORDED))
		return bfo_fail(ctx, BFO_ET_UNHEALTHY,
				"opening %s: it has orphans; if they come of a "
				"copy that was interrupted, 'e2bfo resume' goes on with it and "
				"'e2bfo abort' gives it up, else run e2fsck -f %s first",
				vol->spec, vol->spec);
	else if (ext2fs_has_feature_dir_index((struct ext2_super_block *) sb) &&
		 sb->s_def_hash_version > EXT2_HASH_TEA)
		why = "the hash version of its directories is unknown";
	if (!why)
		return 0;
	return bfo_fail(ctx, BFO_ET_UNHEALTHY, "opening %s: %s; please run e2fsck -f %s first",
			vol->spec, why, vol->spec);
}
