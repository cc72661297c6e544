// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_attrs.c - attributes that operations of a batch set, and what they forbid
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "edit/eas.h"
#include "job/batch_packed.h"

/* Flags that a user may change, and those of them that only directories have. */
#define USER_FLAGS (EXT2_SECRM_FL | EXT2_UNRM_FL | EXT2_SYNC_FL | EXT2_IMMUTABLE_FL | \
		    EXT2_APPEND_FL | EXT2_NODUMP_FL | EXT2_NOATIME_FL | EXT3_JOURNAL_DATA_FL | \
		    EXT2_NOTAIL_FL | EXT2_DIRSYNC_FL | EXT2_TOPDIR_FL | EXT4_PROJINHERIT_FL)
#define DIR_FLAGS (EXT2_DIRSYNC_FL | EXT2_TOPDIR_FL)
#define INHERITED (USER_FLAGS & ~(EXT2_IMMUTABLE_FL | EXT2_APPEND_FL | EXT2_TOPDIR_FL))
#define FILE_FLAGS (EXT2_IMMUTABLE_FL | EXT2_APPEND_FL | EXT3_JOURNAL_DATA_FL | EXT2_SYNC_FL)

/* What forbids changes: a flag, and what helps. */
static const struct obstacle {
	uint32_t flag;
	errcode_t err;
	const char *help;
} obstacles[] = {
	{ EXT2_IMMUTABLE_FL, BFO_ET_IMMUTABLE, "clear its flag i before" },
	{ EXT2_APPEND_FL, BFO_ET_APPEND_ONLY, "clear its flag a before" },
	{ EXT4_ENCRYPT_FL, BFO_ET_ENCRYPTED, "mount it and add its key for that" },
	{ EXT4_VERITY_FL, BFO_ET_VERITY, "remove it and make another one" },
	{ EXT4_CASEFOLD_FL, BFO_ET_CASEFOLD, "mount it for that" },
	{ EXT4_EA_INODE_FL, BFO_ET_OWN_FILE, "it has the value of an attribute" },
};

static errcode_t forbids(struct bfo_batch *b, const struct bfo_draft *n, uint32_t flags)
{
	const char *kind = S_ISDIR(bfo_draft_mode(n)) ? "directory" : "file";
	size_t i;

	for (i = 0; i < sizeof(obstacles) / sizeof(*obstacles); i++)
		if (bfo_draft_flags(n) & flags & obstacles[i].flag)
			return bfo_fail(b->ctx, obstacles[i].err, "%s with inode %u; %s", kind,
					n->ino, obstacles[i].help);
	return 0;
}

errcode_t bfo_batch_may_gain(struct bfo_batch *b, const struct bfo_draft *dir)
{
	return forbids(b, dir, EXT2_IMMUTABLE_FL | EXT4_ENCRYPT_FL | EXT4_CASEFOLD_FL);
}

errcode_t bfo_batch_may_lose(struct bfo_batch *b, const struct bfo_draft *dir)
{
	return forbids(b, dir, EXT2_IMMUTABLE_FL | EXT2_APPEND_FL | EXT4_ENCRYPT_FL |
		       EXT4_CASEFOLD_FL);
}

errcode_t bfo_batch_may_change(struct bfo_batch *b, const struct bfo_draft *n)
{
	return forbids(b, n, EXT2_IMMUTABLE_FL | EXT2_APPEND_FL | EXT4_EA_INODE_FL);
}

errcode_t bfo_batch_may_write(struct bfo_batch *b, const struct bfo_draft *n, int append)
{
	uint32_t flags = EXT2_IMMUTABLE_FL | EXT4_ENCRYPT_FL | EXT4_VERITY_FL | EXT4_EA_INODE_FL;

	if (S_ISDIR(bfo_draft_mode(n)))
		return BFO_ET_IS_DIR;
	if (!S_ISREG(bfo_draft_mode(n)))
		return BFO_ET_NOT_FILE;
	return forbids(b, n, append ? flags : flags | EXT2_APPEND_FL);
}

