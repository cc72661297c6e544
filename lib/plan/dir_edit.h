/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dir_edit.h - a directory that exists, changed in a few of its blocks
 *
 *   inline          into both regions, of which the second grows once, to all its room; what does
 *                   not fit there makes a block of it
 *   linear          into the first block with a gap; behind the last one into a new block; with
 *                   dir_index a full single block becomes an htree
 *   htree           into the leaf of the hash; a full leaf is cut by hash into as many as are
 *                   needed, evenly, full nodes in halves, and a full root gets a level below it
 *
 * A directory never shrinks, as in the kernel.  Index and checksums are right after every call.
 * Nothing here does I/O: the caller gives blocks out of what it keeps, and writes those that it
 * gave to be changed.  Later calls see earlier changes, as these are in the blocks.
 *
 * Errors: BFO_ET_NO_PATH (no such name), BFO_ET_CLASH (a name is there already), BFO_ET_DAMAGED
 * (with block and byte), BFO_ET_FEATURE (casefolded, encrypted: refused), BFO_ET_DIR_TOO_BIG (the
 * index is full, or 4 GiB without large_dir), ENOMEM; those of the store, as they are.
 */
#ifndef BFO_PLAN_DIR_EDIT_H
#define BFO_PLAN_DIR_EDIT_H

#include "base/context.h"
#include "gather/target.h"

/*
 * Where the blocks are.  LBLK is a logical block of the directory, below its size but for GROW: a
 * new one is always the one behind the last.  All give the bytes of a block, aligned to 8, of a
 * grown one in any state.  PEEK's stay valid until the next call of the store; GET's and GROW's
 * until the function of this header that asked returns.  What was got or grown is what a later
 * PEEK finds.
 */
struct bfo_dir_store {
	void *priv;
	errcode_t (*peek)(void *priv, uint32_t lblk, const void **block);
	errcode_t (*get)(void *priv, uint32_t lblk, void **block);	/* to be changed */
	errcode_t (*grow)(void *priv, uint32_t lblk, void **block);	/* the same, of a new one */
};

/* The content of a directory that stands in its inode. */
struct bfo_dir_inline {
	uint8_t *head;			/* i_block: 60 bytes */
	uint8_t *tail;			/* the value of system.data, in TAIL_ROOM bytes; not NULL */
	uint32_t tail_len, tail_room;	/* TAIL_ROOM: the most that may stand in the inode */
};

/*
 * A directory.  The caller sets all fields; changes bring SIZE, FLAGS and *INL up to date, and the
 * caller then writes them into the inode.  An inline directory has become blocks when FLAGS have no
 * EXT4_INLINE_DATA_FL any more: then all blocks below SIZE were grown, and the caller makes i_block
 * anew and removes system.data.
 */
struct bfo_dir_edit {
	struct bfo_context *ctx;
	const struct bfo_target *target;	/* the volume's shape */
	const struct bfo_dir_store *store;
	uint32_t ino, generation;
	uint32_t flags;			/* i_flags */
	uint64_t size;			/* i_size */
	struct bfo_dir_inline *inl;	/* NULL: not inline */
};

/* What a name leads to. */
struct bfo_dir_name {
	const char *name;
	uint32_t len;			/* 1 ... 255 bytes */
	uint32_t ino;
	uint8_t type;			/* EXT2_FT_*; 0 is all that is read without filetype */
};

/*
 * What NAME leads to: its inode and type.  ".." is a name, too, "." is none.  Reads the blocks on
 * the way alone, of an htree one of each level; BFO_ET_NO_PATH if it is not there, without a text.
 */
errcode_t bfo_dir_edit_find(const struct bfo_dir_edit *d, struct bfo_dir_name *name);

/* For all names but "." and "..", as they stand in all blocks; an error of TAKE ends it. */
errcode_t bfo_dir_edit_each(const struct bfo_dir_edit *d,
			    errcode_t (*take)(void *priv, const struct bfo_dir_name *name),
			    void *priv);

/* *EMPTY: the directory has no names but "." and "..".  Stops at the first. */
errcode_t bfo_dir_edit_is_empty(const struct bfo_dir_edit *d, int *empty);

enum bfo_dir_step {
	BFO_DIR_INSERT,			/* the name must not be there */
	BFO_DIR_REMOVE,			/* it must be; what it leads to does not matter */
	BFO_DIR_POINT,			/* it must be, and leads to INO and TYPE now; also ".." */
};

struct bfo_dir_change {
	uint32_t hash;			/* set here */
	int is_done;			/* set here */
	struct bfo_dir_name to;
	enum bfo_dir_step step;
};

/*
 * Makes N changes, each of another name; their order does not matter and is another afterwards.
 * They are sorted by hash, so that each leaf is visited once.  After an error, blocks, SIZE, FLAGS
 * and *INL may be changed in part: the caller drops them all.  Memory: up to 60 bytes a change, and
 * some blocks.
 */
errcode_t bfo_dir_edit_apply(struct bfo_dir_edit *d, struct bfo_dir_change *changes, size_t n);

#endif
