// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream_look.c - what of a stream's data is whole
 *
 *   frames ── each one that is whole: its number, its place ── gaps ── places ── files
 *      ^                                                     │
 *      └── damage: noted; the next head of this stream <─────┘
 *
 * A head is one of this stream if its checksum is right and it has the mark of the tree; so what is
 * searched may be the contents of another stream.  Frames may come in any order: their numbers say
 * what is in them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "intake/stream_state.h"
#include "tree/access.h"

#define WINDOW (1U << 20)		/* bytes that are searched at once */
#define BAD_BYTES 4096U			/* that are passed over where none can be read */

struct look {
	struct bfo_stream_source *s;
	uint64_t at, end;		/* bytes of the file: where it goes on, where it ends */
	uint32_t next;			/* frame of data that should come */
	uint32_t number;		/* of other frames, the same */
	int is_told;			/* of the damage since the last frame that was whole */
	int has_end;
};

static errcode_t note(struct look *l, uint64_t byte, const char *why)
{
	struct bfo_stream_damage *d = &l->s->damage;
	struct bfo_stream_spot spot = { .byte = byte };

	if (l->is_told)
		return 0;
	l->is_told = 1;
	if (d->n++ >= BFO_STREAM_SPOTS)
		return 0;
	snprintf(spot.why, sizeof(spot.why), "%s", why);
	return bfo_stream_failed(l->s, bfo_vec_push(&d->spots, spot));
}

/* Bytes that frame NUMBER has. */
static uint64_t bytes_of(const struct look *l, uint32_t number)
{
	uint64_t at = (uint64_t) number * BFO_STREAM_CHUNK, all = l->s->data;

	return at >= all ? 0 : all - at < BFO_STREAM_CHUNK ? all - at : BFO_STREAM_CHUNK;
}

/* It can stand behind the tree, and is told apart there from that of any other stream. */
static int is_ours(const struct look *l, const struct bfo_stream_head *h)
{
	return bfo_stream_is_marked(h->kind) && bfo_stream_in_is_ours(&l->s->frames, h);
}

/* ---- searching ---- */

/* Where in the N bytes of BUF a head of ours begins; or how many of them begin none. */
static size_t search(const struct look *l, const char *buf, size_t n, int *found)
{
	uint8_t word[4];
	const char *p = buf;
	struct bfo_stream_head h;

	put_le32(word, 0, BFO_STREAM_FRAME);
	*found = 0;
	for (; (p = memmem(p, n - (p - buf), word, sizeof(word))); p++) {
		if (n - (p - buf) < BFO_STREAM_HEAD)
			return p - buf;
		*found = !bfo_stream_get_head((const uint8_t *) p, &h) && is_ours(l, &h);
		if (*found)
			return p - buf;
	}
	return n < sizeof(word) ? n : n - (sizeof(word) - 1);
}

/* l->at becomes the next place, from there on, at which a head of ours stands; or the end. */
static errcode_t find(struct look *l)
{
	struct bfo_context *ctx = l->s->in.source.ctx;
	char *buf = l->s->frames.stored;
	int found = 0;
	ssize_t n;

	while (!found && l->at < l->end) {
		if (bfo_cancelled(ctx))
			return bfo_fail(ctx, BFO_ET_CANCELLED, "reading %s", l->s->name);
		n = pread(l->s->fd, buf, WINDOW, l->at);
		if (n < 0 && errno == EIO)
			n = pread(l->s->fd, buf, BAD_BYTES - l->at % BAD_BYTES, l->at);
		if (n < 0 && errno == EIO)
			l->at += BAD_BYTES - l->at % BAD_BYTES;
		else if (n < 0 && errno != EINTR)
			return bfo_stream_failed(l->s, errno);
		else if (n >= 0 && n < (ssize_t) BFO_STREAM_HEAD && l->at + n >= l->end)
			l->at = l->end;
		else if (n >= 0)
			l->at += search(l, buf, n, &found);
	}
	return 0;
}

/* ---- frames ---- */

