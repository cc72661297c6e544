/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * itrees_write.h - the container of a plan: trees sized, built and written
 *
 *   names, sorted ── builder ── sizes      before there is space
 *   names, sorted ── builder ──┐
 *   container there was ───────┴── blocks, ascending, each once
 *
 * Names are sorted by (inode number of the directory, of the name, hash); their data is a byte with
 * the type (EXT2_FT_*), then the bytes of the name.
 */
#ifndef BFO_COMMIT_ITREES_WRITE_H
#define BFO_COMMIT_ITREES_WRITE_H

#include "base/extsort.h"
#include "commit/writer.h"
#include "gather/container.h"
#include "plan/itrees.h"

/* Where trees come from. */
struct bfo_itree_source {
	/* finished; of all directories that are not kept, or more */
	struct bfo_extsort *names;
	struct bfo_container *old;	/* where trees that are kept stand; or NULL */
};

/* Adds a name to NAMES: it stands in directory DIR of the target and leads to INO. */
errcode_t bfo_itree_name_add(struct bfo_extsort *names, uint32_t dir, uint32_t ino, uint32_t hash,
			     uint32_t type, const char *text, uint32_t len);

/* What S, out of such names, says as an entry; valid as long as S. */
struct itree_entry bfo_itree_name(const struct bfo_sorted *s);

/*
 * The container that is to be replaced: its number and blocks for IT, its header (but for size and
 * times) as it was.  C was found, damaged or not.
 */
errcode_t bfo_itrees_replace(struct bfo_itrees *it, const struct bfo_container *c);

/* Sizes all trees of PLAN that are not kept, and with them the container. */
errcode_t bfo_itrees_size(struct bfo_plan *plan, const struct bfo_itree_source *from);

/*
 * Writes the container to its blocks in the stem, after bfo_tables_write(), which says what becomes
 * of directories.  BFO_ET_CHANGED if the trees are not of the sizes that were planned.
 */
errcode_t bfo_itrees_write(struct bfo_plan *plan, struct bfo_writer *w,
			   const struct bfo_itree_source *from);

#endif
