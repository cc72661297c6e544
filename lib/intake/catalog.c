// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * catalog.c - members of an archive become a tree, by their paths
 *
 * What a later member replaces keeps its record, and nobody leads there any more.  A directory that
 * was replaced takes all below it along, because names are found by the row of their directory.  In
 * the end such names and records are dropped, and those that are left move up.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <linux/limits.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "intake/catalog_state.h"
#include "intake/member_path.h"
#include "intake/xattr_names.h"
#include "tree/acl.h"

#define POLICY_INDEX 9U		/* of attributes: EXT4_XATTR_INDEX_ENCRYPTION */

/* Flags that mean nothing without what stands elsewhere, of which only our own archives tell. */
#define FEATURES (EXT4_ENCRYPT_FL | EXT4_VERITY_FL | EXT4_CASEFOLD_FL)

static errcode_t refuse(struct bfo_catalog *c, const char *why)
{
	return bfo_members_fail(c->from, BFO_ET_DAMAGED, why);
}

static errcode_t no_memory(struct bfo_catalog *c, errcode_t err)
{
	return err ? bfo_members_fail(c->from, err, "its names") : 0;
}

/* ---- names ---- */

/* The name of LEN bytes in DIR, or NULL. */
static struct bfo_name *find(const struct bfo_catalog *c, bfo_row dir, const char *name, size_t len)
{
	return bfo_name_table_find(&c->names, tree_of(c), dir, name, len);
}

/* Name AT, new or not, as V brings it, stands for one that is ciphertext, or for itself. */
static errcode_t set_secret(struct bfo_catalog *c, uint32_t at, int is_new,
			    const struct bfo_member *v)
{
	size_t i = bfo_vec_lower(&c->secrets, name, at);
	struct bfo_catalog_secret one = { .name = at, .len = v->secret_len,
					  .at = c->secret_text.n, .has_hashes = v->has_hashes };
	errcode_t err;

	if (!v->secret_len)
		return 0;
	err = bfo_vec_reserve(&c->secret_text, v->secret_len + BFO_HASH_BYTES);
	if (!err && is_new)
		err = bfo_vec_push(&c->secrets, one);
	if (err)
		return no_memory(c, err);
	if (i == c->secrets.n || c->secrets.v[i].name != at)
		return refuse(c, "the name came before, and was no ciphertext");
	c->secrets.v[i] = one;
	memcpy(c->secret_text.v + one.at, v->secret, one.len);
	put_le32(c->secret_text.v, one.at + one.len, v->hash);
	put_le32(c->secret_text.v, one.at + one.len + 4, v->minor);
	c->secret_text.n += one.len + BFO_HASH_BYTES;
	return 0;
}

/* A name that was looked for. */
struct spot {
	struct bfo_name_key key;
	struct bfo_name *n;		/* NULL: there is none */
};

static struct spot spot_of(const struct bfo_catalog *c, bfo_row dir,
			   const struct bfo_member_path *w)
{
	struct spot s = { .key = bfo_name_key(&c->names, dir, w->name, w->len) };

	s.n = bfo_name_table_find_key(&c->names, tree_of(c), &s.key);
	return s;
}

/* What the name at S stands for; NO_ROW if there is none. */
static bfo_row row_at(const struct bfo_catalog *c, const struct spot *s)
{
	return s->n ? current(c, bfo_name_draft(tree_of(c), s->n)) : NO_ROW;
}

/*
 * The name at S, to which none has come since, stands for ROW from now on; it is made if there is
 * none.  V: NULL if implied.
 */
static errcode_t set_name(struct bfo_catalog *c, const struct spot *s, bfo_row row,
			  uint32_t target, const struct bfo_member *v)
{
	struct bfo_name *n = s->n;
	int is_new = !n;
	errcode_t err = 0;

	if (is_new) {
		struct bfo_tree *t = tree_of(c);

		err = bfo_tree_add_name(t, s->key.dir, 0, 0, s->key.name, s->key.len);
		if (!err)
			err = bfo_name_table_add_hash(&c->names, t, t->names.n - 1, s->key.hash);
		if (err)
			return no_memory(c, err);
		n = &t->names.v[t->names.n - 1];
	}
	bfo_name_set_draft(tree_of(c), n, row);
	n->minor = target;
	return v ? set_secret(c, n - tree_of(c)->names.v, is_new, v) : 0;
}

