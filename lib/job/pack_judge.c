// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pack_judge.c - may a file be a member of a composite file?
 */
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "edit/eas.h"
#include "edit/filemap.h"
#include "job/pack_state.h"

#define NAME_MOST 250U			/* bytes of an attribute's, without "user." */
#define SECOND 1000000000U		/* nanoseconds */
/* Flags that say how a file is stored. */
#define STORED (EXT4_EXTENTS_FL | EXT4_INLINE_DATA_FL | EXT4_HUGE_FILE_FL)

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
	return 0;
}

/* Is all of N, and no more, in blocks that are written? */
static errcode_t is_whole(struct bfo_edit *e, struct bfo_draft *n, int *whole)
{
	uint64_t bs = e->vol->block_size, blocks = (bfo_draft_size(n) + bs - 1) / bs, at = 0;
	errcode_t err = 0;
	size_t i;

	*whole = 1;
	if (bfo_draft_is_inline(n) || n->held)
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

static errcode_t judge(struct bfo_pack_job *j, struct judged *f, uint64_t max_size)
{
	struct bfo_edit *e = &j->b->edit;
	struct bfo_draft *n = f->file->n;
	errcode_t err;
	int whole;
	size_t i;

	f->why = BFO_PACK_REASONS;
	if (bfo_draft_size(n) > max_size) {
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

/* The draft of the names at FIRST, a regular file that no filesystem keeps for itself; or NULL. */
errcode_t bfo_pack_regular(struct bfo_pack_job *j, const struct bfo_pack_name *name,
			   struct bfo_draft **n)
{
	errcode_t err;

	*n = NULL;
	if (name->type && name->type != EXT2_FT_REG_FILE)
		return 0;
	err = bfo_draft_get(&j->b->edit, name->ino, n);
	if (err == BFO_ET_OWN_FILE) {
		bfo_what_clear(j->ctx);
		*n = NULL;
		return bfo_pack_leave(j, j->dir, j->text.v + name->at, name->len, BFO_PACK_OWN);
	}
	if (!err && !S_ISREG(bfo_draft_mode(*n)))
		*n = NULL;
	return err;
}

errcode_t bfo_pack_may_be(struct bfo_pack_job *j, struct bfo_pack_file *file, uint64_t max_size,
			  enum bfo_pack_reason *why)
{
	struct judged f = { .file = file };
	errcode_t err;
	size_t i;

	file->table = BFO_COMPOSITE_RECORD_MOST;
	for (i = 0; i < file->names; i++)
		file->table += bfo_composite_name_bytes(j->names.v[file->name + i].len);
	file->uid = bfo_draft_uid(file->n);
	file->gid = bfo_draft_gid(file->n);
	file->project = bfo_draft_project(&j->b->edit, file->n);
	file->bytes = bfo_draft_size(file->n);
	err = judge(j, &f, max_size);
	*why = f.why;
	return err;
}

errcode_t bfo_pack_judge(struct bfo_pack_job *j, struct bfo_draft *draft, size_t first, size_t n)
{
	const struct bfo_pack_name *name = &j->names.v[first];
	struct bfo_pack_file file = { .n = draft, .name = first, .names = n };
	enum bfo_pack_reason why;
	errcode_t err = bfo_pack_may_be(j, &file, j->opt->max_size, &why);

	if (err)
		return err;
	bfo_pack_order_find(j, &file);
	if (why == BFO_PACK_REASONS && !file.set && !j->order.takes_rest)
		why = BFO_PACK_NO_GROUP;
	if (why != BFO_PACK_REASONS)
		return bfo_pack_leave(j, j->dir, j->text.v + name->at, name->len, why);
	return bfo_vec_push(&j->files, file);
}
