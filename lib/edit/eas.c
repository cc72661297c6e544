// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * eas.c - extended attributes of drafts
 *
 *   raw, block ── load ── set ── change ── sort, split ── store ── raw, new block
 *
 * The set points into copies, as the places it came from are written again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "edit/content.h"
#include "edit/eas.h"
#include "edit/value_make.h"
#include "gather/inode_check.h"
#include "intake/xattr_names.h"
#include "plan/inline.h"
#include "tree/acl.h"

#define MOST_BYTES 65536U		/* of a value, as Linux takes them (XATTR_SIZE_MAX) */

struct work {
	struct bfo_edit *e;
	struct bfo_draft *n;
	char *raw, *block;		/* copies; block: NULL if there is none */
	bfo_xattrs set;
	BFO_VEC(uint8_t) inside;
	bfo_chars values;		/* access control lists as they are stored */
	uint64_t charge;		/* blocks of values in inodes of their own, before */
	int may_move;			/* values may get inodes of their own */
};

static void release(struct work *w)
{
	free(w->raw);
	free(w->block);
	bfo_vec_free(&w->set);
	bfo_vec_free(&w->inside);
	bfo_vec_free(&w->values);
}

static uint64_t live_block(const struct bfo_draft *n)
{
	return bfo_inode_ea_block((const struct ext2_inode *) n->raw);
}

static errcode_t load_block(struct work *w)
{
	uint64_t blk = live_block(w->n);
	const void *data = w->n->ea;
	errcode_t err = 0;

	if (!data && !blk)
		return 0;
	if (!data && !bfo_volume_contains(w->e->vol, blk, 1))
		return BFO_ET_DAMAGED;
	if (!data)
		err = bfo_windows_block(&w->e->windows, blk, &data);
	if (!err && !w->n->ea && !bfo_ea_block_ok(w->e->vol, data, blk))
		err = BFO_ET_DAMAGED;
	if (err)
		return err;
	w->block = malloc(w->e->vol->block_size);
	if (!w->block)
		return ENOMEM;
	memcpy(w->block, data, w->e->vol->block_size);
	return bfo_xattrs_of_block(&w->set, w->block, w->e->vol->block_size);
}

/* Blocks that i_blocks counts for values in inodes of their own. */
static uint64_t charge_of(const struct work *w)
{
	uint64_t cluster = w->e->shape.cluster_blocks, sum = 0;
	uint64_t bytes = cluster * w->e->vol->block_size;
	size_t i;

	for (i = 0; i < w->set.n; i++)
		if (w->set.v[i].inum)
			sum += (w->set.v[i].size + bytes - 1) / bytes * cluster;
	return sum;
}

static errcode_t load(struct work *w, struct bfo_edit *e, struct bfo_draft *n)
{
	errcode_t err = 0;

	*w = (struct work) { .e = e, .n = n, .raw = malloc(e->vol->inode_size) };
	if (!w->raw)
		return ENOMEM;
	memcpy(w->raw, n->raw, e->vol->inode_size);
	if (e->vol->inode_size > EXT2_GOOD_OLD_INODE_SIZE)
		err = bfo_xattrs_of_inode(&w->set, w->raw, e->vol->inode_size);
	if (!err)
		err = load_block(w);
	w->charge = charge_of(w);
	return err ? bfo_fail(e->ctx, err, "reading attributes of inode %u of %s", n->ino,
			      e->vol->spec) : 0;
}

/* Are the attributes outside of the inode those of the block that there is? */
static int keeps_block(const struct work *w, const char *image)
{
	struct ext2_ext_attr_header a, b;
	size_t head = sizeof(a);

	if (!w->block || w->n->ea)
		return 0;
	memcpy(&a, w->block, head);
	memcpy(&b, image, head);
	return a.h_hash == b.h_hash &&
	       !memcmp(w->block + head, image + head, w->e->vol->block_size - head);
}

