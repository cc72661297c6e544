// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pack_make.c - small files become composite files
 *
 *   names of a directory ── judge ── files by owner, group, project, name ── groups
 *   group ── contents, in the order in which they lie ── in memory: header, contents, table
 *         ── a new file ── its name comes, those of the members go
 *
 * Until that last step nothing can be found that has changed; and it cannot fail.
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
#include "edit/filemap.h"
#include "gather/inode_check.h"
#include "job/pack_state.h"

#define LEAST 2U			/* members: one alone gains nothing */
#define SPARE_BLOCKS 4U			/* map, and what its name may take in its directory */
#define NAME_MOST 250U			/* bytes of an attribute's, without "user." */
#define SECOND 1000000000U		/* nanoseconds */
/* Flags that say how a file is stored. */
#define STORED (EXT4_EXTENTS_FL | EXT4_INLINE_DATA_FL | EXT4_HUGE_FILE_FL)

/* ---- may a file be a member? ---- */

/* What forbids it, by flag. */
static const struct {
	uint32_t flag;
	enum bfo_pack_reason why;
} forbidden[] = {
	{ EXT2_IMMUTABLE_FL, BFO_PACK_IMMUTABLE },
	{ EXT2_APPEND_FL, BFO_PACK_APPEND_ONLY },
	{ EXT4_ENCRYPT_FL, BFO_PACK_ENCRYPTED },
	{ EXT4_VERITY_FL, BFO_PACK_VERITY },
	{ ~(uint32_t) STORED, BFO_PACK_FLAGS },
};

/* A file that is judged: why not, or BFO_PACK_REASONS. */
struct judged {
	struct bfo_pack_file *file;
	enum bfo_pack_reason why;
	uint32_t xattrs;
};

static errcode_t judge_xattr(void *priv, const struct bfo_xattr *x)
{
	struct judged *f = priv;

	if (bfo_xattr_is_acl(x))
		f->why = BFO_PACK_ACL;
	else if (bfo_xattr_is_capability(x))
		f->why = BFO_PACK_CAPABILITY;
	else if (x->name_index != BFO_XATTR_USER)
		f->why = BFO_PACK_XATTR;
	else if (!x->name_len || x->name_len > NAME_MOST || memchr(x->name, 0, x->name_len) ||
		 x->size > BFO_COMPOSITE_VALUE_MOST)
		f->why = BFO_PACK_ODD;
	f->file->table += bfo_composite_xattr_bytes(x->name_len + 5, x->size);
	f->xattrs++;
	return 0;
}

/* Is all of N, and no more, in blocks that are written? */
static errcode_t is_whole(struct bfo_edit *e, struct bfo_draft *n, int *whole)
{
	uint64_t bs = e->vol->block_size, blocks = (bfo_draft_size(n) + bs - 1) / bs, at = 0;
	errcode_t err = 0;
	size_t i;

	*whole = 1;
	if (bfo_draft_is_inline(n))
		return 0;
	err = bfo_draft_map(e, n);
	for (i = 0; i < n->segs.n && !err; i++) {
		const struct bfo_seg *s = &n->segs.v[i];

		if (s->lblk != at || bfo_seg_unwritten(s))
			*whole = 0;
		at = (uint64_t) s->lblk + s->len;
	}
	*whole &= at == blocks;
	return err;
}

static int are_times(const struct bfo_edit *e, const struct bfo_draft *n)
{
	enum bfo_draft_time t;

	for (t = BFO_DRAFT_ATIME; t <= BFO_DRAFT_CRTIME; t++)
		if (bfo_draft_time(e, n, t).tv_nsec >= SECOND)
			return 0;
	return 1;
}

