// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pack_found.c - composite files that a directory has: their tables, and their members
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "edit/content.h"
#include "edit/filemap.h"
#include "job/pack_state.h"

#define PLAIN_INODE 160U		/* bytes of a large inode before its attributes */
#define VALUE_BYTES 24U			/* of an attribute, beside name and value, at most */

const char *bfo_pack_found_path(struct bfo_pack_job *j, const struct bfo_pack_found *x)
{
	const struct bfo_pack_name *name = &j->names.v[x->name];

	return bfo_pack_path(j, x->dir, j->text.v + name->at, name->len);
}

errcode_t bfo_pack_found_refuse(struct bfo_pack_job *j, const struct bfo_pack_found *x,
				errcode_t err, const char *why)
{
	return bfo_fail(j->ctx, err, "reading composite file %s: %s", bfo_pack_found_path(j, x),
			why);
}

errcode_t bfo_pack_found_open(struct bfo_pack_job *j, struct bfo_pack_found *x)
{
	struct bfo_edit *e = &j->b->edit;
	struct bfo_composite_head head;
	uint8_t bytes[BFO_COMPOSITE_HEAD];
	const char *why;
	int is_new;
	errcode_t err = bfo_draft_read(e, x->n, 0, bytes, sizeof(bytes));

	if (err)
		return err;
	why = bfo_composite_get_head(bytes, bfo_draft_size(x->n), &head, &is_new);
	if (!why && bfo_draft_links(x->n) != 1)
		why = "it has other names";
	if (why)
		return bfo_pack_found_refuse(j, x, is_new ? BFO_ET_FEATURE : BFO_ET_DAMAGED, why);
	x->table = malloc((size_t) head.table_bytes + 1);
	if (!x->table)
		return ENOMEM;
	err = bfo_draft_read(e, x->n, head.table_at, x->table, head.table_bytes);
	if (!err)
		err = bfo_composite_open(&x->c, &head, x->table);
	return err == BFO_ET_DAMAGED && x->c.why ? bfo_pack_found_refuse(j, x, err, x->c.why) : err;
}

void bfo_pack_found_close(struct bfo_pack_found *x)
{
	bfo_composite_free(&x->c);
	memset(&x->c, 0, sizeof(x->c));
	bfo_vec_free(&x->segs);
	bfo_vec_free(&x->leaving);
	free(x->table);
	free(x->whole);
	x->table = NULL;
	x->whole = NULL;
}

int bfo_pack_wants_block(const struct bfo_pack_job *j, const struct bfo_composite_member *m)
{
	const uint8_t *at = m->first_xattr;
	uint64_t bytes = PLAIN_INODE;
	struct bfo_composite_xattr x;
	uint32_t i;

	for (i = 0; i < m->xattrs; i++) {
		bfo_composite_next_xattr(&at, &x);
		bytes += VALUE_BYTES + x.name_len + (uint64_t) x.len;
	}
	return m->xattrs && bytes > j->b->vol->inode_size;
}

/* ---- members, as files that stay members ---- */

/* The names of M, as those of a file of the directory. */
static errcode_t add_names(struct bfo_pack_job *j, const struct bfo_composite_member *m,
			   struct bfo_pack_file *f)
{
	const uint8_t *at = m->first_name;
	struct bfo_composite_name name;
	errcode_t err = 0;
	uint32_t i;

	f->name = j->names.n;
	f->names = m->names;
	for (i = 0; i < m->names && !err; i++) {
		bfo_composite_next_name(&at, &name);
		err = bfo_vec_reserve(&j->text, name.len);
		if (err)
			break;
		memcpy(j->text.v + j->text.n, name.name, name.len);
		err = bfo_vec_push(&j->names, (struct bfo_pack_name) { .at = j->text.n,
				   .len = name.len, .type = EXT2_FT_REG_FILE });
		j->text.n += name.len;
		f->table += bfo_composite_name_bytes(name.len);
	}
	return err;
}

static errcode_t add_member(struct bfo_pack_job *j, size_t from, size_t i)
{
	const struct bfo_pack_found *x = &j->found.v[from];
	struct bfo_pack_file f = { .from = from, .member = i, .table = BFO_COMPOSITE_RECORD_MOST,
				   .uid = bfo_draft_uid(x->n), .gid = bfo_draft_gid(x->n),
				   .project = bfo_draft_project(&j->b->edit, x->n) };
	struct bfo_composite_member m;
	struct bfo_composite_xattr a;
	const uint8_t *at;
	errcode_t err;
	uint32_t k;

	bfo_composite_member(&x->c, i, &m);
	if (m.bytes > j->opt->max_size)
		return bfo_vec_push(&j->found.v[from].leaving, i);
	f.bytes = m.bytes;
	for (at = m.first_xattr, k = 0; k < m.xattrs; k++) {
		bfo_composite_next_xattr(&at, &a);
		f.table += bfo_composite_xattr_bytes(a.name_len, a.len);
	}
	err = add_names(j, &m, &f);
	if (err)
		return err;
	bfo_pack_order_find(j, &f);
	return bfo_vec_push(&j->files, f);
}

/* Where its contents lie, whatever becomes of the file. */
static errcode_t note_segs(struct bfo_pack_job *j, struct bfo_pack_found *x)
{
	struct bfo_edit *e = &j->b->edit;
	errcode_t err = 0;

	if (bfo_draft_is_inline(x->n)) {
		x->whole = malloc(bfo_draft_size(x->n) + 1);
		return x->whole ? bfo_draft_read(e, x->n, 0, x->whole, bfo_draft_size(x->n))
				: ENOMEM;
	}
	err = bfo_draft_map(e, x->n);
	if (!err)
		err = bfo_vec_reserve(&x->segs, x->n->segs.n + 1);
	if (err)
		return err;
	if (x->n->segs.n)
		memcpy(x->segs.v, x->n->segs.v, x->n->segs.n * sizeof(*x->segs.v));
	x->segs.n = x->n->segs.n;
	return 0;
}

errcode_t bfo_pack_add_members(struct bfo_pack_job *j, size_t first)
{
	errcode_t err = 0;
	size_t k, i;

	for (k = first; k < j->found.n && !err; k++) {
		err = note_segs(j, &j->found.v[k]);
		for (i = 0; i < j->found.v[k].c.places.n && !err; i++)
			err = add_member(j, k, i);
	}
	return err;
}
