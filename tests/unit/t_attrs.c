// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_attrs.c - gather/attrs, compare/diff: every field by itself, layout ignored, inodes of
 * different sizes
 */
#include <string.h>
#include <sys/stat.h>
#include <ext2fs/ext2fs.h>

#include "compare/diff.h"
#include "unit.h"

#define SIZE 256

/* A regular file with something in every field that counts. */
static void make_raw(uint8_t raw[SIZE], uint16_t mode)
{
	struct ext2_inode_large *in = (void *) raw;
	struct chance c;

	chance_init(&c, 1);
	chance_fill(&c, raw, SIZE);
	in->i_mode = ext2fs_cpu_to_le16(mode);
	in->i_extra_isize = ext2fs_cpu_to_le16(32);
	in->i_flags = 0;
	in->i_block[0] = 0;		/* devices: the new form */
}

static uint32_t differ(const uint8_t *a, uint32_t a_size, const uint8_t *b, uint32_t b_size)
{
	struct bfo_attrs x, y;
	uint32_t bits;

	bfo_attrs_read(a, a_size, &x);
	bfo_attrs_read(b, b_size, &y);
	bits = bfo_attrs_compare(&x, &y);
	want_eq(bits, bfo_attrs_compare(&y, &x));
	return bits;
}

#define FIELD(name) offsetof(struct ext2_inode_large, name), \
		    sizeof(((struct ext2_inode_large *) 0)->name)

static const struct field {
	size_t at, len;
	int kind;		/* -1: not compared */
} fields[] = {
	{ FIELD(i_uid), BFO_DIFF_UID }, { FIELD(i_uid_high), BFO_DIFF_UID },
	{ FIELD(i_gid), BFO_DIFF_GID }, { FIELD(i_gid_high), BFO_DIFF_GID },
	{ FIELD(i_size), BFO_DIFF_SIZE }, { FIELD(i_size_high), BFO_DIFF_SIZE },
	{ FIELD(i_links_count), BFO_DIFF_NLINK }, { FIELD(i_generation), BFO_DIFF_GENERATION },
	{ FIELD(i_mtime), BFO_DIFF_MTIME }, { FIELD(i_mtime_extra), BFO_DIFF_MTIME },
	{ FIELD(i_atime), BFO_DIFF_ATIME }, { FIELD(i_atime_extra), BFO_DIFF_ATIME },
	{ FIELD(i_ctime), BFO_DIFF_CTIME }, { FIELD(i_ctime_extra), BFO_DIFF_CTIME },
	{ FIELD(i_crtime), BFO_DIFF_CRTIME }, { FIELD(i_crtime_extra), BFO_DIFF_CRTIME },
	{ FIELD(osd1.linux1.l_i_version), BFO_DIFF_VERSION },
	{ FIELD(i_version_hi), BFO_DIFF_VERSION }, { FIELD(i_projid), BFO_DIFF_PROJECT },
	{ FIELD(i_dtime), -1 }, { FIELD(i_blocks), -1 }, { FIELD(i_block), -1 },
	{ FIELD(i_file_acl), -1 }, { FIELD(i_faddr), -1 }, { FIELD(osd2), -1 },
	{ FIELD(i_checksum_hi), -1 },
};

/* Without uid_high and gid_high, which osd2 has among the others. */
static int is_compared(size_t byte)
{
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (fields[i].kind >= 0 && byte >= fields[i].at &&
		    byte < fields[i].at + fields[i].len)
			return 1;
	return 0;
}

/* Every bit of every field, and nothing else, makes a difference: exactly its own. */
START_TEST(tells_each_field)
{
	const struct field *f = &fields[_i];
	uint8_t a[SIZE], b[SIZE];
	size_t bit;

	make_raw(a, S_IFREG | 0644);
	for (bit = 0; bit < 8 * f->len; bit++) {
		memcpy(b, a, SIZE);
		b[f->at + bit / 8] ^= 1 << bit % 8;
		if (f->kind >= 0)
			want_eq(differ(a, SIZE, b, SIZE), BFO_DIFF_BIT(f->kind));
		else if (!is_compared(f->at + bit / 8))
			want_eq(differ(a, SIZE, b, SIZE), 0);
	}
}
END_TEST

START_TEST(tells_mode_and_type)
{
	uint8_t a[SIZE], b[SIZE];
	int bit;

	make_raw(a, S_IFREG | 0644);
	for (bit = 0; bit < 12; bit++) {
		make_raw(b, (S_IFREG | 0644) ^ 1 << bit);
		want_eq(differ(a, SIZE, b, SIZE), BFO_DIFF_BIT(BFO_DIFF_MODE));
	}
	make_raw(b, S_IFIFO | 0644);
	want_eq(differ(a, SIZE, b, SIZE), BFO_DIFF_BIT(BFO_DIFF_TYPE));
}
END_TEST

START_TEST(tells_flags_but_layout)
{
	const uint32_t layout = EXT4_EXTENTS_FL | EXT2_INDEX_FL | EXT4_HUGE_FILE_FL |
				EXT4_INLINE_DATA_FL | 0x00400000;
	uint8_t a[SIZE], b[SIZE];
	int bit;

	make_raw(a, S_IFREG | 0644);
	for (bit = 0; bit < 32; bit++) {
		memcpy(b, a, SIZE);
		((struct ext2_inode *) (void *) b)->i_flags = ext2fs_cpu_to_le32(1U << bit);
		want_eq(differ(a, SIZE, b, SIZE),
			layout & 1U << bit ? 0 : BFO_DIFF_BIT(BFO_DIFF_FLAGS));
	}
}
END_TEST

