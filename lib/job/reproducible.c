// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reproducible.c - what a new filesystem is called and dated by, when the same tree is to give the
 * same bytes
 *
 *   row  ── what its inode says ──────────> a number, of 64 bits
 *   name ── bytes, row, directory's names ──> a number; their sum does not depend on the order
 *
 * That tells trees apart which differ by accident.  It is no proof of anything.
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

	if (row == BFO_NONE)
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

/* Adds to SUM what every name says, and where it stands. */
static void add_names(struct sums *s, uint64_t sum[2])
{
	const struct bfo_tree *t = s->tree;
	size_t i;

	for (i = 0; i < t->names.n; i++) {
		bfo_row row = bfo_tree_find(t, bfo_name_number(t, &t->names.v[i]));

		if (row != BFO_NONE)
			s->names[row] += name_hash(t, &t->names.v[i]);
	}
	for (i = 0; i < t->names.n; i++) {
		bfo_row row = bfo_tree_find(t, bfo_name_number(t, &t->names.v[i]));
		uint64_t x = mix(name_hash(t, &t->names.v[i]) + s->names[t->names.v[i].dir]);

		if (row == BFO_NONE)
			continue;
		sum[0] += mix(x + s->rows[row]);
		sum[1] += mix(mix(x ^ s->rows[row]) + 1);
	}
}

errcode_t bfo_identity_of(struct bfo_source *source, const struct bfo_tree *tree, const char *seed,
			  struct bfo_identity *id)
{
	struct sums s = { .tree = tree, .id = id, .inode_size = source->inode_size };
	uint64_t sum[2] = { hash_bytes(seed ? seed : "", seed ? strlen(seed) : 0), 0 };
	errcode_t err = 0;

	*id = (struct bfo_identity) { .newest = 0 };
	s.rows = calloc(tree->inodes.n + 1, sizeof(*s.rows));
	s.names = calloc(tree->inodes.n + 1, sizeof(*s.names));
	if (!s.rows || !s.names)
		err = bfo_fail(source->ctx, ENOMEM, "computing a UUID");
	sum[1] = mix(sum[0]);
	if (!err)
		err = source->ops->inodes(source, NULL, 0, take, NULL, &s);
	if (!err)
		add_names(&s, sum);
	sum[0] = mix(sum[0]);
	sum[1] = mix(sum[1] + sum[0]);
	memcpy(id->uuid, sum, sizeof(id->uuid));
	id->uuid[6] = (id->uuid[6] & 0x0f) | 0x80;
	id->uuid[8] = (id->uuid[8] & 0x3f) | 0x80;
	free(s.rows);
	free(s.names);
	return err;
}
