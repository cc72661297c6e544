/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sequences.h - frequent sequences of accesses in one batch of a trace (see mine.h)
 *
 *   add  add  add ... find    levels 2, 3, 4 ...: struct bfo_frequent    clear    add ...
 *
 * Errors: ENOMEM.
 */
#ifndef BFO_MINE_SEQUENCES_H
#define BFO_MINE_SEQUENCES_H

#include "base/vec.h"

/* An access; before find in order of time, after it in order of stream, then time. */
struct bfo_access {
	uint32_t stream;
	uint32_t time;			/* which access of the batch it was */
	uint32_t file;
	uint32_t step;			/* which access of its stream, repetitions not counted */
};

/* A frequent sequence of a level's length: where it was seen last, and how often in all. */
struct bfo_frequent {
	uint32_t last;			/* its first access, in accesses.v */
	uint32_t count;
};

struct bfo_sequence_slot {
	uint64_t key;
	uint32_t id;			/* BFO_SEQUENCE_NONE: unused */
};

/* What an id was followed by for the first time, and the id of both. */
struct bfo_sequence_first {
	uint32_t next, id;
};

/* Two ids, of which the first was first followed by another one. */
struct bfo_sequence_split {
	uint64_t key;
	uint32_t at;
};

struct bfo_sequences {
	double support;
	uint32_t window, least, most, limit;	/* as in struct bfo_mine_options, none of them 0 */
	BFO_VEC(struct bfo_access) accesses;
	BFO_VEC(struct bfo_frequent) found;	/* of all levels, in no order within one */
	BFO_VEC(uint32_t) levels;	/* where that of length i + 2 begins; one more: the end */
	/* the rest is scratch of find, by access */
	BFO_VEC(uint32_t) id;		/* of the sequence that begins there */
	BFO_VEC(uint32_t) often;	/* accesses of its most accessed member */
	BFO_VEC(struct bfo_sequence_slot) table;
	BFO_VEC(struct bfo_frequent) counts;	/* by id */
	BFO_VEC(struct bfo_sequence_first) firsts;	/* by id of the level below */
	BFO_VEC(struct bfo_sequence_split) splits;
};

#define BFO_SEQUENCE_NONE UINT32_MAX

/* Appends an access, the newest. */
errcode_t bfo_sequences_add(struct bfo_sequences *s, uint32_t stream, uint32_t file);

/*
 * Finds all frequent sequences, but for those of lengths that are left when `limit` is reached;
 * drops the accesses that are in none of length one.
 */
errcode_t bfo_sequences_find(struct bfo_sequences *s);

/* Back to no accesses. */
void bfo_sequences_clear(struct bfo_sequences *s);
void bfo_sequences_free(struct bfo_sequences *s);

/* Bytes allocated. */
uint64_t bfo_sequences_bytes(const struct bfo_sequences *s);

#endif
