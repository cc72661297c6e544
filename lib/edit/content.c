// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * content.c - contents of files that are changed
 *
 * What is written is a row of whole units: blocks, or with bigalloc clusters, because all of a
 * cluster lies together.
 *
 *   before      |oooooooooo|oooooooooo|oooooo....|
 *   written               nnnnnnnnnnnnnnn
 *   units       |          |oonnnnnnnn|nnnnno....|     o: edges, read before all of it leaves
 *                           ^ lo                  ^ hi
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "edit/content.h"
#include "edit/eas.h"
#include "edit/filemap.h"
#include "edit/mapped.h"
#include "gather/inode_check.h"

#define NO_END UINT32_MAX		/* of logical blocks */

/* A row of units that is written. */
struct row {
	struct bfo_edit *e;
	struct bfo_draft *n;
	const struct bfo_edit_bytes *bytes;
	uint64_t at, end;		/* bytes of the file that are new */
	uint64_t old;			/* what counts as its size: behind that are zeroes */
	uint64_t lo, hi;		/* bytes of the row; hi: of its mapped blocks */
	uint64_t unit;
	uint64_t head, tail;		/* bytes of the edges, head before tail in e->edges, */
	uint64_t head_blk, tail_blk;	/* or, if not 0, owed by these blocks (edit/outflow.h) */
	int is_all;			/* no other blocks stay */
};

static uint64_t unit_of(const struct bfo_edit *e)
{
	return (uint64_t) e->shape.cluster_blocks * e->vol->block_size;
}

static uint64_t round_up(uint64_t n, uint64_t unit)
{
	return (n + unit - 1) / unit * unit;
}

/* The most bytes that a file can have. */
static uint64_t limit_of(const struct bfo_edit *e)
{
	uint64_t bs = e->vol->block_size, n = bs / 4, blocks = 12 + n + n * n + n * n * n;
	uint64_t sectors = UINT32_MAX / (bs / 512) - 2 * n - 16;

	if (e->shape.has_extents)
		return (uint64_t) (UINT32_MAX - 1) * bs;
	if (blocks > UINT32_MAX - 1)
		blocks = UINT32_MAX - 1;
	if (!e->shape.has_huge_file && blocks > sectors)
		blocks = sectors;
	return blocks * bs;
}

/* ---- reading ---- */

/* All of what stands in the inode, at the beginning of e->edges; SIZE bytes, or less. */
static errcode_t read_inline(struct bfo_edit *e, struct bfo_draft *n, uint64_t size)
{
	errcode_t err;

	if (bfo_draft_size(n) > e->vol->inode_size)
		return bfo_fail(e->ctx, BFO_ET_DAMAGED, "reading inode %u of %s: its inline data",
				n->ino, e->vol->spec);
	e->edges.n = 0;
	if (size < bfo_draft_size(n))
		size = bfo_draft_size(n);
	err = bfo_vec_reserve(&e->edges, size + 1);
	if (err)
		return err;
	memset(e->edges.v, 0, size);
	bfo_inode_inline_content(e->vol, n->raw, e->edges.v, bfo_draft_size(n));
	return 0;
}

errcode_t bfo_draft_read(struct bfo_edit *e, struct bfo_draft *n, uint64_t offset, void *buf,
			size_t len)
{
	errcode_t err;

	if (n->held) {
		memcpy(buf, n->held + offset, len);
		return 0;
	}
	if (!bfo_draft_is_inline(n) && bfo_draft_has_map(n))
		return bfo_mapped_read(e, n, offset, buf, len);
	if (S_ISLNK(bfo_draft_mode(n)) && !bfo_draft_is_inline(n)) {
		memcpy(buf, (const char *) n->raw->i_block + offset, len);
		return 0;
	}
	err = read_inline(e, n, 0);
	if (!err)
		memcpy(buf, e->edges.v + offset, len);
	return err;
}

/* ---- a row of units ---- */

