// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_tar.c - export/tar: what comes back from an archive, and what cannot be one
 *
 * tests/oracle/tar-writer.sh has what others make of our archives, key by key.  Here our own reader
 * of archives takes them, and callers and trees misbehave.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/tar.h"
#include "tarmade.h"
#include "unit.h"

static struct bfo_context ctx;

/* An archive in memory that is being written. */
struct bed {
	struct bfo_tar_options opt;
	struct bfo_outlet *out;
};

static void bed_open(struct bed *b, int is_portable)
{
	b->opt = (struct bfo_tar_options) {
		.fd = memfd_create("tar", 0), .name = "made.tar", .is_portable = is_portable,
	};
	want(b->opt.fd >= 0);
	want_ok(bfo_tar_open(&ctx, &b->opt, &b->out));
}

static struct bfo_item item_of(const char *path, uint16_t mode)
{
	return (struct bfo_item) {
		.path = path, .path_len = strlen(path), .attrs.mode = mode, .names = 1,
	};
}

static errcode_t give(struct bed *b, const struct bfo_item *item)
{
	return b->out->item(b->out->priv, item);
}

static void give_dir(struct bed *b, const char *path)
{
	struct bfo_item item = item_of(path, S_IFDIR | 0755);

	want_ok(give(b, &item));
}

/* A file with N parts of DATA, which is whole. */
static void give_file(struct bed *b, const char *path, const char *data, size_t size,
		      const struct bfo_part *parts, size_t n)
{
	struct bfo_item item = item_of(path, S_IFREG | 0644);
	size_t i;

	item.attrs.size = size;
	item.parts = parts;
	item.n_parts = n;
	want_ok(give(b, &item));
	for (i = 0; i < n; i++) {
		uint64_t end = parts[i].from + parts[i].len, at = parts[i].from;

		while (!parts[i].is_unwritten && at < end && at < size) {
			size_t len = 1000;	/* no divisor of a block */

			if (len > end - at)
				len = end - at;
			if (len > size - at)
				len = size - at;
			want_ok(b->out->data(b->out->priv, at, data + at, len));
			at += len;
		}
	}
	want_ok(b->out->done(b->out->priv));
}

static void give_link(struct bed *b, const char *path, const char *first, uint16_t mode)
{
	struct bfo_item item = item_of(path, mode);

	item.first = first;
	item.first_len = strlen(first);
	want_ok(give(b, &item));
}

/* Ends it; what was written. */
static bfo_chars bed_bytes(struct bed *b, struct bfo_tar_notes *notes)
{
	bfo_chars tar = { 0 };
	struct stat st;

	want_ok(b->out->end(b->out->priv));
	*notes = bfo_tar_notes(b->out);
	bfo_tar_close(b->out);
	want(!fstat(b->opt.fd, &st));
	want_eq(notes->written, st.st_size);
	want_eq(notes->bytes, st.st_size);
	want_eq(st.st_size % 10240, 0);
	want_ok(bfo_vec_reserve(&tar, st.st_size));
	want_eq(pread(b->opt.fd, tar.v, st.st_size, 0), st.st_size);
	tar.n = st.st_size;
	close(b->opt.fd);
	return tar;
}

static char *with_holes(const struct bfo_part *parts, size_t n, size_t size)
{
	char *data = unit_alloc(size + 1);
	struct chance c;
	size_t i;

	chance_init(&c, size);
	for (i = 0; i < n; i++)
		if (!parts[i].is_unwritten && parts[i].from < size)
			chance_fill(&c, data + parts[i].from, parts[i].len < size - parts[i].from
				    ? parts[i].len : size - parts[i].from);
	return data;
}

static const struct {
	size_t size, n;
	struct bfo_part parts[3];
} files[] = {
	{ 0, 0, {{ 0 }} }, { 1, 1, {{ 0, 4096, 0 }} }, { 512, 1, {{ 0, 4096, 0 }} },
	{ 70000, 1, {{ 0, 73728, 0 }} }, { 5000, 0, {{ 0 }} }, { 20000, 1, {{ 8192, 4096, 0 }} },
	{ 20000, 2, {{ 0, 4096, 0 }, { 16384, 4096, 0 }} },
	{ 12288, 3, {{ 0, 4096, 0 }, { 4096, 4096, 1 }, { 8192, 4096, 0 }} },
	{ 12288, 2, {{ 0, 4096, 0 }, { 4096, 8192, 0 }} },
	{ 4096, 2, {{ 0, 4096, 0 }, { 4096, 4096, 1 }} },
};

