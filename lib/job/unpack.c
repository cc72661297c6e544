// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unpack.c - members of composite files become files again
 *
 *   names of a directory ── immutable files that begin as composite files ── table: sound?
 *   member ── content: is it what its checksum says? ── a new file, with its attributes
 *          ── all of a composite file: their names come, its name goes
 *
 * Until that last step nothing can be found that has changed; and it cannot fail.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "edit/content.h"
#include "edit/eas.h"
#include "job/pack_state.h"

#define WINDOW (1U << 20)		/* bytes that are read at once */
#define PLAIN_INODE 160U		/* bytes of a large inode before its attributes */
#define ENTRY_BYTES 12U			/* of a name in a directory, beside it, at most */
#define VALUE_BYTES 24U			/* of an attribute, beside name and value, at most */

struct taking {
	struct bfo_pack_job *j;
	const struct bfo_pack_found *x;
	uint8_t *table;
	struct bfo_composite c;
	/* a part of the file: bytes from `at` on */
	bfo_chars window;
	uint64_t at;
	BFO_VEC(struct bfo_draft *) made;	/* one for each member */
	bfo_chars names;		/* of attributes, each with a zero byte */
	BFO_VEC(struct bfo_edit_xattr) xattrs;
};

static void release(struct taking *t)
{
	bfo_composite_free(&t->c);
	bfo_vec_free(&t->window);
	bfo_vec_free(&t->made);
	bfo_vec_free(&t->names);
	bfo_vec_free(&t->xattrs);
	free(t->table);
}

static const char *path_of(struct taking *t)
{
	const struct bfo_pack_name *name = &t->j->names.v[t->x->name];

	return bfo_pack_path(t->j, t->x->dir, t->j->text.v + name->at, name->len);
}

static errcode_t refuse(struct taking *t, errcode_t err, const char *why)
{
	return bfo_fail(t->j->ctx, err, "reading composite file %s: %s", path_of(t), why);
}

/* ---- what there is ---- */

static errcode_t open_composite(struct taking *t)
{
	struct bfo_edit *e = &t->j->b->edit;
	struct bfo_draft *n = t->x->n;
	struct bfo_composite_head head;
	uint8_t bytes[BFO_COMPOSITE_HEAD];
	const char *why;
	int is_new;
	errcode_t err = bfo_draft_read(e, n, 0, bytes, sizeof(bytes));

	if (err)
		return err;
	why = bfo_composite_get_head(bytes, bfo_draft_size(n), &head, &is_new);
	if (!why && bfo_draft_links(n) != 1)
		why = "it has other names";
	if (why)
		return refuse(t, is_new ? BFO_ET_FEATURE : BFO_ET_DAMAGED, why);
	t->table = malloc((size_t) head.table_bytes + 1);
	if (!t->table)
		return ENOMEM;
	err = bfo_draft_read(e, n, head.table_at, t->table, head.table_bytes);
	if (!err)
		err = bfo_composite_open(&t->c, &head, t->table);
	return err == BFO_ET_DAMAGED && t->c.why ? refuse(t, err, t->c.why) : err;
}

/* Does M have more attributes than an inode has room for? */
static int wants_block(const struct taking *t, const struct bfo_composite_member *m)
{
	const uint8_t *at = m->first_xattr;
	uint64_t bytes = PLAIN_INODE;
	struct bfo_composite_xattr x;
	uint32_t i;

	for (i = 0; i < m->xattrs; i++) {
		bfo_composite_next_xattr(&at, &x);
		bytes += VALUE_BYTES + x.name_len + (uint64_t) x.len;
	}
	return m->xattrs && bytes > t->j->b->vol->inode_size;
}

/* The names of all members are free; counts what they take. */
static errcode_t count_members(struct taking *t)
{
	struct bfo_pack_job *j = t->j;
	struct bfo_composite_member m;
	struct bfo_composite_name name;
	struct bfo_entry *entry;
	const uint8_t *at;
	uint64_t names = 0;
	errcode_t err = 0;
	uint32_t k;
	size_t i;

	for (i = 0; i < t->c.places.n && !err; i++) {
		bfo_composite_member(&t->c, i, &m);
		j->blocks += bfo_pack_blocks(j, m.bytes);
		j->blocks += wants_block(t, &m) ? j->b->edit.shape.cluster_blocks : 0;
		for (at = m.first_name, k = 0; k < m.names && !err; k++) {
			bfo_composite_next_name(&at, &name);
			names += ENTRY_BYTES + name.len;
			err = bfo_directory_entry(&j->b->edit, j->dirs.v[t->x->dir].n, name.name,
						  name.len, &entry);
			if (!err && entry->ino)
				err = bfo_fail(j->ctx, BFO_ET_EXISTS, "unpacking %.*s of %s",
					       (int) name.len, name.name, path_of(t));
		}
		if (!err && bfo_cancelled(j->ctx))
			err = BFO_ET_CANCELLED;
	}
	j->blocks += bfo_pack_blocks(j, names);
	j->inodes += t->c.places.n;
	return err;
}

