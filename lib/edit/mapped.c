// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mapped.c - bytes of a file in its blocks: read, and a few of them changed where they lie
 *
 * Whoever writes to new blocks cuts a file in pieces, and each reader pays for that with two seeks.
 * Whoever changes blocks through the journal writes them twice, and at the end of the commit goes
 * where they lie.  So blocks are changed in place only if
 *
 *   - they are fewer than a seek costs, by what the batch reader takes that to be;
 *   - the file has so many more that reading it costs several times as much as a seek;
 *   - the batch has done so less than MOST_PATCHES times: many such changes are what new blocks are
 *     for, as then one seek stands against one for each of them;
 *   - all of them are mapped, written, not new, and below the end of the file;
 *   - there is a journal.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "edit/filemap.h"
#include "edit/mapped.h"

#define MOST_PATCHES 32U		/* blocks */
#define LARGE_SEEKS 4U			/* seeks that reading the file costs at least */

/* ---- reading ---- */

static errcode_t read_blocks(struct bfo_edit *e, uint64_t blk, uint32_t n, char *buf)
{
	errcode_t err = bfo_outflow_has(&e->out, blk, n) ? bfo_outflow_flush(&e->out) : 0;
	uint32_t bs = e->vol->block_size;
	size_t i;

	if (!err)
		err = bfo_volume_read(e->ctx, e->vol, blk, n, buf);
	for (i = 0; i < e->patches.n && !err; i++)
		if (e->patches.v[i].blk >= blk && e->patches.v[i].blk - blk < n)
			memcpy(buf + (e->patches.v[i].blk - blk) * bs, e->patches.v[i].data, bs);
	return err;
}

/* LEN bytes from byte AT of segment S on; whole blocks go where they belong at once. */
static errcode_t read_seg(struct bfo_edit *e, const struct bfo_seg *s, uint64_t at, char *buf,
			  uint64_t len)
{
	uint64_t bs = e->vol->block_size, blk = (bfo_seg_blk(s) & ~BFO_SEG_FRESH) + at / bs, part;
	char *block = NULL;
	errcode_t err = 0;

	for (at %= bs; len && !err; len -= part, buf += part, at = 0) {
		if (!at && len >= bs) {
			part = len / bs * bs;
			err = read_blocks(e, blk, part / bs, buf);
			blk += part / bs;
			continue;
		}
		part = len < bs - at ? len : bs - at;
		block = malloc(bs);
		err = block ? read_blocks(e, blk++, 1, block) : ENOMEM;
		if (!err)
			memcpy(buf, block + at, part);
		free(block);
	}
	return err;
}

errcode_t bfo_mapped_read(struct bfo_edit *e, struct bfo_draft *n, uint64_t offset, char *buf,
			  uint64_t len)
{
	uint64_t bs = e->vol->block_size, end = offset + len, first, last;
	errcode_t err = bfo_draft_map(e, n);
	size_t i;

	memset(buf, 0, len);
	for (i = err ? n->segs.n : bfo_filemap_find(n, offset / bs); i < n->segs.n && !err; i++) {
		const struct bfo_seg *s = &n->segs.v[i];

		first = s->lblk * bs;
		last = first + s->len * bs;
		if (first >= end)
			break;
		if (bfo_seg_unwritten(s))
			continue;
		if (first < offset)
			first = offset;
		if (last > end)
			last = end;
		err = read_seg(e, s, first - s->lblk * bs, buf + (first - offset), last - first);
	}
	return err;
}

/* ---- changing ---- */

/* Are all logical blocks [FIRST, END) written ones that the file has had before? */
static int are_old(const struct bfo_draft *n, uint64_t first, uint64_t end)
{
	size_t i;

	for (i = bfo_filemap_find(n, first); first < end && i < n->segs.n; i++) {
		const struct bfo_seg *s = &n->segs.v[i];

		if (s->lblk > first || bfo_seg_unwritten(s) || s->blk & BFO_SEG_FRESH)
			return 0;
		first = (uint64_t) s->lblk + s->len;
	}
	return first >= end;
}

int bfo_mapped_may_patch(const struct bfo_edit *e, const struct bfo_draft *n, uint64_t from,
			 uint64_t to)
{
	uint64_t bs = e->vol->block_size, first = from / bs, end = (to + bs - 1) / bs;
	uint64_t seek = bfo_reader_seek(&e->reader), all = bfo_draft_size(n) / bs;

	return e->change.has_journal && S_ISREG(bfo_draft_mode(n)) && end - first < seek &&
	       all >= LARGE_SEEKS * seek && e->patches.n + (end - first) <= MOST_PATCHES &&
	       are_old(n, first, end);
}

errcode_t bfo_mapped_image(struct bfo_edit *e, uint64_t blk, char **data)
{
	errcode_t err;
	size_t i;

	for (i = 0; i < e->patches.n; i++)
		if (e->patches.v[i].blk == blk) {
			*data = e->patches.v[i].data;
			return 0;
		}
	*data = malloc(e->vol->block_size);
	err = *data ? read_blocks(e, blk, 1, *data) : ENOMEM;
	if (!err)
		err = bfo_vec_push(&e->patches, (struct bfo_image) { .blk = blk, .data = *data });
	if (err)
		free(*data);
	return err;
}

/* The same of logical block LBLK. */
static errcode_t image_of(struct bfo_edit *e, const struct bfo_draft *n, uint64_t lblk,
			  char **data)
{
	const struct bfo_seg *s = &n->segs.v[bfo_filemap_find(n, lblk)];

	return bfo_mapped_image(e, bfo_seg_blk(s) + (lblk - s->lblk), data);
}

/* Brings all bytes together, so that nothing has changed if they do not come. */
static errcode_t gather(const struct bfo_edit_bytes *bytes, char **all)
{
	errcode_t err = 0;

	*all = malloc(bytes->size);
	if (!*all)
		return ENOMEM;
	if (bytes->data)
		memcpy(*all, bytes->data, bytes->size);
	else
		err = bytes->fill(bytes->priv, 0, *all, bytes->size);
	return err;
}

errcode_t bfo_mapped_patch(struct bfo_edit *e, struct bfo_draft *n, uint64_t offset,
			   const struct bfo_edit_bytes *bytes)
{
	uint64_t bs = e->vol->block_size, first = offset / bs, at;
	uint64_t end = (offset + bytes->size + bs - 1) / bs, part;
	char *all, *images[MOST_PATCHES];
	errcode_t err = gather(bytes, &all);

	for (at = first; at < end && !err; at++)
		err = image_of(e, n, at, &images[at - first]);
	for (at = 0; at < bytes->size && !err; at += part) {
		uint64_t pos = offset + at;

		part = bs - pos % bs < bytes->size - at ? bs - pos % bs : bytes->size - at;
		memcpy(images[pos / bs - first] + pos % bs, all + at, part);
	}
	free(all);
	return err;
}

void bfo_mapped_forget(struct bfo_edit *e)
{
	while (e->patches.n)
		free(e->patches.v[--e->patches.n].data);
}
