/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fakefs.h - a libext2fs handle with nothing behind it, to ask libext2fs about checksums
 */
#ifndef UNIT_FAKEFS_H
#define UNIT_FAKEFS_H

#include <ext2fs/ext2fs.h>

#include "gather/target.h"

/*
 * A handle with the shape and the seed of TARGET, every inode of which has GENERATION.  Free it
 * with fakefs_free().
 */
ext2_filsys fakefs_make(const struct bfo_target *target, uint32_t generation);
void fakefs_free(ext2_filsys fs);

#endif
