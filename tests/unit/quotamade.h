/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quotamade.h - what the tests of plan/quota share: the format's numbers, and random entries
 */
#ifndef UNIT_QUOTAMADE_H
#define UNIT_QUOTAMADE_H

#include "plan/quota.h"
#include "unit.h"

#define BLOCK 1024U
#define SLOTS 14U
#define SLOT 72U
#define FIRST_SLOT 16U
#define USER_MAGIC 0xd9c01f11U

/* Little-endian numbers. */
uint64_t quota_get(const uint8_t *p, unsigned int bytes);
void quota_put(uint8_t *p, uint64_t value, unsigned int bytes);

/* Some usage, and in half of the cases limits and grace times. */
struct bfo_quota_entry quota_some_entry(struct chance *c, uint32_t id);

void want_quota_entry(const struct bfo_quota_entry *a, const struct bfo_quota_entry *b);

#endif
