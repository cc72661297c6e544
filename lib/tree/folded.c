// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * folded.c - names of casefolded directories: which of them are one, and which are no text
 *
 * Names are sorted by a hash of what a kernel folds them to.  Of those with one hash each is
 * compared with those before it.  libext2fs does not say what it folds a name to, only whether two
 * are one; so the hash is all there is to sort by.  Its seed is drawn: otherwise a stranger could
 * send many names of one hash, all of which would be compared.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <ext2fs/ext2fs.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "tree/dir_index.h"
#include "tree/folded.h"

#define WAS_MET 1U		/* in `hash`, of which libext2fs leaves bit 0 clear */

_Static_assert(sizeof(struct bfo_folded_name) == 16, "as bfo_sort() wants it");

errcode_t bfo_folded_init(struct bfo_folded *f, uint16_t encoding)
{
	*f = (struct bfo_folded) { .table = ext2fs_load_nls_table(encoding),
				   .encoding = encoding };
	return getrandom(f->seed, sizeof(f->seed), 0) == sizeof(f->seed) ? 0 : errno;
}

void bfo_folded_free(struct bfo_folded *f)
{
	bfo_vec_free(&f->names);
	bfo_vec_free(&f->text);
}

struct bfo_folded_mark bfo_folded_mark(const struct bfo_folded *f)
{
	return (struct bfo_folded_mark) { .names = f->names.n, .text = f->text.n };
}

errcode_t bfo_folded_add(struct bfo_folded *f, const char *name, size_t len, uint32_t id)
{
	const struct bfo_hashing h = { .version = EXT2_HASH_HALF_MD4, .seed = f->seed,
				       .dir_flags = EXT4_CASEFOLD_FL, .encoding = f->encoding };
	struct bfo_folded_name n = { .at = f->text.n, .id = id };
	errcode_t err;

	if (len >= UINT32_MAX || f->text.n > UINT32_MAX - len - 1)
		return BFO_ET_OVERFLOW;
	bfo_hashing_name(&h, name, len, &n.hash, &n.minor);
	err = bfo_vec_reserve(&f->text, len + 1);
	if (err)
		return err;
	memcpy(f->text.v + f->text.n, name, len);
	f->text.v[f->text.n + len] = 0;
	f->text.n += len + 1;
	return bfo_vec_push(&f->names, n);
}

static int is_one(const struct bfo_folded *f, const struct bfo_folded_name *a,
		  const struct bfo_folded_name *b)
{
	const char *x = f->text.v + a->at, *y = f->text.v + b->at;

	return !ext2fs_casefold_cmp(f->table, (const unsigned char *) x, strlen(x),
				    (const unsigned char *) y, strlen(y));
}

/* True if V[I] is one with a name of the same hash that stands before it. */
static int was_met(const struct bfo_folded *f, const struct bfo_folded_name *v, size_t i)
{
	size_t j = i;

	while (j-- && v[j].hash == v[i].hash && v[j].minor == v[i].minor)
		if (is_one(f, &v[i], &v[j]))
			return 1;
	return 0;
}

BFO_SORT_BY(by_place, struct bfo_folded_name, at)

errcode_t bfo_folded_judge(struct bfo_folded *f, struct bfo_folded_mark mark,
			   errcode_t (*met)(void *priv, const struct bfo_folded_name *n,
					    const char *text), void *priv)
{
	struct bfo_folded_name *v = bfo_vec_at(&f->names, mark.names);
	size_t n = f->names.n - mark.names, n_met = 0, i;
	errcode_t err = 0;

	if (n > 1)
		bfo_sort(v, n, sizeof(*v), 3);
	for (i = n; i-- > 1; ) {
		if (!was_met(f, v, i))
			continue;
		v[i].hash |= WAS_MET;
		n_met++;
	}
	if (n_met)
		qsort(v, n, sizeof(*v), by_place);
	for (i = 0; i < n && n_met && !err; i++)
		if (v[i].hash & WAS_MET)
			err = met(priv, &v[i], f->text.v + v[i].at);
	f->names.n = mark.names;
	f->text.n = mark.text;
	return err;
}

int bfo_folded_is_text(uint16_t encoding, const char *name, size_t len)
{
	char *wrong;

	return !ext2fs_check_encoded_name(ext2fs_load_nls_table(encoding), (char *) name, len,
					  &wrong);
}
