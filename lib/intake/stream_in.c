// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream_in.c - the frames of a stream
 *
 *   pipe ── ring ───┬── head: checked ── stored bytes: crc32c ── unpacked ── frame
 *   file ── pread ──'
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/pace.h"
#include "intake/stream_in.h"

/* ---- bytes ---- */

errcode_t bfo_stream_in_fail(struct bfo_stream_in *in, errcode_t code, const char *why)
{
	snprintf(in->why, sizeof(in->why), "%s", why);
	return bfo_fail(in->ctx, code, "reading %s: at byte %llu: %s", in->name,
			(unsigned long long) in->begin, why);
}

/* It ends where more of the frame at hand should be. */
static errcode_t cut(struct bfo_stream_in *in)
{
	uint32_t n = in->data_number;

	if (!n)
		return bfo_stream_in_fail(in, BFO_ET_STREAM_CUT, in->byte ?
					  "it ends before its first frame of data" :
					  "it is empty, or ends in its first bytes");
	snprintf(in->why, sizeof(in->why), "it is cut in a frame");
	return bfo_fail(in->ctx, BFO_ET_STREAM_CUT, "reading %s: at byte %llu: it ends behind %u "
			"frame%s of data", in->name, (unsigned long long) in->byte, n,
			n == 1 ? "" : "s");
}

/* The next LEN bytes. */
static errcode_t take(struct bfo_stream_in *in, void *to, size_t len)
{
	size_t done = 0;
	ssize_t got;

	bfo_pace_take(in->ctx->pace, len);
	while (done < len) {
		if (bfo_cancelled(in->ctx))
			return bfo_fail(in->ctx, BFO_ET_CANCELLED, "reading %s", in->name);
		got = in->is_file ? pread(in->fd, (char *) to + done, len - done, in->byte + done)
				  : bfo_ring_take(&in->ring, (char *) to + done, len - done);
		if (in->is_file && got < 0)
			got = -errno;
		if (got == -EINTR)
			continue;
		if (got == -ECANCELED)
			return bfo_fail(in->ctx, BFO_ET_CANCELLED, "reading %s", in->name);
		if (got < 0)
			return bfo_fail(in->ctx, -got, "reading %s", in->name);
		if (!got)
			return cut(in);
		done += got;
	}
	in->byte += len;
	return 0;
}

/* ---- frames ---- */

/* The head that came fits behind those before it. */
static const char *check_order(const struct bfo_stream_in *in, const struct bfo_stream_head *h)
{
	if (!bfo_stream_in_is_ours(in, h))
		return "a frame of another stream";
	if (h->kind == BFO_STREAM_DATA) {
		if (h->number != in->data_number || h->at != in->data_at)
			return "a frame of data is missing, or comes twice";
		return !h->bytes || h->bytes > BFO_STREAM_CHUNK ? "a frame of data has no data"
								: NULL;
	}
	return h->number == in->number ? NULL : "a frame is missing, or comes twice";
}

static errcode_t unpack(struct bfo_stream_in *in, const struct bfo_stream_head *h)
{
	size_t got;

	if (bfo_crc32c(~0U, in->stored, h->stored) != h->crc)
		return bfo_stream_in_fail(in, BFO_ET_STREAM_DAMAGED,
					  "the bytes of a frame are damaged");
	if (!h->is_packed)
		return 0;
	got = ZSTD_decompressDCtx(in->codec, in->raw, h->bytes, in->stored, h->stored);
	return got == h->bytes ? 0 : bfo_stream_in_fail(in, BFO_ET_STREAM_DAMAGED,
							"a frame cannot be unpacked");
}

static void note_digest(struct bfo_stream_in *in, const struct bfo_stream_frame *f)
{
	struct bfo_sums sums;

	bfo_hasher_add(&in->hasher, f->data, f->head.bytes);
	bfo_hasher_end(&in->hasher, &sums);
	memcpy(in->digest, sums.sha256, sizeof(in->digest));
}

