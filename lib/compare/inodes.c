// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inodes.c - attributes, extended attributes, symlinks and hole maps of all pairs
 *
 *   pairs, by A's inode number ──> window ──┬── attrs.c    raw inode against raw inode
 *                                           ├── values.c   inode and block against both
 *                                           ├── symlink targets, inline data
 *                                           └── maps.c     (needs no reading)
 *
 * A window that is not large enough for all goes over A's tables once altogether, and over B's
 * once per window, or less: only what is wanted is read.  Attributes whose value has an inode of
 * its own are rare and read one by one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "compare/maps.h"
#include "compare/unread.h"
#include "compare/values.h"
#include "compare/window.h"
#include "gather/value_scan.h"
#include "tree/access.h"

#define I_BLOCK_BYTES ((uint32_t) sizeof(((struct ext2_inode *) 0)->i_block))
#define EA_VALUE_MAX (1U << 24)			/* as libext2fs allows in an EA inode */

struct turn {			/* a pair in the order in which it is looked at; sort key first */
	bfo_row row;		/* of A */
	uint32_t pair;
};

struct scan {
	struct bfo_compare *c;
	struct bfo_window window;
	BFO_VEC(struct turn) turns;
	bfo_xattrs values[2];
	char *content[2];	/* BFO_CONTENT_MAX each */
	const struct bfo_window_item *item;
	const struct bfo_inode *rec[2];
	struct bfo_diff diff;	/* of the pair being looked at: kind and details to be filled in */
};

static void found(struct scan *s, enum bfo_diff_kind kind)
{
	s->diff.kind = kind;
	bfo_compare_found(s->c, &s->diff);
}

/* What the scan accepted and is not so any more. */
static errcode_t changed(struct scan *s, int side)
{
	return bfo_fail(s->c->ctx, BFO_ET_CHANGED, "comparing inode %u of %s", s->rec[side]->ino,
			s->c->source[side]->name);
}

static void compare_attrs(struct scan *s)
{
	struct bfo_attrs attrs[2];
	uint32_t bits, kind;
	int side;

	for (side = 0; side < 2; side++)
		bfo_attrs_read(s->item->of[side].raw, s->c->source[side]->inode_size,
			       &attrs[side]);
	bits = bfo_attrs_compare(&attrs[0], &attrs[1]);
	if (S_ISLNK(attrs[0].mode) && (s->c->source[0]->unknown | s->c->source[1]->unknown) &
	    BFO_UNKNOWN_LINK_ATIME)
		bits &= ~BFO_DIFF_BIT(BFO_DIFF_ATIME);
	s->diff.attrs[0] = &attrs[0];
	s->diff.attrs[1] = &attrs[1];
	for (kind = BFO_DIFF_TYPE; kind <= BFO_DIFF_DEVICE; kind++)
		if (bits & BFO_DIFF_BIT(kind))
			found(s, kind);
	s->diff.attrs[0] = s->diff.attrs[1] = NULL;
}

/* ---- extended attributes ---- */

/* Those of REC in tree T, which has them as sets, and those sorted. */
static errcode_t set_of(const struct bfo_tree *t, const struct bfo_inode *rec, bfo_xattrs *set)
{
	const struct bfo_ea *ea;

	if (rec->ea == BFO_NONE)
		return 0;
	ea = &t->eas.v[rec->ea];
	return bfo_xattrs_unpack(set, t->sets.v + ea->at, ea->bytes);
}

static errcode_t read_values(struct scan *s, int side)
{
	const struct bfo_small *of = &s->item->of[side];
	const struct bfo_source *source = s->c->source[side];
	const struct bfo_tree *t = s->c->tree[side];
	bfo_xattrs *set = &s->values[side];
	errcode_t err = 0;

	set->n = 0;
	if (t->repacked)
		return set_of(t, s->rec[side], set);
	if (!(s->rec[side]->state & BFO_INODE_NO_XATTR))
		err = bfo_xattrs_of_inode(set, of->raw, source->inode_size);
	if (!err && of->ea)
		err = bfo_xattrs_of_block(set, of->ea, source->block_size);
	if (err == BFO_ET_DAMAGED)
		return changed(s, side);
	bfo_xattrs_sort(set);
	return err;
}

