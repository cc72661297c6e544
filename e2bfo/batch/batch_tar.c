// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_tar.c - what an archive holds, put member by member, as unpacking it does
 *
 *   process that parses ── pieces ── a member ── an operation ── its data, as the batch asks
 *
 * What is there already goes, unless both are directories.  Directories get their times when all is
 * there, as their children change them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/limits.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/input.h"
#include "base/text.h"
#include "intake/member_path.h"
#include "intake/members.h"
#include "intake/xattr_names.h"
#include "tree/acl.h"
#include "batch_run.h"

/* Nothing is taken over from directories: a file is what its member says. */
#define HOW (E2BFO_PARENTS | E2BFO_EXACT)
#define FEATURES (EXT4_ENCRYPT_FL | EXT4_VERITY_FL | EXT4_CASEFOLD_FL)
#define SETTABLE (EXT2_FL_USER_MODIFIABLE & ~FEATURES)

struct directory {
	char *path;
	struct e2bfo_time atime, mtime;
};

struct put_tar {
	struct batch_run *r;
	struct bfo_members m;
	struct bfo_piece piece;		/* that is next */
	struct bfo_member member;	/* at hand: its numbers; its texts are copies: */
	bfo_chars path, target;
	bfo_chars xattr_text;		/* names and values of its attributes */
	bfo_chars acl;			/* one of them, as ext4 stores it */
	BFO_VEC(struct e2bfo_xattr) xattrs;
	BFO_VEC(struct directory) dirs;
};

/* ---- paths ---- */

/* The path of LEN bytes at TEXT as batches have them: *OUT.  "/" alone: the root. */
static errcode_t plain_path(struct put_tar *t, const char *text, size_t len, bfo_chars *out)
{
	struct bfo_member_path p = { .at = text, .end = text + len };
	errcode_t err = bfo_vec_reserve(out, len + 2);
	const char *why;

	out->n = 0;
	while (!err) {
		why = bfo_member_path_step(&p);
		if (why)
			return bfo_members_fail(&t->m, BFO_ET_DAMAGED, why);
		if (!p.len)
			break;
		out->v[out->n++] = '/';
		memcpy(out->v + out->n, p.name, p.len);
		out->n += p.len;
	}
	if (!err && !out->n)
		out->v[out->n++] = '/';
	if (!err)
		out->v[out->n] = 0;
	return err;
}

/* ---- attributes ---- */

/* Appends LEN bytes and a NUL, for which there is room; where they stand. */
static const char *keep(bfo_chars *text, const void *data, size_t len)
{
	char *at = text->v + text->n;

	if (len)
		memcpy(at, data, len);
	at[len] = 0;
	text->n += len + 1;
	return at;
}

/* *CAN: ext4 can store X.  (Lists with names of users instead of their numbers come empty.) */
static errcode_t look_at(struct put_tar *t, const struct bfo_member_xattr *x, int *can)
{
	const char *rest;
	uint8_t index;
	errcode_t err;

	*can = !x->has_index && strlen(x->name) <= XATTR_NAME_MAX &&
	       bfo_xattr_split_name(x->name, &index, &rest);
	if (!*can || (index != BFO_XATTR_ACL_ACCESS && index != BFO_XATTR_ACL_DEFAULT))
		return 0;
	t->acl.n = 0;
	err = bfo_vec_reserve(&t->acl, x->size + 1);
	if (!err)
		err = bfo_acl_from_xattr(x->value, x->size, &t->acl);
	*can = !err && t->acl.n;
	return err == BFO_ET_DAMAGED ? 0 : err;
}

/* Those of MEMBER that ext4 can store; the others are counted. */
static errcode_t take_xattrs(struct put_tar *t, const struct bfo_member *member)
{
	const char *at = member->first;
	struct bfo_member_xattr x;
	errcode_t err;
	int can;

	t->xattrs.n = 0;
	t->xattr_text.n = 0;
	err = bfo_vec_reserve(&t->xattr_text, member->end - member->first + 2 * member->xattrs);
	while (!err && bfo_member_next_xattr(member, &at, &x)) {
		err = look_at(t, &x, &can);
		t->r->left_out += !err && !can;
		if (!err && can)
			err = bfo_vec_push(&t->xattrs, (struct e2bfo_xattr) {
				.name = keep(&t->xattr_text, x.name, strlen(x.name)),
				.value = keep(&t->xattr_text, x.value, x.size), .len = x.size });
	}
	return err;
}

static struct e2bfo_time time_of(const struct bfo_member *m, enum bfo_time which)
{
	int i = m->times & 1 << which ? which : BFO_MTIME;

