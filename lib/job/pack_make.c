// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pack_make.c - small files become composite files, and those that there are become others
 *
 *   group (pack_divide.c) ── contents, in the order in which they lie ── in memory: header,
 *   contents, table ── a new file, or the new content of one that there is
 *         ── its name comes, those of the members go
 *
 * Until that last step nothing can be found that has changed; and it cannot fail.  What a composite
 * file had before an update is read where it lies on the volume: that stays as it is until the
 * commit, in whatever order composite files are written anew.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "edit/content.h"
#include "edit/eas.h"
#include "job/pack_state.h"

/* ---- a composite file, in memory ---- */

struct making {
	struct bfo_pack_job *j;
	const struct bfo_pack_group *g;
	char *buf;			/* header and contents */
	BFO_VEC(uint64_t) starts;	/* of contents in it; one more: the end of all */
	uint32_t next;			/* number of the next new member */
	struct bfo_composite_writer w;
	BFO_VEC(struct bfo_composite_name) names;
	BFO_VEC(struct bfo_composite_xattr) xattrs;
	bfo_chars values;		/* names and values of these */
	bfo_order_list nodes;
};

static const struct bfo_pack_file *file_of(const struct making *m, size_t i)
{
	return &m->j->files.v[m->g->first + i];
}

/* The composite file that has F as a member; NULL: F is a file. */
static const struct bfo_pack_found *origin_of(const struct making *m,
					      const struct bfo_pack_file *f)
{
	return f->n ? NULL : &m->j->found.v[f->from];
}

/* Byte of the file, or of the composite file, at which the content of F begins. */
static uint64_t begin_of(const struct making *m, const struct bfo_pack_file *f)
{
	const struct bfo_pack_found *x = origin_of(m, f);
	struct bfo_composite_member member;

	if (!x)
		return 0;
	bfo_composite_member(&x->c, f->member, &member);
	return member.at;
}

/* node->to: the byte at which its blocks begin, in the file that they are of. */
static errcode_t take_blocks(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			     const void *data)
{
	struct making *m = priv;
	const struct bfo_pack_file *f = file_of(m, node->tag);
	uint64_t bs = m->j->b->vol->block_size, from = node->to + at * bs, to = from + count * bs;
	uint64_t begin = begin_of(m, f), end = begin + f->bytes, first = from;

	if (from < begin)
		from = begin;
	if (to > end)
		to = end;
	if (from < to)
		memcpy(m->buf + m->starts.v[node->tag] + (from - begin),
		       (const char *) data + (from - first), to - from);
	return 0;
}

/* The blocks that have the content of file I. */
static errcode_t add_nodes(struct making *m, size_t i)
{
	const struct bfo_pack_file *f = file_of(m, i);
	const struct bfo_pack_found *x = origin_of(m, f);
	const bfo_segs *segs = x ? &x->segs : &f->n->segs;
	uint64_t bs = m->j->b->vol->block_size, begin = begin_of(m, f);
	uint64_t first = begin / bs, end = (begin + f->bytes + bs - 1) / bs;
	errcode_t err = 0;
	size_t k;

	for (k = 0; k < segs->n && !err && f->bytes; k++) {
		const struct bfo_seg *s = &segs->v[k];
		uint64_t lo = s->lblk > first ? s->lblk : first;
		uint64_t hi = (uint64_t) s->lblk + s->len < end ? (uint64_t) s->lblk + s->len : end;

		if (lo < hi && !bfo_seg_unwritten(s))
			err = bfo_vec_push(&m->nodes, bfo_node_make(bfo_seg_blk(s) + (lo - s->lblk),
								    hi - lo, i, lo * bs));
	}
	return err;
}

/* The content of file I, if it stands in an inode; or where it lies. */
static errcode_t find_content(struct making *m, size_t i)
{
	const struct bfo_pack_file *f = file_of(m, i);
	const struct bfo_pack_found *x = origin_of(m, f);
	char *to = m->buf + m->starts.v[i];

	if (x && x->whole) {
		memcpy(to, x->whole + begin_of(m, f), f->bytes);
		return 0;
	}
	if (!x && (f->n->is_new || bfo_draft_is_inline(f->n)))
		return bfo_draft_read(&m->j->b->edit, f->n, 0, to, f->bytes);
	return add_nodes(m, i);
}

