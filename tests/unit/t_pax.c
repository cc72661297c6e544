// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_pax.c - intake/pax_*: archives of our own, cut at each byte, with each byte changed; numbers,
 * times, records, lists, maps
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk.h"
#include "gather/attrs.h"
#include "intake/intake.h"
#include "intake/pax_acl.h"
#include "intake/pax_map.h"
#include "intake/pax_read.h"
#include "intake/pax_text.h"
#include "tarmade.h"
#include "tree/access.h"
#include "unit.h"

static struct bfo_pax_text text_of(const char *s)
{
	static char room[512];

	want(strlen(s) < sizeof(room));
	memset(room, 'x', sizeof(room));
	memcpy(room, s, strlen(s));
	return (struct bfo_pax_text) { .v = room, .len = strlen(s) };
}

/* ---- texts ---- */

static const struct {
	const char *text;
	unsigned int base;
	uint64_t most, value;
	int is_fine;
} numbers[] = {
	{ "0", 10, 0, 0, 1 }, { "18446744073709551615", 10, UINT64_MAX, UINT64_MAX, 1 },
	{ "18446744073709551616", 10, UINT64_MAX, 0, 0 }, { "4294967295", 10, UINT32_MAX,
	UINT32_MAX, 1 }, { "4294967296", 10, UINT32_MAX, 0, 0 }, { "", 10, 9, 0, 0 },
	{ "-1", 10, 9, 0, 0 }, { "1 ", 10, 9, 0, 0 }, { "0017", 8, 99, 15, 1 }, { "8", 8, 99, 0, 0 },
	{ "fF", 16, 255, 255, 1 }, { "100", 16, 255, 0, 0 }, { "g", 16, 255, 0, 0 },
	{ "1", 10, 0, 0, 0 }, { "ffffffffffffffff", 16, UINT64_MAX, UINT64_MAX, 1 },
	{ "10000000000000000", 16, UINT64_MAX, 0, 0 },
};

START_TEST(reads_numbers)
{
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct bfo_pax_text t = text_of(numbers[i].text);
		uint64_t value = 0;

		want_eq(bfo_pax_number(&t, numbers[i].base, numbers[i].most, &value),
			numbers[i].is_fine);
		if (numbers[i].is_fine)
			want_eq(value, numbers[i].value);
	}
}
END_TEST

static const struct {
	const char *text;
	int64_t sec;
	uint32_t nsec;
	int is_fine;
} times[] = {
	{ "0", 0, 0, 1 }, { "1.5", 1, 500000000, 1 }, { "-0.800000000", -1, 200000000, 1 },
	{ "-1.000000001", -2, 999999999, 1 }, { "-7", -7, 0, 1 }, { "-0", 0, 0, 1 },
	{ "7.000000001", 7, 1, 1 }, { "9223372036854775807", INT64_MAX, 0, 1 },
	{ "-9223372036854775807.9", INT64_MIN, 100000000, 1 },
	{ "9223372036854775808", 0, 0, 0 }, { "1.", 0, 0, 0 }, { ".5", 0, 0, 0 },
	{ "1.0000000001", 0, 0, 0 }, { "", 0, 0, 0 }, { "-", 0, 0, 0 }, { "--1", 0, 0, 0 },
	{ "1.-5", 0, 0, 0 }, { "1.5.5", 0, 0, 0 }, { "+1", 0, 0, 0 },
};

START_TEST(reads_times)
{
	size_t i;

	for (i = 0; i < sizeof(times) / sizeof(*times); i++) {
		struct bfo_pax_text t = text_of(times[i].text);
		int64_t sec = 0;
		uint32_t nsec = 0;

		want_eq(bfo_pax_time(&t, &sec, &nsec), times[i].is_fine);
		if (times[i].is_fine)
			want(sec == times[i].sec && nsec == times[i].nsec);
	}
}
END_TEST

START_TEST(reads_fields)
{
	uint64_t value = 0;

	want(bfo_pax_field("0000644", 8, &value) && value == 0644);
	want(bfo_pax_field("644 \0   ", 8, &value) && value == 0644);
	want(bfo_pax_field("77777777", 8, &value) && value == 077777777);
	want(!bfo_pax_field("\0\0\0\0\0\0\0", 8, &value));
	want(!bfo_pax_field(" 644\0\0\0", 8, &value));
	want(!bfo_pax_field("64\0004\0\0\0", 8, &value));
	want(!bfo_pax_field("\200\0\0\0\0\0\1", 8, &value));
}
END_TEST