/* ---- rows ---- */

/* From now on all names of OLD are names of ROW. */
static errcode_t replace(struct bfo_catalog *c, bfo_row old, bfo_row row)
{
	errcode_t err = 0;

	while (!err && c->instead.n <= old)
		err = bfo_vec_push(&c->instead, (bfo_row) c->instead.n);
	if (err)
		return no_memory(c, err);
	c->instead.v[old] = row;
	return 0;
}

/* ---- paths ---- */

static errcode_t make_implied(struct bfo_catalog *c, const struct spot *s, bfo_row *row)
{
	errcode_t err = bfo_intake_inode(c->in, &c->made, NULL, row);

	return err ? err : set_name(c, s, *row, 0, NULL);
}

/*
 * Goes down the path W, and leaves its last component in it; DIR is the directory of that.  LEN 0:
 * the path is the root's.
 */
static errcode_t descend(struct bfo_catalog *c, struct bfo_member_path *w, bfo_row *dir)
{
	const char *why = bfo_member_path_step(w);
	errcode_t err = 0;

	*dir = 0;
	while (!why && !err && w->len && !bfo_member_path_is_last(w)) {
		const struct spot s = spot_of(c, *dir, w);
		bfo_row row = row_at(c, &s);

		if (!s.n)
			err = make_implied(c, &s, &row);
		else if (!is_dir(c, row))
			why = "it lies below what is no directory";
		*dir = row;
		if (!why && !err)
			why = bfo_member_path_step(w);
	}
	return why ? refuse(c, why) : err;
}

/* The name that PATH leads to, or NULL: there is none, or it is the root's (*IS_ROOT). */
struct bfo_name *bfo_catalog_look_up(const struct bfo_catalog *c, const char *path, size_t len,
				     int *is_root)
{
	struct bfo_member_path w = { .at = path, .end = path + len };
	struct bfo_name *n = NULL;
	bfo_row row = 0;

	w.at = bfo_member_path_strip(w.at, w.end, c->strip);
	for (;;) {
		if (bfo_member_path_step(&w))
			return NULL;
		*is_root = !n;
		if (!w.len)
			return n;
		*is_root = 0;
		n = is_dir(c, row) ? find(c, row, w.name, w.len) : NULL;
		if (!n)
			return NULL;
		row = n->minor ? NO_ROW : current(c, bfo_name_draft(tree_of(c), n));
	}
}

/* ---- attributes ---- */

/* One attribute, in the set as ext4 keeps it; what ext4 cannot keep is a finding. */
static errcode_t take_xattr(struct bfo_catalog *c, const struct bfo_member_xattr *x, int *lost)
{
	struct bfo_xattr mine = { .value = x->value, .size = x->size };
	size_t at = c->acls.n;
	const char *rest;
	errcode_t err;

	mine.name_index = x->index;
	rest = x->name;
	if (strlen(x->name) > XATTR_NAME_MAX ||
	    (!x->has_index && !bfo_xattr_split_name(x->name, &mine.name_index, &rest))) {
		*lost = 1;
		return 0;
	}
	mine.name = rest;
	mine.name_len = strlen(rest);
	if (mine.name_index == BFO_XATTR_ACL_ACCESS || mine.name_index == BFO_XATTR_ACL_DEFAULT) {
		err = bfo_acl_from_xattr(x->value, x->size, &c->acls);
		*lost |= err == BFO_ET_DAMAGED;
		if (err || c->acls.n == at)
			return err == BFO_ET_DAMAGED ? 0 : no_memory(c, err);
		/* the room was reserved, so none of these move */
		mine.value = c->acls.v + at;
		mine.size = c->acls.n - at;
	}
	return no_memory(c, bfo_vec_push(&c->set, mine));
}

/* c->set becomes the attributes of V. */
static errcode_t take_xattrs(struct bfo_catalog *c, const struct bfo_member *v, int *lost)
{
	const char *at = v->first;
	struct bfo_member_xattr x;
	errcode_t err;

	c->set.n = 0;
	c->acls.n = 0;
	*lost = 0;
	err = no_memory(c, bfo_vec_reserve(&c->acls, v->end - v->first));
	while (!err && bfo_member_next_xattr(v, &at, &x))
		err = take_xattr(c, &x, lost);
	return err;
}