static errcode_t read_contents(struct making *m)
{
	const struct bfo_sink sink = { .take = take_blocks, .priv = m };
	errcode_t err = bfo_vec_reserve(&m->starts, m->g->n + 1);
	uint64_t at = BFO_COMPOSITE_HEAD;
	size_t i;

	for (i = 0; i <= m->g->n && !err; at += i < m->g->n ? file_of(m, i)->bytes : 0, i++)
		m->starts.v[m->starts.n++] = at;
	m->buf = err ? NULL : calloc(1, at);
	if (!m->buf)
		return ENOMEM;
	for (i = 0; i < m->g->n && !err; i++)
		err = find_content(m, i);
	if (err)
		return err;
	bfo_order_list_sort(&m->nodes);
	return bfo_reader_run(&m->j->b->edit.reader, m->nodes.v, m->nodes.n, &sink);
}

static struct bfo_composite_attrs attrs_of_draft(const struct bfo_edit *e,
						 const struct bfo_draft *n)
{
	struct bfo_composite_attrs a = {
		.fields = BFO_COMPOSITE_ALL, .mode = bfo_draft_mode(n) & 0777,
		.version = bfo_inode_version(n->raw, e->vol->inode_size),
		.generation = le32(n->raw->i_generation),
	};
	enum bfo_draft_time t;

	if (bfo_draft_has_time(e, n, BFO_DRAFT_CRTIME))
		a.fields |= BFO_COMPOSITE_CRTIME;
	for (t = BFO_DRAFT_ATIME; t <= BFO_DRAFT_CRTIME; t++) {
		struct timespec v = bfo_draft_time(e, n, t);

		a.time[t] = (struct bfo_composite_time) { .sec = v.tv_sec, .nsec = v.tv_nsec };
	}
	return a;
}

static struct bfo_composite_attrs attrs_of(const struct making *m, size_t i)
{
	const struct bfo_pack_file *f = file_of(m, i);
	struct bfo_composite_member member;

	if (f->n)
		return attrs_of_draft(&m->j->b->edit, f->n);
	bfo_composite_member(&m->j->found.v[f->from].c, f->member, &member);
	return member.attrs;
}

/* What the first one has; a birth only if all have one. */
static struct bfo_composite_attrs common_of(const struct making *m)
{
	struct bfo_composite_attrs a = attrs_of(m, 0);
	size_t i;

	for (i = 1; i < m->g->n; i++)
		a.fields &= attrs_of(m, i).fields | ~BFO_COMPOSITE_CRTIME;
	return a;
}

static errcode_t note_xattr(void *priv, const struct bfo_xattr *x)
{
	struct making *m = priv;
	char name[BFO_XATTR_NAME_MAX];
	struct bfo_composite_xattr to = { .name_len = bfo_xattr_name(x, name), .len = x->size };
	size_t at = m->values.n;
	errcode_t err = bfo_vec_reserve(&m->values, (size_t) to.name_len + to.len);

	if (err)
		return err;
	memcpy(m->values.v + at, name, to.name_len);
	if (to.len)
		memcpy(m->values.v + at + to.name_len, x->value, to.len);
	m->values.n += (size_t) to.name_len + to.len;
	return bfo_vec_push(&m->xattrs, to);
}

static int by_bytes(const void *pa, const void *pb)
{
	const struct bfo_composite_xattr *a = pa, *b = pb;
	int order = memcmp(a->name, b->name, a->name_len < b->name_len ? a->name_len : b->name_len);

	return order ? order : (a->name_len > b->name_len) - (a->name_len < b->name_len);
}

