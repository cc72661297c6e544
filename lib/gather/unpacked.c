// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unpacked.c - a source whose composite files are the files that they hold
 *
 *   nodes   |volume's | members' contents | members' attributes |	sorted by place
 *                          │
 *   round   to, to, to ... of some of them: where each is to be
 *   volume  blocks in which composite files have that ── bytes cut out ── to
 *
 * Contents of members begin at any byte of a block, and two share one: so what is read for them is
 * copied to where it belongs.
 */
#include <errno.h>
#include <string.h>

#include "base/bfo_err.h"
#include "gather/unpacked.h"
#include "tree/access.h"

#define ROUND (4U << 20)		/* bytes that are put together at once */

static struct bfo_unpacked *unpacked(struct bfo_source *s)
{
	return (struct bfo_unpacked *) s;
}

static const struct bfo_source_ops ops;

/* The other one learns of itself while it works. */
static void take_over(struct bfo_unpacked *u)
{
	u->source = *u->of;
	u->source.ops = &ops;
	u->source.lost_places = &u->bad;
}

errcode_t bfo_unpacked_see(struct bfo_unpacked *u, struct bfo_tree *tree)
{
	errcode_t err = bfo_composites_find(&u->all, u->of, tree);
	size_t i;

	u->tree = tree;
	if (!err)
		err = bfo_vec_reserve(&u->sums, tree->members.n + 1);
	for (i = 0; i < tree->members.n && !err; i++)
		u->sums.v[u->sums.n++] = (struct bfo_member_sum) { .at = 0 };
	return err;
}

static errcode_t gather(struct bfo_source *s, struct bfo_tree *tree, int claims)
{
	struct bfo_unpacked *u = unpacked(s);
	errcode_t err = u->of->ops->gather(u->of, tree, claims);

	take_over(u);
	return err ? err : bfo_unpacked_see(u, tree);
}

/* ---- inodes ---- */

static errcode_t hand_out(struct bfo_unpacked *u, uint32_t ino, bfo_take_inode take, void *priv)
{
	uint32_t size = u->source.inode_size;
	errcode_t err = bfo_vec_reserve(&u->raw, size);

	if (!err)
		err = bfo_composites_inode(&u->all, ino - u->tree->first_member, u->raw.v, size,
					   u->source.block_size);
	return err ? bfo_fail(u->source.ctx, err, "reading %s", u->source.name)
		   : take(priv, ino, u->raw.v);
}

static errcode_t inodes(struct bfo_source *s, const uint32_t *inos, size_t n, bfo_take_inode take,
			bfo_lose_inodes lose, void *priv)
{
	struct bfo_unpacked *u = unpacked(s);
	size_t members = u->tree ? u->tree->members.n : 0, real = n, i;
	errcode_t err = 0;

	while (inos && members && real && inos[real - 1] >= u->tree->first_member)
		real--;
	if (!inos || real)
		err = u->of->ops->inodes(u->of, inos, real, take, lose, priv);
	for (i = 0; !inos && i < members && !err; i++)
		err = hand_out(u, u->tree->first_member + i, take, priv);
	for (i = real; inos && i < n && !err; i++)
		err = hand_out(u, inos[i], take, priv);
	return err;
}

/* ---- contents ---- */

/* NODE becomes X: bytes of a member. */
static void find_bytes(struct bfo_unpacked *u, const struct bfo_node *node,
		       struct bfo_member_node *x)
{
	uint64_t bs = u->source.block_size, size, from;

	*x = (struct bfo_member_node) { .node = node };
	x->member = bfo_composites_at(&u->all, bfo_node_blk(node));
	size = u->tree->inodes.v[bfo_tree_find(u->tree, u->tree->first_member + x->member)].size;
	from = (bfo_node_blk(node) - u->all.starts.v[x->member]) * bs;
	x->from = from < size ? from : size;
	x->len = node->len * bs < size - x->from ? node->len * bs : size - x->from;
}

/* Where the content of X begins in its composite file. */
static uint64_t first_byte(const struct bfo_unpacked *u, const struct bfo_member_node *x)
{
	return u->tree->members.v[x->member].at + x->from;
}

/* Blocks of the volume that hold what node I of the round wants. */
static errcode_t add_blocks(struct bfo_unpacked *u, size_t i)
{
	const struct bfo_member_node *x = &u->round.v[i];
	const struct bfo_tree *t = u->tree;
	const struct bfo_inode *rec = &t->inodes.v[t->members.v[x->member].composite];
	uint64_t bs = t->block_size, begin = first_byte(u, x), first = begin / bs;
	uint64_t end = (begin + x->len + bs - 1) / bs, lo, hi;
	errcode_t err = 0;
	uint32_t k;

	for (k = bfo_seg_first(t, rec, first); k < bfo_seg_count(t, rec) && !err; k++) {
		const struct bfo_seg *seg = bfo_seg_of(t, rec, k);

		if (seg->lblk >= end)
			break;
		lo = seg->lblk > first ? seg->lblk : first;
		hi = (uint64_t) seg->lblk + seg->len < end ? (uint64_t) seg->lblk + seg->len : end;
		if (!bfo_seg_unwritten(seg))
			err = bfo_vec_push(&u->nodes, bfo_node_make(bfo_seg_blk(seg) +
					   (lo - seg->lblk), hi - lo, i, lo * bs));
	}
	return err;
}