/* The block becomes IMAGE, which is taken over; NULL: none. */
static errcode_t replace_block(struct work *w, char *image)
{
	struct bfo_draft *n = w->n;
	uint64_t had = w->block ? w->e->shape.cluster_blocks : 0;
	uint64_t has = image ? w->e->shape.cluster_blocks : 0;
	errcode_t err = bfo_vec_reserve(&w->e->released, 1);

	if (!err)
		err = bfo_draft_set_blocks(w->e, n, bfo_draft_blocks(w->e, n) - had + has);
	if (err) {
		free(image);
		return err;
	}
	if (live_block(n))
		w->e->released.v[w->e->released.n++] = live_block(n);
	n->raw->i_file_acl = 0;
	n->raw->osd2.linux2.l_i_file_acl_high = 0;
	free(n->ea);
	n->ea = image;
	return 0;
}

/* ---- values that move to inodes of their own ---- */

#define MOVING UINT32_MAX		/* inum of a value that is going to */

/* The attribute with the largest value that can still move; or set.n. */
static size_t largest(const bfo_xattrs *set)
{
	size_t i, found = set->n;

	for (i = 0; i < set->n; i++)
		if (!set->v[i].inum && set->v[i].size && !bfo_xattr_is_data(&set->v[i]) &&
		    (found == set->n || set->v[i].size > set->v[found].size))
			found = i;
	return found;
}

static errcode_t move_values(struct work *w)
{
	errcode_t err = 0;
	uint32_t hash;
	size_t i;

	for (i = 0; i < w->set.n && !err; i++) {
		struct bfo_xattr *x = &w->set.v[i];

		if (x->inum != MOVING || !x->value)	/* (damage may say that number, too) */
			continue;
		err = bfo_value_make(w->e, x->value, x->size, &x->inum, &hash);
		x->hash = bfo_xattr_hash(x, hash, 0);
		x->value = NULL;
	}
	return err;
}

/*
 * Where attributes go, as bfo_xattrs_split() says it: *OUTSIDE.  The largest values that do not
 * fit move to inodes of their own, if they may.
 */
static errcode_t split(struct work *w, int *outside)
{
	uint32_t bs = w->e->vol->block_size;
	uint32_t room = bfo_xattrs_inode_room(w->raw, w->e->vol->inode_size);
	errcode_t err;
	size_t i;

	bfo_xattrs_sort(&w->set);
	err = bfo_vec_reserve(&w->inside, w->set.n + 1);
	if (err)
		return err;
	while ((*outside = bfo_xattrs_split(&w->set, room, bs, w->inside.v)) < 0) {
		i = w->may_move ? largest(&w->set) : w->set.n;
		if (i == w->set.n)
			break;
		w->set.v[i].inum = MOVING;
	}
	return *outside < 0 ? 0 : move_values(w);
}

/* ---- storing ---- */

/* Writes the set, sorted, where it fits: *FITS; else nothing has changed.  DRY: nor has it then. */
static errcode_t store(struct work *w, int dry, int *fits)
{
	uint32_t bs = w->e->vol->block_size, size = w->e->vol->inode_size;
	char *image = NULL;
	int outside;
	errcode_t err = split(w, &outside);

	if (err)
		return err;
	*fits = outside >= 0;
	if (!*fits || dry)
		return 0;
	w->n->gives_no_acl = 0;
	if (outside) {
		image = malloc(bs);
		if (!image)
			return ENOMEM;
		bfo_xattrs_put_block(&w->set, w->inside.v, image, bs);
	}
	if (image && keeps_block(w, image))
		free(image);
	else if (image || w->block)
		err = replace_block(w, image);
	if (!err)
		err = bfo_draft_set_blocks(w->e, w->n, bfo_draft_blocks(w->e, w->n) - w->charge +
					   charge_of(w));
	if (!err && size > EXT2_GOOD_OLD_INODE_SIZE)
		bfo_xattrs_put_inode(&w->set, w->inside.v, w->n->raw, size);
	return err;
}

