// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_digest.c - plan/digest: the same plan has the same sums, and no bit of it may change unnoticed
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "forest.h"
#include "plan/digest.h"

/* A plan with everything in it: attributes, holes, fragmented space, merged directories. */
static void make_plan(struct forest *f)
{
	struct chance c;
	size_t i;

	chance_init(&c, 4242);
	forest_init(f, &c, 12, 80, 20);
	for (i = 0; i < 30; i++)
		made_free_blocks(&f->m, 2000 + 300 * i, 100);
	made_free_inodes(&f->m, 12, 40);
	made_free_inodes(&f->m, 60, 400);
	want_ok(made_plan(&f->m, NULL));
	want_ok(bfo_plan_numbers(&f->m.plan));
	want_ok(bfo_plan_space(&f->m.plan));
	want(f->m.plan.merged.n && f->m.plan.stem.n > 1 && f->m.tree.segs.n && f->m.tree.eas.n);
}

static void differ(const struct bfo_plan *plan, const struct bfo_digest *was,
		   enum bfo_digest_part part)
{
	struct bfo_digest now;
	int i;

	bfo_plan_digest(plan, &now);
	for (i = 0; i < BFO_DIGEST_PARTS; i++)
		want((now.sum[i] != was->sum[i]) == (i == (int) part));
}

/* Flips one bit of each of BYTES at DATA in turn. */
static void flip(const struct bfo_plan *plan, void *data, size_t bytes, enum bfo_digest_part part)
{
	struct bfo_digest was;
	uint8_t *p = data;
	size_t i;

	want(bytes);
	bfo_plan_digest(plan, &was);
	for (i = 0; i < bytes; i++) {
		p[i] ^= 1 << i % 8;
		differ(plan, &was, part);
		p[i] ^= 1 << i % 8;
	}
}

#define flip_vec(plan, vec, part) flip(plan, (vec)->v, (vec)->n * sizeof(*(vec)->v), part)
#define flip_field(plan, field, part) flip(plan, &(field), sizeof(field), part)

START_TEST(sees_every_bit)
{
	struct bfo_target *target;
	struct bfo_plan *plan;
	struct forest f;
	size_t i;

	make_plan(&f);
	plan = &f.m.plan;
	target = &f.m.target;
	flip_vec(plan, &f.m.tree.inodes, BFO_DIGEST_INODES);
	flip_vec(plan, &plan->order, BFO_DIGEST_INODES);
	flip_vec(plan, &f.m.tree.names, BFO_DIGEST_NAMES);
	flip_vec(plan, &f.m.tree.text, BFO_DIGEST_NAMES);
	flip_vec(plan, &f.m.tree.segs, BFO_DIGEST_SEGS);
	flip_vec(plan, &f.m.tree.eas, BFO_DIGEST_ATTRIBUTES);
	flip_vec(plan, &plan->stem, BFO_DIGEST_STEM);
	flip_field(plan, plan->dir_fill, BFO_DIGEST_STEM);
	flip_field(plan, target->uuid, BFO_DIGEST_TARGET);
	flip_field(plan, target->blocks, BFO_DIGEST_TARGET);
	flip_field(plan, target->inodes, BFO_DIGEST_TARGET);
	flip_field(plan, target->csum_seed, BFO_DIGEST_TARGET);
	flip_field(plan, target->hash_seed, BFO_DIGEST_TARGET);
	flip_vec(plan, &target->free_blocks, BFO_DIGEST_TARGET);
	flip_vec(plan, &target->free_inodes, BFO_DIGEST_TARGET);
	for (i = 0; i < plan->merged.n; i++) {
		flip_field(plan, plan->merged.v[i].ino, BFO_DIGEST_TARGET);
		flip_field(plan, plan->merged.v[i].old_ea, BFO_DIGEST_TARGET);
		if (plan->merged.v[i].freed.n)
			flip_vec(plan, &plan->merged.v[i].freed, BFO_DIGEST_TARGET);
	}
	want_ok(bfo_vec_reserve(&f.m.tree.sets, 50));
	f.m.tree.sets.n = 50;
	memset(f.m.tree.sets.v, 3, 50);
	flip_vec(plan, &f.m.tree.sets, BFO_DIGEST_ATTRIBUTES);
	forest_free(&f);
}
END_TEST

/* What stood in memory before, and where a plan lies, is no part of it. */
START_TEST(is_repeatable)
{
	struct bfo_digest one, two;
	struct forest a, b;

	mallopt(M_PERTURB, 0x5a);		/* fills what malloc() and free() leave */
	make_plan(&a);
	mallopt(M_PERTURB, 0xc3);
	make_plan(&b);
	bfo_plan_digest(&a.m.plan, &one);
	bfo_plan_digest(&b.m.plan, &two);
	want_mem(&one, &two, sizeof(one));
	forest_free(&a);
	forest_free(&b);
}
END_TEST

/* Something that moves from one array to the next is not the same. */
START_TEST(sees_what_moves)
{
	struct bfo_digest was;
	struct forest f;

	make_plan(&f);
	bfo_plan_digest(&f.m.plan, &was);
	f.m.target.free_blocks.n--;
	differ(&f.m.plan, &was, BFO_DIGEST_TARGET);
	f.m.target.free_blocks.n++;
	f.m.plan.order.n--;
	differ(&f.m.plan, &was, BFO_DIGEST_INODES);
	f.m.plan.order.n++;
	f.m.plan.merged.n--;
	differ(&f.m.plan, &was, BFO_DIGEST_TARGET);
	f.m.plan.merged.n++;
	forest_free(&f);
}
END_TEST

Suite *digest_suite(void)
{
	Suite *s = suite_create("digest");

	unit_case(s, "sees_every_bit", sees_every_bit, 0);
	unit_case(s, "is_repeatable", is_repeatable, 0);
	unit_case(s, "sees_what_moves", sees_what_moves, 0);
	return s;
}
