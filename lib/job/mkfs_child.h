/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs_child.h - running mke2fs(8), and what it says
 */
#ifndef BFO_JOB_MKFS_CHILD_H
#define BFO_JOB_MKFS_CHILD_H

#include "job/mkfs_args.h"

/*
 * Runs the command line A, which formats WHERE, and hands what mke2fs says of it to m->tell, unless
 * m->silent: each line once, with the target's name in place of WHERE's.  Returns an error where
 * mke2fs cannot be run; EINVAL for a type of filesystem that mke2fs.conf(5) does not define (with
 * -F mke2fs itself would make an ext2); BFO_ET_MKFS if mke2fs fails; BFO_ET_CANCELLED.  Where a
 * scratch file does not fit into memory, the kernel ends mke2fs before any other process:
 * BFO_ET_MKFS.
 */
errcode_t bfo_mkfs_child_run(struct bfo_mkfs *m, struct bfo_mkfs_args *a,
			     const struct bfo_mkfs_place *where);

#endif
