// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkfs.c - formatting a target alike to the source, with mke2fs(8)
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/fs.h>

#include "base/bfo_err.h"
#include "base/temporary.h"
#include "base/text.h"
#include "volume/open.h"
#include "device/partition.h"
#include "device/probe.h"
#include "job/mkfs.h"
#include "job/mkfs_args.h"
#include "job/mkfs_child.h"
#include "job/mkfs_config.h"
#include "job/mkfs_words.h"

#define DEFAULT_BLOCKS (1U << 20)	/* with these, so many inodes: one for 16 KiB */
#define DEFAULT_INODES (1U << 18)

/* What is taken over where there is no source to be alike to. */
static void take_defaults(struct ext2_super_block *sb)
{
	memset(sb, 0, sizeof(*sb));
	sb->s_feature_compat = EXT3_FEATURE_COMPAT_HAS_JOURNAL | EXT2_FEATURE_COMPAT_EXT_ATTR |
			       EXT2_FEATURE_COMPAT_RESIZE_INODE | EXT2_FEATURE_COMPAT_DIR_INDEX;
	sb->s_feature_incompat = EXT2_FEATURE_INCOMPAT_FILETYPE | EXT3_FEATURE_INCOMPAT_EXTENTS |
				 EXT4_FEATURE_INCOMPAT_64BIT | EXT4_FEATURE_INCOMPAT_FLEX_BG;
	sb->s_feature_ro_compat = EXT2_FEATURE_RO_COMPAT_SPARSE_SUPER |
				  EXT2_FEATURE_RO_COMPAT_LARGE_FILE |
				  EXT4_FEATURE_RO_COMPAT_HUGE_FILE |
				  EXT4_FEATURE_RO_COMPAT_DIR_NLINK |
				  EXT4_FEATURE_RO_COMPAT_EXTRA_ISIZE |
				  EXT4_FEATURE_RO_COMPAT_METADATA_CSUM;
	sb->s_rev_level = EXT2_DYNAMIC_REV;
	sb->s_log_block_size = 2;
	sb->s_log_cluster_size = 2;
	sb->s_inode_size = 256;
	sb->s_blocks_count = DEFAULT_BLOCKS;
	sb->s_r_blocks_count = DEFAULT_BLOCKS / 20;
	sb->s_inodes_count = DEFAULT_INODES;
	sb->s_first_ino = EXT2_GOOD_OLD_FIRST_INO;
	sb->s_log_groups_per_flex = 4;
	sb->s_def_hash_version = EXT2_HASH_HALF_MD4;
	sb->s_flags = EXT2_FLAGS_SIGNED_HASH;
	sb->s_default_mount_opts = EXT2_DEFM_XATTR_USER | EXT2_DEFM_ACL;
}

errcode_t bfo_mkfs_init(struct bfo_mkfs *m, struct bfo_context *ctx,
			const struct ext2_super_block *like, const struct bfo_copy_options *opt)
{
	uint8_t u[16];

	*m = (struct bfo_mkfs) { .ctx = ctx, .target = opt->target,
				 .args = opt->mkfs_args, .words = opt->mkfs_words,
				 .environment = opt->environment, .same_count = opt->keep_inodes,
				 .count = opt->inodes, .is_counted = opt->counts_used,
				 .more = opt->more_inodes,
				 .tell = opt->tell, .priv = opt->priv };
	if (getrandom(u, sizeof(u), 0) != sizeof(u))
		return bfo_fail(ctx, errno, "drawing a UUID");
	u[6] = (u[6] & 0x0f) | 0x40;
	u[8] = (u[8] & 0x3f) | 0x80;
	m->is_alike = !!like;
	if (like)
		m->like = *like;
	else
		take_defaults(&m->like);
	if (!like)
		memcpy(m->like.s_uuid, u, sizeof(u));
	bfo_text_uuid(opt->same_uuid ? m->like.s_uuid : u, m->uuid);
	snprintf(m->now, sizeof(m->now), "%lld", (long long) opt->now);
	return 0;
}

errcode_t bfo_mkfs_pin(struct bfo_mkfs *m, const uint8_t *seed)
{
	errcode_t err;

	memcpy(m->like.s_hash_seed, seed, sizeof(m->like.s_hash_seed));
	if (m->config_fd)
		return 0;
	err = bfo_mkfs_config_make(&m->config_fd);
	return err ? bfo_fail(m->ctx, err, "making a mke2fs.conf in memory") : 0;
}