errcode_t bfo_batch_may_read(struct bfo_batch *b, const struct bfo_draft *n)
{
	if (S_ISDIR(bfo_draft_mode(n)))
		return BFO_ET_IS_DIR;
	return S_ISREG(bfo_draft_mode(n)) ? forbids(b, n, EXT4_ENCRYPT_FL) : BFO_ET_NOT_FILE;
}

/* ---- setting ---- */

static errcode_t set_xattrs(struct bfo_batch *b, struct bfo_draft *n,
			    const struct bfo_batch_attr *attr)
{
	_Static_assert(sizeof(struct bfo_edit_xattr) == sizeof(struct bfo_batch_xattr),
		       "one is handed on as the other");

	return !attr->n_xattrs ? 0 :
	       bfo_draft_set_xattrs(&b->edit, n, (const struct bfo_edit_xattr *) attr->xattrs,
				   attr->n_xattrs);
}

static void set_flags(struct bfo_draft *n, uint32_t flags)
{
	uint32_t mode = bfo_draft_mode(n), may = USER_FLAGS;

	if (!S_ISDIR(mode))
		may &= ~DIR_FLAGS;
	if (!S_ISDIR(mode) && !S_ISREG(mode))
		may &= ~FILE_FLAGS;
	n->raw->i_flags = to_le32((bfo_draft_flags(n) & ~may) | (flags & may));
}

static errcode_t set_fields(struct bfo_batch *b, struct bfo_draft *n,
			    const struct bfo_batch_attr *a)
{
	if (a->set & BFO_BATCH_MODE)
		n->raw->i_mode = to_le16((bfo_draft_mode(n) & S_IFMT) | (a->mode & 07777));
	if (a->set & (BFO_BATCH_UID | BFO_BATCH_GID))
		bfo_draft_set_owner(n, a->set & BFO_BATCH_UID ? a->uid : bfo_draft_uid(n),
				   a->set & BFO_BATCH_GID ? a->gid : bfo_draft_gid(n));
	if (a->set & BFO_BATCH_FLAGS)
		set_flags(n, a->flags);
	if (a->set & BFO_BATCH_PROJECT && !bfo_draft_set_project(&b->edit, n, a->project))
		return bfo_fail(b->ctx, BFO_ET_FEATURE, "setting the project of inode %u", n->ino);
	return 0;
}

errcode_t bfo_batch_apply_times(struct bfo_batch *b, struct bfo_draft *n,
				const struct bfo_batch_attr *a)
{
	if (a && a->set & BFO_BATCH_ATIME)
		bfo_draft_set_time(&b->edit, n, BFO_DRAFT_ATIME, a->atime);
	if (a && a->set & BFO_BATCH_MTIME)
		bfo_draft_set_time(&b->edit, n, BFO_DRAFT_MTIME, a->mtime);
	if (a && a->set & BFO_BATCH_CRTIME)
		bfo_draft_set_time(&b->edit, n, BFO_DRAFT_CRTIME, a->crtime);
	return 0;
}

/* A draft as it was before attributes were set. */
struct before {
	void *raw, *ea;
	size_t released;
};

static errcode_t keep(struct bfo_batch *b, const struct bfo_draft *n, struct before *was)
{
	*was = (struct before) { .raw = malloc(b->vol->inode_size),
				 .released = b->edit.released.n };
	if (was->raw && n->ea)
		was->ea = malloc(b->vol->block_size);
	if (!was->raw || (n->ea && !was->ea)) {
		free(was->raw);
		return ENOMEM;
	}
	memcpy(was->raw, n->raw, b->vol->inode_size);
	if (n->ea)
		memcpy(was->ea, n->ea, b->vol->block_size);
	return 0;
}

static void restore(struct bfo_batch *b, struct bfo_draft *n, struct before *was)
{
	memcpy(n->raw, was->raw, b->vol->inode_size);
	free(n->ea);
	n->ea = was->ea;
	was->ea = NULL;
	b->edit.released.n = was->released;
}

