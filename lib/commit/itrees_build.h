/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * itrees_build.h - the blocks of a container, from sorted names and the one there was
 *
 *   names, sorted ── builder ── sizes      before there is space
 *   names, sorted ── builder ──┐
 *   container there was ───────┴── blocks, ascending, each once ── sink
 *
 * Where the blocks go is the sink's business: to the stem of a plan (itrees_write.h), or to a file.
 *
 * Names are sorted by (inode number of the directory, of the name, hash); their data is a byte with
 * the type (EXT2_FT_*), then the bytes of the name.
 */
#ifndef BFO_COMMIT_ITREES_BUILD_H
#define BFO_COMMIT_ITREES_BUILD_H

#include "base/extsort.h"
#include "gather/container.h"
#include "plan/itrees.h"

/* Where trees come from. */
struct bfo_itree_source {
	/* finished; of all directories that are not kept, or more */
	struct bfo_extsort *names;
	struct bfo_container *old;	/* where trees that are kept stand; or NULL */
};

/* Where blocks go: N of them, from block BLK of the container on. */
struct bfo_itree_sink {
	errcode_t (*put)(void *priv, uint32_t blk, uint32_t n, const void *blocks);
	void *priv;
};

/* Adds a name to NAMES: it stands in directory DIR of the target and leads to INO. */
errcode_t bfo_itree_name_add(struct bfo_extsort *names, uint32_t dir, uint32_t ino, uint32_t hash,
			     uint32_t type, const char *text, uint32_t len);

/* What S, out of such names, says as an entry; valid as long as S. */
struct itree_entry bfo_itree_name(const struct bfo_sorted *s);

/* Sizes all trees of IT that are not kept, and with them the container. */
errcode_t bfo_itrees_measure(struct bfo_context *ctx, struct bfo_itrees *it,
			     const struct bfo_itree_source *from);

/*
 * Hands all blocks of the container, which was measured, to the sink.  BFO_ET_CHANGED if the trees
 * are not of the sizes that were measured.
 */
errcode_t bfo_itrees_build(struct bfo_context *ctx, struct bfo_itrees *it,
			   const struct bfo_itree_source *from, const struct bfo_itree_sink *to);

#endif
