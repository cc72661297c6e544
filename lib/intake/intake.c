// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * intake.c - trees that come from no volume
 *
 *   attributes ──> shelf, record        sets ──> each once
 *   segments, contents in memory        names ──> links are counted at the end
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "intake/intake.h"
#include "tree/access.h"

#define SHELF_MEMORY (256U << 20)	/* bytes that stay in memory: 1.6 million inodes */
#define FAST_BYTES ((uint32_t) sizeof(((struct ext2_inode *) 0)->i_block))

/* Flags that mean something to users, and that a tree of any origin can have. */
#define FILE_FLAGS (EXT2_SECRM_FL | EXT2_UNRM_FL | EXT2_COMPR_FL | EXT2_SYNC_FL | \
		    EXT2_IMMUTABLE_FL | EXT2_APPEND_FL | EXT2_NODUMP_FL | EXT2_NOATIME_FL | \
		    EXT3_JOURNAL_DATA_FL | EXT2_NOTAIL_FL | FS_DAX_FL | EXT4_PROJINHERIT_FL)
#define DIR_FLAGS (FILE_FLAGS | EXT2_DIRSYNC_FL | EXT2_TOPDIR_FL)
#define OTHER_FLAGS (EXT2_NODUMP_FL | EXT2_NOATIME_FL | EXT4_PROJINHERIT_FL)

static struct bfo_context *ctx_of(const struct bfo_intake *in)
{
	return in->source.ctx;
}

static errcode_t refuse(const struct bfo_intake *in, const char *why)
{
	return bfo_fail(ctx_of(in), BFO_ET_DAMAGED, "reading %s: %s", in->source.name, why);
}

static errcode_t no_memory(const struct bfo_intake *in, errcode_t err)
{
	return err ? bfo_fail(ctx_of(in), err, "reading %s", in->source.name) : 0;
}

errcode_t bfo_intake_begin(struct bfo_intake *in, struct bfo_tree *tree, uint32_t block_size)
{
	struct bfo_source *s = &in->source;

	s->block_size = tree->block_size = block_size;
	s->inode_size = tree->inode_size = sizeof(struct ext2_inode_large);
	tree->repacked = 1;
	tree->project = 1;
	in->tree = tree;
	bfo_shelf_init(&in->shelf, s->inode_size, SHELF_MEMORY, s->ctx->temp_dir);
	return 0;
}

/* ---- inodes ---- */

static uint32_t flags_of(uint16_t mode)
{
	if (S_ISDIR(mode))
		return DIR_FLAGS;
	return S_ISREG(mode) ? FILE_FLAGS : S_ISLNK(mode) ? 0 : OTHER_FLAGS;
}

/* Of flags that most trees do not tell, those that a file of that type can have. */
static uint32_t told_of(uint16_t mode)
{
	if (S_ISDIR(mode))
		return ~(uint32_t) EXT4_VERITY_FL;
	if (S_ISREG(mode))
		return ~(uint32_t) EXT4_CASEFOLD_FL;
	return S_ISLNK(mode) ? EXT4_ENCRYPT_FL : 0;
}

static int has_size(uint16_t mode)
{
	return S_ISREG(mode) || S_ISLNK(mode);
}

/* What is encrypted has its length in front, and is a multiple of what its cipher wants. */
static uint64_t most_of_link(const struct bfo_intake *in, const struct bfo_attrs *a)
{
	return a->flags & in->flags_told & EXT4_ENCRYPT_FL ? 4096 + 3 : 4096;
}

static const char *impossible(const struct bfo_intake *in, const struct bfo_attrs *a)
{
	if (!bfo_dirent_type(a->mode))
		return "a file has no valid type";
	if (S_ISREG(a->mode) && a->size > (uint64_t) UINT32_MAX * in->source.block_size)
		return "a file is too large";
	if (S_ISLNK(a->mode) && (!a->size || a->size >= most_of_link(in, a)))
		return "a symbolic link has no valid length";
	if ((S_ISCHR(a->mode) || S_ISBLK(a->mode)) &&
	    (a->major >= 1U << 12 || a->minor >= 1U << 20))
		return "a device has no valid number";
	return NULL;
}

