// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * evidence.c - that a source was not written to: its state before a copy and after
 *
 *   superblock ── group descriptors ── journal ──> SHA-256
 *
 * Whoever mounts a filesystem to write changes the superblock or the journal; who allocates, the
 * group descriptors.  Contents of files are not read for this.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "device/mounts.h"
#include "job/evidence.h"
#include "volume/journal.h"

#define MAX_BLOCKS (1U << 31)	/* of a journal, as volume/journal.c has it */

struct digest {
	struct bfo_context *ctx;
	struct bfo_volume *vol;
	struct bfo_hasher hasher;
	void *block;
	uint64_t blocks;
};

/* ---- bytes ---- */

static errcode_t add_block(struct digest *d, uint64_t blk)
{
	errcode_t err;

	bfo_volume_forget(d->vol, blk, 1);	/* what the device has now */
	err = bfo_media_read_place(d->vol, blk, d->block);
	if (err)
		return bfo_fail(d->ctx, err, "reading block %llu of %s for evidence",
				(unsigned long long) blk, d->vol->spec);
	if (bfo_cancelled(d->ctx))
		return bfo_fail(d->ctx, BFO_ET_CANCELLED, "reading %s for evidence", d->vol->spec);
	bfo_hasher_add(&d->hasher, d->block, d->vol->block_size);
	d->blocks++;
	return 0;
}

static errcode_t add_descriptors(struct digest *d)
{
	ext2_filsys fs = d->vol->fs;
	blk64_t first = fs->super->s_first_data_block;
	errcode_t err = add_block(d, first);	/* the superblock stands in that */
	dgrp_t i;

	for (i = 0; i < fs->desc_blocks && !err; i++)
		err = add_block(d, ext2fs_descriptor_block_loc2(fs, first, i));
	return err;
}

static errcode_t add_internal(struct digest *d, uint32_t ino)
{
	bfo_map_runs runs = { 0 };
	uint32_t length, at;
	errcode_t err = bfo_inode_map(d->ctx, d->vol, ino, MAX_BLOCKS, &runs, &length);

	for (at = 0; !err && at < length; at++)
		err = add_block(d, bfo_map_find(&runs, at));
	bfo_vec_free(&runs);
	return err;
}

static errcode_t add_external(struct digest *d, const struct bfo_journal_use *use)
{
	struct bfo_journal j = { 0 };
	errcode_t err = bfo_journal_open(d->ctx, d->vol, use, &j);

	if (!err)
		err = bfo_journal_read(d->ctx, &j, j.super, d->block);
	if (!err) {
		bfo_hasher_add(&d->hasher, d->block, d->vol->block_size);
		d->blocks++;
	}
	bfo_journal_close(&j);
	return err;
}

static errcode_t add_journal(struct digest *d, const struct bfo_journal_use *use)
{
	struct ext2_super_block *sb = d->vol->fs->super;

	if (!ext2fs_has_feature_journal(sb))
		return 0;
	return sb->s_journal_inum ? add_internal(d, sb->s_journal_inum) : add_external(d, use);
}

static errcode_t take_digest(struct bfo_context *ctx, struct bfo_volume *vol,
			     const struct bfo_journal_use *use, uint8_t *sha256, uint64_t *blocks)
{
	struct digest d = { .ctx = ctx, .vol = vol, .block = malloc(vol->block_size) };
	errcode_t err = d.block ? bfo_hasher_open(&d.hasher, BFO_SUM_SHA256) : ENOMEM;
	struct bfo_sums sums;

	if (err)
		bfo_fail(ctx, err, "preparing evidence of %s", vol->spec);
	if (!err)
		err = add_descriptors(&d);
	if (!err)
		err = add_journal(&d, use);
	if (!err) {
		bfo_hasher_end(&d.hasher, &sums);
		memcpy(sha256, sums.sha256, sizeof(sums.sha256));
		*blocks = d.blocks;
	}
	bfo_hasher_close(&d.hasher);
	free(d.block);
	return err;
}