static errcode_t apply(struct bfo_batch *b, struct bfo_draft *n, const struct bfo_batch_attr *a)
{
	errcode_t err = set_fields(b, n, a);

	if (!err && a->set & BFO_BATCH_MODE)
		err = bfo_draft_follow_mode(&b->edit, n);
	return err ? err : set_xattrs(b, n, a);
}

errcode_t bfo_batch_apply(struct bfo_batch *b, struct bfo_draft *n, const struct bfo_batch_attr *a)
{
	struct before was;
	errcode_t err;

	if (!a)
		return 0;
	err = keep(b, n, &was);
	if (err)
		return err;
	err = apply(b, n, a);
	if (err)
		restore(b, n, &was);
	free(was.raw);
	free(was.ea);
	if (err)
		return err;
	bfo_draft_touch(&b->edit, n, 0);
	bfo_draft_change(&b->edit, n);
	return bfo_batch_apply_times(b, n, a);
}

/* What N, which is new, takes over from DIR, as ext4_new_inode() of the kernel has it. */
static errcode_t inherit(struct bfo_batch *b, struct bfo_draft *dir, struct bfo_draft *n)
{
	uint32_t mode = bfo_draft_mode(n), flags = bfo_draft_flags(dir) & INHERITED;

	if (flags & EXT4_PROJINHERIT_FL)
		bfo_draft_set_project(&b->edit, n, bfo_draft_project(&b->edit, dir));
	if (!S_ISDIR(mode))
		flags &= ~EXT4_PROJINHERIT_FL;
	if (!S_ISDIR(mode) && !S_ISREG(mode))
		flags &= EXT2_NODUMP_FL | EXT2_NOATIME_FL;
	set_flags(n, flags);
	if (bfo_draft_mode(dir) & S_ISGID) {
		bfo_draft_set_owner(n, bfo_draft_uid(n), bfo_draft_gid(dir));
		if (S_ISDIR(mode))
			n->raw->i_mode |= to_le16(S_ISGID);
	}
	return S_ISLNK(mode) ? 0 : bfo_draft_inherit_acl(&b->edit, dir, n);
}

errcode_t bfo_batch_new(struct bfo_batch *b, struct bfo_draft *dir, uint32_t mode,
			const struct bfo_batch_attr *attr, int flags, struct bfo_draft **draft)
{
	struct bfo_batch_attr rest = { 0 };
	errcode_t err;

	if (attr)
		rest = *attr;
	if (rest.set & BFO_BATCH_MODE)
		mode = (mode & S_IFMT) | (rest.mode & 07777);
	rest.set &= ~BFO_BATCH_MODE;
	err = bfo_draft_make(&b->edit, mode, draft);
	if (err)
		return err;
	bfo_draft_set_links(*draft, S_ISDIR(mode) ? 2 : 1);
	if (!(flags & BFO_BATCH_EXACT))
		err = inherit(b, dir, *draft);
	if (!err)
		err = apply(b, *draft, &rest);
	if (err)
		bfo_draft_drop(&b->edit, *draft);
	return err ? err : bfo_batch_apply_times(b, *draft, &rest);
}

errcode_t bfo_batch_set(struct bfo_batch *b, const char *path, const struct bfo_batch_attr *attr)
{
	struct bfo_batch_way way;
	errcode_t err = bfo_batch_begin(b);

	if (err)
		return err;
	err = bfo_batch_find(b, path, &way);
	if (!err && !(attr->set & BFO_BATCH_FLAGS))
		err = bfo_batch_may_change(b, way.draft);
	if (!err)
		err = bfo_batch_apply(b, way.draft, attr);
	if (attr->set & BFO_BATCH_FLAGS && attr->flags & EXT2_IMMUTABLE_FL)
		bfo_batch_doubt_plain(b);
	return bfo_batch_end(b, err, "setting attributes of", path);
}
