// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_quota_damage.c - plan/quota: files that are not what they should be
 *
 * A file in which one byte is wrong must be refused, or the entry that the byte belongs to is the
 * only one that differs: for every byte it is known which.
 */
#include <stdlib.h>
#include <string.h>

#include "quotamade.h"

/* Blocks: 1, 2, 3 upper levels; 4 and 5 the last level, ids from 0 and from 256; 6 and 7 data. */
#define LEAF 4U
#define DATA 6U

static struct bfo_quota small_quota(void)
{
	struct bfo_quota q = { .bgrace = 1, .igrace = 2 };
	struct chance c;
	uint32_t i;

	chance_init(&c, 1200);
	for (i = 0; i < 20; i++)
		want_ok(bfo_vec_push(&q.entries, quota_some_entry(&c, i < 12 ? i * 3 : 250 + i)));
	return q;
}

#define ANYTHING (-1)		/* the byte says nothing */
#define NONSENSE (-2)		/* no other value is possible */
#define INFO (-3)		/* grace times and flags */
#define EMPTY (-4)		/* the root's only number is 0 now, which is a good tree */

/* What byte AT of the small file is: one of these, or the number of the entry it belongs to. */
static int meaning(const uint8_t *file, size_t at)
{
	uint32_t blk = at / BLOCK, in = at % BLOCK, slot = (in - FIRST_SLOT) / SLOT;
	uint32_t entry = (blk - DATA) * SLOTS + slot, byte = (in - FIRST_SLOT) % SLOT;

	if (!blk)
		return in < 8 || (in >= 20 && in < 24) ? NONSENSE : in < 20 ? INFO : ANYTHING;
	if (at == BLOCK && !file[at])
		return EMPTY;
	if (blk < DATA)
		return NONSENSE;
	if (in < FIRST_SLOT)
		return in == 8 || in == 9 ? NONSENSE : ANYTHING;
	if (slot >= SLOTS)
		return ANYTHING;
	if (entry >= 20 || byte < 4)
		return NONSENSE;
	return byte < 8 ? ANYTHING : (int) entry;
}

static int differ(const struct bfo_quota_entry *a, const struct bfo_quota_entry *b)
{
	return a->ihard != b->ihard || a->isoft != b->isoft || a->inodes != b->inodes ||
	       a->bhard != b->bhard || a->bsoft != b->bsoft || a->space != b->space ||
	       a->itime != b->itime || a->btime != b->btime;
}

static void judge_flip(const struct bfo_quota *q, const uint8_t *file, size_t size, size_t at)
{
	int what = meaning(file, at), i;
	struct bfo_quota got;

	if (what == NONSENSE) {
		want_err(bfo_quota_parse(&got, BFO_QUOTA_USER, file, size), BFO_ET_DAMAGED);
		want(!got.entries.v && !got.bgrace);
		return;
	}
	want_ok(bfo_quota_parse(&got, BFO_QUOTA_USER, file, size));
	want_eq(got.entries.n, what == EMPTY ? 0 : 20);
	for (i = 0; i < 20 && what != EMPTY; i++) {
		want_eq(got.entries.v[i].id, q->entries.v[i].id);
		want_eq(differ(&got.entries.v[i], &q->entries.v[i]), what == i);
	}
	want_eq(got.bgrace != 1 || got.igrace != 2 || got.flags, what == INFO);
	bfo_quota_free(&got);
}

START_TEST(judges_every_byte)
{
	static const uint8_t flips[] = { 1, 2, 4, 8, 16, 32, 64, 128, 255 };
	struct bfo_quota q = small_quota();
	uint64_t size;
	void *file;
	size_t at;

	want_ok(bfo_quota_build(&q, BFO_QUOTA_USER, &file, &size));
	want_eq(size, (DATA + 2) * BLOCK);
	for (at = 0; at < size; at++) {
		((uint8_t *) file)[at] ^= flips[_i];
		judge_flip(&q, file, size, at);
		((uint8_t *) file)[at] ^= flips[_i];
	}
	bfo_quota_free(&q);
	free(file);
}
END_TEST