/* The block of the volume that byte AT of the file stands in until the commit; or 0. */
static uint64_t old_block(const struct bfo_edit *e, const struct bfo_draft *n, uint64_t at)
{
	uint64_t lblk = at / e->vol->block_size;
	size_t i = bfo_filemap_find(n, lblk);
	const struct bfo_seg *s = bfo_vec_at(&n->segs, i);

	if (e->patches.n || i == n->segs.n || s->lblk > lblk || bfo_seg_unwritten(s) ||
	    s->blk & BFO_SEG_FRESH)
		return 0;
	return bfo_seg_blk(s) + (lblk - s->lblk);
}

/* Can what stays come later, from old blocks? */
static int owe_edges(struct row *r)
{
	if (r->unit != r->e->vol->block_size || !(r->head || r->tail))
		return 0;
	r->head_blk = r->head ? old_block(r->e, r->n, r->lo) : 0;
	r->tail_blk = r->tail ? old_block(r->e, r->n, r->end) : 0;
	if ((!r->head || r->head_blk) && (!r->tail || r->tail_blk))
		return 1;
	r->head_blk = r->tail_blk = 0;
	return 0;
}

/* What stays before and behind what is new. */
static errcode_t read_edges(struct row *r)
{
	uint64_t end = r->hi < r->old ? r->hi : r->old;
	errcode_t err;

	r->head = r->at < r->old ? r->at - r->lo : r->old > r->lo ? r->old - r->lo : 0;
	r->tail = end > r->end ? end - r->end : 0;
	if (owe_edges(r))
		return 0;
	r->e->edges.n = 0;
	err = bfo_vec_reserve(&r->e->edges, r->head + r->tail + 1);
	if (!err && r->head)
		err = bfo_mapped_read(r->e, r->n, r->lo, r->e->edges.v, r->head);
	if (!err && r->tail)
		err = bfo_mapped_read(r->e, r->n, r->end, r->e->edges.v + r->head, r->tail);
	return err;
}

/* Bytes from FROM on, at most up to END, go to TO: those at SRC, or zeroes; how many that are. */
static uint64_t lay(uint64_t *pos, uint64_t stop, uint64_t end, char **to, const char *src)
{
	uint64_t len = end > stop ? stop - *pos : end > *pos ? end - *pos : 0;

	if (src && len)
		memcpy(*to, src, len);
	else
		memset(*to, 0, len);
	*pos += len;
	*to += len;
	return len;
}

/* The part of an edge, up to byte END, that lies in [*POS, STOP): from EDGE on, or owed by BLK. */
static errcode_t lay_edge(const struct row *r, uint64_t *pos, uint64_t stop, uint64_t end,
			  char **to, uint64_t blk, const char *edge)
{
	uint32_t at = *pos % r->e->vol->block_size;
	char *place = *to;
	uint64_t len = lay(pos, stop, end, to, blk ? NULL : edge);

	return blk && len ? bfo_outflow_owe(&r->e->out, blk, at, len, place) : 0;
}

/* Bytes [POS, STOP) of the row to TO. */
static errcode_t fill(const struct row *r, uint64_t pos, uint64_t stop, char *to)
{
	const char *edges = r->e->edges.v;
	errcode_t err = 0;
	uint64_t len;

	if (pos < r->lo + r->head)
		err = lay_edge(r, &pos, stop, r->lo + r->head, &to, r->head_blk,
			       edges + (pos - r->lo));
	if (err)
		return err;
	lay(&pos, stop, r->at, &to, NULL);
	len = r->end > stop ? stop : r->end;
	if (pos < len) {
		len -= pos;
		if (r->bytes->data)
			memcpy(to, (const char *) r->bytes->data + (pos - r->at), len);
		else
			err = r->bytes->fill(r->bytes->priv, pos - r->at, to, len);
		pos += len;
		to += len;
	}
	if (!err && pos >= r->end && pos < r->end + r->tail)
		err = lay_edge(r, &pos, stop, r->end + r->tail, &to, r->tail_blk,
			       edges + r->head + (pos - r->end));
	lay(&pos, stop, UINT64_MAX, &to, NULL);
	return err;
}

