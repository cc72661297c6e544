// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_commit.c - what a real copy reads and writes, and in which order
 *
 * The log of the target is cut into phases, each of which may write only certain blocks: at its
 * flushes (|), and around the superblock where it is written by itself (,).  With a journal, where
 * T is a transaction:
 *
 *   record, T, stem ascending, new table blocks ascending, quota files, T, record zeroed |
 *
 *   T:  log, super with RECOVER | journal's super, start | live blocks ascending |
 *       journal's super, stop | super without RECOVER
 *
 * These are all flushes that there are.  Without a journal:
 *
 *   super, not VALID | stem, tables, quota | live blocks but maps | maps | late changes |
 *   super, VALID
 *
 * No block appears twice in a phase, nothing live is written but where it says so.  _i: which
 * target.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jbd2.h"
#include "commit/record_format.h"
#include "tree/access.h"
#include "copyjob.h"

#define SUPER_AT 1024U
#define MAX_PHASES 20

/* What a block of the target is, before the commit. */
enum {
	STEM = 1,		/* of the plan's stem; free */
	USED = 2,
	NEW_TABLE = 4,		/* of an inode table, where nobody looks */
	WANTED = 8,		/* has to be written */
	QUOTA = 16,		/* also STEM: of a quota file */
	LOG = 32,		/* of the journal, behind its superblock */
	MAP = 64,		/* bitmap or descriptors */
	RECORD = 128,		/* of the record; free */
};

struct judge {
	struct copyjob j;
	uint8_t *map;
	uint8_t *written;		/* in this phase */
	uint8_t *bulk;			/* written before live blocks are */
	uint64_t journal;		/* block of its superblock */
	size_t first[MAX_PHASES + 1];	/* entries of the log: where each phase begins */
	uint32_t phases, flushes;
};

static void mark_stem(const struct copyjob *j, uint8_t *map, uint64_t at, uint64_t len,
		      int kind)
{
	for (; len; at++, len--) {
		uint8_t *m = &map[bfo_plan_block(&j->job.plan, at, NULL)];

		want((*m & (STEM | USED | WANTED)) == STEM);	/* of one item */
		*m |= kind | WANTED;
	}
}

/* Every block that the plan wants written. */
static void mark_items(const struct copyjob *j, uint8_t *map)
{
	const struct bfo_tree *t = &j->job.tree;
	size_t i, k;

	for (i = 0; i < j->job.plan.order.n; i++) {
		const struct bfo_inode *rec = &t->inodes.v[j->job.plan.order.v[i]];
		uint64_t at = rec->stem;

		if (S_ISDIR(rec->mode)) {
			mark_stem(j, map, at, rec->size / j->job.target->block_size, 0);
			continue;
		}
		for (k = 0; k < bfo_seg_count(t, rec); at += bfo_seg_of(t, rec, k++)->len)
			if (!bfo_seg_unwritten(bfo_seg_of(t, rec, k)))
				mark_stem(j, map, at, bfo_seg_of(t, rec, k)->len,
					  bfo_inode_is_renewed(rec) ? QUOTA : 0);
	}
	for (i = 0; i < t->eas.n; i++)
		if (t->eas.v[i].refs)
			mark_stem(j, map, t->eas.v[i].stem, 1, 0);
	mark_stem(j, map, j->job.plan.stem_len, j->job.plan.tree_len, 0);
}


/* Tables of groups with checksums tell how much of them is in use; others when nobody replays. */
static int is_new_table(const struct copyjob *j, dgrp_t g, uint64_t k)
{
	ext2_filsys fs = j->job.target->fs;
	uint32_t per_block = j->job.target->block_size / j->job.target->inode_size, i;
	uint32_t ino = g * fs->super->s_inodes_per_group + k * per_block + 1;

	if (ext2fs_has_group_desc_csum(fs))
		return k * per_block >= bfo_volume_group_used(j->job.target, g);
	for (i = 0; i < per_block && !j->job.is_atomic; i++)
		if (ext2fs_test_inode_bitmap2(fs->inode_map, ino + i))
			return 0;
	return !j->job.is_atomic;
}

