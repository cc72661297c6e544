/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * extsort.h - sorting more records than memory holds
 *
 *   add  add  add ... finish     next next next ...  (rewind)  next next next ...
 *
 * A record is a key of one to three words and up to 64 KiB of data.  Order: by the words of the
 * key, then by the bytes of the data, then by its length; so the result does not depend on the
 * memory, nor on the order of the adds.
 *
 * What fits into memory stays there.  Otherwise runs go to a temporary file without a name
 * (spill.h), which is made when the first one does.
 *
 * Errors are those of spill.h, ENOMEM, and EINVAL for a record that is too long or comes after
 * finish.  An error sticks: every later call but close says it again.
 */
#ifndef BFO_BASE_EXTSORT_H
#define BFO_BASE_EXTSORT_H

#include "base/spill.h"

#define BFO_EXTSORT_MEMORY (2U << 20)	/* bytes: the least there can be */

struct bfo_extsort;

/*
 * WORDS: 1 to BFO_SORT_WORDS.  MEMORY: all that is allocated, in bytes; less than
 * BFO_EXTSORT_MEMORY is taken as that.  It is reserved at once, but costs nothing before it is
 * used.  FOLDER: of the temporary file, NULL for /var/tmp.
 */
errcode_t bfo_extsort_open(struct bfo_extsort **out, unsigned int words, uint64_t memory,
			   const char *folder);
void bfo_extsort_close(struct bfo_extsort *s);		/* NULL is fine */

/* Adds a record.  KEY: words in host order, the most significant first.  Both are copied. */
errcode_t bfo_extsort_add(struct bfo_extsort *s, const uint32_t *key, const void *data,
			  uint32_t len);

/* No more adds; rewinds. */
errcode_t bfo_extsort_finish(struct bfo_extsort *s);

/* Goes back to the first record, any number of times. */
errcode_t bfo_extsort_rewind(struct bfo_extsort *s);

/* The next record, valid until the next call of any function, or *MORE is 0. */
errcode_t bfo_extsort_next(struct bfo_extsort *s, struct bfo_sorted *out, int *more);

struct bfo_extsort_stat {
	uint64_t records;
	uint64_t runs;			/* written to the file, those of merging passes included */
	uint64_t merges;		/* of runs into a longer one in the file */
	uint64_t spilled;		/* bytes written to the file */
	uint64_t allocated;		/* bytes, with the part of memory that is not touched */
};

void bfo_extsort_stat(const struct bfo_extsort *s, struct bfo_extsort_stat *stat);

#endif
