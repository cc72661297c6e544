// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dir_stat.c - one inode of a mounted filesystem: what it says of itself
 *
 *   statx ──> attributes, the only call that always tells something
 *   ioctl ──> flags, project, generation		of files and directories that can be opened
 *   list, get ──> extended attributes
 *
 * A filesystem that answers once that it does not know an ioctl is not asked again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <linux/fs.h>
#include <linux/magic.h>

#include "base/bfo_err.h"
#include "intake/dir_state.h"
#include "intake/xattr_names.h"
#include "tree/acl.h"

#define VALUE_MAX (64U << 10)	/* XATTR_SIZE_MAX; a list of names is no longer */
#define VALUE_FIRST 1024U	/* tried first: the kernel allocates as much as it is offered */

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif

errcode_t bfo_dir_device(struct bfo_dir *d, const struct statx *st, int fd, uint32_t *index)
{
	struct bfo_dir_device dev = { .major = st->stx_dev_major, .minor = st->stx_dev_minor };
	struct statfs fs;
	uint32_t i = *index;

	if (i < d->devices.n && d->devices.v[i].major == dev.major &&
	    d->devices.v[i].minor == dev.minor)
		return 0;
	for (i = 0; i < d->devices.n; i++)
		if (d->devices.v[i].major == dev.major && d->devices.v[i].minor == dev.minor)
			break;
	*index = i;
	if (i < d->devices.n)
		return 0;
	dev.is_xfs = !fstatfs(fd, &fs) && fs.f_type == XFS_SUPER_MAGIC;
	return bfo_vec_push(&d->devices, dev);
}

/* Times change with whatever is done to an inode; odd factors keep differences apart. */
uint64_t bfo_dir_stamp(const struct statx *st)
{
	uint64_t c = st->stx_ctime.tv_sec * 1000000000ULL + st->stx_ctime.tv_nsec;
	uint64_t m = st->stx_mtime.tv_sec * 1000000000ULL + st->stx_mtime.tv_nsec;

	return c * 0x9e3779b97f4a7c15ULL + m;
}

static void set_time(struct bfo_attrs *a, enum bfo_time which, const struct statx_timestamp *t)
{
	a->sec[which] = t->tv_sec;
	a->nsec[which] = t->tv_nsec;
}

static struct bfo_attrs attrs_of(const struct statx *st)
{
	struct bfo_attrs a = { .size = st->stx_size, .mode = st->stx_mode, .uid = st->stx_uid,
			       .gid = st->stx_gid, .nlink = st->stx_nlink,
			       .major = st->stx_rdev_major, .minor = st->stx_rdev_minor,
			       .has_crtime = !!(st->stx_mask & STATX_BTIME) };

	set_time(&a, BFO_MTIME, &st->stx_mtime);
	set_time(&a, BFO_ATIME, &st->stx_atime);
	set_time(&a, BFO_CTIME, &st->stx_ctime);
	if (a.has_crtime)
		set_time(&a, BFO_CRTIME, &st->stx_btime);
	return a;
}

/* ---- what only ioctls tell ---- */

/* True if the filesystem of F knows ioctl REQUEST, which LACKS stands for, and answered. */
static int ask(struct bfo_dir *d, const struct bfo_dir_found *f, uint32_t lacks,
	       unsigned long request, void *answer)
{
	struct bfo_dir_device *dev = &d->devices.v[f->device];

	if (dev->lacks & lacks)
		return 0;
	if (!ioctl(f->fd, request, answer))
		return 1;
	if (errno == ENOTTY || errno == EOPNOTSUPP || errno == EINVAL || errno == ENOSYS)
		dev->lacks |= lacks;
	return 0;
}