static void mark_meta(const struct copyjob *j, uint8_t *map)
{
	ext2_filsys fs = j->job.target->fs;
	uint64_t blk;
	dgrp_t g;

	for (g = 0; g < fs->group_desc_count; g++) {
		for (blk = 0; blk < fs->inode_blocks_per_group; blk++)
			if (is_new_table(j, g, blk))
				map[ext2fs_inode_table_loc(fs, g) + blk] |= NEW_TABLE;
		map[ext2fs_block_bitmap_loc(fs, g)] |= MAP;
		map[ext2fs_inode_bitmap_loc(fs, g)] |= MAP;
	}
	for (blk = 0; blk < fs->desc_blocks; blk++)
		map[ext2fs_descriptor_block_loc2(fs, fs->super->s_first_data_block, blk)] |= MAP;
}

static int mark_log(ext2_filsys fs, blk64_t *blk, e2_blkcnt_t lblk, blk64_t ref, int offset,
		    void *priv)
{
	struct judge *v = priv;

	(void) fs;
	(void) ref;
	(void) offset;
	if (lblk)
		v->map[*blk] |= LOG;
	else
		v->journal = *blk;
	return 0;
}

static void map_target(struct judge *v)
{
	const struct copyjob *j = &v->j;
	ext2_filsys fs = j->job.target->fs;
	uint64_t blk, k;
	size_t i;

	v->map = unit_alloc(j->job.target->blocks);
	v->bulk = unit_alloc(j->job.target->blocks);
	for (blk = fs->super->s_first_data_block; blk < j->job.target->blocks; blk++)
		if (ext2fs_test_block_bitmap2(fs->block_map, blk))
			v->map[blk] |= USED;
	mark_meta(j, v->map);
	if (j->job.is_atomic)
		want_ok(ext2fs_block_iterate3(fs, EXT2_JOURNAL_INO, BLOCK_FLAG_READ_ONLY |
					      BLOCK_FLAG_DATA_ONLY, NULL, mark_log, v));
	for (i = 0; i < j->job.plan.stem.n; i++)
		for (k = 0; k < j->job.plan.stem.v[i].len; k++) {
			want(!(v->map[j->job.plan.stem.v[i].blk + k] & (USED | STEM)));
			v->map[j->job.plan.stem.v[i].blk + k] |= STEM;
		}
	if (j->job.target->block_size == j->job.source->block_size &&
	    j->job.free.cluster_blocks == 1)
		mark_items(j, v->map);
}

/* ---- phases ---- */

/* LAST was written before the last flush: is the superblock a live block among others now? */
static int is_in_place(const struct judge *v, const struct io_log_entry *last)
{
	return last && last->at == v->journal * v->j.job.target->block_size && last->data &&
	       bfo_jbd2_get32(last->data, BFO_JBD2_SB_START);
}

static void end_phase(struct judge *v, size_t next, size_t *writes)
{
	want(v->phases < MAX_PHASES);
	if (*writes)
		v->first[++v->phases] = next;
	*writes = 0;
}

static void cut_phases(struct judge *v, size_t first)
{
	const struct io_log_entry *last = NULL, *now = NULL;
	size_t i, writes = 0;

	v->phases = v->flushes = 0;
	v->first[0] = first;
	for (i = first; i < io_log_count(); i++) {
		const struct io_log_entry *e = io_log_entry(i);
		int alone = e->at == SUPER_AT && e->bytes == SUPERBLOCK_SIZE &&
			    !is_in_place(v, last);

		if (e->name == v->j.target_name && e->op == IO_LOG_WRITE) {
			if (alone)
				end_phase(v, i, &writes);
			writes++;
			now = e;
			if (alone)
				end_phase(v, i + 1, &writes);
		} else if (e->name == v->j.target_name && e->op == IO_LOG_FLUSH) {
			want(now != last);		/* none for nothing */
			v->flushes++;
			last = now;
			end_phase(v, i + 1, &writes);
		}
	}
	for (i = v->first[v->phases]; i < io_log_count(); i++)
		want(io_log_entry(i)->op != IO_LOG_WRITE);	/* nothing without a flush */
}

/* Write number N of phase P, or NULL. */
static const struct io_log_entry *write_of(const struct judge *v, uint32_t p, size_t n)
{
	size_t i;

	for (i = v->first[p]; i < v->first[p + 1]; i++) {
		const struct io_log_entry *e = io_log_entry(i);

		if (e->name == v->j.target_name && e->op == IO_LOG_WRITE && !n--)
			return e;
	}
	return NULL;
}