/* What ERR of storing comes to, which FITS. */
static errcode_t stored(struct bfo_edit *e, errcode_t err, int fits)
{
	return err || fits ? err : bfo_fail(e->ctx, BFO_ET_XATTR_ROOM, "inode and block have no "
					    "room for its attributes");
}

static void drop(bfo_xattrs *set, size_t i)
{
	memmove(set->v + i, set->v + i + 1, (set->n - i - 1) * sizeof(*set->v));
	set->n--;
}

/* Puts X into the set, in place of what has its name; without a value that only goes. */
static errcode_t put(struct work *w, const struct bfo_xattr *x, int goes)
{
	size_t i;

	for (i = w->set.n; i--; )
		if (!bfo_xattr_compare(&w->set.v[i], x))
			drop(&w->set, i);
	return goes ? 0 : bfo_vec_push(&w->set, *x);
}

/* ---- values ---- */

/* The value of X becomes bytes of LIST, if it stands in an inode of its own. */
static errcode_t fetch(struct work *w, struct bfo_xattr *x, bfo_chars *list)
{
	struct bfo_draft *value;
	errcode_t err;

	if (!x->inum)
		return 0;
	err = bfo_draft_get(w->e, x->inum, &value);
	if (!err && (!bfo_draft_is_value(value) || bfo_draft_size(value) != x->size ||
		     x->size > MOST_BYTES))
		err = bfo_fail(w->e->ctx, BFO_ET_DAMAGED, "reading attributes of inode %u of %s",
			       w->n->ino, w->e->vol->spec);
	if (!err)
		err = bfo_vec_reserve(list, x->size);
	if (!err)
		err = bfo_draft_read(w->e, value, 0, list->v, x->size);
	x->value = list->v;
	x->inum = 0;
	w->may_move = 1;
	return err;
}

errcode_t bfo_draft_each_xattr(struct bfo_edit *e, struct bfo_draft *n,
			       errcode_t (*take)(void *priv, const struct bfo_xattr *x),
			       void *priv)
{
	bfo_chars value = { 0 };
	struct work w;
	errcode_t err;
	size_t i;

	if (!bfo_inode_has_xattrs(e->vol, n->raw) && !n->ea)
		return 0;
	err = load(&w, e, n);
	if (!err)
		bfo_xattrs_sort(&w.set);
	for (i = 0; i < w.set.n && !err; i++) {
		if (bfo_xattr_is_data(&w.set.v[i]))
			continue;
		err = fetch(&w, &w.set.v[i], &value);
		if (!err)
			err = take(priv, &w.set.v[i]);
	}
	release(&w);
	bfo_vec_free(&value);
	return err;
}

/* ---- access control lists ---- */

static errcode_t change_acl(struct work *w, const struct bfo_edit_xattr *x, struct bfo_xattr *to)
{
	size_t at = w->values.n;
	errcode_t err = bfo_acl_from_xattr(x->value, x->len, &w->values);
	uint32_t mode = bfo_draft_mode(w->n);

	if (S_ISLNK(mode) || (to->name_index == BFO_XATTR_ACL_DEFAULT && !S_ISDIR(mode)))
		return bfo_fail(w->e->ctx, BFO_ET_BAD_PATH, "%s cannot be of such a file",
				x->name);
	if (err == BFO_ET_DAMAGED)
		return bfo_fail(w->e->ctx, BFO_ET_BAD_PATH, "%s would be no access control list",
				x->name);
	if (err)
		return err;
	to->size = w->values.n - at;
	if (to->name_index == BFO_XATTR_ACL_ACCESS && to->size) {
		mode = bfo_acl_shown(w->values.v + at, to->size, mode);
		w->n->raw->i_mode = to_le16(mode);
	}
	if (to->name_index == BFO_XATTR_ACL_ACCESS && bfo_acl_is_mode(to->size))
		to->size = 0;
	to->value = (void *) at;		/* a place, while `values` may move */
	return put(w, to, !to->size);
}

