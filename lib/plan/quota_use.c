// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * quota_use.c - adding up what every id will own
 *
 *     charge() -- came lately? add to it -- no: append -- too many? sort, sum up
 *     apply()  -- sort, sum up, merge with the entries of the quota file
 *
 * There are too many when there are twice as many as distinct ids were found last time.  The table
 * of ids that came lately takes nearly all charges of a real tree; it may forget, as a second
 * charge for the same id does no harm.  No hash table: ids come from a disk, and somebody may have
 * chosen them.
 */
#include <stdint.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "plan/quota.h"

#define FEW 4096U		/* charges that are not worth summing up */
#define SPREAD 2654435761U	/* 2^32 / golden ratio (Knuth) */

/* Stays at the end of the range, which is beyond what apply() allows: no overflow is lost. */
static uint64_t add(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static void add_charge(struct bfo_quota_charge *c, uint64_t inodes, uint64_t bytes)
{
	c->inodes = add(c->inodes, inodes);
	c->bytes = add(c->bytes, bytes);
}

/* Leaves one charge per id, ascending. */
static void sum_up(struct bfo_quota_use *use)
{
	struct bfo_quota_charge *v = use->charges.v;
	size_t i, n = 0;

	if (use->charges.n)
		bfo_sort(v, use->charges.n, sizeof(*v), 1);
	for (i = 0; i < use->charges.n; i++) {
		if (n && v[n - 1].id == v[i].id)
			add_charge(&v[n - 1], v[i].inodes, v[i].bytes);
		else
			v[n++] = v[i];
	}
	use->charges.n = use->distinct = n;
	memset(use->recent, 0, sizeof(use->recent));
}

errcode_t bfo_quota_charge(struct bfo_quota_use *use, uint32_t id, uint64_t inodes, uint64_t bytes)
{
	struct bfo_quota_charge new = { .id = id, .inodes = inodes, .bytes = bytes };
	size_t *recent = &use->recent[id * SPREAD >> (32 - BFO_QUOTA_RECENT_BITS)];
	errcode_t err;

	if (*recent && use->charges.v[*recent - 1].id == id) {
		add_charge(&use->charges.v[*recent - 1], inodes, bytes);
		return 0;
	}
	if (use->charges.n >= FEW && use->charges.n >= 2 * use->distinct)
		sum_up(use);
	err = bfo_vec_push(&use->charges, new);
	if (!err)
		*recent = use->charges.n;
	return err;
}

/* Appends to OUT the entry E with the charge C; either may be missing. */
static errcode_t push_sum(struct bfo_quota *out, const struct bfo_quota_entry *e,
			  const struct bfo_quota_charge *c)
{
	struct bfo_quota_entry sum = { .id = e ? e->id : c->id };

	if (e)
		sum = *e;
	if (c) {
		sum.inodes = add(sum.inodes, c->inodes);
		sum.space = add(sum.space, c->bytes);
		if (sum.inodes > INT64_MAX || sum.space > INT64_MAX)
			return BFO_ET_OVERFLOW;
	}
	return bfo_vec_push(&out->entries, sum);
}

errcode_t bfo_quota_apply(struct bfo_quota *q, struct bfo_quota_use *use)
{
	struct bfo_quota out = *q;
	const struct bfo_quota_entry *e = q->entries.v;
	const struct bfo_quota_entry *e_end = bfo_vec_at(&q->entries, q->entries.n);
	const struct bfo_quota_charge *c, *c_end;
	errcode_t err;
	int has_e, has_c;

	sum_up(use);
	c = use->charges.v;
	c_end = bfo_vec_at(&use->charges, use->charges.n);
	memset(&out.entries, 0, sizeof(out.entries));
	err = bfo_vec_reserve(&out.entries, q->entries.n + use->charges.n);
	while (!err && (e < e_end || c < c_end)) {
		has_e = e < e_end && (c == c_end || e->id <= c->id);
		has_c = c < c_end && (e == e_end || c->id <= e->id);
		err = push_sum(&out, has_e ? e : NULL, has_c ? c : NULL);
		if (has_e)
			e++;
		if (has_c)
			c++;
	}
	if (err) {
		bfo_quota_free(&out);
		return err;
	}
	bfo_quota_free(q);
	*q = out;
	return 0;
}

void bfo_quota_use_free(struct bfo_quota_use *use)
{
	bfo_vec_free(&use->charges);
	memset(use, 0, sizeof(*use));
}
