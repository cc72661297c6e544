/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packed.h - bytes that are compressed by zstd on several processors on their way to an output
 *
 * They are cut into chunks of 4 MiB, each a frame of its own with its size and a checksum.  So
 * frames can be unpacked on several processors, too, and the bytes depend on the level and on
 * libzstd's version, not on the number of threads.
 */
#ifndef BFO_EXPORT_PACKED_H
#define BFO_EXPORT_PACKED_H

#include "export/output.h"

#define BFO_PACKED_CHUNK (4U << 20)

struct bfo_packed;

/*
 * THREADS of its own compress at LEVEL; 0 threads: one per processor that this process may use.
 * Each takes 16 MiB, about.  OUT has to stay; it is the caller's, and only touched by the calling
 * thread.  Returns 0 or an error.
 */
errcode_t bfo_packed_open(struct bfo_context *ctx, struct bfo_output *out, int level,
			  unsigned int threads, struct bfo_packed **packed);

/* DATA is copied.  Waits while all chunks are being worked on. */
errcode_t bfo_packed_write(struct bfo_context *ctx, struct bfo_packed *p, const void *data,
			   size_t len);

/* Compresses and writes what is left.  The output has to be ended, too. */
errcode_t bfo_packed_end(struct bfo_context *ctx, struct bfo_packed *p);

/* Ends the threads, whatever they were at.  P may be NULL. */
void bfo_packed_free(struct bfo_packed *p);

#endif
