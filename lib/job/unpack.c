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
#define ENTRY_BYTES 12U			/* of a name in a directory, beside it, at most */

struct taking {
	struct bfo_pack_job *j;
	const struct bfo_pack_found *x;
	/* a part of the file: bytes from `at` on */
	bfo_chars window;
	uint64_t at;
	BFO_VEC(struct bfo_draft *) made;	/* one for each of those that leave */
	bfo_chars names;		/* of attributes, each with a zero byte */
	BFO_VEC(struct bfo_edit_xattr) xattrs;
};

static void release(struct taking *t)
{
	bfo_vec_free(&t->window);
	bfo_vec_free(&t->made);
	bfo_vec_free(&t->names);
	bfo_vec_free(&t->xattrs);
}

/* ---- what there is ---- */

/* The names of member I are free; counts what it takes, and, to *NAMES, what these do. */
static errcode_t count_member(struct bfo_pack_job *j, const struct bfo_pack_found *x, size_t i,
			      uint64_t *names)
{
	struct bfo_composite_member m;
	struct bfo_composite_name name;
	struct bfo_entry *entry;
	const uint8_t *at;
	errcode_t err = 0;
	uint32_t k;

	bfo_composite_member(&x->c, i, &m);
	j->blocks += bfo_pack_blocks(j, m.bytes);
	j->blocks += bfo_pack_wants_block(j, &m) ? j->b->edit.shape.cluster_blocks : 0;
	j->inodes++;
	for (at = m.first_name, k = 0; k < m.names && !err; k++) {
		bfo_composite_next_name(&at, &name);
		*names += ENTRY_BYTES + name.len;
		err = bfo_directory_entry(&j->b->edit, j->dirs.v[x->dir].n, name.name, name.len,
					  &entry);
		if (!err && entry->ino)
			err = bfo_fail(j->ctx, BFO_ET_EXISTS, "unpacking %.*s of %s",
				       (int) name.len, name.name, bfo_pack_found_path(j, x));
	}
	return err;
}

errcode_t bfo_pack_count_leaving(struct bfo_pack_job *j, const struct bfo_pack_found *x)
{
	uint64_t names = 0;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < x->leaving.n && !err; i++) {
		err = count_member(j, x, x->leaving.v[i], &names);
		if (!err && bfo_cancelled(j->ctx))
			err = BFO_ET_CANCELLED;
	}
	j->blocks += bfo_pack_blocks(j, names);
	return err;
}

errcode_t bfo_pack_tell_leaving(struct bfo_pack_job *j, const struct bfo_pack_found *x)
{
	struct bfo_pack_composite sum = { .members = x->leaving.n,
					  .path = bfo_pack_found_path(j, x) };
	struct bfo_composite_member m;
	size_t i;

	for (i = 0; i < x->leaving.n; i++) {
		bfo_composite_member(&x->c, x->leaving.v[i], &m);
		sum.bytes += m.bytes;
		sum.names += m.names;
	}
	j->result->composites++;
	j->result->members += sum.members;
	j->result->names += sum.names;
	j->result->bytes += sum.bytes;
	return j->sink->composite ? j->sink->composite(j->sink->priv, &sum) : 0;
}

/* All of X is to go; its table is read again then. */
static errcode_t want_all(struct bfo_pack_job *j, struct bfo_pack_found *x)
{
	errcode_t err = bfo_pack_found_open(j, x);
	size_t i;

	if (!err)
		err = bfo_vec_reserve(&x->leaving, x->c.places.n + 1);
	for (i = 0; !err && i < x->c.places.n; i++)
		x->leaving.v[x->leaving.n++] = i;
	return err;
}

static errcode_t look_at(struct bfo_pack_job *j, size_t name)
{
	struct bfo_pack_found x = { .dir = j->dir, .name = name };
	int is_one = 0;
	errcode_t err = bfo_draft_get(&j->b->edit, j->names.v[name].ino, &x.n);

	if (err == BFO_ET_OWN_FILE) {
		bfo_what_clear(j->ctx);
		return 0;
	}
	if (!err)
		err = bfo_pack_is_composite(j->b, x.n, &is_one);
	if (err || !is_one)
		return err;
	err = want_all(j, &x);
	if (!err)
		err = bfo_pack_count_leaving(j, &x);
	if (!err)
		err = bfo_pack_tell_leaving(j, &x);
	bfo_pack_found_close(&x);
	return err ? err : bfo_vec_push(&j->found, x);
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
	uint64_t end = t->x->c.head.table_at, len = m->bytes > WINDOW ? m->bytes : WINDOW;
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
		      int held, struct bfo_draft *n)
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
	if (!err && held && m->bytes) {
		n->held = data;
		bfo_draft_set_size(n, m->bytes);
	} else if (!err) {
		err = bfo_draft_write(e, n, 0, &bytes);
	}
	if (!err)
		set_attrs(t, &m->attrs, n);
	return err;
}

static errcode_t draft_member(struct taking *t, size_t i, const char *data, int held,
			      struct bfo_draft **n)
{
	struct bfo_composite_member m;
	errcode_t err = 0;