/* Record and raw inode of A; *REC keeps its data and names. */
static errcode_t set_inode(struct bfo_intake *in, struct bfo_inode *rec,
			   struct ext2_inode_large *raw, const struct bfo_attrs *a,
			   bfo_xattrs *set)
{
	const char *why = impossible(in, a);
	struct bfo_attrs mine = *a;
	uint32_t ea = BFO_NONE;
	errcode_t err = 0;
	int i;

	if (why)
		return refuse(in, why);
	mine.flags &= flags_of(a->mode) | (in->flags_told & told_of(a->mode));
	mine.nlink = 1;			/* counted at the end */
	if (!has_size(a->mode))
		mine.size = 0;
	for (i = 0; i < BFO_TIMES; i++)
		if (!bfo_time_is_possible(a->sec[i]))
			break;
	in->out_of_time += i < BFO_TIMES;
	if (set && set->n) {
		bfo_xattrs_sort(set);
		err = bfo_sets_add(&in->sets, set, &ea);
	}
	if (err)
		return no_memory(in, err);
	bfo_attrs_write(&mine, raw);
	rec->mode = mine.mode;
	rec->flags = mine.flags;
	rec->generation = mine.generation;
	rec->size = mine.size;
	rec->ea = ea;
	return 0;
}

errcode_t bfo_intake_inode(struct bfo_intake *in, const struct bfo_attrs *a, bfo_xattrs *set,
			   bfo_row *row)
{
	struct bfo_tree *t = in->tree;
	struct bfo_inode rec = { .name = BFO_NONE };
	errcode_t err;
	void *raw;

	if (t->inodes.n > UINT32_MAX - BFO_INTAKE_FIRST - 1)
		return refuse(in, "it has more files than inode numbers");
	if (!t->inodes.n && !S_ISDIR(a->mode))
		return bfo_fail(ctx_of(in), BFO_ET_NOT_DIR, "reading %s", in->source.name);
	rec.ino = t->inodes.n ? BFO_INTAKE_FIRST + t->inodes.n - 1 : EXT2_ROOT_INO;
	err = no_memory(in, bfo_shelf_add(&in->shelf, &raw));
	if (!err)
		err = set_inode(in, &rec, raw, a, set);
	*row = t->inodes.n;
	return err ? err : no_memory(in, bfo_vec_push(&t->inodes, rec));
}

errcode_t bfo_intake_change(struct bfo_intake *in, bfo_row row, const struct bfo_attrs *a,
			    bfo_xattrs *set)
{
	struct bfo_inode *rec = &in->tree->inodes.v[row];
	struct ext2_inode_large *raw = bfo_intake_raw(in, row);
	char fast[FAST_BYTES];
	errcode_t err;

	if ((rec->mode ^ a->mode) & S_IFMT || (has_size(rec->mode) && rec->size != a->size))
		return refuse(in, "a file changes its type or size");
	memcpy(fast, raw->i_block, sizeof(fast));
	err = set_inode(in, rec, raw, a, set);
	if (rec->state & BFO_INODE_FAST)
		memcpy(raw->i_block, fast, sizeof(fast));
	return err;
}

/* ---- what is in them ---- */

static struct bfo_inode *last(const struct bfo_intake *in)
{
	return &in->tree->inodes.v[in->tree->inodes.n - 1];
}

/* Appends to the last inode's segments, which are joined where they go on. */
static errcode_t add_segment(struct bfo_intake *in, struct bfo_inode *rec, struct bfo_seg seg)
{
	struct bfo_tree *t = in->tree;
	struct bfo_seg *before = bfo_seg_count(t, rec) ? &t->segs.v[t->segs.n - 1] : NULL;

	if (before && seg.lblk < (uint64_t) before->lblk + before->len)
		return refuse(in, "data of a file overlap");
	if (before && before->lblk + before->len == seg.lblk &&
	    before->blk + before->len == seg.blk &&
	    (uint64_t) before->len + seg.len <= UINT32_MAX) {
		before->len += seg.len;
		return 0;
	}
	return no_memory(in, bfo_tree_add_seg(t, rec, seg));
}

errcode_t bfo_intake_segment(struct bfo_intake *in, uint64_t place, uint64_t lblk, uint64_t len,
			     int unwritten)
{
	struct bfo_inode *rec = last(in);
	uint64_t bs = in->source.block_size;

	if (!S_ISREG(rec->mode))
		return refuse(in, "data of what is no file");
	if (!len || lblk >= UINT32_MAX || len > UINT32_MAX - lblk)
		return refuse(in, "data of a file reach beyond what a file can have");
	if (!unwritten && !(rec->flags & (EXT4_VERITY_FL | EXT4_ENCRYPT_FL)) &&
	    (lblk + len - 1) * bs >= rec->size)
		return refuse(in, "data behind the end of a file");
	return add_segment(in, rec, (struct bfo_seg) { .lblk = lblk, .len = len,
			   .blk = place | (unwritten ? BFO_SEG_UNWRITTEN : 0) });
}

