// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * second_pass.c - data of an archive that can only be read from its beginning on
 *
 *   parts    |--a--|   |----b----|-c-|     bytes, counted in places
 *   wanted        |  piece of a node  |    zeros, then what each part has of it
 *
 * A part is kept until all that is wanted lies behind it.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/pace.h"
#include "intake/second_pass.h"

#define PIECE (1U << 20)	/* bytes of a node that are delivered at once */

void bfo_second_pass_begin(struct bfo_second_pass *p, const struct bfo_parse *parse,
			   bfo_members_begin begin, uint32_t block_size)
{
	*p = (struct bfo_second_pass) { .parse = *parse, .begin = begin,
					.pass = { .placer = { .block_size = block_size } } };
}

/* A pass shows V.  True if its data get places. */
static int show(struct bfo_second_pass *p, const struct bfo_member *v)
{
	struct bfo_pass *pass = &p->pass;

	pass->crc = bfo_crc32c(pass->crc, &v->crc, sizeof(v->crc));
	pass->has_places = v->data_end > p->parse.small &&
			   (v->is_link || S_ISREG(v->attrs.mode));
	pass->members += pass->has_places;
	bfo_placer_begin(&pass->placer);
	return pass->has_places;
}

int bfo_second_pass_note(struct bfo_second_pass *p, const struct bfo_member *v, errcode_t *err)
{
	int has_places = show(p, v);
	struct bfo_pass_member one = { .place = p->pass.placer.next, .crc = p->pass.crc };

	*err = has_places ? bfo_vec_push(&p->first, one) : 0;
	return has_places;
}

struct bfo_placed bfo_second_pass_note_part(struct bfo_second_pass *p, uint64_t at, uint64_t len)
{
	return bfo_placer_put(&p->pass.placer, at, len);
}

/* ---- the second ---- */

static errcode_t changed(struct bfo_second_pass *p, struct bfo_source *s)
{
	return bfo_fail(s->ctx, BFO_ET_CHANGED,
			"reading %s once more: at member %s it is not what it was before", s->name,
			p->m.count ? p->m.path : "1");
}

static errcode_t start(struct bfo_second_pass *p, struct bfo_source *s)
{
	errcode_t err;

	if (!p->runs)
		p->whole = p->pass;
	p->again = p->parse;
	p->again.data = BFO_PARSE_ALL;
	bfo_members_stop(&p->m);
	p->has_part = p->ended = 0;
	p->lost = p->byte = 0;
	p->pass = (struct bfo_pass) { .placer = { .block_size = s->block_size } };
	err = p->begin(&p->m, s->ctx, s->name, &p->again);
	p->runs = 1;
	return err;
}

static errcode_t check_member(struct bfo_second_pass *p, struct bfo_source *s,
			      const struct bfo_member *v)
{
	const struct bfo_pass_member *before;

	if (!show(p, v))
		return 0;
	if (p->pass.members > p->first.n)
		return changed(p, s);
	before = &p->first.v[p->pass.members - 1];
	return before->crc == p->pass.crc && before->place == p->pass.placer.next ? 0
										   : changed(p, s);
}

static errcode_t check_end(struct bfo_second_pass *p, struct bfo_source *s)
{
	p->ended = 1;
	return p->pass.members == p->whole.members && p->pass.crc == p->whole.crc &&
	       p->pass.placer.next == p->whole.placer.next ? 0 : changed(p, s);
}

/* Goes to the next part that has places, or to the end. */
static errcode_t next_part(struct bfo_second_pass *p, struct bfo_source *s)
{
	errcode_t err = 0;

	if (p->has_part)
		p->lost = p->byte + p->part.len;
	p->has_part = 0;
	while (!err && !p->has_part) {
		err = bfo_members_next(&p->m, &p->part);
		if (err)
			break;
		if (p->part.kind == BFO_PIECE_END)
			return check_end(p, s);
		if (p->part.kind == BFO_PIECE_MEMBER) {
			err = check_member(p, s, p->part.member);
		} else if (p->part.kind == BFO_PIECE_PART && p->pass.has_places) {
			p->byte = bfo_placer_put(&p->pass.placer, p->part.at, p->part.len).byte;
			p->has_part = p->part.data != NULL;
			if (!p->has_part)
				err = changed(p, s);
		}
	}
	return err;
}

/* Bytes FIRST to END, counted in places, go to TO. */
static errcode_t fill(struct bfo_second_pass *p, struct bfo_source *s, uint64_t first, uint64_t end,
		      char *to)
{
	errcode_t err = 0;

	if (!p->runs || first < p->lost)
		err = start(p, s);
	memset(to, 0, end - first);
	while (!err && !p->ended) {
		uint64_t part_end = p->byte + p->part.len;
		uint64_t from = p->byte > first ? p->byte : first;
		uint64_t until = part_end < end ? part_end : end;

		if (p->has_part && from < until)
			memcpy(to + (from - first), (const char *) p->part.data + (from - p->byte),
			       until - from);
		if (p->has_part && part_end >= end)
			break;
		err = next_part(p, s);
	}
	return err;
}

static errcode_t read_node(struct bfo_second_pass *p, struct bfo_intake *in,
			   const struct bfo_node *node, const struct bfo_sink *sink)
{
	uint64_t bs = in->source.block_size, blk = bfo_node_blk(node);
	struct bfo_source *s = &in->source;
	uint32_t at, count;
	errcode_t err = 0;

	for (at = 0; at < node->len && !err; at += count) {
		char *to;

		count = node->len - at < PIECE / bs ? node->len - at : PIECE / bs;
		to = bfo_intake_place(in, node, at, count, sink);
		if (!to)
			return bfo_fail(s->ctx, ENOMEM, "reading %s", s->name);
		bfo_pace_take(s->ctx->pace, count * bs);
		err = fill(p, s, (blk + at) * bs, (blk + at + count) * bs, to);
		s->requests++;
		s->blocks += count;
		if (!err)
			err = sink->take(sink->priv, node, at, count, to);
	}
	return err;
}

errcode_t bfo_second_pass_read(struct bfo_second_pass *p, struct bfo_intake *in,
			       const struct bfo_node *nodes, size_t n, const struct bfo_sink *sink)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < n && !err; i++)
		err = read_node(p, in, &nodes[i], sink);
	return err;
}

void bfo_second_pass_free(struct bfo_second_pass *p)
{
	bfo_members_stop(&p->m);
	bfo_vec_free(&p->first);
}
