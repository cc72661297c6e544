// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sequences.c - frequent sequences of accesses in one batch of a trace
 *
 * The accesses are sorted by stream and stripped of repetitions and of rare files.  Then level
 * by level: the sequence of k + 1 accesses that begins at access i is made of the two of k that
 * begin at i and at i + 1, so it is known by the pair of their ids:
 *
 *	accesses   A B C D A B C ...
 *	level 1    0 1 2 3 0 1 2 ...	ids of files
 *	level 2    0 1 2 3 0 1 ...	ids of (0,1) (1,2) (2,3) (3,0)
 *	level 3    0 1 2 3 0 ...	ids of (0,1) (1,2) (2,3) (3,0)
 *
 * and what is rare loses its id, which ends the sequences that would contain it (Apriori).
 *
 * Most ids are always followed by the same one, above all in the long repetitions that have many
 * levels.  So each remembers the first that followed it, and only other pairs, which split a
 * sequence, go through a hash table.
 *
 * Members of a sequence differ, so its occurrences never overlap and their number is no matter of
 * definition: if one began inside another, its first member would be there twice.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "mine/sequences.h"

#define NONE BFO_SEQUENCE_NONE

errcode_t bfo_sequences_add(struct bfo_sequences *s, uint32_t stream, uint32_t file)
{
	return bfo_vec_push(&s->accesses, (struct bfo_access) {
		.stream = stream, .time = s->accesses.n, .file = file });
}

/* An empty hash table with room for N ids. */
static errcode_t table_empty(struct bfo_sequences *s, size_t n)
{
	size_t slots = 64;
	errcode_t err;

	while (slots < n * 2)
		slots *= 2;
	s->table.n = 0;
	err = bfo_vec_reserve(&s->table, slots);
	if (err)
		return err;
	s->table.n = slots;
	memset(s->table.v, 0xff, slots * sizeof(*s->table.v));
	return 0;
}

/* The id of something new that begins at access I; there has to be room. */
static uint32_t new_id(struct bfo_sequences *s, uint32_t i)
{
	s->counts.v[s->counts.n] = (struct bfo_frequent) { .last = i };
	return s->counts.n++;
}

/* Access I begins what has this ID. */
static void count(struct bfo_sequences *s, uint32_t id, uint32_t i)
{
	struct bfo_frequent *c = &s->counts.v[id];

	c->count++;
	if (s->accesses.v[i].time > s->accesses.v[c->last].time)
		c->last = i;
	s->id.v[i] = id;
}

/* The id of KEY, which access I has; a new one when the key is. */
static uint32_t table_find(struct bfo_sequences *s, uint64_t key, uint32_t i)
{
	size_t mask = s->table.n - 1, at = (key ^ key >> 29) * 0x9e3779b97f4a7c15ULL >> 32 & mask;
	struct bfo_sequence_slot *slot = &s->table.v[at];

	while (slot->id != NONE && slot->key != key) {
		at = (at + 1) & mask;
		slot = &s->table.v[at];
	}
	if (slot->id == NONE)
		*slot = (struct bfo_sequence_slot) { .key = key, .id = new_id(s, i) };
	return slot->id;
}

/* Sorts by stream and time; an access to the same file as the one before it in its stream goes. */
static void strip_repetitions(struct bfo_sequences *s)
{
	struct bfo_access *v = s->accesses.v;
	size_t i, n = 0;

	bfo_sort(v, s->accesses.n, sizeof(*v), 2);
	for (i = 0; i < s->accesses.n; i++) {
		if (n && v[n - 1].stream == v[i].stream && v[n - 1].file == v[i].file)
			continue;
		v[i].step = n && v[n - 1].stream == v[i].stream ? v[n - 1].step + 1 : 0;
		v[n++] = v[i];
	}
	s->accesses.n = n;
}

static errcode_t scratch_reserve(struct bfo_sequences *s)
{
	errcode_t err;

	s->id.n = s->often.n = s->counts.n = 0;
	err = bfo_vec_reserve(&s->id, s->accesses.n);
	if (!err)
		err = bfo_vec_reserve(&s->often, s->accesses.n);
	if (!err)
		err = bfo_vec_reserve(&s->counts, s->accesses.n);
	return err;
}

/* Level 1: counts files and drops the accesses to rare ones. */
static errcode_t keep_frequent_files(struct bfo_sequences *s)
{
	struct bfo_access *v = s->accesses.v;
	errcode_t err;
	size_t i, n = 0;

	err = scratch_reserve(s);
	if (!err)
		err = table_empty(s, s->accesses.n);
	if (err)
		return err;
	for (i = 0; i < s->accesses.n; i++)
		count(s, table_find(s, v[i].file, i), i);
	for (i = 0; i < s->accesses.n; i++) {
		uint32_t count = s->counts.v[s->id.v[i]].count;

		if (count < s->least)
			continue;
		v[n] = v[i];
		s->id.v[n] = s->id.v[i];
		s->often.v[n++] = count;
	}
	s->accesses.n = s->id.n = s->often.n = n;
	return 0;
}