static errcode_t judge(struct bfo_pack_job *j, struct judged *f)
{
	struct bfo_edit *e = &j->b->edit;
	struct bfo_draft *n = f->file->n;
	errcode_t err;
	int whole;
	size_t i;

	f->why = BFO_PACK_REASONS;
	if (bfo_draft_size(n) > j->opt->max_size) {
		f->why = BFO_PACK_LARGE;
		return 0;
	}
	if (bfo_draft_mode(n) & 07000)
		f->why = BFO_PACK_SET_ID;
	for (i = 0; i < sizeof(forbidden) / sizeof(*forbidden); i++)
		if (f->why == BFO_PACK_REASONS && bfo_draft_flags(n) & forbidden[i].flag)
			f->why = forbidden[i].why;
	if (f->why == BFO_PACK_REASONS && bfo_draft_links(n) != f->file->names)
		f->why = BFO_PACK_LINKED;
	if (f->why == BFO_PACK_REASONS && !are_times(e, n))
		f->why = BFO_PACK_ODD;
	if (f->why != BFO_PACK_REASONS)
		return 0;
	err = bfo_draft_each_xattr(e, n, judge_xattr, f);
	if (err || f->why != BFO_PACK_REASONS)
		return err;
	err = is_whole(e, n, &whole);
	if (!whole)
		f->why = BFO_PACK_SPARSE;
	return err;
}

/* ---- groups ---- */

/* The N names from FIRST on are all that one inode has in the directory. */
static errcode_t look_at(struct bfo_pack_job *j, size_t first, size_t n)
{
	const struct bfo_pack_name *name = &j->names.v[first];
	struct bfo_pack_file file = { .name = first, .names = n,
				      .table = BFO_COMPOSITE_RECORD_MOST };
	struct judged f = { .file = &file };
	errcode_t err;
	int is_one = 0;
	size_t i;

	if (name->type && name->type != EXT2_FT_REG_FILE)
		return 0;
	err = bfo_draft_get(&j->b->edit, name->ino, &file.n);
	if (err == BFO_ET_OWN_FILE) {
		bfo_what_clear(j->ctx);
		return bfo_pack_leave(j, j->dir, j->text.v + name->at, name->len, BFO_PACK_OWN);
	}
	if (err || !S_ISREG(bfo_draft_mode(file.n)))
		return err;
	err = bfo_pack_is_composite(j, file.n, &is_one);
	if (err || is_one)
		return err;
	for (i = 0; i < n; i++)
		file.table += bfo_composite_name_bytes(name[i].len);
	err = judge(j, &f);
	if (!err && f.why != BFO_PACK_REASONS)
		return bfo_pack_leave(j, j->dir, j->text.v + name->at, name->len, f.why);
	file.uid = bfo_draft_uid(file.n);
	file.gid = bfo_draft_gid(file.n);
	file.project = bfo_draft_project(&j->b->edit, file.n);
	return err ? err : bfo_vec_push(&j->files, file);
}

static int is_alike(const struct bfo_pack_file *a, const struct bfo_pack_file *b)
{
	return a->uid == b->uid && a->gid == b->gid && a->project == b->project;
}

static int by_owner(const void *pa, const void *pb, void *priv)
{
	const struct bfo_pack_file *a = pa, *b = pb;
	const struct bfo_pack_job *j = priv;
	const struct bfo_pack_name *x = &j->names.v[a->name], *y = &j->names.v[b->name];
	int order;

	if (!is_alike(a, b))
		return a->uid != b->uid ? (a->uid > b->uid) - (a->uid < b->uid) :
		       a->gid != b->gid ? (a->gid > b->gid) - (a->gid < b->gid) :
		       (a->project > b->project) - (a->project < b->project);
	order = memcmp(j->text.v + x->at, j->text.v + y->at, x->len < y->len ? x->len : y->len);
	return order ? order : (x->len > y->len) - (x->len < y->len);
}

/* A name that the directory has not got, and no other group. */
static errcode_t choose_name(struct bfo_pack_job *j, struct bfo_pack_group *g)
{
	struct bfo_pack_dir *d = &j->dirs.v[j->dir];
	struct bfo_entry *entry;
	errcode_t err;

	do {
		snprintf(g->name, sizeof(g->name), "packed-%u.e2pack", ++d->number);
		err = bfo_directory_entry(&j->b->edit, d->n, g->name, strlen(g->name), &entry);
	} while (!err && entry->ino);
	return err;
}

