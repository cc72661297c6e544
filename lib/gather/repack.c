// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * repack.c - what inodes hold that a target with other inodes or blocks holds elsewhere or not
 *
 *   inode tables ── losses
 *        `── attributes in inodes ──┐
 *   attribute blocks ───────────────┴─> sets, each once ── fit ── losses
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/disk.h"
#include "gather/ea_fit.h"
#include "gather/inode_walk.h"
#include "gather/repack.h"
#include "gather/value_scan.h"
#include "tree/amend.h"
#include "tree/path.h"
#include "tree/sets.h"

#define DATA_ENTRY 20U		/* bytes of system.data, without its value */

struct block_set {
	uint32_t index;			/* of the set, or BFO_NONE */
	int damaged, lost;		/* some of it could not be used, or kept */
};

struct scan {
	struct bfo_source *source;
	struct bfo_tree *tree;
	const struct bfo_target *target;
	struct bfo_sets sets;		/* what eas[] becomes */
	uint32_t *inside;		/* per record: set of what stands in the inode */
	struct block_set *of_block;	/* per entry of eas[] */
	struct bfo_values values;	/* what stood in inodes of its own, and cannot */
	bfo_xattrs set;			/* scratch */
};

/* Attributes or contents stand elsewhere, whatever the sizes of blocks. */
static int other_inodes(const struct bfo_tree *tree, const struct bfo_target *target)
{
	return target->is_serial || bfo_amend_is_needed(tree->amend) ||
	       tree->inode_size != target->inode_size ||
	       target->has_inline || tree->ea_inode ||
	       tree->inline_data;
}

int bfo_repack_needed(const struct bfo_tree *tree, const struct bfo_target *target)
{
	return other_inodes(tree, target) ||
	       (tree->block_size != target->block_size && tree->eas.n) ||
	       (tree->project && !target->has_project);
}

/* Attributes have to be taken out of their places. */
static int is_moved(const struct scan *s)
{
	return other_inodes(s->tree, s->target) || s->tree->block_size != s->target->block_size;
}

static void drop_data(bfo_xattrs *set)
{
	size_t i, kept = 0;

	for (i = 0; i < set->n; i++)
		if (!bfo_xattr_is_data(&set->v[i]))
			set->v[kept++] = set->v[i];
	set->n = kept;
}

/*
 * A value in an inode of its own stays there, but for the hash; or comes out of it, if the target
 * has no such inodes, or if it is going to be amended.  0 if it is damaged, -1 if it cannot be
 * kept.
 */
static int settle_value(const struct scan *s, struct bfo_xattr *x)
{
	const struct bfo_value *v = bfo_tree_value(s->tree, bfo_tree_find(s->tree, x->inum));

	if (!v || s->tree->inodes.v[v->row].size != x->size)
		return 0;
	if (x->hash != bfo_xattr_hash(x, v->hash ^ v->change, 0) &&
	    x->hash != bfo_xattr_hash(x, v->hash ^ v->change, 1))
		return 0;			/* of another value, or damaged */
	if (s->target->has_ea_inode &&
	    !(bfo_xattr_has_ids(x) && bfo_amend_has_ranges(s->tree->amend))) {
		x->hash ^= v->change;		/* the last thing that went into it */
		x->inum = v->row + 1;
		return 1;
	}
	x->value = bfo_values_find(&s->values, v->row);
	x->inum = x->hash = 0;
	return x->value ? 1 : -1;
}

/* The same for all of s->set; what cannot be used or kept leaves it. */
static void settle_values(struct scan *s, struct block_set *what)
{
	size_t i, kept = 0;
	int state;

	what->damaged = what->lost = 0;
	for (i = 0; i < s->set.n; i++) {
		state = s->set.v[i].inum ? settle_value(s, &s->set.v[i]) : 1;
		what->damaged |= !state;
		what->lost |= state < 0;
		if (state > 0)
			s->set.v[kept++] = s->set.v[i];
	}
	s->set.n = kept;
}

/* ---- inodes ---- */

static int has(const struct scan *s, const struct ext2_inode_large *raw, size_t end)
{
	return s->tree->inode_size > EXT2_GOOD_OLD_INODE_SIZE &&
	       EXT2_GOOD_OLD_INODE_SIZE + (size_t) le16(raw->i_extra_isize) >= end;
}

#define HAS(s, raw, field) \
	has(s, raw, offsetof(struct ext2_inode_large, field) + sizeof((raw)->field))

/* The extra words of times that the raw inode has: 2 bits of epoch, 30 of nanoseconds. */
static uint32_t extra_bits(const struct scan *s, const struct ext2_inode_large *raw)
{
	uint32_t bits = 0;

	if (HAS(s, raw, i_ctime_extra))
		bits |= le32(raw->i_ctime_extra);
	if (HAS(s, raw, i_mtime_extra))
		bits |= le32(raw->i_mtime_extra);
	if (HAS(s, raw, i_atime_extra))
		bits |= le32(raw->i_atime_extra);
	return bits;
}

static errcode_t lose_if(struct scan *s, int lost, enum bfo_finding_kind kind, uint32_t ino)
{
	return lost ? bfo_tree_found(s->tree, kind, ino, 0) : 0;
}

/* What fits only into large inodes. */
static errcode_t check_fields(struct scan *s, uint32_t ino, const struct ext2_inode_large *raw)
{
	int small = s->target->inode_size == EXT2_GOOD_OLD_INODE_SIZE;
	uint32_t bits = extra_bits(s, raw);
	errcode_t err;

	err = lose_if(s, s->tree->project &&
		      (small || !s->target->has_project) && HAS(s, raw, i_projid) &&
		      raw->i_projid, BFO_LOST_PROJECT, ino);
	if (err || !small)
		return err;
	err = lose_if(s, bits & 3, BFO_LOST_TIME, ino);
	if (!err)
		err = lose_if(s, bits >> 2, BFO_LOST_NANOSECONDS, ino);
	if (!err)
		err = lose_if(s, HAS(s, raw, i_crtime) && raw->i_crtime, BFO_LOST_BIRTH, ino);
	if (!err)
		err = lose_if(s, HAS(s, raw, i_version_hi) && raw->i_version_hi, BFO_LOST_VERSION,
			      ino);
	return err;
}

/* For the walk: an inode that is in use. */
static errcode_t take_inode(void *priv, uint32_t ino, const void *raw)
{
	struct scan *s = priv;
	bfo_row row = bfo_tree_find(s->tree, ino);
	const struct bfo_inode *rec;
	struct block_set what;
	errcode_t err;

	if (row == BFO_NONE)
		return 0;
	rec = &s->tree->inodes.v[row];
	if (!(rec->state & BFO_INODE_PLACED) || rec->state & BFO_INODE_KEEP)
		return 0;
	err = check_fields(s, ino, raw);
	if (err || rec->state & BFO_INODE_NO_XATTR || s->tree->repacked || !is_moved(s))
		return err;
	s->set.n = 0;
	err = bfo_xattrs_of_inode(&s->set, raw, s->tree->inode_size);
	drop_data(&s->set);
	settle_values(s, &what);
	bfo_xattrs_sort(&s->set);
	if (!err)
		err = bfo_sets_add(&s->sets, &s->set, &s->inside[row]);
	if (!err)
		err = lose_if(s, what.damaged, BFO_FOUND_XATTR_INODE, ino);
	return err ? err : lose_if(s, what.lost, BFO_LOST_XATTR, ino);
}

/* For the walk: inodes that cannot be read; these have no records. */
static errcode_t lose_inodes(void *priv, uint32_t ino, uint32_t n)
{
	struct scan *s = priv;

	return bfo_tree_lost_again(s->source->ctx, s->tree, ino, n);
}

/* ---- attribute blocks ---- */

/* Sink: the block of ea node->tag. */
static errcode_t take_block(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			    const void *data)
{
	struct scan *s = priv;
	errcode_t err;

	(void) at;
	(void) count;
	s->set.n = 0;
	err = bfo_xattrs_of_block(&s->set, data, s->tree->block_size);
	settle_values(s, &s->of_block[node->tag]);
	bfo_xattrs_sort(&s->set);
	return err ? err : bfo_sets_add(&s->sets, &s->set, &s->of_block[node->tag].index);
}

static errcode_t read_blocks(struct scan *s)
{
	struct bfo_sink sink = { .take = take_block, .priv = s };
	const struct bfo_tree *t = s->tree;
	bfo_order_list list = { 0 };
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < t->eas.n && !err; i++)
		if (!t->eas.v[i].bad)
			err = bfo_vec_push(&list, bfo_node_make(t->eas.v[i].blk, 1, i, 0));
	if (!err)
		err = s->source->ops->read(s->source, list.v, list.n, &sink);
	bfo_vec_free(&list);
	return err;
}

/* ---- both together ---- */

/* Bytes of its inode that the inline data of REC take, besides i_block. */
static uint32_t reserve_of(const struct scan *s, const struct bfo_inode *rec)
{
	uint64_t tail = rec->size > EXT4_MIN_INLINE_DATA_SIZE ?
			rec->size - EXT4_MIN_INLINE_DATA_SIZE : 0;

	if (!(rec->state & BFO_INODE_INLINE) || !s->target->has_inline || tail > UINT16_MAX / 2)
		return 0;
	return DATA_ENTRY + (tail + 3) / 4 * 4;
}

/* The set of record ROW: what stands in the inode and what stands in its block. */
static errcode_t combine(struct scan *s, bfo_row row)
{
	struct bfo_inode *rec = &s->tree->inodes.v[row];
	const struct block_set *of_block = &s->of_block[rec->ea];
	uint32_t index = s->inside[row];
	errcode_t err = 0;

	if (rec->ea != BFO_NONE) {
		s->set.n = 0;
		err = bfo_sets_append(&s->sets, index, &s->set);
		if (!err)
			err = bfo_sets_append(&s->sets, of_block->index, &s->set);
		bfo_xattrs_sort(&s->set);
		if (!err)
			err = bfo_sets_add(&s->sets, &s->set, &index);
		if (!err)
			err = lose_if(s, of_block->damaged, BFO_FOUND_XATTR_BLOCK, rec->ino);
		if (!err)
			err = lose_if(s, of_block->lost, BFO_LOST_XATTR, rec->ino);
	}
	rec->ea = index;
	if (index != BFO_NONE && reserve_of(s, rec) > s->sets.list.v[index].reserve)
		s->sets.list.v[index].reserve = reserve_of(s, rec);
	return err;
}

/* Fits what record ROW has. */
static errcode_t fit_record(struct scan *s, struct bfo_fit *fit, bfo_row row)
{
	uint32_t index = s->tree->inodes.v[row].ea;
	errcode_t err;
	int lost;

	err = bfo_fit_set(fit, &index, &lost);
	/* values that move get records: it is another place */
	s->tree->inodes.v[row].ea = index;
	return err ? err : lose_if(s, lost, BFO_LOST_XATTR, s->tree->inodes.v[row].ino);
}

static int is_copied(const struct bfo_inode *rec)
{
	return rec->state & BFO_INODE_PLACED && !(rec->state & BFO_INODE_KEEP);
}

static errcode_t combine_all(struct scan *s)
{
	struct bfo_tree *t = s->tree;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < t->inodes.n && !err; i++)
		if (is_copied(&t->inodes.v[i]))
			err = combine(s, i);
	return err;
}

static errcode_t fit_all(struct scan *s)
{
	struct bfo_fit fit = { .sets = &s->sets, .tree = s->tree, .target = s->target };
	size_t i, n = s->tree->inodes.n;
	errcode_t err = bfo_fit_begin(&fit);

	for (i = 0; i < n && !err; i++)
		if (is_copied(&s->tree->inodes.v[i]))
			err = fit_record(s, &fit, i);
	bfo_fit_end(&fit);
	return err;
}

#define NOT_YET (BFO_NONE - 1)

/* What becomes of a set. */
struct amended {
	uint32_t to;			/* NOT_YET: nobody has asked */
	int is_disarmed;		/* it had a capability, and has none */
};

static int has_capability(const bfo_xattrs *set)
{
	size_t i;

	for (i = 0; i < set->n; i++)
		if (bfo_xattr_is_capability(&set->v[i]))
			return 1;
	return 0;
}

/* The set that record ROW has in OLD, amended, among those of S: *OUT. */
static errcode_t amend_set(struct scan *s, const struct bfo_sets *old, bfo_row row,
			   bfo_chars *values, struct amended *out)
{
	uint32_t from = s->tree->inodes.v[row].ea, *to = &out->to;
	char path[300];
	int is_group = 0;
	uint32_t id = 0;
	errcode_t err;

	s->set.n = 0;
	err = bfo_sets_append(old, from, &s->set);
	out->is_disarmed = has_capability(&s->set);
	if (!err)
		err = bfo_amend_set(s->tree->amend, &s->set, values, &id, &is_group);
	if (err == EINVAL)
		return bfo_fail(s->source->ctx, err,
				"reading attributes of %s in %s: %s %u, whom an ACL or a "
				"capability names, is in no range of --map-%s",
				bfo_tree_shown_path(s->tree, row, path, sizeof(path)),
				s->source->name, is_group ? "group" : "user", id,
				is_group ? "groups" : "users");
	out->is_disarmed &= !has_capability(&s->set);
	if (!err)
		err = bfo_sets_add(&s->sets, &s->set, to);
	if (!err && *to != BFO_NONE && old->list.v[from].reserve > s->sets.list.v[*to].reserve)
		s->sets.list.v[*to].reserve = old->list.v[from].reserve;
	return err;
}

/* Sets that are copied become what the tree's amendments make of them. */
static errcode_t amend_sets(struct scan *s)
{
	struct bfo_sets old = s->sets;
	struct amended *index = malloc((old.list.n + 1) * sizeof(*index));
	bfo_chars values = { 0 };
	errcode_t err = index ? 0 : ENOMEM;
	uint32_t k;
	bfo_row i;

	s->sets = (struct bfo_sets) { .table = NULL };
	for (k = 0; k < old.list.n && !err; k++)
		index[k] = (struct amended) { .to = NOT_YET };
	for (i = 0; i < s->tree->inodes.n && !err; i++) {
		struct bfo_inode *rec = &s->tree->inodes.v[i];

		if (!is_copied(rec) || rec->ea == BFO_NONE)
			continue;
		if (index[rec->ea].to == NOT_YET)
			err = amend_set(s, &old, i, &values, &index[rec->ea]);
		s->tree->disarmed += index[rec->ea].is_disarmed;
		rec->ea = index[rec->ea].to;
	}
	bfo_sets_free(&old);
	bfo_vec_free(&values);
	free(index);
	return err;
}

/* What the tree has are sets: they are fitted. */
static errcode_t take_sets(struct scan *s)
{
	struct bfo_tree *t = s->tree;
	errcode_t err = 0;

	s->sets.list = t->eas;
	s->sets.bytes = t->sets;
	memset(&t->eas, 0, sizeof(t->eas));
	t->sets = (bfo_chars) { 0 };
	if (bfo_amend_is_needed(t->amend))
		err = amend_sets(s);
	if (!err && !s->target->is_serial)
		err = fit_all(s);
	t->eas = s->sets.list;
	t->sets = s->sets.bytes;
	memset(&s->sets.list, 0, sizeof(s->sets.list));
	s->sets.bytes = (bfo_chars) { 0 };
	return err;
}

/* What it has are blocks, and what stands in inodes, by now in `inside`. */
static errcode_t repack(struct scan *s)
{
	struct bfo_tree *t = s->tree;
	errcode_t err = read_blocks(s);
	bfo_eas blocks = t->eas;

	if (!err)
		err = combine_all(s);
	t->eas = s->sets.list;
	t->sets = s->sets.bytes;
	s->sets.list = blocks;
	s->sets.bytes = (bfo_chars) { 0 };
	t->repacked = 1;
	bfo_sets_free(&s->sets);
	return err ? err : take_sets(s);
}

static errcode_t allocate(struct scan *s)
{
	size_t i;

	s->inside = malloc(s->tree->inodes.n * sizeof(*s->inside) + 1);
	s->of_block = malloc(s->tree->eas.n * sizeof(*s->of_block) + 1);
	if (!s->inside || !s->of_block)
		return bfo_fail(s->source->ctx, ENOMEM, "reading attributes");
	memset(s->inside, 0xff, s->tree->inodes.n * sizeof(*s->inside));	/* BFO_NONE */
	for (i = 0; i < s->tree->eas.n; i++)
		s->of_block[i] = (struct block_set) { .index = BFO_NONE };
	return 0;
}

errcode_t bfo_repack_scan(struct bfo_source *source, struct bfo_tree *tree,
			  const struct bfo_target *target)
{
	struct scan s = { .source = source, .tree = tree, .target = target };
	int has_sets = tree->repacked;
	errcode_t err = allocate(&s);

	if (!err && is_moved(&s) && !has_sets)
		err = bfo_value_scan(source, tree, target, &s.values);
	if (!err)
		err = bfo_source_tree_inodes(source, tree, take_inode, lose_inodes, &s);
	if (!err && is_moved(&s))
		err = has_sets ? take_sets(&s) : repack(&s);
	free(s.inside);
	free(s.of_block);
	bfo_sets_free(&s.sets);
	bfo_vec_free(&s.set);
	bfo_values_free(&s.values);
	if (!target->has_ea_inode)
		tree->values.n = 0;
	return err;
}
