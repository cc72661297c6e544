// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_inode_image.c - plan/inode_image: what changes in an inode, and that nothing else does
 *
 * Every field the image may change is named here; a random inode goes in, the fields are put
 * back, and what is left must be the same bytes.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "fakefs.h"
#include "made.h"
#include "plan/inode_image.h"

#define NEW_INO 4711
#define ROOM 1024		/* largest inode, and what lies behind it */

/* One inode on its way: record 0 of a made tree. */
struct row {
	struct made m;
	struct bfo_inode *rec;
	union {
		uint8_t bytes[ROOM];
		struct ext2_inode_large raw;
	} before, after;
	struct bfo_inode_scratch scratch;
};

static void start(struct row *t, struct chance *c, uint16_t mode)
{
	memset(t, 0, sizeof(*t));
	made_init(&t->m);
	made_inode(&t->m, 20, mode);
	t->rec = &t->m.tree.inodes.v[0];
	t->rec->new_ino = NEW_INO;
	t->rec->links = 3;
	bfo_plan_init(&t->m.plan, &t->m.ctx, &t->m.tree, &t->m.target);
	t->m.planned = 1;
	t->m.plan.now = 1700000000;
	want_ok(bfo_vec_push(&t->m.plan.stem, (struct bfo_stem_run) { .blk = 1ULL << 33,
			     .len = 1ULL << 40 }));
	chance_fill(c, &t->before, sizeof(t->before));
	t->before.raw.i_mode = mode;
	t->before.raw.i_faddr = 0;	/* does not survive; e2fsck wants it so */
	t->before.raw.i_extra_isize = 32;
	t->before.raw.i_flags = EXT4_EXTENTS_FL | EXT2_NOATIME_FL | EXT2_NODUMP_FL;
}

static void make(struct row *t)
{
	t->after = t->before;
	if (!(t->rec->state & BFO_INODE_MADE))
		t->rec->flags = t->before.raw.i_flags;	/* as they were gathered */
	want_ok(bfo_inode_image(&t->m.plan, 0, &t->after, &t->scratch));
}

static void finish(struct row *t)
{
	bfo_inode_scratch_free(&t->scratch);
	made_free(&t->m);
}

static void want_checksum(struct row *t)
{
	ext2_filsys fs = fakefs_make(&t->m.target, 0);

	want(ext2fs_inode_csum_verify(fs, NEW_INO, &t->after.raw));
	t->after.bytes[t->m.target.inode_size - 1] ^= 1;
	want(!t->m.target.has_csum || !ext2fs_inode_csum_verify(fs, NEW_INO, &t->after.raw));
	t->after.bytes[t->m.target.inode_size - 1] ^= 1;
	fakefs_free(fs);
}

static void put_back(struct row *t, size_t at, size_t len)
{
	memcpy(t->after.bytes + at, t->before.bytes + at, len);
}

#define FIELD(name) \
	offsetof(struct ext2_inode_large, name), sizeof(((struct ext2_inode_large *) 0)->name)

/* Apart from the fields that speak of places, and those from byte EXTRA on: the same bytes. */
static void want_kept(struct row *t)
{
	put_back(t, FIELD(i_links_count));
	put_back(t, FIELD(i_blocks));
	put_back(t, FIELD(osd2.linux2.l_i_blocks_hi));
	put_back(t, FIELD(i_file_acl));
	put_back(t, FIELD(osd2.linux2.l_i_file_acl_high));
	put_back(t, FIELD(osd2.linux2.l_i_checksum_lo));
	put_back(t, FIELD(i_dtime));
	put_back(t, FIELD(i_block));
	put_back(t, FIELD(i_flags));
	if (t->m.target.inode_size > 128 && t->before.raw.i_extra_isize >= 4)
		put_back(t, FIELD(i_checksum_hi));
	want_mem(t->after.bytes, t->before.bytes, ROOM);
}

/* _i: size of the inode, extra fields, checksums. */
START_TEST(keeps_everything_else)
{
	static const struct { uint32_t size, extra; } shapes[] = {
		{ 128, 0 }, { 256, 32 }, { 256, 28 }, { 256, 4 }, { 256, 0 }, { 512, 32 },
	};
	struct row t;
	struct chance c;

	chance_init(&c, 6000 + _i);
	start(&t, &c, S_IFREG | 04755);
	t.m.target.inode_size = shapes[_i / 2].size;
	t.m.target.has_csum = _i % 2;
	if (t.m.target.inode_size > 128)
		t.before.raw.i_extra_isize = shapes[_i / 2].extra;
	made_seg(&t.m, 1000, 0, 10);
	made_seg(&t.m, 3000, 20, 5);
	make(&t);
	want_eq(t.after.raw.i_links_count, 3);
	want_eq(t.after.raw.i_blocks, 15 * 8);
	want_eq(t.after.raw.i_flags, t.before.raw.i_flags);
	want_eq(t.after.raw.i_dtime, 0);
	want_eq(t.after.raw.i_file_acl, 0);
	want_checksum(&t);
	want_kept(&t);
	finish(&t);
}
END_TEST