/* What COUNT blocks of NODE, one of the volume, from its block AT on have for the round. */
static struct bfo_member_part part_of(const struct bfo_unpacked *u, const struct bfo_node *node,
				      uint32_t at, uint32_t count, uint32_t *skip)
{
	const struct bfo_member_node *x = &u->round.v[node->tag];
	uint64_t bs = u->source.block_size, begin = first_byte(u, x), end = begin + x->len;
	uint64_t from = node->to + at * bs, to = from + count * bs;
	uint64_t lo = from > begin ? from : begin, hi = to < end ? to : end;

	*skip = lo - from;
	return (struct bfo_member_part) { .node = node->tag, .at = lo - begin, .len = hi - lo };
}

static errcode_t take_blocks(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			     const void *data)
{
	struct bfo_unpacked *u = priv;
	uint32_t skip;
	struct bfo_member_part part = part_of(u, node, at, count, &skip);

	memcpy(u->round.v[part.node].to + part.at, (const char *) data + skip, part.len);
	return 0;
}

static errcode_t lose_blocks(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	struct bfo_unpacked *u = priv;
	uint32_t skip;
	struct bfo_member_part part = part_of(u, node, at, count, &skip);

	u->round.v[part.node].has_lost = 1;
	return bfo_vec_push(&u->lost, part);
}

/* The content of a member that stands in the inode of its composite file, or is read. */
static errcode_t fill_round(struct bfo_unpacked *u, const struct bfo_sink *sink)
{
	struct bfo_sink mine = { .take = take_blocks, .priv = u,
				 .lost = sink->lost ? lose_blocks : NULL };
	errcode_t err = 0;
	size_t i;

	u->nodes.n = u->lost.n = 0;
	for (i = 0; i < u->round.n && !err; i++) {
		struct bfo_member_node *x = &u->round.v[i];
		struct bfo_composite_member m;
		const struct bfo_found_composite *of = bfo_composites_of(&u->all, x->member, &m);

		memset(x->to, 0, (size_t) x->node->len * u->source.block_size);
		if (of->whole)
			memcpy(x->to, of->whole + first_byte(u, x), x->len);
		else
			err = add_blocks(u, i);
	}
	bfo_order_list_sort(&u->nodes);
	return err ? err : u->of->ops->read(u->of, u->nodes.v, u->nodes.n, &mine);
}

/* A content that came from its beginning on is complete: is it what it was? */
static errcode_t check(struct bfo_unpacked *u, const struct bfo_member_node *x)
{
	struct bfo_member_sum *sum = &u->sums.v[x->member];
	uint32_t ino = u->tree->first_member + x->member;
	struct bfo_composite_member m;

	if (!x->from)
		*sum = (struct bfo_member_sum) { .crc = BFO_COMPOSITE_SEED };
	if (x->has_lost || sum->at != x->from)
		return 0;
	sum->crc = bfo_composite_crc(sum->crc, x->to, x->len);
	sum->at += x->len;
	bfo_composites_of(&u->all, x->member, &m);
	return sum->at < m.bytes || sum->crc == m.crc ? 0 :
	       bfo_tree_found(u->tree, BFO_FOUND_MEMBER, ino, 0);
}

/* True if some of block AT of X could not be read. */
static int is_lost(const struct bfo_unpacked *u, const struct bfo_member_node *x, uint32_t at)
{
	uint64_t bs = u->source.block_size, from = at * bs;
	size_t i;

	for (i = 0; i < u->lost.n; i++)
		if (&u->round.v[u->lost.v[i].node] == x && u->lost.v[i].at < from + bs &&
		    u->lost.v[i].at + (uint64_t) u->lost.v[i].len > from)
			return 1;
	return 0;
}

/* X, of which some could not be read, block by block. */
static errcode_t deliver_parts(struct bfo_unpacked *u, const struct bfo_member_node *x,
			       const struct bfo_sink *sink)
{
	size_t bs = u->source.block_size;
	errcode_t err = 0;
	uint32_t at;

	for (at = 0; at < x->node->len && !err; at++) {
		if (!is_lost(u, x, at)) {
			err = sink->take(sink->priv, x->node, at, 1, x->to + at * bs);
			continue;
		}
		err = bfo_ranges_add(&u->bad, bfo_node_blk(x->node) + at, 1);
		if (!err)
			err = sink->lost(sink->priv, x->node, at, 1);
	}
	return err;
}