static errcode_t add_group(struct bfo_pack_job *j, const struct bfo_pack_group *group)
{
	struct bfo_pack_group g = *group;
	const struct bfo_pack_file *f = &j->files.v[g.first];
	const struct bfo_pack_name *name = &j->names.v[f->name];
	errcode_t err;

	if (g.n < LEAST)
		return bfo_pack_leave(j, j->dir, j->text.v + name->at, name->len, BFO_PACK_ALONE);
	err = choose_name(j, &g);
	j->blocks += bfo_pack_blocks(j, g.bytes) + SPARE_BLOCKS;
	j->inodes++;
	return err ? err : bfo_vec_push(&j->groups, g);
}

/* The files from FIRST on become groups, none of which is too large. */
static errcode_t make_groups(struct bfo_pack_job *j, size_t first)
{
	const uint64_t head = BFO_COMPOSITE_HEAD + BFO_COMPOSITE_RECORD_MOST;
	struct bfo_pack_group g = { .dir = j->dir, .first = first, .bytes = head };
	errcode_t err = 0;
	uint64_t more;
	size_t i;

	for (i = first; i < j->files.n && !err; i++) {
		const struct bfo_pack_file *f = &j->files.v[i];

		more = bfo_draft_size(f->n) + f->table;
		if (g.n && (!is_alike(&j->files.v[g.first], f) ||
			    g.bytes + more > j->opt->pack_size)) {
			err = add_group(j, &g);
			g = (struct bfo_pack_group) { .dir = j->dir, .first = i, .bytes = head };
		}
		g.n++;
		g.bytes += more;
	}
	return err || !g.n ? err : add_group(j, &g);
}

static errcode_t look(struct bfo_pack_job *j, size_t from)
{
	size_t first = j->files.n, i, end;
	errcode_t err = 0;

	for (i = from; i < j->names.n && !err; i = end) {
		for (end = i + 1; end < j->names.n; end++)
			if (j->names.v[end].ino != j->names.v[i].ino)
				break;
		err = look_at(j, i, end - i);
	}
	if (!err && j->files.n > first)
		qsort_r(j->files.v + first, j->files.n - first, sizeof(*j->files.v), by_owner, j);
	if (!err)
		err = make_groups(j, first);
	return err;
}

/* ---- a composite file, in memory ---- */

struct making {
	struct bfo_pack_job *j;
	const struct bfo_pack_group *g;
	char *buf;			/* header and contents */
	BFO_VEC(uint64_t) starts;	/* of contents in it; one more: the end of all */
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

static errcode_t take_blocks(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			     const void *data)
{
	struct making *m = priv;
	uint64_t bs = m->j->b->vol->block_size, to = node->to + at * bs, len = count * bs;
	uint64_t end = m->starts.v[node->tag + 1];

	if (to < end)
		memcpy(m->buf + to, data, len < end - to ? len : end - to);
	return 0;
}

static errcode_t add_nodes(struct making *m, size_t i)
{
	const struct bfo_draft *n = file_of(m, i)->n;
	uint64_t bs = m->j->b->vol->block_size, place = m->starts.v[i];
	errcode_t err = 0;
	size_t k;

	for (k = 0; k < n->segs.n && !err; k++) {
		const struct bfo_seg *s = &n->segs.v[k];

		err = bfo_vec_push(&m->nodes, bfo_node_make(bfo_seg_blk(s), s->len, i,
							    place + s->lblk * bs));
	}
	return err;
}

static errcode_t read_contents(struct making *m)
{
	const struct bfo_sink sink = { .take = take_blocks, .priv = m };
	struct bfo_edit *e = &m->j->b->edit;
	errcode_t err = bfo_vec_reserve(&m->starts, m->g->n + 1);
	uint64_t at = BFO_COMPOSITE_HEAD;
	size_t i;

	for (i = 0; i <= m->g->n && !err; at += i < m->g->n ? bfo_draft_size(file_of(m, i)->n) : 0,
	     i++)
		m->starts.v[m->starts.n++] = at;
	m->buf = err ? NULL : malloc(at);
	if (!m->buf)
		return ENOMEM;
	for (i = 0; i < m->g->n && !err; i++) {
		struct bfo_draft *n = file_of(m, i)->n;

		if (bfo_draft_is_inline(n))
			err = bfo_draft_read(e, n, 0, m->buf + m->starts.v[i], bfo_draft_size(n));
		else
			err = add_nodes(m, i);
	}
	if (err)
		return err;
	bfo_order_list_sort(&m->nodes);
	return bfo_reader_run(&e->reader, m->nodes.v, m->nodes.n, &sink);
}

static struct bfo_composite_attrs attrs_of(const struct bfo_edit *e, const struct bfo_draft *n)
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

/* What the first one has; a birth only if all have one. */
static struct bfo_composite_attrs common_of(const struct making *m)
{
	const struct bfo_edit *e = &m->j->b->edit;
	struct bfo_composite_attrs a = attrs_of(e, file_of(m, 0)->n);
	size_t i;