START_TEST(maps_blocks)
{
	struct ext3_extent_header *eh;
	struct row t;
	struct chance c;
	uint32_t i;

	chance_init(&c, 6100);
	start(&t, &c, S_IFREG | 0644);
	for (i = 0; i < 4; i++)
		made_seg(&t.m, 1000 * i, 20 * i, 5);
	t.before.raw.i_flags &= ~EXT4_EXTENTS_FL;	/* it came from an ext3 */
	make(&t);
	eh = (void *) t.after.raw.i_block;
	want(eh->eh_magic == 0xf30a && eh->eh_entries == 4 && eh->eh_depth == 0);
	want_eq(t.after.raw.i_blocks, 20 * 8);
	want(t.after.raw.i_flags & EXT4_EXTENTS_FL);
	made_seg(&t.m, 9000, 100, 5);		/* one too many for the inode */
	want_ok(bfo_vec_push(&t.m.plan.trees, (struct bfo_map_tree) { .blocks = 1, .extents = 5,
			     .stem = 555 }));
	make(&t);
	want(eh->eh_entries == 1 && eh->eh_depth == 1);
	want_eq(t.after.raw.i_blocks, (25 + 1) * 8);
	want_eq(t.after.raw.i_block[4], 555);	/* ei_leaf, low half */
	want_checksum(&t);
	finish(&t);
}
END_TEST

START_TEST(refers_to_attributes)
{
	struct row t;
	struct chance c;

	chance_init(&c, 6200);
	start(&t, &c, S_IFREG | 0644);
	t.rec->ea = made_ea(&t.m, 99);
	t.m.tree.eas.v[0].stem = 0x456;
	make(&t);
	want_eq(t.after.raw.i_file_acl, 0x456);
	want_eq(t.after.raw.osd2.linux2.l_i_file_acl_high, 2);	/* the stem is at 2^33 */
	want_eq(t.after.raw.i_blocks, 8);
	want_checksum(&t);
	finish(&t);
}
END_TEST

/* Devices, fifos, sockets and short symbolic links have something else where files have maps. */
START_TEST(keeps_what_is_no_map)
{
	static const uint16_t modes[] = { S_IFCHR, S_IFBLK, S_IFIFO, S_IFSOCK, S_IFLNK };
	struct row t;
	struct chance c;

	chance_init(&c, 6300 + _i);
	start(&t, &c, modes[_i] | 0600);
	if (_i == 4)
		t.rec->state |= BFO_INODE_FAST;
	t.before.raw.i_flags &= ~EXT4_EXTENTS_FL;
	make(&t);
	want_mem(t.after.raw.i_block, t.before.raw.i_block, 60);
	want_eq(t.after.raw.i_flags, t.before.raw.i_flags);
	want_eq(t.after.raw.i_blocks, 0);
	want_checksum(&t);
	want_kept(&t);
	finish(&t);
}
END_TEST

/* Long ones have a block. */
START_TEST(maps_long_symlinks)
{
	struct row t;
	struct chance c;

	chance_init(&c, 6400);
	start(&t, &c, S_IFLNK | 0777);
	made_seg(&t.m, 1000, 0, 1);
	make(&t);
	want_eq(t.after.raw.i_blocks, 8);
	want_eq(t.after.raw.i_block[0] & 0xffff, 0xf30a);
	finish(&t);
}
END_TEST

/*
 * In sectors, of which the upper half has a field of its own; no file has so many that they are
 * counted in blocks (EXT4_HUGE_FILE_FL).
 */
