// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream_survey.c - which frames a stream has, as far as it can be read
 */
#include <string.h>

#include "intake/stream_in.h"
#include "intake/stream_survey.h"

static void count(struct bfo_stream_survey *s, const struct bfo_stream_head *h, uint64_t byte)
{
	const int known = h->kind >= BFO_STREAM_FACTS && h->kind <= BFO_STREAM_QUOTA;
	struct bfo_stream_frames *k = &s->kinds[known ? h->kind : BFO_STREAM_OTHER];

	if (!k->n)
		k->first = byte;
	k->n++;
	k->packed += h->is_packed;
	k->end = byte + BFO_STREAM_HEAD + h->stored;
	k->bytes += h->bytes;
	k->stored += h->stored;
}

/* The preamble, and the frame behind it: FACTS. */
static errcode_t begin(struct bfo_stream_in *in, struct bfo_context *ctx, const char *name, int fd,
		       struct bfo_stream_survey *s, struct bfo_stream_head *facts)
{
	errcode_t err = bfo_stream_in_open(in, ctx, name, fd);

	s->preamble = in->preamble;
	s->has_preamble = in->preamble.major != 0;
	s->has_facts = !err;
	s->byte = err ? in->begin : in->byte;
	if (err)
		return err;
	s->facts = in->facts;
	facts->bytes = BFO_STREAM_FACTS_BYTES;
	facts->stored = in->byte - BFO_STREAM_PREAMBLE - BFO_STREAM_HEAD;
	facts->is_packed = facts->stored != facts->bytes;
	count(s, facts, BFO_STREAM_PREAMBLE);
	return 0;
}

static void keep_digest(const struct bfo_stream_frame *f, uint8_t digest[BFO_STREAM_DIGEST],
			int *has)
{
	*has = f->head.bytes >= BFO_STREAM_DIGEST;
	if (*has)
		memcpy(digest, f->data, BFO_STREAM_DIGEST);
}

errcode_t bfo_stream_survey(struct bfo_context *ctx, const char *name, int fd, bfo_stream_met met,
			    void *priv, struct bfo_stream_survey *s)
{
	struct bfo_stream_frame f = { .head.kind = BFO_STREAM_FACTS };
	struct bfo_stream_in in;
	errcode_t err;

	*s = (struct bfo_stream_survey) { .has_preamble = 0 };
	err = begin(&in, ctx, name, fd, s, &f.head);
	if (!err && met)
		err = met(priv, BFO_STREAM_PREAMBLE, &f.head);
	while (!err && f.head.kind != BFO_STREAM_END) {
		err = bfo_stream_in_any(&in, &f);
		if (err)
			break;
		if (f.head.kind == BFO_STREAM_TREE_END)
			keep_digest(&f, s->tree, &s->has_tree);
		else if (f.head.kind == BFO_STREAM_END)
			keep_digest(&f, s->digest, &s->has_digest);
		count(s, &f.head, s->byte);
		err = met ? met(priv, s->byte, &f.head) : 0;
		s->byte = in.byte;
	}
	bfo_stream_in_close(&in);
	return err;
}
