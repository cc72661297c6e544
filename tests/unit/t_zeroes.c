// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_zeroes.c - gather/zeroes: which blocks become holes, of a source that is an array
 *
 * A disk of BLOCKS blocks of 1 KiB; marks[] says what each has: zeroes, one byte that is none, or
 * that it cannot be read.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2_fs.h>

#include "gather/zeroes.h"
#include "tree/access.h"
#include "made.h"

#define BS 1024U
#define BLOCKS 4096U

enum mark { ZERO, FIRST_BYTE, LAST_BYTE, BYTE_100, UNREAD };

struct disk {
	struct bfo_source source;	/* first */
	uint8_t marks[BLOCKS];
	uint32_t reads[BLOCKS];		/* how often */
	errcode_t fails;
};

/* Block BLK of NODE, its AT-th, goes to SINK. */
static errcode_t read_block(struct disk *d, const struct bfo_node *node, uint32_t at,
			    const struct bfo_sink *sink)
{
	uint64_t blk = bfo_node_blk(node) + at;
	char data[BS] = { 0 };

	want(blk < BLOCKS);
	d->reads[blk]++;
	switch (d->marks[blk]) {
	case FIRST_BYTE:
		data[0] = 1;
		break;
	case LAST_BYTE:
		data[BS - 1] = 1;
		break;
	case BYTE_100:
		data[100] = 1;
		break;
	case UNREAD:
		return sink->lost(sink->priv, node, at, 1);
	}
	return sink->take(sink->priv, node, at, 1, data);
}

static errcode_t read_nodes(struct bfo_source *s, const struct bfo_node *nodes, size_t n,
			    const struct bfo_sink *sink)
{
	struct disk *d = (struct disk *) s;
	errcode_t err = d->fails;
	uint32_t at;
	size_t i;

	for (i = 0; i < n; i++) {
		want(!i || bfo_node_blk(&nodes[i - 1]) <= bfo_node_blk(&nodes[i]));
		for (at = 0; at < nodes[i].len && !err; at++)
			err = read_block(d, &nodes[i], at, sink);
	}
	return err;
}

static const struct bfo_source_ops ops = { .read = read_nodes };

struct zeroes {
	struct made m;
	struct disk disk;
};

static struct zeroes *begin(void)
{
	struct zeroes *z = unit_alloc(sizeof(*z));

	made_init(&z->m);
	z->m.tree.block_size = z->m.target.block_size = BS;
	z->disk.source = (struct bfo_source) { .ops = &ops, .ctx = &z->m.ctx, .block_size = BS };
	made_inode(&z->m, EXT2_ROOT_INO, S_IFDIR | 0755);
	return z;
}

static void drop(struct zeroes *z, uint32_t unit)
{
	made_seal(&z->m);
	want_ok(bfo_zeroes_drop(&z->disk.source, &z->m.tree, unit));
}

static void end(struct zeroes *z)
{
	made_free(&z->m);
	free(z);
}

static void mark(struct zeroes *z, uint64_t blk, uint32_t len, enum mark mark)
{
	memset(z->disk.marks + blk, mark, len);
}

/* Inode INO has these segments, N triples of blk, lblk, len, and no others. */
static void want_segs(struct zeroes *z, uint32_t ino, const uint32_t (*segs)[3], uint32_t n)
{
	const struct bfo_inode *rec = made_rec(&z->m, ino);
	uint32_t i;

	want_eq(bfo_seg_count(&z->m.tree, rec), n);
	for (i = 0; i < n; i++) {
		const struct bfo_seg *seg = bfo_seg_of(&z->m.tree, rec, i);

		want_eq(seg->blk, segs[i][0]);
		want_eq(seg->lblk, segs[i][1]);
		want_eq(seg->len, segs[i][2]);
	}
}

#define WANT(z, ino, ...) \
	do { \
		static const uint32_t want_list[][3] = { __VA_ARGS__ }; \
		want_segs(z, ino, want_list, sizeof(want_list) / sizeof(*want_list)); \
	} while (0)

START_TEST(blocks_of_zeroes_go)
{
	struct zeroes *z = begin();

	made_file(&z->m, 12, 100, 6);
	made_file(&z->m, 13, 200, 3);
	made_file(&z->m, 14, 300, 2);
	mark(z, 101, 2, FIRST_BYTE);
	mark(z, 105, 1, LAST_BYTE);
	mark(z, 300, 2, BYTE_100);
	drop(z, BS);
	WANT(z, 12, { 101, 1, 2 }, { 105, 5, 1 });
	want_segs(z, 13, NULL, 0);
	WANT(z, 14, { 300, 0, 2 });
	want_eq(made_rec(&z->m, 13)->size, 3 * BS);
	want_eq(z->disk.reads[100], 1);
	end(z);
}
END_TEST