START_TEST(reads_records)
{
	static const char *const none[] = {
		"", "x", "7 a=bc", "6 a=bc\n", "8 a=bc\n", "99999999999999999999 a=b\n", "2 \n",
		"0 a=b\n", "5 =b\n", "5 ab\n", "-6 a=b\n", "6a=b\n\n", "1 ", "2 a",
	};
	struct bfo_pax_text t = text_of("7 a=bc\n6 b=\n\n4 c=\n");
	struct bfo_pax_record r;
	size_t i;

	want(bfo_pax_record_next(&t, &r));
	want(bfo_pax_text_is(&r.key, "a") && bfo_pax_text_is(&r.value, "bc"));
	want(bfo_pax_record_next(&t, &r));
	want(bfo_pax_text_is(&r.key, "b") && bfo_pax_text_is(&r.value, "\n"));
	want(!bfo_pax_record_next(&t, &r));
	for (i = 0; i < sizeof(none) / sizeof(*none); i++) {
		t = text_of(none[i]);
		want(!bfo_pax_record_next(&t, &r));
	}
}
END_TEST

START_TEST(reads_lists)
{
	static const char *const none[] = {
		"", "user::rw", "user::rwx,group::r-x,other::---,", ",user::rwx",
		"user::rwx,group::r-x,other:---", "user::rwxx,group::r-x,other::---",
		"user::rwx,group::r-x,other::---,user:4294967296:r--:4294967296,mask::r--",
		"user::rwx,group::r-x,other:x:---", "owner::rwx,group::r-x,other::---",
	};
	struct bfo_pax_text t = text_of("other::--x,mask::r-x,group::rw-,user:a:-w-:7,user::rwx");
	bfo_chars out = { 0 };
	size_t i;

	want_ok(bfo_pax_acl(&t, &out));
	want_eq(out.n, 4 + 5 * 8);
	want_mem(out.v, "\2\0\0\0" "\1\0\7\0\377\377\377\377" "\2\0\2\0\7\0\0\0"
		 "\4\0\6\0\377\377\377\377" "\20\0\5\0\377\377\377\377"
		 "\40\0\1\0\377\377\377\377", out.n);
	for (i = 0; i < sizeof(none) / sizeof(*none); i++) {
		t = text_of(none[i]);
		want_err(bfo_pax_acl(&t, &out), BFO_ET_DAMAGED);
	}
	bfo_vec_free(&out);
}
END_TEST

/* ---- maps ---- */

struct given {
	const char *v;
	size_t len, step;
};

static ssize_t give(void *priv, const void **data)
{
	struct given *g = priv;
	size_t len = g->step < g->len ? g->step : g->len;

	*data = g->v;
	g->v += len;
	g->len -= len;
	return len;
}

/* A map of TEXT, and zeros up to a block, with FILL bytes of data. */
static errcode_t read_map(const char *text, uint64_t size, uint64_t data, bfo_ranges *map)
{
	char block[1024] = { 0 };
	struct given g = { .v = block, .len = (strlen(text) + 511) / 512 * 512, .step = 7 };
	struct bfo_pax_bytes b = { .next = give, .priv = &g };
	const char *why;

	memcpy(block, text, strlen(text));
	return bfo_pax_map_read(&b, size, g.len + data, map, &why);
}

START_TEST(reads_maps)
{
	bfo_ranges map = { 0 };
	char long_one[1024] = "60\n";
	unsigned int i;

	want_ok(read_map("2\n5\n10\n20\n0\n", 20, 10, &map));
	want(map.n == 1 && map.v[0].start == 5 && map.v[0].len == 10);
	want_ok(read_map("0\n", 20, 0, &map));
	want_eq(map.n, 0);
	for (i = 0; i < 60; i++)
		sprintf(long_one + strlen(long_one), "%u\n1\n", 10000 + 2 * i);
	want(strlen(long_one) > 480);
	want_ok(read_map(long_one, 20000, 60, &map));
	want_eq(map.n, 60);
	want_err(read_map("1\n5\n10\n", 14, 10, &map), BFO_ET_DAMAGED);
	want_err(read_map("1\n5\n10\n", 15, 9, &map), BFO_ET_DAMAGED);
	want_err(read_map("2\n5\n10\n14\n1\n", 20, 11, &map), BFO_ET_DAMAGED);
	want_err(read_map("1\n5\n", 20, 0, &map), BFO_ET_DAMAGED);
	want_err(read_map("1\n5\n10\nx", 20, 10, &map), BFO_ET_DAMAGED);
	want_err(read_map("1\n-5\n10\n", 20, 10, &map), BFO_ET_DAMAGED);
	want_err(read_map("99999999999999999999999999\n", 20, 0, &map), BFO_ET_DAMAGED);
	want_err(read_map("1\n9223372036854775807\n9223372036854775807\n", INT64_MAX, 10, &map),
		 BFO_ET_DAMAGED);
	bfo_vec_free(&map);
}
END_TEST

