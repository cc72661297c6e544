/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate.h - which filesystems are let in
 */
#ifndef BFO_VOLUME_GATE_H
#define BFO_VOLUME_GATE_H

#include "base/context.h"
#include "volume/volume.h"

/* Refuses features that this version cannot read (or, on a target, write), naming them. */
errcode_t bfo_gate_features(struct bfo_context *ctx, const struct bfo_volume *vol);

/* The features of VOL that a target may have too: COMPAT, INCOMPAT, RO_COMPAT. */
void bfo_gate_target_features(const struct ext2_super_block *sb, uint32_t mask[3]);

/* Refuses a target whose journal or orphan file has to be worked off first. */
errcode_t bfo_gate_recovery(struct bfo_context *ctx, const struct bfo_volume *vol);

/* Refuses a volume that is cut off, or whose descriptors are damaged. */
errcode_t bfo_gate_intact(struct bfo_context *ctx, const struct bfo_volume *vol);

/*
 * Refuses a target that has errors, orphans, or was not unmounted.  HOW (BFO_OPEN_RECORDED) makes
 * an exception.  Its bitmaps are not compared with anything (gather/bitmap_check.h).
 */
errcode_t bfo_gate_healthy(struct bfo_context *ctx, const struct bfo_volume *vol, int how);

/*
 * Writes the names of the features in MASK to OUT, BETWEEN them; what does not fit is cut off.  1
 * if there are any.
 */
int bfo_gate_name_features(const uint32_t mask[3], const char *between, char *out, size_t size);

#endif
