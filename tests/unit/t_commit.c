// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_commit.c - what a real copy reads and writes, and in which order
 *
 * A source and a target are made by mke2fs -d and copied as e2bfo/copy.c does it, on channels
 * that log every request (io_log.h).  The log of the target, cut at its flushes, has to be
 *
 *   superblock | stem ascending, then new table blocks ascending | live blocks ascending | super
 *
 * where no block appears twice, and only the third part may touch what is in use.  _i says
 * whether the target holds files already.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commit/commit.h"
#include "gather/inode_scan.h"
#include "gather/name_scan.h"
#include "io_log.h"
#include "unit.h"

#define MIB (1ULL << 20)
#define SUPER_AT 1024U
#define FILES 300
#define IMAGE_MIB "64M"

struct job {
	struct bfo_context ctx;
	struct bfo_volume *source, *target;
	struct bfo_reader reader;
	struct bfo_tree tree;
	struct bfo_target free;
	struct bfo_plan plan;
	struct bfo_commit_stats stats;
	unsigned int source_name, target_name;
	uint64_t memory;
};

/* What a block of the target is, before the commit. */
enum { STEM = 1, USED = 2, NEW_TABLE = 4, WRITTEN = 8 };

static void shell(const char *format, const char *a, const char *b)
{
	char command[2048];

	want((size_t) snprintf(command, sizeof(command), format, a, b) < sizeof(command));
	if (system(command))
		ck_abort_msg("failed: %s", command);
}

static void write_file(const char *dir, const char *name, uint64_t size, struct chance *c)
{
	void *data = unit_alloc(size);
	char path[1024];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	want(f);
	chance_fill(c, data, size);
	want(fwrite(data, 1, size, f) == size);
	want(!fclose(f));
	free(data);
}

/* Every other block is a hole: extents that need a tree. */
static void make_holes(const char *dir, struct chance *c)
{
	uint8_t block[4096];
	char path[1024];
	int i;
	FILE *f;

	snprintf(path, sizeof(path), "%s/d2/holes", dir);
	f = fopen(path, "w");
	want(f);
	for (i = 0; i < 400; i++) {
		chance_fill(c, block, sizeof(block));
		want(!fseek(f, 2L * i * sizeof(block), SEEK_SET));
		want(fwrite(block, 1, sizeof(block), f) == sizeof(block));
	}
	want(!fclose(f));
}

/* Files of many sizes in directories, one bigger than a buffer of the pipe, links of both kinds. */
static void make_tree(const char *dir)
{
	char name[64], path[1024], link_text[200];
	struct chance c;
	int i;

	chance_init(&c, 900);
	shell("mkdir -p '%s/d0' '%s/d1/deep'", dir, dir);
	shell("mkdir '%s/d2' '%s/empty'", dir, dir);
	for (i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "%s/a file with a long name, number %d",
			 i % 4 == 3 ? "d1/deep" : i % 4 == 2 ? "d2" : i % 4 ? "d1" : "d0", i);
		write_file(dir, name, i % 10 ? chance_below(&c, 60000) : chance_below(&c, 400000),
			   &c);
	}
	write_file(dir, "d0/big", 11 * MIB + 123, &c);
	write_file(dir, "none", 0, &c);
	make_holes(dir, &c);
	shell("truncate -s 3M '%s/d0/sparse' && echo end >> '%s/d0/sparse'", dir, dir);
	shell("ln '%s/d0/big' '%s/d2/linked'", dir, dir);
	memset(link_text, 'x', sizeof(link_text) - 1);
	link_text[sizeof(link_text) - 1] = 0;
	snprintf(path, sizeof(path), "%s/long", dir);
	want(!symlink(link_text, path));
}

static void make_image(const char *image, const char *dir, const char *seed)
{
	char with_seed[1024];

	snprintf(with_seed, sizeof(with_seed), "PATH=\"$PATH:/usr/sbin:/sbin\" mke2fs -q -F "
		 "-t ext4 -b 4096 -N 2048 -U %s -E lazy_itable_init=1,hash_seed=%s -d '%%s' "
		 "'%%s' " IMAGE_MIB " > /dev/null 2>&1", seed, seed);
	shell(with_seed, dir, image);
}

