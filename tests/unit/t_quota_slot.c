// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_quota_slot.c - plan/quota: one entry, changed where it stands
 */
#include <stdlib.h>
#include <string.h>

#include "quotamade.h"

#define IDS 700

/* Entries for every third number and some far ones; they all have usage. */
static void some_file(struct chance *c, struct bfo_quota *q, void **file, uint64_t *size)
{
	uint32_t i;

	memset(q, 0, sizeof(*q));
	for (i = 0; i < IDS; i++)
		want_ok(bfo_vec_push(&q->entries, quota_some_entry(c, i < IDS / 2 ? 3 * i :
				     0x10000 + i * 0x123457)));
	want_ok(bfo_quota_build(q, BFO_QUOTA_USER, file, size));
}

/* Every entry is found where it says, nothing else is; adding changes two numbers and no more. */
START_TEST(finds_and_adds)
{
	struct bfo_quota q, after = { .bgrace = 0 };
	uint64_t size, at, i;
	struct chance c;
	void *file;

	chance_init(&c, 8800 + _i);
	some_file(&c, &q, &file, &size);
	for (i = 0; i < IDS; i++) {
		struct bfo_quota_entry *e = &q.entries.v[i];
		int64_t inodes = chance_below(&c, 2) ? 1 : -1, bytes = inodes * 12288;

		want_ok(bfo_quota_slot(file, size, e->id, &at));
		want(at % BLOCK >= FIRST_SLOT && (at % BLOCK - FIRST_SLOT) % SLOT == 0);
		want_eq(quota_get((uint8_t *) file + at, 4), e->id);
		if (e->inodes <= 1 || e->space < 12288)
			inodes = bytes = 5;
		bfo_quota_slot_add((char *) file + at, inodes, bytes);
		e->inodes += inodes;
		e->space += bytes;
		if (e->id % 3 == 0 && e->id < 3000)
			want_err(bfo_quota_slot(file, size, e->id + 1, &at), BFO_ET_NO_PATH);
	}
	want_err(bfo_quota_slot(file, size, UINT32_MAX, &at), BFO_ET_NO_PATH);
	want_ok(bfo_quota_parse(&after, BFO_QUOTA_USER, file, size));
	want_eq(after.entries.n, IDS);
	for (i = 0; i < IDS; i++)
		want_quota_entry(&q.entries.v[i], &after.entries.v[i]);
	bfo_quota_free(&q);
	bfo_quota_free(&after);
	free(file);
}
END_TEST

/* An unused slot is all zero; id 0 is not found there. */
START_TEST(knows_unused_slots)
{
	struct bfo_quota q = { .bgrace = 0 };
	struct bfo_quota_entry e = { .id = 5, .inodes = 1, .space = 4096 };
	int i;
	uint64_t size, at = 77, leaf = 1;
	void *file;

	want_ok(bfo_vec_push(&q.entries, e));
	want_ok(bfo_quota_build(&q, BFO_QUOTA_GROUP, &file, &size));
	want_err(bfo_quota_slot(file, size, 0, &at), BFO_ET_NO_PATH);
	want_eq(at, 77);
	want_err(bfo_quota_slot(file, size, 6, &at), BFO_ET_NO_PATH);
	want_ok(bfo_quota_slot(file, size, 5, &at));
	for (i = 0; i < 3; i++)
		leaf = quota_get((uint8_t *) file + leaf * BLOCK, 4);
	quota_put((uint8_t *) file + leaf * BLOCK, at / BLOCK, 4);	/* 0 leads there, too */
	want_err(bfo_quota_slot(file, size, 0, &at), BFO_ET_NO_PATH);
	bfo_quota_free(&q);
	free(file);
}
END_TEST

/* Damage leads to an error or into the file; a file that is cut off likewise (under ASan, too). */
START_TEST(survives_damage)
{
	uint64_t size, at, cut;
	struct bfo_quota q;
	struct chance c;
	uint8_t *file, *copy;
	void *made;
	errcode_t err;
	int i;

	chance_init(&c, 8900);
	some_file(&c, &q, &made, &size);
	file = made;
	for (i = 0; i < 20000; i++) {
		uint64_t where = chance_below(&c, 6 * BLOCK), id = chance_below(&c, 3000);
		uint8_t old = file[where];

		file[where] = chance_bits(&c);
		err = bfo_quota_slot(file, size, id, &at);
		want(!err || err == BFO_ET_DAMAGED || err == BFO_ET_NO_PATH);
		want(err || at + SLOT <= size);
		file[where] = old;
	}
	for (cut = 0; cut <= size; cut += 300) {
		copy = unit_copy(file, cut);
		err = bfo_quota_slot(copy, cut, q.entries.v[IDS - 1].id, &at);
		want(err == (cut / BLOCK == size / BLOCK ? 0 : BFO_ET_DAMAGED) ||
		     (!err && at + SLOT <= cut));
		free(copy);
	}
	memset(file + BLOCK, 0xff, BLOCK);
	want_err(bfo_quota_slot(file, size, 0, &at), BFO_ET_DAMAGED);
	bfo_quota_free(&q);
	free(made);
}
END_TEST

Suite *quota_slot_suite(void)
{
	Suite *s = suite_create("quota_slot");

	unit_case(s, "finds_and_adds", finds_and_adds, 3);
	unit_case(s, "knows_unused_slots", knows_unused_slots, 0);
	unit_case(s, "survives_damage", survives_damage, 0);
	return s;
}
