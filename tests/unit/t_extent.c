// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_extent.c - plan/extent: from segments and stem to extents, and from extents to trees
 *
 * Extents are judged block by block: where does logical block L lie, and is it written?  Trees
 * are read back by a reader of the test's own, from bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "fakefs.h"
#include "made.h"
#include "plan/extent.h"
#include "tree/access.h"

#define WRITTEN_MAX 32768U
#define UNWRITTEN_MAX 32767U
#define INO 4321

static void start(struct made *m, uint32_t bs)
{
	made_init(m);
	m->target.block_size = m->tree.block_size = bs;
	bfo_plan_init(&m->plan, &m->ctx, &m->tree, &m->target);
	m->planned = 1;
}

/* A stem of at least LEN blocks in runs of up to LONGEST. */
static void make_stem(struct made *m, struct chance *c, uint64_t len, uint32_t longest)
{
	uint64_t at = 0, blk = chance_below(c, 1000);

	while (at < len) {
		struct bfo_stem_run run = { .at = at, .blk = blk,
					    .len = chance_between(c, 1, longest) };

		want_ok(bfo_vec_push(&m->plan.stem, run));
		at += run.len;
		blk += run.len + chance_below(c, 3) * chance_between(c, 1, 1 << 20);
		if (!chance_below(c, 4))
			blk += 1ULL << 33;		/* 48 bits of block number */
	}
}

/* A file of N segments, some of which are neighbours; returns its blocks. */
static uint64_t make_file(struct made *m, struct chance *c, uint32_t n, uint32_t longest)
{
	uint32_t lblk = 0, len, i;
	uint64_t sum = 0, flag;

	made_inode(m, INO, S_IFREG | 0600);
	for (i = 0; i < n; i++) {
		lblk += chance_below(c, 2) * chance_below(c, 5000);
		len = chance_between(c, 1, longest);
		flag = chance_below(c, 3) ? 0 : BFO_SEG_UNWRITTEN;
		made_seg(m, (1000 + chance_below(c, 1 << 30)) | flag, lblk, len);
		lblk += len;
		sum += len;
	}
	return sum;
}

/* Block K of the stem, by counting on from *RUN. */
static uint64_t stem_block(const struct bfo_stem_run **run, uint64_t k)
{
	while (k >= (*run)->at + (*run)->len)
		++*run;
	return (*run)->blk + (k - (*run)->at);
}

/* What the extents say, in order, must be what segments and stem say, block by block. */
static void compare(const struct made *m, const struct bfo_seg *segs, uint32_t nseg, uint64_t stem,
		    const bfo_segs *out)
{
	const struct bfo_stem_run *run = m->plan.stem.v;
	const struct bfo_seg *e = out->v;
	uint32_t i, k, at = 0;

	for (i = 0; i < nseg; i++)
		for (k = 0; k < segs[i].len; k++) {
			want(e < out->v + out->n);
			want_eq(e->lblk + at, segs[i].lblk + k);
			want_eq(bfo_seg_blk(e) + at, stem_block(&run, stem++));
			want_eq(bfo_seg_unwritten(e), bfo_seg_unwritten(&segs[i]));
			if (++at == e->len) {
				e++;
				at = 0;
			}
		}
	want(e == out->v + out->n);
}

/* Long enough, not too long, and no two that could be one. */
static void want_joined(const bfo_segs *out)
{
	size_t i;

	for (i = 0; i < out->n; i++) {
		const struct bfo_seg *a = &out->v[i], *b = a + 1;
		uint32_t max = bfo_seg_unwritten(a) ? UNWRITTEN_MAX : WRITTEN_MAX;

		want(a->len && a->len <= max);
		if (i + 1 < out->n)
			want(a->len == max || a->lblk + a->len != b->lblk ||
			     a->blk + a->len != b->blk);
	}
}

START_TEST(covers_the_same_blocks)
{
	static const uint32_t longest[] = { 3, 100, 40000, 150000 };
	struct bfo_inode *rec;
	bfo_segs out = { 0 };
	struct chance c;
	struct made m;
	uint64_t sum;
	int round;

	chance_init(&c, 3000 + _i);
	for (round = 0; round < 12; round++) {
		start(&m, 4096);
		sum = make_file(&m, &c, chance_below(&c, 12), longest[_i / 4]);
		rec = &m.tree.inodes.v[0];
		rec->stem = chance_below(&c, 1000);
		make_stem(&m, &c, rec->stem + sum, longest[_i % 4]);
		want_ok(bfo_extents_of(&m.plan, 0, &out));
		compare(&m, m.tree.segs.v, bfo_seg_count(&m.tree, rec), rec->stem, &out);
		want_joined(&out);
		made_free(&m);
	}
	bfo_vec_free(&out);
}
END_TEST