START_TEST(counts_blocks)
{
	struct row t;
	struct chance c;
	uint64_t n;

	chance_init(&c, 6500);
	start(&t, &c, S_IFREG | 0644);
	made_seg(&t.m, 7 | BFO_SEG_UNWRITTEN, 0, 1);
	t.m.target.block_size = t.m.tree.block_size = 65536;	/* 128 sectors */
	n = (1ULL << 32) / 128;
	want_ok(bfo_vec_push(&t.m.plan.trees, (struct bfo_map_tree) { .blocks = 1 }));
	t.before.raw.i_flags |= EXT4_HUGE_FILE_FL;
	for (t.m.target.has_huge_file = 0; t.m.target.has_huge_file < 2;
	     t.m.target.has_huge_file++) {
		t.m.tree.segs.v[0].len = n - 2;			/* and a block of the tree */
		t.m.plan.trees.v[0].extents = (n - 2 + 32766) / 32767;
		make(&t);
		want_eq(t.after.raw.i_blocks, (n - 1) * 128);
		want_eq(t.after.raw.osd2.linux2.l_i_blocks_hi, 0);
		want(!(t.after.raw.i_flags & EXT4_HUGE_FILE_FL));
		t.m.tree.segs.v[0].len = n - 1;
		t.after = t.before;
		want_err(bfo_inode_image(&t.m.plan, 0, &t.after, &t.scratch),
			 t.m.target.has_huge_file ? 0 : BFO_ET_FILE_TOO_BIG);
	}
	want_eq(t.after.raw.i_blocks, 0);
	want_eq(t.after.raw.osd2.linux2.l_i_blocks_hi, 1);
	want(!(t.after.raw.i_flags & EXT4_HUGE_FILE_FL));
	finish(&t);
}
END_TEST

START_TEST(shapes_directories)
{
	struct row t;
	struct chance c;

	chance_init(&c, 6700 + _i);
	start(&t, &c, S_IFDIR | 01777);
	t.rec->size = 3 * 4096;
	t.rec->links = 7;
	t.before.raw.i_flags |= _i ? 0 : EXT2_INDEX_FL;
	t.rec->state |= _i ? BFO_INODE_INDEX : 0;
	make(&t);
	want_eq(t.after.raw.i_size, 3 * 4096);
	want_eq(t.after.raw.i_size_high, 0);
	want_eq(!!(t.after.raw.i_flags & EXT2_INDEX_FL), _i);
	want_eq(t.after.raw.i_links_count, 2 + 7);
	want_eq(t.after.raw.i_blocks, 24);
	want_checksum(&t);
	put_back(&t, FIELD(i_size));
	put_back(&t, FIELD(i_size_high));
	want_kept(&t);
	finish(&t);
}
END_TEST

/* The seconds that FIELD and its extra bits say (inodes.rst). */
static int64_t seconds(uint32_t field, uint32_t extra)
{
	return (int64_t) (int32_t) field + ((int64_t) (extra & 3) << 32);
}

static const int64_t times[] = { 0, 1700000000, 2147483647, 2147483648, 4294967295, 4294967296,
				 6442450943, 6442450944, 15032385535, -1, -2147483648LL };

/* A directory of the target that gained names: as after link(2). */
START_TEST(notes_the_change)
{
	struct row t;
	struct chance c;

	chance_init(&c, 6800 + _i);
	start(&t, &c, S_IFDIR | 0755);
	t.rec->state |= BFO_INODE_EXISTS | BFO_INODE_KEEP;
	t.rec->size = 4096;
	want_ok(bfo_vec_push(&t.m.plan.merged, (struct bfo_merged) { .ino = NEW_INO, .gained = 1,
			     .links = 5 }));
	t.m.plan.now = times[_i];
	t.before.raw.osd1.linux1.l_i_version = _i % 2 ? 0xffffffff : 77;
	t.before.raw.i_version_hi = 9;
	make(&t);
	want_eq(seconds(t.after.raw.i_ctime, t.after.raw.i_ctime_extra), times[_i]);
	want_eq(seconds(t.after.raw.i_mtime, t.after.raw.i_mtime_extra), times[_i]);
	want_eq(t.after.raw.osd1.linux1.l_i_version, _i % 2 ? 0 : 78);
	want_eq(t.after.raw.i_version_hi, _i % 2 ? 10 : 9);
	want_eq(t.after.raw.i_links_count, 5 + 3);
	want_eq(t.after.raw.i_file_acl, t.before.raw.i_file_acl);
	want_eq(t.after.raw.i_dtime, t.before.raw.i_dtime);
	want_eq(t.after.raw.i_blocks, 16);	/* its own attribute block is one of them */
	want_checksum(&t);
	put_back(&t, FIELD(i_ctime));
	put_back(&t, FIELD(i_ctime_extra));
	put_back(&t, FIELD(i_mtime));
	put_back(&t, FIELD(i_mtime_extra));
	put_back(&t, FIELD(osd1.linux1.l_i_version));
	put_back(&t, FIELD(i_version_hi));
	put_back(&t, FIELD(i_size));
	put_back(&t, FIELD(i_size_high));
	want_kept(&t);
	finish(&t);
}
END_TEST

