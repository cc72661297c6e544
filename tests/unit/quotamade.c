// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * quotamade.c - bytes and entries for the tests of plan/quota
 */
#include "quotamade.h"

uint64_t quota_get(const uint8_t *p, unsigned int bytes)
{
	return bytes ? p[0] | quota_get(p + 1, bytes - 1) << 8 : 0;
}

void quota_put(uint8_t *p, uint64_t value, unsigned int bytes)
{
	for (; bytes; bytes--, value >>= 8)
		*p++ = value;
}

struct bfo_quota_entry quota_some_entry(struct chance *c, uint32_t id)
{
	int limits = chance_below(c, 2);

	return (struct bfo_quota_entry) {
		.id = id, .inodes = chance_between(c, 1, 1 << 20), .space = chance_bits(c) >> 1,
		.ihard = limits * chance_bits(c), .isoft = limits * chance_bits(c),
		.bhard = limits * chance_bits(c), .bsoft = limits * chance_bits(c),
		.btime = limits * chance_bits(c), .itime = limits * chance_bits(c),
	};
}

void want_quota_entry(const struct bfo_quota_entry *a, const struct bfo_quota_entry *b)
{
	want_eq(a->id, b->id);
	want(a->ihard == b->ihard && a->isoft == b->isoft && a->inodes == b->inodes);
	want(a->bhard == b->bhard && a->bsoft == b->bsoft && a->space == b->space);
	want(a->itime == b->itime && a->btime == b->btime);
}