/* The only write of phase P: 1,024 bytes at AT. */
static const void *single(const struct judge *v, uint32_t p, uint64_t at)
{
	const struct io_log_entry *e = write_of(v, p, 0);

	want(e && !write_of(v, p, 1));
	want_eq(e->at, at);
	want_eq(e->bytes, SUPERBLOCK_SIZE);
	return e->data;
}

static void check_super(const struct judge *v, uint32_t p, int valid, int recover, int orphan)
{
	const struct ext2_super_block *sb = single(v, p, SUPER_AT);

	want_eq(sb->s_state & EXT2_VALID_FS, valid ? EXT2_VALID_FS : 0);
	want_eq(!!ext2fs_has_feature_journal_needs_recovery((struct ext2_super_block *) sb),
		recover);
	want_eq(!!sb->s_last_orphan, orphan);
}

static void check_journal_super(const struct judge *v, uint32_t p, int started)
{
	const void *sb = single(v, p, v->journal * v->j.job.target->block_size);

	want_eq(bfo_jbd2_get32(sb, BFO_JBD2_H_MAGIC), BFO_JBD2_MAGIC);
	want_eq(!!bfo_jbd2_get32(sb, BFO_JBD2_SB_START), started);
}

/* Calls TAKE for each block written in phase P, of which none is written twice. */
static uint64_t each_block(struct judge *v, uint32_t p, void (*take)(struct judge *v, uint64_t blk))
{
	uint32_t bs = v->j.job.target->block_size;
	const struct io_log_entry *e;
	uint64_t blk, count = 0;
	size_t n;

	v->written = unit_alloc(v->j.job.target->blocks);
	for (n = 0; (e = write_of(v, p, n)); n++) {
		want(e->at % bs == 0 && (e->bytes % bs == 0 || e->bytes < bs));
		for (blk = e->at / bs; blk * bs < e->at + e->bytes; blk++, count++) {
			want(!v->written[blk]++);
			take(v, blk);
		}
	}
	free(v->written);
	return count;
}

/* The record's blocks are free; the log is the journal's. */
static void take_log(struct judge *v, uint64_t blk)
{
	if (v->map[blk] & LOG)
		return;
	want(!(v->map[blk] & (USED | STEM)));
	v->map[blk] |= RECORD;
}

/* That of the last transaction follows the bulk. */
static void take_last_log(struct judge *v, uint64_t blk)
{
	want(v->map[blk] & LOG || v->bulk[blk]);
}

static void take_live(struct judge *v, uint64_t blk)
{
	want(v->map[blk] & USED || !blk);
	want(!(v->map[blk] & (STEM | LOG | RECORD)) && blk != v->journal);
	want(!v->bulk[blk]);
}

static void take_table(struct judge *v, uint64_t blk)
{
	take_live(v, blk);
	want(!(v->map[blk] & MAP));
}

static void take_map(struct judge *v, uint64_t blk)
{
	take_live(v, blk);
	want(v->map[blk] & MAP);
}

static void take_wiped(struct judge *v, uint64_t blk)
{
	want(v->map[blk] & RECORD);
	v->map[blk] &= ~RECORD;
}

static void take_bulk(struct judge *v, uint64_t blk)
{
	int kind = v->map[blk] & (STEM | NEW_TABLE | RECORD);

	if (v->map[blk] & LOG)
		return;
	want(kind == STEM || kind == NEW_TABLE);	/* nothing that is live */
	v->bulk[blk] = 1;
}

/* 0 stem, 1 tables, 2 quota files, 3 the log. */
static int class_of(const struct judge *v, uint64_t blk)
{
	if (v->map[blk] & LOG)
		return 3;
	return v->map[blk] & NEW_TABLE ? 1 : v->map[blk] & QUOTA ? 2 : 0;
}

static void check_ascending(const struct judge *v, uint32_t p, int by_class)
{
	uint32_t bs = v->j.job.target->block_size;
	const struct io_log_entry *e;
	int class = 0, now;
	uint64_t last = 0;
	size_t n;

	for (n = 0; (e = write_of(v, p, n)); n++) {
		now = by_class ? class_of(v, e->at / bs) : 0;
		want(now >= class);
		want(now > class || e->at >= last);
		class = now;
		last = e->at + e->bytes;
	}
}

