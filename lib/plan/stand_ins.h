/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stand_ins.h - do names that stand for ciphertext (base/stand_in.h) tell all names apart?
 */
#ifndef BFO_PLAN_STAND_INS_H
#define BFO_PLAN_STAND_INS_H

#include "plan/plan.h"

typedef void bfo_stand_in_hasher(const void *bytes, size_t len, uint64_t hash[2]);

/*
 * Once there is an order, for an archive that has such names.  HASH is bfo_stand_in_hash(), or that
 * of a test.  BFO_ET_STAND_IN: two names of a directory have one hash, and might be one in the
 * archive, where the second would take the place of the first; ENOMEM.
 */
errcode_t bfo_plan_check_stand_ins(struct bfo_plan *plan, bfo_stand_in_hasher *hash);

#endif
