/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inline.h - small files, symbolic links and directories that stand in their inode
 *
 * Format: kernel Documentation/filesystems/ext4/inlinedata.rst.  The first 60 bytes stand in
 * i_block, the rest is the value of system.data among the attributes in the inode.  Where both
 * filesystems differ in that, or in the size of inodes, contents move into a block or out of one.
 */
#ifndef BFO_PLAN_INLINE_H
#define BFO_PLAN_INLINE_H

#include "plan/dirimage.h"
#include "plan/plan.h"

#define BFO_INLINE_HEAD 60U	/* bytes of i_block */
#define BFO_INLINE_PARENT 4U	/* of these, in a directory: the parent's number */

/* How many bytes of content fit into the inode of REC, beside its attributes. */
uint32_t bfo_inline_room(const struct bfo_plan *plan, const struct bfo_inode *rec);

/* The most that can stand in an inode of TARGET: of one without attributes.  0: nothing can. */
uint32_t bfo_inline_most(const struct bfo_target *target);

/*
 * True if REC, no directory, is going to stand in its inode: if it does so in the source, or if it
 * could not there.
 */
int bfo_inline_fits(const struct bfo_plan *plan, const struct bfo_inode *rec);

/*
 * The content of directory IMG as it stands in an inode with room for ROOM bytes, to OUT (of ROOM
 * bytes; NULL: only its length is wanted).  Returns its length, 60 or more; 0 if it does not fit.
 */
uint32_t bfo_inline_dir(const struct bfo_dirimage *img, uint32_t room, uint8_t *out);

#endif
