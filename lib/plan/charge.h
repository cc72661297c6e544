/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * charge.h - the target's quota files in a plan: who is charged, and what
 *
 * How long the new files are going to be depends on who is charged, and has to be known when space
 * is planned; what they are charged, on the inodes as they are written at last.  So:
 *
 *   the target's quota files -- load --.
 *   with --mkfs the source's - limits -+-- size -- plan_space() ... tables -- build -- new blocks
 *   the source's inodes ------ note ---'                              `- add, give_back
 *
 * A quota file gets a record of its own behind all items, a regular file that exists, with one
 * segment; so it takes part in everything that has to do with space (stem, extents or block map,
 * i_blocks).  Its new blocks are free ones, and its inode changes in the transaction; the old
 * blocks are given back there.
 */
#ifndef BFO_PLAN_CHARGE_H
#define BFO_PLAN_CHARGE_H

#include "gather/quota_read.h"
#include "plan/plan.h"
#include "plan/quota.h"

/* One of the target's quota files. */
struct bfo_charge_file {
	uint32_t ino;			/* 0: there is none */
	uint32_t generation;
	bfo_row row;			/* its record, or BFO_NONE until it has one */
	struct bfo_quota quota;		/* what it says */
	struct bfo_quota limits;	/* the source's, if takes_limits */
	int takes_limits;
	struct bfo_quota_use who;	/* the ids that will be charged, or more */
	struct bfo_quota_use what;	/* what they are charged */
	bfo_ranges freed;		/* the blocks it has had */
};

struct bfo_charges {
	struct bfo_charge_file files[BFO_QUOTA_TYPES];
};

/*
 * The target's quota files, again after bfo_plan_retarget(); without any plan->charges is NULL, and
 * the functions below do nothing.  Returns BFO_ET_UNHEALTHY if one is damaged, or ENOMEM.
 */
errcode_t bfo_charges_load(struct bfo_plan *plan, const struct bfo_quota_file *files);

/*
 * The source's quota files, before the target's are sized: limits and grace periods are taken over,
 * and if everything is copied also when grace ends.  Returns BFO_ET_DAMAGED if one is, or ENOMEM.
 */
errcode_t bfo_charges_limits(struct bfo_plan *plan, const struct bfo_quota_file *files);

/*
 * Inode INO of the source, RAW, of SIZE bytes: its owners will be charged if it is going to be
 * copied.  After bfo_plan_order(); every inode once.
 */
errcode_t bfo_charges_note(struct bfo_plan *plan, uint32_t ino, const void *raw, uint32_t size);

/* Sizes the new files: before bfo_plan_space(), again after bfo_charges_load(). */
errcode_t bfo_charges_size(struct bfo_plan *plan);

/* Record ROW is written as RAW (target inode size): its owners are charged for it. */
errcode_t bfo_charges_add(struct bfo_plan *plan, bfo_row row, const void *raw);

/*
 * The target's RAW is about to become that of record ROW: its owners get back what they were
 * charged.
 */
void bfo_charges_give_back(struct bfo_plan *plan, bfo_row row, const void *raw);

/* The same of RAW which is about to go, and INODES in all, itself and its values. */
void bfo_charges_drop(struct bfo_plan *plan, const void *raw, uint32_t inodes);

/*
 * The new content of FILE, the blocks of its record in full, in memory that the caller frees.
 * Once, when everything was added.  Returns BFO_ET_UNHEALTHY if the target's usage was wrong so
 * that this cannot be right, or ENOMEM.
 */
errcode_t bfo_charges_build(struct bfo_plan *plan, struct bfo_charge_file *file, void **data);

void bfo_charges_free(struct bfo_plan *plan);

/* Who is charged for raw inode RAW of SIZE bytes, and for how many bytes. */
uint32_t bfo_charge_owner(const void *raw, uint32_t size, enum bfo_quota_type type);
uint64_t bfo_charge_bytes(const void *raw, uint32_t block_size, int has_huge_file);

#endif