	bfo_composite_member(&t->x->c, i, &m);
	if (bfo_composite_crc(BFO_COMPOSITE_SEED, data, m.bytes) != m.crc)
		err = bfo_pack_found_refuse(t->j, t->x, BFO_ET_DAMAGED,
					    "a content is not what its checksum says");
	if (!err)
		err = bfo_draft_make(&t->j->b->edit, S_IFREG | m.attrs.mode, n);
	if (err)
		return err;
	err = fill(t, &m, data, held, *n);
	if (err)
		bfo_draft_drop(&t->j->b->edit, *n);
	return err;
}

errcode_t bfo_pack_draft(struct bfo_pack_job *j, const struct bfo_pack_found *x, size_t i,
			 const char *data, int held, struct bfo_draft **n)
{
	struct taking t = { .j = j, .x = x };
	errcode_t err = draft_member(&t, i, data, held, n);

	release(&t);
	return err;
}

static errcode_t make_member(struct taking *t, size_t i)
{
	struct bfo_composite_member m;
	const char *data;
	errcode_t err = bfo_vec_reserve(&t->made, 1);

	bfo_composite_member(&t->x->c, i, &m);
	if (!err)
		err = read_content(t, &m, &data);
	if (!err)
		err = draft_member(t, i, data, 0, &t->made.v[t->made.n]);
	t->made.n += !err;
	return err;
}

/* ---- they come to the directory ---- */

/* The entry of NAME, which nobody has, is there. */
static errcode_t know_name(struct taking *t, struct bfo_draft *dir, const char *name, uint32_t len)
{
	struct bfo_entry *entry;
	errcode_t err = bfo_directory_entry(&t->j->b->edit, dir, name, len, &entry);

	return err || !entry->ino ? err : bfo_fail(t->j->ctx, BFO_ET_EXISTS, "unpacking %.*s",
						   (int) len, name);
}

/* Points the names of file I to it; or, KNOW, does all of that that could fail. */
static errcode_t name_file(struct taking *t, struct bfo_draft *dir, size_t i, int know)
{
	struct bfo_composite_member m;
	struct bfo_composite_name name;
	const uint8_t *at;
	errcode_t err = 0;
	uint32_t k;

	bfo_composite_member(&t->x->c, t->x->leaving.v[i], &m);
	for (at = m.first_name, k = 0; k < m.names && !err; k++) {
		bfo_composite_next_name(&at, &name);
		if (know)
			err = know_name(t, dir, name.name, name.len);
		else
			bfo_pack_point(t->j, dir, name.name, name.len, t->made.v[i]);
	}
	return err;
}

static errcode_t take_out(struct taking *t)
{
	struct bfo_draft *dir = t->j->dirs.v[t->x->dir].n;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < t->x->leaving.n && !err; i++) {
		err = make_member(t, t->x->leaving.v[i]);
		if (!err)
			err = name_file(t, dir, i, 1);
		if (!err && bfo_cancelled(t->j->ctx))
			err = BFO_ET_CANCELLED;
	}
	if (err)
		return err;		/* the batch is given up, and what is made with it */
	for (i = 0; i < t->made.n; i++) {
		name_file(t, dir, i, 0);
		bfo_draft_change(&t->j->b->edit, t->made.v[i]);
	}
	bfo_draft_touch(&t->j->b->edit, dir, 0);	/* its mtime stays */
	return 0;
}

errcode_t bfo_pack_take_out(struct bfo_pack_job *j, const struct bfo_pack_found *x)
{
	struct taking t = { .j = j, .x = x };
	errcode_t err = bfo_batch_begin(j->b);

	if (!err)
		err = bfo_batch_end(j->b, take_out(&t), "unpacking", bfo_pack_found_path(j, x));
	release(&t);
	return err;
}

/* The composite file itself goes. */
static errcode_t remove_it(struct bfo_pack_job *j, const struct bfo_pack_found *x)
{
	const struct bfo_pack_name *own = &j->names.v[x->name];
	struct bfo_draft *dir = j->dirs.v[x->dir].n;
	struct bfo_going sum = { 0 };
	errcode_t err = bfo_pack_know(j, dir, own);

	if (!err)
		err = bfo_draft_can_go(&j->b->edit, x->n, &sum);
	if (!err)
		err = bfo_going_reserve(&j->b->edit, &sum);
	if (err)
		return err;
	bfo_pack_point(j, dir, j->text.v + own->at, own->len, NULL);
	bfo_draft_set_links(x->n, 0);
	bfo_draft_go(&j->b->edit, x->n);
	bfo_draft_touch(&j->b->edit, dir, 0);
	return 0;
}

errcode_t bfo_pack_remove(struct bfo_pack_job *j, const struct bfo_pack_found *x)
{
	errcode_t err = bfo_batch_begin(j->b);

	return err ? err : bfo_batch_end(j->b, remove_it(j, x), "removing",
					 bfo_pack_found_path(j, x));
}

static errcode_t take_one(struct bfo_pack_job *j, struct bfo_pack_found *x)
{
	errcode_t err = want_all(j, x);

	if (!err)
		err = bfo_pack_take_out(j, x);
	if (!err)
		err = bfo_pack_remove(j, x);
	bfo_pack_found_close(x);
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
