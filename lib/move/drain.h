/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drain.h - where data goes that has been read: the end of a pipe
 *
 * Its owner fills it in.  A volume's is made by its writer (commit/writer.h).
 *
 * Who wants the bytes of files and not their blocks says that it is packed.  Then the block in
 * which the data of a file end has only these, and the next file's follow (bfo_packed_bytes() of
 * move/follow.h):
 *
 *	whole		|a a a a|a a - -|b - - -|c c c c|c - - -|
 *	packed		|a a a a|a a|b|c c c c|c|
 */
#ifndef BFO_MOVE_DRAIN_H
#define BFO_MOVE_DRAIN_H

#include <stdint.h>

#include "base/context.h"

struct bfo_drain {
	uint32_t block_size;		/* bytes */
	int is_packed;			/* else what is written are whole blocks */
	/*
	 * If not NULL: called before anything is written, by the thread that writes, while the
	 * first data are being read.
	 */
	errcode_t (*begin)(void *priv);
	/*
	 * Writes LEN blocks at DATA to place BLK; called by one thread, in the order of the plan.
	 */
	errcode_t (*write)(void *priv, uint64_t blk, uint32_t len, const void *data);
	/*
	 * If not NULL: what is read lies on the same disk, which has one head, so reading and
	 * writing take turns; called when a buffer is written, before more is read: all that was
	 * written is on the disk when it returns.
	 */
	errcode_t (*settle)(void *priv);
	/* Makes of BLOCK, attributes in the form of the disk, what is to stand at place BLK. */
	void (*seal_attributes)(void *priv, uint64_t blk, void *block);
	void *priv;
	/* What write() notes failures in: another one while a thread of its own calls that. */
	struct bfo_context **ctx;
};

#endif
