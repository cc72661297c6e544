// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_reread.c - commit/reread: what reads back as it was written passes, one changed bit does not
 *
 * The volume is a real file, opened as a target; bits change behind the writer's back.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commit/reread.h"
#include "volume/open.h"
#include "unit.h"

#define FIRST 200U			/* block; free in a fresh filesystem of this size */

struct reread {
	struct bfo_context ctx;
	struct bfo_writer w;
	char *path;
};

/* _i: 1k or 4k blocks; also some bytes into the file. */
static void start(struct reread *r, int shape)
{
	uint32_t bs = shape % 2 ? 4096 : 1024;
	uint64_t offset = shape / 2 * 1048576;
	struct bfo_volume *vol = NULL;
	char command[512], spec[512];

	memset(r, 0, sizeof(*r));
	r->path = unit_path("reread.img");
	snprintf(command, sizeof(command), "rm -f '%s' && truncate -s 16M '%s' && "
		 "PATH=\"$PATH:/usr/sbin:/sbin\" mke2fs -q -F -t ext4 -O ^has_journal -b %u "
		 "-E offset=%llu '%s' %u", r->path, r->path, bs, (unsigned long long) offset,
		 r->path, 8 * 1048576 / bs);
	want(!system(command));
	snprintf(spec, sizeof(spec), "%s?offset=%llu", r->path, (unsigned long long) offset);
	want_ok(bfo_volume_open(&r->ctx, spec, BFO_OPEN_TARGET, NULL, &vol));
	want_ok(bfo_writer_open(&r->w, &r->ctx, vol, NULL));
	r->w.keep_sums = 1;
}

/* Writes N pieces of 1 to 30 blocks, not in ascending order. */
static void write_pieces(struct reread *r, struct chance *c, uint32_t n)
{
	uint32_t bs = r->w.vol->block_size, i, count;
	char *data = unit_alloc(30 * bs);

	for (i = 0; i < n; i++) {
		count = chance_between(c, 1, 30);
		chance_fill(c, data, (size_t) count * bs);
		want_ok(bfo_writer_write(&r->w, FIRST + (n - 1 - i) * 30, count, data));
	}
	want_ok(bfo_writer_flush(&r->w));
	free(data);
}

static void flip(const struct reread *r, uint64_t at)
{
	int fd = open(r->path, O_RDWR);
	char byte;

	want(fd >= 0);
	want_eq(pread(fd, &byte, 1, r->w.vol->offset + at), 1);
	byte ^= 4;
	want_eq(pwrite(fd, &byte, 1, r->w.vol->offset + at), 1);
	want(!fsync(fd) && !close(fd));
}

static void finish(struct reread *r)
{
	want_ok(bfo_writer_close(&r->w));
	bfo_volume_close(r->w.vol);
	free(r->path);
}

START_TEST(passes_what_is_there)
{
	struct reread r;
	struct chance c;

	chance_init(&c, 7100 + _i);
	start(&r, _i);
	write_pieces(&r, &c, 20);
	want_ok(bfo_reread(&r.w));
	want_eq(r.w.sums.n, 0);
	finish(&r);
}
END_TEST

START_TEST(finds_one_bit)
{
	uint32_t trial, bs;
	struct reread r;
	struct chance c;

	chance_init(&c, 7200 + _i);
	start(&r, _i);
	bs = r.w.vol->block_size;
	for (trial = 0; trial < 10; trial++) {
		uint64_t blk;
		char where[64];

		write_pieces(&r, &c, 5);
		blk = r.w.sums.v[trial % 5].blk;
		flip(&r, (blk + chance_below(&c, r.w.sums.v[trial % 5].count)) * bs +
		     chance_below(&c, bs));
		want_err(bfo_reread(&r.w), BFO_ET_REREAD);
		snprintf(where, sizeof(where), "from block %llu on", (unsigned long long) blk);
		want(strstr(r.ctx.what, where));
	}
	finish(&r);
}
END_TEST

START_TEST(minds_its_own_blocks)
{
	struct reread r;
	struct chance c;

	chance_init(&c, 7300 + _i);
	start(&r, _i);
	write_pieces(&r, &c, 5);
	flip(&r, (uint64_t) (FIRST - 1) * r.w.vol->block_size);
	flip(&r, (uint64_t) (FIRST + 5 * 30) * r.w.vol->block_size);
	want_ok(bfo_reread(&r.w));
	finish(&r);
}
END_TEST

Suite *reread_suite(void)
{
	Suite *s = suite_create("reread");

	unit_case(s, "passes_what_is_there", passes_what_is_there, 4);
	unit_case(s, "finds_one_bit", finds_one_bit, 4);
	unit_case(s, "minds_its_own_blocks", minds_its_own_blocks, 4);
	return s;
}