static errcode_t take_head(struct bfo_stream_in *in, struct bfo_stream_head *h)
{
	uint8_t bytes[BFO_STREAM_HEAD];
	errcode_t err = take(in, bytes, sizeof(bytes));
	const char *why;

	if (err)
		return err;
	why = bfo_stream_get_head(bytes, h);
	if (!why)
		why = check_order(in, h);
	return why ? bfo_stream_in_fail(in, BFO_ET_STREAM_DAMAGED, why) : 0;
}

/* The one that comes, of any kind that need not be known. */
static errcode_t take_frame(struct bfo_stream_in *in, struct bfo_stream_frame *f)
{
	errcode_t err;

	in->begin = in->byte;
	err = take_head(in, &f->head);
	if (err)
		return err;
	if (f->head.is_needed)
		return bfo_stream_in_fail(in, BFO_ET_STREAM_FEATURE,
					  "a frame of a kind that has to be known");
	err = take(in, in->stored, f->head.stored);
	if (!err)
		err = unpack(in, &f->head);
	if (err)
		return err;
	if (f->head.kind != BFO_STREAM_DATA)
		in->number++;
	f->data = f->head.is_packed ? in->raw : in->stored;
	if (f->head.kind == BFO_STREAM_TREE_END && f->head.bytes >= BFO_STREAM_DIGEST) {
		in->index_end = in->byte;
		in->tree = bfo_stream_mark((const uint8_t *) f->data);
	}
	return 0;
}

errcode_t bfo_stream_in_any(struct bfo_stream_in *in, struct bfo_stream_frame *f)
{
	uint64_t begin = in->byte;
	errcode_t err = take_frame(in, f);

	if (err || f->head.kind != BFO_STREAM_DATA)
		return err;
	if (in->is_file && in->data_number - in->preamble.first == in->index.n) {
		err = bfo_vec_push(&in->index, begin);
		in->index_end = in->byte;
	}
	in->data_number++;
	in->data_at += f->head.bytes;
	note_digest(in, f);
	return err ? bfo_fail(in->ctx, err, "reading %s", in->name) : 0;
}

errcode_t bfo_stream_in_next(struct bfo_stream_in *in, struct bfo_stream_frame *f)
{
	errcode_t err;

	do
		err = bfo_stream_in_any(in, f);
	while (!err && bfo_stream_in_is_foreign(&f->head));
	return err;
}

int bfo_stream_in_head(struct bfo_stream_in *in, uint64_t byte, struct bfo_stream_head *h)
{
	uint8_t bytes[BFO_STREAM_HEAD];
	ssize_t got;

	do
		got = pread(in->fd, bytes, sizeof(bytes), byte);
	while (got < 0 && errno == EINTR);
	return got == sizeof(bytes) && !bfo_stream_get_head(bytes, h);
}

errcode_t bfo_stream_in_frame(struct bfo_stream_in *in, uint64_t byte, struct bfo_stream_frame *f)
{
	struct bfo_stream_head h;

	in->byte = in->begin = byte;
	if (!bfo_stream_in_head(in, byte, &h))
		return bfo_stream_in_fail(in, BFO_ET_STREAM_DAMAGED, "no frame begins here");
	if (h.kind == BFO_STREAM_DATA) {
		in->data_number = h.number;
		in->data_at = h.at;
	} else {
		in->number = h.number;
	}
	return bfo_stream_in_any(in, f);
}

/* The index reaches frame NUMBER, counted from the first one here, or all there are. */
static errcode_t extend_index(struct bfo_stream_in *in, uint64_t number)
{
	struct bfo_stream_head h;
	errcode_t err = 0;

	while (!err && in->index.n <= number) {
		in->byte = in->index_end;
		in->data_number = in->preamble.first + in->index.n;
		in->data_at = (uint64_t) in->data_number * BFO_STREAM_CHUNK;
		err = take_head(in, &h);
		if (err || h.kind != BFO_STREAM_DATA) {
			in->byte = in->index_end;
			break;
		}
		err = bfo_vec_push(&in->index, in->byte - BFO_STREAM_HEAD);
		if (err)
			err = bfo_fail(in->ctx, err, "reading %s", in->name);
		in->index_end = in->byte + h.stored;
	}
	return err;
}