/* A value that stands in an inode of its own, to *HELD; NULL if it cannot be read. */
static errcode_t load_from_inode(struct scan *s, int side, const struct bfo_xattr *v, char **held)
{
	const struct bfo_tree *t = s->c->tree[side];
	bfo_row row = bfo_tree_find(t, v->inum);
	int unread = row == BFO_NONE ? bfo_ranges_contain(&t->unread, v->inum) :
		     bfo_unread_has(s->c, side, row, BFO_UNREAD_FILE);
	errcode_t err = 0;

	if (unread)
		return 0;
	if (row == BFO_NONE || t->inodes.v[row].state & BFO_INODE_BAD ||
	    !S_ISREG(t->inodes.v[row].mode) || v->size > EA_VALUE_MAX)
		return bfo_fail(s->c->ctx, BFO_ET_DAMAGED, "reading attribute inode %u of inode "
				"%u of %s", v->inum, s->rec[side]->ino,
				s->c->source[side]->name);
	*held = calloc(1, (size_t) v->size + s->c->source[side]->block_size);
	if (!*held)
		return bfo_fail(s->c->ctx, ENOMEM, "reading attribute inode %u", v->inum);
	err = bfo_value_read(s->c->source[side], t, &t->inodes.v[row], v->size, *held, &unread);
	if (unread) {
		free(*held);
		*held = NULL;
	}
	return err;
}

/*
 * The value of V (NULL: none); *HELD is what has to be freed afterwards.  *LOST: it cannot be read,
 * which is told, or it may be one that cannot, which was told.
 */
static errcode_t load_value(struct scan *s, int side, const struct bfo_xattr *v,
			    struct bfo_bytes *out, char **held, int *lost)
{
	errcode_t err;

	*out = (struct bfo_bytes) { 0 };
	if (!v) {
		*lost |= bfo_unread_has(s->c, side, s->c->pairs.v[s->item->pair].row[side],
					BFO_UNREAD_XATTR);
		return 0;
	}
	*out = (struct bfo_bytes) { .data = v->value, .len = v->size };
	if (!v->inum)
		return 0;
	err = load_from_inode(s, side, v, held);
	out->data = *held;
	if (err || *held)
		return err;
	*lost = 1;
	return bfo_tree_found(s->c->tree[side], BFO_UNREAD_XATTR, s->rec[side]->ino, 0);
}

/* How many bytes both begin with. */
static size_t common_bytes(const struct bfo_bytes v[2])
{
	const char *a = v[0].data, *b = v[1].data;
	size_t len = v[0].len < v[1].len ? v[0].len : v[1].len, i;

	for (i = 0; i < len && a[i] == b[i]; i++)
		;
	return i;
}

/* Reports two values that are not the same as KIND. */
static void compare_bytes(struct scan *s, enum bfo_diff_kind kind)
{
	const struct bfo_bytes *v = s->diff.value;

	s->diff.offset = common_bytes(v);
	if (!v[0].data != !v[1].data || v[0].len != v[1].len || s->diff.offset < v[0].len)
		found(s, kind);
}

static errcode_t compare_value(struct scan *s, const struct bfo_xattr *const v[2])
{
	char name[BFO_XATTR_NAME_MAX], *held[2] = { NULL, NULL };
	errcode_t err = 0;
	int side, lost = 0;

	for (side = 0; side < 2 && !err; side++)
		err = load_value(s, side, v[side], &s->diff.value[side], &held[side], &lost);
	s->diff.name.data = name;
	s->diff.name.len = bfo_xattr_name(v[0] ? v[0] : v[1], name);
	if (!err && !lost)
		compare_bytes(s, BFO_DIFF_XATTR);
	free(held[0]);
	free(held[1]);
	return err;
}