static void ask_all(struct bfo_dir *d, struct bfo_dir_found *f, struct bfo_attrs *a)
{
	struct fsxattr fsx = { 0 };
	unsigned long flags = 0, generation = 0;	/* the kernel fills the lower half */

	if (ask(d, f, BFO_DIR_NO_FLAGS, FS_IOC_GETFLAGS, &flags)) {
		a->flags = flags;
		d->told |= BFO_UNKNOWN_FLAGS;
		f->is_featured |= !!(flags & (FS_VERITY_FL | FS_CASEFOLD_FL));
	}
	if (ask(d, f, BFO_DIR_NO_PROJECT, FS_IOC_FSGETXATTR, &fsx)) {
		a->project = fsx.fsx_projid;
		f->xflags = fsx.fsx_xflags;
		d->told |= BFO_UNKNOWN_PROJECT;
	}
	if (ask(d, f, BFO_DIR_NO_GENERATION, FS_IOC_GETVERSION, &generation)) {
		a->generation = generation;
		d->told |= BFO_UNKNOWN_GENERATION;
	}
}

/* ---- extended attributes ---- */

/*
 * What the calls are given: a descriptor; or, of what is not open for reading, a path.  /proc knows
 * our descriptors, but it would follow one that is a symbolic link's: that goes by its parent's.
 */
struct subject {
	int fd;				/* -1: by the path */
	char path[BFO_DIR_NAME_BYTES + 64];
};

static void choose_subject(const struct bfo_dir_found *f, int parent, const char *name,
			   struct subject *s)
{
	int is_link = S_ISLNK(f->st.stx_mode);

	s->fd = (S_ISREG(f->st.stx_mode) || S_ISDIR(f->st.stx_mode)) && !f->error ? f->fd : -1;
	if (s->fd < 0)
		snprintf(s->path, sizeof(s->path), "/proc/self/fd/%d%s%s",
			 is_link ? parent : f->fd, is_link ? "/" : "", is_link ? name : "");
}

static ssize_t list_into(const struct subject *s, const struct statx *st, char *to, size_t room)
{
	if (s->fd >= 0)
		return flistxattr(s->fd, to, room);
	return S_ISLNK(st->stx_mode) ? llistxattr(s->path, to, room)
				     : listxattr(s->path, to, room);
}

static ssize_t list_names(const struct subject *s, const struct statx *st, char *to)
{
	ssize_t len = list_into(s, st, to, VALUE_FIRST);

	return len < 0 && errno == ERANGE ? list_into(s, st, to, VALUE_MAX) : len;
}

static ssize_t get_into(const struct subject *s, const struct statx *st, const char *name,
			void *to, size_t room)
{
	if (s->fd >= 0)
		return fgetxattr(s->fd, name, to, room);
	return S_ISLNK(st->stx_mode) ? lgetxattr(s->path, name, to, room)
				     : getxattr(s->path, name, to, room);
}

static ssize_t get_value(const struct subject *s, const struct statx *st, const char *name,
			 void *to)
{
	ssize_t len = get_into(s, st, name, to, VALUE_FIRST);

	return len < 0 && errno == ERANGE ? get_into(s, st, name, to, VALUE_MAX) : len;
}

/* XFS shows what it stores of an access control list as an attribute, too. */
static int is_shown_twice(const char *name)
{
	static const char prefix[] = "trusted.SGI_ACL_";

	return !strncmp(name, prefix, sizeof(prefix) - 1);
}

/*
 * Appends attribute NAME to the set; its value is a place in d->values for now.  *ODD becomes 1 if
 * ext4 has none for it.  An errno of reading it.
 */
static errcode_t add_attribute(struct bfo_dir *d, const struct subject *s, const struct statx *st,
			       const char *name, int *odd)
{
	struct bfo_xattr x = { 0 };
	size_t at = d->values.n;
	errcode_t err;
	ssize_t len;

	if (is_shown_twice(name))
		return 0;
	if (!bfo_xattr_split_name(name, &x.name_index, &x.name)) {
		*odd = 1;
		return 0;
	}
	x.name_len = strlen(x.name);
	/* of a list also what ext4 stores, which is made of the one behind the other */
	err = bfo_vec_reserve(&d->values, 2 * VALUE_MAX);
	if (err)
		return err;
	len = get_value(s, st, name, d->values.v + at);
	if (len < 0)
		return errno == ENODATA ? 0 : errno;
	d->values.n += len;
	if (bfo_xattr_is_acl(&x)) {
		err = bfo_acl_from_xattr(d->values.v + at, len, &d->values);
		if (err && err != BFO_ET_DAMAGED)
			return err;
		at += len;
		*odd |= !!err;
		if (d->values.n == at)
			return 0;
	}
	x.size = d->values.n - at;
	x.value = (const void *) (uintptr_t) at;
	return bfo_vec_push(&d->set, x);
}

