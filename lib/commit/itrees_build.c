// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * itrees_build.c - the blocks of a container, from sorted names and the one there was
 *
 * Both times the names are gone through once, and the trees that are built take theirs in passing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/bfo_err.h"
#include "commit/itrees_build.h"
#include "itree/build.h"

#define BUFFER_BYTES (4U << 20)
#define REPORT_EVERY 65536U		/* names */

/* ---- names ---- */

errcode_t bfo_itree_name_add(struct bfo_extsort *names, uint32_t dir, uint32_t ino, uint32_t hash,
			     uint32_t type, const char *text, uint32_t len)
{
	uint32_t key[3] = { dir, ino, hash & ~1U };
	char data[1 + EXT2_NAME_LEN];

	data[0] = type;
	memcpy(data + 1, text, len);
	return bfo_extsort_add(names, key, data, 1 + len);
}

struct itree_entry bfo_itree_name(const struct bfo_sorted *s)
{
	return (struct itree_entry) { .key = itree_key_make(s->key[1], s->key[2]),
				      .type = *(const uint8_t *) s->data,
				      .name = (const char *) s->data + 1, .name_len = s->len - 1 };
}

/* ---- trees and blocks ---- */

struct work {
	struct bfo_context *ctx;
	struct bfo_itrees *it;
	const struct bfo_itree_source *from;
	const struct bfo_itree_sink *to;	/* NULL: only sizes are wanted */
	struct itree_builder builder;
	struct bfo_sorted next;
	int more;			/* there is a next name */
	uint64_t done, total;		/* names; progress */
	char *buf;			/* the next blocks of the container */
	uint32_t at, n, room;		/* where they belong, how many there are, and can be */
};

static errcode_t flush(struct work *k)
{
	errcode_t err = k->n ? k->to->put(k->to->priv, k->at, k->n, k->buf) : 0;

	k->at += k->n;
	k->n = 0;
	return err;
}

/* Where the next block of the container is to be made. */
static errcode_t next_place(struct work *k, void **place)
{
	errcode_t err = k->n == k->room ? flush(k) : 0;

	*place = k->buf + (size_t) k->n++ * k->it->header.block_size;
	return err;
}

static errcode_t emit(void *priv, uint32_t blk, const void *block)
{
	struct work *k = priv;
	void *place;
	errcode_t err = next_place(k, &place);

	(void) blk;
	memcpy(place, block, k->it->header.block_size);
	return err;
}

static errcode_t next_name(struct work *k)
{
	if (++k->done % REPORT_EVERY == 0) {
		bfo_progress_report(k->ctx, BFO_STAGE_INDEX, k->done, k->total, 0);
		if (bfo_cancelled(k->ctx))
			return bfo_fail(k->ctx, BFO_ET_CANCELLED, "building indexes");
	}
	return bfo_extsort_next(k->from->names, &k->next, &k->more);
}

/* The tree of directory D, from its names. */
static errcode_t build(struct work *k, struct itree_dir *d)
{
	struct itree_entry e;
	errcode_t err = 0;

	itree_builder_begin(&k->builder, d->ino, d->generation);
	while (!err && k->more && k->next.key[0] <= d->ino) {
		e = bfo_itree_name(&k->next);
		if (k->next.key[0] == d->ino)
			err = itree_builder_add(&k->builder, &e);
		if (!err)
			err = next_name(k);
	}
	return err ? err : itree_builder_end(&k->builder, d);
}

/* A tree that is right as it is: its blocks depend on nothing but itself. */
static errcode_t copy(struct work *k, const struct bfo_itree *tree)
{
	uint32_t done, n;
	errcode_t err = flush(k);

	for (done = 0; done < tree->dir.blocks && !err; done += n) {
		n = tree->dir.blocks - done < k->room ? tree->dir.blocks - done : k->room;
		err = bfo_container_read(k->from->old, tree->before + done, n, k->buf);
		k->n = n;
		if (!err)
			err = flush(k);
		if (!err && bfo_cancelled(k->ctx))
			err = bfo_fail(k->ctx, BFO_ET_CANCELLED, "copying indexes");
	}
	return err;
}

