// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * parse_entry.c - what an entry of libarchive says of a member
 *
 *  - Names of attributes are encoded like URLs in some archives, and it does not decode all of them
 *    (xattr_codes.h).
 *  - -1.5 seconds come as -1 and 0.5.  (What is between -1 and 0 has lost its sign by then.)
 */
#ifdef HAVE_LIBARCHIVE

#include <archive.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "intake/parse_entry.h"
#include "intake/xattr_codes.h"
#include "tree/acl.h"

/* ---- extended attributes ---- */

static void *keep(struct bfo_parse_entry *e, size_t bytes)
{
	char *v = malloc(bytes);

	if (v && bfo_vec_push(&e->made, v)) {
		free(v);
		return NULL;
	}
	return v;
}

/* Names without their %XX. */
static errcode_t decode_names(struct bfo_parse_entry *e)
{
	size_t i, bytes = e->xattrs.n;
	char *room;

	for (i = 0; i < e->xattrs.n; i++)
		bytes += 2 * (strlen(e->xattrs.v[i].name) + 1);
	room = keep(e, bytes);
	if (!room)
		return ENOMEM;
	e->xattrs.n = bfo_xattr_codes_resolve(e->xattrs.v, e->xattrs.n, room);
	return 0;
}

static errcode_t take_xattrs(struct bfo_parse_entry *e)
{
	struct bfo_member_xattr x = { .name = NULL };
	errcode_t err = 0;
	const void *value;
	size_t size;

	archive_entry_xattr_reset(e->entry);
	while (!err && archive_entry_xattr_next(e->entry, &x.name, &value, &size) == ARCHIVE_OK) {
		if (!x.name || !*x.name)
			continue;
		x.value = value ? value : "";
		x.size = value && size <= BFO_FRAME_MOST ? size : 0;
		if (size > BFO_FRAME_MOST)
			return BFO_ET_OVERFLOW;
		err = bfo_vec_push(&e->xattrs, x);
	}
	return err ? err : e->xattrs.n ? decode_names(e) : 0;
}

/* ---- access control lists ---- */

/* What libarchive calls bfo_acl_kinds. */
static const int tags[BFO_ACL_KINDS] = {
	ARCHIVE_ENTRY_ACL_USER_OBJ, ARCHIVE_ENTRY_ACL_USER, ARCHIVE_ENTRY_ACL_GROUP_OBJ,
	ARCHIVE_ENTRY_ACL_GROUP, ARCHIVE_ENTRY_ACL_MASK, ARCHIVE_ENTRY_ACL_OTHER,
};

/*
 * Entries of kind I of the list of TYPE, behind the *N that LIST has.  0: one has no number.  (It
 * may be too large for libarchive, which makes INT_MAX of it.)
 */
static int put_entries(struct bfo_parse_entry *e, int type, size_t i, char *list, size_t *n)
{
	int t, permset, tag, id;
	const char *name;

	archive_entry_acl_reset(e->entry, type);
	while (!archive_entry_acl_next(e->entry, type, &t, &permset, &tag, &id, &name)) {
		struct bfo_acl_entry one = { .tag = bfo_acl_kinds[i].tag,
					     .may = permset & BFO_ACL_PERMISSIONS,
					     .id = BFO_ACL_NO_ID };

		if (tag != tags[i])
			continue;
		if (bfo_acl_kinds[i].has_id && (id < 0 || id == INT_MAX))
			return 0;
		if (bfo_acl_kinds[i].has_id)
			one.id = id;
		bfo_acl_put(list, (*n)++, &one);
	}
	return 1;
}

/*
 * The group's permissions in a mode are the mask, if there is one; libarchive has put those of
 * the group's entry there.
 */
static void set_mask(const char *list, size_t entries, uint16_t *mode)
{
	size_t i;

	for (i = 0; i < entries; i++) {
		struct bfo_acl_entry e = bfo_acl_get(list, i);

		if (e.tag == BFO_ACL_MASK)
			*mode = (*mode & ~S_IRWXG) | e.may << 3;
	}
}

/*
 * A list that has names without numbers, as GNU tar writes them: the attribute X stands beside it,
 * with the numbers, or it will be said to be lost, as it has no value then, which is no list.
 */
static errcode_t take_numbers(struct bfo_parse_entry *e, const struct bfo_member_xattr *x,
			      uint16_t *mode)
{
	const void *value;
	const char *name;
	size_t size;

	archive_entry_xattr_reset(e->entry);
	while (archive_entry_xattr_next(e->entry, &name, &value, &size) == ARCHIVE_OK) {
		if (!name || strcmp(name, x->name) || !value || size < BFO_ACL_SEEN_BYTES(0))
			continue;
		if (mode)
			set_mask(value, (size - BFO_ACL_SEEN_BYTES(0)) / 8, mode);
		return 0;
	}
	return bfo_vec_push(&e->xattrs, *x);
}