static void debugfs(const char *image, const char *request)
{
	char command[1024];

	snprintf(command, sizeof(command), "PATH=\"$PATH:/usr/sbin:/sbin\" debugfs -w -R '%s' "
		 "'%%s' > /dev/null 2>&1 %%s", request);
	shell(command, image, "");
}

/* What mke2fs -d does not make: an attribute block, unwritten blocks. */
static void add_by_hand(const char *image, const char *value)
{
	char request[600];

	snprintf(request, sizeof(request), "ea_set -f \"%s\" none user.big", value);
	debugfs(image, request);
	debugfs(image, "fallocate none 3 900");
	debugfs(image, "fallocate /d0/big 5000 5003");
}

/* The images of all tests: source, an empty target, one with files in shared directories. */
static void make_images(void)
{
	char *tree = unit_path("tree"), *other = unit_path("other"), *none = unit_path("none");
	char *source = unit_path("source"), *empty = unit_path("target0");
	char *busy = unit_path("target1"), *value = unit_path("other/theirs");
	struct chance c;

	if (!access(busy, F_OK))
		goto out;
	make_tree(tree);
	shell("mkdir -p '%s/d1/deep' '%s'", other, none);
	chance_init(&c, 901);
	write_file(other, "d1/deep/other", 70000, &c);
	write_file(other, "theirs", 2500, &c);
	make_image(source, tree, "7ea56b7b-33c6-4cd3-9f4d-c3a4b4b3a001");
	add_by_hand(source, value);
	make_image(empty, none, "7ea56b7b-33c6-4cd3-9f4d-c3a4b4b3a002");
	make_image(busy, other, "7ea56b7b-33c6-4cd3-9f4d-c3a4b4b3a003");
out:
	free(tree);
	free(other);
	free(none);
	free(source);
	free(empty);
	free(busy);
	free(value);
}

static void job_open(struct job *j, int which, const char *copy, uint64_t memory)
{
	char name[16], *source = unit_path("source"), *from, *to = unit_path(copy);

	memset(j, 0, sizeof(*j));
	make_images();
	snprintf(name, sizeof(name), "target%d", which);
	from = unit_path(name);
	shell("cp --sparse=always '%s' '%s'", from, to);
	j->memory = memory;
	want_ok(bfo_volume_open(&j->ctx, source, BFO_OPEN_SOURCE, io_log_manager, &j->source));
	want_ok(bfo_volume_open(&j->ctx, to, BFO_OPEN_TARGET, io_log_manager, &j->target));
	j->source_name = io_log_name(source);
	j->target_name = io_log_name(to);
	free(source);
	free(from);
	free(to);
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

	return (x > y) - (x < y);
}

static void job_merge(struct job *j)
{
	struct bfo_reader reader;
	uint32_t inos[16];
	size_t i;

	while (j->plan.pairs.n) {
		struct bfo_tree old = { .keep_map_blocks = 1 };

		want(j->plan.pairs.n <= 16);
		for (i = 0; i < j->plan.pairs.n; i++)
			inos[i] = j->plan.pairs.v[i].ino;
		qsort(inos, i, sizeof(*inos), by_number);
		want_ok(bfo_reader_init(&reader, &j->ctx, j->target, 0));
		want_ok(bfo_inode_scan_some(&reader, &old, inos, i));
		want_ok(bfo_name_scan(&reader, &old));
		bfo_reader_free(&reader);
		want_ok(bfo_plan_merge(&j->plan, &old));
		bfo_tree_free(&old);
	}
	want_eq(j->plan.clashes.n, 0);
}

static void job_plan(struct job *j)
{
	static const char *const from[] = { "/" };

	want_ok(bfo_reader_init(&j->reader, &j->ctx, j->source, 0));
	want_ok(bfo_inode_scan(&j->reader, &j->tree));
	want_ok(bfo_name_scan(&j->reader, &j->tree));
	want_ok(bfo_target_gather(&j->ctx, j->target, &j->free));
	bfo_plan_init(&j->plan, &j->ctx, &j->tree, &j->free);
	j->plan.now = 1000000000;
	want_ok(bfo_plan_names(&j->plan));
	want_ok(bfo_plan_land(&j->plan, from, 1, "/"));
	job_merge(j);
	want_ok(bfo_plan_order(&j->plan));
	want_ok(bfo_plan_share(&j->plan));
	want_ok(bfo_plan_audit(&j->plan));
	want_ok(bfo_plan_numbers(&j->plan));
	want_ok(bfo_plan_space(&j->plan));
	want_eq(j->tree.findings.n, 0);
	want(j->plan.ea_len && j->plan.tree_len && j->plan.dir_len);
}

