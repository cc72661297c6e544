// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_crc32c.c - base/crc32c against libext2fs and against known values
 */
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/crc32c.h"
#include "unit.h"

#define LENGTHS 301
#define ALIGNMENTS 16

START_TEST(agrees_with_libext2fs)
{
	uint8_t buf[LENGTHS + ALIGNMENTS];
	struct chance c;
	size_t len, at;
	uint32_t crc;

	chance_init(&c, 400);
	chance_fill(&c, buf, sizeof(buf));
	for (at = 0; at < ALIGNMENTS; at++)
		for (len = 0; len < LENGTHS; len++) {
			crc = chance_bits(&c);
			want_eq(bfo_crc32c(crc, buf + at, len),
				ext2fs_crc32c_le(crc, buf + at, len));
			want_eq(bfo_crc32c_by_table(crc, buf + at, len),
				ext2fs_crc32c_le(crc, buf + at, len));
		}
}
END_TEST

/* RFC 3720, B.4: with the inversion before and after that ext4 leaves out. */
START_TEST(agrees_with_rfc)
{
	uint8_t buf[32];
	int i;

	memset(buf, 0, sizeof(buf));
	want_eq(~bfo_crc32c(~0U, buf, 32) & 0xffffffff, 0x8a9136aaU);
	memset(buf, 0xff, sizeof(buf));
	want_eq(~bfo_crc32c(~0U, buf, 32) & 0xffffffff, 0x62a8ab43U);
	for (i = 0; i < 32; i++)
		buf[i] = i;
	want_eq(~bfo_crc32c(~0U, buf, 32) & 0xffffffff, 0x46dd794eU);
	want_eq(bfo_crc32c(12345, buf, 0), 12345);
}
END_TEST

/* In pieces as in one go. */
START_TEST(continues)
{
	uint8_t buf[4096];
	struct chance c;
	uint32_t whole;
	size_t cut;

	chance_init(&c, 401);
	chance_fill(&c, buf, sizeof(buf));
	whole = bfo_crc32c(~0U, buf, sizeof(buf));
	for (cut = 0; cut <= sizeof(buf); cut += chance_between(&c, 1, 37))
		want_eq(bfo_crc32c(bfo_crc32c(~0U, buf, cut), buf + cut, sizeof(buf) - cut),
			whole);
}
END_TEST

/* Number, then generation, as they stand on disk. */
START_TEST(seeds_inodes)
{
	uint32_t seed = 0xdeadbeef, ino = 0x01020304, gen = 0xa0b0c0d0, crc;
	const uint8_t disk[8] = { 0x04, 0x03, 0x02, 0x01, 0xd0, 0xc0, 0xb0, 0xa0 };

	crc = ext2fs_crc32c_le(seed, disk, sizeof(disk));
	want_eq(bfo_crc32c_inode_seed(seed, ino, gen), crc);
	want(bfo_crc32c_inode_seed(seed, gen, ino) != crc);
	want(bfo_crc32c_inode_seed(seed + 1, ino, gen) != crc);
}
END_TEST

Suite *crc32c_suite(void)
{
	Suite *s = suite_create("crc32c");

	unit_case(s, "agrees_with_libext2fs", agrees_with_libext2fs, 0);
	unit_case(s, "agrees_with_rfc", agrees_with_rfc, 0);
	unit_case(s, "continues", continues, 0);
	unit_case(s, "seeds_inodes", seeds_inodes, 0);
	return s;
}