/* All attributes of F into d->set.  *ODD as above. */
static errcode_t list_attributes(struct bfo_dir *d, const struct bfo_dir_found *f, int parent,
				 const char *name, int *odd)
{
	struct bfo_dir_device *dev = &d->devices.v[f->device];
	struct subject s;
	errcode_t err = 0;
	ssize_t len, at;
	size_t i;

	d->set.n = d->values.n = 0;
	if (dev->lacks & BFO_DIR_NO_XATTR)
		return 0;
	choose_subject(f, parent, name, &s);
	len = list_names(&s, &f->st, d->buffer);
	if (len < 0 && errno == EOPNOTSUPP) {
		dev->lacks |= BFO_DIR_NO_XATTR;
		return 0;
	}
	if (len < 0)
		return errno;
	for (at = 0; at < len && !err; at += strlen(d->buffer + at) + 1)
		err = add_attribute(d, &s, &f->st, d->buffer + at, odd);
	for (i = 0; i < d->set.n; i++)
		d->set.v[i].value = d->values.v + (uintptr_t) d->set.v[i].value;
	return err;
}

/* ---- the inode ---- */

/* The findings about row ROW of the tree, which is complete but for content. */
static errcode_t note_findings(struct bfo_dir *d, const struct bfo_dir_found *f, bfo_row row,
			       errcode_t unread, int odd, int out_of_time)
{
	struct bfo_tree *t = d->in.tree;
	uint32_t ino = t->inodes.v[row].ino;
	errcode_t err = 0;

	if (f->error) {
		if (!S_ISDIR(f->st.stx_mode))
			t->inodes.v[row].state |= BFO_INODE_BAD;
		err = bfo_tree_found(t, S_ISDIR(f->st.stx_mode) ? BFO_UNREAD_DIR : BFO_UNREAD_FILE,
				     ino, 0);
	}
	if (!err && unread)
		err = bfo_tree_found(t, BFO_UNREAD_XATTR, ino, 0);
	if (!err && odd)
		err = bfo_tree_found(t, BFO_FOUND_XATTR_NAME, ino, 0);
	if (!err && f->is_featured)
		err = bfo_tree_found(t, BFO_FOUND_FEATURE, ino, 0);
	if (!err && out_of_time)
		err = bfo_tree_found(t, BFO_FOUND_TIME, ino, 0);
	return err;
}

static errcode_t add_beside(struct bfo_dir *d, const struct bfo_dir_found *f)
{
	d->notes.touched += f->is_touched;
	return bfo_vec_push(&d->inodes, (struct bfo_dir_inode) {
		.ino = f->st.stx_ino, .start = f->st.stx_ino, .stamp = bfo_dir_stamp(&f->st),
		.device = f->device, .is_touched = f->is_touched });
}

errcode_t bfo_dir_inode(struct bfo_dir *d, struct bfo_dir_found *f, int parent, const char *name,
			bfo_row *row)
{
	struct bfo_attrs a = attrs_of(&f->st);
	uint64_t before = d->in.out_of_time;
	int is_open = (S_ISREG(a.mode) || S_ISDIR(a.mode)) && !f->error, odd = 0;
	errcode_t err, unread;

	if (a.has_crtime)
		d->told |= BFO_UNKNOWN_CRTIME;
	f->is_featured = !!(f->st.stx_attributes & STATX_ATTR_VERITY);
	if (is_open)
		ask_all(d, f, &a);
	unread = list_attributes(d, f, parent, name, &odd);
	if (unread == ENOMEM || unread == BFO_ET_OVERFLOW)
		return bfo_dir_fail(d, unread, "reading", 0, NULL);
	if (S_ISREG(a.mode) && f->error)
		a.size = 0;
	err = bfo_intake_inode(&d->in, &a, &d->set, row);
	if (!err)
		err = add_beside(d, f);
	if (!err)
		err = note_findings(d, f, *row, unread, odd, d->in.out_of_time != before);
	return err;
}
