// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * parse_bytes.c - bytes of an archive, unpacked if it is compressed
 *
 *   file, pipe ── [ libarchive: an archive of one member without a name ] ──> bytes
 *
 * What was looked at is kept, as a pipe does not give it twice.
 */
#include "intake/parse_bytes.h"

#ifdef HAVE_LIBARCHIVE

#include <archive.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES (256U << 10)	/* at once */

/* ---- the file ---- */

static ssize_t read_file(struct bfo_parse_bytes *b, const void **data)
{
	ssize_t got;

	do
		got = b->p->is_file ? pread(b->p->in, b->buffer, READ_BYTES, b->at)
				    : read(b->p->in, b->buffer, READ_BYTES);
	while (got < 0 && errno == EINTR);
	if (got < 0) {
		b->io = errno;
		return -1;
	}
	b->at += got;
	*data = b->buffer;
	return got;
}

int bfo_parse_bytes_skip(struct bfo_parse_bytes *b, uint64_t len)
{
	if (!b->p->is_file || b->unpacked || b->is_pending || len > INT64_MAX - b->at)
		return 0;
	b->at += len;
	return 1;
}

/* ---- what is compressed ---- */

static la_ssize_t read_packed(struct archive *a, void *priv, const void **data)
{
	struct bfo_parse_bytes *b = priv;
	ssize_t got = read_file(b, data);

	if (got >= 0)
		return got;
	archive_set_error(a, b->io, "%s", strerror(b->io));
	return ARCHIVE_FATAL;
}

/* (Compressed bytes are all needed; without a filter the raw ones are passed over by position.) */
static la_int64_t skip_packed(struct archive *a, void *priv, la_int64_t request)
{
	struct bfo_parse_bytes *b = priv;

	(void) a;
	if (!b->p->is_file || request < (la_int64_t) READ_BYTES)
		return 0;
	b->at += request;
	return request;
}

static int open_packed(struct bfo_parse_bytes *b)
{
	struct archive *a = b->unpacked;
	struct archive_entry *entry;
	int r;

	archive_read_support_format_raw(a);
	archive_read_support_filter_gzip(a);
	archive_read_support_filter_bzip2(a);
	archive_read_support_filter_xz(a);
	archive_read_support_filter_lzma(a);
	archive_read_support_filter_lzip(a);
	archive_read_support_filter_compress(a);
	archive_read_support_filter_lz4(a);
	archive_read_support_filter_zstd(a);
	archive_read_set_read_callback(a, read_packed);
	archive_read_set_skip_callback(a, skip_packed);
	archive_read_set_callback_data(a, b);
	r = archive_read_open1(a);
	return r == ARCHIVE_OK ? archive_read_next_header(a, &entry) : r;
}

/* Without a copy. */
static ssize_t read_unpacked(struct bfo_parse_bytes *b, const void **data)
{
	size_t len = 0;
	int64_t at;
	int r;

	do
		r = archive_read_data_block(b->unpacked, data, &len, &at);
	while (r == ARCHIVE_OK && !len);
	return r == ARCHIVE_OK ? (ssize_t) len : r == ARCHIVE_EOF ? 0 : -1;
}

/* ---- either ---- */

/* (Where libarchive has failed for good, it fails again: somebody else may look first.) */
static ssize_t read_more(struct bfo_parse_bytes *b, const void **data)
{
	return b->unpacked ? read_unpacked(b, data) : read_file(b, data);
}

const char *bfo_parse_bytes_look(struct bfo_parse_bytes *b, size_t len)
{
	const void *data;
	ssize_t got = 1;

	b->is_pending = 1;
	while (b->head.n < len && got > 0) {
		got = read_more(b, &data);
		if (got > 0 && bfo_vec_reserve(&b->head, got))
			return NULL;
		if (got > 0) {
			memcpy(b->head.v + b->head.n, data, got);
			b->head.n += got;
		}
	}
	b->is_pending = b->head.n > 0;
	return b->head.n < len ? NULL : b->head.v;
}

ssize_t bfo_parse_bytes_next(struct bfo_parse_bytes *b, const void **data)
{
	if (!b->is_pending)
		return read_more(b, data);
	b->is_pending = 0;
	*data = b->head.v;
	return b->head.n;
}

int bfo_parse_bytes_error(const struct bfo_parse_bytes *b)
{
	return b->io ? b->io : b->unpacked ? archive_errno(b->unpacked) : 0;
}

const char *bfo_parse_bytes_why(const struct bfo_parse_bytes *b)
{
	const char *text = b->unpacked ? archive_error_string(b->unpacked) : NULL;

	return b->io ? strerror(b->io) : text ? text : "it is truncated or damaged";
}

errcode_t bfo_parse_bytes_open(struct bfo_parse_bytes *b, const struct bfo_parse *p)
{
	*b = (struct bfo_parse_bytes) { .p = p, .buffer = malloc(READ_BYTES) };
	if (p->filters)
		b->unpacked = archive_read_new();
	if (!b->buffer || (p->filters && !b->unpacked))
		return ENOMEM;
	b->is_broken = b->unpacked && open_packed(b) != ARCHIVE_OK;
	return 0;
}

void bfo_parse_bytes_close(struct bfo_parse_bytes *b)
{
	archive_read_free(b->unpacked);
	free(b->buffer);
	bfo_vec_free(&b->head);
}

#endif
