// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * digest.c - what a plan is known by
 */
#include "base/crc32c.h"
#include "plan/digest.h"

static uint32_t add(uint32_t sum, const void *data, size_t bytes)
{
	uint64_t n = bytes;

	sum = bfo_crc32c(sum, &n, sizeof(n));
	return bfo_crc32c(sum, data, bytes);
}

#define add_vec(sum, vec) add(sum, (vec)->v, (vec)->n * sizeof(*(vec)->v))

/* Of what the target is and has; addresses of vectors do not belong to that. */
static uint32_t of_target(const struct bfo_plan *plan)
{
	const struct bfo_target *t = plan->target;
	uint32_t sum = add(~0U, t->uuid, sizeof(t->uuid));
	size_t i;

	sum = add(sum, &t->blocks, sizeof(t->blocks));
	sum = add(sum, &t->inodes, sizeof(t->inodes));
	sum = add(sum, &t->csum_seed, sizeof(t->csum_seed));
	sum = add(sum, t->hash_seed, sizeof(t->hash_seed));
	sum = add_vec(sum, &t->free_blocks);
	sum = add_vec(sum, &t->free_inodes);
	for (i = 0; i < plan->merged.n; i++) {
		const struct bfo_merged *m = &plan->merged.v[i];

		sum = add(sum, &m->ino, sizeof(m->ino));
		sum = add(sum, &m->old_ea, sizeof(m->old_ea));
		sum = add_vec(sum, &m->freed);
	}
	sum = add_vec(sum, &plan->displaced.inodes);
	sum = add_vec(sum, &plan->displaced.eas);
	return add_vec(sum, &plan->displaced.freed);
}

void bfo_plan_digest(const struct bfo_plan *plan, struct bfo_digest *d)
{
	const struct bfo_tree *t = plan->tree;
	uint32_t *sum = d->sum;

	sum[BFO_DIGEST_INODES] = add_vec(~0U, &t->inodes);
	sum[BFO_DIGEST_INODES] = add_vec(sum[BFO_DIGEST_INODES], &plan->order);
	sum[BFO_DIGEST_NAMES] = add_vec(~0U, &t->names);
	sum[BFO_DIGEST_NAMES] = add_vec(sum[BFO_DIGEST_NAMES], &t->text);
	sum[BFO_DIGEST_SEGS] = add_vec(~0U, &t->segs);
	sum[BFO_DIGEST_ATTRIBUTES] = add_vec(~0U, &t->eas);
	sum[BFO_DIGEST_ATTRIBUTES] = add_vec(sum[BFO_DIGEST_ATTRIBUTES], &t->sets);
	sum[BFO_DIGEST_ATTRIBUTES] = add_vec(sum[BFO_DIGEST_ATTRIBUTES], &t->values);
	sum[BFO_DIGEST_STEM] = add_vec(~0U, &plan->stem);
	sum[BFO_DIGEST_STEM] = add(sum[BFO_DIGEST_STEM], &plan->dir_fill, sizeof(plan->dir_fill));
	sum[BFO_DIGEST_TARGET] = of_target(plan);
}
