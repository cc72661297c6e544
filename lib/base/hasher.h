/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hasher.h - digests of files, for people and other programs, by libgcrypt
 *
 *   open ── [ [add | add_zeroes]* ── end ]* ── close
 *
 * One hasher takes any number of files one after the other; only open allocates.  The first open of
 * a process prepares libgcrypt, so it must not run beside another open.
 */
#ifndef BFO_BASE_HASHER_H
#define BFO_BASE_HASHER_H

#include <stddef.h>
#include <stdint.h>
#include <et/com_err.h>

#define BFO_SHA256_BYTES 32U
#define BFO_MD5_BYTES 16U

enum bfo_algorithm {
	BFO_SUM_SHA256 = 1,
	BFO_SUM_MD5 = 2,
};

struct bfo_sums {
	unsigned int which;	/* mask of enum bfo_algorithm: those that are known */
	uint8_t sha256[BFO_SHA256_BYTES];
	uint8_t md5[BFO_MD5_BYTES];
};

/* A zeroed one is closed. */
struct bfo_hasher {
	void *md;				/* libgcrypt's */
	unsigned int which;
};

/* True if libgcrypt was there when this was built. */
int bfo_hasher_is_built(void);

/*
 * WHICH: mask of enum bfo_algorithm, not 0.  ENOMEM; BFO_ET_NO_LIBGCRYPT: see above; EOPNOTSUPP:
 * this machine's libgcrypt does not allow one of them.
 */
errcode_t bfo_hasher_open(struct bfo_hasher *h, unsigned int which);

void bfo_hasher_add(struct bfo_hasher *h, const void *data, size_t len);

/* LEN zero bytes, a hole; this takes as long as if they had been read from memory. */
void bfo_hasher_add_zeroes(struct bfo_hasher *h, uint64_t len);

/* The digests of all that was added since the last end; the next file may come. */
void bfo_hasher_end(struct bfo_hasher *h, struct bfo_sums *sums);

void bfo_hasher_close(struct bfo_hasher *h);

#endif
