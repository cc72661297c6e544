// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream_in.c - the frames of a stream
 *
 *   pipe ── thread ──> ring ──┬── head: checked ── stored bytes: crc32c ── unpacked ── frame
 *   file ── pread ────────────'
 *
 * The ring counts bytes since the beginning; they stand at the remainder.  The thread writes where
 * nothing is, the other reads what is there: only the two counts are shared.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/pace.h"
#include "base/thread.h"
#include "intake/stream_in.h"

#define WAIT 200			/* ms until somebody looks whether to go on */
#define AT_ONCE (1U << 20)		/* bytes of a read */

/* ---- the ring ---- */

static int may_go_on(struct bfo_stream_ring *r)
{
	int go;

	pthread_mutex_lock(&r->lock);
	while (!r->stop && r->put - r->taken == BFO_STREAM_RING)
		pthread_cond_wait(&r->change, &r->lock);
	go = !r->stop;
	pthread_mutex_unlock(&r->lock);
	return go;
}

static void tell(struct bfo_stream_ring *r, ssize_t got, int err)
{
	pthread_mutex_lock(&r->lock);
	r->put += got > 0 ? got : 0;
	r->err = got > 0 ? 0 : got ? err : -1;
	pthread_cond_broadcast(&r->change);
	pthread_mutex_unlock(&r->lock);
}

static int is_stopped(struct bfo_stream_ring *r)
{
	int stop;

	pthread_mutex_lock(&r->lock);
	stop = r->stop;
	pthread_mutex_unlock(&r->lock);
	return stop;
}

/* Bytes that can be put behind those that are there, in one piece. */
static size_t room_of(const struct bfo_stream_ring *r)
{
	size_t at = r->put % BFO_STREAM_RING, room = BFO_STREAM_RING - at;
	uint64_t left = BFO_STREAM_RING - (r->put - r->taken);

	room = room < left ? room : left;
	return room < AT_ONCE ? room : AT_ONCE;
}

/* Reads until the end, or until nobody wants more. */
static void *ring_main(void *arg)
{
	struct bfo_stream_in *in = arg;
	struct bfo_stream_ring *r = &in->ring;
	struct pollfd p = { .fd = in->fd, .events = POLLIN };
	ssize_t got = 1;

	while (got > 0 && may_go_on(r)) {
		while (!bfo_cancelled(in->ctx) && !is_stopped(r) && poll(&p, 1, WAIT) <= 0)
			;
		if (is_stopped(r))
			break;
		if (bfo_cancelled(in->ctx)) {
			tell(r, -1, ECANCELED);
			break;
		}
		do
			got = read(in->fd, r->bytes + r->put % BFO_STREAM_RING, room_of(r));
		while (got < 0 && errno == EINTR);
		tell(r, got, errno);
	}
	return NULL;
}

static errcode_t start_ring(struct bfo_stream_in *in)
{
	struct bfo_stream_ring *r = &in->ring;
	int err;

	r->bytes = malloc(BFO_STREAM_RING);
	if (!r->bytes)
		return ENOMEM;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->change, NULL);
	err = bfo_thread_start(&r->thread, ring_main, in);
	if (err) {
		free(r->bytes);
		r->bytes = NULL;
	}
	return err;
}

static void stop_ring(struct bfo_stream_ring *r)
{
	if (!r->bytes)
		return;
	pthread_mutex_lock(&r->lock);
	r->stop = 1;
	pthread_cond_broadcast(&r->change);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	pthread_cond_destroy(&r->change);
	pthread_mutex_destroy(&r->lock);
	free(r->bytes);
	r->bytes = NULL;
}

/* Up to LEN bytes of those that are there, at least one; 0: the end; negative: an errno. */
static ssize_t take_ring(struct bfo_stream_ring *r, char *to, size_t len)
{
	size_t at = r->taken % BFO_STREAM_RING, n = BFO_STREAM_RING - at;
	uint64_t have;
	int err;

	pthread_mutex_lock(&r->lock);
	while (r->put == r->taken && !r->err)
		pthread_cond_wait(&r->change, &r->lock);
	have = r->put - r->taken;
	err = r->err;
	pthread_mutex_unlock(&r->lock);
	if (!have)
		return err < 0 ? 0 : -err;
	n = n < have ? n : have;
	n = n < len ? n : len;
	memcpy(to, r->bytes + at, n);
	pthread_mutex_lock(&r->lock);
	r->taken += n;
	pthread_cond_broadcast(&r->change);
	pthread_mutex_unlock(&r->lock);
	return n;
}

/* ---- bytes ---- */

errcode_t bfo_stream_in_fail(struct bfo_stream_in *in, errcode_t code, const char *why)
{
	snprintf(in->why, sizeof(in->why), "%s", why);
	return bfo_fail(in->ctx, code, "reading %s: at byte %llu: %s", in->name,
			(unsigned long long) in->begin, why);
}

/* Ends where frame NUMBER should be complete. */
static errcode_t cut(struct bfo_stream_in *in)
{
	if (!in->data_number)
		return bfo_stream_in_fail(in, BFO_ET_STREAM_CUT, "no data came");
	snprintf(in->why, sizeof(in->why), "it is cut in a frame");
	return bfo_fail(in->ctx, BFO_ET_STREAM_CUT, "reading %s: at byte %llu: %u frames of data "
			"came", in->name, (unsigned long long) in->byte, in->data_number);
}

/* The next LEN bytes; SOME: there may be none, then *LEN becomes 0. */
static errcode_t take(struct bfo_stream_in *in, void *to, size_t len)
{
	size_t done = 0;
	ssize_t got;

	bfo_pace_take(in->ctx->pace, len);
	while (done < len) {
		if (bfo_cancelled(in->ctx))
			return bfo_fail(in->ctx, BFO_ET_CANCELLED, "reading %s", in->name);
		got = in->is_file ? pread(in->fd, (char *) to + done, len - done, in->byte + done)
				  : take_ring(&in->ring, (char *) to + done, len - done);
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
				       .is_file = bfo_stream_in_is_file(fd) };
	in->stored = malloc(BFO_STREAM_MOST);
	in->raw = malloc(BFO_STREAM_MOST);
	in->codec = ZSTD_createDCtx();
	err = in->stored && in->raw && in->codec ? 0 : ENOMEM;
	if (!err)
		err = bfo_hasher_open(&in->hasher, BFO_SUM_SHA256);
	if (!err && !in->is_file)
		err = start_ring(in);
	if (err)
		return bfo_fail(ctx, err, "opening %s", name);
	return take_preamble(in);
}

void bfo_stream_in_close(struct bfo_stream_in *in)
{
	stop_ring(&in->ring);
	bfo_hasher_close(&in->hasher);
	ZSTD_freeDCtx(in->codec);
	bfo_vec_free(&in->index);
	free(in->stored);
	free(in->raw);
	*in = (struct bfo_stream_in) { .fd = -1 };
}
