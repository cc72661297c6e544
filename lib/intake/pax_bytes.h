/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pax_bytes.h - bytes of an archive, one after the other, wherever they come from
 */
#ifndef BFO_INTAKE_PAX_BYTES_H
#define BFO_INTAKE_PAX_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <et/com_err.h>

/* A zeroed one but for who gives them is at the beginning. */
struct bfo_pax_bytes {
	/* More: how many stand at *DATA, until the next call; 0: the end; -1: it failed. */
	ssize_t (*next)(void *priv, const void **data);
	/*
	 * Passes over LEN bytes behind these, which need not be there; 0: so far no file reaches.
	 * NULL: it cannot.
	 */
	int (*skip)(void *priv, uint64_t len);
	void *priv;
	const char *data;		/* at hand: LEFT of them */
	size_t left;
	uint64_t at;			/* byte of the archive: the next one */
};

/* Each returns 0, EIO if `next` has failed, or BFO_ET_TRUNCATED where the archive ends before. */

/* The next LEN bytes go to TO. */
errcode_t bfo_pax_bytes_take(struct bfo_pax_bytes *b, void *to, size_t len);

/* Of the next bytes, at most MOST, more than 0: *LEN of them at *DATA, until the next call. */
errcode_t bfo_pax_bytes_some(struct bfo_pax_bytes *b, uint64_t most, const void **data,
			     size_t *len);

/*
 * Passes over LEN bytes.  Where that is done by position, the end is noticed by whoever reads on.
 */
errcode_t bfo_pax_bytes_skip(struct bfo_pax_bytes *b, uint64_t len);

/* Passes over all that comes.  Returns 0 or EIO. */
errcode_t bfo_pax_bytes_drain(struct bfo_pax_bytes *b);

#endif
