/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send_held.h - frames of a stream that may not leave yet
 *
 * What a stream says of its tree stands before it, and is known when all of the tree was walked
 * over.  As long as its frames have room here, packed, it need not be walked over once more.
 */
#ifndef BFO_EXPORT_SEND_HELD_H
#define BFO_EXPORT_SEND_HELD_H

#include "base/vec.h"
#include "wire/stream.h"

/* A zeroed one has no room. */
struct bfo_send_held {
	BFO_VEC(struct bfo_stream_head) heads;	/* without numbers and places */
	bfo_chars stored;		/* their bytes, one behind the other */
	size_t most;			/* of these */
	int is_over;			/* there were too many: none is held */
};

/* Holds a frame, or none any more.  (Where there is no memory, there is no room, either.) */
void bfo_send_hold(struct bfo_send_held *held, const struct bfo_stream_head *h, const void *stored);

void bfo_send_held_free(struct bfo_send_held *held);

#endif