/* ---- archives ---- */

static struct tarview v;
static bfo_chars tar;

/* Frames of the archive at hand, made in this process: its damage does not take a fork each. */
static errcode_t begin(struct bfo_members *m, struct bfo_context *ctx, const char *name,
		       const struct bfo_parse *p)
{
	int fd = memfd_create("frames", MFD_CLOEXEC);

	want(fd >= 0);
	bfo_parse_run(p, fd);
	lseek(fd, 0, SEEK_SET);
	bfo_members_of(m, ctx, name, fd);
	return 0;
}

struct records {
	char v[2048];
	size_t n;
};

static void put_record(struct records *r, const char *key, const char *value)
{
	r->n += tarmade_pax_record(r->v + r->n, key, value, strlen(value));
}

static void put_times(struct records *r)
{
	put_record(r, "mtime", "1000000000.100000000");
	put_record(r, "atime", "-0.800000000");
	put_record(r, "ctime", "3");
}

/* A file, one with holes and what was never written, a hard link, a socket. */
static void make(void)
{
	struct records r = { .n = 0 }, socket = { .n = 0 };
	char sparse[512 + 100] = "1\n4096\n100\n";

	put_record(&r, "comment", "E2BFO.format=1");
	tarmade_add(&tar, 'g', "PaxHeader", NULL, r.v, r.n);
	r.n = 0;
	put_times(&r);
	put_record(&r, "SCHILY.xattr.user.a%3Db", "value");
	put_record(&r, "SCHILY.acl.access", "user::rw-,user:5:r--:5,group::r--,mask::r--,other::r--");
	put_record(&r, "SCHILY.fflags", "nodump");
	put_record(&r, "E2BFO.generation", "77");
	put_record(&r, "E2BFO.version", "5000000000");
	put_record(&r, "E2BFO.project", "88");
	put_record(&r, "E2BFO.flags", "c0");
	tarmade_add(&tar, 'x', "PaxHeader", NULL, r.v, r.n);
	tarmade_add(&tar, '0', "a", NULL, "content of a", 12);
	r.n = 0;
	put_times(&r);
	put_record(&r, "GNU.sparse.major", "1");
	put_record(&r, "GNU.sparse.minor", "0");
	put_record(&r, "GNU.sparse.name", "sparse");
	put_record(&r, "GNU.sparse.realsize", "4196");
	put_record(&r, "E2BFO.unwritten", "0,1024;8192,1024");
	tarmade_add(&tar, 'x', "PaxHeader", NULL, r.v, r.n);
	memset(sparse + 512, 'b', 100);
	tarmade_add(&tar, '0', "GNUSparseFile.0/sparse", NULL, sparse, sizeof(sparse));
	tarmade_add(&tar, '1', "c", "a", NULL, 0);
	put_record(&socket, "path", "s");
	put_record(&socket, "mode", "751");
	put_record(&socket, "uid", "70000");
	put_record(&socket, "gid", "5");
	put_times(&socket);
	r.n = tarmade_pax_record(r.v, "E2BFO.socket", socket.v, socket.n);
	tarmade_add(&tar, 'g', "PaxHeader", NULL, r.v, r.n);
	tarmade_end(&tar);
	while (tar.n % 10240)
		tarmade_end(&tar);
}

/* A copy of LEN bytes of the archive, as it comes. */
static errcode_t open_part(size_t len, enum bfo_archive_kind kind)
{
	bfo_chars part = { 0 };

	want_ok(bfo_vec_reserve(&part, len + 1));
	memcpy(part.v, tar.v, len);
	part.n = len;
	v.opt.begin = begin;
	v.opt.kind = kind;
	return tarview_open(&v, &part);
}

static struct bfo_attrs attrs(const char *path)
{
	bfo_row row = tarview_find(&v, path);
	struct bfo_attrs a;

	want(row != BFO_NONE);
	bfo_attrs_read(bfo_intake_raw((struct bfo_intake *) v.source, row), v.source->inode_size,
		       &a);
	return a;
}