static errcode_t take_data(struct look *l)
{
	struct bfo_stream_source *s = l->s;
	const struct bfo_stream_head *h = &s->frame.head;
	uint64_t per_frame = BFO_STREAM_CHUNK / s->in.source.block_size;	/* blocks */
	errcode_t err = 0;

	if (h->number < s->frames.preamble.first || h->bytes != bytes_of(l, h->number) ||
	    h->at != (uint64_t) h->number * BFO_STREAM_CHUNK)
		return note(l, l->at, "a frame of data that cannot be one of these");
	if (h->number != l->next)
		err = note(l, l->at, "a frame of data is missing, or comes twice");
	l->is_told = 0;
	l->next = h->number + 1;
	bfo_hasher_add(&s->hasher, s->frames.digest, sizeof(s->frames.digest));
	if (!err)
		err = bfo_stream_failed(s, bfo_vec_push(&s->found, (struct bfo_stream_found) {
						.number = h->number, .byte = l->at }));
	bfo_progress_report(s->in.source.ctx, BFO_STAGE_LOOK, l->next * per_frame,
			    s->damage.frames * per_frame, 0);
	return err;
}

static errcode_t take_end(struct look *l)
{
	struct bfo_stream_source *s = l->s;
	errcode_t err = 0;

	l->has_end = 1;
	if (s->frame.head.number != l->number ||
	    l->next != s->frames.preamble.first + s->damage.frames)
		err = note(l, l->at, "frames are missing");
	else if (!s->damage.n && bfo_stream_check_end(s))
		err = note(l, l->at, s->frames.why);
	l->is_told = 0;
	return err;
}

/* What is wrong with one frame, and not with all of it. */
static int is_damage(errcode_t err)
{
	return err == BFO_ET_STREAM_DAMAGED || err == BFO_ET_STREAM_CUT || err == EIO;
}

/* What follows the frame at l->at, whose head H is whole: the next one, or bytes were lost. */
static errcode_t pass_over(struct look *l, const struct bfo_stream_head *h)
{
	uint64_t next = l->at + BFO_STREAM_HEAD + h->stored;
	struct bfo_stream_head other;

	if (bfo_stream_in_head(&l->s->frames, next, &other) && is_ours(l, &other)) {
		l->at = next;
		return 0;
	}
	l->at++;
	return find(l);
}

/* The frame that stands at l->at, with head H. */
static errcode_t take_frame(struct look *l, const struct bfo_stream_head *h)
{
	struct bfo_stream_source *s = l->s;
	errcode_t err = bfo_stream_in_frame(&s->frames, l->at, &s->frame);

	if (is_damage(err)) {
		err = note(l, l->at, err == EIO ? "it cannot be read" : s->frames.why);
		return err ? err : pass_over(l, h);
	}
	if (!err && h->kind == BFO_STREAM_DATA)
		err = take_data(l);
	else if (!err && h->kind == BFO_STREAM_END)
		err = take_end(l);
	l->number += h->kind != BFO_STREAM_DATA;
	l->at = s->frames.byte;
	return err;
}

static errcode_t look_on(struct look *l)
{
	struct bfo_stream_head h;
	errcode_t err;

	if (bfo_stream_in_head(&l->s->frames, l->at, &h) &&
	    (is_ours(l, &h) || bfo_stream_in_is_foreign(&h)))
		return take_frame(l, &h);
	err = note(l, l->at, "no frame of this stream begins here");
	l->at++;
	return err ? err : find(l);
}

static int by_number(const void *a, const void *b)
{
	const struct bfo_stream_found *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->byte < y->byte ? -1 : x->byte > y->byte;
}

/* Each frame once, by its number. */
static void sort_found(bfo_stream_found_list *found)
{
	size_t i, kept = 0;

	if (found->n)
		qsort(found->v, found->n, sizeof(*found->v), by_number);
	for (i = 0; i < found->n; i++)
		if (!kept || found->v[kept - 1].number != found->v[i].number)
			found->v[kept++] = found->v[i];
	found->n = kept;
}

static errcode_t look(struct look *l)
{
	struct bfo_stream_source *s = l->s;
	errcode_t err = 0;

	while (!err && l->at < l->end && !(l->has_end && s->found.n >= s->damage.frames)) {
		if (bfo_cancelled(s->in.source.ctx))
			return bfo_fail(s->in.source.ctx, BFO_ET_CANCELLED, "reading %s", s->name);
		err = look_on(l);
	}
	s->damage.bytes = l->at;
	l->is_told = 0;
	if (!err && !l->has_end)
		err = note(l, l->end, "its end is missing");
	bfo_what_clear(s->in.source.ctx);
	s->has_frame = 0;
	sort_found(&s->found);
	return err;
}