static uint32_t meaningless(const struct bfo_member *v)
{
	return v->tells & BFO_TELLS_FEATURES ? 0 : FEATURES;
}

/* Times that the archive does not have are that of the last change of the content. */
static struct bfo_attrs attrs_of(const struct bfo_catalog *c, const struct bfo_member *v)
{
	struct bfo_attrs a = v->attrs;
	int i;

	if (!(v->times & 1 << BFO_MTIME))
		a.sec[BFO_MTIME] = c->made.sec[BFO_MTIME];
	for (i = 0; i < BFO_TIMES; i++) {
		if (i != BFO_MTIME && !(v->times & 1 << i)) {
			a.sec[i] = a.sec[BFO_MTIME];
			a.nsec[i] = a.nsec[BFO_MTIME];
		}
	}
	/* one of ours has them all, but what was never born */
	a.has_crtime = !v->tells || v->times & 1 << BFO_CRTIME;
	if (!a.has_crtime)
		a.sec[BFO_CRTIME] = a.nsec[BFO_CRTIME] = 0;
	if (S_ISLNK(a.mode))
		a.size = v->target_len;
	a.flags &= ~meaningless(v);
	return a;
}

/* What could not be kept of V, which is the inode of ROW. */
static errcode_t note_findings(struct bfo_catalog *c, const struct bfo_member *v, bfo_row row,
			       int lost, int out_of_time)
{
	struct bfo_tree *t = tree_of(c);
	uint32_t ino = t->inodes.v[row].ino;
	errcode_t err = 0;

	if (v->attrs.flags & meaningless(v))
		err = bfo_tree_found(t, BFO_FOUND_FEATURE, ino, 0);
	if (!err && lost)
		err = bfo_tree_found(t, BFO_FOUND_XATTR_NAME, ino, 0);
	if (!err && out_of_time)
		err = bfo_tree_found(t, BFO_FOUND_TIME, ino, 0);
	return no_memory(c, err);
}

/* What is the same in all of a tree, as it comes from one volume. */
static errcode_t take_features(struct bfo_catalog *c, const struct bfo_member *v)
{
	struct bfo_tree *t = tree_of(c);
	uint32_t bytes = v->home_block_size;

	if (v->encoding && t->encoding && v->encoding != t->encoding)
		return refuse(c, "directories before it are casefolded by another encoding");
	if (bytes && t->home_block_size && bytes != t->home_block_size)
		return refuse(c, "files before it were on blocks of another size");
	t->encoding = v->encoding ? v->encoding : t->encoding;
	t->home_block_size = bytes ? bytes : t->home_block_size;
	return 0;
}

/* Without a policy, of a length that its version has, nobody could decrypt it (inode_check.c). */
static int has_policy(const bfo_xattrs *set)
{
	size_t i;

	for (i = 0; i < set->n; i++) {
		const struct bfo_xattr *x = &set->v[i];

		if (x->name_index == POLICY_INDEX && x->name_len == 1 && *x->name == 'c' && x->size)
			return *(const char *) x->value == 1 ? x->size == 28 :
			       *(const char *) x->value == 2 ? x->size == 40 : 1;
	}
	return 0;
}

/* An inode for V: a new one, or *ROW, if that is a directory as V is. */
static errcode_t put_inode(struct bfo_catalog *c, const struct bfo_member *v, bfo_row *row)
{
	struct bfo_attrs a = attrs_of(c, v);
	uint64_t out_of_time = c->in->out_of_time;
	errcode_t err;
	int lost;

	if (v->is_link)
		a.mode = (a.mode & 07777) | S_IFREG;
	err = take_features(c, v);
	if (!err)
		err = take_xattrs(c, v, &lost);
	if (err)
		return err;
	if (a.flags & EXT4_ENCRYPT_FL && !has_policy(&c->set))
		return refuse(c, "it is encrypted, and no policy says how");
	if (S_ISDIR(a.mode) && is_dir(c, *row))
		err = bfo_intake_change(c->in, *row, &a, &c->set);
	else
		err = bfo_intake_inode(c->in, &a, &c->set, row);
	if (!err && S_ISLNK(a.mode))
		err = bfo_intake_content(c->in, v->target, v->target_len);
	if (err == BFO_ET_DAMAGED)
		return bfo_fail_add(c->in->source.ctx, err, " (member %s at byte %llu)",
				    c->from->path, (unsigned long long) c->from->byte);
	return err ? err : note_findings(c, v, *row, lost, c->in->out_of_time != out_of_time);
}