void bfo_mkfs_identify(struct bfo_mkfs *m, const uint8_t *uuid, int64_t now)
{
	bfo_text_uuid(uuid, m->uuid);
	snprintf(m->now, sizeof(m->now), "%lld", (long long) now);
}

void bfo_mkfs_free(struct bfo_mkfs *m)
{
	bfo_vec_free(&m->told);
	if (m->config_fd > 0)
		close(m->config_fd);
}

errcode_t bfo_mkfs_note_sectors(struct bfo_mkfs *m, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err = 0, sector = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) ||
	    (S_ISBLK(st.st_mode) && ioctl(fd, BLKSSZGET, &sector)))
		err = errno;
	if (fd >= 0)
		close(fd);
	m->sector = sector;
	return err ? bfo_fail(m->ctx, err, "looking at %s", path) : 0;
}

errcode_t bfo_mkfs_run(struct bfo_mkfs *m, const struct bfo_mkfs_place *where)
{
	struct bfo_mkfs_args a = { .n = 0 };
	errcode_t err = bfo_mkfs_args_build(m, where, &a);

	if (!err)
		err = bfo_mkfs_child_run(m, &a, where);
	bfo_mkfs_args_free(&a);
	return err;
}

/* mke2fs leaves the journal out, with a mere warning, if there is little room. */
static int has_lost_journal(struct bfo_mkfs *m, struct ext2_super_block *sb)
{
	return ext2fs_has_feature_journal(&m->like) &&
	       !ext2fs_has_feature_journal(sb) &&
	       !(m->words && bfo_mkfs_words_waive_journal(m->words));
}

/*
 * A size that is no power of two becomes one, without a word.  ASKED is what the user said last; a
 * negative one is the least that will do.
 */
static errcode_t check_size(const struct bfo_mkfs *m, int option, const char *what, uint64_t made)
{
	char asked[32];
	uint64_t bytes;

	if (!bfo_mkfs_words_last(m->words, option, asked, sizeof(asked)) ||
	    !bfo_text_size(asked, &bytes) || bytes == made)
		return 0;
	return bfo_fail(m->ctx, BFO_ET_OPTION,
			"formatting the target: --mkfs='-%c %s': mke2fs makes %s of "
			"%llu bytes instead",
			option, asked, what, (unsigned long long) made);
}

/* What libblkid would call it. */
static const char *type_of(const struct ext2_super_block *sb)
{
	const uint32_t incompat = EXT2_FEATURE_INCOMPAT_FILETYPE | EXT3_FEATURE_INCOMPAT_RECOVER |
				  EXT2_FEATURE_INCOMPAT_META_BG;
	const uint32_t ro_compat = EXT2_FEATURE_RO_COMPAT_SPARSE_SUPER |
				   EXT2_FEATURE_RO_COMPAT_LARGE_FILE;

	if (sb->s_feature_incompat & ~incompat || sb->s_feature_ro_compat & ~ro_compat)
		return "ext4";
	return sb->s_feature_compat & EXT3_FEATURE_COMPAT_HAS_JOURNAL ? "ext3" : "ext2";
}

/*
 * The user's type, or a later one, if mke2fs.conf(5) has it so; unless further options change what
 * it means.  (ext2, ext3 and ext4 follow each other in strcmp(3), too.)
 */
static errcode_t check_type(const struct bfo_mkfs *m, const struct ext2_super_block *sb)
{
	char asked[32];

	if (!bfo_mkfs_words_last(m->words, 't', asked, sizeof(asked)) ||
	    bfo_mkfs_words_have(m->words, 'O') || strlen(asked) != 4 || strncmp(asked, "ext", 3) ||
	    strcmp(asked, type_of(sb)) <= 0)
		return 0;
	return bfo_fail(m->ctx, EINVAL, "formatting the target: --mkfs='-t %s': mke2fs makes an %s "
			"instead; look into mke2fs.conf(5)", asked, type_of(sb));
}

/* Is it what the user has asked for? */
static errcode_t check_made(struct bfo_mkfs *m, struct ext2_super_block *sb)
{
	errcode_t err = check_size(m, 'b', "blocks", EXT2_BLOCK_SIZE(sb));

	if (!err && ext2fs_has_feature_bigalloc(sb))
		err = check_size(m, 'C', "clusters", EXT2_CLUSTER_SIZE(sb));
	if (!err && has_lost_journal(m, sb))
		err = bfo_fail(m->ctx, BFO_ET_TOO_SMALL, "formatting the target: no room for a "
			       "journal%s (--mkfs='-O ^has_journal' does without)",
			       m->is_alike ? ", which the source has" : "");
	if (!err && m->is_part && ext2fs_has_feature_mmp(sb))
		err = bfo_fail(m->ctx, BFO_ET_FEATURE, "formatting the target: mmp in ?partition= "
			       "(--mkfs='-O ^mmp' does without; so does a device of its own)");
	return err ? err : check_type(m, sb);
}