/* ---- what is not there ---- */

/* Bytes FROM to END of all data: the places that they have. */
static errcode_t add_bad(struct bfo_stream_source *s, uint64_t from, uint64_t end)
{
	size_t i = bfo_vec_lower(&s->parts, data, from + 1);
	uint64_t bs = s->in.source.block_size;
	errcode_t err = 0;

	s->damage.lost_bytes += end - from;
	for (i -= i > 0; !err && i + 1 < s->parts.n && s->parts.v[i].data < end; i++) {
		const struct bfo_stream_part *p = &s->parts.v[i];
		uint64_t low = from > p->data ? from : p->data;
		uint64_t high = end < p[1].data ? end : p[1].data, first, last;

		if (low >= high)
			continue;
		first = (p->byte + (low - p->data)) / bs;
		last = (p->byte + (high - p->data) - 1) / bs;
		err = bfo_ranges_add(&s->bad, first, last - first + 1);
	}
	return bfo_stream_failed(s, err);
}

static errcode_t find_gaps(struct bfo_stream_source *s)
{
	uint64_t at = 0, begin;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i <= s->found.n && !err; i++) {
		begin = i < s->found.n ? (uint64_t) s->found.v[i].number * BFO_STREAM_CHUNK
				       : s->data;
		if (begin > at)
			err = add_bad(s, at, begin);
		at = begin + BFO_STREAM_CHUNK;
	}
	bfo_ranges_settle(&s->bad);
	s->damage.lost = (s->data + BFO_STREAM_CHUNK - 1) / BFO_STREAM_CHUNK - s->found.n;
	return err;
}

/* Tells TREE what of SEG, of ROW, is bad; *ANY: something is. */
static errcode_t tell_seg(struct bfo_stream_source *s, struct bfo_tree *tree, bfo_row row,
			  const struct bfo_seg *seg, int *any)
{
	uint64_t begin = bfo_seg_blk(seg), end = begin + seg->len, low, high;
	const struct bfo_range *r = bfo_ranges_from(&s->bad, begin);
	errcode_t err = 0;

	for (; r && r < s->bad.v + s->bad.n && r->start < end && !err; r++) {
		low = r->start > begin ? r->start : begin;
		high = r->start + r->len < end ? r->start + r->len : end;
		*any = 1;
		err = bfo_tree_found_part(tree, s->opt.damaged == BFO_MEDIA_SKIP ?
					  BFO_UNREAD_FILE : BFO_UNREAD_DATA,
					  tree->inodes.v[row].ino, 0, seg->lblk + (low - begin),
					  high - low);
	}
	return err;
}

static errcode_t tell_files(struct bfo_stream_source *s, struct bfo_tree *tree)
{
	errcode_t err = 0;
	bfo_row i, j;

	for (i = 0; i < tree->inodes.n && s->bad.n && !err; i++) {
		struct bfo_inode *rec = &tree->inodes.v[i];
		int any = 0;

		for (j = 0; S_ISREG(rec->mode) && j < bfo_seg_count(tree, rec) && !err; j++)
			if (!bfo_seg_unwritten(bfo_seg_of(tree, rec, j)))
				err = tell_seg(s, tree, i, bfo_seg_of(tree, rec, j), &any);
		if (any && s->opt.damaged == BFO_MEDIA_SKIP)
			rec->state |= BFO_INODE_BAD;
	}
	return bfo_stream_failed(s, err);
}

errcode_t bfo_stream_look(struct bfo_stream_source *s, struct bfo_tree *tree)
{
	struct look l = { .s = s, .at = s->frames.byte, .number = s->frames.number,
			  .next = s->frames.preamble.first };
	uint64_t frames = (s->data + BFO_STREAM_CHUNK - 1) / BFO_STREAM_CHUNK;
	off_t end = lseek(s->fd, 0, SEEK_END);
	errcode_t err;

	if (end < 0 || lseek(s->fd, 0, SEEK_SET))
		return bfo_stream_failed(s, errno);
	l.end = end;
	s->damage.frames = frames > l.next ? frames - l.next : 0;
	err = look(&l);
	if (!err)
		err = find_gaps(s);
	return err ? err : tell_files(s, tree);
}
