/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packed.h - bytes that are compressed by zstd on several processors on their way to an output
 *
 * They are cut into chunks, each a frame of zstd's of its own.  So frames can be unpacked on
 * several processors, too, and the bytes depend on the level and on libzstd's version, not on the
 * number of threads.
 *
 * An archive's chunks have 4 MiB, their size and a checksum, and nothing between them.  Whoever
 * puts heads before them (framed) gets a checksum of each, a digest of those for which he wants
 * one, and perhaps the chunk as it is.
 */
#ifndef BFO_EXPORT_PACKED_H
#define BFO_EXPORT_PACKED_H

#include <limits.h>

#include "base/hasher.h"
#include "export/output.h"

#define BFO_PACKED_CHUNK (4U << 20)

#define BFO_PACKED_NONE INT_MIN		/* a level: as it is; framed ones only */

struct bfo_packed;

/* A chunk that is done. */
struct bfo_packed_chunk {
	unsigned int tag;		/* the caller's */
	const void *stored;
	size_t stored_len, len;		/* as it stands there; of what it is */
	int is_packed;
	uint32_t crc;			/* of those that are framed: crc32c of what is stored */
	uint8_t digest[BFO_SHA256_BYTES];	/* of what it is, if its tag is `digested` */
};

struct bfo_packed_options {
	size_t chunk;			/* bytes */
	int level;			/* zstd's, or BFO_PACKED_NONE */
	unsigned int threads;		/* 0: one per processor that this process may use */
	int is_framed;
	unsigned int digested;		/* a tag: chunks that have it get digests */
	/* Takes chunks in their order, by the calling thread. */
	errcode_t (*put)(void *priv, struct bfo_context *ctx, const struct bfo_packed_chunk *c);
	void *priv;
	const char *name;		/* for messages; has to stay */
};

/* BFO_ET_NO_LIBGCRYPT and ENOMEM, too. */
errcode_t bfo_packed_begin(struct bfo_context *ctx, const struct bfo_packed_options *opt,
			   struct bfo_packed **packed);

/*
 * The same of an archive.  THREADS of its own compress at LEVEL; 0 threads: one per processor that
 * this process may use.  Each takes 16 MiB, about.  OUT has to stay; it is the caller's, and only
 * touched by the calling thread.  Returns 0 or an error.
 */
errcode_t bfo_packed_open(struct bfo_context *ctx, struct bfo_output *out, int level,
			  unsigned int threads, struct bfo_packed **packed);

/* DATA is copied.  Waits while all chunks are being worked on. */
errcode_t bfo_packed_write(struct bfo_context *ctx, struct bfo_packed *p, const void *data,
			   size_t len);

/* What was written so far makes a chunk, if it is anything. */
errcode_t bfo_packed_cut(struct bfo_context *ctx, struct bfo_packed *p);

/* Of the chunk that is being filled, and all that follow. */
void bfo_packed_tag(struct bfo_packed *p, unsigned int tag);
void bfo_packed_set_level(struct bfo_packed *p, int level);

/* Seconds that the caller has waited for threads since it asked last. */
double bfo_packed_waited(struct bfo_packed *p);

/* Compresses and writes what is left.  The output has to be ended, too. */
errcode_t bfo_packed_end(struct bfo_context *ctx, struct bfo_packed *p);

/* Ends the threads, whatever they were at.  P may be NULL. */
void bfo_packed_free(struct bfo_packed *p);

#endif