errcode_t bfo_intake_arrived(struct bfo_intake *in, const struct bfo_arrival *to)
{
	const struct bfo_seg *seg;
	errcode_t err;
	size_t n;

	for (err = to->end(to->priv, &seg, &n); !err && n; seg++, n--)
		err = bfo_intake_segment(in, seg->blk, seg->lblk, seg->len, 0);
	return err;
}

/* Blocks from *LBLK, which goes up to END, that were never written. */
static errcode_t add_unwritten(struct bfo_intake *in, uint64_t *lblk, uint64_t end)
{
	uint64_t first = *lblk;

	if (end <= first)
		return 0;
	*lblk = end;
	return bfo_intake_segment(in, first, first, end - first, 1);
}

/* Data that were known before, of which those up to K stand among the segments again. */
struct known {
	BFO_VEC(struct bfo_seg) segs;
	size_t k;
	uint32_t cluster;		/* blocks */
};

/*
 * Data that begin before block END; what lies before them, from *LBLK on, was never written.
 * *LBLK: behind all of that.
 */
static errcode_t add_known(struct bfo_intake *in, struct known *d, uint64_t *lblk, uint64_t end)
{
	errcode_t err = 0;

	for (; d->k < d->segs.n && !err; d->k++) {
		struct bfo_seg seg = d->segs.v[d->k];
		uint64_t from = seg.lblk / d->cluster * d->cluster;
		uint64_t to = seg.lblk + (uint64_t) seg.len + d->cluster - 1;

		if (from >= end)
			break;
		err = add_unwritten(in, lblk, from);
		if (!err)
			err = add_segment(in, last(in), seg);
		to = to / d->cluster * d->cluster;
		*lblk = *lblk > to ? *lblk : to;
	}
	return err;
}

errcode_t bfo_intake_unwritten(struct bfo_intake *in, const bfo_ranges *ranges, uint32_t cluster)
{
	struct bfo_tree *t = in->tree;
	uint64_t bs = in->source.block_size, at = 0, n = bfo_seg_count(t, last(in));
	struct known d = { .cluster = cluster };
	errcode_t err;
	size_t i;

	if (!ranges->n)
		return 0;
	err = no_memory(in, bfo_vec_reserve(&d.segs, n + 1));	/* never a null array */
	if (err)
		return err;
	for (; d.segs.n < n; d.segs.n++)
		d.segs.v[d.segs.n] = *bfo_seg_of(t, last(in), d.segs.n);
	t->segs.n -= n;
	bfo_segs_set(t, last(in), t->segs.n, 0);
	for (i = 0; i < ranges->n && !err; i++) {
		const struct bfo_range *r = &ranges->v[i];
		uint64_t end = (r->start + r->len - 1) / bs + 1;

		at = at > r->start / bs ? at : r->start / bs;
		err = add_known(in, &d, &at, end);
		if (!err)
			err = add_unwritten(in, &at, end);
	}
	at = UINT64_MAX;
	if (!err)
		err = add_known(in, &d, &at, UINT64_MAX);
	bfo_vec_free(&d.segs);
	return err;
}

/* LEN bytes; *PLACE: where they are. */
static errcode_t keep(struct bfo_intake *in, const void *data, size_t len, uint64_t *place)
{
	size_t bs = in->source.block_size;
	struct bfo_kept one = { .place = BFO_PLACE_MEMORY + in->kept_blocks, .at = in->memory.n };
	errcode_t err = bfo_vec_reserve(&in->memory, len);

	if (!err)
		err = bfo_vec_push(&in->kept, one);
	if (err)
		return no_memory(in, err);
	memcpy(in->memory.v + in->memory.n, data, len);
	in->memory.n += len;
	in->kept_blocks += (len + bs - 1) / bs;
	*place = one.place;
	return 0;
}