static void want_seg(const char *path, uint32_t i, uint32_t lblk, uint32_t len, int unwritten)
{
	const struct bfo_inode *rec = &v.tree.inodes.v[tarview_find(&v, path)];
	const struct bfo_seg *seg;

	want(i < bfo_seg_count(&v.tree, rec));
	seg = bfo_seg_of(&v.tree, rec, i);
	want(seg->lblk == lblk && seg->len == len && bfo_seg_unwritten(seg) == unwritten);
}

START_TEST(tells_all_of_it)
{
	struct bfo_attrs a;

	make();
	want_ok(open_part(tar.n, BFO_ARCHIVE_NONE));
	want_eq(v.source->unknown, BFO_UNKNOWN_CRTIME);
	a = attrs("a");
	want(a.generation == 77 && a.version == 5000000000 && a.project == 88);
	want_eq(a.flags, EXT2_NODUMP_FL | EXT2_NOATIME_FL);
	want(a.sec[BFO_ATIME] == -1 && a.nsec[BFO_ATIME] == 200000000);
	want(tarview_has(&v, "a", "content of a", 12));
	want_eq(tarview_find(&v, "a"), tarview_find(&v, "c"));
	a = attrs("s");
	want(a.mode == (S_IFSOCK | 0751) && a.uid == 70000 && a.gid == 5);
	want_eq(attrs("sparse").size, 4196);
	want_seg("sparse", 0, 0, 2, 1);
	want_seg("sparse", 1, 8, 1, 0);
	want_seg("sparse", 2, 16, 2, 1);
	tarview_close(&v);
	bfo_vec_free(&tar);
}
END_TEST

/* Of what is cut nothing is taken, wherever that is. */
START_TEST(sees_each_cut)
{
	size_t len;

	make();
	for (len = 1024; len < tar.n; len++) {
		want_err(open_part(len, BFO_ARCHIVE_TAR), BFO_ET_DAMAGED);
		want(strstr(v.ctx.what, " byte "));
		tarview_close(&v);
	}
	bfo_vec_free(&tar);
}
END_TEST

/* True if byte AT of the archive is one of a header, but for its checksum. */
static int is_summed(size_t at)
{
	size_t in = at % 512;

	return !memcmp(tar.v + (at - in) + 257, "ustar", 6) && (in < 148 || in >= 156);
}

/*
 * A byte that changes is damage, or says something else: headers have checksums, extended ones do
 * not.  No change is an error without a word.
 */
START_TEST(stands_each_change)
{
	size_t i;

	make();
	for (i = 1024; i < tar.n; i++) {
		char before = tar.v[i];
		int must_fail = is_summed(i);
		errcode_t err;

		tar.v[i] ^= 1 << i % 8;
		err = open_part(tar.n, BFO_ARCHIVE_TAR);
		want(!err || (err == BFO_ET_DAMAGED && *v.ctx.what));
		want(err || !must_fail);
		tarview_close(&v);
		tar.v[i] = before;
	}
	bfo_vec_free(&tar);
}
END_TEST

START_TEST(knows_its_own)
{
	make();
	want(bfo_pax_is_ours(tar.v));
	tar.v[512 + 3 + strlen("comment=E2BFO.format=")]++;
	want(bfo_pax_is_ours(tar.v));
	want_err(open_part(tar.n, BFO_ARCHIVE_TAR), BFO_ET_DAMAGED);
	want(strstr(v.ctx.what, "format that is not known"));
	tarview_close(&v);
	tar.v[512 + 3 + strlen("comment=")] = 'e';
	want(!bfo_pax_is_ours(tar.v));
	bfo_vec_free(&tar);
}
END_TEST

Suite *pax_suite(void)
{
	Suite *s = suite_create("pax");

	unit_case(s, "reads_numbers", reads_numbers, 0);
	unit_case(s, "reads_times", reads_times, 0);
	unit_case(s, "reads_fields", reads_fields, 0);
	unit_case(s, "reads_records", reads_records, 0);
	unit_case(s, "reads_lists", reads_lists, 0);
	unit_case(s, "reads_maps", reads_maps, 0);
	if (!bfo_parse_is_built())
		return s;
	unit_case(s, "tells_all_of_it", tells_all_of_it, 0);
	unit_case(s, "sees_each_cut", sees_each_cut, 0);
	unit_case(s, "stands_each_change", stands_each_change, 0);
	unit_case(s, "knows_its_own", knows_its_own, 0);
	return s;
}