#define FILES (sizeof(files) / sizeof(*files))

/* _i: portable */
START_TEST(contents_come_back)
{
	struct bfo_tar_notes notes;
	struct tarview view = { 0 };
	struct bed b;
	bfo_chars tar;
	char *data[FILES], path[32];
	size_t i;

	bed_open(&b, _i);
	give_dir(&b, "");
	give_dir(&b, "dir");
	for (i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "dir/%zu", i);
		data[i] = with_holes(files[i].parts, files[i].n, files[i].size);
		give_file(&b, path, data[i], files[i].size, files[i].parts, files[i].n);
	}
	give_link(&b, "link", "dir/3", S_IFREG | 0644);
	tar = bed_bytes(&b, &notes);
	want_eq(notes.members, 3 + FILES);
	want_ok(tarview_open(&view, &tar));
	for (i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "dir/%zu", i);
		want(tarview_has(&view, path, data[i], files[i].size));
		free(data[i]);
	}
	want(tarview_find(&view, "link") != BFO_NONE);
	want_eq(tarview_find(&view, "link"), tarview_find(&view, "dir/3"));
	tarview_close(&view);
}
END_TEST

/* _i: bytes above what the header's field holds.  Its header is enough; data do not come. */
START_TEST(large_sizes_are_in_a_record)
{
	struct bfo_part part = { 0, 8589934591 + _i, 0 };
	struct bfo_item item = item_of("f", S_IFREG | 0644);
	static const char record[] = "19 size=";
	struct bfo_tar_notes notes;
	struct bed b;
	bfo_chars tar;

	bed_open(&b, 1);
	item.attrs.size = part.len;
	item.parts = &part;
	item.n_parts = 1;
	want_ok(give(&b, &item));
	tar = bed_bytes(&b, &notes);
	want_eq(!memcmp(tar.v + 512, record, strlen(record)), _i);
	want_mem(tar.v + 1024 + 124, _i ? "\x80\0\0\0\0\0\0\2\0\0\0\0" : "77777777777", 12);
	bfo_vec_free(&tar);
}
END_TEST

/* The type at block N; a header has one where nothing but headers are. */
static char type_at(const bfo_chars *tar, size_t n)
{
	want(512 * n < tar->n);
	return tar->v[512 * n + 156];
}

START_TEST(sockets_are_never_last)
{
	struct bfo_item root = item_of("", S_IFDIR | 0755), socket = item_of("s", S_IFSOCK | 0600);
	struct bfo_tar_notes notes;
	struct bed b;
	bfo_chars tar;

	bed_open(&b, 0);
	want_ok(give(&b, &root));
	want_ok(give(&b, &socket));
	give_link(&b, "t", "s", S_IFSOCK | 0600);
	tar = bed_bytes(&b, &notes);
	want_eq(notes.members, 3);
	want_eq(notes.sockets, 0);
	want_mem(tar.v + 512, "26 comment=E2BFO.format=1\n", 26);
	want_eq(type_at(&tar, 0), 'g');
	want_eq(type_at(&tar, 2), 'x');
	want_eq(type_at(&tar, 4), '5');
	want_eq(type_at(&tar, 5), 'g');
	want_eq(type_at(&tar, 7), 'g');
	want_mem(tar.v + 8 * 512, "40 E2BFO.socket=9 path=t\n14 linkpath=s\n\n", 40);
	want_eq(type_at(&tar, 9), 'x');
	want_mem(tar.v + 9 * 512, tar.v + 2 * 512, 3 * 512);	/* the root as it was */
	want_eq(tar.v[12 * 512], 0);
	bfo_vec_free(&tar);

	bed_open(&b, 0);		/* with something behind them it is not needed */
	want_ok(give(&b, &root));
	want_ok(give(&b, &socket));
	give_dir(&b, "t");
	tar = bed_bytes(&b, &notes);
	want_eq(type_at(&tar, 9), '5');
	want_eq(tar.v[10 * 512], 0);
	bfo_vec_free(&tar);
}
END_TEST