static void check_bulk(struct judge *v, uint32_t p)
{
	uint64_t blk;

	each_block(v, p, take_bulk);
	check_ascending(v, p, 1);
	for (blk = 0; blk < v->j.job.target->blocks; blk++)
		want(!(v->map[blk] & WANTED) || v->bulk[blk]);
}

/* A transaction in phases P to P + 5; what is logged is what is written in place. */
static void check_transaction(struct judge *v, uint32_t p, int last)
{
	uint64_t logged = each_block(v, p, last ? take_last_log : take_log), live, blk;

	for (blk = 0; blk < v->j.job.target->blocks; blk++)
		logged -= last ? v->bulk[blk] : !!(v->map[blk] & RECORD);
	check_super(v, p + 1, 1, 1, last);
	check_journal_super(v, p + 2, 1);
	live = each_block(v, p + 3, take_live);
	check_ascending(v, p + 3, 0);
	want(live && logged > live && logged - live <= 3 + live / 60);
	check_journal_super(v, p + 4, 0);
	check_super(v, p + 5, 1, 0, !last);
}

static void check_atomic(struct judge *v)
{
	uint64_t blk;

	want_eq(v->phases, 13);
	want_eq(v->flushes, 4 + 4 + 1);
	check_transaction(v, 0, 0);
	check_bulk(v, 6);
	check_transaction(v, 6, 1);
	want(each_block(v, 12, take_wiped) >= 3);
	for (blk = 0; blk < v->j.job.target->blocks; blk++)
		want(!(v->map[blk] & RECORD));
}

static void check_plain(struct judge *v)
{
	want_eq(v->phases, 6);
	want_eq(v->flushes, 6);
	check_super(v, 0, 0, 0, 0);
	check_bulk(v, 1);
	each_block(v, 2, take_table);
	each_block(v, 3, take_map);
	want(each_block(v, 4, take_table));
	check_super(v, 5, 1, 0, 0);
}

/* ---- reads, data ---- */

/* How often each block of the source was read. */
static void check_reads(const struct copyjob *j)
{
	uint8_t *count = unit_alloc(j->job.source->blocks);
	const struct bfo_tree *t = &j->job.tree;
	uint32_t bs = j->job.source->block_size;
	const struct bfo_seg *seg;
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

		if (!S_ISREG(rec->mode) || bfo_inode_is_renewed(rec))
			continue;
		for (k = 0; k < bfo_seg_count(t, rec); k++) {
			seg = bfo_seg_of(t, rec, k);
			for (b = 0; b < seg->len; b++)
				want_eq(count[bfo_seg_blk(seg) + b], !bfo_seg_unwritten(seg));
		}
	}
	free(count);
}

static void check_no_write(const struct copyjob *j, size_t first)
{
	size_t i;

	for (i = first; i < io_log_count(); i++)
		want(io_log_entry(i)->op != IO_LOG_WRITE && io_log_entry(i)->op != IO_LOG_FLUSH);
	want(j->job.target->device.writable && !j->job.source->device.writable);
}

/* Every data block is where the plan says, with the bytes of the source. */
static void check_data(const struct copyjob *j, const char *copy)
{
	const struct bfo_tree *t = &j->job.tree;
	uint32_t bs = j->job.source->block_size;
	const struct bfo_seg *seg;
	size_t i, k, b, size;
	uint8_t *from = copyjob_read("source.large", &size), *to = copyjob_read(copy, &size);

	for (i = 0; i < j->job.plan.order.n; i++) {
		const struct bfo_inode *rec = &t->inodes.v[j->job.plan.order.v[i]];
		uint64_t at = rec->stem;

		if (S_ISDIR(rec->mode) || bfo_inode_is_renewed(rec))
			continue;
		for (k = 0; k < bfo_seg_count(t, rec); k++) {
			seg = bfo_seg_of(t, rec, k);
			for (b = 0; b < seg->len; b++, at++)
				if (!bfo_seg_unwritten(seg))
					want_mem(from + (bfo_seg_blk(seg) + b) * bs,
						 to + bfo_plan_block(&j->job.plan, at, NULL) *
						 bs, bs);
		}
	}
	free(from);
	free(to);
}