START_TEST(units_that_are_larger)
{
	struct zeroes *z = begin();

	made_file(&z->m, 12, 100, 10);		/* units of 4: 4, 4, 2 */
	mark(z, 106, 1, FIRST_BYTE);
	made_inode(&z->m, 13, S_IFREG | 0644);	/* | hole, 3 zeroes | zero, hole, data, hole | */
	made_seg(&z->m, 200, 1, 4);
	made_seg(&z->m, 210, 6, 1);
	mark(z, 210, 1, FIRST_BYTE);
	made_file(&z->m, 14, 300, 4);		/* of two units of two files */
	mark(z, 300, 1, FIRST_BYTE);
	drop(z, 4 * BS);
	WANT(z, 12, { 104, 4, 4 });
	WANT(z, 13, { 203, 4, 1 }, { 210, 6, 1 });
	WANT(z, 14, { 300, 0, 4 });
	end(z);
}
END_TEST

START_TEST(a_unit_that_is_smaller_is_a_block)
{
	struct zeroes *z = begin();

	made_file(&z->m, 12, 100, 2);
	mark(z, 101, 1, LAST_BYTE);
	drop(z, BS / 2);
	WANT(z, 12, { 101, 1, 1 });
	end(z);
}
END_TEST

START_TEST(segments_join_where_they_can)
{
	struct zeroes *z = begin();

	made_inode(&z->m, 12, S_IFREG | 0644);
	made_seg(&z->m, 100, 0, 2);
	made_seg(&z->m, 102, 2, 2);		/* goes on */
	made_seg(&z->m, 110, 4, 1);		/* elsewhere */
	made_seg(&z->m, 111, 6, 1);		/* behind a hole */
	mark(z, 100, 12, FIRST_BYTE);
	made_file(&z->m, 13, 112, 1);		/* another file */
	mark(z, 112, 1, FIRST_BYTE);
	drop(z, BS);
	WANT(z, 12, { 100, 0, 4 }, { 110, 4, 1 }, { 111, 6, 1 });
	WANT(z, 13, { 112, 0, 1 });
	end(z);
}
END_TEST

START_TEST(the_end_of_a_file)
{
	struct zeroes *z = begin();

	made_file(&z->m, 12, 100, 2);
	made_rec(&z->m, 12)->size = BS + 100;	/* a byte stands behind it */
	mark(z, 101, 1, BYTE_100);
	made_file(&z->m, 13, 110, 2);
	made_rec(&z->m, 13)->size = BS + 101;	/* it is the last one */
	mark(z, 111, 1, BYTE_100);
	made_file(&z->m, 14, 120, 4);		/* blocks behind the end are nothing */
	made_rec(&z->m, 14)->size = 2 * BS;
	mark(z, 120, 4, FIRST_BYTE);
	made_file(&z->m, 15, 130, 2);		/* even if it ends with nothing */
	made_rec(&z->m, 15)->size = 0;
	mark(z, 130, 2, FIRST_BYTE);
	drop(z, BS);
	want_segs(z, 12, NULL, 0);
	WANT(z, 13, { 111, 1, 1 });
	WANT(z, 14, { 120, 0, 2 });
	want_segs(z, 15, NULL, 0);
	want(!z->disk.reads[122] && !z->disk.reads[130]);
	end(z);
}
END_TEST

START_TEST(what_is_not_looked_at)
{
	struct zeroes *z = begin();
	bfo_row row;

	made_inode(&z->m, 12, S_IFREG | 0644);	/* preallocated, data, preallocated */
	made_seg(&z->m, 100 | BFO_SEG_UNWRITTEN, 0, 2);
	made_seg(&z->m, 102, 2, 1);
	made_seg(&z->m, 103 | BFO_SEG_UNWRITTEN, 3, 2);
	mark(z, 100, 5, FIRST_BYTE);
	made_inode(&z->m, 13, S_IFLNK | 0777);
	made_seg(&z->m, 200, 0, 1);
	row = made_file(&z->m, 14, 210, 2);
	z->m.tree.inodes.v[row].flags = EXT4_EA_INODE_FL;
	row = made_file(&z->m, 15, 220, 2);
	z->m.tree.inodes.v[row].flags = EXT4_ENCRYPT_FL;
	row = made_file(&z->m, 16, 230, 2);
	z->m.tree.inodes.v[row].state = BFO_INODE_BAD;
	drop(z, BS);
	WANT(z, 12, { 102, 2, 1 });
	WANT(z, 13, { 200, 0, 1 });
	WANT(z, 14, { 210, 0, 2 });
	WANT(z, 15, { 220, 0, 2 });
	WANT(z, 16, { 230, 0, 2 });
	want(!z->disk.reads[100] && !z->disk.reads[200] && !z->disk.reads[210]);
	end(z);
}
END_TEST