/* Numbers in the small file that lead astray. */
static const struct astray {
	size_t at;
	uint32_t value;
} astray[] = {
	{ 0, 0x111fc0d9 },			/* magic of the other byte order */
	{ 4, 0 }, { 4, 2 },			/* version */
	{ 20, 0 }, { 20, 1 }, { 20, 2 },	/* blocks */
	{ 20, DATA + 1 }, { 20, DATA + 3 }, { 20, UINT32_MAX },
	{ BLOCK, 1 },				/* the root below itself */
	{ BLOCK + 4, 1 },
	{ BLOCK + 4, 2 },			/* a tree block twice */
	{ 3 * BLOCK + 8, LEAF },
	{ 3 * BLOCK, 2 },			/* a circle */
	{ 3 * BLOCK, DATA },			/* data as a tree block */
	{ LEAF * BLOCK, 3 },			/* a tree block as data */
	{ LEAF * BLOCK, DATA + 1 },		/* another data block, where the id is not */
	{ LEAF * BLOCK, DATA + 2 },		/* behind the end */
	{ LEAF * BLOCK, UINT32_MAX },
	{ LEAF * BLOCK + 4, DATA },		/* an id that is not there */
	{ LEAF * BLOCK, 0 },			/* none leads to a slot */
	{ DATA * BLOCK + 8, 0 }, { DATA * BLOCK + 8, 13 }, { DATA * BLOCK + 8, 15 },
	{ DATA * BLOCK + FIRST_SLOT, 3 },	/* an id twice, another not at all */
};
#define ASTRAY (sizeof(astray) / sizeof(astray[0]))

START_TEST(refuses_what_leads_astray)
{
	struct bfo_quota q = small_quota(), got;
	uint64_t size;
	void *file;

	want_ok(bfo_quota_build(&q, BFO_QUOTA_USER, &file, &size));
	quota_put((uint8_t *) file + astray[_i].at, astray[_i].value, 4);
	want_err(bfo_quota_parse(&got, BFO_QUOTA_USER, file, size), BFO_ET_DAMAGED);
	bfo_quota_free(&q);
	free(file);
}
END_TEST

START_TEST(refuses_wrong_sizes)
{
	struct bfo_quota q = small_quota(), got;
	uint64_t size, cut;
	void *file, *part;

	want_ok(bfo_quota_build(&q, BFO_QUOTA_USER, &file, &size));
	for (cut = 0; cut < size; cut += cut < 2 * BLOCK + 1 ? 1 : 511) {
		part = unit_copy(file, cut);
		want_err(bfo_quota_parse(&got, BFO_QUOTA_USER, part, cut), BFO_ET_DAMAGED);
		free(part);
	}
	want_err(bfo_quota_parse(&got, BFO_QUOTA_USER, file, (1ULL << 31) + 1), BFO_ET_DAMAGED);
	want_err(bfo_quota_parse(&got, BFO_QUOTA_USER, file, UINT64_MAX), BFO_ET_DAMAGED);
	bfo_quota_free(&q);
	free(file);
}
END_TEST

static uint8_t *empty_file(uint32_t blocks)
{
	uint8_t *file = unit_alloc(blocks * BLOCK);

	quota_put(file, USER_MAGIC, 4);
	quota_put(file + 4, 1, 4);
	quota_put(file + 20, blocks, 4);
	return file;
}

START_TEST(needs_a_root)
{
	uint8_t *file = empty_file(2);
	struct bfo_quota q;

	want_ok(bfo_quota_parse(&q, BFO_QUOTA_USER, file, 2 * BLOCK));
	want_eq(q.entries.n, 0);
	quota_put(file + 20, 1, 4);
	want_err(bfo_quota_parse(&q, BFO_QUOTA_USER, file, 2 * BLOCK), BFO_ET_DAMAGED);
	quota_put(file + 20, 0, 4);
	want_err(bfo_quota_parse(&q, BFO_QUOTA_USER, file, 2 * BLOCK), BFO_ET_DAMAGED);
	free(file);
}
END_TEST

/* Four blocks that are four thousand million paths, none of which leads to an id. */
START_TEST(goes_no_way_twice)
{
	uint8_t *file = empty_file(5);
	struct bfo_quota q;
	uint32_t blk, i;

	for (blk = 1; blk < 4; blk++)
		for (i = 0; i < 256; i++)
			quota_put(file + blk * BLOCK + i * 4, blk + 1, 4);
	want_err(bfo_quota_parse(&q, BFO_QUOTA_USER, file, 5 * BLOCK), BFO_ET_DAMAGED);
	free(file);
}
END_TEST

/* ---- junk, and an opinion of our own of what it says ---- */

struct opinion {
	const uint8_t *file;
	uint32_t blocks;
	uint8_t seen[256];		/* by block: 1 of the tree, 2 data */
	uint32_t ids[4096], n;		/* that the tree has, and data blocks have slots for */
};

static int slot_is_used(const uint8_t *slot)
{
	uint32_t i;

	for (i = 0; i < SLOT && !slot[i]; i++)
		;
	return i < SLOT;
}

