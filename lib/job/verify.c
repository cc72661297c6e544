// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * verify.c - comparing two trees
 */
#include "job/verify.h"

void bfo_verify_init(struct bfo_verify *v, struct bfo_context *ctx,
		     const struct bfo_verify_options *opt)
{
	*v = (struct bfo_verify) { .ctx = ctx, .opt = *opt };
	v->compare = (struct bfo_compare) {
		.ctx = ctx, .tree = { &v->tree[0], &v->tree[1] },
		.path = { opt->path[0], opt->path[1] }, .memory = opt->memory,
		.ignore = opt->ignore, .found = opt->found, .priv = opt->priv,
	};
}

static errcode_t open_volume(struct bfo_verify *v, int i)
{
	errcode_t err = bfo_medium_open(&v->opt.medium[i], v->ctx, v->opt.volume[i],
					&v->opt.journal, &v->volume[i]);

	if (!err)
		err = bfo_reader_init(&v->reader[i], v->ctx, v->volume[i], BFO_GAP_OF_DEVICE);
	if (err)
		return err;
	bfo_source_of_volume(&v->of_volume[i], &v->reader[i]);
	bfo_unpacked_begin(&v->unpacked[i], &v->of_volume[i]);
	v->source[i] = &v->unpacked[i].source;
	return 0;
}

static errcode_t open_side(struct bfo_verify *v, int i, const struct bfo_end_options *how)
{
	errcode_t err = v->end[i].kind == BFO_END_VOLUME
				? open_volume(v, i)
				: bfo_end_open(v->ctx, &v->end[i], how, &v->source[i]);

	v->compare.source[i] = v->source[i];
	return err;
}

static errcode_t open_both(struct bfo_verify *v)
{
	struct bfo_end_options how = { .cross_mounts = v->opt.cross_mounts,
				       .metadata_in = v->opt.metadata_in,
				       .strip = v->opt.strip, .spool = 1, .in = v->opt.in,
				       .now = v->opt.epoch };
	unsigned int kinds = 0;
	errcode_t err = 0;
	int i;

	for (i = 0; i < 2 && !err; i++) {
		err = bfo_end_tell(v->ctx, v->opt.volume[i], &v->end[i]);
		kinds |= 1U << v->end[i].kind;
		if (!err)
			err = open_side(v, i, &how);
	}
	return err ? err : bfo_end_check(v->ctx, v->opt.volume[0], kinds, &how);
}

/* Kinds of differences that are none, where one side does not tell. */
static uint32_t untold(uint32_t unknown)
{
	static const struct { uint32_t unknown; enum bfo_diff_kind kind; } rows[] = {
		{ BFO_UNKNOWN_ATIME, BFO_DIFF_ATIME }, { BFO_UNKNOWN_CTIME, BFO_DIFF_CTIME },
		{ BFO_UNKNOWN_CRTIME, BFO_DIFF_CRTIME },
		{ BFO_UNKNOWN_GENERATION, BFO_DIFF_GENERATION },
		{ BFO_UNKNOWN_VERSION, BFO_DIFF_VERSION }, { BFO_UNKNOWN_FLAGS, BFO_DIFF_FLAGS },
		{ BFO_UNKNOWN_PROJECT, BFO_DIFF_PROJECT }, { BFO_UNKNOWN_XATTR, BFO_DIFF_XATTR },
		{ BFO_UNKNOWN_HOLES, BFO_DIFF_HOLES },
	};
	uint32_t bits = 0;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (unknown & rows[i].unknown)
			bits |= BFO_DIFF_BIT(rows[i].kind);
	return bits;
}

static errcode_t gather(struct bfo_verify *v, int i)
{
	errcode_t err = v->source[i]->ops->gather(v->source[i], &v->tree[i], 0);

	v->compare.ignore |= untold(v->source[i]->unknown);
	return err;
}

errcode_t bfo_verify_run(struct bfo_verify *v)
{
	errcode_t err = open_both(v);
	int i;

	for (i = 0; i < 2 && !err; i++)
		err = gather(v, i);
	if (!err)
		err = bfo_compare_names(&v->compare);
	if (!err)
		err = bfo_compare_inodes(&v->compare);
	if (!err && !(v->opt.ignore & BFO_DIFF_BIT(BFO_DIFF_DATA)))
		err = bfo_compare_data(&v->compare);
	for (i = 0; i < 2 && !err; i++)
		err = v->source[i]->ops->settle(v->source[i]);
	return err;
}

void bfo_verify_close(struct bfo_verify *v)
{
	int i;

	bfo_compare_free(&v->compare);
	for (i = 0; i < 2; i++) {
		if (v->source[i] && v->source[i]->ops->close)
			v->source[i]->ops->close(v->source[i]);
		bfo_tree_free(&v->tree[i]);
		bfo_reader_free(&v->reader[i]);
		bfo_volume_close(v->volume[i]);
		bfo_end_free(&v->end[i]);
		bfo_medium_free(&v->opt.medium[i]);
	}
}
