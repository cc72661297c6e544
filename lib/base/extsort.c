// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extsort.c - sorting more records than memory holds
 *
 *   arena:  index -> ....... <- data         while records are added
 *           index | heap, cursors, frames | data     while runs are merged
 *
 * When index and data meet, the index is sorted, and all is written as a run.  The last buffer
 * stays in memory as one more run, if what merging needs fits in between.  As many runs are merged
 * at once as the arena has room for; while there are more, the oldest become one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/extsort.h"
#include "base/kway.h"
#include "base/pages.h"
#include "base/prefetch.h"
#include "base/sort.h"

#define MAX_RUNS 1024U
#define MIN_FRAME (128U << 10)		/* bytes; the longest record fits */
#define MAX_FRAME (1U << 20)		/* where it is still read in one stroke */
#define AHEAD 16U			/* records; the data of sorted ones lies anywhere */

/* What bfo_sort() moves about. */
struct place {
	uint32_t key[BFO_SORT_WORDS];
	uint32_t len;
	uint64_t at;			/* of the data in the arena */
};

/* What merging needs for each run. */
struct source {
	struct bfo_kway_head head;
	struct bfo_spill_cursor cursor;
};

struct bfo_extsort {
	unsigned int words;
	char *folder;
	errcode_t err;			/* sticks */
	int finished;

	uint8_t *arena;
	size_t bytes, frame;
	size_t n;			/* places at its beginning */
	size_t data;			/* where the data begins that is at its end */
	size_t next;			/* place to be given out */

	struct bfo_spill spill;		/* fd -1: nothing was written */
	struct bfo_spill_run runs[MAX_RUNS];
	uint32_t nruns;
	struct bfo_spill_cursor *cursors;	/* in the arena */
	struct bfo_kway kway;
	struct bfo_extsort_stat stat;
};

static struct place *places(const struct bfo_extsort *s)
{
	return (struct place *) s->arena;
}

static void empty_buffer(struct bfo_extsort *s)
{
	s->n = s->next = 0;
	s->data = s->bytes;
}

errcode_t bfo_extsort_open(struct bfo_extsort **out, unsigned int words, uint64_t memory,
			   const char *folder)
{
	struct bfo_extsort *s = calloc(1, sizeof(*s));

	*out = NULL;
	if (!s)
		return ENOMEM;
	if (memory < BFO_EXTSORT_MEMORY)
		memory = BFO_EXTSORT_MEMORY;
	s->words = words;
	s->spill.fd = -1;
	s->frame = memory / 64 > MAX_FRAME ? MAX_FRAME : memory / 64;
	if (s->frame < MIN_FRAME)
		s->frame = MIN_FRAME;
	/* Down to whole pages, so that none is begun beyond the limit. */
	s->bytes = (memory - sizeof(*s) - bfo_spill_bytes(s->frame)) / 4096 * 4096;
	s->folder = strdup(folder ? folder : "/var/tmp");
	s->arena = bfo_pages_alloc(s->bytes);
	if (!s->folder || !s->arena) {
		bfo_extsort_close(s);
		return ENOMEM;
	}
	empty_buffer(s);
	*out = s;
	return 0;
}

void bfo_extsort_close(struct bfo_extsort *s)
{
	if (!s)
		return;
	bfo_spill_close(&s->spill);
	bfo_pages_free(s->arena, s->bytes);
	free(s->folder);
	free(s);
}

void bfo_extsort_stat(const struct bfo_extsort *s, struct bfo_extsort_stat *stat)
{
	*stat = s->stat;
	stat->spilled = s->spill.written;
	stat->allocated = sizeof(*s) + s->bytes + bfo_spill_allocated(&s->spill);
}

/* ---- the buffer ---- */

static void record_at(const struct bfo_extsort *s, size_t i, struct bfo_sorted *rec)
{
	const struct place *p = &places(s)[i];

	memcpy(rec->key, p->key, sizeof(rec->key));
	rec->len = p->len;
	rec->data = s->arena + p->at;
}

static int compare_places(const struct bfo_extsort *s, size_t i, size_t j)
{
	struct bfo_sorted a, b;

	record_at(s, i, &a);
	record_at(s, j, &b);
	return bfo_sorted_compare(&a, &b);
}

static void swap_places(struct bfo_extsort *s, size_t i, size_t j)
{
	struct place p = places(s)[i];

	places(s)[i] = places(s)[j];
	places(s)[j] = p;
}

static void sift_place(struct bfo_extsort *s, size_t first, size_t i, size_t n)
{
	size_t child;

	for (; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && compare_places(s, first + child, first + child + 1) < 0)
			child++;
		if (compare_places(s, first + i, first + child) >= 0)
			break;
		swap_places(s, first + i, first + child);
	}
}

/* Heap sort: qsort(3) would allocate, and this one is never slow. */
static void sort_ties(struct bfo_extsort *s, size_t first, size_t n)
{
	size_t i;

	for (i = n / 2; i--; )
		sift_place(s, first, i, n);
	for (i = n; i-- > 1; ) {
		swap_places(s, first, first + i);
		sift_place(s, first, 0, i);
	}
}

static void sort_buffer(struct bfo_extsort *s)
{
	const struct place *p = places(s);
	size_t i, first = 0;

	bfo_sort(s->arena, s->n, sizeof(*p), s->words);
	for (i = 1; i <= s->n; i++)
		if (i == s->n || memcmp(p[i].key, p[first].key, sizeof(p->key))) {
			if (i - first > 1)
				sort_ties(s, first, i - first);
			first = i;
		}
}