/* Whether data block BLK has a slot in use for ID. */
static int has_id(const struct opinion *o, uint32_t blk, uint32_t id)
{
	const uint8_t *slot = o->file + blk * BLOCK + FIRST_SLOT;
	uint32_t i;

	for (i = 0; i < SLOTS; i++, slot += SLOT)
		if (quota_get(slot, 4) == id && slot_is_used(slot))
			return 1;
	return 0;
}

/* What is below tree block BLK; 0 if that is no good tree. */
static int walk(struct opinion *o, uint32_t blk, int level, uint32_t prefix)
{
	uint32_t i, child, id;
	int good = !o->seen[blk];

	o->seen[blk] = 1;
	for (i = 0; i < 256 && good; i++) {
		child = quota_get(o->file + blk * BLOCK + i * 4, 4);
		id = prefix << 8 | i;
		if (!child)
			continue;
		good = child < o->blocks;
		if (good && level < 3) {
			good = walk(o, child, level + 1, id);
		} else if (good) {
			good = o->seen[child] != 1 && has_id(o, child, id) && o->n < 4096;
			o->seen[child] = 2;
			o->ids[o->n++ % 4096] = id;
		}
	}
	return good;
}

/* Whether FILE is good: every slot in use of the data blocks is one of an id of the tree. */
static int is_good(struct opinion *o, const uint8_t *file, uint32_t blocks)
{
	uint32_t blk, i, used, all = 0;
	const uint8_t *data;

	memset(o, 0, sizeof(*o));
	o->file = file;
	o->blocks = blocks;
	if (!walk(o, 1, 0, 0))
		return 0;
	for (blk = 2; blk < blocks; blk++) {
		data = file + blk * BLOCK;
		for (i = 0, used = 0; i < SLOTS; i++)
			used += slot_is_used(data + FIRST_SLOT + i * SLOT);
		if (o->seen[blk] == 2 && used != quota_get(data + 8, 2))
			return 0;
		all += o->seen[blk] == 2 ? used : 0;
	}
	return all == o->n;
}

static void judge_junk(const uint8_t *file, uint32_t blocks, size_t *good)
{
	struct bfo_quota got;
	struct opinion o;
	size_t i;

	if (!is_good(&o, file, blocks)) {
		want_err(bfo_quota_parse(&got, BFO_QUOTA_USER, file, blocks * BLOCK),
			 BFO_ET_DAMAGED);
		want(!got.entries.v && !got.entries.n);
		return;
	}
	want_ok(bfo_quota_parse(&got, BFO_QUOTA_USER, file, blocks * BLOCK));
	want_eq(got.entries.n, o.n);
	for (i = 0; i < got.entries.n; i++)
		want_eq(got.entries.v[i].id, o.ids[i]);
	*good += o.n > 0;
	bfo_quota_free(&got);
}

/* Junk behind a good header: a tree that leads anywhere; and a good file with some wrong words. */
START_TEST(judges_junk)
{
	struct bfo_quota q = small_quota();
	uint32_t blocks, i, words;
	size_t good = 0;
	struct chance c;
	uint8_t *file;
	void *whole;
	uint64_t size;

	chance_init(&c, 1300 + _i);
	want_ok(bfo_quota_build(&q, BFO_QUOTA_USER, &whole, &size));
	for (i = 0; i < 600; i++) {
		blocks = i % 2 ? size / BLOCK : chance_between(&c, 2, 200);
		file = i % 2 ? unit_copy(whole, size) : empty_file(blocks);
		for (words = i % 2 ? chance_below(&c, 3) : chance_below(&c, blocks * 4); words;
		     words--)
			quota_put(file + BLOCK + chance_below(&c, (blocks - 1) * 256) * 4,
				  chance_below(&c, blocks + 1), 4);
		judge_junk(file, blocks, &good);
		free(file);
	}
	want(good > 100);
	bfo_quota_free(&q);
	free(whole);
}
END_TEST

Suite *quota_damage_suite(void)
{
	Suite *s = suite_create("quota_damage");

	unit_case(s, "judges_every_byte", judges_every_byte, 9);
	unit_case(s, "refuses_what_leads_astray", refuses_what_leads_astray, ASTRAY);
	unit_case(s, "refuses_wrong_sizes", refuses_wrong_sizes, 0);
	unit_case(s, "needs_a_root", needs_a_root, 0);
	unit_case(s, "goes_no_way_twice", goes_no_way_twice, 0);
	unit_case(s, "judges_junk", judges_junk, 4);
	return s;
}
