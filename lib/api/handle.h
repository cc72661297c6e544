/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * handle.h - what is behind <e2bfo/e2bfo.h>: a context, the beginning and the end of a call
 *
 * A public function looks like this:
 *
 *   bfo_api_begin(c);
 *   err = bfo_api_take(c, &opt, sizeof(opt), given, "options");   its structs, as we know them
 *   ... the job of lib/job ...
 *   return bfo_api_end(c, err);
 */
#ifndef BFO_API_HANDLE_H
#define BFO_API_HANDLE_H

#include "base/context.h"
#include "compare/compare.h"
#include "e2bfo/e2bfo.h"
#include "volume/medium.h"
#include "volume/open.h"

#define BFO_API_PATH_BYTES 8192

struct e2bfo {
	struct bfo_context ctx;
	volatile sig_atomic_t cancel;	/* somebody has asked to stop; */
	int has_enough;			/* it was a callback of this call */
	char *temp_dir;
	int (*progress)(void *priv, const struct e2bfo_progress *p);
	void *progress_priv;
	int (*finding)(void *priv, const struct e2bfo_finding *f);
	void *finding_priv;
	void (*line)(void *priv, const char *line);
	void *line_priv;
};

/* ---- calls ---- */

void bfo_api_begin(e2bfo *c);

/* A callback has enough: the call under way ends soon, if it has not come to its end. */
void bfo_api_stop(e2bfo *c);

/* Returns what the caller gets for ERR. */
e2bfo_err bfo_api_end(e2bfo *c, errcode_t err);

/*
 * Copies FROM, a struct that begins with its size, to TO, which takes SIZE bytes: what the caller
 * does not know is zero.  NULL: all is.  EINVAL, noted with NAME: it has no size, or sets what we
 * do not know.
 */
errcode_t bfo_api_take(e2bfo *c, void *to, size_t size, const void *from, const char *name);

/* The other way, for a report: as much of FROM, SIZE bytes, as TO, or NULL, has room for. */
void bfo_api_give(void *to, const void *from, size_t size);

/* Entries of an array whose last is NULL; NULL has none. */
size_t bfo_api_count(const char *const *words);

/* EINVAL if FLAGS has any but KNOWN ones. */
errcode_t bfo_api_check_flags(e2bfo *c, uint32_t flags, uint32_t known, const char *name);

/* ---- findings: findings.c; all return BFO_ET_CANCELLED if the caller has enough ---- */

errcode_t bfo_api_tell(e2bfo *c, const struct e2bfo_finding *f);

/* Those of T from *TOLD on, whose end *TOLD becomes. */
errcode_t bfo_api_tell_tree(e2bfo *c, const struct bfo_tree *t, size_t *told);

/* Those about SIDE of what was compared; counts them in *N. */
errcode_t bfo_api_tell_compared(e2bfo *c, const struct bfo_compare *compare, int side,
				uint64_t *n);

/* ---- ends: ends.c ---- */

struct bfo_api_end {
	struct e2bfo_end end;
	char *spec;			/* as job/end.h has it */
	const char *path;		/* never NULL */
	struct bfo_medium medium;
	struct bfo_journal_use journal;
};

/*
 * GIVEN, one of KINDS (1 << kind), as jobs have it; NAME for messages.  EINVAL, noted: it is none
 * of these, or has flags that nobody knows; ENOMEM.  Free it in any case.
 */
errcode_t bfo_api_take_source(e2bfo *c, struct bfo_api_end *e, const struct e2bfo_end *given,
			      unsigned int kinds, const char *name);
errcode_t bfo_api_take_target(e2bfo *c, struct bfo_api_end *e, const struct e2bfo_end *given,
			      unsigned int kinds, const char *name);
void bfo_api_free_end(struct bfo_api_end *e);

#endif