/* Can the sequences of LEN accesses at I and at I + 1 be one? */
static int can_join(const struct bfo_sequences *s, size_t i, uint32_t len)
{
	const struct bfo_access *a = &s->accesses.v[i];

	return i + len < s->accesses.n && s->id.v[i] != NONE && s->id.v[i + 1] != NONE &&
	       a[0].stream == a[1].stream && a[1].step - a[0].step <= s->window &&
	       a[0].file != a[len].file;
}

/* What follows each id for the first time is noted; no id is followed by anything yet. */
static errcode_t firsts_empty(struct bfo_sequences *s)
{
	errcode_t err;

	s->firsts.n = 0;
	err = bfo_vec_reserve(&s->firsts, s->counts.n);
	if (err)
		return err;
	s->firsts.n = s->counts.n;
	memset(s->firsts.v, 0xff, s->firsts.n * sizeof(*s->firsts.v));
	s->counts.n = s->splits.n = 0;
	return 0;
}

/* The sequences that begin at I and at I + 1 become one; what splits a sequence has to wait. */
static errcode_t join_at(struct bfo_sequences *s, uint32_t i)
{
	uint32_t next = s->id.v[i + 1];
	struct bfo_sequence_first *first = &s->firsts.v[s->id.v[i]];

	if (s->often.v[i] < s->often.v[i + 1])
		s->often.v[i] = s->often.v[i + 1];
	if (first->next == NONE)
		*first = (struct bfo_sequence_first) { .next = next, .id = new_id(s, i) };
	if (first->next != next)
		return bfo_vec_push(&s->splits, (struct bfo_sequence_split) {
			.key = (uint64_t) s->id.v[i] << 32 | next, .at = i });
	count(s, first->id, i);
	return 0;
}

/* Sequences of LEN + 1 accesses, from those of LEN. */
static errcode_t join(struct bfo_sequences *s, uint32_t len)
{
	errcode_t err = firsts_empty(s);
	size_t i;

	for (i = 0; i < s->accesses.n && !err; i++) {
		if (can_join(s, i, len))
			err = join_at(s, i);
		else
			s->id.v[i] = NONE;
	}
	if (!err && s->splits.n)
		err = table_empty(s, s->splits.n);
	for (i = 0; i < s->splits.n && !err; i++)
		count(s, table_find(s, s->splits.v[i].key, s->splits.v[i].at), s->splits.v[i].at);
	return err;
}

/* Takes the ids of rare sequences away; adds the others to `found`. */
static errcode_t keep_frequent(struct bfo_sequences *s)
{
	const struct bfo_frequent *c;
	errcode_t err;
	size_t i;

	err = bfo_vec_reserve(&s->found, s->counts.n);
	for (i = 0; i < s->accesses.n && !err; i++) {
		if (s->id.v[i] == NONE)
			continue;
		c = &s->counts.v[s->id.v[i]];
		if (c->count < s->least || c->count < s->support * s->often.v[i])
			s->id.v[i] = NONE;
		else if (c->last == i)
			s->found.v[s->found.n++] = *c;
	}
	return err;
}

errcode_t bfo_sequences_find(struct bfo_sequences *s)
{
	size_t before;
	errcode_t err;
	uint32_t len;

	strip_repetitions(s);
	err = keep_frequent_files(s);
	s->found.n = s->levels.n = 0;
	for (len = 1; len < s->most && s->found.n < s->limit && !err; len++) {
		before = s->found.n;
		err = join(s, len);
		if (!err)
			err = keep_frequent(s);
		if (err || s->found.n == before)
			break;
		err = bfo_vec_push(&s->levels, before);
	}
	if (!err)
		err = bfo_vec_push(&s->levels, s->found.n);
	return err;
}

void bfo_sequences_clear(struct bfo_sequences *s)
{
	s->accesses.n = s->found.n = s->levels.n = 0;
}

void bfo_sequences_free(struct bfo_sequences *s)
{
	bfo_vec_free(&s->accesses);
	bfo_vec_free(&s->found);
	bfo_vec_free(&s->levels);
	bfo_vec_free(&s->id);
	bfo_vec_free(&s->often);
	bfo_vec_free(&s->table);
	bfo_vec_free(&s->counts);
	bfo_vec_free(&s->firsts);
	bfo_vec_free(&s->splits);
}

uint64_t bfo_sequences_bytes(const struct bfo_sequences *s)
{
	return bfo_vec_bytes(&s->accesses) + bfo_vec_bytes(&s->found) + bfo_vec_bytes(&s->levels) +
	       bfo_vec_bytes(&s->id) + bfo_vec_bytes(&s->often) + bfo_vec_bytes(&s->table) +
	       bfo_vec_bytes(&s->counts) + bfo_vec_bytes(&s->firsts) + bfo_vec_bytes(&s->splits);
}