static errcode_t deliver(struct bfo_unpacked *u, const struct bfo_sink *sink)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < u->round.n && !err; i++) {
		const struct bfo_member_node *x = &u->round.v[i];

		err = check(u, x);
		if (!err && x->has_lost)
			err = deliver_parts(u, x, sink);
		else if (!err)
			err = sink->take(sink->priv, x->node, 0, x->node->len, x->to);
	}
	return err;
}

/*
 * As many of the N NODES as one round takes, *TAKEN: each has its place, the sink's or in the
 * buffer.
 */
static errcode_t begin_round(struct bfo_unpacked *u, const struct bfo_node *nodes, size_t n,
			     const struct bfo_sink *sink, size_t *taken)
{
	size_t bytes = 0, at = 0, i;
	struct bfo_member_node x;
	errcode_t err = 0;

	u->round.n = 0;
	for (i = 0; i < n && !err && (!i || bytes < ROUND); i++) {
		find_bytes(u, &nodes[i], &x);
		bytes += (size_t) nodes[i].len * u->source.block_size;
		err = bfo_vec_push(&u->round, x);
	}
	if (!err)
		err = bfo_vec_reserve(&u->buffer, bytes);
	for (i = 0; i < u->round.n && !err; i++) {
		const struct bfo_node *node = u->round.v[i].node;
		char *to = sink->place ? sink->place(sink->priv, node, 0) : NULL;

		u->round.v[i].to = to ? to : u->buffer.v + at;
		at += to ? 0 : (size_t) node->len * u->source.block_size;
	}
	*taken = u->round.n;
	return err;
}

static errcode_t read_contents(struct bfo_unpacked *u, const struct bfo_node *nodes, size_t n,
			       const struct bfo_sink *sink)
{
	size_t taken = 0;
	errcode_t err = 0;

	for (; n && !err; nodes += taken, n -= taken) {
		err = begin_round(u, nodes, n, sink, &taken);
		if (!err)
			err = fill_round(u, sink);
		if (!err)
			err = deliver(u, sink);
	}
	return err;
}

/* ---- attributes ---- */

/* Each is a block. */
static errcode_t read_attributes(struct bfo_unpacked *u, const struct bfo_node *nodes, size_t n,
				 const struct bfo_sink *sink)
{
	uint32_t bs = u->source.block_size;
	errcode_t err = bfo_vec_reserve(&u->buffer, bs);
	size_t i;
	void *to;

	for (i = 0; i < n && !err; i++) {
		to = sink->place ? sink->place(sink->priv, &nodes[i], 0) : NULL;
		to = to ? to : u->buffer.v;
		err = bfo_composites_ea(&u->all, bfo_node_blk(&nodes[i]) - BFO_PLACE_MEMBER_EA, to,
					u->source.inode_size, bs);
		if (!err)
			err = sink->take(sink->priv, &nodes[i], 0, 1, to);
	}
	return err;
}

/* ---- the source ---- */

/* How many of N NODES, which are sorted, have places before PLACE. */
static size_t before(const struct bfo_node *nodes, size_t n, uint64_t place)
{
	while (n && bfo_node_blk(&nodes[n - 1]) >= place)
		n--;
	return n;
}

static errcode_t read_nodes(struct bfo_source *s, const struct bfo_node *nodes, size_t n,
			    const struct bfo_sink *sink)
{
	struct bfo_unpacked *u = unpacked(s);
	size_t contents = before(nodes, n, BFO_PLACE_MEMBER_EA);
	size_t blocks = before(nodes, contents, BFO_PLACE_MEMORY);
	errcode_t err = u->of->ops->read(u->of, nodes, blocks, sink);

	if (!err)
		err = read_contents(u, nodes + blocks, contents - blocks, sink);
	if (!err)
		err = read_attributes(u, nodes + contents, n - contents, sink);
	take_over(u);
	return err == ENOMEM ? bfo_fail(s->ctx, err, "reading %s", s->name) : err;
}

static errcode_t settle(struct bfo_source *s)
{
	return unpacked(s)->of->ops->settle(unpacked(s)->of);
}

static void close_both(struct bfo_source *s)
{
	struct bfo_unpacked *u = unpacked(s);

	if (u->of->ops->close)
		u->of->ops->close(u->of);
	bfo_composites_free(&u->all);
	bfo_vec_free(&u->sums);
	bfo_vec_free(&u->bad);
	bfo_vec_free(&u->raw);
	bfo_vec_free(&u->round);
	bfo_vec_free(&u->lost);
	bfo_vec_free(&u->nodes);
	bfo_vec_free(&u->buffer);
}

static const struct bfo_source_ops ops = {
	.gather = gather, .inodes = inodes, .read = read_nodes, .settle = settle,
	.close = close_both,
};

void bfo_unpacked_begin(struct bfo_unpacked *u, struct bfo_source *of)
{
	*u = (struct bfo_unpacked) { .of = of };
	take_over(u);
}