static errcode_t take_pieces(struct bfo_edit *e, uint64_t blocks)
{
	uint64_t blk, got, at = 0;
	errcode_t err = bfo_rooms_seek(&e->supply.rooms, blocks);

	e->pieces.n = 0;
	for (; at < blocks && !err; at += got) {
		err = bfo_vec_reserve(&e->pieces, 1);
		if (!err)
			err = bfo_supply_reserve(&e->supply, e->pieces.n + 1);
		if (!err)
			err = bfo_supply_take(&e->supply, blocks - at, &blk, &got);
		if (!err)
			e->pieces.v[e->pieces.n++] = (struct bfo_range) { .start = blk,
									.len = got };
	}
	return err;
}

static void give_pieces(struct bfo_edit *e)
{
	size_t i;

	for (i = 0; i < e->pieces.n; i++)
		bfo_supply_give(&e->supply, e->pieces.v[i].start, e->pieces.v[i].len, 1);
}

static errcode_t write_pieces(const struct row *r)
{
	uint64_t bs = r->e->vol->block_size, pos = r->lo, blocks = (r->hi - r->lo) / bs;
	errcode_t err = 0;
	uint32_t room;
	void *to;
	size_t i;

	for (i = 0; i < r->e->pieces.n && !err; i++) {
		uint64_t blk = r->e->pieces.v[i].start, len = r->e->pieces.v[i].len;

		if (len > blocks)
			len = blocks;
		blocks -= len;
		for (; len && !err; len -= room, blk += room, pos += room * bs) {
			err = bfo_outflow_room(&r->e->out, blk, len, &to, &room);
			if (!err)
				err = fill(r, pos, pos + room * bs, to);
		}
	}
	return err;
}

/* Writes the row, whose at, end and old are set; the inode stays as it is but for its map. */
static errcode_t write_row(struct row *r)
{
	struct bfo_edit *e = r->e;
	uint64_t bs = e->vol->block_size, stop, size = r->end > r->old ? r->end : r->old;
	errcode_t err = bfo_draft_map(e, r->n);

	r->unit = unit_of(e);
	r->lo = r->at / r->unit * r->unit;
	stop = round_up(r->end, r->unit);
	r->hi = stop < size ? stop : round_up(size, bs);
	if (!err)
		err = read_edges(r);
	if (!err)
		err = take_pieces(e, (r->hi - r->lo) / bs);
	if (!err)
		err = write_pieces(r);
	if (!err)
		err = bfo_filemap_put(e, r->n, r->lo / bs, r->is_all ? NO_END : stop / bs,
				      &e->pieces, (r->hi - r->lo) / bs);
	if (err)
		give_pieces(e);
	return err;
}

/* The block of the file that has byte AT, if it is new and has not left for the volume; or NULL. */
static char *waiting_block(struct bfo_edit *e, struct bfo_draft *n, uint64_t at)
{
	uint64_t lblk = at / e->vol->block_size;
	size_t i = n->is_mapped ? bfo_filemap_find(n, lblk) : n->segs.n;
	const struct bfo_seg *s = bfo_vec_at(&n->segs, i);

	if (i == n->segs.n || s->lblk > lblk || bfo_seg_unwritten(s) || !(s->blk & BFO_SEG_FRESH))
		return NULL;
	return bfo_outflow_block(&e->out, (bfo_seg_blk(s) & ~BFO_SEG_FRESH) + (lblk - s->lblk));
}

/*
 * Small pieces that come one after the other need no new block each: what fits into a block that
 * waits goes there.  Of an update that is all or nothing; what an append leaves is R then.
 */
