// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_record.c - commit/record: what is put is found, damage is not, and nothing of it stays
 *
 * The record of a real plan (copyjob.h) is put onto targets of every kind, in place, and looked for
 * on the target opened again.
 */
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "commit/record_format.h"
#include "commit/txlog.h"
#include "volume/open.h"
#include "copyjob.h"

static const enum copyjob_target kinds[] = {
	TARGET_EMPTY, TARGET_BUSY, TARGET_QUOTA, TARGET_EXT3, TARGET_BIGALLOC, TARGET_EXT2,
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* A descriptor, but for checksums, which are set when it is staged. */
struct group {
	uint32_t flags, blocks, inodes, unused, dirs;
};

/* What libext2fs has in memory of a target. */
struct snapshot {
	uint8_t *blocks, *inodes;
	struct group *groups;
	size_t block_bytes, inode_bytes, group_bytes;
	uint64_t free_blocks;
	uint32_t free_inodes, orphan;
};

struct recordbed {
	struct copyjob j;
	struct bfo_writer w;
	struct bfo_record put, found;
	struct snapshot before, after;
	const char *copy;
};

static struct snapshot take_snapshot(ext2_filsys fs)
{
	struct snapshot s = { .orphan = fs->super->s_last_orphan };
	uint64_t ratio = EXT2FS_CLUSTER_RATIO(fs), blk;
	uint32_t i;
	dgrp_t g;

	s.block_bytes = ext2fs_blocks_count(fs->super) / ratio + 1;
	s.inode_bytes = fs->super->s_inodes_count + 1;
	s.group_bytes = fs->group_desc_count * sizeof(*s.groups);
	s.blocks = unit_alloc(s.block_bytes);
	s.inodes = unit_alloc(s.inode_bytes);
	blk = fs->super->s_first_data_block;
	for (; blk < ext2fs_blocks_count(fs->super); blk += ratio)
		s.blocks[blk / ratio] = !!ext2fs_test_block_bitmap2(fs->block_map, blk);
	for (i = 1; i <= fs->super->s_inodes_count; i++)
		s.inodes[i] = !!ext2fs_test_inode_bitmap2(fs->inode_map, i);
	s.groups = unit_alloc(s.group_bytes);
	for (g = 0; g < fs->group_desc_count; g++)
		s.groups[g] = (struct group) { .flags = ext2fs_bg_flags(fs, g),
			.blocks = ext2fs_bg_free_blocks_count(fs, g),
			.inodes = ext2fs_bg_free_inodes_count(fs, g),
			.unused = ext2fs_bg_itable_unused(fs, g),
			.dirs = ext2fs_bg_used_dirs_count(fs, g) };
	s.free_blocks = ext2fs_free_blocks_count(fs->super);
	s.free_inodes = fs->super->s_free_inodes_count;
	return s;
}

static void want_snapshot(ext2_filsys fs, const struct snapshot *s)
{
	struct snapshot now = take_snapshot(fs);

	want_mem(now.blocks, s->blocks, s->block_bytes);
	want_mem(now.inodes, s->inodes, s->inode_bytes);
	want_eq(now.free_blocks, s->free_blocks);
	want_eq(now.free_inodes, s->free_inodes);
	want_eq(now.orphan, s->orphan);
	want_mem(now.groups, s->groups, s->group_bytes);
	free(now.blocks);
	free(now.inodes);
	free(now.groups);
}

static void free_snapshot(struct snapshot *s)
{
	free(s->blocks);
	free(s->inodes);
	free(s->groups);
}

/* All in place, without a journal. */
static void write_all(struct recordbed *b, struct bfo_transaction *t)
{
	want_ok(bfo_transaction_apply(t));
	want_ok(bfo_writer_super(&b->w, b->j.job.target->fs->super));
	want_ok(bfo_writer_flush(&b->w));
	bfo_transaction_free(t);
}

static void reopen(struct recordbed *b)
{
	char *path = unit_path(b->copy);

	want_ok(bfo_writer_close(&b->w));
	bfo_volume_close(b->j.job.target);
	want_ok(bfo_volume_open(&b->j.ctx, path, BFO_OPEN_TARGET | BFO_OPEN_RECORDED,
				io_log_manager, &b->j.job.target));
	want_ok(bfo_writer_open(&b->w, &b->j.ctx, b->j.job.target, NULL));
	free(path);
}

static void bed_open(struct recordbed *b, enum copyjob_target kind)
{
	struct bfo_transaction t = { .w = &b->w };

	memset(b, 0, sizeof(*b));
	io_log_reset();
	b->copy = "recorded";
	copyjob_open(&b->j, SOURCE_LARGE, kind, b->copy);
	copyjob_plan(&b->j);
	want_ok(bfo_writer_open(&b->w, &b->j.ctx, b->j.job.target, NULL));
	want_ok(bfo_record_plan(&b->put, &b->j.job.plan, b->j.job.from, b->j.job.target,
				b->j.job.config.text,
				b->j.job.config.text_bytes));
	want(b->put.ino);
	b->before = take_snapshot(b->j.job.target->fs);
	want_ok(bfo_record_put(&b->put, &b->w, &t));
	b->after = take_snapshot(b->j.job.target->fs);
	write_all(b, &t);
}

static void bed_close(struct recordbed *b)
{
	bfo_record_free(&b->put);
	bfo_record_free(&b->found);
	free_snapshot(&b->before);
	free_snapshot(&b->after);
	want_ok(bfo_writer_close(&b->w));
	copyjob_close(&b->j);
}

static void want_same(const struct bfo_record *a, const struct bfo_record *b)
{
	uint32_t i;

	want_eq(a->ino, b->ino);
	want_eq(a->nblocks, b->nblocks);
	for (i = 0; i < a->nblocks; i++)
		want_eq(bfo_record_block(a, i), bfo_record_block(b, i));
	want_eq(a->charged, b->charged);
	want_mem(a->owner, b->owner, sizeof(a->owner));
	want_mem(a->target_uuid, b->target_uuid, 16);
	want_mem(a->source_uuid, b->source_uuid, 16);
	want(a->now == b->now && a->stem_len == b->stem_len && a->source_stamp == b->source_stamp);
	want(a->first_ino == b->first_ino && a->last_ino == b->last_ino);
	want_mem(&a->digest, &b->digest, sizeof(a->digest));
	want_eq(a->zeroed.n, b->zeroed.n);
	want(!a->zeroed.n || !memcmp(a->zeroed.v, b->zeroed.v, a->zeroed.n * sizeof(*a->zeroed.v)));
	want_eq(a->text.n, b->text.n);
	want_mem(a->text.v, b->text.v, a->text.n);
	want(a->count == b->count && a->done == b->done);
}

static errcode_t find(struct recordbed *b)
{
	bfo_record_free(&b->found);
	ext2fs_flush_icache(b->j.job.target->fs);
	return bfo_record_find(&b->j.ctx, b->j.job.target, &b->found);
}

/* Its blocks were free, and the plan does not take them. */
static void want_apart(const struct recordbed *b)
{
	uint32_t i;
	size_t k;

	want(b->put.nblocks >= 3 && b->put.nblocks <= BFO_RECORD_BLOCKS);
	for (i = 0; i < b->put.nblocks; i++) {
		uint64_t blk = bfo_record_block(&b->put, i);

		want(!b->before.blocks[blk / b->j.job.free.cluster_blocks]);
		for (k = 0; k < b->j.job.plan.stem.n; k++) {
			const struct bfo_stem_run *run = &b->j.job.plan.stem.v[k];

			want(blk < run->blk || blk >= run->blk + run->len);
		}
	}
	want(!b->before.inodes[b->put.ino] && b->after.inodes[b->put.ino]);
}

/* It is found as it was put, about the same plan; e2fsck drops it, and all is as before. */
START_TEST(is_found)
{
	struct recordbed b;

	bed_open(&b, kinds[_i]);
	want_apart(&b);
	reopen(&b);
	want_ok(find(&b));
	want_same(&b.put, &b.found);
	want_eq(b.put.generation, b.found.generation);
	want_ok(bfo_record_compare(&b.found, &b.j.job.plan));
	want_ok(bfo_record_is_of(&b.j.ctx, &b.found, b.j.job.from));
	b.j.job.plan.dir_fill++;
	want_err(bfo_record_compare(&b.found, &b.j.job.plan), BFO_ET_CHANGED);
	b.j.job.plan.dir_fill--;
	b.j.job.source->fs->super->s_mtime++;
	bfo_source_of_volume(b.j.job.from, &b.j.job.reader);
	want_err(bfo_record_is_of(&b.j.ctx, &b.found, b.j.job.from), BFO_ET_CHANGED);
	bed_close(&b);
	want(copyjob_try("e2fsck -p '%s' > /dev/null 2>&1", b.copy) <= 1);
	want_eq(copyjob_try("e2fsck -fn '%s' > /dev/null 2>&1", b.copy), 0);
}
END_TEST

/* In memory: gone with -1, there again with 1; the maker's, and the finder's. */
START_TEST(marks_both_ways)
{
	struct recordbed b;
	struct bfo_meta m;
	ext2_filsys fs;
	int i;

	bed_open(&b, kinds[_i]);
	want_ok(bfo_meta_open(&m, &b.j.ctx, b.j.job.target));
	want_snapshot(b.j.job.target->fs, &b.after);
	for (i = 0; i < 2; i++) {
		uint64_t g;
		size_t k;

		bfo_record_mark(&b.put, &m, -1);
		for (k = 0; k < b.put.zeroed.n; k++)
			for (g = 0; g < b.put.zeroed.v[k].len; g++)
				bfo_meta_zeroed(&m, b.put.zeroed.v[k].start + g, 1);
		want_snapshot(b.j.job.target->fs, &b.before);
		bfo_record_mark(&b.put, &m, 1);
		for (k = 0; k < b.put.zeroed.n; k++)
			for (g = 0; g < b.put.zeroed.v[k].len; g++)
				bfo_meta_zeroed(&m, b.put.zeroed.v[k].start + g, 0);
		want_snapshot(b.j.job.target->fs, &b.after);
	}
	bfo_meta_close(&m);
	reopen(&b);
	fs = b.j.job.target->fs;
	want_snapshot(fs, &b.after);
	want_ok(find(&b));
	want_ok(bfo_meta_open(&m, &b.j.ctx, b.j.job.target));
	bfo_record_mark(&b.found, &m, -1);
	want_eq(ext2fs_free_blocks_count(fs->super), b.before.free_blocks);
	want(fs->super->s_free_inodes_count == b.before.free_inodes && !fs->super->s_last_orphan);
	bfo_record_mark(&b.found, &m, 1);
	want_snapshot(fs, &b.after);
	bfo_meta_close(&m);
	bed_close(&b);
}
END_TEST

/* Of the first sector any byte may be wrong; what is behind the text is nothing. */
START_TEST(doubts_every_byte)
{
	struct recordbed b;
	uint32_t at, none = 0;
	char *block;
	errcode_t err;

	bed_open(&b, kinds[_i]);
	block = unit_alloc(b.j.job.target->block_size);
	want_ok(bfo_volume_read(&b.j.ctx, b.j.job.target, bfo_record_block(&b.put, 0), 1, block));
	for (at = 0; at < BFO_RECORD_SECTOR; at++) {
		block[at] ^= 1 << at % 8;
		want_ok(bfo_writer_write(&b.w, bfo_record_block(&b.put, 0), 1, block));
		err = find(&b);
		want(!err || err == BFO_ET_NO_RECORD);
		none += !!err;
		if (err)
			want(!b.found.ino && !b.found.text.n);
		block[at] ^= 1 << at % 8;
	}
	want_eq(none, BFO_RECORD_SECTOR);
	want_ok(bfo_writer_write(&b.w, bfo_record_block(&b.put, 0), 1, block));
	want_ok(find(&b));
	free(block);
	bed_close(&b);
}
END_TEST

/*
 * A record of the version before is found as one, that others can be given up; no other version is.
 */
START_TEST(tells_its_version)
{
	static const uint32_t versions[] = { 0, 1, 2, BFO_RECORD_VERSION, BFO_RECORD_VERSION + 1 };
	struct bfo_record_head *h;
	struct recordbed b;
	size_t i;

	bed_open(&b, TARGET_EMPTY);
	h = unit_alloc(b.j.job.target->block_size);
	want_ok(bfo_volume_read(&b.j.ctx, b.j.job.target, bfo_record_block(&b.put, 0), 1, h));
	for (i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		h->version = versions[i];
		h->csum = 0;
		h->csum = bfo_crc32c(~0U, h, h->bytes);
		want_ok(bfo_writer_write(&b.w, bfo_record_block(&b.put, 0), 1, h));
		want_err(find(&b), versions[i] == 2 || versions[i] == 3 ? 0 : BFO_ET_NO_RECORD);
		want(!b.found.ino || b.found.version == versions[i]);
	}
	free(h);
	bed_close(&b);
}
END_TEST

/* Its inode, with every byte wrong in turn: found or not, never outside of the volume. */
START_TEST(doubts_its_inode)
{
	uint64_t blk;
	struct recordbed b;
	uint32_t byte, at, i;
	errcode_t err;
	char *block;

	bed_open(&b, kinds[_i]);
	block = unit_alloc(b.j.job.target->block_size);
	blk = bfo_volume_inode_block(b.j.job.target, b.put.ino, &byte);
	want_ok(bfo_volume_read(&b.j.ctx, b.j.job.target, blk, 1, block));
	for (at = 0; at < 8 * EXT2_GOOD_OLD_INODE_SIZE; at++) {
		block[byte + at / 8] ^= 1 << at % 8;
		want_ok(bfo_writer_write(&b.w, blk, 1, block));
		err = find(&b);
		want(!err || !b.found.ino);
		want(b.found.nblocks <= BFO_RECORD_BLOCKS);
		for (i = 0; i < b.found.nblocks && !err; i++)
			want(bfo_volume_contains(b.j.job.target, bfo_record_block(&b.found, i), 1));
		want(!err || b.j.ctx.what[0]);
		block[byte + at / 8] ^= 1 << at % 8;
	}
	want_ok(bfo_writer_write(&b.w, blk, 1, block));
	b.j.job.target->fs->super->s_last_orphan = EXT2_ROOT_INO;
	want_err(find(&b), BFO_ET_NO_RECORD);
	b.j.job.target->fs->super->s_last_orphan = b.put.ino + 1;
	want_err(find(&b), BFO_ET_NO_RECORD);
	b.j.job.target->fs->super->s_last_orphan = UINT32_MAX;
	want_err(find(&b), BFO_ET_NO_RECORD);
	b.j.job.target->fs->super->s_last_orphan = 0;
	want_err(find(&b), BFO_ET_NO_RECORD);
	free(block);
	bed_close(&b);
}
END_TEST

/* What its inode says but for its blocks, with a right checksum. */
static errcode_t find_with(struct recordbed *b, uint32_t size, uint32_t blocks, uint32_t acl,
			   uint32_t flags)
{
	struct bfo_volume *vol = b->j.job.target;
	char *block = unit_alloc(vol->block_size), *was = unit_alloc(vol->block_size);
	struct ext2_inode_large *raw;
	errcode_t err;
	uint32_t byte;
	uint64_t blk = bfo_volume_inode_block(vol, b->put.ino, &byte);

	want_ok(bfo_volume_read(&b->j.ctx, vol, blk, 1, block));
	memcpy(was, block, vol->block_size);
	raw = (void *) (block + byte);
	raw->i_size += size;
	raw->i_blocks += blocks;
	raw->i_file_acl += acl;
	raw->i_flags |= flags;
	want_ok(ext2fs_inode_csum_set(vol->fs, b->put.ino, raw));
	want_ok(bfo_writer_write(&b->w, blk, 1, block));
	err = find(b);
	want_ok(bfo_writer_write(&b->w, blk, 1, was));
	free(block);
	free(was);
	return err;
}

/* What is given back and wiped is what was taken: no more goes with the inode, or stands there. */
START_TEST(wants_its_own_blocks)
{
	struct recordbed b;
	ext2_filsys fs;
	uint32_t i, at;
	char *block;

	bed_open(&b, kinds[_i]);
	fs = b.j.job.target->fs;
	want_ok(find_with(&b, 0, 0, 0, 0));
	want_err(find_with(&b, b.j.job.target->block_size, 0, 0, 0), BFO_ET_NO_RECORD);
	want_err(find_with(&b, 0, b.j.job.target->block_size / 512, 0, 0), BFO_ET_NO_RECORD);
	want_err(find_with(&b, 0, 0, 1, 0), BFO_ET_NO_RECORD);
	want_err(find_with(&b, 0, 0, 0, EXT2_IMMUTABLE_FL), BFO_ET_NO_RECORD);
	for (i = 0; i < b.put.nblocks; i++) {
		ext2fs_unmark_block_bitmap2(fs->block_map, bfo_record_block(&b.put, i));
		want_err(find(&b), BFO_ET_NO_RECORD);
		ext2fs_mark_block_bitmap2(fs->block_map, bfo_record_block(&b.put, i));
	}
	ext2fs_unmark_inode_bitmap2(fs->inode_map, b.put.ino);
	want_err(find(&b), BFO_ET_NO_RECORD);
	ext2fs_mark_inode_bitmap2(fs->inode_map, b.put.ino);
	block = unit_alloc(b.j.job.target->block_size);
	for (i = 1; i <= 2; i++)
		for (at = sizeof(struct bfo_record_progress); at < b.j.job.target->block_size;
		     at = at * 2 + 1) {
			memset(block, 0, b.j.job.target->block_size);
			block[at] = 1;
			want_ok(bfo_writer_write(&b.w, bfo_record_block(&b.put, b.put.nblocks - i),
						 1, block));
			want_err(find(&b), BFO_ET_NO_RECORD);
			block[at] = 0;
			want_ok(bfo_writer_write(&b.w, bfo_record_block(&b.put, b.put.nblocks - i),
						 1, block));
		}
	want_ok(find(&b));
	free(block);
	bed_close(&b);
}
END_TEST

/* What it says of groups, with a right checksum; RANGE: the one that it has. */
static errcode_t find_saying(struct recordbed *b, uint32_t unused, uint32_t flags,
			     struct bfo_range range)
{
	uint32_t bs = b->j.job.target->block_size, *ranges;
	struct bfo_record_head *h = unit_alloc(bs);
	uint64_t blk = bfo_record_block(&b->put, 0);
	char *was = unit_alloc(bs);
	errcode_t err;

	want_ok(bfo_volume_read(&b->j.ctx, b->j.job.target, blk, 1, h));
	memcpy(was, h, bs);
	h->unused = unused;
	h->flags = flags;
	ranges = (void *) (h + 1);
	if (h->ranges) {
		ranges[0] = range.start;
		ranges[1] = range.len;
	}
	h->csum = 0;
	h->csum = bfo_crc32c(~0U, h, h->bytes);
	want_ok(bfo_writer_write(&b->w, blk, 1, h));
	err = find(b);
	want_ok(bfo_writer_write(&b->w, blk, 1, was));
	free(was);
	free(h);
	return err;
}

/* Nothing is given back to a group that it cannot have had: inodes in use would be wiped. */
START_TEST(wants_its_own_groups)
{
	struct bfo_range range = { .start = 0 }, other;
	uint32_t flags, last;
	struct recordbed b;

	bed_open(&b, kinds[_i]);
	flags = b.put.has_before ? b.put.flags : BFO_RECORD_NO_FLAGS;
	if (b.put.zeroed.n)
		range = b.put.zeroed.v[0];
	want_ok(find_saying(&b, b.put.unused, flags, range));
	want_ok(find_saying(&b, b.put.unused, BFO_RECORD_NO_FLAGS, range));
	if (b.put.has_before) {
		last = EXT2_INODES_PER_GROUP(b.j.job.target->fs->super) - b.put.unused;
		want_err(find_saying(&b, b.put.unused + last, flags, range), BFO_ET_NO_RECORD);
		want_err(find_saying(&b, b.put.unused + last + 1, flags, range), BFO_ET_NO_RECORD);
		want_err(find_saying(&b, UINT32_MAX, flags, range), BFO_ET_NO_RECORD);
		want_err(find_saying(&b, 0, flags | EXT2_BG_INODE_UNINIT, range), BFO_ET_NO_RECORD);
	} else {
		want_err(find_saying(&b, 0, 0, range), BFO_ET_NO_RECORD);
	}
	if (b.put.zeroed.n) {
		last = (b.put.last_ino - 1) / EXT2_INODES_PER_GROUP(b.j.job.target->fs->super);
		other = (struct bfo_range) { .start = range.start, .len = last - range.start + 2 };
		want_err(find_saying(&b, b.put.unused, flags, other), BFO_ET_NO_RECORD);
	}
	bed_close(&b);
}
END_TEST

static int is_swept(struct recordbed *b)
{
	uint32_t bs = b->j.job.target->block_size, i;
	char *block = unit_alloc(bs), *zeroes = unit_alloc(bs);
	int swept = 1;

	for (i = 0; i < b->put.nblocks; i++) {
		want_ok(bfo_volume_read(&b->j.ctx, b->j.job.target, bfo_record_block(&b->put, i), 1,
					block));
		swept &= !memcmp(block, zeroes, bs);
	}
	free(block);
	free(zeroes);
	return swept;
}

/* By the note of the commit block: only free blocks of this volume, that have a record. */
START_TEST(sweeps_its_own_blocks)
{
	uint8_t note[BFO_TXLOG_NOTE_BYTES], wrong[BFO_TXLOG_NOTE_BYTES];
	struct recordbed b;
	struct bfo_meta m;
	size_t at;

	bed_open(&b, kinds[_i]);
	bfo_record_place(&b.put, note);
	want_ok(bfo_record_sweep(&b.w, note));
	want(!is_swept(&b));			/* they are in use */
	want_ok(bfo_meta_open(&m, &b.j.ctx, b.j.job.target));
	bfo_record_mark(&b.put, &m, -1);
	bfo_meta_close(&m);
	for (at = 0; at < 8 * 12 * b.put.nruns; at++) {
		memcpy(wrong, note, sizeof(note));
		wrong[at / 8] ^= 1 << at % 8;
		want_ok(bfo_record_sweep(&b.w, wrong));
		want(!is_swept(&b));
	}
	memset(wrong, 0xff, sizeof(wrong));
	want_ok(bfo_record_sweep(&b.w, wrong));
	want_ok(bfo_record_sweep(&b.w, note));
	want(is_swept(&b));
	bed_close(&b);
}
END_TEST

/* Somebody who writes the superblock leaves a trace there. */
START_TEST(is_on_what_it_was_put_on)
{
	struct recordbed b;

	bed_open(&b, kinds[_i]);
	want_ok(find(&b));
	b.j.job.target->fs->super->s_wtime = bfo_record_wtime(b.found.now);
	want_ok(bfo_record_is_on(&b.j.ctx, &b.found, b.j.job.target));
	b.j.job.target->fs->super->s_wtime++;
	want_err(bfo_record_is_on(&b.j.ctx, &b.found, b.j.job.target), BFO_ET_CHANGED);
	bed_close(&b);
}
END_TEST

/* The last progress counts, that before it if the last is torn, none if both are. */
START_TEST(keeps_progress)
{
	struct recordbed b;
	uint64_t step, i, slot;
	char *block;

	bed_open(&b, kinds[_i]);
	block = unit_alloc(b.j.job.target->block_size);
	step = b.put.stem_len / 8;
	for (i = 1; i <= 5; i++) {
		want_ok(bfo_record_progress(&b.put, &b.w, i * step, 0));
		want_ok(bfo_record_progress(&b.put, &b.w, i * step, 0));	/* nothing new */
		want_ok(find(&b));
		want_same(&b.put, &b.found);
		want(b.found.done == i * step && b.found.count == i);
	}
	slot = bfo_record_block(&b.put, b.put.nblocks - 1 - b.put.count % 2);
	for (i = 0; i < 20; i++) {
		want_ok(bfo_volume_read(&b.j.ctx, b.j.job.target, slot, 1, block));
		block[i] ^= 0x10;
		want_ok(bfo_writer_write(&b.w, slot, 1, block));
		want_ok(find(&b));
		want_eq(b.found.done, 4 * step);
		block[i] ^= 0x10;
		want_ok(bfo_writer_write(&b.w, slot, 1, block));
	}
	b.put.count--;					/* goes over the torn one */
	b.put.done = 4 * step;
	want_ok(bfo_record_progress(&b.put, &b.w, b.put.stem_len + 1, 0));
	want_ok(find(&b));
	want_eq(b.found.done, 4 * step);		/* more than there is */
	for (i = 1; i <= 2; i++) {
		slot = bfo_record_block(&b.put, b.put.nblocks - i);
		memset(block, 0, b.j.job.target->block_size);
		want_ok(bfo_writer_write(&b.w, slot, 1, block));
	}
	want_ok(find(&b));
	want_eq(b.found.done, 0);
	free(block);
	bed_close(&b);
}
END_TEST

/* Free space in pieces, of which the plan takes the first of each. */
START_TEST(finds_room_beside_the_plan)
{
	struct bfo_stem_run run;
	struct copyjob j;
	struct bfo_record r;
	uint32_t i;

	io_log_reset();
	copyjob_open(&j, SOURCE_SMALL, TARGET_EMPTY, "recorded");
	copyjob_plan(&j);
	j.job.free.free_blocks.n = 0;
	want_ok(bfo_ranges_append(&j.job.free.free_blocks, 5000, 40));
	j.job.plan.stem.n = 0;
	for (i = 0; i < 3; i++) {
		run = (struct bfo_stem_run) { .at = 3 * i, .blk = 5001 + 4 * i, .len = 3 };
		want_ok(bfo_vec_push(&j.job.plan.stem, run));
	}
	want_ok(bfo_record_plan(&r, &j.job.plan, j.job.from, j.job.target, "text", 4));
	want(r.ino && r.nblocks == 3 && r.nruns == 3);
	for (i = 0; i < 3; i++)
		want_eq(bfo_record_block(&r, i), i < 2 ? 5000 + 4 * i : 5008);
	bfo_record_free(&r);
	j.job.free.free_blocks.v[0].len = 8;
	want_ok(bfo_record_plan(&r, &j.job.plan, j.job.from, j.job.target, "text", 4));
	want(!r.ino);					/* no room */
	bfo_record_free(&r);
	copyjob_close(&j);
}
END_TEST

Suite *record_suite(void)
{
	Suite *s = suite_create("record");

	unit_case(s, "is_found", is_found, KINDS);
	unit_case(s, "marks_both_ways", marks_both_ways, KINDS);
	unit_case(s, "doubts_every_byte", doubts_every_byte, KINDS);
	unit_case(s, "tells_its_version", tells_its_version, 0);
	unit_case(s, "doubts_its_inode", doubts_its_inode, KINDS);
	unit_case(s, "wants_its_own_blocks", wants_its_own_blocks, KINDS);
	unit_case(s, "wants_its_own_groups", wants_its_own_groups, KINDS);
	unit_case(s, "sweeps_its_own_blocks", sweeps_its_own_blocks, KINDS);
	unit_case(s, "is_on_what_it_was_put_on", is_on_what_it_was_put_on, KINDS);
	unit_case(s, "keeps_progress", keeps_progress, KINDS);
	unit_case(s, "finds_room_beside_the_plan", finds_room_beside_the_plan, 0);
	return s;
}