	return (struct e2bfo_time) { .sec = m->attrs.sec[i], .nsec = m->attrs.nsec[i],
				     .is_known = 1 };
}

static struct e2bfo_attr attr_of(const struct put_tar *t)
{
	const struct bfo_member *m = &t->member;
	struct e2bfo_attr a = {
		.size = sizeof(a),
		.set = E2BFO_SET_MODE | E2BFO_SET_UID | E2BFO_SET_GID,
		.mode = m->attrs.mode & 07777, .uid = m->attrs.uid, .gid = m->attrs.gid,
		.project = m->attrs.project, .flags = m->attrs.flags & SETTABLE,
		.atime = time_of(m, BFO_ATIME), .mtime = time_of(m, BFO_MTIME),
		.xattrs = t->xattrs.v, .n_xattrs = t->xattrs.n,
	};

	if (m->times & 1 << BFO_MTIME)
		a.set |= E2BFO_SET_ATIME | E2BFO_SET_MTIME;
	if (m->attrs.project)
		a.set |= E2BFO_SET_PROJECT;
	if (a.flags)
		a.set |= E2BFO_SET_FLAGS;
	return a;
}

/* ---- data ---- */

static errcode_t next(struct put_tar *t)
{
	return bfo_members_next(&t->m, &t->piece);
}

/* The next LEN bytes from OFFSET on: those of parts, and zeroes where there is none. */
static int fill(void *priv, uint64_t offset, void *to, size_t len)
{
	struct put_tar *t = priv;
	struct bfo_piece *p = &t->piece;
	uint64_t end = offset + len, from, till;
	errcode_t err = 0;

	memset(to, 0, len);
	while (!err && (p->kind == BFO_PIECE_PART || p->kind == BFO_PIECE_UNWRITTEN) &&
	       p->at < end) {
		from = p->at > offset ? p->at : offset;
		till = p->at + p->len < end ? p->at + p->len : end;
		if (p->kind == BFO_PIECE_PART && from < till)
			memcpy((char *) to + (from - offset),
			       (const char *) p->data + (from - p->at), till - from);
		if (p->at + p->len > end)
			break;
		err = next(t);
	}
	return err;
}

/* Goes to the next member, whatever is left of the one at hand. */
static errcode_t skip(struct put_tar *t)
{
	errcode_t err = 0;

	while (!err && (t->piece.kind == BFO_PIECE_PART || t->piece.kind == BFO_PIECE_UNWRITTEN))
		err = next(t);
	return err;
}

static errcode_t put_file(struct put_tar *t, int flags)
{
	struct e2bfo_attr attr = attr_of(t);
	struct e2bfo_content content = { .size = sizeof(content), .bytes = t->member.attrs.size,
					 .fill = fill, .priv = t };

	return batch_put(t->r, t->path.v, &content, &attr, UINT32_MAX, flags | HOW);
}

/* ---- members ---- */

static errcode_t put_link(struct put_tar *t)
{
	errcode_t err = batch_done(t->r, e2bfo_batch_link(t->r->b, t->target.v, t->path.v,
							HOW));

	/* (cpio: the last name has the data) */
	return err || !t->member.attrs.size ? err : put_file(t, E2BFO_REPLACE);
}

static errcode_t put_dir(struct put_tar *t)
{
	struct e2bfo_attr attr = attr_of(t);
	struct directory d = { .atime = attr.atime, .mtime = attr.mtime };
	int is_root = t->path.n == 1;
	errcode_t err = 0;

	if (!is_root)
		err = batch_done(t->r, e2bfo_batch_mkdir(t->r->b, t->path.v, NULL, HOW |
						       E2BFO_KEEP));
	if (!err)
		err = batch_done(t->r, e2bfo_batch_set(t->r->b, t->path.v, &attr));
	if (err || !(attr.set & E2BFO_SET_MTIME))
		return err;
	d.path = strdup(t->path.v);
	err = d.path ? bfo_vec_push(&t->dirs, d) : ENOMEM;
	if (err)
		free(d.path);
	return err;
}

static errcode_t put_other(struct put_tar *t)
{
	struct e2bfo_attr attr = attr_of(t);

	if (S_ISLNK(t->member.attrs.mode))
		return batch_done(t->r, e2bfo_batch_symlink(t->r->b, t->path.v, t->target.v, &attr,
							  HOW));
	attr.mode = t->member.attrs.mode;
	return batch_done(t->r, e2bfo_batch_mknod(t->r->b, t->path.v, &attr, t->member.attrs.major,
						t->member.attrs.minor, HOW));
}

