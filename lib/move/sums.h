/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sums.h - digests of files, of data that go by on their way to a drain
 *
 *   open ── data ── [of]*
 *
 * They are of what users read: holes and what is preallocated are zeroes.  Memory: a struct
 * bfo_sums for each record of the tree.  Errors: ENOMEM, those of digests, and of reading.
 */
#ifndef BFO_MOVE_SUMS_H
#define BFO_MOVE_SUMS_H

#include "base/hasher.h"
#include "base/marks.h"
#include "gather/contents.h"
#include "move/data.h"

struct bfo_file_sums {
	const struct bfo_plan *plan;
	struct bfo_hasher hasher;
	BFO_VEC(struct bfo_sums) sums;	/* one a row */
	struct bfo_marks have;		/* rows whose sums are known */
	bfo_row row;			/* whose data come, or BFO_NONE, */
	uint64_t at;			/* and how many bytes of it have come */
};

/* PLAN is complete; ALGORITHMS as of base/hasher.h.  Free it in any case. */
errcode_t bfo_file_sums_open(struct bfo_file_sums *s, const struct bfo_plan *plan,
			     unsigned int algorithms);

/* Those of ROW; NULL: it is no file, or was not read. */
const struct bfo_sums *bfo_file_sums_of(const struct bfo_file_sums *s, bfo_row row);

void bfo_file_sums_free(struct bfo_file_sums *s);

/*
 * bfo_data_write() (move/data.h), with SUMS, unless that is NULL, of all files: those whose data do
 * not go by are read from SOURCE afterwards.  DRAIN may be NULL if there are sums: then the data go
 * nowhere else.  Computed by a thread of its own while the drain writes.
 */
errcode_t bfo_sums_data(struct bfo_plan *plan, struct bfo_source *source,
			struct bfo_file_sums *sums, const struct bfo_drain *drain, uint64_t memory,
			struct bfo_data_progress *p);

#endif