/* True for what is not an attribute but the tail of inline data. */
static int is_inline_data(const struct scan *s, int side, const struct bfo_xattr *v)
{
	return v && s->rec[side]->flags & EXT4_INLINE_DATA_FL &&
	       v == bfo_values_inline_data(&s->values[side]);
}

static errcode_t compare_values(struct scan *s)
{
	const struct bfo_xattr *v[2];
	errcode_t err = 0;
	size_t i = 0, j = 0;
	int side;

	if ((s->rec[0]->state | s->rec[1]->state) & BFO_INODE_NO_XATTR)
		return 0;		/* a finding */
	while (!err && bfo_values_next(&s->values[0], &s->values[1], &i, &j, &v[0], &v[1])) {
		for (side = 0; side < 2; side++)
			if (is_inline_data(s, side, v[side]))
				v[side] = NULL;
		if (v[0] || v[1])
			err = compare_value(s, v);
	}
	return err;
}

/* ---- what stands in inodes: symlinks, inline data ---- */

/* Puts together what of SIDE's inline data stands in i_block, and behind it. */
static errcode_t gather_inline(struct scan *s, int side, struct bfo_bytes *out)
{
	const struct ext2_inode *raw = (const void *) s->item->of[side].raw;
	const struct bfo_xattr *tail = bfo_values_inline_data(&s->values[side]);
	uint64_t size = s->rec[side]->size;
	uint32_t head = size < I_BLOCK_BYTES ? size : I_BLOCK_BYTES;

	if (size > BFO_CONTENT_MAX || size - head > (tail && tail->value ? tail->size : 0))
		return changed(s, side);
	memcpy(s->content[side], raw->i_block, head);
	if (size > head)
		memcpy(s->content[side] + head, tail->value, size - head);
	*out = (struct bfo_bytes) { .data = s->content[side], .len = size };
	return 0;
}

/* SIDE's content, from wherever it is. */
static errcode_t content_of(struct scan *s, int side, struct bfo_bytes *out)
{
	const struct bfo_inode *rec = s->rec[side];
	const struct bfo_small *of = &s->item->of[side];

	if (rec->flags & EXT4_INLINE_DATA_FL)
		return gather_inline(s, side, out);
	*out = (struct bfo_bytes) { .data = of->content ? of->content : "", .len = rec->size };
	if (rec->state & BFO_INODE_FAST)
		out->data = ((const struct ext2_inode *) (const void *) of->raw)->i_block;
	return 0;
}

static errcode_t compare_symlink(struct scan *s)
{
	errcode_t err = content_of(s, 0, &s->diff.value[0]);

	if (!err)
		err = content_of(s, 1, &s->diff.value[1]);
	if (!err)
		compare_bytes(s, BFO_DIFF_SYMLINK);
	return err;
}

/* Files of which at least one is inline: the other is not longer than it where it matters. */
static errcode_t compare_inline(struct scan *s)
{
	struct bfo_bytes v[2];
	size_t len, same;
	errcode_t err = content_of(s, 0, &v[0]);

	if (!err)
		err = content_of(s, 1, &v[1]);
	if (err)
		return err;
	len = v[0].len < v[1].len ? v[0].len : v[1].len;
	err = bfo_unread_compare(s->c, s->item->pair, 0, v[0].data, v[1].data, len, &same);
	s->diff.offset = same;
	if (!err && same < len)
		found(s, BFO_DIFF_DATA);
	return err;
}

/* ---- hole maps ---- */

static uint32_t unit_of(const struct bfo_compare *c)
{
	uint32_t a = c->source[0]->block_size, b = c->source[1]->block_size;

	return a > b ? a : b;
}

/* SIDE's map; inline data, for which SEG has room, is data. */
static struct bfo_map map_of(const struct scan *s, int side, struct bfo_seg *seg)
{
	const struct bfo_inode *rec = s->rec[side];
	uint32_t bs = s->c->source[side]->block_size;
	struct bfo_map map = { .ratio = unit_of(s->c) / bs };