START_TEST(what_cannot_be_read_stays)
{
	struct zeroes *z = begin();

	made_file(&z->m, 12, 100, 4);
	mark(z, 102, 1, UNREAD);
	drop(z, BS);
	WANT(z, 12, { 102, 2, 1 });
	end(z);
}
END_TEST

START_TEST(failures)
{
	struct zeroes *z = begin();
	volatile sig_atomic_t cancel = 1;

	made_file(&z->m, 12, 100, 4);
	made_seal(&z->m);
	z->disk.fails = EIO;
	want_err(bfo_zeroes_drop(&z->disk.source, &z->m.tree, BS), EIO);
	WANT(z, 12, { 100, 0, 4 });
	z->disk.fails = 0;
	z->m.ctx.cancel = &cancel;
	want_err(bfo_zeroes_drop(&z->disk.source, &z->m.tree, BS), BFO_ET_CANCELLED);
	WANT(z, 12, { 100, 0, 4 });
	end(z);
}
END_TEST

/* ---- by chance, against a table of what each block of a file has ---- */

#define FILES 12
#define LONGEST 64U

struct model {
	uint32_t blk[LONGEST];		/* 0: a hole */
	uint32_t size;			/* bytes */
};

static struct model make_file(struct zeroes *z, struct chance *c, uint32_t ino, uint32_t *next)
{
	struct model file = { .size = 0 };
	uint32_t lblk = 0, len, i;
	bfo_row row = made_inode(&z->m, ino, S_IFREG | 0644);

	while ((lblk += chance_below(c, 3)) < LONGEST - 8) {
		len = chance_between(c, 1, 6);
		*next += chance_below(c, 2);
		for (i = 0; i < len; i++) {
			file.blk[lblk + i] = *next + i;
			mark(z, *next + i, 1, chance_below(c, 3) ? ZERO : FIRST_BYTE);
		}
		made_seg(&z->m, *next, lblk, len);
		*next += len;
		lblk += len;
	}
	file.size = (lblk - chance_below(c, 2)) * BS - chance_below(c, BS);
	z->m.tree.inodes.v[row].size = file.size;
	return file;
}

/* Is the unit of RATIO blocks that has block LBLK to stay? */
static int stays(const struct zeroes *z, const struct model *file, uint32_t ratio, uint32_t lblk)
{
	uint32_t i;

	for (i = lblk / ratio * ratio; i < lblk / ratio * ratio + ratio && i < LONGEST; i++)
		if (file->blk[i] && z->disk.marks[file->blk[i]] == FIRST_BYTE &&
		    i * BS < file->size)
			return 1;
	return 0;
}

static void want_model(struct zeroes *z, uint32_t ino, const struct model *file, uint32_t ratio)
{
	const struct bfo_inode *rec = made_rec(&z->m, ino);
	uint32_t now[LONGEST] = { 0 }, i, k;

	for (k = 0; k < bfo_seg_count(&z->m.tree, rec); k++) {
		const struct bfo_seg *seg = bfo_seg_of(&z->m.tree, rec, k);

		for (i = 0; i < seg->len; i++)
			now[seg->lblk + i] = seg->blk + i;
	}
	for (i = 0; i < LONGEST; i++)
		want_eq(now[i], stays(z, file, ratio, i) ? file->blk[i] : 0);
}

START_TEST(by_chance)
{
	struct zeroes *z = begin();
	struct model files[FILES];
	struct chance c;
	uint32_t next = 10, ratio = 1U << _i % 4, i;

	chance_init(&c, _i);
	for (i = 0; i < FILES; i++)
		files[i] = make_file(z, &c, 12 + i, &next);
	drop(z, ratio * BS);
	for (i = 0; i < FILES; i++)
		want_model(z, 12 + i, &files[i], ratio);
	end(z);
}
END_TEST

Suite *zeroes_suite(void)
{
	Suite *s = suite_create("zeroes");

	unit_case(s, "blocks of zeroes go", blocks_of_zeroes_go, 0);
	unit_case(s, "units that are larger", units_that_are_larger, 0);
	unit_case(s, "a unit that is smaller is a block", a_unit_that_is_smaller_is_a_block, 0);
	unit_case(s, "segments join where they can", segments_join_where_they_can, 0);
	unit_case(s, "the end of a file", the_end_of_a_file, 0);
	unit_case(s, "what is not looked at", what_is_not_looked_at, 0);
	unit_case(s, "what cannot be read stays", what_cannot_be_read_stays, 0);
	unit_case(s, "failures", failures, 0);
	unit_case(s, "by chance", by_chance, 40);
	return s;
}