/* ---- what the kernel says ---- */

static int is_same(const struct stat *a, const struct stat *b)
{
	if (S_ISBLK(a->st_mode))
		return S_ISBLK(b->st_mode) && a->st_rdev == b->st_rdev;
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Flags of descriptor FD, as the kernel has them. */
static errcode_t note_open(struct bfo_evidence_state *s, int fd)
{
	int flags = fcntl(fd, F_GETFL);
	size_t i;

	if (flags < 0)
		return errno;
	flags |= fcntl(fd, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0;
	for (i = 0; i < s->opens.n; i++)
		if (s->opens.v[i] == (uint32_t) flags)
			return 0;
	return bfo_vec_push(&s->opens, flags);
}

/* All descriptors that this process has on what ST is of. */
static errcode_t list_opens(struct bfo_evidence_state *s, const struct stat *st)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	errcode_t err = 0;
	struct stat other;
	int fd;

	if (!dir)
		return errno;
	while (!err && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		fd = atoi(entry->d_name);
		if (!fstat(fd, &other) && is_same(st, &other))
			err = note_open(s, fd);
	}
	closedir(dir);
	return err;
}

static errcode_t find_mounts(struct bfo_evidence_state *s, const struct bfo_volume *vol)
{
	struct bfo_store store = bfo_volume_store(vol);
	bfo_mounts mounts = { 0 };
	errcode_t err = bfo_mounts_find(&store, 1, &mounts);
	size_t i;

	for (i = 0; i < mounts.n; i++)
		if (!mounts.v[i].read_only)
			s->mount = BFO_EVIDENCE_READ_WRITE;
		else if (s->mount == BFO_EVIDENCE_UNMOUNTED)
			s->mount = BFO_EVIDENCE_READ_ONLY;
	bfo_vec_free(&mounts);
	return err;
}

static errcode_t ask_kernel(struct bfo_evidence_state *s, const struct bfo_volume *vol)
{
	struct stat st;
	errcode_t err;

	if (fstat(vol->device.fd, &st))
		return errno;
	s->is_device = S_ISBLK(st.st_mode);
	if (s->is_device && ioctl(vol->device.fd, BLKROGET, &s->is_set_read_only))
		return errno;
	err = find_mounts(s, vol);
	return err ? err : list_opens(s, &st);
}

/* ---- both ends ---- */

static errcode_t take_state(struct bfo_context *ctx, struct bfo_evidence_state *s,
			    struct bfo_volume *vol, const struct bfo_journal_use *use,
			    uint64_t *blocks)
{
	errcode_t err = ask_kernel(s, vol);

	if (err)
		return bfo_fail(ctx, err, "asking how %s is used", vol->spec);
	err = take_digest(ctx, vol, use, s->sha256, blocks);
	s->is_known = !err;
	return err;
}

errcode_t bfo_evidence_begin(struct bfo_context *ctx, struct bfo_evidence *e,
			     struct bfo_volume *vol, const struct bfo_journal_use *use)
{
	return take_state(ctx, &e->before, vol, use, &e->blocks);
}

errcode_t bfo_evidence_end(struct bfo_context *ctx, struct bfo_evidence *e, struct bfo_volume *vol,
			   const struct bfo_journal_use *use)
{
	uint64_t blocks;
	errcode_t err;

	if (!e->before.is_known)
		return 0;
	err = take_state(ctx, &e->after, vol, use, &blocks);
	if (err || !memcmp(e->before.sha256, e->after.sha256, sizeof(e->before.sha256)))
		return err;
	return bfo_fail(ctx, BFO_ET_CHANGED, "comparing superblock, group descriptors and journal "
			"of %s with what they were", vol->spec);
}

void bfo_evidence_free(struct bfo_evidence *e)
{
	bfo_vec_free(&e->before.opens);
	bfo_vec_free(&e->after.opens);
}