	if (!bfo_is_inline(rec)) {
		map.n = bfo_seg_count(s->c->tree[side], rec);
		map.seg = bfo_seg_of(s->c->tree[side], rec, 0);
	} else if (rec->size) {
		*seg = (struct bfo_seg) { .len = (rec->size + bs - 1) / bs };
		map.n = 1;
		map.seg = seg;
	}
	return map;
}

static void compare_maps(struct scan *s)
{
	struct bfo_seg seg[2];
	uint64_t unit = 0, known;

	while (bfo_maps_differ(map_of(s, 0, &seg[0]), map_of(s, 1, &seg[1]), &unit)) {
		known = bfo_unread_skip(s->c, s->item->pair, unit, unit_of(s->c));
		if (known == unit) {
			s->diff.offset = unit * unit_of(s->c);
			found(s, BFO_DIFF_HOLES);
			return;
		}
		unit = known;
	}
}

/* ---- all of it ---- */

static errcode_t compare_item(struct scan *s, const struct bfo_window_item *item)
{
	errcode_t err = 0;
	int side;

	s->item = item;
	s->diff = (struct bfo_diff) { .pair = item->pair };
	for (side = 0; side < 2 && !err; side++) {
		s->rec[side] = bfo_pair_inode(s->c, item->pair, side);
		s->diff.ino[side] = bfo_tree_shown_ino(s->c->tree[side],
						       s->rec[side]->ino);
		err = read_values(s, side);
	}
	if (err)
		return err;
	compare_attrs(s);
	err = compare_values(s);
	if (err || (s->rec[0]->mode ^ s->rec[1]->mode) & S_IFMT)
		return err;
	if (S_ISLNK(s->rec[0]->mode))
		return compare_symlink(s);
	if (!S_ISREG(s->rec[0]->mode))
		return 0;
	compare_maps(s);
	return bfo_is_inline(s->rec[0]) || bfo_is_inline(s->rec[1]) ? compare_inline(s) : 0;
}

static errcode_t compare_window(struct scan *s)
{
	errcode_t err = bfo_window_load(&s->window);
	size_t i;

	for (i = 0; i < s->window.items.n && !err; i++)
		err = compare_item(s, &s->window.items.v[i]);
	bfo_window_clear(&s->window);
	return err;
}

static errcode_t list_turns(struct scan *s)
{
	errcode_t err = 0;
	uint32_t i;

	for (i = 0; i < s->c->pairs.n && !err; i++)
		if (bfo_pair_is_sound(s->c, i))
			err = bfo_vec_push(&s->turns, (struct turn) { .pair = i,
					   .row = s->c->pairs.v[i].row[0] });
	bfo_sort(s->turns.v, s->turns.n, sizeof(*s->turns.v), 2);
	return err;
}

static errcode_t run(struct scan *s)
{
	errcode_t err = list_turns(s);
	size_t i;

	for (i = 0; i < s->turns.n && !err; i++) {
		if (!bfo_window_fits(&s->window, s->turns.v[i].pair)) {
			err = compare_window(s);
			bfo_progress_report(s->c->ctx, BFO_STAGE_COMPARE, i, s->turns.n, 0);
		}
		if (!err)
			err = bfo_window_add(&s->window, s->turns.v[i].pair);
	}
	return err ? err : compare_window(s);
}

errcode_t bfo_compare_inodes(struct bfo_compare *c)
{
	struct scan s = { .c = c };
	errcode_t err = bfo_window_init(&s.window, c);
	int side;

	bfo_progress_report(c->ctx, BFO_STAGE_COMPARE, 0, 0, 0);
	for (side = 0; side < 2 && !err; side++) {
		s.content[side] = malloc(BFO_CONTENT_MAX);
		if (!s.content[side])
			err = bfo_fail(c->ctx, ENOMEM, "comparing inodes");
	}
	if (!err)
		err = run(&s);
	bfo_window_free(&s.window);
	bfo_vec_free(&s.turns);
	for (side = 0; side < 2; side++) {
		bfo_vec_free(&s.values[side]);
		free(s.content[side]);
	}
	return err;
}