	for (i = 1; i < m->g->n; i++)
		if (!bfo_draft_has_time(e, file_of(m, i)->n, BFO_DRAFT_CRTIME))
			a.fields &= ~BFO_COMPOSITE_CRTIME;
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

static errcode_t list_xattrs(struct making *m, struct bfo_draft *n)
{
	size_t i, at = 0;
	errcode_t err;

	m->xattrs.n = m->values.n = 0;
	err = bfo_draft_each_xattr(&m->j->b->edit, n, note_xattr, m);
	for (i = 0; i < m->xattrs.n; i++) {
		m->xattrs.v[i].name = m->values.v + at;
		m->xattrs.v[i].value = m->values.v + at + m->xattrs.v[i].name_len;
		at += (size_t) m->xattrs.v[i].name_len + m->xattrs.v[i].len;
	}
	if (!err && m->xattrs.n)
		qsort(m->xattrs.v, m->xattrs.n, sizeof(*m->xattrs.v), by_bytes);
	return err;
}

static errcode_t add_member(struct making *m, size_t i)
{
	const struct bfo_pack_file *f = file_of(m, i);
	uint64_t from = m->starts.v[i], bytes = m->starts.v[i + 1] - from;
	errcode_t err = bfo_vec_reserve(&m->names, f->names);
	size_t k;

	m->names.n = 0;
	for (k = 0; k < f->names && !err; k++) {
		const struct bfo_pack_name *name = &m->j->names.v[f->name + k];

		m->names.v[m->names.n++] = (struct bfo_composite_name) {
			.name = m->j->text.v + name->at, .len = name->len };
	}
	if (!err)
		err = list_xattrs(m, f->n);
	return err ? err : bfo_composite_add(&m->w, &(struct bfo_composite_new) {
		.number = i + 1, .bytes = bytes,
		.crc = bfo_composite_crc(BFO_COMPOSITE_SEED, m->buf + from, bytes),
		.attrs = attrs_of(&m->j->b->edit, f->n), .names = m->names.v,
		.n_names = m->names.n, .xattrs = m->xattrs.v, .n_xattrs = m->xattrs.n });
}

static errcode_t build(struct making *m)
{
	struct bfo_composite_attrs common = common_of(m);
	errcode_t err = read_contents(m);
	size_t i;

	if (!err)
		err = bfo_composite_begin(&m->w, &common, m->g->n + 1);
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

static errcode_t make_file(struct making *m, struct bfo_draft *dir, struct bfo_draft **n)
{
	const struct bfo_pack_file *first = file_of(m, 0);
	const struct bfo_edit_bytes bytes = { .size = m->w.head.bytes, .fill = give_bytes,
					      .priv = m };
	struct bfo_batch_attr attr = {
		.set = BFO_BATCH_UID | BFO_BATCH_GID | BFO_BATCH_FLAGS, .uid = first->uid,
		.gid = first->gid, .project = first->project, .flags = EXT2_IMMUTABLE_FL };
	uint32_t mode = 0666;
	errcode_t err;
	size_t i;

	for (i = 0; i < m->g->n; i++)
		mode &= bfo_draft_mode(file_of(m, i)->n);
	if (first->project)
		attr.set |= BFO_BATCH_PROJECT;
	err = bfo_batch_new(m->j->b, dir, S_IFREG | mode, &attr, BFO_BATCH_EXACT, n);
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

		for (k = 0; k < f->names && !err; k++)
			err = bfo_pack_know(m->j, dir, &m->j->names.v[f->name + k]);
		if (!err)
			err = bfo_draft_can_go(&m->j->b->edit, f->n, &sum);
	}
	return err ? err : bfo_going_reserve(&m->j->b->edit, &sum);
}

static void go(struct making *m, struct bfo_draft *dir)
{
	size_t i, k;

	for (i = 0; i < m->g->n; i++) {
		const struct bfo_pack_file *f = file_of(m, i);

		for (k = 0; k < f->names; k++) {
			const struct bfo_pack_name *name = &m->j->names.v[f->name + k];

			bfo_pack_point(m->j, dir, m->j->text.v + name->at, name->len, NULL);
		}
		bfo_draft_set_links(f->n, 0);
		bfo_draft_go(&m->j->b->edit, f->n);
	}
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
	bfo_batch_enter(m->j->b, &way, n);
	go(m, dir);
	bfo_draft_set_time(e, dir, BFO_DRAFT_MTIME, changed);
	return 0;
}

/* ---- the job ---- */

static errcode_t tell(struct bfo_pack_job *j, const struct bfo_pack_group *g)
{
	struct bfo_pack_composite x = { .members = g->n };
	size_t i;

	for (i = g->first; i < g->first + g->n; i++) {
		x.names += j->files.v[i].names;
		x.bytes += bfo_draft_size(j->files.v[i].n);
	}
	j->result->composites++;
	j->result->members += x.members;
	j->result->names += x.names;
	j->result->bytes += x.bytes;
	x.path = bfo_pack_path(j, g->dir, g->name, strlen(g->name));
	return j->sink->composite ? j->sink->composite(j->sink->priv, &x) : 0;
}

static errcode_t make_one(struct bfo_pack_job *j, const struct bfo_pack_group *g)
{
	struct making m = { .j = j, .g = g };
	errcode_t err = bfo_batch_begin(j->b);

	if (err)
		return err;
	err = make(&m);
	bfo_composite_writer_free(&m.w);
	bfo_vec_free(&m.starts);
	bfo_vec_free(&m.names);
	bfo_vec_free(&m.xattrs);
	bfo_vec_free(&m.values);
	bfo_vec_free(&m.nodes);
	free(m.buf);
	return bfo_batch_end(j->b, err, "making",
			     bfo_pack_path(j, g->dir, g->name, strlen(g->name)));
}

errcode_t bfo_pack(struct bfo_context *ctx, const struct bfo_pack_options *opt,
		   const struct bfo_pack_sink *sink, struct bfo_pack_result *result)
{
	struct bfo_pack_job j = { .ctx = ctx, .opt = opt, .sink = sink, .result = result };
	errcode_t err;
	size_t i;

	*result = (struct bfo_pack_result) { .fate = NULL };
	err = bfo_pack_survey(&j, look);
	for (i = 0; i < j.groups.n && !err; i++) {
		err = tell(&j, &j.groups.v[i]);
		if (!err && !opt->is_dry)
			err = make_one(&j, &j.groups.v[i]);
		bfo_progress_report(ctx, BFO_STAGE_ARRIVAL, result->bytes, 0, result->members);
	}
	return bfo_pack_end(&j, err);
}
