/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * second_pass.h - data of an archive that can only be read from its beginning on
 *
 *   begin ── [note]* 	while the first pass shows all members, and nobody takes their data
 *         ── [read]* ── free
 *
 * Each member with data gets places (placer.h), also one that nobody wants.  The second pass begins
 * with the first read, and is checked against the first one, member by member.  Places are to
 * ascend over all reads.  If they do not, the pass begins again: slow, and right.
 */
#ifndef BFO_INTAKE_SECOND_PASS_H
#define BFO_INTAKE_SECOND_PASS_H

#include "intake/intake.h"
#include "intake/members.h"
#include "intake/placer.h"

/* A member with data, in the first pass: its first place, and crc32c of all members up to it. */
struct bfo_pass_member {
	uint64_t place;
	uint64_t crc;
};

/* How far a pass has come. */
struct bfo_pass {
	struct bfo_placer placer;
	uint32_t crc;
	int has_places;			/* the member at hand */
	size_t members;			/* with places */
};

struct bfo_second_pass {
	struct bfo_parse parse, again;	/* of the first pass; of the second */
	bfo_members_begin begin;
	BFO_VEC(struct bfo_pass_member) first;
	struct bfo_pass pass;		/* the first, then the second */
	struct bfo_pass whole;		/* the first, once the second has begun */
	struct bfo_members m;
	int runs, ended;		/* the second has begun, has come to its end */
	struct bfo_piece part;		/* data at hand, */
	int has_part;
	uint64_t byte, lost;		/* where these begin, where those before ended */
};

/* PARSE is that of the first pass, BEGIN how to begin; places are blocks of BLOCK_SIZE bytes. */
void bfo_second_pass_begin(struct bfo_second_pass *p, const struct bfo_parse *parse,
			   bfo_members_begin begin, uint32_t block_size);

/* The first pass shows a member.  True if its data get places.  *ERR: ENOMEM. */
int bfo_second_pass_note(struct bfo_second_pass *p, const struct bfo_member *v, errcode_t *err);

/* ... and LEN bytes of it, from AT on; what they get. */
struct bfo_placed bfo_second_pass_note_part(struct bfo_second_pass *p, uint64_t at, uint64_t len);

/*
 * Reads N nodes, sorted, none in memory, as bfo_source_ops has it.  BFO_ET_CHANGED: it is another
 * archive than before; and the errors of members.h.
 */
errcode_t bfo_second_pass_read(struct bfo_second_pass *p, struct bfo_intake *in,
			       const struct bfo_node *nodes, size_t n, const struct bfo_sink *sink);

/* Ends the process, too. */
void bfo_second_pass_free(struct bfo_second_pass *p);

#endif
