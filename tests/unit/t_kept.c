// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_kept.c - view/kept against a list in the order in which things were asked for
 */
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "view/kept.h"

#define MOST 64

struct thing {
	struct bfo_kept_item kept;
	uint32_t number;
};

/* What there should be, the newest first. */
static struct { uint64_t key; uint32_t number, bytes; } model[MOST + 1];
static uint32_t n_model, alive;

static void drop(struct bfo_kept_item *item)
{
	alive--;
	free(item);
}

/* What stands at I is the newest. */
static void move_first(uint32_t i)
{
	__typeof__(model[0]) it = model[i];

	memmove(model + 1, model, i * sizeof(*model));
	model[0] = it;
}

static uint64_t bytes_of_model(void)
{
	uint64_t bytes = 0;
	uint32_t i;

	for (i = 0; i < n_model; i++)
		bytes += model[i].bytes;
	return bytes;
}

static void ask(struct bfo_kept *k, uint64_t key)
{
	const struct thing *found = bfo_kept_find(k, key);
	uint32_t i;

	for (i = 0; i < n_model && model[i].key != key; i++)
		;
	want_eq(!found, i == n_model);
	if (!found)
		return;
	want_eq(found->number, model[i].number);
	move_first(i);
}

static void add(struct bfo_kept *k, uint64_t key, uint32_t number, uint32_t bytes)
{
	struct thing *t;
	uint32_t i;

	for (i = 0; i < n_model; i++)
		if (model[i].key == key)
			return;
	t = unit_alloc(sizeof(*t));
	t->number = number;
	alive++;
	bfo_kept_add(k, &t->kept, key, bytes);
	model[n_model].key = key;
	model[n_model].number = number;
	model[n_model].bytes = bytes;
	move_first(n_model++);
	while (n_model > 1 && bytes_of_model() > k->limit)
		n_model--;
	want_eq(k->bytes, bytes_of_model());
	want_eq(alive, n_model);
}

/* Keys of one bucket and of many, items that are larger than the limit among them. */
START_TEST(keeps_what_was_asked_for_last)
{
	struct bfo_kept k = { .limit = 1000, .drop = drop };
	struct chance c;
	uint32_t i;

	chance_init(&c, _i);
	n_model = alive = 0;
	for (i = 0; i < 20000; i++) {
		uint64_t key = chance_below(&c, 40) * (_i % 2 ? BFO_KEPT_BUCKETS : 1);

		if (chance_below(&c, 2))
			ask(&k, key);
		else
			add(&k, key, i, 20 + chance_below(&c, chance_below(&c, 50) ? 100 : 2000));
	}
	bfo_kept_free(&k);
	want_eq(alive, 0);
	want_eq(k.bytes, 0);
	ck_assert_ptr_null(bfo_kept_find(&k, 1));
}
END_TEST

Suite *kept_suite(void)
{
	Suite *s = suite_create("kept");
	TCase *t = tcase_create("kept");

	tcase_add_loop_test(t, keeps_what_was_asked_for_last, 0, 6);
	suite_add_tcase(s, t);
	return s;
}
