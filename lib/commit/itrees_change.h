/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * itrees_change.h - small changes of a container: brought up to date, or removed
 *
 * Errors: BFO_ET_ROOT_DAMAGED, BFO_ET_DAMAGED, BFO_ET_FEATURE, ENOMEM; those of reading and
 * writing.
 */
#ifndef BFO_COMMIT_ITREES_CHANGE_H
#define BFO_COMMIT_ITREES_CHANGE_H

#include "commit/fate.h"
#include "gather/container.h"

/*
 * All trees of C are right as they are: header and catalogue become those of the filesystem as it
 * is now.  DIRS: the catalogue, c->header.trees entries of the same trees.  *FATE: what has become
 * of the filesystem, after a failure, too.
 */
errcode_t bfo_itrees_refresh(const struct bfo_container *c, const struct itree_dir *dirs,
			     int64_t now, const char *undo_file, enum bfo_fate *fate);

/*
 * Removes the container C, which was found, damaged or not: name, inode and blocks.  *FATE as
 * above.
 */
errcode_t bfo_itrees_remove(const struct bfo_container *c, int64_t now, const char *undo_file,
			    enum bfo_fate *fate);

#endif
