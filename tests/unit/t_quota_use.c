// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_quota_use.c - plan/quota: charges, against counting one by one
 */
#include "quotamade.h"

#define TALLIES 3000U

/* Charges ids I * STRIDE, I below N, and counts beside it. */
static void charge_some(struct bfo_quota_use *use, struct chance *c, uint32_t n, uint32_t stride,
			uint64_t *inodes, uint64_t *bytes)
{
	uint32_t round, i;
	uint64_t space;

	for (round = 0; round < 200000; round++) {
		i = chance_below(c, chance_below(c, 2) ? n : 3);
		i = i < n ? i : n - 1;
		space = chance_bits(c) >> 24;
		want_ok(bfo_quota_charge(use, i * stride, 1, space));
		inodes[i]++;
		bytes[i] += space;
	}
}

START_TEST(charges_like_one_by_one)
{
	static const uint32_t sizes[] = { 1, 2, 5, 300, TALLIES }, strides[] = { 1, 64, 1000003 };
	uint32_t n = sizes[_i % 5], stride = strides[_i / 5], i, j;
	uint64_t inodes[TALLIES] = { 0 }, bytes[TALLIES] = { 0 };
	struct bfo_quota q = { .bgrace = 9 }, before = { .bgrace = 9 };
	struct bfo_quota_use use = { 0 };
	struct bfo_quota_entry e;
	struct chance c;

	chance_init(&c, 1400 + _i);
	for (i = 0; i < n; i += 2) {			/* every second one is there already */
		e = quota_some_entry(&c, i * stride);
		e.space >>= 2;
		want_ok(bfo_vec_push(&q.entries, e));
		want_ok(bfo_vec_push(&before.entries, e));
		want_ok(bfo_quota_charge(&use, e.id, 0, 0));
	}
	charge_some(&use, &c, n, stride, inodes, bytes);
	want_ok(bfo_quota_apply(&q, &use));
	for (i = 0, j = 0; i < n; i++) {
		e = i % 2 ? (struct bfo_quota_entry) { .id = i * stride } :
			    before.entries.v[i / 2];
		if (i % 2 && !inodes[i])
			continue;
		e.inodes += inodes[i];
		e.space += bytes[i];
		want_quota_entry(&q.entries.v[j++], &e);
	}
	want_eq(q.entries.n, j);
	want_eq(q.bgrace, 9);
	bfo_quota_use_free(&use);
	bfo_quota_free(&q);
	bfo_quota_free(&before);
}
END_TEST

/* Ids that push each other out of the table: times 2654435761 they are 0, 1, 2 and so on. */
#define SAME_PLACE 244002641U

START_TEST(charges_in_little_memory)
{
	struct bfo_quota_use use = { 0 };
	struct bfo_quota q = { 0 };
	uint32_t i, distinct = _i ? 10000 : 2;

	for (i = 0; i < 3000000; i++)
		want_ok(bfo_quota_charge(&use, i % distinct * SAME_PLACE, 1, 4096));
	want(bfo_vec_bytes(&use.charges) <= (144U << 10) + distinct * 72);
	want_ok(bfo_quota_apply(&q, &use));
	want_eq(q.entries.n, distinct);
	want_eq(q.entries.v[1].inodes, 3000000 / distinct);
	bfo_quota_use_free(&use);
	bfo_quota_free(&q);
}
END_TEST

START_TEST(applies_only_what_can_be_counted)
{
	struct bfo_quota_entry e = { .id = 5, .inodes = 1, .space = 1 };
	struct bfo_quota_use use = { 0 };
	struct bfo_quota q = { 0 };

	want_ok(bfo_vec_push(&q.entries, e));
	want_ok(bfo_quota_charge(&use, 5, 0, INT64_MAX - 1));
	want_ok(bfo_quota_charge(&use, 4, 1, 1));
	want_ok(bfo_quota_apply(&q, &use));
	want_eq(q.entries.n, 2);
	want_eq(q.entries.v[1].space, INT64_MAX);
	bfo_quota_use_free(&use);
	want_ok(bfo_quota_charge(&use, 4, 1, 1));
	want_ok(bfo_quota_charge(&use, 5 + SAME_PLACE, 0, 0));
	want_ok(bfo_quota_charge(&use, 5, 0, UINT64_MAX));
	want_ok(bfo_quota_charge(&use, 5, 0, UINT64_MAX));
	want_ok(bfo_quota_charge(&use, 5 + SAME_PLACE, 0, 0));
	want_ok(bfo_quota_charge(&use, 5, 0, 1));
	want_err(bfo_quota_apply(&q, &use), BFO_ET_OVERFLOW);
	want_eq(q.entries.n, 2);
	want_eq(q.entries.v[0].space, 1);
	bfo_quota_use_free(&use);
	want_ok(bfo_quota_charge(&use, 5, INT64_MAX, 0));
	want_err(bfo_quota_apply(&q, &use), BFO_ET_OVERFLOW);
	bfo_quota_use_free(&use);
	bfo_quota_free(&q);
}
END_TEST

Suite *quota_use_suite(void)
{
	Suite *s = suite_create("quota_use");

	unit_case(s, "charges_like_one_by_one", charges_like_one_by_one, 15);
	unit_case(s, "charges_in_little_memory", charges_in_little_memory, 2);
	unit_case(s, "applies_only_what_can_be_counted", applies_only_what_can_be_counted, 0);
	return s;
}