/* Those that file F has as a member: its names are in order, and stay where they are. */
static errcode_t copy_xattrs(struct making *m, const struct bfo_pack_file *f)
{
	struct bfo_composite_member member;
	const uint8_t *at;
	errcode_t err;
	uint32_t i;

	bfo_composite_member(&m->j->found.v[f->from].c, f->member, &member);
	err = bfo_vec_reserve(&m->xattrs, member.xattrs + 1);
	for (at = member.first_xattr, i = 0; i < member.xattrs && !err; i++)
		bfo_composite_next_xattr(&at, &m->xattrs.v[m->xattrs.n++]);
	return err;
}

static errcode_t list_xattrs(struct making *m, const struct bfo_pack_file *f)
{
	size_t i, at = 0;
	errcode_t err;

	m->xattrs.n = m->values.n = 0;
	if (!f->n)
		return copy_xattrs(m, f);
	err = bfo_draft_each_xattr(&m->j->b->edit, f->n, note_xattr, m);
	for (i = 0; i < m->xattrs.n; i++) {
		m->xattrs.v[i].name = m->values.v + at;
		m->xattrs.v[i].value = m->values.v + at + m->xattrs.v[i].name_len;
		at += (size_t) m->xattrs.v[i].name_len + m->xattrs.v[i].len;
	}
	if (!err && m->xattrs.n)
		qsort(m->xattrs.v, m->xattrs.n, sizeof(*m->xattrs.v), by_bytes);
	return err;
}

/* The number that F gets as a member: at home it keeps the one that it has. */
static uint32_t number_of(struct making *m, const struct bfo_pack_file *f)
{
	struct bfo_composite_member member;

	if (f->number)
		return f->number;
	if (f->n || m->g->home != f->from + 1)
		return m->next++;
	bfo_composite_member(&m->j->found.v[f->from].c, f->member, &member);
	return member.number;
}

/* Is the content of F, a member, what its checksum says? */
static errcode_t check_content(struct making *m, const struct bfo_pack_file *f, uint32_t crc)
{
	struct bfo_composite_member member;

	if (f->n)
		return 0;
	bfo_composite_member(&m->j->found.v[f->from].c, f->member, &member);
	return member.crc == crc ? 0 :
	       bfo_pack_found_refuse(m->j, &m->j->found.v[f->from], BFO_ET_DAMAGED,
				     "a content is not what its checksum says");
}

static errcode_t add_member(struct making *m, size_t i)
{
	const struct bfo_pack_file *f = file_of(m, i);
	struct bfo_composite_new new = { .bytes = f->bytes, .attrs = attrs_of(m, i) };
	errcode_t err = bfo_vec_reserve(&m->names, f->names);
	size_t k;

	new.crc = bfo_composite_crc(BFO_COMPOSITE_SEED, m->buf + m->starts.v[i], f->bytes);
	m->names.n = 0;
	for (k = 0; k < f->names && !err; k++) {
		const struct bfo_pack_name *name = &m->j->names.v[f->name + k];

		m->names.v[m->names.n++] = (struct bfo_composite_name) {
			.name = m->j->text.v + name->at, .len = name->len };
	}
	if (!err)
		err = list_xattrs(m, f);
	if (!err)
		err = check_content(m, f, new.crc);
	if (err)
		return err;
	new.number = number_of(m, f);
	new.names = m->names.v;
	new.n_names = m->names.n;
	new.xattrs = m->xattrs.v;
	new.n_xattrs = m->xattrs.n;
	return bfo_composite_add(&m->w, &new);
}

/* The number of the next new member, once all are there: it never goes back. */
static errcode_t plan_numbers(struct making *m, uint32_t *end)
{
	uint64_t next = m->g->home ? m->j->found.v[m->g->home - 1].c.head.next : 1;
	size_t i;

	m->next = next ? next : 1;
	next = m->next;
	for (i = 0; i < m->g->n; i++)
		next += !file_of(m, i)->number &&
			(file_of(m, i)->n || m->g->home != file_of(m, i)->from + 1);
	*end = next;
	return next <= UINT32_MAX ? 0 : BFO_ET_OVERFLOW;
}

