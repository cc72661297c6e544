/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs_child.h - running mke2fs(8), and what it says
 */
#ifndef E2BFO_COPY_MKFS_CHILD_H
#define E2BFO_COPY_MKFS_CHILD_H

#include "mkfs_args.h"

/*
 * Runs the command line A, which formats WHERE, and shows what mke2fs says of it, unless m->silent: each
 * line once in an operation, with the target's name in place of WHERE's.  A type of filesystem that
 * mke2fs.conf(5) does not define is refused: mke2fs itself, with -F, makes an ext2.  Where a scratch
 * file does not fit into memory, the kernel ends mke2fs before any other process: BFO_ET_MKFS.
 */
errcode_t mkfs_child_run(struct mkfs *m, struct mkfs_args *a, const struct mkfs_place *where);

#endif