static errcode_t next_in_buffer(struct bfo_extsort *s, struct bfo_sorted *rec, int *more)
{
	*more = s->next < s->n;
	if (!*more)
		return 0;
	if (s->next + AHEAD < s->n)
		bfo_prefetch(s->arena + places(s)[s->next + AHEAD].at);
	record_at(s, s->next++, rec);
	return 0;
}

/* ---- runs ---- */

/* Runs that can be merged beside what is in the buffer. */
static uint32_t fan(const struct bfo_extsort *s)
{
	size_t room = s->data - s->n * sizeof(struct place);
	size_t need = sizeof(struct bfo_kway_head);	/* the buffer's own; see begin_merge() */

	return room <= need ? 0 : (room - need) / (s->frame + sizeof(struct source));
}

/* Source 0 is the buffer, which may be empty; run I is source I + 1. */
static errcode_t next_of_source(void *priv, uint32_t source, struct bfo_sorted *rec, int *more)
{
	struct bfo_extsort *s = priv;

	if (!source)
		return next_in_buffer(s, rec, more);
	return bfo_spill_next(&s->spill, &s->cursors[source - 1], rec, more);
}

/* Begins to merge the buffer and the first N runs, at most fan(). */
static errcode_t begin_merge(struct bfo_extsort *s, uint32_t n)
{
	struct bfo_kway_head *heap = (void *) (s->arena + s->n * sizeof(struct place));
	uint8_t *frames;
	uint32_t i;

	s->cursors = (void *) (heap + n + 1);
	frames = (uint8_t *) (s->cursors + n);
	for (i = 0; i < n; i++)
		bfo_spill_seek(&s->cursors[i], &s->runs[i], frames + i * s->frame);
	return bfo_kway_begin(&s->kway, heap, n + 1, next_of_source, s);
}

/* Writes all records that NEXT gives as a new run, the last. */
static errcode_t write_run(struct bfo_extsort *s,
			   errcode_t (*next)(struct bfo_extsort *, struct bfo_sorted *, int *))
{
	struct bfo_spill_run *run = &s->runs[s->nruns];
	struct bfo_sorted rec;
	errcode_t err;
	int more;

	bfo_spill_begin(&s->spill, run);
	while (!(err = next(s, &rec, &more)) && more) {
		err = bfo_spill_add(&s->spill, &rec);
		if (err)
			return err;
	}
	if (!err)
		err = bfo_spill_end(&s->spill, run);
	s->nruns++;
	s->stat.runs++;
	return err;
}

static errcode_t next_merged(struct bfo_extsort *s, struct bfo_sorted *rec, int *more)
{
	return bfo_kway_next(&s->kway, rec, more);
}

/* Makes one run of the N oldest. The buffer is empty. */
static errcode_t merge_runs(struct bfo_extsort *s, uint32_t n)
{
	errcode_t err = begin_merge(s, n);
	uint32_t i;

	if (!err)
		err = write_run(s, next_merged);
	if (err)
		return err;
	for (i = 0; i < n; i++)
		bfo_spill_drop(&s->spill, &s->runs[i]);
	s->nruns -= n;
	memmove(s->runs, s->runs + n, s->nruns * sizeof(*s->runs));
	s->stat.merges++;
	return 0;
}

/* Leaves at most LIMIT runs; the first merge takes no more of them than it has to. */
static errcode_t reduce_runs(struct bfo_extsort *s, uint32_t limit)
{
	uint32_t most = fan(s), n;
	errcode_t err = 0;

	while (s->nruns > limit && !err) {
		n = s->nruns - limit + 1;
		err = merge_runs(s, n < most ? n : most);
	}
	return err;
}

/* Writes the buffer, sorted, as a run. */
static errcode_t spill_buffer(struct bfo_extsort *s)
{
	errcode_t err = 0;

	if (s->spill.fd < 0)
		err = bfo_spill_open(&s->spill, s->folder, s->words, s->frame);
	s->next = 0;
	if (!err)
		err = write_run(s, next_in_buffer);
	empty_buffer(s);
	if (!err && s->nruns == MAX_RUNS - 1)
		err = reduce_runs(s, fan(s));
	return err;
}

/* ---- the interface ---- */

static int fits(const struct bfo_extsort *s, uint32_t len)
{
	return s->data - s->n * sizeof(struct place) >= sizeof(struct place) + len;
}

errcode_t bfo_extsort_add(struct bfo_extsort *s, const uint32_t *key, const void *data,
			  uint32_t len)
{
	struct place *p;

	if (s->err)
		return s->err;
	if (len > BFO_SORT_DATA || s->finished)
		return s->err = EINVAL;
	if (!fits(s, len)) {
		sort_buffer(s);
		s->err = spill_buffer(s);
		if (s->err)
			return s->err;
	}
	s->data -= len;
	if (len)
		memcpy(s->arena + s->data, data, len);
	p = &places(s)[s->n++];
	*p = (struct place) { .len = len, .at = s->data };
	memcpy(p->key, key, s->words * sizeof(*key));
	s->stat.records++;
	return 0;
}

errcode_t bfo_extsort_finish(struct bfo_extsort *s)
{
	if (s->err)
		return s->err;
	s->finished = 1;
	sort_buffer(s);
	if (s->nruns > fan(s)) {
		s->err = spill_buffer(s);
		if (!s->err)
			s->err = reduce_runs(s, fan(s));
	}
	return bfo_extsort_rewind(s);
}

errcode_t bfo_extsort_rewind(struct bfo_extsort *s)
{
	s->next = 0;
	if (!s->err && s->nruns)
		s->err = begin_merge(s, s->nruns);
	return s->err;
}

errcode_t bfo_extsort_next(struct bfo_extsort *s, struct bfo_sorted *out, int *more)
{
	*more = 0;
	if (!s->err)
		s->err = s->nruns ? next_merged(s, out, more) : next_in_buffer(s, out, more);
	return s->err;
}