errcode_t bfo_stream_in_seek(struct bfo_stream_in *in, uint64_t at)
{
	uint64_t number = at / BFO_STREAM_CHUNK - in->preamble.first;
	errcode_t err = extend_index(in, number);

	if (err)
		return err;
	if (number > in->index.n)
		number = in->index.n;
	in->data_number = in->preamble.first + number;
	in->data_at = (uint64_t) in->data_number * BFO_STREAM_CHUNK;
	in->byte = number < in->index.n ? in->index.v[number] : in->index_end;
	return 0;
}

/* ---- opening ---- */

static errcode_t check_features(struct bfo_stream_in *in)
{
	const struct bfo_stream_preamble *p = &in->preamble;
	char text[96];

	if (p->major == BFO_STREAM_MAJOR && !(p->incompat & ~BFO_STREAM_KNOWN_INCOMPAT))
		return 0;
	snprintf(text, sizeof(text), "it has version %u.%u and features %#x, and this e2bfo reads "
		 "version %u", p->major, p->minor, p->incompat, BFO_STREAM_MAJOR);
	return bfo_stream_in_fail(in, BFO_ET_STREAM_FEATURE, text);
}

static errcode_t take_facts(struct bfo_stream_in *in)
{
	struct bfo_stream_frame f;
	errcode_t err = bfo_stream_in_next(in, &f);
	const char *why;

	if (err)
		return err;
	if (f.head.kind != BFO_STREAM_FACTS)
		return bfo_stream_in_fail(in, BFO_ET_STREAM_DAMAGED,
					  "it does not say what is in it");
	why = bfo_stream_get_facts((const uint8_t *) f.data, f.head.bytes, &in->facts);
	if (why)
		return bfo_stream_in_fail(in, BFO_ET_STREAM_DAMAGED, why);
	memcpy(in->facts_bytes, f.data, sizeof(in->facts_bytes));
	return 0;
}

static errcode_t take_preamble(struct bfo_stream_in *in)
{
	uint8_t bytes[BFO_STREAM_PREAMBLE];
	errcode_t err = take(in, bytes, sizeof(bytes));

	if (err)
		return err;
	err = bfo_stream_get_preamble(bytes, &in->preamble);
	if (err)
		return bfo_stream_in_fail(in, err, "its first bytes");
	err = check_features(in);
	in->data_number = in->preamble.first;
	in->data_at = (uint64_t) in->data_number * BFO_STREAM_CHUNK;
	return err ? err : take_facts(in);
}

int bfo_stream_in_is_file(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)) &&
	       !lseek(fd, 0, SEEK_CUR);
}

errcode_t bfo_stream_in_open(struct bfo_stream_in *in, struct bfo_context *ctx, const char *name,
			     int fd)
{
	errcode_t err;

	*in = (struct bfo_stream_in) { .ctx = ctx, .name = name, .fd = fd,
				       .is_file = bfo_stream_in_is_file(fd),
				       .origin = lseek(fd, 0, SEEK_CUR) };
	in->stored = malloc(BFO_STREAM_MOST);
	in->raw = malloc(BFO_STREAM_MOST);
	in->codec = ZSTD_createDCtx();
	err = in->stored && in->raw && in->codec ? 0 : ENOMEM;
	if (!err)
		err = bfo_hasher_open(&in->hasher, BFO_SUM_SHA256);
	if (!err && !in->is_file)
		err = bfo_ring_start(&in->ring, ctx, fd, BFO_STREAM_RING);
	if (err)
		return bfo_fail(ctx, err, "opening %s", name);
	return take_preamble(in);
}

void bfo_stream_in_leave(struct bfo_stream_in *in)
{
	bfo_ring_stop(&in->ring);
	if (in->origin >= 0)
		lseek(in->fd, in->origin + in->byte, SEEK_SET);
}

void bfo_stream_in_close(struct bfo_stream_in *in)
{
	bfo_ring_stop(&in->ring);
	bfo_hasher_close(&in->hasher);
	ZSTD_freeDCtx(in->codec);
	bfo_vec_free(&in->index);
	free(in->stored);
	free(in->raw);
	*in = (struct bfo_stream_in) { .fd = -1 };
}