static errcode_t put_once(struct put_tar *t)
{
	if (t->member.is_link)
		return put_link(t);
	if (S_ISDIR(t->member.attrs.mode))
		return put_dir(t);
	return S_ISREG(t->member.attrs.mode) ? put_file(t, 0) : put_other(t);
}

/* The member at hand, whose texts are copied: the next piece takes them away. */
static errcode_t take_member(struct put_tar *t)
{
	const struct bfo_member *m = t->piece.member;
	errcode_t err = 0;

	t->member = *m;
	t->target.n = 0;
	if (m->tells & BFO_TELLS_FEATURES && m->attrs.flags & FEATURES)
		return bfo_members_fail(&t->m, BFO_ET_FEATURE, "it is encrypted, has "
					"fs-verity or folds case");
	err = plain_path(t, m->path, m->path_len, &t->path);
	if (!err && m->is_link)
		err = plain_path(t, m->target, m->target_len, &t->target);
	else if (!err && !(err = bfo_vec_reserve(&t->target, (size_t) m->target_len + 1)))
		keep(&t->target, m->target, m->target_len);
	return err ? err : take_xattrs(t, m);
}

/* No commit takes a member apart, though it may be several operations. */
static errcode_t put_member(struct put_tar *t)
{
	errcode_t err = take_member(t);

	t->r->lines.line++;
	if (!err)
		err = next(t);
	if (!err)
		err = batch_told(t->r, e2bfo_batch_hold(t->r->b, 1));
	if (!err)
		err = put_once(t);
	if (err == BFO_ET_EXISTS || (err == BFO_ET_NOT_DIR && S_ISDIR(t->member.attrs.mode))) {
		err = batch_done(t->r, e2bfo_batch_remove(t->r->b, t->path.v, 0));
		if (!err)
			err = put_once(t);
	}
	if (!err)
		err = batch_told(t->r, e2bfo_batch_hold(t->r->b, 0));
	return err ? err : skip(t);
}

/* Those that are there still. */
static errcode_t set_times(struct put_tar *t)
{
	errcode_t err = 0;
	size_t i;

	for (i = t->dirs.n; i-- && !err;) {
		struct e2bfo_attr attr = {
			.size = sizeof(attr), .set = E2BFO_SET_ATIME | E2BFO_SET_MTIME,
			.atime = t->dirs.v[i].atime, .mtime = t->dirs.v[i].mtime,
		};

		err = e2bfo_batch_set(t->r->b, t->dirs.v[i].path, &attr);
		if (err != BFO_ET_NO_PATH && err != BFO_ET_NOT_DIR)
			err = batch_done(t->r, err);
		else
			err = 0;
	}
	return err;
}

static errcode_t walk(struct put_tar *t)
{
	errcode_t err = next(t);

	while (!err && t->piece.kind != BFO_PIECE_END) {
		err = put_member(t);
		t->r->is_broken = err != 0;
	}
	return err ? err : set_times(t);
}

/* How it is parsed: what it is, its parser finds out. */
static errcode_t start(struct put_tar *t, int fd, const char *name)
{
	struct bfo_parse parse = { .in = fd, .filters = 1, .tar = 1, .cpio = 1,
				   .data = BFO_PARSE_ALL };

	if (!bfo_parse_is_built())
		return bfo_fail(&t->r->ctx, BFO_ET_NO_LIBARCHIVE, "opening %s", name);
	return bfo_members_start(&t->m, &t->r->ctx, name, &parse);
}

errcode_t batch_put_tar(struct batch_run *r)
{
	int is_stdin = !strcmp(r->opt->tar, "-");
	const char *name = is_stdin ? "standard input" : r->opt->tar;
	int fd = STDIN_FILENO;
	errcode_t err = is_stdin ? 0 : bfo_input_open(&r->ctx, name, 0, &fd);
	struct put_tar t = { .r = r };
	size_t i;

	if (err)
		return bfo_fail(&r->ctx, err, "opening %s", name);
	err = start(&t, fd, name);
	if (!err)
		err = walk(&t);
	bfo_members_stop(&t.m);
	if (!is_stdin)
		close(fd);
	for (i = 0; i < t.dirs.n; i++)
		free(t.dirs.v[i].path);
	bfo_vec_free(&t.dirs);
	bfo_vec_free(&t.path);
	bfo_vec_free(&t.target);
	bfo_vec_free(&t.xattr_text);
	bfo_vec_free(&t.acl);
	bfo_vec_free(&t.xattrs);
	return err;
}
