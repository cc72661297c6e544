// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * composites.c - composite files of a gathered volume, whose members become files of the tree
 *
 *   candidates ── headers, a round at a time ── tables, likewise ── each in memory
 *   names of the tree ── those of composite files: where their members belong
 *                     └─ those beside them, and members' ── sorted: what comes twice is a clash
 *
 * What is looked at can have been made up: whatever cannot be refuses the composite file as a
 * whole, so that nothing of it is lost without being said.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "gather/attrs.h"
#include "gather/composites.h"
#include "gather/contents.h"
#include "pack/clash.h"
#include "tree/access.h"

#define HEADS 16384U			/* that are read at once */
#define TABLES (16U << 20)		/* bytes of tables that are read at once */

struct find {
	struct bfo_composites *all;
	struct bfo_source *source;
	struct bfo_tree *tree;
	struct bfo_contents contents;	/* a round */
	bfo_numbers inos;		/* of those that are not refused, ascending */
};

static const struct bfo_inode *record(const struct find *f, const struct bfo_found_composite *x)
{
	return &f->tree->inodes.v[x->row];
}

/* ---- headers ---- */

static int may_be(const struct bfo_inode *rec)
{
	return !(rec->state & BFO_INODE_BAD) &&
	       bfo_composite_may_be(rec->mode, rec->flags, rec->size);
}

/* One that begins as composite files do. */
static errcode_t note_head(struct find *f, const struct bfo_content *at)
{
	const struct bfo_inode *rec = &f->tree->inodes.v[at->row];
	const char *bytes = bfo_contents_of(&f->contents, at);
	struct bfo_found_composite *x;
	errcode_t err;
	int is_new;

	if (at->unread || !bfo_composite_is_one(bytes, at->size))
		return 0;
	x = calloc(1, sizeof(*x));
	if (!x)
		return ENOMEM;
	x->row = at->row;
	x->ino = rec->ino;
	x->name = BFO_NONE;
	err = bfo_vec_push(&f->all->v, x);
	if (err)
		free(x);
	else
		x->is_refused = !!bfo_composite_get_head(bytes, rec->size, &x->head, &is_new);
	return err;
}

static errcode_t read_heads(struct find *f)
{
	errcode_t err = bfo_contents_read(&f->contents, f->source, f->tree);
	size_t i;

	for (i = 0; i < f->contents.files.n && !err; i++)
		err = note_head(f, &f->contents.files.v[i]);
	f->contents.files.n = 0;
	return err;
}

static errcode_t find_heads(struct find *f)
{
	errcode_t err = 0;
	bfo_row row;

	for (row = 0; row < f->tree->inodes.n && !err; row++) {
		if (!may_be(&f->tree->inodes.v[row]))
			continue;
		err = bfo_contents_add(&f->contents, row, 0, BFO_COMPOSITE_HEAD, 0);
		if (!err && f->contents.files.n == HEADS)
			err = read_heads(f);
	}
	return err || !f->contents.files.n ? err : read_heads(f);
}

/* ---- tables ---- */

/* The first byte that is read: the table's block; of what stands in its inode, all. */
static uint64_t table_from(const struct find *f, const struct bfo_found_composite *x)
{
	return record(f, x)->state & BFO_INODE_INLINE
		       ? 0 : x->head.table_at - x->head.table_at % f->tree->block_size;
}

static errcode_t take_table(struct find *f, const struct bfo_content *at)
{
	struct bfo_found_composite *x = f->all->v.v[at->tag];
	const char *bytes = bfo_contents_of(&f->contents, at);
	errcode_t err;

	x->is_refused = at->unread > 0;
	if (x->is_refused)
		return 0;
	x->table = malloc((size_t) x->head.table_bytes + 1);
	if (record(f, x)->state & BFO_INODE_INLINE)
		x->whole = malloc(at->size + 1);
	if (!x->table || (record(f, x)->state & BFO_INODE_INLINE && !x->whole))
		return ENOMEM;
	memcpy(x->table, bytes + (x->head.table_at - at->from), x->head.table_bytes);
	if (x->whole)
		memcpy(x->whole, bytes, at->size);
	err = bfo_composite_open(&x->c, &x->head, x->table);
	x->is_refused = err == BFO_ET_DAMAGED;
	return x->is_refused ? 0 : err;
}

