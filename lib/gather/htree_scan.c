// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * htree_scan.c - in which blocks of directories certain names can stand
 *
 * A probe is a hash that goes down the index of a directory.  Names of one hash can fill several
 * blocks: then a probe becomes several.  Probes that are alike are one, and an entry of a node goes
 * on with one hash at most, so there are no more of them at a level than hashes and entries.
 */
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/sort.h"
#include "gather/htree_scan.h"
#include "tree/access.h"
#include "tree/dir_index.h"

/* The sort key. */
struct probe {
	uint32_t dir;		/* in dirs[] */
	uint32_t lblk;		/* a node of its index, or a leaf */
	uint32_t hash, unused;
};

struct indexed {		/* a directory that is read by its index */
	bfo_row row;
	size_t first, end;	/* in sought[] */
	struct bfo_dir_index index;
	int is_damaged;
};

typedef BFO_VEC(struct probe) probes;

struct scan {
	struct bfo_reader *r;
	const struct bfo_tree *tree;
	const struct bfo_sought *sought;
	BFO_VEC(struct indexed) dirs;
	uint32_t level;		/* that is read: 0 is the roots' */
	probes now, next;	/* those of this level, sorted; those of the next one */
	probes leaves;
};

/* ---- which directories ---- */

static uint32_t blocks_of(const struct scan *s, const struct bfo_inode *dir)
{
	uint64_t blocks = dir->size / s->tree->block_size;

	return blocks < BFO_NONE ? blocks : BFO_NONE;
}

/* A kernel hashes names of casefolded directories by a table that libext2fs may lack. */
static int can_hash(const struct scan *s, const struct bfo_inode *dir)
{
	if (!(dir->flags & EXT4_CASEFOLD_FL))
		return 1;
	return !bfo_dir_has_hashes(dir->flags) && s->tree->encoding &&
	       ext2fs_load_nls_table(s->tree->encoding);
}

static int by_index(const struct scan *s, const struct bfo_inode *dir)
{
	return S_ISDIR(dir->mode) && dir->flags & EXT2_INDEX_FL &&
	       !(dir->state & (BFO_INODE_BAD | BFO_INODE_INLINE)) &&
	       ext2fs_has_feature_dir_index(s->r->vol->fs->super) &&
	       blocks_of(s, dir) > bfo_reader_seek(s->r) && can_hash(s, dir);
}

static errcode_t add_indexed(struct scan *s, bfo_row row, size_t first, size_t end)
{
	const struct bfo_volume *vol = s->r->vol;
	const struct bfo_inode *dir = &s->tree->inodes.v[row];
	struct indexed d = { .row = row, .first = first, .end = end };

	d.index = (struct bfo_dir_index) {
		.block_size = vol->block_size, .has_csum = vol->has_csum,
		.has_large_dir = ext2fs_has_feature_largedir(vol->fs->super),
		.seed = bfo_crc32c_inode_seed(vol->csum_seed, dir->ino, dir->generation),
	};
	return bfo_vec_push(&s->dirs, d);
}

/* ---- a level ---- */

/* Where block LBLK of directory D lies; 0: it has none. */
static uint64_t place_of(const struct scan *s, const struct indexed *d, uint32_t lblk)
{
	const struct bfo_inode *dir = &s->tree->inodes.v[d->row];
	uint32_t k = bfo_seg_first(s->tree, dir, lblk);
	const struct bfo_seg *seg;

	if (lblk >= blocks_of(s, dir) || k >= bfo_seg_count(s->tree, dir))
		return 0;
	seg = bfo_seg_of(s->tree, dir, k);
	return seg->lblk > lblk || bfo_seg_unwritten(seg) ? 0 : seg->blk + (lblk - seg->lblk);
}

/* HASH goes on wherever node N of directory D leads it. */
static errcode_t descend(struct scan *s, struct indexed *d, const struct bfo_dx *n,
			 uint32_t hash)
{
	probes *to = s->level < d->index.levels ? &s->next : &s->leaves;
	uint32_t i = bfo_dx_find(n, hash);
	errcode_t err;

	do
		err = bfo_vec_push(to, (struct probe) { .dir = d - s->dirs.v, .hash = hash,
							.lblk = bfo_dx_child(n, i) });
	while (!err && bfo_dir_index_goes_on(n, ++i, hash));
	return err;
}

/* All that is sought in D, from its root on. */
static errcode_t descend_all(struct scan *s, struct indexed *d,
			     const struct bfo_dx *root)
{
	const struct ext2_super_block *sb = s->r->vol->fs->super;
	struct bfo_hashing h = { .version = d->index.version, .seed = sb->s_hash_seed,
				 .dir_flags = s->tree->inodes.v[d->row].flags,
				 .encoding = s->tree->encoding };
	uint32_t hash, minor;
	errcode_t err = 0;
	size_t i;

	if (sb->s_flags & EXT2_FLAGS_UNSIGNED_HASH)
		h.version += 3;
	for (i = d->first; i < d->end && !err; i++) {
		bfo_hashing_name(&h, s->sought[i].name, s->sought[i].len, &hash, &minor);
		err = descend(s, d, root, hash);
	}
	return err;
}

/* Sink: block node->to of directory node->tag of dirs[], whose first probe is `now` has. */
static errcode_t take_node(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			   const void *data)
{
	struct scan *s = priv;
	struct indexed *d = &s->dirs.v[node->tag];
	struct bfo_dx n;
	errcode_t err = 0;
	size_t i = node->to;

	(void) at;
	(void) count;
	if (!bfo_dir_index_read(&d->index, data, !s->level, &n)) {
		d->is_damaged = 1;
		return 0;
	}
	if (!s->level)
		return descend_all(s, d, &n);
	for (; i < s->now.n && s->now.v[i].dir == node->tag &&
	       s->now.v[i].lblk == s->now.v[node->to].lblk && !err; i++)
		err = descend(s, d, &n, s->now.v[i].hash);
	return err;
}