static errcode_t build(struct making *m)
{
	struct bfo_composite_attrs common = common_of(m);
	errcode_t err = read_contents(m);
	uint32_t end;
	size_t i;

	if (!err)
		err = plan_numbers(m, &end);
	if (!err)
		err = bfo_composite_begin(&m->w, &common, end);
	for (i = 0; i < m->g->n && !err; i++)
		err = add_member(m, i);
	if (!err)
		bfo_composite_end(&m->w, (uint8_t *) m->buf);
	return err;
}

/* ---- the composite file takes the members' place ---- */

static errcode_t give_bytes(void *priv, uint64_t offset, void *to, size_t len)
{
	const struct making *m = priv;
	uint64_t end = m->starts.v[m->g->n], part = offset < end ? end - offset : 0;

	if (part > len)
		part = len;
	if (part)
		memcpy(to, m->buf + offset, part);
	if (part < len)
		memcpy((char *) to + part, m->w.table.v + (offset + part - end), len - part);
	return 0;
}

/* Permissions that all have, but for execution. */
static uint32_t mode_of(const struct making *m)
{
	uint32_t mode = 0666;
	size_t i;

	for (i = 0; i < m->g->n; i++)
		mode &= attrs_of(m, i).mode;
	return mode;
}

static errcode_t make_file(struct making *m, struct bfo_draft *dir, struct bfo_draft **n)
{
	const struct bfo_pack_file *first = file_of(m, 0);
	const struct bfo_edit_bytes bytes = { .size = m->w.head.bytes, .fill = give_bytes,
					      .priv = m };
	struct bfo_batch_attr attr = {
		.set = BFO_BATCH_UID | BFO_BATCH_GID | BFO_BATCH_FLAGS, .uid = first->uid,
		.gid = first->gid, .project = first->project, .flags = EXT2_IMMUTABLE_FL };
	errcode_t err;

	if (m->g->home) {
		*n = m->j->found.v[m->g->home - 1].n;
		(*n)->raw->i_mode = to_le16(S_IFREG | mode_of(m));
		return bfo_draft_replace(&m->j->b->edit, *n, &bytes);
	}
	if (first->project)
		attr.set |= BFO_BATCH_PROJECT;
	err = bfo_batch_new(m->j->b, dir, S_IFREG | mode_of(m), &attr, BFO_BATCH_EXACT, n);
	return err ? err : bfo_draft_write(&m->j->b->edit, *n, 0, &bytes);
}

/* All that could fail of the members' going. */
static errcode_t can_go(struct making *m, struct bfo_draft *dir)
{
	struct bfo_going sum = { 0 };
	errcode_t err = 0;
	size_t i, k;

	for (i = 0; i < m->g->n && !err; i++) {
		const struct bfo_pack_file *f = file_of(m, i);

		for (k = 0; k < f->names && !err && f->n; k++)
			err = bfo_pack_know(m->j, dir, &m->j->names.v[f->name + k]);
		if (!err && f->n)
			err = bfo_draft_can_go(&m->j->b->edit, f->n, &sum);
	}
	return err ? err : bfo_going_reserve(&m->j->b->edit, &sum);
}

static void go(struct making *m, struct bfo_draft *dir)
{
	size_t i, k;

	for (i = 0; i < m->g->n; i++) {
		const struct bfo_pack_file *f = file_of(m, i);

		for (k = 0; k < f->names && f->n; k++) {
			const struct bfo_pack_name *name = &m->j->names.v[f->name + k];

			bfo_pack_point(m->j, dir, m->j->text.v + name->at, name->len, NULL);
		}
		if (!f->n)
			continue;
		bfo_draft_set_links(f->n, 0);
		bfo_draft_go(&m->j->b->edit, f->n);
	}
}

static int has_files(const struct making *m)
{
	size_t i;

	for (i = 0; i < m->g->n; i++)
		if (file_of(m, i)->n)
			return 1;
	return 0;
}

