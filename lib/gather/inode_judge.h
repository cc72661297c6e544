/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inode_judge.h - what an inode is, and whether it can be that
 *
 * A record says what an inode is once it was judged: flags that it cannot have are not in it, so
 * nobody later meets, say, a directory that claims to be the value of an attribute.
 */
#ifndef BFO_GATHER_INODE_JUDGE_H
#define BFO_GATHER_INODE_JUDGE_H

#include "tree/tree.h"
#include "volume/volume.h"

/*
 * Makes record REC of raw inode INO of VOL.  Returns what is wrong with it, so that it could not be
 * copied at all, or BFO_FOUND_KINDS if nothing is; blocks that it leads to are not looked at.
 */
enum bfo_finding_kind bfo_inode_judge(const struct bfo_volume *vol, uint32_t ino, const void *raw,
				      struct bfo_inode *rec);

/* True if RAW, of which REC was made, has flags that it cannot have (BFO_FOUND_INODE_FLAGS). */
int bfo_inode_has_strange_flags(const struct bfo_inode *rec, const struct ext2_inode *raw);

/* True unless RAW is a device, fifo or socket with what only files have (BFO_FOUND_SPECIAL). */
int bfo_inode_is_plain(const struct bfo_inode *rec, const struct ext2_inode *raw);

#endif
