// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * catalog_end.c - all members have come: links to what came later, and what nobody leads to
 *
 *   names, rows ── follow links ── what does the root lead to? ── move up ──> a tree
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "base/text.h"
#include "intake/catalog_state.h"

/* ---- links to what came later ---- */

static errcode_t leads_nowhere(struct bfo_catalog *c, const struct bfo_name *n)
{
	char name[BFO_MEMBER_TEXT], target[BFO_MEMBER_TEXT];
	uint32_t place = n->minor - 1;

	bfo_text_escape(bfo_name_text(tree_of(c), n), bfo_name_len(n), name, sizeof(name));
	bfo_text_escape(c->targets.v + place + 4, get_le32(c->targets.v, place), target,
			sizeof(target));
	return bfo_fail(c->in->source.ctx, BFO_ET_DAMAGED,
			"reading %s: a member called %s is a hard link to %s, and that is no file",
			c->in->source.name, name, target);
}

static struct bfo_name *target_of(const struct bfo_catalog *c, const struct bfo_name *n)
{
	uint32_t place = n->minor - 1;
	int is_root;

	return bfo_catalog_look_up(c, c->targets.v + place + 4, get_le32(c->targets.v, place),
				   &is_root);
}

/* N, and all on its way, stand for what is at the end of it.  LEFT: links there can be. */
static errcode_t follow(struct bfo_catalog *c, struct bfo_name *n, size_t left)
{
	struct bfo_name *at = n, *next;
	bfo_row row;

	while (at && at->minor && left--)
		at = target_of(c, at);
	if (!at || at->minor || is_dir(c, current(c, bfo_name_draft(tree_of(c), at))))
		return leads_nowhere(c, n);
	row = bfo_name_draft(tree_of(c), at);
	for (at = n; at->minor; at = next) {
		next = target_of(c, at);
		bfo_name_set_draft(tree_of(c), at, row);
		at->minor = 0;
	}
	return 0;
}

/* ---- the end ---- */

/* IS_LIVE, a byte a row: what the root leads to.  A directory's name comes before those in it. */
static errcode_t find_live(struct bfo_catalog *c, uint8_t *is_live)
{
	struct bfo_tree *t = tree_of(c);
	errcode_t err = 0;
	size_t i;

	is_live[0] = 1;
	for (i = 0; i < t->names.n; i++) {
		struct bfo_name *n = &t->names.v[i];

		if (is_live[n->dir] && !n->minor)
			is_live[current(c, bfo_name_draft(t, n))] = 1;
	}
	for (i = 0; i < t->names.n && !err; i++) {
		struct bfo_name *n = &t->names.v[i];

		if (is_live[n->dir] && n->minor)
			err = follow(c, n, t->names.n);
		if (!err && is_live[n->dir])
			is_live[current(c, bfo_name_draft(t, n))] = 1;
	}
	return err;
}

/* Records that are live move up; ROWS becomes where each has gone, BFO_NONE: nowhere. */
static void move_rows(struct bfo_catalog *c, const uint8_t *is_live, bfo_row *rows)
{
	struct bfo_tree *t = tree_of(c);
	size_t i, n = 0, segs = 0;
	uint32_t count;

	for (i = 0; i < t->inodes.n; i++) {
		struct bfo_inode *rec = &t->inodes.v[i];

		rows[i] = is_live[i] ? n : BFO_NONE;
		if (!is_live[i])
			continue;
		count = bfo_seg_count(t, rec);
		if (count)
			memmove(&t->segs.v[segs], bfo_seg_of(t, rec, 0),
				count * sizeof(*t->segs.v));
		bfo_segs_set(t, rec, segs, count);
		segs += count;
		if (n != i) {
			t->inodes.v[n] = *rec;
			t->inodes.v[n].ino = BFO_INTAKE_FIRST + n - 1;
			memcpy(bfo_intake_raw(c->in, n), bfo_intake_raw(c->in, i),
			       sizeof(struct ext2_inode_large));
		}
		n++;
	}
	t->inodes.n = c->in->shelf.n = n;
	t->segs.n = segs;
}

