/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * match.h - a tree that is changed in memory, until it lists what its directory does
 *
 *   entries of the tree, in order ──┐
 *                                   ├── what came, what went ── insert, delete ── changed blocks
 *   entries that there should be ───┘
 *
 * The tree is read once; whoever knows the differences has none of it read but what their keys lead
 * to.  Then each entry that went is deleted, and each that came is inserted;
 * what these change stays in memory, so that the caller can count it before he writes it, or drops
 * it.
 * Blocks that nothing leads to are used before the tree grows; what grows stays within `room`.
 *
 * Errors are those of check.h and change.h, ENOMEM, and those of NEXT.
 */
#ifndef ITREE_MATCH_H
#define ITREE_MATCH_H

#include "base/vec.h"
#include "itree/itree.h"

struct itree_draft_block {
	void *data;		/* NULL: as it stands, and not looked at yet */
	int is_changed;
	int is_spare;		/* nothing leads to it */
};

/* An entry that went (of the tree), or came (of the directory). */
struct itree_difference {
	itree_key key;
	size_t name;		/* in names */
	uint8_t name_len, type;
	int came;
};

struct itree_draft {
	struct itree t;			/* its dir is what the catalogue is to say */
	struct itree_store store;
	const struct itree_store *base;	/* the caller's: what stands there */
	uint32_t room;			/* blocks that the tree may have */
	struct itree_draft_block *blocks;	/* ROOM of them */
	BFO_VEC(uint32_t) spare;	/* the lowest one last */
	uint32_t next;			/* blocks from here on were never of the tree */
	uint32_t loaded, changed;	/* blocks in memory, and those of them to be written */
	BFO_VEC(struct itree_difference) differences;	/* ascending by key */
	bfo_chars names;
	uint64_t came, went;

	/* Set by the caller, 0: any number.  More of them end it. */
	uint32_t most_changed;
	uint64_t most_memory;		/* bytes */
	int is_over;			/* it has ended so, or for want of room */
};

/* What there should be: entry by entry, in order of keys; *MORE is 0 behind the last one. */
typedef errcode_t (*itree_next)(void *priv, struct itree_entry *e, int *more);

/*
 * A draft of the tree DIR, which BASE has, in at most ROOM blocks.  Release it with
 * itree_draft_close(), also after an error.
 */
errcode_t itree_draft_open(struct itree_draft *d, const struct itree_store *base, uint32_t seed,
			   const struct itree_dir *dir, uint32_t room);
void itree_draft_close(struct itree_draft *d);

/*
 * The tree gets exactly the entries that NEXT says.  If d->is_over then, it did not, and nothing
 * can be made of the draft.  BFO_ET_ITREE if the tree is damaged.
 */
errcode_t itree_draft_match(struct itree_draft *d, itree_next next, void *priv);

/*
 * The same of differences that are known: each is added, in any order, and then they are applied.
 * The blocks do not depend on that order: a tree that splits has its names in other places if they
 * come in another one.  BFO_ET_NO_PATH if the tree does not have what went.
 */
errcode_t itree_draft_add(struct itree_draft *d, const struct itree_entry *e, int came);
errcode_t itree_draft_apply(struct itree_draft *d);

#endif