static errcode_t write_tree(struct work *k, struct bfo_itree *tree)
{
	struct itree_dir d = tree->dir;
	errcode_t err = tree->kept ? copy(k, tree) : build(k, &d);

	if (!err && memcmp(&d, &tree->dir, sizeof(d)))
		err = bfo_fail(k->ctx, BFO_ET_CHANGED, "building the index of directory "
			       "inode %u", d.ino);
	return err;
}

static errcode_t write_catalogue(struct work *k)
{
	const struct bfo_itrees *it = k->it;
	struct itree_dir *dirs = malloc(it->trees.n * sizeof(*dirs) + 1);
	errcode_t err = dirs ? 0 : bfo_fail(k->ctx, ENOMEM, "writing /" ITREE_NAME);
	uint32_t i;
	void *place;

	for (i = 0; dirs && i < it->trees.n; i++)
		dirs[i] = it->trees.v[i].dir;
	for (i = 0; i < it->header.catalogue_blocks && !err; i++) {
		err = next_place(k, &place);
		if (!err)
			itree_catalogue_pack(&it->header, dirs, i, place);
	}
	free(dirs);
	return err;
}

static errcode_t begin(struct work *k)
{
	uint32_t bs = k->it->header.block_size;
	struct bfo_extsort_stat stat;
	errcode_t err = itree_builder_init(&k->builder, bs, ITREE_FILL, k->it->header.seed,
					   k->to ? emit : NULL, k);

	bfo_extsort_stat(k->from->names, &stat);
	k->total = stat.records;
	k->room = BUFFER_BYTES / bs;
	k->buf = k->to ? malloc(BUFFER_BYTES) : NULL;
	if (!err && k->to && !k->buf)
		err = ENOMEM;
	if (!err)
		err = bfo_extsort_rewind(k->from->names);
	if (!err)
		err = bfo_extsort_next(k->from->names, &k->next, &k->more);
	return err;
}

static errcode_t end(struct work *k, errcode_t err)
{
	itree_builder_free(&k->builder);
	free(k->buf);
	if (!err || *k->ctx->what)
		return err;
	return bfo_fail(k->ctx, err, "building indexes");
}

errcode_t bfo_itrees_measure(struct bfo_context *ctx, struct bfo_itrees *it,
			     const struct bfo_itree_source *from)
{
	struct work k = { .ctx = ctx, .it = it, .from = from };
	errcode_t err = begin(&k);
	size_t i;

	for (i = 0; i < it->trees.n && !err; i++)
		if (!it->trees.v[i].kept)
			err = build(&k, &it->trees.v[i].dir);
	err = end(&k, err);
	if (!err && bfo_itrees_arrange(it))
		err = bfo_fail(ctx, BFO_ET_OVERFLOW, "planning /" ITREE_NAME);
	return err;
}

/* What is left for trees to grow into, up to block UNTIL, is zero: not what free space held. */
static errcode_t leave_room(struct work *k, uint32_t until)
{
	errcode_t err = 0;
	void *place;

	while (!err && k->at + k->n < until) {
		err = next_place(k, &place);
		if (!err)
			memset(place, 0, k->it->header.block_size);
	}
	return err;
}

errcode_t bfo_itrees_build(struct bfo_context *ctx, struct bfo_itrees *it,
			   const struct bfo_itree_source *from, const struct bfo_itree_sink *to)
{
	struct work k = { .ctx = ctx, .it = it, .from = from, .to = to };
	errcode_t err = begin(&k);
	void *place;
	size_t i;

	if (!err)
		err = next_place(&k, &place);
	if (!err)
		itree_header_pack(&it->header, place);
	if (!err)
		err = write_catalogue(&k);
	for (i = 0; i < it->trees.n && !err; i++) {
		err = leave_room(&k, it->trees.v[i].dir.first);
		if (!err)
			err = write_tree(&k, &it->trees.v[i]);
	}
	if (!err)
		err = leave_room(&k, it->header.blocks);
	if (!err)
		err = flush(&k);
	return end(&k, err);
}