static errcode_t tell(struct taking *t)
{
	struct bfo_pack_job *j = t->j;
	struct bfo_pack_composite x = { .path = path_of(t), .members = t->c.places.n,
					.names = t->c.names.n };
	struct bfo_composite_member m;
	size_t i;

	for (i = 0; i < t->c.places.n; i++) {
		bfo_composite_member(&t->c, i, &m);
		x.bytes += m.bytes;
	}
	j->result->composites++;
	j->result->members += x.members;
	j->result->names += x.names;
	j->result->bytes += x.bytes;
	return j->sink->composite ? j->sink->composite(j->sink->priv, &x) : 0;
}

static errcode_t look_at(struct bfo_pack_job *j, size_t name)
{
	struct bfo_pack_found x = { .dir = j->dir, .name = name };
	struct taking t = { .j = j, .x = &x };
	int is_one = 0;
	errcode_t err = bfo_draft_get(&j->b->edit, j->names.v[name].ino, &x.n);

	if (err == BFO_ET_OWN_FILE) {
		bfo_what_clear(j->ctx);
		return 0;
	}
	if (!err)
		err = bfo_pack_is_composite(j, x.n, &is_one);
	if (err || !is_one)
		return err;
	err = open_composite(&t);
	if (!err)
		err = count_members(&t);
	if (!err)
		err = tell(&t);
	if (!err)
		err = bfo_vec_push(&j->found, x);
	release(&t);
	return err;
}

static errcode_t look(struct bfo_pack_job *j, size_t from)
{
	errcode_t err = 0;
	size_t i;

	for (i = from; i < j->names.n && !err; i++)
		if (!j->names.v[i].type || j->names.v[i].type == EXT2_FT_REG_FILE)
			err = look_at(j, i);
	return err;
}

/* ---- members ---- */

/* The content of M; valid until the next call. */
static errcode_t read_content(struct taking *t, const struct bfo_composite_member *m,
			      const char **data)
{
	uint64_t end = t->c.head.table_at, len = m->bytes > WINDOW ? m->bytes : WINDOW;
	errcode_t err;

	if (m->at >= t->at && m->at + m->bytes <= t->at + t->window.n) {
		*data = t->window.v + (m->at - t->at);
		return 0;
	}
	if (len > end - m->at)
		len = end - m->at;
	t->window.n = 0;
	err = bfo_vec_reserve(&t->window, len + 1);
	if (!err)
		err = bfo_draft_read(&t->j->b->edit, t->x->n, m->at, t->window.v, len);
	if (err)
		return err;
	t->at = m->at;
	t->window.n = len;
	*data = t->window.v;
	return 0;
}

static errcode_t set_xattrs(struct taking *t, const struct bfo_composite_member *m,
			    struct bfo_draft *n)
{
	const uint8_t *at = m->first_xattr;
	struct bfo_composite_xattr x;
	errcode_t err = 0;
	size_t name = 0;
	uint32_t i;

	t->names.n = t->xattrs.n = 0;
	for (i = 0; i < m->xattrs && !err; i++) {
		bfo_composite_next_xattr(&at, &x);
		err = bfo_vec_reserve(&t->names, x.name_len + 1);
		if (err)
			break;
		memcpy(t->names.v + t->names.n, x.name, x.name_len);
		t->names.v[t->names.n + x.name_len] = 0;
		t->names.n += x.name_len + 1;
		err = bfo_vec_push(&t->xattrs, (struct bfo_edit_xattr) { .value = x.value,
									 .len = x.len });
	}
	for (i = 0; i < t->xattrs.n; i++, name += strlen(t->names.v + name) + 1)
		t->xattrs.v[i].name = t->names.v + name;
	return err || !t->xattrs.n ? err :
	       bfo_draft_set_xattrs(&t->j->b->edit, n, t->xattrs.v, t->xattrs.n);
}

static void set_attrs(struct taking *t, const struct bfo_composite_attrs *a, struct bfo_draft *n)
{
	const struct bfo_edit *e = &t->j->b->edit;
	enum bfo_draft_time which;

	for (which = BFO_DRAFT_ATIME; which <= BFO_DRAFT_CRTIME; which++)
		if (which != BFO_DRAFT_CRTIME || a->fields & BFO_COMPOSITE_CRTIME)
			bfo_draft_set_time(e, n, which, (struct timespec) {
				.tv_sec = a->time[which].sec, .tv_nsec = a->time[which].nsec });
	bfo_draft_set_version(e, n, a->version);
}

/* N, which is new, becomes what M was. */
static errcode_t fill(struct taking *t, const struct bfo_composite_member *m, const char *data,
		      struct bfo_draft *n)
{
	const struct bfo_edit_bytes bytes = { .data = data, .size = m->bytes };
	const struct bfo_draft *from = t->x->n;
	struct bfo_edit *e = &t->j->b->edit;
	uint32_t project = bfo_draft_project(e, from);
	errcode_t err;

