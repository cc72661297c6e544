/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * streams.h - streams of which the tree and the data are any bytes, and the rest is right
 *
 * The first byte: 1: what follows is the stream as it is.  Else its frames are made here, with
 * checksums and digests: two bytes for the length of the tree, the tree, and the data.  2: the tree
 * comes in two frames; 4: the data are cut; 8: another stream has its beginning; 64: a
 * byte in the middle is damaged.
 */
#ifndef FUZZ_STREAMS_H
#define FUZZ_STREAMS_H

#include <stddef.h>
#include <stdint.h>

/* What SIZE bytes at DATA, at least one, say, and its length; valid until the next call. */
const uint8_t *fuzz_stream(const uint8_t *data, size_t size, size_t *bytes);

#endif
