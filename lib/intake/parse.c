// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * parse.c - archives, by libarchive, into frames; those that are ours by pax_read.h
 *
 * All peculiarities of libarchive end here, and in parse_entry.c:
 *
 *  - In any locale but "C" it normalizes names that are UTF-8.  There it gives bytes as they stand,
 *    with a warning for each that is not ASCII.  All other warnings mean that something is lost,
 *    and end the work: who asked decides what to do without.
 *  - It stops at the end mark of an archive, in front of the checksum of what is compressed.  So
 *    that is read to its end, as another archive (parse_bytes.h).
 *  - Seeking over data beyond the end of a file looks like the end of the archive.  So does a
 *    missing end mark.  Whoever reads the frames has the numbers to see both.
 *
 * Formats are tar and cpio; filters those that need no other program.
 */
#include "intake/parse.h"

#ifdef HAVE_LIBARCHIVE

#include <archive.h>
#include <errno.h>
#include <iconv.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "wire/frames.h"
#include "wire/stream.h"
#include "intake/parse_bytes.h"
#include "intake/parse_entry.h"
#include "intake/pax_read.h"

#define NEAR (256U << 10)	/* bytes: what is skipped by reading */
#define DATA_MOST (256U << 10)	/* bytes of a DATA frame */

#define TAR_BLOCK 512U

struct parser {
	const struct bfo_parse *p;
	struct archive *a;		/* members */
	struct bfo_parse_bytes bytes;	/* what they are made of */
	struct bfo_parse_entry member;	/* the one that came last */
	struct bfo_frame_writer w;
	int members;			/* there was one */
};

static const char *text_of(struct archive *a)
{
	const char *text = archive_error_string(a);

	return text ? text : "it is truncated or damaged";
}

/* ---- bytes of the archive ---- */

static la_ssize_t read_bytes(struct archive *a, void *priv, const void **data)
{
	struct parser *s = priv;
	ssize_t got = bfo_parse_bytes_next(&s->bytes, data);

	if (got >= 0)
		return got;
	archive_set_error(a, bfo_parse_bytes_error(&s->bytes), "%s",
			  bfo_parse_bytes_why(&s->bytes));
	return ARCHIVE_FATAL;
}

static la_int64_t skip_bytes(struct archive *a, void *priv, la_int64_t request)
{
	struct parser *s = priv;

	(void) a;
	return request >= (la_int64_t) NEAR && bfo_parse_bytes_skip(&s->bytes, request) ? request
											: 0;
}

static int open_archive(struct parser *s)
{
	struct archive *a = s->a;

	if (s->p->tar)
		archive_read_support_format_tar(a);
	if (s->p->cpio)
		archive_read_support_format_cpio(a);
	if (s->bytes.is_broken) {
		archive_set_error(a, bfo_parse_bytes_error(&s->bytes), "%s",
				  bfo_parse_bytes_why(&s->bytes));
		return ARCHIVE_FATAL;
	}
	archive_read_set_read_callback(a, read_bytes);
	archive_read_set_skip_callback(a, skip_bytes);
	archive_read_set_callback_data(a, s);
	return archive_read_open1(a);
}

/* ---- failures ---- */

static errcode_t fail(struct parser *s, int in_member, const char *text)
{
	enum bfo_frame_error kind = BFO_FRAME_DAMAGED;
	int number = archive_errno(s->a);
	int64_t at = archive_filter_bytes(s->a, 0);

	if (s->bytes.io)
		kind = BFO_FRAME_IO;
	else if (number == ENOMEM)
		kind = BFO_FRAME_NO_MEMORY;
	else if (!s->members && !archive_format(s->a) &&
		 !s->bytes.is_broken)
		kind = BFO_FRAME_NO_ARCHIVE;
	bfo_frame_put_error(&s->w, kind, in_member, at < 0 ? 0 : at, text);
	return BFO_ET_DAMAGED;
}

static errcode_t fail_archive(struct parser *s, int in_member)
{
	return fail(s, in_member, s->bytes.at || s->bytes.io ? text_of(s->a) : "it is empty");
}

/* The same of the member whose header was just read. */
static errcode_t fail_member(struct parser *s, const char *why)
{
	const char *path = archive_entry_pathname(s->member.entry);
	char text[1024];

	snprintf(text, sizeof(text), "%.400s: %s", path ? path : "?", why);
	return fail(s, 0, text);
}