static errcode_t job_commit(struct job *j)
{
	struct bfo_commit_options how = { .memory = j->memory };

	return bfo_commit(&j->plan, &j->reader, j->target, &how, &j->stats);
}

static void job_close(struct job *j)
{
	bfo_plan_free(&j->plan);
	bfo_target_free(&j->free);
	bfo_tree_free(&j->tree);
	bfo_reader_free(&j->reader);
	bfo_volume_close(j->target);
	bfo_volume_close(j->source);
}

static void mark_stem(const struct job *j, uint8_t *map, uint64_t at, uint64_t len)
{
	for (; len; at++, len--) {
		uint8_t *m = &map[bfo_plan_block(&j->plan, at, NULL)];

		want(!(*m & (STEM | USED)));	/* of one item, and free */
		*m |= STEM;
	}
}

/* Every block that the plan wants written. */
static void mark_items(const struct job *j, uint8_t *map)
{
	const struct bfo_tree *t = &j->tree;
	size_t i, k;

	for (i = 0; i < j->plan.order.n; i++) {
		const struct bfo_inode *rec = &t->inodes.v[j->plan.order.v[i]];
		uint64_t at = rec->stem;

		if (S_ISDIR(rec->mode)) {
			mark_stem(j, map, at, rec->size / j->target->block_size);
			continue;
		}
		for (k = rec->seg; k < rec->seg + rec->nseg; at += t->segs.v[k++].len)
			if (!bfo_seg_unwritten(&t->segs.v[k]))
				mark_stem(j, map, at, t->segs.v[k].len);
	}
	for (i = 0; i < t->eas.n; i++)
		if (t->eas.v[i].refs)
			mark_stem(j, map, t->eas.v[i].stem, 1);
	mark_stem(j, map, j->plan.stem_len, j->plan.tree_len);
}

static uint8_t *map_target(const struct job *j)
{
	ext2_filsys fs = j->target->fs;
	uint8_t *map = unit_alloc(j->target->blocks);
	uint32_t per_block = j->target->block_size / j->target->inode_size, used;
	uint64_t blk;
	dgrp_t g;

	for (blk = fs->super->s_first_data_block; blk < j->target->blocks; blk++)
		if (ext2fs_test_block_bitmap2(fs->block_map, blk))
			map[blk] |= USED;
	for (g = 0; g < fs->group_desc_count; g++) {
		used = bfo_volume_group_used(j->target, g);
		for (blk = 0; blk < fs->inode_blocks_per_group; blk++)
			if (blk * per_block >= used)
				map[ext2fs_inode_table_loc(fs, g) + blk] |= NEW_TABLE;
	}
	mark_items(j, map);
	return map;
}

/* One write of the part between the first two flushes; returns its last block. */
static uint64_t check_bulk(const struct job *j, const struct io_log_entry *e, uint8_t *map,
			   uint64_t last)
{
	uint32_t bs = j->target->block_size;
	uint64_t blk = e->at / bs, end = blk + e->bytes / bs;

	want(e->at % bs == 0 && e->bytes % bs == 0);
	for (; blk < end; last = blk++) {
		int kind = map[blk] & (STEM | NEW_TABLE), before = last ? map[last] & STEM : STEM;

		want(kind == STEM || kind == NEW_TABLE);	/* nothing that is live */
		want(!(map[blk] & WRITTEN));
		want(blk > last || (before && kind == NEW_TABLE));
		want(before || kind == NEW_TABLE);		/* tables after the stem */
		map[blk] |= WRITTEN;
	}
	return last;
}