/* One segment in one run: cut only where the format wants it, at both limits. */
START_TEST(cuts_at_the_limits)
{
	static const uint32_t lens[] = { 32766, 32767, 32768, 32769, 65534, 65535, 65536, 65537 };
	uint32_t max = _i ? UNWRITTEN_MAX : WRITTEN_MAX, flat;
	bfo_segs out = { 0 };
	struct made m;
	size_t i;

	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		start(&m, 4096);
		flat = lens[i];
		made_inode(&m, INO, S_IFREG);
		made_seg(&m, 77 | (_i ? BFO_SEG_UNWRITTEN : 0), 5, flat);
		want_ok(bfo_vec_push(&m.plan.stem, (struct bfo_stem_run) { .blk = 9000,
				     .len = flat }));
		want_ok(bfo_extents_of(&m.plan, 0, &out));
		want_eq(out.n, (flat + max - 1) / max);
		compare(&m, m.tree.segs.v, 1, 0, &out);
		want_joined(&out);
		made_free(&m);
	}
	bfo_vec_free(&out);
}
END_TEST

/* A directory's blocks are as many as its planned size says. */
START_TEST(covers_directories)
{
	struct bfo_seg whole = { .len = 40001 };
	bfo_segs out = { 0 };
	struct chance c;
	struct made m;

	chance_init(&c, 3100);
	start(&m, 1024);
	made_inode(&m, INO, S_IFDIR | 0755);
	m.tree.inodes.v[0].size = 40001 * 1024ULL;
	m.tree.inodes.v[0].stem = 17;
	make_stem(&m, &c, 17 + 40001, 9000);
	want_ok(bfo_extents_of(&m.plan, 0, &out));
	compare(&m, &whole, 1, 17, &out);
	want_joined(&out);
	bfo_vec_free(&out);
	made_free(&m);
}
END_TEST

/* A tree as a kernel reads it. */
struct reader {
	struct made *m;
	struct bfo_map_tree tree;
	const bfo_segs *ext;		/* what should come out */
	size_t next;
	uint8_t *seen;			/* per block of the tree */
	ext2_filsys fs;
};

static uint32_t get16(const uint8_t *p)
{
	return p[0] | p[1] << 8;
}

static uint64_t get32(const uint8_t *p)
{
	return get16(p) | (uint64_t) get16(p + 2) << 16;
}

static void read_leaf(struct reader *r, const uint8_t *p, uint32_t n)
{
	uint32_t i, len;

	for (i = 0; i < n; i++, p += 12) {
		const struct bfo_seg *e = &r->ext->v[r->next];

		want(r->next++ < r->ext->n);
		len = get16(p + 4);
		want_eq(get32(p), e->lblk);
		want_eq(get32(p + 8) | (uint64_t) get16(p + 6) << 32, bfo_seg_blk(e));
		want_eq(len > 32768, bfo_seg_unwritten(e));
		want_eq(len > 32768 ? len - 32768 : len, e->len);
	}
}

/* The block of the tree that lies at target block BLK. */
static uint32_t find_block(const struct reader *r, uint64_t blk)
{
	const struct bfo_stem_run *run = r->m->plan.stem.v;
	uint32_t k;

	for (k = 0; k < r->tree.blocks; k++)
		if (stem_block(&run, r->tree.stem + k) == blk && !r->seen[k])
			break;
	want(k < r->tree.blocks);
	r->seen[k] = 1;
	return k;
}

static void read_node(struct reader *r, const uint8_t *p, uint32_t room, uint32_t depth)
{
	uint32_t bs = r->m->target.block_size, n = get16(p + 2), i, k;
	uint8_t *child;

	want_eq(get16(p), 0xf30a);
	want(n <= room && (n || !depth));
	want_eq(get16(p + 4), room);
	want_eq(get16(p + 6), depth);
	want_eq(get32(p + 8), 0);
	if (!depth) {
		read_leaf(r, p + 12, n);
		return;
	}
	child = unit_alloc(bs);
	for (i = 0, p += 12; i < n; i++, p += 12) {
		want(r->next < r->ext->n);
		want_eq(get32(p), r->ext->v[r->next].lblk);
		want_eq(get16(p + 10), 0);
		k = find_block(r, get32(p + 4) | (uint64_t) get16(p + 8) << 32);
		memset(child, 0x99, bs);
		bfo_extent_block(&r->m->plan, &r->tree, r->ext->v, k, child);
		want(ext2fs_extent_block_csum_verify(r->fs, 77,
						     (struct ext3_extent_header *) child));
		read_node(r, child, (bs - 12) / 12, depth - 1);
	}
	free(child);
}

