// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spill.c - sorted runs of records in a temporary file that has no name
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/bfo_err.h"
#include "base/spill.h"
#include "base/temporary.h"

#define HEAD 8U				/* bytes before a frame */
#define LEVEL 1				/* the temporary file is read about once */

static size_t packed_bytes(size_t frame)
{
	return HEAD + ZSTD_compressBound(frame);
}

size_t bfo_spill_bytes(size_t frame)
{
	return frame + packed_bytes(frame) + BFO_SPILL_CODEC;
}

size_t bfo_spill_allocated(const struct bfo_spill *f)
{
	return (f->raw ? f->frame : 0) + (f->packed ? packed_bytes(f->frame) : 0) +
	       ZSTD_sizeof_CCtx(f->packer) + ZSTD_sizeof_DCtx(f->unpacker);
}

size_t bfo_spill_record(unsigned int words, uint32_t len)
{
	return 4 * (words + 1) + (size_t) len;
}

static errcode_t open_codec(struct bfo_spill *f)
{
	f->packer = ZSTD_createCCtx();
	f->unpacker = ZSTD_createDCtx();
	f->raw = malloc(f->frame);
	f->packed = malloc(packed_bytes(f->frame));
	if (!f->packer || !f->unpacker || !f->raw || !f->packed)
		return ENOMEM;
	ZSTD_CCtx_setParameter(f->packer, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(f->packer, ZSTD_c_checksumFlag, 1);
	return 0;
}

errcode_t bfo_spill_open(struct bfo_spill *f, const char *folder, unsigned int words, size_t frame)
{
	errcode_t err;

	memset(f, 0, sizeof(*f));
	f->words = words;
	f->frame = frame;
	err = bfo_temporary_unnamed(folder, &f->fd);
	if (!err)
		err = open_codec(f);
	if (err)
		bfo_spill_close(f);
	return err;
}

void bfo_spill_close(struct bfo_spill *f)
{
	if (f->fd >= 0)
		close(f->fd);
	ZSTD_freeCCtx(f->packer);
	ZSTD_freeDCtx(f->unpacker);
	free(f->raw);
	free(f->packed);
	memset(f, 0, sizeof(*f));
	f->fd = -1;
}

/* ---- writing ---- */

static errcode_t write_all(int fd, const uint8_t *buf, size_t bytes, uint64_t at)
{
	ssize_t n;

	for (; bytes; buf += n, bytes -= n, at += n) {
		n = pwrite(fd, buf, bytes, at);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n <= 0)
			return n ? errno : EIO;
	}
	return 0;
}

static errcode_t flush(struct bfo_spill *f)
{
	size_t packed = ZSTD_compress2(f->packer, f->packed + HEAD, packed_bytes(f->frame) - HEAD,
				       f->raw, f->used);
	uint32_t head[2] = { f->used, packed };
	errcode_t err;

	if (ZSTD_isError(packed))
		return ENOMEM;		/* nothing else can be wrong */
	memcpy(f->packed, head, HEAD);
	err = write_all(f->fd, f->packed, HEAD + packed, f->end);
	f->end += HEAD + packed;
	f->written += HEAD + packed;
	f->used = 0;
	return err;
}

void bfo_spill_begin(struct bfo_spill *f, struct bfo_spill_run *run)
{
	run->at = run->end = f->end;
}

errcode_t bfo_spill_add(struct bfo_spill *f, const struct bfo_sorted *rec)
{
	size_t bytes = bfo_spill_record(f->words, rec->len);
	errcode_t err = 0;
	uint8_t *p;

	if (f->used + bytes > f->frame)
		err = flush(f);
	p = f->raw + f->used;
	memcpy(p, rec->key, 4 * f->words);
	memcpy(p + 4 * f->words, &rec->len, 4);
	if (rec->len)
		memcpy(p + 4 * f->words + 4, rec->data, rec->len);
	f->used += bytes;
	return err;
}

errcode_t bfo_spill_end(struct bfo_spill *f, struct bfo_spill_run *run)
{
	errcode_t err = f->used ? flush(f) : 0;

	run->end = f->end;
	return err;
}

void bfo_spill_drop(struct bfo_spill *f, const struct bfo_spill_run *run)
{
	int failed = fallocate(f->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, run->at,
			       run->end - run->at);

	(void) failed;			/* then it stays allocated until the file is closed */
}

/* ---- reading ---- */

static errcode_t read_all(int fd, uint8_t *buf, size_t bytes, uint64_t at)
{
	ssize_t n;

	for (; bytes; buf += n, bytes -= n, at += n) {
		n = pread(fd, buf, bytes, at);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n <= 0)
			return n ? errno : BFO_ET_SPILL;
	}
	return 0;
}

static errcode_t read_frame(struct bfo_spill *f, struct bfo_spill_cursor *c)
{
	uint32_t head[2];
	errcode_t err = read_all(f->fd, (uint8_t *) head, HEAD, c->left.at);

	if (err)
		return err;
	if (!head[0] || head[0] > f->frame || head[1] > packed_bytes(f->frame) - HEAD ||
	    head[1] > c->left.end - c->left.at - HEAD)
		return BFO_ET_SPILL;
	err = read_all(f->fd, f->packed, head[1], c->left.at + HEAD);
	if (err)
		return err;
	if (ZSTD_decompressDCtx(f->unpacker, c->raw, f->frame, f->packed, head[1]) != head[0])
		return BFO_ET_SPILL;
	c->left.at += HEAD + head[1];
	c->used = 0;
	c->filled = head[0];
	return 0;
}

void bfo_spill_seek(struct bfo_spill_cursor *c, const struct bfo_spill_run *run, uint8_t *raw)
{
	*c = (struct bfo_spill_cursor) { .left = *run, .raw = raw };
}

errcode_t bfo_spill_next(struct bfo_spill *f, struct bfo_spill_cursor *c, struct bfo_sorted *rec,
			 int *more)
{
	size_t head = bfo_spill_record(f->words, 0);
	errcode_t err = 0;

	*more = c->used < c->filled || c->left.at < c->left.end;
	if (!*more)
		return 0;
	if (c->used == c->filled)
		err = read_frame(f, c);
	if (err)
		return err;
	if (c->filled - c->used < head)
		return BFO_ET_SPILL;
	memset(rec->key, 0, sizeof(rec->key));
	memcpy(rec->key, c->raw + c->used, 4 * f->words);
	memcpy(&rec->len, c->raw + c->used + 4 * f->words, 4);
	c->used += head;
	if (rec->len > c->filled - c->used)
		return BFO_ET_SPILL;
	rec->data = c->raw + c->used;
	c->used += rec->len;
	return 0;
}