/* Sink: it cannot be read. */
static errcode_t lose_node(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	struct scan *s = priv;

	(void) at;
	(void) count;
	s->dirs.v[node->tag].is_damaged = 1;
	return 0;
}

/* Sorted, each once. */
static void settle_probes(probes *p)
{
	size_t i, n = 0;

	bfo_sort(p->v, p->n, sizeof(*p->v), 3);
	for (i = 0; i < p->n; i++)
		if (!n || p->v[n - 1].dir != p->v[i].dir || p->v[n - 1].lblk != p->v[i].lblk ||
		    p->v[n - 1].hash != p->v[i].hash)
			p->v[n++] = p->v[i];
	p->n = n;
}

/* The blocks that `now` has, each once. */
static errcode_t list_nodes(struct scan *s, bfo_order_list *list)
{
	const struct probe *p = s->now.v;
	errcode_t err = 0;
	uint64_t blk;
	size_t i;

	list->n = 0;
	for (i = 0; i < s->now.n && !err; i++) {
		if (i && p[i].dir == p[i - 1].dir && p[i].lblk == p[i - 1].lblk)
			continue;
		blk = place_of(s, &s->dirs.v[p[i].dir], p[i].lblk);
		if (blk)
			err = bfo_vec_push(list, bfo_node_make(blk, 1, p[i].dir, i));
		else
			s->dirs.v[p[i].dir].is_damaged = 1;
	}
	bfo_order_list_sort(list);
	return err;
}

static errcode_t read_levels(struct scan *s)
{
	struct bfo_sink sink = { .take = take_node, .lost = lose_node, .priv = s };
	bfo_order_list list = { 0 };
	errcode_t err = 0;
	probes done;

	for (; s->now.n && !err; s->level++) {
		err = list_nodes(s, &list);
		if (!err)
			err = bfo_reader_run(s->r, list.v, list.n, &sink);
		done = s->now;
		s->now = s->next;
		s->next = done;
		s->next.n = 0;
		settle_probes(&s->now);
	}
	bfo_vec_free(&list);
	return err;
}

/* ---- all of it ---- */

/* A probe to the root of each directory that is read by its index. */
static errcode_t begin(struct scan *s, size_t n)
{
	const struct bfo_sought *sought = s->sought;
	errcode_t err = 0;
	size_t i, end;

	for (i = 0; i < n && !err; i = end) {
		for (end = i + 1; end < n && sought[end].dir == sought[i].dir; end++)
			;
		if (!by_index(s, &s->tree->inodes.v[sought[i].dir]))
			continue;
		err = add_indexed(s, sought[i].dir, i, end);
		if (!err)
			err = bfo_vec_push(&s->now, (struct probe) { .dir = s->dirs.n - 1 });
	}
	return err;
}

/* The leaves of directory DIR of dirs[] that probes from *AT on have come to; *AT moves on. */
static errcode_t put_leaves(const struct scan *s, size_t dir, size_t *at, bfo_dir_parts *parts)
{
	const probes *l = &s->leaves;
	bfo_row row = s->dirs.v[dir].row;
	errcode_t err = 0;

	for (; *at < l->n && l->v[*at].dir == dir && !err; ++*at)
		if (!*at || l->v[*at - 1].dir != dir || l->v[*at - 1].lblk != l->v[*at].lblk)
			err = bfo_vec_push(parts, (struct bfo_dir_part) {
					   .dir = row, .lblk = l->v[*at].lblk });
	return err;
}

/* A leaf that the directory does not have: its index is damaged. */
static void judge_leaves(struct scan *s)
{
	size_t i;

	for (i = 0; i < s->leaves.n; i++)
		if (!place_of(s, &s->dirs.v[s->leaves.v[i].dir], s->leaves.v[i].lblk))
			s->dirs.v[s->leaves.v[i].dir].is_damaged = 1;
}

static errcode_t put_parts(struct scan *s, size_t n, bfo_dir_parts *parts)
{
	const struct bfo_sought *sought = s->sought;
	size_t i, dir = 0, at = 0;
	errcode_t err = 0;

	settle_probes(&s->leaves);
	judge_leaves(s);
	for (i = 0; i < n && !err; i++) {
		if (i && sought[i - 1].dir == sought[i].dir)
			continue;
		while (dir < s->dirs.n && s->dirs.v[dir].row < sought[i].dir)
			dir++;
		while (at < s->leaves.n && s->leaves.v[at].dir < dir)
			at++;
		if (dir < s->dirs.n && s->dirs.v[dir].row == sought[i].dir &&
		    !s->dirs.v[dir].is_damaged)
			err = put_leaves(s, dir, &at, parts);
		else
			err = bfo_vec_push(parts, (struct bfo_dir_part) { .dir = sought[i].dir,
									  .lblk = BFO_NONE });
	}
	return err;
}

errcode_t bfo_htree_scan(struct bfo_reader *r, const struct bfo_tree *tree,
			 const struct bfo_sought *sought, size_t n, bfo_dir_parts *parts)
{
	struct scan s = { .r = r, .tree = tree, .sought = sought };
	errcode_t err = begin(&s, n);

	if (!err)
		err = read_levels(&s);
	if (!err)
		err = put_parts(&s, n, parts);
	bfo_vec_free(&s.dirs);
	bfo_vec_free(&s.now);
	bfo_vec_free(&s.next);
	bfo_vec_free(&s.leaves);
	return err;
}
