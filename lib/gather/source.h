/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h - where a tree comes from
 *
 *   gather ── [inodes, read]* ── settle ── close
 *   arrive ── [inodes, read]* ── settle ── close	a source whose data come once
 *
 * What is asked of a source are calls for many things at once: there is one per batch, none per
 * file.  A volume is the first implementation (bfo_source_of_volume()); it alone has a batch
 * reader, which knows what reading costs.  One context serves a source, and one thread at a time.
 */
#ifndef BFO_GATHER_SOURCE_H
#define BFO_GATHER_SOURCE_H

#include "gather/arrival.h"
#include "gather/batch.h"
#include "gather/inode_walk.h"
#include "tree/tree.h"

/* In which order a source can be read. */
enum bfo_source_access {
	BFO_READ_ANYWHERE,	/* nodes in any order */
	BFO_READ_ASCENDING,	/* only ever forward, over all calls of read() */
	/* once, with the tree: read() has only what the source keeps in memory */
	BFO_READ_ARRIVING,
};

/*
 * What a tree does not tell, whoever it is of: nothing of the kind is compared.  (What single files
 * lack is 0.)
 */
enum bfo_unknown {
	BFO_UNKNOWN_ATIME = 1,
	BFO_UNKNOWN_CTIME = 2,
	BFO_UNKNOWN_CRTIME = 4,
	BFO_UNKNOWN_GENERATION = 8,
	BFO_UNKNOWN_VERSION = 16,
	BFO_UNKNOWN_FLAGS = 32,
	BFO_UNKNOWN_PROJECT = 64,
	BFO_UNKNOWN_XATTR = 128,
	BFO_UNKNOWN_HOLES = 256,
	BFO_UNKNOWN_LINK_ATIME = 512,	/* of symbolic links: reading them changes it */
};

struct bfo_source;

/* Each returns 0 or an error, whose circumstances are in the source's context. */
struct bfo_source_ops {
	/*
	 * Fills TREE, which is zeroed but for what its caller wants (keep_map_blocks): records,
	 * names, segments, attributes, findings.  CLAIMS: also looks whether two inodes have one
	 * block.
	 */
	errcode_t (*gather)(struct bfo_source *s, struct bfo_tree *tree, int claims);
	/*
	 * In its place, of sources that are BFO_READ_ARRIVING: fills TREE, whose data go TO where
	 * they stay.  NULL of others.
	 */
	errcode_t (*arrive)(struct bfo_source *s, struct bfo_tree *tree,
			    const struct bfo_arrival *to);
	/*
	 * Hands the inodes of numbers INOS, N of them, ascending, to TAKE; LOSE may be NULL
	 * (inode_walk.h).
	 */
	errcode_t (*inodes)(struct bfo_source *s, const uint32_t *inos, size_t n,
			    bfo_take_inode take, bfo_lose_inodes lose, void *priv);
	/* Reads N nodes, sorted by place, as bfo_reader_run() does. */
	errcode_t (*read)(struct bfo_source *s, const struct bfo_node *nodes, size_t n,
			  const struct bfo_sink *sink);
	/*
	 * All is read: was it the same all the time?  BFO_ET_BUSY and BFO_ET_CHANGED: not.  Single
	 * files that were not become findings of the tree that was gathered.
	 */
	errcode_t (*settle)(struct bfo_source *s);
	/*
	 * Of what comes by a stream: the frame from which on it has to come once more, if all data
	 * before PLACE are there.  NULL of others.
	 */
	uint32_t (*mark)(struct bfo_source *s, uint64_t place);
	/* Frees S and all it has.  NULL: it is the caller's, as of volumes. */
	void (*close)(struct bfo_source *s);
};

struct bfo_quota_file;

struct bfo_source {
	const struct bfo_source_ops *ops;
	struct bfo_context *ctx;
	const char *name;		/* as users call it, for messages */
	enum bfo_source_access access;
	uint32_t block_size;		/* bytes: the unit of places */
	uint32_t inode_size;		/* bytes of what inodes() hands out */
	uint8_t uuid[16];		/* of a volume; else 0 */
	struct bfo_reader *reader;	/* of a volume; NULL: it is none */
	/* of what is no volume, once it is gathered: limits of quota (quota_read.h), or NULL */
	const struct bfo_quota_file *quota;
	/* tells it from others, and from itself if it changes; once it is gathered */
	uint32_t stamp;
	uint32_t unknown;		/* a set of enum bfo_unknown; once it is gathered */
	int zeroes;			/* of what is no volume: bfo_source_zeroes() */
	/* of what is no volume: in memory, as far as was seen, so its order costs nothing */
	int is_at_hand;
	uint64_t requests, blocks;	/* of what is no volume: read so far */
	/* places from BFO_PLACE_MEMORY on that cannot be read, ascending; or NULL: none */
	const bfo_ranges *lost_places;
};

/* A source of what READER reads, which has to stay. */
void bfo_source_of_volume(struct bfo_source *s, struct bfo_reader *reader);

/*
 * Reads as ops->read() does: around the page cache (device/direct.h) if all of S IS_BULK, or if the
 * nodes lie so dense that nobody will want what is read with them.
 */
errcode_t bfo_source_read_bulk(struct bfo_source *s, const struct bfo_node *nodes, size_t n,
			       int is_bulk, const struct bfo_sink *sink);

/* True if zeroes are to take the place of data that cannot be read; else that ends the work. */
int bfo_source_zeroes(const struct bfo_source *s);

/* Block BLK, which is needed, cannot be read: notes that, and returns EIO. */
errcode_t bfo_source_failed(struct bfo_source *s, uint64_t blk);

/*
 * Hands the inodes that TREE, gathered of S, has, and perhaps others, to TAKE (inode_walk.h).
 * ENOMEM, and what inodes() returns.
 */
errcode_t bfo_source_tree_inodes(struct bfo_source *s, const struct bfo_tree *tree,
				 bfo_take_inode take, bfo_lose_inodes lose, void *priv);

/* Why block BLK cannot be read: EIO, BFO_ET_NOT_RESCUED, BFO_ET_TRUNCATED. */
errcode_t bfo_source_why(const struct bfo_source *s, uint64_t blk);

/* Requests that have read S so far, and blocks that these read. */
uint64_t bfo_source_requests(const struct bfo_source *s);
uint64_t bfo_source_blocks(const struct bfo_source *s);

/* Blocks, or places, of S that cannot be read: those among which BLK would be, ascending. */
const bfo_ranges *bfo_source_bad(const struct bfo_source *s, uint64_t blk);

#endif
