// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dir_metadata.c - what a directory could not be given is brought back from a file
 *
 *   line ── by its path ──> a row: attributes and extended ones of the line,
 *                                  data and length of the directory
 *                     └──> none: a device, fifo, socket or symbolic link is made
 *   preallocated parts ── sorted ──> unwritten segments, where the directory has a hole
 *
 * It comes between the walk, of which names and rows are, and the end of the intake.  A file that
 * the directory lacks, or that has another length or type, was changed by somebody: what the line
 * says of it would be wrong, so that is an error.  Contents are not compared.
 */
#include <errno.h>
#include <string.h>
#include <linux/fs.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "base/text.h"
#include "intake/dir_state.h"
#include "intake/metadata_read.h"
#include "intake/name_table.h"
#include "tree/access.h"
#include "tree/path.h"

#define SHOWN_BYTES 512U

/* Blocks that are allocated and not written.  The first two words are the sort key. */
struct piece {
	bfo_row row;
	uint32_t lblk, len;
};

#define PIECE_KEYS 2

struct applying {
	struct bfo_dir *d;
	struct bfo_name_table names;
	BFO_VEC(struct piece) pieces;
	struct bfo_metadata_line *line;	/* at hand */
	int is_born;			/* some line has a time of birth */
};

static struct bfo_tree *tree_of(const struct applying *a)
{
	return a->d->in.tree;
}

static errcode_t refuse(const struct applying *a, errcode_t err, const char *why)
{
	char path[SHOWN_BYTES];

	bfo_text_escape(a->line->path, a->line->path_len, path, sizeof(path));
	return bfo_fail(a->d->in.source.ctx, err, "applying line %llu of %s to /%s: %s",
			(unsigned long long) a->line->line, a->d->opt.metadata, path, why);
}

static errcode_t no_memory(const struct applying *a, errcode_t err)
{
	return err ? refuse(a, err, "its place") : 0;
}

/* What the intake has refused of the line at hand. */
static errcode_t refused(const struct applying *a, errcode_t err)
{
	return err != BFO_ET_DAMAGED ? err :
	       bfo_fail_add(a->d->in.source.ctx, err, " (line %llu of %s)",
			    (unsigned long long) a->line->line, a->d->opt.metadata);
}

/* ---- where a path leads ---- */

struct place {
	bfo_row row;			/* BFO_NONE: there is none */
	bfo_row dir;			/* BFO_NONE: it would lie below what is no directory */
	const char *name;		/* its last component; the root has none */
	size_t len;
};

static struct place find(const struct applying *a, const char *path)
{
	const struct bfo_tree *t = tree_of(a);
	struct place p = { .row = 0, .dir = BFO_NONE };
	const struct bfo_name *n;
	const char *name;
	size_t len;

	while ((len = bfo_path_next(&path, &name))) {
		p.dir = p.row != BFO_NONE && S_ISDIR(t->inodes.v[p.row].mode) ? p.row : BFO_NONE;
		n = p.dir == BFO_NONE ? NULL : bfo_name_table_find(&a->names, t, p.dir, name, len);
		p.row = n ? bfo_intake_row(bfo_name_number(t, n)) : BFO_NONE;
		p.name = name;
		p.len = len;
	}
	return p;
}

/* ---- what is there ---- */

static errcode_t add_piece(struct applying *a, bfo_row row, const struct bfo_range *r)
{
	uint64_t bs = a->d->in.source.block_size, end = (r->start + r->len) / bs;
	uint64_t first = r->start / bs + !!(r->start % bs);
	struct piece piece = { .row = row, .lblk = first };

	if (end > UINT32_MAX)
		end = UINT32_MAX;
	if (first >= end)
		return 0;
	piece.len = end - first;
	return bfo_vec_push(&a->pieces, piece);
}

static errcode_t add_pieces(struct applying *a, bfo_row row)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < a->line->unwritten.n && !err; i++)
		err = add_piece(a, row, &a->line->unwritten.v[i]);
	return no_memory(a, err);
}