static errcode_t read_tables(struct find *f)
{
	errcode_t err = bfo_contents_read(&f->contents, f->source, f->tree);
	size_t i;

	for (i = 0; i < f->contents.files.n && !err; i++)
		err = take_table(f, &f->contents.files.v[i]);
	f->contents.files.n = 0;
	return err;
}

static errcode_t find_tables(struct find *f)
{
	uint64_t bytes = 0, from, len;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < f->all->v.n && !err; i++) {
		struct bfo_found_composite *x = f->all->v.v[i];

		if (x->is_refused)
			continue;
		from = table_from(f, x);
		len = record(f, x)->size - from;
		if (bytes && bytes + len > TABLES) {
			err = read_tables(f);
			bytes = 0;
		}
		if (!err)
			err = bfo_contents_add(&f->contents, x->row, from, len, i);
		bytes += len;
	}
	return err || !f->contents.files.n ? err : read_tables(f);
}

/* ---- names ---- */

/* The composite file with number INO; NULL: there is none.  They ascend by row, so by number. */
static struct bfo_found_composite *by_number(const struct find *f, uint32_t ino)
{
	const struct bfo_composites *all = f->all;
	size_t lo = 0, hi = all->v.n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (all->v.v[mid]->ino < ino)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < all->v.n && all->v.v[lo]->ino == ino ? all->v.v[lo] : NULL;
}

/* The directory in which X stands has names of members as they are. */
static int has_place(const struct find *f, const struct bfo_found_composite *x)
{
	const struct bfo_inode *dir;

	if (x->names != 1 || record(f, x)->links_read != 1)
		return 0;
	dir = &f->tree->inodes.v[f->tree->names.v[x->name].dir];
	return !(dir->flags & EXT4_ENCRYPT_FL);
}

/* One without a name is no file of the tree, nor are its members; one with two stays as it is. */
static void find_names(struct find *f)
{
	const struct bfo_tree *t = f->tree;
	struct bfo_found_composite *x;
	size_t i;

	for (i = 0; i < t->names.n; i++) {
		x = by_number(f, bfo_name_number(t, &t->names.v[i]));
		if (x && !x->names++)
			x->name = i;
	}
	for (i = 0; i < f->all->v.n; i++)
		f->all->v.v[i]->is_refused |= !has_place(f, f->all->v.v[i]);
}

typedef BFO_VEC(struct bfo_clash_name) besides;

/* Composite file WHO is called WHO + 1 there. */
static errcode_t add_members_names(struct find *f, besides *list, size_t who)
{
	const struct bfo_found_composite *x = f->all->v.v[who];
	bfo_row dir = f->tree->names.v[x->name].dir;
	errcode_t err = bfo_vec_reserve(list, x->c.names.n);
	size_t i;

	for (i = 0; i < x->c.names.n && !err; i++) {
		const uint8_t *name = x->c.names.v[i].name;

		list->v[list->n++] = (struct bfo_clash_name) {
			.dir = dir, .who = who + 1, .name = (const char *) name + 1, .len = *name };
	}
	return err;
}

static errcode_t list_besides(struct find *f, besides *list)
{
	const struct bfo_tree *t = f->tree;
	bfo_numbers dirs = { 0 };
	errcode_t err = 0;
	size_t i, at;

	for (i = 0; i < f->all->v.n && !err; i++) {
		if (f->all->v.v[i]->is_refused)
			continue;
		err = bfo_vec_push(&dirs, t->names.v[f->all->v.v[i]->name].dir);
		if (!err)
			err = add_members_names(f, list, i);
	}
	bfo_sort_numbers(dirs.v, dirs.n);
	for (i = 0; i < t->names.n && dirs.n && !err; i++) {
		const struct bfo_name *n = &t->names.v[i];

		at = bfo_vec_lower_number(&dirs, n->dir);
		if (at < dirs.n && dirs.v[at] == n->dir)
			err = bfo_vec_push(list, (struct bfo_clash_name) {
					   .dir = n->dir, .len = bfo_name_len(n),
					   .name = bfo_name_text(t, n) });
	}
	bfo_vec_free(&dirs);
	return err;
}

static errcode_t refuse(void *priv, uint32_t who)
{
	struct find *f = priv;

	f->all->v.v[who - 1]->is_refused = 1;
	return 0;
}