/* A whole copy, every request judged. */
static void run_copy(enum copyjob_target kind, const char *copy, uint64_t memory, int plain)
{
	struct judge v = { .journal = 0 };
	struct copyjob *j = &v.j;
	size_t first;

	io_log_reset();
	copyjob_open(j, SOURCE_LARGE, kind, copy);
	j->job.config.memory = memory;
	j->job.is_atomic &= !plain;
	copyjob_plan(j);
	want((j->job.plan.ea_len || kind == TARGET_EXT3) && j->job.plan.tree_len &&
	     j->job.plan.dir_len);
	check_no_write(j, 0);
	first = io_log_count();
	map_target(&v);
	want_ok(copyjob_commit(j));
	want_eq(j->job.stats.fate, BFO_FATE_DONE);
	cut_phases(&v, first);
	if (j->job.is_atomic)
		check_atomic(&v);
	else
		check_plain(&v);
	check_reads(j);
	if (j->job.target->block_size == j->job.source->block_size &&
	    j->job.free.cluster_blocks == 1)
		check_data(j, copy);
	first = io_log_count();
	copyjob_close(j);
	for (; first < io_log_count(); first++)
		want_eq(io_log_entry(first)->op, IO_LOG_CLOSE);
	free(v.map);
	free(v.bulk);
	io_log_reset();
	want_eq(copyjob_try("e2fsck -fn '%s' > /dev/null 2>&1", copy), 0);
}

START_TEST(reads_and_writes_once)
{
	uint8_t *small, *large, *before, *after;
	char name[2][16];
	size_t a, b;

	snprintf(name[0], sizeof(name[0]), "small.%d", _i);
	snprintf(name[1], sizeof(name[1]), "large.%d", _i);
	run_copy(_i, name[0], MIB, 0);
	before = copyjob_read("source.large", &a);
	run_copy(_i, name[1], 64 * MIB, 0);
	after = copyjob_read("source.large", &b);
	want(a == b);
	want_mem(before, after, a);
	small = copyjob_read(name[0], &a);
	large = copyjob_read(name[1], &b);
	want(a == b);
	want_mem(small, large, a);
	free(before);
	free(after);
	free(small);
	free(large);
	copyjob_try("rm '%s'", name[0]);
	copyjob_try("rm '%s'", name[1]);
}
END_TEST

/* A target whose journal is not used, because somebody said so. */
START_TEST(leaves_the_journal_alone)
{
	run_copy(_i ? TARGET_EXT3 : TARGET_BUSY, "plain", 64 * MIB, 1);
}
END_TEST

/* ---- progress that is noted ---- */

#define NOTED_EVERY 5		/* seconds */

/* A second passes whenever somebody looks at the clock: the writer does after each write. */
static double look_at_clock(void *priv)
{
	return ++*(unsigned int *) priv;
}

/* A note is the only write of its size. */
static int is_note(const struct io_log_entry *e)
{
	return e->op == IO_LOG_WRITE && e->bytes == BFO_RECORD_SECTOR;
}

/* Every five seconds the record says how much has come, and all that was flushed before. */
START_TEST(notes_progress_every_five_seconds)
{
	unsigned int seconds = 0, writes = 0, notes = 0;
	const struct bfo_timer timer = { .now = look_at_clock, .priv = &seconds };
	enum io_log_op last = IO_LOG_OPEN;
	struct copyjob j;
	size_t i;

	io_log_reset();
	copyjob_open(&j, SOURCE_LARGE, TARGET_EXT3, "noted");
	j.ctx.timer = &timer;
	j.job.config.memory = MIB;
	copyjob_plan(&j);
	i = io_log_count();
	want_ok(copyjob_commit(&j));
	for (; i < io_log_count(); i++) {
		const struct io_log_entry *e = io_log_entry(i);

		if (e->name != j.target_name)
			continue;
		if (is_note(e)) {
			want(notes++ ? writes == NOTED_EVERY : writes > NOTED_EVERY);
			want_eq(last, IO_LOG_FLUSH);
			writes = 0;
		} else {
			writes += e->op == IO_LOG_WRITE;
		}
		last = e->op;
	}
	want(notes > 2);
	copyjob_close(&j);
	io_log_reset();
	copyjob_try("rm '%s'", "noted");
}
END_TEST

Suite *commit_suite(void)
{
	Suite *s = suite_create("commit");

	unit_case(s, "reads_and_writes_once", reads_and_writes_once, TARGET_KINDS);
	unit_case(s, "leaves_the_journal_alone", leaves_the_journal_alone, 2);
	unit_case(s, "notes_progress_every_five_seconds", notes_progress_every_five_seconds, 0);
	return s;
}