/* Only the volume itself could have these; the row's own finding may say so already. */
static errcode_t note_features(struct applying *a, bfo_row row)
{
	struct bfo_tree *t = tree_of(a);

	if (!(a->line->attrs.flags & (FS_VERITY_FL | FS_CASEFOLD_FL)))
		return 0;
	return no_memory(a, bfo_tree_found(t, BFO_FOUND_FEATURE, t->inodes.v[row].ino, 0));
}

/* Why the line at hand cannot be about ROW; NULL: it can. */
static const char *difference(const struct applying *a, bfo_row row)
{
	const struct bfo_inode *rec = &tree_of(a)->inodes.v[row];
	const struct bfo_metadata_line *line = a->line;

	if ((rec->mode ^ line->attrs.mode) & S_IFMT)
		return "it has another type now";
	if (S_ISREG(rec->mode) && rec->size != line->attrs.size)
		return "it has another size now";
	if (S_ISLNK(rec->mode) && (rec->size != line->target_len ||
	    memcmp(bfo_intake_target(&a->d->in, row), line->target, line->target_len)))
		return "it leads elsewhere now";
	return NULL;
}

static errcode_t change(struct applying *a, bfo_row row)
{
	const char *why;
	errcode_t err;

	if (tree_of(a)->inodes.v[row].state & BFO_INODE_BAD)
		return 0;		/* it cannot be read, and a finding says so */
	why = difference(a, row);
	if (why)
		return refuse(a, BFO_ET_CHANGED, why);
	err = refused(a, bfo_intake_change(&a->d->in, row, &a->line->attrs, &a->line->xattrs));
	if (!err)
		err = add_pieces(a, row);
	return err ? err : note_features(a, row);
}

/* ---- what is missing ---- */

static errcode_t name_it(struct applying *a, const struct place *p, bfo_row row)
{
	struct bfo_tree *t = tree_of(a);
	errcode_t err = refused(a, bfo_intake_name(&a->d->in, p->dir, row, p->name, p->len));

	return err ? err : no_memory(a, bfo_name_table_add(&a->names, t, t->names.n - 1));
}

/* The row of the first name of what the line at hand is a further name of; or BFO_NONE. */
static bfo_row find_first(const struct applying *a)
{
	struct place p = { .row = BFO_NONE };

	if (a->line->first)
		p = find(a, a->line->first);
	return p.row != BFO_NONE && !difference(a, p.row) ? p.row : BFO_NONE;
}

static errcode_t make(struct applying *a, const struct place *p)
{
	const struct bfo_metadata_line *line = a->line;
	bfo_row row;
	errcode_t err;

	if (p->dir == BFO_NONE || S_ISDIR(line->attrs.mode) || S_ISREG(line->attrs.mode))
		return refuse(a, BFO_ET_NO_PATH, "it is missing");
	row = find_first(a);
	if (row != BFO_NONE)
		return name_it(a, p, row);
	err = bfo_intake_inode(&a->d->in, &line->attrs, &a->line->xattrs, &row);
	if (!err && S_ISLNK(line->attrs.mode))
		err = bfo_intake_content(&a->d->in, line->target, line->target_len);
	if (err)
		return refused(a, err);
	err = no_memory(a, bfo_vec_push(&a->d->inodes,
					(struct bfo_dir_inode) { .parent = p->dir }));
	return err ? err : name_it(a, p, row);
}

static errcode_t take(void *priv, struct bfo_metadata_line *line)
{
	struct applying *a = priv;
	struct place p;

	a->line = line;
	a->is_born |= line->attrs.has_crtime;
	p = find(a, line->path);
	return p.row == BFO_NONE ? make(a, &p) : change(a, p.row);
}

/* ---- preallocation ---- */

struct merge {
	struct applying *a;
	size_t at;			/* the piece that comes next */
	uint32_t first;			/* segment of the row at hand, in `segs` */
	__typeof__(((struct bfo_tree *) 0)->segs) segs;
};

static errcode_t add_seg(struct merge *m, struct bfo_seg seg)
{
	struct bfo_seg *last = m->segs.n > m->first ? &m->segs.v[m->segs.n - 1] : NULL;

	if (m->segs.n >= UINT32_MAX)
		return BFO_ET_OVERFLOW;
	if (!last || last->lblk + last->len != seg.lblk || last->blk + last->len != seg.blk)
		return bfo_vec_push(&m->segs, seg);
	last->len += seg.len;
	return 0;
}