static uint64_t check_live(const struct job *j, const struct io_log_entry *e, uint8_t *map,
			   uint64_t last)
{
	uint32_t bs = j->target->block_size;
	uint64_t blk = e->at / bs, end = blk + e->bytes / bs;

	want(e->at % bs == 0 && e->bytes % bs == 0);
	for (; blk < end; last = blk++) {
		want(map[blk] & USED);
		want(!(map[blk] & (STEM | WRITTEN)));
		want(blk > last || (!blk && !last));
		map[blk] |= WRITTEN;
	}
	return last;
}

static void check_super(const struct io_log_entry *e, int clean)
{
	want_eq(e->at, SUPER_AT);
	want_eq(e->bytes, SUPERBLOCK_SIZE);
	want_eq(e->state & EXT2_VALID_FS, clean ? EXT2_VALID_FS : 0);
}

static void check_writes(const struct job *j, uint8_t *map, size_t first)
{
	size_t i, flushes = 0, supers[2] = { 0 };
	uint64_t last = 0, blk;

	for (i = first; i < io_log_count(); i++) {
		const struct io_log_entry *e = io_log_entry(i);

		if (e->name != j->target_name)
			continue;
		flushes += e->op == IO_LOG_FLUSH;
		last = e->op == IO_LOG_FLUSH ? 0 : last;
		if (e->op != IO_LOG_WRITE)
			continue;
		want(flushes <= 3);
		if (flushes == 1) {
			last = check_bulk(j, e, map, last);
		} else if (flushes == 2) {
			last = check_live(j, e, map, last);
		} else {
			check_super(e, !!flushes);
			supers[!!flushes]++;
		}
	}
	want_eq(flushes, 4);
	want(supers[0] == 1 && supers[1] == 1);
	for (blk = 0; blk < j->target->blocks; blk++)
		want(!(map[blk] & STEM) || map[blk] & WRITTEN);
}

/* How often each block of the source was read. */
static void check_reads(const struct job *j)
{
	uint8_t *count = unit_alloc(j->source->blocks);
	const struct bfo_tree *t = &j->tree;
	uint32_t bs = j->source->block_size;
	size_t i, k;
	uint64_t b;

	for (i = 0; i < io_log_count(); i++) {
		const struct io_log_entry *e = io_log_entry(i);

		if (e->name != j->source_name)
			continue;
		want(e->op != IO_LOG_WRITE);
		want(e->op != IO_LOG_OPEN || !(e->flags & IO_FLAG_RW));
		if (e->op == IO_LOG_READ)
			for (b = e->at / bs; b < (e->at + e->bytes + bs - 1) / bs; b++)
				count[b] += count[b] < 255;
	}
	for (i = 0; i < t->inodes.n; i++) {
		const struct bfo_inode *rec = &t->inodes.v[i];

		if (!S_ISREG(rec->mode))
			continue;
		for (k = rec->seg; k < rec->seg + rec->nseg; k++)
			for (b = 0; b < t->segs.v[k].len; b++)
				want_eq(count[bfo_seg_blk(&t->segs.v[k]) + b],
					!bfo_seg_unwritten(&t->segs.v[k]));
	}
	free(count);
}

static void check_no_write(const struct job *j, size_t first)
{
	size_t i;

	for (i = first; i < io_log_count(); i++)
		want(io_log_entry(i)->op != IO_LOG_WRITE && io_log_entry(i)->op != IO_LOG_FLUSH);
	want(j->target->writable && !j->source->writable);
}

static uint8_t *read_image(const char *name, size_t *size)
{
	char *path = unit_path(name);
	FILE *f = fopen(path, "r");
	uint8_t *data;
	struct stat st;

	want(f && !fstat(fileno(f), &st));
	*size = st.st_size;
	data = unit_alloc(*size);
	want(fread(data, 1, *size, f) == *size);
	fclose(f);
	free(path);
	return data;
}