	n->raw->i_generation = to_le32(m->attrs.generation);
	bfo_draft_set_links(n, m->names);
	bfo_draft_set_owner(n, bfo_draft_uid(from), bfo_draft_gid(from));
	if (project)
		bfo_draft_set_project(e, n, project);
	err = set_xattrs(t, m, n);
	if (!err)
		err = bfo_draft_write(e, n, 0, &bytes);
	if (!err)
		set_attrs(t, &m->attrs, n);
	return err;
}

static errcode_t make_member(struct taking *t, size_t i)
{
	struct bfo_composite_member m;
	struct bfo_draft *n;
	const char *data;
	errcode_t err = bfo_vec_reserve(&t->made, 1);

	bfo_composite_member(&t->c, i, &m);
	if (!err)
		err = read_content(t, &m, &data);
	if (!err && bfo_composite_crc(BFO_COMPOSITE_SEED, data, m.bytes) != m.crc)
		err = refuse(t, BFO_ET_DAMAGED, "a content is not what its checksum says");
	if (!err)
		err = bfo_draft_make(&t->j->b->edit, S_IFREG | m.attrs.mode, &n);
	if (err)
		return err;
	t->made.v[t->made.n++] = n;
	return fill(t, &m, data, n);
}

/* ---- they take the place of the composite file ---- */

/* All that could fail. */
static errcode_t can_go(struct taking *t, struct bfo_draft *dir)
{
	struct bfo_pack_job *j = t->j;
	const struct bfo_pack_name *own = &j->names.v[t->x->name];
	struct bfo_going sum = { 0 };
	struct bfo_entry *entry;
	size_t i;
	errcode_t err = bfo_directory_entry(&j->b->edit, dir, j->text.v + own->at, own->len,
					    &entry);

	for (i = 0; i < t->c.names.n && !err; i++) {
		const uint8_t *name = t->c.names.v[i].name;

		err = bfo_directory_entry(&j->b->edit, dir, (const char *) name + 1, *name, &entry);
		if (!err && entry->ino)
			err = bfo_fail(j->ctx, BFO_ET_EXISTS, "unpacking %.*s", *name,
				       (const char *) name + 1);
	}
	if (!err)
		err = bfo_draft_can_go(&j->b->edit, t->x->n, &sum);
	return err ? err : bfo_going_reserve(&j->b->edit, &sum);
}

static void go(struct taking *t, struct bfo_draft *dir)
{
	const struct bfo_pack_name *own = &t->j->names.v[t->x->name];
	struct bfo_edit *e = &t->j->b->edit;
	size_t i;

	for (i = 0; i < t->c.names.n; i++) {
		const struct bfo_composite_place *x = &t->c.names.v[i];

		bfo_pack_point(t->j, dir, (const char *) x->name + 1, *x->name,
			       t->made.v[x->member]);
	}
	for (i = 0; i < t->made.n; i++)
		bfo_draft_change(e, t->made.v[i]);
	bfo_pack_point(t->j, dir, t->j->text.v + own->at, own->len, NULL);
	bfo_draft_set_links(t->x->n, 0);
	bfo_draft_go(e, t->x->n);
}

static errcode_t take_apart(struct taking *t)
{
	struct bfo_draft *dir = t->j->dirs.v[t->x->dir].n;
	errcode_t err = open_composite(t);
	size_t i;

	for (i = 0; i < t->c.places.n && !err; i++) {
		err = make_member(t, i);
		if (!err && bfo_cancelled(t->j->ctx))
			err = BFO_ET_CANCELLED;
	}
	if (!err)
		err = can_go(t, dir);
	if (err)
		return err;		/* the batch is given up, and what is made with it */
	go(t, dir);
	bfo_draft_touch(&t->j->b->edit, dir, 0);	/* its mtime stays */
	return 0;
}

static errcode_t take_one(struct bfo_pack_job *j, const struct bfo_pack_found *x)
{
	struct taking t = { .j = j, .x = x };
	errcode_t err = bfo_batch_begin(j->b);

	if (!err) {
		err = take_apart(&t);
		err = bfo_batch_end(j->b, err, "unpacking", path_of(&t));
	}
	release(&t);
	return err;
}

errcode_t bfo_unpack(struct bfo_context *ctx, const struct bfo_pack_options *opt,
		     const struct bfo_pack_sink *sink, struct bfo_pack_result *result)
{
	struct bfo_pack_job j = { .ctx = ctx, .opt = opt, .sink = sink, .result = result };
	errcode_t err;
	size_t i;

	*result = (struct bfo_pack_result) { .fate = NULL };
	err = bfo_pack_survey(&j, look);
	for (i = 0; i < j.found.n && !err && !opt->is_dry; i++) {
		err = take_one(&j, &j.found.v[i]);
		bfo_progress_report(ctx, BFO_STAGE_ARRIVAL, i + 1, 0, result->members);
	}
	return bfo_pack_end(&j, err);
}