/* ---- members ---- */

static errcode_t add_target(struct bfo_catalog *c, const struct bfo_member *v, uint32_t *place)
{
	size_t at = c->targets.n;
	errcode_t err = bfo_vec_reserve(&c->targets, 4 + (size_t) v->target_len);

	if (!err && at >= UINT32_MAX - 4)
		err = BFO_ET_OVERFLOW;
	if (err)
		return no_memory(c, err);
	put_le32(c->targets.v, at, v->target_len);
	memcpy(c->targets.v + at + 4, v->target, v->target_len);
	c->targets.n += 4 + v->target_len;
	*place = at + 1;
	return 0;
}

/* The name at hand, in DIR, becomes a link. */
static errcode_t add_link(struct bfo_catalog *c, const struct bfo_member *v, bfo_row dir,
			  const struct bfo_member_path *w, bfo_row *row)
{
	int is_root = 0;
	const struct bfo_name *n = bfo_catalog_look_up(c, v->target, v->target_len, &is_root);
	const struct spot s = spot_of(c, dir, w);
	bfo_row old = n && !n->minor ? current(c, bfo_name_draft(tree_of(c), n)) : NO_ROW;
	uint32_t place = 0;
	errcode_t err = 0;

	if (is_root || is_dir(c, old))
		return refuse(c, "a hard link to a directory");
	if (old == NO_ROW && !v->attrs.size) {
		err = add_target(c, v, &place);
		return err ? err : set_name(c, &s, NO_ROW, place, v);
	}
	if (v->attrs.size) {
		err = put_inode(c, v, row);
		if (!err && old != NO_ROW)
			err = replace(c, old, *row);
		old = *row;
	}
	return err ? err : set_name(c, &s, old, 0, v);
}

errcode_t bfo_catalog_add(struct bfo_catalog *c, struct bfo_members *from,
			  const struct bfo_member *v, bfo_row *row)
{
	struct bfo_member_path w = { .end = v->path + v->path_len };
	struct spot s = { .n = NULL };
	bfo_row dir = 0, old = 0;
	errcode_t err;

	c->from = from;
	*row = BFO_NONE;
	w.at = bfo_member_path_strip(v->path, w.end, c->strip);
	if (c->strip && w.at == w.end)
		return 0;
	err = descend(c, &w, &dir);
	if (err)
		return err;
	if (!w.len && (v->is_link || !S_ISDIR(v->attrs.mode)))
		return refuse(c, "the root is no directory");
	if (v->is_link)
		return add_link(c, v, dir, &w, row);
	if (w.len) {
		s = spot_of(c, dir, &w);
		old = row_at(c, &s);
	}
	err = put_inode(c, v, &old);
	if (!err && w.len)
		err = set_name(c, &s, old, 0, v);
	if (!err && S_ISREG(v->attrs.mode))
		*row = old;
	return err;
}

errcode_t bfo_catalog_open(struct bfo_catalog **out, struct bfo_intake *in, unsigned int strip,
			   int64_t now)
{
	struct bfo_catalog *c = calloc(1, sizeof(*c));
	errcode_t err = c ? 0 : ENOMEM;
	bfo_row root;
	int i;

	*out = c;
	if (!err)
		err = bfo_name_table_init(&c->names);
	if (!err) {
		c->in = in;
		c->strip = strip;
		c->made = (struct bfo_attrs) { .mode = S_IFDIR | 0755, .has_crtime = 1 };
		for (i = 0; i < BFO_TIMES; i++)
			c->made.sec[i] = now;
	}
	if (err)
		return bfo_fail(in->source.ctx, err, "reading %s", in->source.name);
	return bfo_intake_inode(in, &c->made, NULL, &root);
}

void bfo_catalog_close(struct bfo_catalog *c)
{
	if (!c)
		return;
	bfo_name_table_free(&c->names);
	bfo_vec_free(&c->targets);
	bfo_vec_free(&c->instead);
	bfo_vec_free(&c->secrets);
	bfo_vec_free(&c->secret_text);
	bfo_vec_free(&c->set);
	bfo_vec_free(&c->acls);
	free(c);
}