static uint32_t number_of(bfo_row row)
{
	return row ? BFO_INTAKE_FIRST + row - 1 : EXT2_ROOT_INO;
}

static errcode_t misplaced(struct bfo_catalog *c, const struct bfo_name *n, const char *why)
{
	char name[BFO_MEMBER_TEXT];

	bfo_text_escape(bfo_name_text(tree_of(c), n), bfo_name_len(n), name, sizeof(name));
	return bfo_fail(c->in->source.ctx, BFO_ET_DAMAGED, "reading %s: the name %s %s",
			c->in->source.name, name, why);
}

/*
 * Name AT, in the form N, gets the bytes that it stands for, and their hashes.  Names of encrypted
 * directories do, and no others.
 */
static errcode_t unveil(struct bfo_catalog *c, uint32_t at, const struct bfo_inode *dir,
			struct bfo_name *n)
{
	size_t i = bfo_vec_lower(&c->secrets, name, at), bytes;
	int is_secret = i < c->secrets.n && c->secrets.v[i].name == at;
	struct bfo_tree *t = tree_of(c);
	const struct bfo_catalog_secret *s;
	errcode_t err;

	if (is_secret != !!(dir->flags & EXT4_ENCRYPT_FL))
		return misplaced(c, n, "is ciphertext, and its directory is not encrypted, or the "
				 "other way round");
	if (!is_secret)
		return 0;
	s = &c->secrets.v[i];
	if (s->has_hashes != bfo_dir_has_hashes(dir->flags))
		return misplaced(c, n, "has hashes, and its directory has none, or the other way "
				 "round");
	bytes = s->len + (s->has_hashes ? BFO_HASH_BYTES : 0);
	err = bfo_vec_reserve(&t->text, bytes);
	if (err)
		return bfo_fail(c->in->source.ctx, err, "reading %s", c->in->source.name);
	memcpy(t->text.v + t->text.n, c->secret_text.v + s->at, bytes);
	n->at = (uint64_t) t->text.n << 16 | s->len;
	t->text.n += bytes;
	return 0;
}

/* Names that are left lead to inode numbers, as they do in every tree. */
static errcode_t move_names(struct bfo_catalog *c, const bfo_row *rows)
{
	struct bfo_tree *t = tree_of(c);
	errcode_t err = 0;
	size_t i, n = 0;

	for (i = 0; i < t->names.n && !err; i++) {
		struct bfo_name name = t->names.v[i];
		bfo_row row = current(c, bfo_name_draft(t, &name));

		if (rows[name.dir] == BFO_NONE)
			continue;
		name.dir = rows[name.dir];
		err = unveil(c, i, &t->inodes.v[name.dir], &name);
		bfo_name_set_number(t, &name, number_of(rows[row]));
		name.hash = 0;
		name.at |= (uint64_t) bfo_dirent_type(t->inodes.v[rows[row]].mode) << 8;
		t->names.v[n++] = name;
	}
	t->names.n = n;
	return err;
}

static void move_findings(struct bfo_catalog *c, const bfo_row *rows)
{
	bfo_findings *f = &tree_of(c)->findings;
	size_t i, n = 0;

	for (i = 0; i < f->n; i++) {
		struct bfo_finding one = f->v[i];
		bfo_row row = bfo_intake_row(one.ino);

		if (rows[row] == BFO_NONE)
			continue;
		one.ino = number_of(rows[row]);
		f->v[n++] = one;
	}
	f->n = n;
}

errcode_t bfo_catalog_end(struct bfo_catalog *c)
{
	size_t n = tree_of(c)->inodes.n;
	uint8_t *is_live = calloc(n, 1);
	bfo_row *rows = malloc(n * sizeof(*rows));
	errcode_t err = is_live && rows ? find_live(c, is_live) : ENOMEM;

	if (err == ENOMEM)
		bfo_fail(c->in->source.ctx, err, "reading %s", c->in->source.name);
	if (!err) {
		move_rows(c, is_live, rows);
		err = move_names(c, rows);
	}
	if (!err) {
		move_findings(c, rows);
		err = bfo_intake_end(c->in);
	}
	free(is_live);
	free(rows);
	return err;
}