static void fill_waiting(struct row *r, struct bfo_edit_bytes *rest)
{
	uint64_t bs = r->e->vol->block_size, in = r->at % bs, len = bs - in;
	char *block = r->bytes->data ? waiting_block(r->e, r->n, r->at) : NULL;

	if (!block || (r->at < r->old && r->e->out.owed.n))	/* perhaps it waits for these */
		return;
	if (r->at < r->old ? r->end - r->at > len : r->at / bs != (r->old - 1) / bs)
		return;
	if (len > r->end - r->at)
		len = r->end - r->at;
	if (r->at > r->old)
		memset(block + r->old % bs, 0, r->at - r->old);
	memcpy(block + in, r->bytes->data, len);
	if (r->end > r->old)
		memset(block + in + len, 0, bs - in - len);
	*rest = (struct bfo_edit_bytes) { .data = (const char *) r->bytes->data + len,
					  .size = r->bytes->size - len };
	r->bytes = rest;
	r->at += len;
	if (r->old < r->at)
		r->old = r->at;
}

/* Has any unit of [FROM, TO) a block that is written? */
static int has_written(const struct bfo_draft *n, uint64_t from, uint64_t to)
{
	size_t i;

	for (i = bfo_filemap_find(n, from); i < n->segs.n && n->segs.v[i].lblk < to; i++)
		if (!bfo_seg_unwritten(&n->segs.v[i]))
			return 1;
	return 0;
}

static int is_zero(const char *data, size_t len)
{
	return !len || (!*data && !memcmp(data, data + 1, len - 1));
}

/* Is what stands behind byte SIZE in its block zero? */
static errcode_t is_clean(struct bfo_edit *e, struct bfo_draft *n, uint64_t size, int *clean)
{
	uint64_t bs = e->vol->block_size, rest = bs - size % bs;
	errcode_t err;

	*clean = 1;
	if (size % bs == 0 || !has_written(n, size / bs, size / bs + 1))
		return 0;
	e->edges.n = 0;
	err = bfo_vec_reserve(&e->edges, rest);
	if (!err)
		err = bfo_mapped_read(e, n, size, e->edges.v, rest);
	*clean = !err && is_zero(e->edges.v, rest);
	return err;
}

/* The unit in which the file of SIZE bytes ends has nothing behind that end. */
static errcode_t clean_end(struct bfo_edit *e, struct bfo_draft *n, uint64_t size)
{
	static const struct bfo_edit_bytes none = { .data = "" };
	uint64_t bs = e->vol->block_size, unit = unit_of(e), lo = size / unit * unit;
	struct row r = { .e = e, .n = n, .bytes = &none, .at = size, .end = size, .old = size };
	int clean = size % unit == 0 ||
		    !has_written(n, lo / bs, round_up(size, unit) / bs);
	errcode_t err = 0;

	if (!clean && unit == bs)
		err = is_clean(e, n, size, &clean);
	return err || clean ? err : write_row(&r);
}

/* Blocks in [FROM, TO) that are written become holes: they lie behind the end. */
static errcode_t drop_behind(struct bfo_edit *e, struct bfo_draft *n, uint64_t from, uint64_t to)
{
	errcode_t err = 0;
	size_t i;

	for (i = bfo_filemap_find(n, from); i < n->segs.n && n->segs.v[i].lblk < to && !err; ) {
		const struct bfo_seg s = n->segs.v[i];

		if (bfo_seg_unwritten(&s) || s.lblk < from) {
			i++;
			continue;
		}
		err = bfo_filemap_put(e, n, s.lblk, (uint64_t) s.lblk + s.len, NULL, 0);
		i = bfo_filemap_find(n, from);
	}
	return err;
}

/* ---- in the inode ---- */