/* Every data block is where the plan says, with the bytes of the source. */
static void check_data(const struct job *j, const char *copy)
{
	const struct bfo_tree *t = &j->tree;
	uint32_t bs = j->source->block_size;
	size_t i, k, b, size;
	uint8_t *from = read_image("source", &size), *to = read_image(copy, &size);

	for (i = 0; i < j->plan.order.n; i++) {
		const struct bfo_inode *rec = &t->inodes.v[j->plan.order.v[i]];
		uint64_t at = rec->stem;

		if (S_ISDIR(rec->mode))
			continue;
		for (k = rec->seg; k < rec->seg + rec->nseg; k++)
			for (b = 0; b < t->segs.v[k].len; b++, at++)
				if (!bfo_seg_unwritten(&t->segs.v[k]))
					want_mem(from + (bfo_seg_blk(&t->segs.v[k]) + b) * bs,
						 to + bfo_plan_block(&j->plan, at, NULL) *
						 bs, bs);
	}
	free(from);
	free(to);
}

static void check_fsck(const char *copy)
{
	char *path = unit_path(copy);

	shell("PATH=\"$PATH:/usr/sbin:/sbin\" e2fsck -fn '%s' > /dev/null 2>&1 %s", path, "");
	free(path);
}

/* A whole copy, every request judged. */
static void run_copy(int which, const char *copy, uint64_t memory)
{
	struct job j;
	uint8_t *map;
	size_t first;

	io_log_reset();
	job_open(&j, which, copy, memory);
	job_plan(&j);
	check_no_write(&j, 0);
	first = io_log_count();
	map = map_target(&j);
	want_ok(job_commit(&j));
	check_writes(&j, map, first);
	check_reads(&j);
	check_data(&j, copy);
	first = io_log_count();
	job_close(&j);
	for (; first < io_log_count(); first++)
		want_eq(io_log_entry(first)->op, IO_LOG_CLOSE);
	free(map);
	io_log_reset();
	check_fsck(copy);
}

START_TEST(reads_and_writes_once)
{
	uint8_t *small, *large, *before, *after;
	size_t a, b;

	make_images();
	before = read_image("source", &a);
	run_copy(_i, "small", MIB);
	run_copy(_i, "large", 64 * MIB);
	after = read_image("source", &b);
	want(a == b);
	want_mem(before, after, a);
	small = read_image("small", &a);
	large = read_image("large", &b);
	want(a == b);
	want_mem(small, large, a);
	free(before);
	free(after);
	free(small);
	free(large);
}
END_TEST

/* Everything that was in use is as it was, and the superblock says clean. */
static void check_unchanged(const uint8_t *map, int which)
{
	char name[16];
	size_t a, b, i, size = 4096;
	uint8_t *now = read_image("failing", &a), *before;
	struct ext2_super_block *sb = (void *) (now + SUPER_AT);

	snprintf(name, sizeof(name), "target%d", which);
	before = read_image(name, &b);
	want(a == b);
	want(ext2fs_le16_to_cpu(sb->s_state) & EXT2_VALID_FS);
	for (i = 1; i < a / size; i++)
		if ((map[i] & (USED | NEW_TABLE)) == USED)
			want_mem(now + i * size, before + i * size, size);
	free(now);
	free(before);
}

/* Before the transaction a write that fails leaves the target valid, with its files. */
static size_t run_failing(int which, size_t nth)
{
	size_t first, i, n = 0, flushes = 0;
	errcode_t err;
	uint8_t *map;
	struct job j;

	io_log_reset();
	job_open(&j, which, "failing", 64 * MIB);
	job_plan(&j);
	map = map_target(&j);
	first = io_log_count();
	io_log_fail_write(nth);
	err = job_commit(&j);
	for (i = first; i < io_log_count() && flushes < 2; i++) {
		flushes += io_log_entry(i)->op == IO_LOG_FLUSH;
		n += io_log_entry(i)->op == IO_LOG_WRITE;
	}
	job_close(&j);
	io_log_reset();
	if (nth) {
		want_eq(err, EIO);
		check_unchanged(map, which);
		check_fsck("failing");
	}
	free(map);
	return n;
}

START_TEST(puts_back_after_failure)
{
	size_t n = run_failing(1, 0), nth;

	for (nth = 1; nth <= n; nth += nth < 4 || nth + 6 > n ? 1 : n / 6)
		run_failing(1, nth);
}
END_TEST

Suite *commit_suite(void)
{
	Suite *s = suite_create("commit");

	unit_case(s, "reads_and_writes_once", reads_and_writes_once, 2);
	unit_case(s, "puts_back_after_failure", puts_back_after_failure, 0);
	return s;
}
