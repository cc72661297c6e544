/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * itrees_change.h - small changes of a container: brought up to date, or removed
 */
#ifndef BFO_COMMIT_ITREES_CHANGE_H
#define BFO_COMMIT_ITREES_CHANGE_H

#include "gather/container.h"

/*
 * All trees of C are right as they are: header and catalogue become those of the filesystem as it
 * is now.  DIRS: the catalogue, c->header.trees entries of the same trees.
 */
errcode_t bfo_itrees_refresh(const struct bfo_container *c, const struct itree_dir *dirs,
			     int64_t now, const char *undo_file);

/* Removes the container C, which was found, damaged or not: name, inode and blocks. */
errcode_t bfo_itrees_remove(const struct bfo_container *c, int64_t now, const char *undo_file);

#endif