static errcode_t change_one(struct work *w, const struct bfo_edit_xattr *x)
{
	struct bfo_xattr to = { .value = x->value, .size = x->len };

	if (!bfo_xattr_split_name(x->name, &to.name_index, &to.name))
		return bfo_fail(w->e->ctx, BFO_ET_BAD_PATH, "%s can be no attribute", x->name);
	to.name_len = strlen(to.name);
	if (x->value && x->len > MOST_BYTES)
		return bfo_fail(w->e->ctx, BFO_ET_BAD_PATH, "%s would have more than %u bytes",
				x->name, MOST_BYTES);
	if (x->value && bfo_xattr_is_acl(&to))
		return change_acl(w, x, &to);
	return put(w, &to, !x->value);
}

errcode_t bfo_draft_set_xattrs(struct bfo_edit *e, struct bfo_draft *n,
			      const struct bfo_edit_xattr *list, size_t count)
{
	uint16_t mode = n->raw->i_mode;
	struct work w;
	errcode_t err = load(&w, e, n);
	size_t i;
	int fits = 1;

	w.may_move = e->shape.has_ea_inode;
	/* values of lists are not to move once the set points to them */
	for (i = 0; i < count && !err; i++)
		err = bfo_vec_reserve(&w.values, w.values.n + 2 * list[i].len + 64);
	for (i = 0; i < count && !err; i++)
		err = change_one(&w, &list[i]);
	for (i = 0; i < w.set.n && !err; i++)
		if (bfo_xattr_is_acl(&w.set.v[i]) && (uintptr_t) w.set.v[i].value < w.values.n)
			w.set.v[i].value = w.values.v + (uintptr_t) w.set.v[i].value;
	if (!err)
		err = store(&w, 0, &fits);
	err = stored(e, err, fits);
	if (err)
		n->raw->i_mode = mode;
	release(&w);
	return err;
}

errcode_t bfo_draft_follow_mode(struct bfo_edit *e, struct bfo_draft *n)
{
	bfo_chars list = { 0 };
	struct work w;
	errcode_t err;
	int fits = 1, found = 0;
	size_t i;

	if (!bfo_inode_has_xattrs(e->vol, n->raw) && !n->ea)
		return 0;
	err = load(&w, e, n);
	for (i = 0; i < w.set.n && !err; i++) {
		struct bfo_xattr *x = &w.set.v[i];

		if (x->name_index != BFO_XATTR_ACL_ACCESS || !bfo_xattr_is_acl(x))
			continue;
		err = fetch(&w, x, &list);
		if (!err)
			bfo_acl_follow((char *) x->value, x->size, bfo_draft_mode(n));
		found = 1;
	}
	if (!err && found)
		err = store(&w, 0, &fits);
	release(&w);
	bfo_vec_free(&list);
	return stored(e, err, fits);
}

/* The default access control list of DIR, appended to LIST: stored, and checked; nothing: none. */
static errcode_t default_acl(struct bfo_edit *e, struct bfo_draft *dir, bfo_chars *list)
{
	bfo_chars seen = { 0 }, stored = { 0 };
	struct work w;
	errcode_t err = load(&w, e, dir);
	size_t i;

	for (i = 0; i < w.set.n && !err; i++) {
		struct bfo_xattr *x = &w.set.v[i];

		if (x->name_index != BFO_XATTR_ACL_DEFAULT || !bfo_xattr_is_acl(x))
			continue;
		err = fetch(&w, x, &stored);
		if (!err)
			err = bfo_acl_to_xattr(x->value, x->size, &seen);
		if (!err)
			err = bfo_acl_from_xattr(seen.v, seen.n, list);
		break;
	}
	release(&w);
	bfo_vec_free(&seen);
	bfo_vec_free(&stored);
	return err != BFO_ET_DAMAGED ? err :
	       bfo_fail(e->ctx, err, "reading the default access control list of inode %u of %s",
			dir->ino, e->vol->spec);
}