/* What a record's type cannot have is not in it, and does not come along in the raw inode. */
START_TEST(drops_what_the_record_lacks)
{
	struct row t;
	struct chance c;

	chance_init(&c, 6950);
	start(&t, &c, S_IFCHR | 0600);
	t.rec->flags = EXT2_NOATIME_FL;
	t.after = t.before;
	t.after.raw.i_flags = EXT2_NOATIME_FL | EXT4_EA_INODE_FL;
	want_ok(bfo_inode_image(&t.m.plan, 0, &t.after, &t.scratch));
	want_eq(t.after.raw.i_flags, EXT2_NOATIME_FL);
	finish(&t);
}
END_TEST

/* What --to makes: nothing of what was in the buffer stays. */
START_TEST(makes_directories)
{
	uint32_t size = _i ? 256 : 128;
	struct row t;
	struct chance c;

	chance_init(&c, 6900 + _i);
	start(&t, &c, S_IFDIR | 0755);
	t.rec->state |= BFO_INODE_MADE;
	t.rec->generation = 0;
	t.rec->size = 4096;
	t.m.target.inode_size = size;
	t.m.plan.now = 6442450944;
	make(&t);
	want_eq(t.after.raw.i_mode, S_IFDIR | 0755);
	want_eq(t.after.raw.i_flags, EXT4_EXTENTS_FL);
	want(!t.after.raw.i_uid && !t.after.raw.i_generation && !t.after.raw.i_dtime);
	want_mem(t.after.bytes + size, t.before.bytes + size, ROOM - size);
	if (_i) {
		want_eq(t.after.raw.i_extra_isize, 32);
		want_eq(seconds(t.after.raw.i_atime, t.after.raw.i_atime_extra), 6442450944);
		want_eq(seconds(t.after.raw.i_ctime, t.after.raw.i_ctime_extra), 6442450944);
		want_eq(seconds(t.after.raw.i_mtime, t.after.raw.i_mtime_extra), 6442450944);
		want_eq(seconds(t.after.raw.i_crtime, t.after.raw.i_crtime_extra), 6442450944);
	}
	want_checksum(&t);
	finish(&t);
}
END_TEST

/* Damaged attributes behind the extra fields go, the fields stay; and what only files have. */
START_TEST(drops_what_is_damaged)
{
	static const uint8_t zeroes[ROOM];
	struct row t;
	struct chance c;

	chance_init(&c, 7000);
	start(&t, &c, S_IFREG | 0644);
	t.rec->state |= BFO_INODE_NO_XATTR;
	make(&t);
	want_mem(t.after.bytes + 160, zeroes, 256 - 160);
	want_checksum(&t);
	memcpy(t.after.bytes + 160, t.before.bytes + 160, 256 - 160);
	want_kept(&t);
	finish(&t);

	start(&t, &c, S_IFIFO | 0644);
	t.rec->state |= BFO_INODE_STRIP;
	t.before.raw.i_flags |= EXT2_IMMUTABLE_FL | EXT2_APPEND_FL;
	make(&t);
	want(!t.after.raw.i_size && !t.after.raw.i_size_high);
	want_eq(t.after.raw.i_flags, EXT2_NOATIME_FL | EXT2_NODUMP_FL);
	want_mem(t.after.raw.i_block + 4, zeroes, 60 - 16);
	want_checksum(&t);
	finish(&t);
}
END_TEST

Suite *inode_image_suite(void)
{
	Suite *s = suite_create("inode_image");

	unit_case(s, "keeps_everything_else", keeps_everything_else, 12);
	unit_case(s, "maps_blocks", maps_blocks, 0);
	unit_case(s, "refers_to_attributes", refers_to_attributes, 0);
	unit_case(s, "keeps_what_is_no_map", keeps_what_is_no_map, 5);
	unit_case(s, "maps_long_symlinks", maps_long_symlinks, 0);
	unit_case(s, "counts_blocks", counts_blocks, 0);
	unit_case(s, "shapes_directories", shapes_directories, 2);
	unit_case(s, "notes_the_change", notes_the_change, sizeof(times) / sizeof(times[0]));
	unit_case(s, "drops_what_the_record_lacks", drops_what_the_record_lacks, 1);
	unit_case(s, "makes_directories", makes_directories, 2);
	unit_case(s, "drops_what_is_damaged", drops_what_is_damaged, 0);
	return s;
}
