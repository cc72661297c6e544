// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extract_xattrs.c - extended attributes, as programs see them
 *
 * What is open is asked by its descriptor, all else by what /proc calls it: from there on nothing
 * is followed, also not where it is a symbolic link itself.
 *
 * A filesystem says ENOSPC both if it is full and if an inode has no room for more; so we look
 * whether it is full.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

#include "base/bfo_err.h"
#include "export/extract_state.h"
#include "tree/acl.h"

#define PROC_BYTES sizeof("/proc/self/fd/-2147483648")

static const char *proc_path(const struct bfo_extract_subject *to, char *out)
{
	snprintf(out, PROC_BYTES, "/proc/self/fd/%d", to->fd);
	return out;
}

static int set_xattr(const struct bfo_extract_subject *to, const char *name, const void *value,
		     size_t size)
{
	char path[PROC_BYTES];
	int ret = to->is_open ? fsetxattr(to->fd, name, value, size, 0)
			      : setxattr(proc_path(to, path), name, value, size, 0);

	return ret ? errno : 0;
}

static int is_full(int fd)
{
	struct statvfs fs;

	return fstatvfs(fd, &fs) || !fs.f_bavail || (fs.f_files && !fs.f_favail);
}

/* True if ERR, of setting an attribute, is no failure but a loss. */
static int is_loss(const struct bfo_extract_subject *to, int err)
{
	switch (err) {
	case EPERM:
	case EACCES:
	case EOPNOTSUPP:
	case EINVAL:
	case E2BIG:
	case ERANGE:
	case ENAMETOOLONG:
		return 1;
	case ENOSPC:
		return !is_full(to->fd);
	}
	return 0;
}

static int is_left_out(struct bfo_extract *s, const char *name, size_t len)
{
	if (!s->opt.n_no_xattrs)
		return 0;
	bfo_globs_begin(&s->no_xattrs, s->match);
	bfo_globs_feed(&s->no_xattrs, s->match, "/", 1);
	bfo_globs_feed(&s->no_xattrs, s->match, name, len);
	return bfo_globs_match(&s->no_xattrs, s->match, 0);
}

/*
 * Sets X, which is NAME to programs; BFO_ET_DAMAGED: a list that is none, or is of another mode.
 */
static errcode_t put(struct bfo_extract *s, const struct bfo_extract_subject *to, uint16_t mode,
		     const struct bfo_xattr *x, const char *name)
{
	errcode_t err;

	if (!bfo_xattr_is_acl(x))
		return set_xattr(to, name, x->value, x->size);
	s->value.n = 0;
	err = bfo_acl_to_xattr(x->value, x->size, &s->value);
	if (!err && x->name_index == BFO_XATTR_ACL_ACCESS &&
	    !bfo_acl_agrees(s->value.v, s->value.n, mode))
		err = BFO_ET_DAMAGED;
	return err ? err : set_xattr(to, name, s->value.v, s->value.n);
}

static enum bfo_extract_kind kind_of(const struct bfo_xattr *x)
{
	if (bfo_xattr_is_acl(x))
		return BFO_NOTE_ACL;
	return bfo_xattr_is_capability(x) ? BFO_NOTE_CAPABILITY : BFO_NOTE_XATTR;
}

static errcode_t put_or_note(struct bfo_extract *s, const struct bfo_extract_subject *to,
			     uint16_t mode, const struct bfo_xattr *x)
{
	char name[BFO_XATTR_NAME_MAX + 1];
	enum bfo_extract_kind kind = kind_of(x);
	size_t len = bfo_xattr_name(x, name);
	errcode_t err;

	name[len] = 0;
	if (is_left_out(s, name, len))
		return bfo_extract_note(s, BFO_LEFT_XATTR, to->path, to->path_len);
	if (kind == BFO_NOTE_CAPABILITY && s->opt.no_suid)
		return bfo_extract_note(s, BFO_LEFT_CAPABILITY, to->path, to->path_len);
	err = strlen(name) < len || !bfo_xattr_prefix(x->name_index) ? EINVAL :
	      put(s, to, mode, x, name);
	if (err == BFO_ET_DAMAGED || (err && is_loss(to, err)))
		return bfo_extract_note(s, kind, to->path, to->path_len);
	return err;
}

void bfo_extract_xattrs_drop(const struct bfo_extract_subject *to, uint16_t mode)
{
	static const char *const names[] = { "system.posix_acl_access",
					     "system.posix_acl_default" };
	char path[PROC_BYTES];
	int i;

	if (S_ISLNK(mode))
		return;
	for (i = 0; i < 1 + !!S_ISDIR(mode); i++) {
		if (to->is_open)
			fremovexattr(to->fd, names[i]);
		else
			removexattr(proc_path(to, path), names[i]);
	}
}

errcode_t bfo_extract_xattrs(struct bfo_extract *s, const struct bfo_extract_subject *to,
			     const struct bfo_attrs *attrs, const bfo_xattrs *set, int capabilities)
{
	errcode_t err = 0;
	size_t i;

	if (to->inherits && !capabilities)
		bfo_extract_xattrs_drop(to, attrs->mode);
	for (i = 0; i < set->n && !err; i++) {
		const struct bfo_xattr *x = &set->v[i];

		if (!bfo_xattr_is_data(x) && !bfo_xattr_is_capability(x) == !capabilities)
			err = put_or_note(s, to, attrs->mode, x);
	}
	return err;
}