errcode_t bfo_intake_content(struct bfo_intake *in, const void *data, size_t len)
{
	struct bfo_inode *rec = last(in);
	uint64_t place = 0, bs = in->source.block_size;
	errcode_t err;

	if (!has_size(rec->mode) || rec->size != len)
		return refuse(in, "content of another length");
	if (!len)
		return 0;
	if (S_ISLNK(rec->mode) && !(rec->flags & EXT4_ENCRYPT_FL) && memchr(data, 0, len))
		return refuse(in, "a zero byte in a symbolic link");
	if (S_ISLNK(rec->mode) && len < FAST_BYTES) {
		memcpy(bfo_intake_raw(in, in->tree->inodes.n - 1)->i_block, data, len);
		rec->state |= BFO_INODE_FAST;
		return 0;
	}
	err = keep(in, data, len, &place);
	return err ? err : add_segment(in, rec, (struct bfo_seg) { .blk = place,
				       .len = (len + bs - 1) / bs });
}

const char *bfo_intake_target(const struct bfo_intake *in, bfo_row row)
{
	const struct bfo_inode *rec = &in->tree->inodes.v[row];
	const struct bfo_seg *seg;

	if (rec->state & BFO_INODE_FAST)
		return (const char *) bfo_intake_raw(in, row)->i_block;
	seg = bfo_seg_of(in->tree, rec, 0);
	return in->memory.v + in->kept.v[bfo_vec_lower(&in->kept, place, bfo_seg_blk(seg))].at;
}

/* ---- names ---- */

errcode_t bfo_intake_name(struct bfo_intake *in, bfo_row dir, bfo_row row, const char *name,
			  size_t len)
{
	struct bfo_tree *t = in->tree;

	if (!len || len > EXT2_NAME_LEN || memchr(name, '/', len) || memchr(name, 0, len) ||
	    (len <= 2 && !memcmp(name, "..", len)))
		return refuse(in, "a name that no directory can have");
	if (!S_ISDIR(t->inodes.v[dir].mode))
		return refuse(in, "a name in what is no directory");
	return no_memory(in, bfo_tree_add_name(t, dir, t->inodes.v[row].ino,
					       bfo_dirent_type(t->inodes.v[row].mode), name, len));
}

/* A copy of ROW, which name N is of from now on. */
static errcode_t copy_inode(struct bfo_intake *in, struct bfo_name *n, bfo_row row)
{
	struct bfo_tree *t = in->tree;
	struct bfo_inode rec = t->inodes.v[row];
	errcode_t err;
	void *raw;

	if (t->inodes.n > UINT32_MAX - BFO_INTAKE_FIRST - 1)
		return refuse(in, "it has more files than inode numbers");
	err = bfo_shelf_add(&in->shelf, &raw);
	if (err)
		return no_memory(in, err);
	memcpy(raw, bfo_intake_raw(in, row), in->shelf.record);
	rec.ino = BFO_INTAKE_FIRST + t->inodes.n - 1;
	bfo_name_set_number(t, n, rec.ino);
	return no_memory(in, bfo_vec_push(&t->inodes, rec));
}

/* The first name of each file keeps it. */
static errcode_t dereference(struct bfo_intake *in)
{
	struct bfo_tree *t = in->tree;
	uint8_t *is_named = calloc(t->inodes.n + 1, 1);
	errcode_t err = is_named ? 0 : no_memory(in, ENOMEM);
	size_t i;

	for (i = 0; i < t->names.n && !err; i++) {
		bfo_row row = bfo_intake_row(bfo_name_number(t, &t->names.v[i]));

		if (!S_ISDIR(t->inodes.v[row].mode) && is_named[row]++)
			err = copy_inode(in, &t->names.v[i], row);
		is_named[row] = 1;
	}
	free(is_named);
	return err;
}

/* As many links as there are names; of a directory, as there are subdirectories. */
static void count_links(struct bfo_intake *in)
{
	struct bfo_tree *t = in->tree;
	size_t i;

	/* `new_ino` is free until numbers are given */
	for (i = 0; i < t->names.n; i++) {
		bfo_row row = bfo_tree_find(t, bfo_name_number(t, &t->names.v[i]));

		t->inodes.v[S_ISDIR(t->inodes.v[row].mode) ? t->names.v[i].dir : row].new_ino++;
	}
	for (i = 0; i < t->inodes.n; i++) {
		struct bfo_inode *rec = &t->inodes.v[i];
		uint32_t n = rec->new_ino + (S_ISDIR(rec->mode) ? 2 : 0);

		rec->links_read = n <= UINT16_MAX ? n : S_ISDIR(rec->mode) ? 1 : UINT16_MAX;
		rec->new_ino = 0;
		bfo_intake_raw(in, i)->i_links_count = to_le16(rec->links_read);
	}
}