/* What stands in the inode moves into a block. */
static errcode_t unstuff(struct bfo_edit *e, struct bfo_draft *n)
{
	uint64_t size = bfo_draft_size(n);
	struct bfo_edit_bytes bytes = { .size = size };
	struct row r = { .e = e, .n = n, .bytes = &bytes, .end = size };
	errcode_t err = read_inline(e, n, 0);
	void *copy;

	if (err)
		return err;
	copy = malloc(size + 1);
	if (!copy)
		return ENOMEM;
	memcpy(copy, e->edges.v, size);
	bytes.data = copy;
	err = bfo_draft_leave_inode(e, n);
	if (!err && size)
		err = write_row(&r);
	n->is_remapped = 1;
	if (err)
		bfo_draft_put_inline(e, n, copy, size, NULL);	/* it was there before */
	free(copy);
	return err;
}

/* Could the file stand in its inode: it does, or it has nothing yet? */
static int may_be_inline(const struct bfo_edit *e, const struct bfo_draft *n)
{
	if (bfo_draft_is_inline(n))
		return 1;
	return e->shape.has_inline && n->is_new && !n->segs.n && !bfo_draft_size(n) &&
	       S_ISREG(bfo_draft_mode(n)) &&
	       !(bfo_draft_flags(n) & (EXT3_JOURNAL_DATA_FL | EXT4_EA_INODE_FL));
}

/* Writes into the inode what fits there: *DONE. */
static errcode_t write_inline(struct bfo_edit *e, struct bfo_draft *n, uint64_t offset,
			      const struct bfo_edit_bytes *bytes, uint64_t size, int *done)
{
	errcode_t err;
	int fits;

	*done = 0;
	if (size > e->vol->inode_size)
		return 0;
	err = bfo_draft_put_inline(e, n, NULL, size, &fits);
	if (err || !fits)
		return err;		/* before a callback is asked, which answers once */
	if (bfo_draft_is_inline(n))
		err = read_inline(e, n, size);
	else {
		e->edges.n = 0;
		err = bfo_vec_reserve(&e->edges, size + 1);
		if (!err)
			memset(e->edges.v, 0, size);
	}
	if (!err && bytes && bytes->data)
		memcpy(e->edges.v + offset, bytes->data, bytes->size);
	else if (!err && bytes)
		err = bytes->fill(bytes->priv, 0, e->edges.v + offset, bytes->size);
	if (!err)
		err = bfo_draft_put_inline(e, n, e->edges.v, size, done);
	return err;
}

/* A file in its inode that does not fit there any more, or is too long for that. */
static errcode_t leave_inline(struct bfo_edit *e, struct bfo_draft *n)
{
	return bfo_draft_is_inline(n) ? unstuff(e, n) : 0;
}

/* ---- what others ask for ---- */

/* All that is between the end of the file and OFFSET reads as zero from now on. */
static errcode_t clear_gap(struct bfo_edit *e, struct bfo_draft *n, uint64_t offset)
{
	uint64_t bs = e->vol->block_size, old = bfo_draft_size(n), unit = unit_of(e);
	errcode_t err = bfo_draft_map(e, n);

	if (!err && offset / unit > old / unit)
		err = clean_end(e, n, old);
	if (!err)
		err = drop_behind(e, n, round_up(old, unit) / bs, round_up(offset, unit) / bs);
	return err;
}

errcode_t bfo_draft_settle_held(struct bfo_edit *e, struct bfo_draft *n)
{
	const struct bfo_edit_bytes bytes = { .data = n->held, .size = bfo_draft_size(n) };
	struct row r = { .e = e, .n = n, .bytes = &bytes, .end = bytes.size };
	errcode_t err = 0;
	int done = 0;

	if (!n->held)
		return 0;
	n->held = NULL;
	bfo_draft_set_size(n, 0);
	if (may_be_inline(e, n))
		err = write_inline(e, n, 0, &bytes, bytes.size, &done);
	if (!err && !done && bytes.size)
		err = write_row(&r);
	bfo_draft_set_size(n, bytes.size);
	if (err)
		n->held = bytes.data;
	return err;
}