static errcode_t refuse_clashes(struct find *f)
{
	besides list = { 0 };
	errcode_t err = list_besides(f, &list);

	if (!err)
		err = bfo_clash_find(list.v, list.n, refuse, f);
	bfo_vec_free(&list);
	return err;
}

/* ---- into the tree ---- */

/* A member whose attributes its volume has no room for was never a file there. */
static errcode_t check_xattrs(struct find *f, struct bfo_found_composite *x, void *raw)
{
	struct bfo_composite_member m;
	int more = 0;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < x->c.places.n && !err && more >= 0; i++) {
		bfo_composite_member(&x->c, i, &m);
		if (m.xattrs)
			err = bfo_composites_make(f->all, x, &m, raw, f->source->inode_size,
						  f->source->block_size, &more);
	}
	x->is_refused = more < 0;
	return err;
}

/* What is left of all is sound; their numbers are in f->inos. */
static errcode_t settle(struct find *f)
{
	uint64_t limit = f->tree->rank.limit, room = limit < BFO_NONE ? BFO_NONE - limit : 0;
	uint64_t members = 0;
	void *raw = malloc(f->source->inode_size);
	errcode_t err = raw ? 0 : ENOMEM;
	size_t i, kept = 0;

	for (i = 0; i < f->all->v.n && !err; i++) {
		struct bfo_found_composite *x = f->all->v.v[i];

		if (!x->is_refused)
			err = check_xattrs(f, x, raw);
		x->is_refused |= members + x->c.places.n > room;
		if (!err && !x->is_refused)
			err = bfo_vec_push(&f->inos, x->ino);
		else if (!err && x->names)
			err = bfo_tree_found_known(f->tree, BFO_FOUND_COMPOSITE,
						   &f->tree->names.v[x->name]);
		members += x->is_refused ? 0 : x->c.places.n;
	}
	free(raw);
	for (i = 0; i < f->all->v.n && !err; i++) {
		if (f->all->v.v[i]->is_refused)
			bfo_found_composite_free(f->all->v.v[i]);
		else
			f->all->v.v[kept++] = f->all->v.v[i];
	}
	if (!err)
		f->all->v.n = kept;
	return err;
}

/* For the walk: a composite file has the owner of its members. */
static errcode_t take_owner(void *priv, uint32_t ino, const void *raw)
{
	struct find *f = priv;
	struct bfo_found_composite *x = by_number(f, ino);
	struct bfo_attrs attrs;

	if (!x)
		return 0;
	bfo_attrs_read(raw, f->source->inode_size, &attrs);
	x->uid = attrs.uid;
	x->gid = attrs.gid;
	x->project = attrs.project;
	return 0;
}

/* As of the container of indexes: no name leads there, and that is no finding. */
static void hide_names(struct find *f)
{
	struct bfo_tree *t = f->tree;
	struct bfo_found_composite *x;
	size_t i, kept = 0;

	for (i = 0; i < t->names.n; i++) {
		x = by_number(f, bfo_name_number(t, &t->names.v[i]));
		if (x) {
			x->name = t->names.v[i].dir;	/* which is all that is wanted of it now */
			t->inodes.v[x->row].state |= BFO_INODE_MET;
			t->inodes.v[x->row].links_read = 0;
		} else {
			t->names.v[kept++] = t->names.v[i];
		}
	}
	t->names.n = kept;
}

static errcode_t add_names(struct find *f, const struct bfo_found_composite *x,
			   const struct bfo_composite_member *m, uint32_t ino)
{
	const uint8_t *at = m->first_name;
	struct bfo_composite_name name;
	errcode_t err = 0;
	uint32_t k;

	for (k = 0; k < m->names && !err; k++) {
		bfo_composite_next_name(&at, &name);
		err = bfo_tree_add_name(f->tree, x->name, ino, EXT2_FT_REG_FILE, name.name,
					name.len);
	}
	return err;
}

/* Its attributes: those that have no room in the inode are in a block of its own. */
static errcode_t add_ea(struct find *f, const struct bfo_found_composite *x,
			const struct bfo_composite_member *m, void *raw, uint32_t *ea)
{
	struct bfo_tree *t = f->tree;
	int more;
	errcode_t err = bfo_composites_make(f->all, x, m, raw, f->source->inode_size,
					    f->source->block_size, &more);

	*ea = BFO_NONE;
	if (err || !more)
		return err;
	*ea = t->eas.n;
	return bfo_vec_push(&t->eas, (struct bfo_ea) { .copy = *ea,
			    .blk = BFO_PLACE_MEMBER_EA + t->members.n });
}

