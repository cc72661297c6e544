/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compress.h - how a stream is compressed: the words that users write for it
 *
 *   auto		as much as the pipe leaves time for
 *   none		not at all
 *   fast		hardly
 *   1 ... 19		a level of zstd(1)
 */
#ifndef BFO_JOB_COMPRESS_H
#define BFO_JOB_COMPRESS_H

/* *LEVEL: as export/packed.h has it.  0: TEXT is none of these. */
int bfo_compress_read(const char *text, int *level, int *is_auto);

#endif