/* Logical blocks FROM up to TO of ROW are a hole: with what of it is preallocated. */
static errcode_t fill_hole(struct merge *m, bfo_row row, uint64_t from, uint64_t to)
{
	errcode_t err = 0;

	for (; m->at < m->a->pieces.n && !err; m->at++) {
		const struct piece *p = &m->a->pieces.v[m->at];
		uint64_t begin = p->lblk > from ? p->lblk : from;
		uint64_t end = (uint64_t) p->lblk + p->len;

		if (p->row != row || begin >= to)
			break;
		if (begin < (end < to ? end : to))
			err = add_seg(m, (struct bfo_seg) { .blk = begin | BFO_SEG_UNWRITTEN,
				      .lblk = begin, .len = (end < to ? end : to) - begin });
		if (end > to)
			break;
		from = end > from ? end : from;
	}
	return err;
}

static errcode_t merge_row(struct merge *m, bfo_row row)
{
	struct bfo_tree *t = tree_of(m->a);
	struct bfo_inode *rec = &t->inodes.v[row];
	uint32_t i, count = bfo_seg_count(t, rec);
	uint64_t next = 0;
	errcode_t err = 0;

	m->first = m->segs.n;
	for (i = 0; i < count && !err; i++) {
		struct bfo_seg seg = *bfo_seg_of(t, rec, i);

		err = fill_hole(m, row, next, seg.lblk);
		if (!err)
			err = add_seg(m, seg);
		next = (uint64_t) seg.lblk + seg.len;
	}
	if (!err)
		err = fill_hole(m, row, next, UINT32_MAX);
	while (m->at < m->a->pieces.n && m->a->pieces.v[m->at].row == row)
		m->at++;
	bfo_segs_set(t, rec, m->first, m->segs.n - m->first);
	return err;
}

/* All segments move to a new array, with the pieces between them. */
static errcode_t merge_pieces(struct applying *a)
{
	struct bfo_tree *t = tree_of(a);
	struct merge m = { .a = a };
	errcode_t err = 0;
	bfo_row row;

	if (!a->pieces.n)
		return 0;
	bfo_sort(a->pieces.v, a->pieces.n, sizeof(*a->pieces.v), PIECE_KEYS);
	for (row = 0; row < t->inodes.n && !err; row++)
		err = merge_row(&m, row);
	bfo_vec_free(&t->segs);
	t->segs = m.segs;
	return err;
}

/* ---- all of it ---- */

static errcode_t apply(struct applying *a)
{
	struct bfo_metadata_reader reader = { .line = take, .priv = a };
	struct bfo_dir *d = a->d;
	struct bfo_tree *t = tree_of(a);
	errcode_t err = bfo_name_table_init(&a->names);
	size_t i;

	for (i = 0; i < t->names.n && !err; i++)
		err = bfo_name_table_add(&a->names, t, i);
	if (err)
		return bfo_fail(d->in.source.ctx, err, "applying %s", d->opt.metadata);
	err = bfo_metadata_read(d->in.source.ctx, d->metadata, d->opt.metadata, &reader);
	if (!err && merge_pieces(a))
		err = bfo_fail(d->in.source.ctx, ENOMEM, "applying %s", d->opt.metadata);
	for (i = 0; i < t->names.n; i++)
		t->names.v[i].hash = 0;
	return err;
}

errcode_t bfo_dir_metadata(struct bfo_dir *d)
{
	struct applying a = { .d = d };
	errcode_t err = apply(&a);

	bfo_name_table_free(&a.names);
	bfo_vec_free(&a.pieces);
	d->told |= BFO_UNKNOWN_ATIME | BFO_UNKNOWN_CTIME | BFO_UNKNOWN_GENERATION |
		   BFO_UNKNOWN_VERSION | BFO_UNKNOWN_FLAGS | BFO_UNKNOWN_PROJECT |
		   BFO_UNKNOWN_LINK_ATIME;
	if (a.is_born)
		d->told |= BFO_UNKNOWN_CRTIME;
	return err;
}