/* A name that is not ASCII is there, byte by byte, all the same. */
static int is_harmless(struct archive *a)
{
	const char *text = archive_error_string(a);

	return text && strstr(text, "can't be converted");
}

/* ---- members ---- */

static errcode_t put_member(struct parser *s, struct bfo_member *m)
{
	const char *why;
	errcode_t err = bfo_parse_entry_read(&s->member, m, &why);

	if (why)
		return fail_member(s, why);
	m->header = archive_read_header_position(s->a);
	m->data = archive_filter_bytes(s->a, 0);
	return err ? err : bfo_frame_put_member(&s->w, m, s->member.xattrs.v);
}

/* ---- data ---- */

/* Extents of what is not read, as the map of a sparse member says. */
static errcode_t put_places(struct parser *s, uint64_t size)
{
	int64_t at, len;
	errcode_t err = 0;

	if (!archive_entry_sparse_reset(s->member.entry))
		return size ? bfo_frame_put_extent(&s->w, 0, size) : 0;
	while (!err && archive_entry_sparse_next(s->member.entry, &at, &len) == ARCHIVE_OK)
		if (len > 0)
			err = bfo_frame_put_extent(&s->w, at, len);
	return err;
}

static errcode_t put_data(struct parser *s, uint64_t at, const char *data, size_t len)
{
	errcode_t err = 0;
	size_t some;

	for (; len && !err; at += some, data += some, len -= some) {
		some = len < DATA_MOST ? len : DATA_MOST;
		err = bfo_frame_put_data(&s->w, at, data, some);
	}
	return err;
}

/* Bytes that the map of a sparse member says it has; 0 of what has no map. */
static uint64_t promised(struct parser *s)
{
	uint64_t sum = 0;
	int64_t at, len;

	if (!archive_entry_sparse_reset(s->member.entry))
		return 0;
	while (archive_entry_sparse_next(s->member.entry, &at, &len) == ARCHIVE_OK)
		sum += len > 0 ? len : 0;
	return sum;
}

/* Reads a member's data; what lies behind each other is one extent. */
static errcode_t read_data(struct parser *s, int is_sent)
{
	uint64_t begin = 0, end = 0, wanted = promised(s), got = 0;
	errcode_t err = 0;
	int64_t at = 0;
	const void *data;
	size_t len;
	int r;

	while (!err && (r = archive_read_data_block(s->a, &data, &len, &at)) == ARCHIVE_OK) {
		if (!len)
			continue;
		got += len;
		if (is_sent) {
			err = put_data(s, at, data, len);
		} else if ((uint64_t) at == end) {
			end += len;
		} else {
			if (end > begin)
				err = bfo_frame_put_extent(&s->w, begin, end - begin);
			begin = at;
			end = begin + len;
		}
	}
	if (!err && end > begin)
		err = bfo_frame_put_extent(&s->w, begin, end - begin);
	if (!err && r != ARCHIVE_EOF)
		err = fail_archive(s, 1);
	if (!err && got < wanted)
		err = fail(s, 1, "it has less data than its map says");
	return err;
}

static errcode_t put_content(struct parser *s, const struct bfo_member *m)
{
	const struct bfo_parse *p = s->p;

	if (!m->attrs.size || (!m->is_link && !S_ISREG(m->attrs.mode)))
		return 0;
	if (p->data == BFO_PARSE_PLACES)
		return put_places(s, m->attrs.size);
	return read_data(s, p->data == BFO_PARSE_ALL || m->attrs.size <= p->small);
}

