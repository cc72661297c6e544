// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_commit_fit.c - commit/fit: the last transaction never takes more of the journal than was said
 *
 * Whole copies onto targets of many shapes; how much of the log was written the log of requests
 * says (io_log.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copyjob.h"

static const char *const shapes[] = {
	"-t ext4 -b 1024 -N 4096",
	"-t ext4 -b 1024 -g 512 -N 4096",
	"-t ext4 -b 1024 -g 256 -G 1 -N 8192",
	"-t ext4 -b 1024 -g 1024 -O ^flex_bg,^64bit,^resize_inode -N 4096",
	"-t ext4 -b 1024 -g 256 -O meta_bg,^resize_inode -N 8192",
	"-t ext4 -b 4096 -N 1024",
	"-t ext4 -b 4096 -g 256 -G 1 -N 4096 -I 128",
	"-t ext4 -b 4096 -O ^metadata_csum,uninit_bg -N 4096",
	"-t ext3 -b 1024 -g 1024 -N 4096",
	"-t ext3 -b 4096 -N 1024",
	"-t ext4 -b 4096 -O bigalloc -C 65536 -N 1024",
	"-t ext4 -b 1024 -g 1024 -G 2 -O quota,project -N 4096",
};

#define RECORD_FLUSHES 4	/* commit/transaction.h */
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static void make_target(int shape)
{
	char command[400];

	snprintf(command, sizeof(command), "rm -f '%%s'; mke2fs -q -F %s -J size=%d -E "
		 "lazy_itable_init=1 '%%s' 64M > /dev/null 2>&1", shapes[shape],
		 strstr(shapes[shape], "4096 ") ? 16 : 8);
	want_eq(copyjob_try(command, "shape"), 0);
}

/* Which blocks of the volume are the journal's: a byte each, to be freed. */
static char *journal_of(ext2_filsys fs)
{
	char *is_log = calloc(ext2fs_blocks_count(fs->super), 1);
	struct ext2_inode inode;
	blk64_t blk, lblk, n;

	want(is_log);
	want_ok(ext2fs_read_inode(fs, EXT2_JOURNAL_INO, &inode));
	n = EXT2_I_SIZE(&inode) / fs->blocksize;
	for (lblk = 0; lblk < n; lblk++) {
		want_ok(ext2fs_bmap2(fs, EXT2_JOURNAL_INO, &inode, NULL, 0, lblk, NULL, &blk));
		is_log[blk] = 1;
	}
	return is_log;
}

/*
 * Blocks written into the log by the last transaction: those behind the record's, which flushes
 * RECORD_FLUSHES times, up to the next flush.
 */
static uint64_t logged(const struct copyjob *j, size_t first)
{
	uint64_t bs = j->job.target->block_size, n = 0, blk;
	char *is_log = journal_of(j->job.target->fs);
	size_t i, flushes = 0;

	for (i = first; i < io_log_count(); i++) {
		const struct io_log_entry *e = io_log_entry(i);

		if (e->name != j->target_name)
			continue;
		flushes += e->op == IO_LOG_FLUSH;
		if (e->op != IO_LOG_WRITE || flushes != RECORD_FLUSHES)
			continue;
		for (blk = e->at / bs; blk * bs < e->at + e->bytes; blk++)
			n += is_log[blk];
	}
	free(is_log);
	return n;
}

/* _i: shape, source, whether inodes keep their numbers. */
START_TEST(says_enough)
{
	enum copyjob_source source = _i & 1 ? SOURCE_LARGE : SOURCE_SMALL;
	struct bfo_commit_fit fit;
	struct copyjob j;
	uint64_t taken;
	size_t first;

	io_log_reset();
	make_target(_i / 4);
	copyjob_open_image(&j, source, "shape", 1, "fitting");
	j.job.config.keep_inodes = !!(_i & 2);
	copyjob_plan(&j);
	want_ok(bfo_commit_fits(&j.job.plan, j.job.target, &fit));
	want(fit.has_journal && bfo_commit_is_fit(&fit));
	first = io_log_count();
	want_ok(copyjob_commit(&j));
	taken = logged(&j, first);
	copyjob_close(&j);
	io_log_reset();
	if (taken < 5 || taken > fit.need)
		ck_abort_msg("%s: said %d, took %d", shapes[_i / 4], (int) fit.need, (int) taken);
	want(fit.need <= taken + 60);
	want_eq(copyjob_try("e2fsck -fn '%s' > /dev/null 2>&1", "fitting"), 0);
}
END_TEST

/* In the lower half one block in each of some groups is free, which is what the record takes. */
static void scatter(ext2_filsys fs)
{
	blk64_t blk, half = ext2fs_blocks_count(fs->super) / 2;
	dgrp_t g, last = 0;

	for (blk = fs->super->s_first_data_block; blk < half; blk++) {
		g = ext2fs_group_of_blk2(fs, blk);
		if (ext2fs_test_block_bitmap2(fs->block_map, blk))
			continue;
		if (g >= last + 20)
			last = g;
		else
			ext2fs_block_alloc_stats2(fs, blk, 1);
	}
}

/* The record's bitmaps and descriptors are far from those of all else. */
START_TEST(counts_the_record)
{
	struct bfo_commit_fit fit;
	struct copyjob j;
	uint64_t taken;
	size_t first;

	io_log_reset();
	make_target(2);
	copyjob_open_image(&j, SOURCE_SMALL, "shape", 1, "fitting");
	scatter(j.job.target->fs);
	copyjob_plan(&j);
	want_ok(bfo_commit_fits(&j.job.plan, j.job.target, &fit));
	first = io_log_count();
	want_ok(copyjob_commit(&j));
	taken = logged(&j, first);
	copyjob_close(&j);
	io_log_reset();
	if (taken > fit.need)
		ck_abort_msg("said %d, took %d", (int) fit.need, (int) taken);
}
END_TEST

Suite *commit_fit_suite(void)
{
	Suite *s = suite_create("commit_fit");

	unit_case(s, "says_enough", says_enough, 4 * SHAPES);
	unit_case(s, "counts_the_record", counts_the_record, 0);
	return s;
}
