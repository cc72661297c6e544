// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hasher.c - digests of files, for people and other programs, by libgcrypt
 *
 * libgcrypt takes all bytes for one algorithm, then for the next; small steps keep them in the
 * processor's cache in between.  Its secure memory is for keys, of which there are none.
 */
#include <assert.h>

#include "base/bfo_err.h"
#include "base/hasher.h"

#ifdef HAVE_LIBGCRYPT

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <gcrypt.h>

#define STEP (64U << 10)

int bfo_hasher_is_built(void)
{
	return 1;
}

/* Of the process, and so is this: two threads that begin must not do it both. */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void prepare_once(void)
{
	if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P) || !gcry_check_version(NULL))
		return;
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

static errcode_t prepare(void)
{
	pthread_once(&once, prepare_once);
	return gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P) ? 0 : EOPNOTSUPP;
}

static errcode_t of_gcrypt(gcry_error_t err)
{
	if (!err)
		return 0;
	return gcry_err_code(err) == GPG_ERR_ENOMEM ? ENOMEM : EOPNOTSUPP;
}

errcode_t bfo_hasher_open(struct bfo_hasher *h, unsigned int which)
{
	gcry_md_hd_t md = NULL;
	errcode_t err = prepare();

	assert(which);
	*h = (struct bfo_hasher) { .which = which };
	if (!err)
		err = of_gcrypt(gcry_md_open(&md, GCRY_MD_NONE, 0));
	if (!err && (which & BFO_SUM_SHA256))
		err = of_gcrypt(gcry_md_enable(md, GCRY_MD_SHA256));
	if (!err && (which & BFO_SUM_MD5))
		err = of_gcrypt(gcry_md_enable(md, GCRY_MD_MD5));
	h->md = md;
	if (err)
		bfo_hasher_close(h);
	return err;
}

void bfo_hasher_add(struct bfo_hasher *h, const void *data, size_t len)
{
	const uint8_t *p = data;
	size_t n;

	for (; len; p += n, len -= n) {
		n = len < STEP ? len : STEP;
		gcry_md_write(h->md, p, n);
	}
}

void bfo_hasher_add_zeroes(struct bfo_hasher *h, uint64_t len)
{
	static const uint8_t zeroes[STEP];
	size_t n;

	for (; len; len -= n) {
		n = len < STEP ? len : STEP;
		gcry_md_write(h->md, zeroes, n);
	}
}

void bfo_hasher_end(struct bfo_hasher *h, struct bfo_sums *sums)
{
	memset(sums, 0, sizeof(*sums));
	sums->which = h->which;
	if (h->which & BFO_SUM_SHA256)
		memcpy(sums->sha256, gcry_md_read(h->md, GCRY_MD_SHA256), sizeof(sums->sha256));
	if (h->which & BFO_SUM_MD5)
		memcpy(sums->md5, gcry_md_read(h->md, GCRY_MD_MD5), sizeof(sums->md5));
	gcry_md_reset(h->md);
}

void bfo_hasher_close(struct bfo_hasher *h)
{
	gcry_md_close(h->md);
	*h = (struct bfo_hasher) { 0 };
}

#else

int bfo_hasher_is_built(void)
{
	return 0;
}

errcode_t bfo_hasher_open(struct bfo_hasher *h, unsigned int which)
{
	assert(which);
	*h = (struct bfo_hasher) { 0 };
	return BFO_ET_NO_LIBGCRYPT;
}

/* (Nothing is added to what was never opened.) */
void bfo_hasher_add(struct bfo_hasher *h, const void *data, size_t len)
{
	(void) data;
	(void) len;
	assert(h->md);
}

void bfo_hasher_add_zeroes(struct bfo_hasher *h, uint64_t len)
{
	(void) len;
	assert(h->md);
}

void bfo_hasher_end(struct bfo_hasher *h, struct bfo_sums *sums)
{
	assert(h->md);
	*sums = (struct bfo_sums) { 0 };
}

void bfo_hasher_close(struct bfo_hasher *h)
{
	*h = (struct bfo_hasher) { 0 };
}

#endif