/* How many members have TYPE, in an archive of blocks that are headers or records of one block. */
static size_t count(const bfo_chars *tar, char type)
{
	size_t n = 0, i;

	for (i = 0; 512 * i < tar->n; i++)
		n += !memcmp(tar->v + 512 * i + 257, "ustar", 5) && type_at(tar, i) == type;
	return n;
}

/* Python's tarfile calls itself for each in a row. */
START_TEST(many_sockets_are_parted)
{
	static const struct {
		size_t sockets, roots;
	} rows[] = {{ 99, 2 }, { 100, 2 }, { 101, 3 }, { 200, 3 }, { 201, 4 }};
	struct bfo_tar_notes notes;
	struct bed b;
	bfo_chars tar;
	size_t i;

	bed_open(&b, 0);
	give_dir(&b, "");
	for (i = 0; i < rows[_i].sockets; i++) {
		char path[32];
		struct bfo_item socket;

		snprintf(path, sizeof(path), "%zu", i);
		socket = item_of(path, S_IFSOCK | 0600);
		want_ok(give(&b, &socket));
	}
	tar = bed_bytes(&b, &notes);
	want_eq(count(&tar, 'g'), 1 + rows[_i].sockets);
	want_eq(count(&tar, '5'), rows[_i].roots);
	want_eq(notes.members, 1 + rows[_i].sockets);
	bfo_vec_free(&tar);
}
END_TEST

START_TEST(portable_ones_leave_sockets_out)
{
	struct bfo_item root = item_of("", S_IFDIR | 0755), socket = item_of("s", S_IFSOCK | 0600);
	struct bfo_tar_notes notes;
	struct bed b;
	bfo_chars tar;

	bed_open(&b, 1);
	want_ok(give(&b, &root));
	want_ok(give(&b, &socket));
	give_link(&b, "t", "s", S_IFSOCK | 0600);
	tar = bed_bytes(&b, &notes);
	want_eq(notes.members, 1);
	want_eq(notes.sockets, 2);
	want_eq(type_at(&tar, 0), 'x');
	want_eq(type_at(&tar, 2), '5');
	want_eq(tar.v[3 * 512], 0);
	bfo_vec_free(&tar);
}
END_TEST

static void bed_drop(struct bed *b)
{
	bfo_tar_close(b->out);
	close(b->opt.fd);
}

static const struct bfo_xattr bad_xattrs[] = {
	{ .name_index = BFO_XATTR_ACL_ACCESS, .name = "", .value = "\1\0\0\0\1", .size = 5 },
	{ .name_index = BFO_XATTR_ACL_DEFAULT, .name = "", .value = "\2\0\0\0", .size = 4 },
	{ .name_index = BFO_XATTR_USER, .name = "a\0b", .name_len = 3, .value = "", .size = 0 },
};

/* Both kinds of members: it is left out, counted, and the first that has one is named. */
START_TEST(what_cannot_be_said_is_counted)
{
	static const uint16_t modes[] = { S_IFREG, S_IFSOCK };
	struct bfo_xattr x = bad_xattrs[_i % 3];
	struct bfo_item item = item_of("a\nb", modes[_i / 3] | 0644);
	struct bfo_tar_notes notes;
	struct bed b;

	bed_open(&b, 0);
	want_eq(bfo_tar_notes(b.out).attributes, 0);
	item.xattrs.v = &x;
	item.xattrs.n = 1;
	want_ok(give(&b, &item));
	item.path = "second";
	item.path_len = strlen(item.path);
	want_ok(give(&b, &item));
	notes = bfo_tar_notes(b.out);
	want_eq(notes.attributes, 2);
	want_eq(notes.members, 2);
	ck_assert_str_eq(notes.first, "a\nb");
	bed_drop(&b);
}
END_TEST

START_TEST(a_type_that_is_none_is_an_error)
{
	struct bfo_item item = item_of("odd", 0644);
	struct bed b;

	bed_open(&b, 0);
	want_err(give(&b, &item), BFO_ET_DAMAGED);
	ck_assert_str_eq(ctx.what, "writing type of odd to made.tar");
	bed_drop(&b);
}
END_TEST

