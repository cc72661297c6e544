// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * folded.c - names of casefolded directories: which of them are one
 *
 * Names are sorted by the hash that the kernel has for them in such directories.  Of those with one
 * hash each is compared with those before it.  There is one encoding, whatever the filesystem.
 */
#include <ext2fs/ext2fs.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "export/folded.h"

_Static_assert(sizeof(struct bfo_folded_name) == 16, "as bfo_sort() wants it");

static const struct ext2fs_nls_table *table(void)
{
	return ext2fs_load_nls_table(EXT4_ENC_UTF8_12_1);
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

errcode_t bfo_folded_add(struct bfo_folded *f, const char *name, size_t len)
{
	struct bfo_folded_name n = { .at = f->text.n, .len = len };
	errcode_t err;

	if (len > UINT32_MAX || f->text.n > UINT32_MAX - len)
		return BFO_ET_OVERFLOW;
	/* what is not of the encoding is not folded */
	if (ext2fs_dirhash2(EXT2_HASH_HALF_MD4, name, len, table(), EXT4_CASEFOLD_FL, NULL,
			    &n.hash, &n.minor))
		ext2fs_dirhash2(EXT2_HASH_HALF_MD4, name, len, NULL, 0, NULL, &n.hash, &n.minor);
	err = bfo_vec_reserve(&f->text, len);
	if (err)
		return err;
	memcpy(f->text.v + f->text.n, name, len);
	f->text.n += len;
	return bfo_vec_push(&f->names, n);
}

static int is_one(const struct bfo_folded *f, const struct bfo_folded_name *a,
		  const struct bfo_folded_name *b)
{
	const unsigned char *text = (const unsigned char *) f->text.v;

	return !ext2fs_casefold_cmp(table(), text + a->at, a->len, text + b->at, b->len);
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

errcode_t bfo_folded_judge(struct bfo_folded *f, struct bfo_folded_mark mark,
			   errcode_t (*met)(void *priv, const char *name, size_t len), void *priv)
{
	struct bfo_folded_name *v = bfo_vec_at(&f->names, mark.names);
	size_t n = f->names.n - mark.names, i;
	errcode_t err = 0;

	if (n > 1)
		bfo_sort(v, n, sizeof(*v), 3);
	for (i = 1; i < n && !err; i++)
		if (was_met(f, v, i))
			err = met(priv, f->text.v + v[i].at, v[i].len);
	f->names.n = mark.names;
	f->text.n = mark.text;
	return err;
}