START_TEST(leaves_out_what_directories_follow_from)
{
	uint8_t a[SIZE], b[SIZE];
	struct ext2_inode *in = (void *) b;

	make_raw(a, S_IFDIR | 0755);
	make_raw(b, S_IFDIR | 0755);
	in->i_size ^= 4096;
	in->i_links_count ^= 1;
	want_eq(differ(a, SIZE, b, SIZE), 0);
}
END_TEST

START_TEST(reads_both_forms_of_devices)
{
	uint8_t a[SIZE], b[SIZE];
	struct ext2_inode *x = (void *) a, *y = (void *) b;
	struct bfo_attrs attrs;

	make_raw(a, S_IFBLK | 0600);
	make_raw(b, S_IFBLK | 0600);
	x->i_block[0] = 0;
	x->i_block[1] = ext2fs_cpu_to_le32(0x7 | 0x5 << 8);
	y->i_block[0] = ext2fs_cpu_to_le32(0x0507);
	want_eq(differ(a, SIZE, b, SIZE), 0);
	x->i_block[1] = ext2fs_cpu_to_le32(70000 % 256 | 300 << 8 | 70000 / 256 << 20);
	want_eq(differ(a, SIZE, b, SIZE), BFO_DIFF_BIT(BFO_DIFF_DEVICE));
	bfo_attrs_read(a, SIZE, &attrs);
	want(attrs.major == 300 && attrs.minor == 70000);
}
END_TEST

START_TEST(reads_times_of_34_bits)
{
	static const struct { uint32_t time, extra; int64_t sec; } times[] = {
		{ 0x80000000, 0, -0x80000000LL }, { 0xffffffff, 0, -1 }, { 0, 0, 0 },
		{ 0x7fffffff, 0, 0x7fffffff }, { 0x80000000, 1, 0x80000000LL },
		{ 0x7fffffff, 3, 0x37fffffffLL },
	};
	uint8_t raw[SIZE];
	struct ext2_inode_large *in = (void *) raw;
	struct bfo_attrs attrs;
	size_t i;

	make_raw(raw, S_IFREG | 0644);
	for (i = 0; i < sizeof(times) / sizeof(*times); i++) {
		in->i_atime = ext2fs_cpu_to_le32(times[i].time);
		in->i_atime_extra = ext2fs_cpu_to_le32(times[i].extra | 123456789U << 2);
		bfo_attrs_read(raw, SIZE, &attrs);
		want_eq(attrs.sec[BFO_ATIME], times[i].sec);
		want_eq(attrs.nsec[BFO_ATIME], 123456789);
	}
}
END_TEST

/* What a small inode cannot say is a difference only if there is something to be said. */
START_TEST(compares_inodes_of_different_sizes)
{
	uint8_t a[SIZE], b[SIZE];
	struct ext2_inode_large *in = (void *) a;

	make_raw(a, S_IFREG | 0644);
	memcpy(b, a, SIZE);
	want_eq(differ(b, 128, b, 128), 0);
	want_eq(differ(a, SIZE, b, 128),
		BFO_DIFF_BIT(BFO_DIFF_MTIME) | BFO_DIFF_BIT(BFO_DIFF_ATIME) |
		BFO_DIFF_BIT(BFO_DIFF_CTIME) | BFO_DIFF_BIT(BFO_DIFF_CRTIME) |
		BFO_DIFF_BIT(BFO_DIFF_VERSION) | BFO_DIFF_BIT(BFO_DIFF_PROJECT));
	in->i_mtime_extra = in->i_atime_extra = in->i_ctime_extra = 0;
	in->i_version_hi = in->i_projid = in->i_crtime = in->i_crtime_extra = 0;
	want_eq(differ(a, SIZE, b, 128), 0);
	in->i_crtime = ext2fs_cpu_to_le32(1);
	want_eq(differ(a, SIZE, b, 128), BFO_DIFF_BIT(BFO_DIFF_CRTIME));
	in->i_extra_isize = ext2fs_cpu_to_le16(16);	/* i_crtime is behind its end */
	want_eq(differ(a, SIZE, b, 128), 0);
}
END_TEST

Suite *attrs_suite(void)
{
	Suite *s = suite_create("attrs");

	unit_case(s, "tells_each_field", tells_each_field, sizeof(fields) / sizeof(*fields));
	unit_case(s, "tells_mode_and_type", tells_mode_and_type, 0);
	unit_case(s, "tells_flags_but_layout", tells_flags_but_layout, 0);
	unit_case(s, "leaves_out_what_directories_follow_from",
		  leaves_out_what_directories_follow_from, 0);
	unit_case(s, "reads_both_forms_of_devices", reads_both_forms_of_devices, 0);
	unit_case(s, "reads_times_of_34_bits", reads_times_of_34_bits, 0);
	unit_case(s, "compares_inodes_of_different_sizes", compares_inodes_of_different_sizes, 0);
	return s;
}