errcode_t bfo_intake_end(struct bfo_intake *in)
{
	struct bfo_tree *t = in->tree;
	errcode_t err;
	size_t i;

	if (!t->inodes.n)
		return bfo_fail(ctx_of(in), BFO_ET_ROOT_DAMAGED, "reading %s", in->source.name);
	err = in->dereference ? dereference(in) : 0;
	if (err)
		return err;
	err = bfo_rank_init(&t->rank, (uint64_t) BFO_INTAKE_FIRST + t->inodes.n);
	if (err)
		return no_memory(in, err);
	for (i = 0; i < t->inodes.n; i++)
		bfo_rank_add(&t->rank, t->inodes.v[i].ino);
	bfo_rank_seal(&t->rank);
	count_links(in);
	t->eas = in->sets.list;
	t->sets = in->sets.bytes;
	memset(&in->sets.list, 0, sizeof(in->sets.list));
	memset(&in->sets.bytes, 0, sizeof(in->sets.bytes));
	bfo_sets_free(&in->sets);
	return 0;
}

/* ---- the source ---- */

void bfo_intake_dereference(struct bfo_source *s)
{
	((struct bfo_intake *) s)->dereference = 1;
}

errcode_t bfo_intake_inodes(struct bfo_source *s, const uint32_t *inos, size_t n,
			    bfo_take_inode take, bfo_lose_inodes lose, void *priv)
{
	struct bfo_intake *in = (struct bfo_intake *) s;
	size_t i, count = inos ? n : in->shelf.n;
	errcode_t err = 0;

	(void) lose;
	for (i = 0; i < count && !err; i++) {
		bfo_row row = inos ? bfo_tree_find(in->tree, inos[i]) : i;

		if (row < in->shelf.n)
			err = take(priv, in->tree->inodes.v[row].ino, bfo_intake_raw(in, row));
		if (!err && bfo_cancelled(s->ctx))
			err = bfo_fail(s->ctx, BFO_ET_CANCELLED, "reading inodes of %s", s->name);
	}
	return err;
}

void *bfo_intake_place(struct bfo_intake *in, const struct bfo_node *node, uint32_t at,
		       uint32_t count, const struct bfo_sink *sink)
{
	void *to = sink->place ? sink->place(sink->priv, node, at) : NULL;

	if (to)
		return to;
	in->scratch.n = 0;
	return bfo_vec_reserve(&in->scratch, (size_t) count * in->source.block_size)
		       ? NULL
		       : in->scratch.v;
}

/* Blocks of NODE, which are in memory, to TO, with zeros behind the end of their content. */
static void copy_kept(const struct bfo_intake *in, const struct bfo_node *node, char *to)
{
	size_t bs = in->source.block_size, i, at, end, len = node->len * bs;

	/* the content that begins last, but not behind the node */
	i = bfo_vec_lower(&in->kept, place, bfo_node_blk(node) + 1) - 1;
	end = i + 1 < in->kept.n ? in->kept.v[i + 1].at : in->memory.n;
	at = in->kept.v[i].at + (bfo_node_blk(node) - in->kept.v[i].place) * bs;
	end = at < end ? (end - at < len ? end - at : len) : 0;
	memcpy(to, in->memory.v + at, end);
	memset(to + end, 0, len - end);
}

errcode_t bfo_intake_read_memory(struct bfo_intake *in, const struct bfo_node *nodes, size_t *n,
				 const struct bfo_sink *sink)
{
	size_t first = *n, i, end = *n;
	errcode_t err = 0;

	while (first && bfo_node_blk(&nodes[first - 1]) >= BFO_PLACE_MEMORY)
		first--;
	for (i = *n = first; i < end && !err; i++) {
		char *to = bfo_intake_place(in, &nodes[i], 0, nodes[i].len, sink);

		if (!to)
			return no_memory(in, ENOMEM);
		copy_kept(in, &nodes[i], to);
		err = sink->take(sink->priv, &nodes[i], 0, nodes[i].len, to);
	}
	return err;
}

void bfo_intake_free(struct bfo_intake *in)
{
	bfo_sets_free(&in->sets);
	bfo_shelf_free(&in->shelf);
	bfo_vec_free(&in->memory);
	bfo_vec_free(&in->kept);
	bfo_vec_free(&in->scratch);
}
