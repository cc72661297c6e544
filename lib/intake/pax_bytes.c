// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pax_bytes.c - bytes of an archive, one after the other, wherever they come from
 *
 * Bytes are handed on where they stand.  Only what is taken is copied: headers, and maps.
 */
#include <errno.h>
#include <string.h>

#include "base/bfo_err.h"
#include "intake/pax_bytes.h"

/* At least one byte is at hand. */
static errcode_t have(struct bfo_pax_bytes *b)
{
	const void *data;
	ssize_t got;

	if (b->left)
		return 0;
	got = b->next(b->priv, &data);
	if (got <= 0)
		return got ? EIO : BFO_ET_TRUNCATED;
	b->data = data;
	b->left = got;
	return 0;
}

errcode_t bfo_pax_bytes_some(struct bfo_pax_bytes *b, uint64_t most, const void **data, size_t *len)
{
	errcode_t err = have(b);

	if (err)
		return err;
	*data = b->data;
	*len = b->left < most ? b->left : most;
	b->data += *len;
	b->left -= *len;
	b->at += *len;
	return 0;
}

errcode_t bfo_pax_bytes_take(struct bfo_pax_bytes *b, void *to, size_t len)
{
	char *at = to;
	const void *data;
	errcode_t err = 0;
	size_t some;

	for (; len && !err; at += some, len -= some) {
		some = 0;
		err = bfo_pax_bytes_some(b, len, &data, &some);
		if (!err)
			memcpy(at, data, some);
	}
	return err;
}

errcode_t bfo_pax_bytes_skip(struct bfo_pax_bytes *b, uint64_t len)
{
	errcode_t err = 0;
	const void *data;
	size_t some;

	while (len && !err) {
		if (!b->left && b->skip) {
			b->at += len;
			return b->skip(b->priv, len) ? 0 : BFO_ET_TRUNCATED;
		}
		some = 0;
		err = bfo_pax_bytes_some(b, len, &data, &some);
		len -= some;
	}
	return err;
}

errcode_t bfo_pax_bytes_drain(struct bfo_pax_bytes *b)
{
	errcode_t err = 0;
	const void *data;
	size_t some;

	while (!err)
		err = bfo_pax_bytes_some(b, UINT64_MAX, &data, &some);
	return err == BFO_ET_TRUNCATED ? 0 : err;
}
