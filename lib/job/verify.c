// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * verify.c - comparing the trees of two volumes
 */
#include "job/verify.h"

void bfo_verify_init(struct bfo_verify *v, struct bfo_context *ctx,
		     const struct bfo_verify_options *opt)
{
	*v = (struct bfo_verify) { .ctx = ctx, .opt = *opt };
	v->compare = (struct bfo_compare) {
		.ctx = ctx, .source = { &v->source[0], &v->source[1] },
		.tree = { &v->tree[0], &v->tree[1] }, .path = { opt->path[0], opt->path[1] },
		.memory = opt->memory, .ignore = opt->ignore, .found = opt->found,
		.priv = opt->priv,
	};
}

static errcode_t open_both(struct bfo_verify *v)
{
	errcode_t err = 0;
	int i;

	for (i = 0; i < 2 && !err; i++)
		err = bfo_medium_open(&v->opt.medium[i], v->ctx, v->opt.volume[i], &v->opt.journal,
				      &v->volume[i]);
	return err;
}

static errcode_t gather(struct bfo_verify *v)
{
	errcode_t err = 0;
	int i;

	for (i = 0; i < 2 && !err; i++) {
		err = bfo_reader_init(&v->reader[i], v->ctx, v->volume[i], BFO_GAP_OF_DEVICE);
		if (err)
			break;
		bfo_source_of_volume(&v->source[i], &v->reader[i]);
		err = v->source[i].ops->gather(&v->source[i], &v->tree[i], 0);
	}
	return err;
}

errcode_t bfo_verify_run(struct bfo_verify *v)
{
	errcode_t err = open_both(v);
	int i;

	if (!err)
		err = gather(v);
	if (!err)
		err = bfo_compare_names(&v->compare);
	if (!err)
		err = bfo_compare_inodes(&v->compare);
	if (!err && !(v->opt.ignore & BFO_DIFF_BIT(BFO_DIFF_DATA)))
		err = bfo_compare_data(&v->compare);
	for (i = 0; i < 2 && !err; i++)
		err = v->source[i].ops->settle(&v->source[i]);
	return err;
}

void bfo_verify_close(struct bfo_verify *v)
{
	int i;

	bfo_compare_free(&v->compare);
	for (i = 0; i < 2; i++) {
		bfo_tree_free(&v->tree[i]);
		bfo_reader_free(&v->reader[i]);
		bfo_volume_close(v->volume[i]);
		bfo_medium_free(&v->opt.medium[i]);
	}
}