/* Whoever does not know whether it is a tar cannot know that it lacks an end mark, either. */
static int is_cut(const struct parser *s, uint64_t mark, uint64_t end)
{
	return s->p->tar && s->p->cpio && end < mark + TAR_BLOCK &&
	       (archive_format(s->a) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_TAR;
}

/* What is behind the last member, too: checksums of what is compressed come last. */
static errcode_t put_end(struct parser *s)
{
	uint64_t mark = archive_read_header_position(s->a), end = archive_filter_bytes(s->a, 0);
	const void *data;
	la_ssize_t got = 1;

	while (s->p->filters && got > 0)
		got = read_bytes(s->a, s, &data);
	if (got < 0)
		return fail_archive(s, 0);
	return is_cut(s, mark, end) ? fail(s, 0, "there is no end mark; it may be truncated")
				    : bfo_frame_put_end(&s->w, mark, end);
}

static errcode_t parse_any(struct parser *s)
{
	errcode_t err = 0;
	int r;

	if (open_archive(s) != ARCHIVE_OK)
		return fail_archive(s, 0);
	while (!err && (r = archive_read_next_header(s->a, &s->member.entry)) != ARCHIVE_EOF) {
		struct bfo_member m = { .path = NULL };

		if (r == ARCHIVE_WARN && !is_harmless(s->a))
			return fail_member(s, text_of(s->a));
		if (r != ARCHIVE_OK && r != ARCHIVE_WARN)
			return fail_archive(s, 0);
		err = put_member(s, &m);
		s->members = 1;
		if (!err)
			err = put_content(s, &m);
		bfo_parse_entry_forget(&s->member);
	}
	return err ? err : put_end(s);
}

/* ---- archives that are ours ---- */

static ssize_t next_bytes(void *priv, const void **data)
{
	return bfo_parse_bytes_next(priv, data);
}

static int skip_by_position(void *priv, uint64_t len)
{
	return bfo_parse_bytes_skip(priv, len);
}

static errcode_t parse_ours(struct parser *s)
{
	int can_skip = s->p->is_file && !s->p->filters;
	struct bfo_pax_bytes b = { .next = next_bytes, .priv = &s->bytes,
				   .skip = can_skip ? skip_by_position : NULL };
	errcode_t err = bfo_pax_read(&b, s->p, &s->w);

	if (err != EIO)
		return err;
	bfo_frame_put_error(&s->w, s->bytes.io ? BFO_FRAME_IO : BFO_FRAME_DAMAGED, 0, b.at,
			    bfo_parse_bytes_why(&s->bytes));
	return BFO_ET_DAMAGED;
}

static errcode_t parse(struct parser *s)
{
	const char *first = s->p->tar ? bfo_parse_bytes_look(&s->bytes, BFO_PAX_LOOK_BYTES) : NULL;

	if (first && !memcmp(first, BFO_STREAM_MAGIC, BFO_STREAM_MAGIC_BYTES)) {
		bfo_frame_put_error(&s->w, BFO_FRAME_STREAM, 0, 0, "it is a stream");
		return BFO_ET_DAMAGED;
	}
	return first && bfo_pax_is_ours(first) ? parse_ours(s) : parse_any(s);
}

int bfo_parse_is_built(void)
{
	return 1;
}

/* libarchive converts names from UTF-8, in vain, to what the locale "C" has. */
int bfo_parse_prepare(void)
{
	iconv_t cd = iconv_open("ANSI_X3.4-1968", "UTF-8");

	return cd == (iconv_t) -1 || iconv_close(cd) ? errno : 0;
}

void bfo_parse_run(const struct bfo_parse *p, int out)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t) 0);
	locale_t before = plain ? uselocale(plain) : (locale_t) 0;
	struct parser s = { .p = p, .w = { .fd = out }, .a = archive_read_new() };
	errcode_t err = bfo_parse_bytes_open(&s.bytes, p);

	if (!plain || !s.a)
		err = ENOMEM;
	if (!err)
		err = parse(&s);
	if (err == ENOMEM)
		bfo_frame_put_error(&s.w, BFO_FRAME_NO_MEMORY, 0, 0, "");
	else if (err == BFO_ET_OVERFLOW)
		bfo_frame_put_error(&s.w, BFO_FRAME_DAMAGED, 0, 0,
				    "a member has too many attributes");
	bfo_frame_flush(&s.w);
	archive_read_free(s.a);
	bfo_parse_bytes_close(&s.bytes);
	bfo_vec_free(&s.w.buf);
	bfo_parse_entry_free(&s.member);
	if (plain) {
		uselocale(before);
		freelocale(plain);
	}
}

#else

#include <errno.h>

int bfo_parse_is_built(void)
{
	return 0;
}

/* (Nobody begins what cannot be done: archive.c asks before.) */
int bfo_parse_prepare(void)
{
	return ENOSYS;
}

void bfo_parse_run(const struct bfo_parse *p, int out)
{
	(void) p;
	(void) out;
}

#endif