errcode_t bfo_draft_inherit_acl(struct bfo_edit *e, struct bfo_draft *dir, struct bfo_draft *n)
{
	struct bfo_xattr access = { .name_index = BFO_XATTR_ACL_ACCESS, .name = "" };
	struct bfo_xattr later = { .name_index = BFO_XATTR_ACL_DEFAULT, .name = "" };
	uint32_t mode = bfo_draft_mode(n);
	bfo_chars list = { 0 };
	struct work w = { 0 };
	int fits = 1;
	errcode_t err;

	if (dir->gives_no_acl || (!bfo_inode_has_xattrs(e->vol, dir->raw) && !dir->ea))
		return 0;
	err = default_acl(e, dir, &list);
	dir->gives_no_acl = !err && !list.n;
	if (!err && list.n)
		err = load(&w, e, n);
	if (!err && list.n) {
		later.size = access.size = list.n;
		err = bfo_vec_reserve(&list, list.n);
		later.value = list.v + list.n;
		access.value = list.v;
	}
	if (!err && list.n && S_ISDIR(mode)) {
		memcpy(list.v + list.n, list.v, list.n);
		err = put(&w, &later, 0);
	}
	if (!err && list.n) {
		bfo_acl_created(list.v, list.n, &mode);
		n->raw->i_mode = to_le16(mode);
	}
	if (!err && list.n && !bfo_acl_is_mode(list.n))
		err = put(&w, &access, 0);
	w.may_move = e->shape.has_ea_inode;
	if (!err && list.n)
		err = store(&w, 0, &fits);
	release(&w);
	bfo_vec_free(&list);
	return stored(e, err, fits);
}

/* ---- contents in the inode ---- */

static errcode_t set_data(struct work *w, const char *data, size_t size)
{
	struct bfo_xattr x = { .name_index = BFO_XATTR_SYSTEM, .name_len = 4, .name = "data" };

	x.value = data && size > BFO_INLINE_HEAD ? data + BFO_INLINE_HEAD : "";
	x.size = size > BFO_INLINE_HEAD ? size - BFO_INLINE_HEAD : 0;
	return put(w, &x, 0);
}

errcode_t bfo_draft_put_inline(struct bfo_edit *e, struct bfo_draft *n, const void *data,
			      size_t size, int *fits)
{
	struct ext2_inode_large *raw = n->raw;
	struct work w;
	errcode_t err = load(&w, e, n);
	int room = 0;

	if (!err)
		err = set_data(&w, data, size);
	if (!err)
		err = store(&w, !data, &room);
	release(&w);
	if (fits)
		*fits = !err && room;
	if (err || !room || !data)
		return err;
	memset(raw->i_block, 0, BFO_INLINE_HEAD);
	memcpy(raw->i_block, data, size < BFO_INLINE_HEAD ? size : BFO_INLINE_HEAD);
	raw->i_flags &= to_le32(~EXT4_EXTENTS_FL);
	raw->i_flags |= to_le32(EXT4_INLINE_DATA_FL);
	n->is_remapped = 0;
	return 0;
}

errcode_t bfo_draft_leave_inode(struct bfo_edit *e, struct bfo_draft *n)
{
	struct bfo_xattr x = { .name_index = BFO_XATTR_SYSTEM, .name_len = 4, .name = "data" };
	struct work w;
	errcode_t err = load(&w, e, n);
	int fits;

	if (!err)
		err = put(&w, &x, 1);
	if (!err)
		err = store(&w, 0, &fits);
	release(&w);
	if (err)
		return err;
	n->raw->i_flags &= to_le32(~EXT4_INLINE_DATA_FL);
	memset(n->raw->i_block, 0, BFO_INLINE_HEAD);
	n->is_mapped = 1;
	n->is_remapped = 1;
	return 0;
}