static errcode_t add_member(struct find *f, const struct bfo_found_composite *x, size_t i,
			    uint64_t *place, void *raw)
{
	struct bfo_tree *t = f->tree;
	struct bfo_composite_member m;
	struct bfo_inode rec = { .ino = t->first_member + t->members.n, .name = BFO_NONE };
	uint64_t blocks;
	errcode_t err;

	bfo_composite_member(&x->c, i, &m);
	blocks = (m.bytes + t->block_size - 1) / t->block_size;
	rec.mode = S_IFREG | m.attrs.mode;
	rec.size = m.bytes;
	rec.generation = m.attrs.generation;
	rec.links_read = m.names;
	err = add_ea(f, x, &m, raw, &rec.ea);
	if (!err && blocks)
		err = bfo_tree_add_seg(t, &rec, (struct bfo_seg) { .blk = *place, .len = blocks });
	if (!err)
		err = bfo_vec_push(&f->all->starts, *place);
	if (!err)
		err = bfo_vec_push(&t->members, (struct bfo_member_of) {
				   .at = m.at, .composite = x->row, .number = m.number });
	if (!err)
		err = bfo_vec_push(&t->inodes, rec);
	*place += blocks;
	return err ? err : add_names(f, x, &m, rec.ino);
}

static int by_place(const void *pa, const void *pb)
{
	const struct bfo_found_composite *a = *(struct bfo_found_composite *const *) pa;
	const struct bfo_found_composite *b = *(struct bfo_found_composite *const *) pb;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

/* Numbers are looked up in what there is now. */
static errcode_t renumber(struct bfo_tree *t)
{
	struct bfo_rank rank;
	errcode_t err = bfo_rank_init(&rank, t->rank.limit + t->members.n);
	size_t i;

	if (err)
		return err;
	for (i = 0; i < t->inodes.n; i++)
		bfo_rank_add(&rank, t->inodes.v[i].ino);
	bfo_rank_seal(&rank);
	bfo_rank_free(&t->rank);
	t->rank = rank;
	return 0;
}

static errcode_t add_all(struct find *f)
{
	struct bfo_composites *all = f->all;
	uint64_t place = BFO_PLACE_MEMORY;
	void *raw = malloc(f->source->inode_size);
	errcode_t err = raw ? 0 : ENOMEM;
	size_t i, k;

	qsort(all->v.v, all->v.n, sizeof(*all->v.v), by_place);
	f->tree->first_member = f->tree->rank.limit;
	for (i = 0; i < all->v.n && !err; i++) {
		struct bfo_found_composite *x = all->v.v[i];

		x->first = f->tree->members.n;
		for (k = 0; k < x->c.places.n && !err; k++)
			err = add_member(f, x, k, &place, raw);
		bfo_vec_free(&x->c.names);
	}
	free(raw);
	return err ? err : renumber(f->tree);
}

static errcode_t find_all(struct find *f)
{
	size_t i;
	errcode_t err = find_heads(f);

	if (err || !f->all->v.n)
		return err;
	find_names(f);
	err = find_tables(f);
	if (!err)
		err = refuse_clashes(f);
	if (!err)
		err = settle(f);
	if (err || !f->inos.n)
		return err;
	err = f->source->ops->inodes(f->source, f->inos.v, f->inos.n, take_owner, NULL, f);
	if (err)
		return err;
	for (i = 0; i < f->all->v.n; i++) {
		struct bfo_found_composite *x = f->all->v.v[i];

		if (bfo_seg_count(f->tree, record(f, x)))
			x->place = bfo_seg_of(f->tree, record(f, x), 0)->blk;
	}
	hide_names(f);
	return add_all(f);
}

errcode_t bfo_composites_find(struct bfo_composites *all, struct bfo_source *source,
			      struct bfo_tree *tree)
{
	struct find f = { .all = all, .source = source, .tree = tree };
	errcode_t err = find_all(&f);

	bfo_contents_free(&f.contents);
	bfo_vec_free(&f.inos);
	return err == ENOMEM ? bfo_fail(source->ctx, err, "reading composite files of %s",
					source->name) : err;
}