/* A list becomes the attribute that the kernel shows.  MODE: NULL, or that of its file. */
static errcode_t take_acl(struct bfo_parse_entry *e, int type, const char *name, uint16_t *mode)
{
	int count = archive_entry_acl_reset(e->entry, type);
	struct bfo_member_xattr x = { .name = name };
	size_t i, n = 0;
	char *list;

	if (!count)
		return 0;
	list = keep(e, BFO_ACL_SEEN_BYTES(count + 3));
	if (!list)
		return ENOMEM;
	bfo_acl_begin(list);
	x.value = list;
	for (i = 0; i < BFO_ACL_KINDS; i++)
		if (!put_entries(e, type, i, list, &n))
			return take_numbers(e, &(struct bfo_member_xattr) { .name = name }, mode);
	x.size = BFO_ACL_SEEN_BYTES(n);
	if (mode)
		set_mask(list, n, mode);
	return bfo_vec_push(&e->xattrs, x);
}

/* ---- all of a member ---- */

static void set_time(struct bfo_member *m, enum bfo_time which, int is_set, int64_t sec, long nsec)
{
	if (!is_set)
		return;
	if (sec < 0 && nsec > 0) {
		sec--;
		nsec = 1000000000 - nsec;
	}
	m->times |= 1U << which;
	m->attrs.sec[which] = sec;
	m->attrs.nsec[which] = nsec;
}

static void take_times(struct archive_entry *e, struct bfo_member *m)
{
	set_time(m, BFO_MTIME, archive_entry_mtime_is_set(e), archive_entry_mtime(e),
		 archive_entry_mtime_nsec(e));
	set_time(m, BFO_ATIME, archive_entry_atime_is_set(e), archive_entry_atime(e),
		 archive_entry_atime_nsec(e));
	set_time(m, BFO_CTIME, archive_entry_ctime_is_set(e), archive_entry_ctime(e),
		 archive_entry_ctime_nsec(e));
	set_time(m, BFO_CRTIME, archive_entry_birthtime_is_set(e), archive_entry_birthtime(e),
		 archive_entry_birthtime_nsec(e));
}

/* Its names, and whose it is; a reason why that cannot be. */
static const char *take_attrs(struct archive_entry *e, struct bfo_member *m)
{
	unsigned long set, clear;

	m->path = archive_entry_pathname(e);
	m->target = archive_entry_hardlink(e);
	m->is_link = m->target != NULL;
	if (!m->target)
		m->target = archive_entry_symlink(e);
	if (!m->path)
		return "a member has no name";
	m->path_len = strlen(m->path);
	m->target_len = m->target ? strlen(m->target) : 0;
	if (archive_entry_uid(e) < 0 || archive_entry_uid(e) > UINT32_MAX ||
	    archive_entry_gid(e) < 0 || archive_entry_gid(e) > UINT32_MAX)
		return "owner or group is no number below 2^32";
	if (archive_entry_size(e) < 0)
		return "a size is negative";
	m->attrs.uid = archive_entry_uid(e);
	m->attrs.gid = archive_entry_gid(e);
	m->attrs.mode = archive_entry_mode(e);
	m->attrs.size = archive_entry_size(e);
	if (S_ISCHR(m->attrs.mode) || S_ISBLK(m->attrs.mode)) {
		m->attrs.major = archive_entry_rdevmajor(e);
		m->attrs.minor = archive_entry_rdevminor(e);
	}
	archive_entry_fflags(e, &set, &clear);
	m->attrs.flags = set;
	take_times(e, m);
	return NULL;
}

errcode_t bfo_parse_entry_read(struct bfo_parse_entry *e, struct bfo_member *m, const char **why)
{
	errcode_t err;

	*why = take_attrs(e->entry, m);
	if (*why)
		return BFO_ET_DAMAGED;
	err = take_acl(e, ARCHIVE_ENTRY_ACL_TYPE_ACCESS, "system.posix_acl_access",
		       &m->attrs.mode);
	if (!err)
		err = take_acl(e, ARCHIVE_ENTRY_ACL_TYPE_DEFAULT, "system.posix_acl_default",
			       NULL);
	/* ext4 has no such lists: as one that is none, it will be said to be lost */
	if (!err && archive_entry_acl_types(e->entry) & ARCHIVE_ENTRY_ACL_TYPE_NFS4)
		err = bfo_vec_push(&e->xattrs, (struct bfo_member_xattr) {
				   .name = "system.posix_acl_access" });
	if (!err)
		err = take_xattrs(e);
	m->xattrs = e->xattrs.n;
	return err;
}

void bfo_parse_entry_forget(struct bfo_parse_entry *e)
{
	while (e->made.n)
		free(e->made.v[--e->made.n]);
	e->xattrs.n = 0;
}

void bfo_parse_entry_free(struct bfo_parse_entry *e)
{
	bfo_parse_entry_forget(e);
	bfo_vec_free(&e->xattrs);
	bfo_vec_free(&e->made);
}

#endif