errcode_t bfo_draft_write(struct bfo_edit *e, struct bfo_draft *n, uint64_t offset,
			 const struct bfo_edit_bytes *bytes)
{
	struct row r = { .e = e, .n = n, .bytes = bytes, .at = offset,
			 .end = offset + bytes->size, .old = bfo_draft_size(n) };
	uint64_t size = r.end > r.old ? r.end : r.old;
	struct bfo_edit_bytes rest;
	errcode_t err;
	int done = 0;

	if (r.end < offset || size > limit_of(e))
		return BFO_ET_FILE_TOO_BIG;
	if (!bytes->size)
		return 0;
	err = bfo_draft_settle_held(e, n);
	if (!err && may_be_inline(e, n))
		err = write_inline(e, n, offset, bytes, size, &done);
	if (!err && !done)
		err = leave_inline(e, n);
	if (!err && !done && offset > r.old)
		err = clear_gap(e, n, offset);
	if (!err && !done && r.old)
		fill_waiting(&r, &rest);
	if (!err && !done && r.at < r.end) {
		err = bfo_draft_map(e, n);
		if (!err && r.end <= r.old && bfo_mapped_may_patch(e, n, r.at, r.end))
			err = bfo_mapped_patch(e, n, r.at, r.bytes);
		else if (!err)
			err = write_row(&r);
	}
	if (err)
		return err;
	bfo_draft_set_size(n, size);
	bfo_draft_touch(e, n, 1);
	bfo_draft_change(e, n);
	return 0;
}

errcode_t bfo_draft_replace(struct bfo_edit *e, struct bfo_draft *n,
			   const struct bfo_edit_bytes *bytes)
{
	struct row r = { .e = e, .n = n, .bytes = bytes, .end = bytes->size, .is_all = 1 };
	errcode_t err = bfo_draft_settle_held(e, n);
	int done = 0;

	if (err)
		return err;
	if (bytes->size > limit_of(e))
		return BFO_ET_FILE_TOO_BIG;
	if (may_be_inline(e, n))
		err = write_inline(e, n, 0, bytes, bytes->size, &done);
	if (!err && !done)
		err = leave_inline(e, n);
	if (!err && !done)
		err = write_row(&r);
	if (err)
		return err;
	bfo_draft_set_size(n, bytes->size);
	bfo_draft_touch(e, n, 1);
	bfo_draft_change(e, n);
	return 0;
}

errcode_t bfo_draft_truncate(struct bfo_edit *e, struct bfo_draft *n, uint64_t size)
{
	uint64_t bs = e->vol->block_size, unit = unit_of(e), old = bfo_draft_size(n);
	errcode_t err = bfo_draft_settle_held(e, n);
	int done = 0;

	if (err)
		return err;
	if (size > limit_of(e))
		return BFO_ET_FILE_TOO_BIG;
	if (bfo_draft_is_inline(n))
		err = write_inline(e, n, 0, NULL, size, &done);
	if (!err && !done)
		err = leave_inline(e, n);
	if (!err && !done && size > old)
		err = clear_gap(e, n, round_up(size, unit) + unit);
	if (!err && !done && size <= old)
		err = bfo_draft_map(e, n);
	if (!err && !done && size < old)
		err = clean_end(e, n, size);
	if (!err && !done && size < old)
		err = bfo_filemap_put(e, n, round_up(size, unit) / bs, NO_END, NULL, 0);
	if (err)
		return err;
	bfo_draft_set_size(n, size);
	bfo_draft_touch(e, n, 1);
	bfo_draft_change(e, n);
	return 0;
}

errcode_t bfo_draft_write_link(struct bfo_edit *e, struct bfo_draft *n, const char *text,
			      size_t len)
{
	const struct bfo_edit_bytes bytes = { .data = text, .size = len };
	struct row r = { .e = e, .n = n, .bytes = &bytes, .end = len };
	errcode_t err = 0;

	if (len < sizeof(n->raw->i_block)) {
		memcpy(n->raw->i_block, text, len);
		n->is_remapped = 0;
	} else {
		n->is_remapped = 1;
		err = write_row(&r);
	}
	bfo_draft_set_size(n, len);
	return err;
}
