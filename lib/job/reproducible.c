// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reproducible.c - what a new filesystem is called and dated by, when the same tree is to give the
 * same bytes
 *
 *   row  ── what its inode says ──────────> a number, of 64 bits
 *   name ── bytes, row, directory's names ──> a number; their sum does not depend on the order
 *
 * That tells trees apart which differ by accident.  It is no proof of anything.  Of a tree of which
 * parts are left out, only what is copied counts: so the plan is asked, and what it needs itself,
 * the seed of the hash of names, does not depend on the tree.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "gather/attrs.h"
#include "job/reproducible.h"
#include "tree/access.h"

struct sums {
	const struct bfo_tree *tree;
	uint64_t *rows;			/* what the inode says */
	uint64_t *names;		/* sum over the names that lead there */
	struct bfo_identity *id;
	uint32_t inode_size;
};

/* Stafford's mix of splitmix64: every bit of X changes half of the others. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static uint64_t hash_bytes(const void *bytes, size_t len)
{
	return mix((uint64_t) bfo_crc32c(~0U, bytes, len) << 32 | bfo_crc32c(len, bytes, len));
}

static errcode_t take(void *priv, uint32_t ino, const void *raw)
{
	struct sums *s = priv;
	bfo_row row = bfo_tree_find(s->tree, ino);
	struct bfo_attrs a;

	if (row == BFO_NONE || !(s->tree->inodes.v[row].state & BFO_INODE_PLACED))
		return 0;
	bfo_attrs_read(raw, s->inode_size, &a);
	if (a.sec[BFO_MTIME] > s->id->newest)
		s->id->newest = a.sec[BFO_MTIME];
	s->rows[row] = mix(a.mode + mix(a.uid + mix(a.gid + mix(a.sec[BFO_MTIME] +
		       mix(a.nsec[BFO_MTIME] + (S_ISDIR(a.mode) ? 0 : mix(a.size)))))));
	return 0;
}

static uint64_t name_hash(const struct bfo_tree *t, const struct bfo_name *n)
{
	return hash_bytes(bfo_name_text(t, n), bfo_name_len(n));
}

/* The row that N leads to, if that name is copied; else BFO_NONE. */
static bfo_row copied(const struct bfo_tree *t, const struct bfo_name *n)
{
	bfo_row row = bfo_name_is_fixed(n) ? BFO_NONE : bfo_name_row(t, n);

	if (row == BFO_NONE || !(t->inodes.v[row].state & BFO_INODE_PLACED) ||
	    !(t->inodes.v[n->dir].state & (BFO_INODE_PLACED | BFO_INODE_EXISTS)))
		return BFO_NONE;
	return row;
}

/* Adds to SUM what every name says, and where it stands. */
static void add_names(struct sums *s, uint64_t sum[2])
{
	const struct bfo_tree *t = s->tree;
	bfo_row row;
	uint64_t x;
	size_t i;

	for (i = 0; i < t->names.n; i++) {
		row = copied(t, &t->names.v[i]);
		if (row != BFO_NONE)
			s->names[row] += name_hash(t, &t->names.v[i]);
	}
	for (i = 0; i < t->names.n; i++) {
		row = copied(t, &t->names.v[i]);
		if (row == BFO_NONE)
			continue;
		x = mix(name_hash(t, &t->names.v[i]) + s->names[t->names.v[i].dir]);
		sum[0] += mix(x + s->rows[row]);
		sum[1] += mix(mix(x ^ s->rows[row]) + 1);
	}
}

/* SUM as a UUID of version 8. */
static void put_uuid(uint64_t sum[2], uint8_t *uuid)
{
	sum[0] = mix(sum[0]);
	sum[1] = mix(sum[1] + sum[0]);
	memcpy(uuid, sum, BFO_UUID_BYTES);
	uuid[6] = (uuid[6] & 0x0f) | 0x80;
	uuid[8] = (uuid[8] & 0x3f) | 0x80;
}

static void begin_sum(const char *seed, uint64_t sum[2])
{
	sum[0] = hash_bytes(seed ? seed : "", seed ? strlen(seed) : 0);
	sum[1] = mix(sum[0]);
}

void bfo_identity_of_seed(const char *seed, uint8_t *uuid)
{
	uint64_t sum[2];

	begin_sum(seed, sum);
	put_uuid(sum, uuid);
}

errcode_t bfo_identity_of(struct bfo_source *source, const struct bfo_plan *plan,
			  const char *seed, struct bfo_identity *id)
{
	const struct bfo_tree *tree = plan->tree;
	struct sums s = { .tree = tree, .id = id, .inode_size = source->inode_size };
	errcode_t err = 0;
	uint64_t sum[2];

	*id = (struct bfo_identity) { .newest = 0 };
	s.rows = calloc(tree->inodes.n + 1, sizeof(*s.rows));
	s.names = calloc(tree->inodes.n + 1, sizeof(*s.names));
	if (!s.rows || !s.names)
		err = bfo_fail(source->ctx, ENOMEM, "computing a UUID");
	begin_sum(seed, sum);
	if (!err)
		err = source->ops->inodes(source, NULL, 0, take, NULL, &s);
	if (!err)
		add_names(&s, sum);
	put_uuid(sum, id->uuid);
	free(s.rows);
	free(s.names);
	return err;
}