static uint32_t least_depth(uint64_t n, uint32_t room)
{
	uint64_t holds = 4;
	uint32_t depth = 0;

	for (; holds < n; holds *= room)
		depth++;
	return depth;
}

/* N extents in a tree of blocks of BS bytes. */
static void judge_tree(struct chance *c, uint32_t n, uint32_t bs, int has_csum)
{
	struct reader r = { 0 };
	bfo_segs ext = { 0 };
	uint8_t root[60];
	uint32_t i, k;
	struct made m;

	start(&m, bs);
	m.target.has_csum = has_csum;
	made_inode(&m, INO, S_IFREG);
	m.tree.inodes.v[0].new_ino = 77;
	for (i = 0; i < n; i++)
		want_ok(bfo_vec_push(&ext, (struct bfo_seg) { .lblk = i * 9,
			.len = chance_between(c, 1, 8), .blk = chance_bits(c) >> 16 |
			(chance_below(c, 2) ? BFO_SEG_UNWRITTEN : 0) }));
	r = (struct reader) { .m = &m, .ext = &ext,
		.tree = { .extents = n, .blocks = bfo_extent_tree_blocks(n, bs), .stem = 11 },
		.fs = fakefs_make(&m.target, m.tree.inodes.v[0].generation) };
	make_stem(&m, c, r.tree.stem + r.tree.blocks, 200);
	r.seen = unit_alloc(r.tree.blocks);
	memset(root, 0x99, sizeof(root));
	bfo_extent_root(&m.plan, n > 4 ? &r.tree : NULL, ext.v, n, root);
	read_node(&r, root, 4, least_depth(n, (bs - 12) / 12));
	want_eq(r.next, n);
	for (k = 0; k < r.tree.blocks; k++)
		want(r.seen[k]);
	fakefs_free(r.fs);
	free(r.seen);
	bfo_vec_free(&ext);
	made_free(&m);
}

/* _i: block size and checksums.  84, 340 and 5460 extents fit into a block. */
START_TEST(builds_trees)
{
	static const uint32_t sizes[] = { 1024, 4096, 65536 };
	uint32_t bs = sizes[_i / 2], room = (bs - 12) / 12, i;
	struct chance c;

	chance_init(&c, 3200 + _i);
	for (i = 0; i <= 5; i++)
		judge_tree(&c, i, bs, _i & 1);
	for (i = 1; i <= 4; i++) {
		judge_tree(&c, i * room, bs, _i & 1);
		judge_tree(&c, i * room + 1, bs, _i & 1);
	}
	judge_tree(&c, 7 * room - 1, bs, _i & 1);
}
END_TEST

START_TEST(builds_deep_trees)
{
	struct chance c;

	chance_init(&c, 3300);
	judge_tree(&c, 340 * 340, 4096, 1);
	judge_tree(&c, 340 * 340 + 1, 4096, 1);
	judge_tree(&c, 84 * 84 * 4, 1024, 1);
	judge_tree(&c, 84 * 84 * 4 + 1, 1024, 1);
	judge_tree(&c, 84 * 84 * 9 + 7, 1024, 0);
}
END_TEST

START_TEST(counts_tree_blocks)
{
	want_eq(bfo_extent_tree_blocks(0, 4096), 0);
	want_eq(bfo_extent_tree_blocks(4, 4096), 0);
	want_eq(bfo_extent_tree_blocks(5, 4096), 1);
	want_eq(bfo_extent_tree_blocks(340, 4096), 1);
	want_eq(bfo_extent_tree_blocks(341, 4096), 2);
	want_eq(bfo_extent_tree_blocks(4 * 340, 4096), 4);
	want_eq(bfo_extent_tree_blocks(4 * 340 + 1, 4096), 5 + 1);
	want_eq(bfo_extent_tree_blocks(340 * 340 + 1, 4096), 341 + 2);
	want_eq(bfo_extent_tree_blocks(84 * 4 + 1, 1024), 5 + 1);
	want_eq(bfo_extent_tree_blocks(84 * 84 * 4 + 1, 1024), 84 * 4 + 1 + 5 + 1);
}
END_TEST

Suite *extent_suite(void)
{
	Suite *s = suite_create("extent");

	unit_case(s, "covers_the_same_blocks", covers_the_same_blocks, 16);
	unit_case(s, "cuts_at_the_limits", cuts_at_the_limits, 2);
	unit_case(s, "covers_directories", covers_directories, 0);
	unit_case(s, "builds_trees", builds_trees, 6);
	unit_case(s, "builds_deep_trees", builds_deep_trees, 0);
	unit_case(s, "counts_tree_blocks", counts_tree_blocks, 0);
	return s;
}