static errcode_t make(struct making *m)
{
	struct bfo_draft *dir = m->j->dirs.v[m->g->dir].n, *n;
	const struct bfo_batch_way way = { .dir = dir, .name = m->g->name,
					   .len = strlen(m->g->name) };
	struct bfo_edit *e = &m->j->b->edit;
	struct timespec changed = bfo_draft_time(e, dir, BFO_DRAFT_MTIME);
	errcode_t err = build(m);

	if (!err)
		err = make_file(m, dir, &n);
	if (!err)
		err = can_go(m, dir);
	if (err)
		return err;		/* the batch is given up, and what is made with it */
	if (!m->g->home)
		bfo_batch_enter(m->j->b, &way, n);
	else if (has_files(m) && !m->g->is_quiet)
		bfo_draft_touch(e, dir, 0);
	go(m, dir);
	if (!m->g->is_quiet)
		bfo_draft_set_time(e, dir, BFO_DRAFT_MTIME, changed);
	return 0;
}

/* ---- the job ---- */

static const char *path_of(struct bfo_pack_job *j, const struct bfo_pack_group *g)
{
	return g->home ? bfo_pack_found_path(j, &j->found.v[g->home - 1])
		       : bfo_pack_path(j, g->dir, g->name, strlen(g->name));
}

static errcode_t tell(struct bfo_pack_job *j, const struct bfo_pack_group *g)
{
	struct bfo_pack_composite x = { .members = g->n };
	size_t i;

	for (i = g->first; i < g->first + g->n; i++) {
		x.names += j->files.v[i].names;
		x.bytes += j->files.v[i].bytes;
	}
	j->result->composites++;
	j->result->members += x.members;
	j->result->names += x.names;
	j->result->bytes += x.bytes;
	x.path = path_of(j, g);
	return j->sink->composite ? j->sink->composite(j->sink->priv, &x) : 0;
}

errcode_t bfo_pack_make_group(struct bfo_pack_job *j, const struct bfo_pack_group *g)
{
	struct making m = { .j = j, .g = g };
	errcode_t err = make(&m);

	bfo_composite_writer_free(&m.w);
	bfo_vec_free(&m.starts);
	bfo_vec_free(&m.names);
	bfo_vec_free(&m.xattrs);
	bfo_vec_free(&m.values);
	bfo_vec_free(&m.nodes);
	free(m.buf);
	return err;
}

static errcode_t make_one(struct bfo_pack_job *j, const struct bfo_pack_group *g)
{
	errcode_t err = bfo_batch_begin(j->b);

	return err ? err : bfo_batch_end(j->b, bfo_pack_make_group(j, g), "making", path_of(j, g));
}

/*
 * Composite files that members leave, before any is written anew (EMPTY 0), and those that all have
 * left, after that.
 */
static errcode_t take_out(struct bfo_pack_job *j, int empty)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < j->found.n && !err; i++) {
		struct bfo_pack_found *x = &j->found.v[i];

		if (empty ? x->is_left : x->leaving.n > 0)
			err = empty ? bfo_pack_remove(j, x) : bfo_pack_take_out(j, x);
	}
	return err;
}

static errcode_t make_all(struct bfo_pack_job *j)
{
	errcode_t err = bfo_pack_order_groups(j);
	size_t i;

	if (!err && !j->opt->is_dry)
		err = take_out(j, 0);
	for (i = 0; i < j->groups.n && !err; i++) {
		err = tell(j, &j->groups.v[i]);
		if (!err && !j->opt->is_dry)
			err = make_one(j, &j->groups.v[i]);
		bfo_progress_report(j->ctx, BFO_STAGE_ARRIVAL, j->result->bytes, 0,
				    j->result->members);
	}
	return err || j->opt->is_dry ? err : take_out(j, 1);
}

errcode_t bfo_pack(struct bfo_context *ctx, const struct bfo_pack_options *opt,
		   const struct bfo_pack_sink *sink, struct bfo_pack_result *result)
{
	struct bfo_pack_job j = { .ctx = ctx, .opt = opt, .sink = sink, .result = result };
	errcode_t err;

	*result = (struct bfo_pack_result) { .fate = NULL };
	err = bfo_pack_survey(&j, bfo_pack_look_at_dir);
	if (!err)
		err = make_all(&j);
	return bfo_pack_end(&j, err);
}