START_TEST(empty_lists_and_inline_data_are_not_said)
{
	struct bfo_xattr x[] = {
		{ .name_index = BFO_XATTR_ACL_ACCESS, .name = "", .value = "\1\0\0\0", .size = 4 },
		{ .name_index = BFO_XATTR_SYSTEM, .name = "data", .name_len = 4, .value = "x",
		  .size = 1 },
	};
	struct bfo_item item = item_of("f", S_IFREG | 0644);
	struct bfo_tar_notes notes;
	struct bed b;
	bfo_chars tar;

	want(bfo_xattr_is_data(&x[1]));
	bed_open(&b, 0);
	item.xattrs.v = x;
	item.xattrs.n = 2;
	want_ok(give(&b, &item));
	want_ok(b.out->done(b.out->priv));
	tar = bed_bytes(&b, &notes);
	want(!memmem(tar.v, tar.n, "SCHILY", 6));
	bfo_vec_free(&tar);
}
END_TEST

/* Pieces that are not those that the parts announced; 100 bytes, a hole, 100 bytes. */
static const struct {
	uint64_t offset;
	size_t len;
	int is_good;
} pieces[][4] = {
	{{ 0, 100, 1 }, { 4096, 100, 1 }, { 4196, 1, 0 }},
	{{ 0, 101, 0 }}, {{ 1, 99, 0 }}, {{ 0, 50, 1 }, { 51, 49, 0 }},
	{{ 0, 50, 1 }, { 50, 51, 0 }}, {{ 0, 100, 1 }, { 100, 100, 0 }}, {{ 4096, 100, 0 }},
	{{ 0, 50, 1 }, { 0, 50, 0 }},
};

START_TEST(data_are_those_that_were_announced)
{
	static const struct bfo_part parts[] = {{ 0, 100, 0 }, { 4096, 100, 0 }};
	static const char data[200];
	struct bfo_item item = item_of("f", S_IFREG | 0644);
	struct bed b;
	size_t i;

	bed_open(&b, 0);
	item.attrs.size = 5000;
	item.parts = parts;
	item.n_parts = 2;
	want_ok(give(&b, &item));
	want_ok(b.out->data(b.out->priv, 77, data, 0));
	for (i = 0; pieces[_i][i].is_good; i++)
		want_ok(b.out->data(b.out->priv, pieces[_i][i].offset, data, pieces[_i][i].len));
	want_err(b.out->data(b.out->priv, pieces[_i][i].offset, data, pieces[_i][i].len),
		 BFO_ET_CHANGED);
	ck_assert_str_eq(ctx.what, "writing data of f to made.tar");
	if (_i)
		want_err(b.out->done(b.out->priv), BFO_ET_CHANGED);
	else
		want_ok(b.out->done(b.out->priv));
	bed_drop(&b);
}
END_TEST

/* _i: compressed.  Small trees stay in memory until the end. */
START_TEST(the_end_says_that_there_is_no_room)
{
	struct bed b = { .opt = { .name = "full", .is_packed = _i, .threads = 2 } };

	b.opt.fd = open("/dev/full", O_WRONLY);
	want_ok(bfo_tar_open(&ctx, &b.opt, &b.out));
	give_dir(&b, "");
	want_err(b.out->end(b.out->priv), ENOSPC);
	ck_assert_str_eq(ctx.what, "writing full");
	want_eq(bfo_tar_notes(b.out).written, 0);
	bed_drop(&b);
	bfo_tar_close(NULL);
}
END_TEST

Suite *tar_suite(void)
{
	Suite *s = suite_create("tar");

	unit_case(s, "contents_come_back", contents_come_back, 2);
	unit_case(s, "large_sizes_are_in_a_record", large_sizes_are_in_a_record, 2);
	unit_case(s, "sockets_are_never_last", sockets_are_never_last, 0);
	unit_case(s, "many_sockets_are_parted", many_sockets_are_parted, 5);
	unit_case(s, "portable_ones_leave_sockets_out", portable_ones_leave_sockets_out, 0);
	unit_case(s, "what_cannot_be_said_is_counted", what_cannot_be_said_is_counted, 6);
	unit_case(s, "a_type_that_is_none_is_an_error", a_type_that_is_none_is_an_error, 0);
	unit_case(s, "empty_lists_and_inline_data_are_not_said",
		  empty_lists_and_inline_data_are_not_said, 0);
	unit_case(s, "data_are_those_that_were_announced", data_are_those_that_were_announced,
		  sizeof(pieces) / sizeof(*pieces));
	unit_case(s, "the_end_says_that_there_is_no_room", the_end_says_that_there_is_no_room, 2);
	return s;
}