/* mke2fs draws one each time if it is told zeroes; names keep the order they were planned in. */
static void keep_hash_seed(struct bfo_mkfs *m, struct ext2_super_block *sb)
{
	if (m->has_seed)
		memcpy(sb->s_hash_seed, m->hash_seed, sizeof(m->hash_seed));
	else
		memcpy(m->hash_seed, sb->s_hash_seed, sizeof(m->hash_seed));
	m->has_seed = 1;
}

errcode_t bfo_mkfs_open(struct bfo_mkfs *m, const char *spec, int how, struct bfo_volume **vol)
{
	const struct ext2_super_block *from = &m->like;
	const uint32_t hash_flags = EXT2_FLAGS_SIGNED_HASH | EXT2_FLAGS_UNSIGNED_HASH;
	struct ext2_super_block *sb;
	errcode_t err;

	err = bfo_volume_open(m->ctx, spec, how | BFO_OPEN_TARGET, NULL, vol);
	if (err)
		return err;
	sb = (*vol)->fs->super;
	err = check_made(m, sb);
	if (err) {
		bfo_volume_close(*vol);
		*vol = NULL;
		return err;
	}
	if (from->s_def_hash_version <= EXT2_HASH_TEA)
		sb->s_def_hash_version = from->s_def_hash_version;
	keep_hash_seed(m, sb);
	sb->s_flags = (sb->s_flags & ~hash_flags) | (from->s_flags & hash_flags);
	sb->s_default_mount_opts = from->s_default_mount_opts;
	memcpy(sb->s_mount_opts, from->s_mount_opts, sizeof(sb->s_mount_opts) - 1);
	return 0;
}

/*
 * In memory, because no ext4, on which $TMPDIR is likely to be, has files as long as a volume above
 * 16 TiB.  mke2fs writes little there: superblocks and descriptors, of 4 KB blocks 10 MB for 20
 * TiB, with some 25 backups.
 */
errcode_t bfo_mkfs_scratch(struct bfo_mkfs *m, uint64_t size, struct bfo_volume **vol)
{
	char spec[64];
	const char *path = spec + strlen("file:");
	errcode_t err = 0;
	int fd = memfd_create("e2bfo", MFD_CLOEXEC);

	if (fd < 0)
		return bfo_fail(m->ctx, errno, "making a scratch file in memory");
	snprintf(spec, sizeof(spec), "file:/proc/%d/fd/%d", getpid(), fd);
	if (ftruncate(fd, size))
		err = bfo_fail(m->ctx, errno, "making a scratch file of %llu bytes in memory",
			       (unsigned long long) size);
	if (!err)
		err = bfo_mkfs_run(m, &(struct bfo_mkfs_place) { .path = path, .size = size,
							 .is_scratch = 1 });
	if (!err)
		err = bfo_mkfs_open(m, spec, BFO_OPEN_SCRATCH, vol);
	close(fd);
	return err;
}

errcode_t bfo_mkfs_check_empty(struct bfo_context *ctx, const char *spec,
			       const struct bfo_mkfs_place *where)
{
	char all[256];
	struct bfo_probe p;
	errcode_t err = bfo_probe_read(ctx, where->path, where->offset, where->size, &p);

	if (!err && p.partitions && !where->is_part) {
		bfo_partition_list(where->path, all, sizeof(all));
		return bfo_fail(ctx, EEXIST,
				"formatting %s: it holds %s; %s?partition=N formats one "
				"partition alone, --force all of it; %s",
				spec, p.text, where->path, all);
	}
	if (!err && *p.text)
		err = bfo_fail(ctx, EEXIST,
			       "formatting %s: it holds %s (--force formats it all the "
			       "same)",
			       spec, p.text);
	return err;
}

errcode_t bfo_mkfs_create(struct bfo_context *ctx, const char *path, uint64_t size, char **made)
{
	int fd = -1, err = bfo_temporary_make(path, made, &fd);

	if (!err && ftruncate(fd, size)) {
		err = errno;
		unlink(*made);
		free(*made);
		*made = NULL;
	}
	if (fd >= 0)
		close(fd);
	return err ? bfo_fail(ctx, err, "making image file %s of %llu bytes", path,
			      (unsigned long long) size) : 0;
}
