// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extract_attrs.c - what an item is beside its data and its name
 *
 *   owner ── attributes ── mode ── project ── flags ── capabilities ── times ── immutable
 *
 * A new owner and new data take set-id bits and capabilities away, so both come after it, and all
 * of this after the data.  All of it changes times.  What is immutable can be neither changed, nor
 * linked, nor renamed.
 *
 * Whoever has no right to set something goes on, and notes it.  Filesystems drop some things in
 * silence, so in the end the kernel is asked what there is.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/fs.h>

#include "export/extract_state.h"

/* Flags that FS_IOC_SETFLAGS takes for an ext4 whose file may have them. */
#define SET_FLAGS (FS_SECRM_FL | FS_UNRM_FL | FS_COMPR_FL | FS_SYNC_FL | FS_NODUMP_FL | \
		   FS_NOATIME_FL | FS_JOURNAL_DATA_FL | FS_NOTAIL_FL | FS_DIRSYNC_FL | \
		   FS_TOPDIR_FL | FS_DAX_FL | FS_PROJINHERIT_FL | FS_CASEFOLD_FL)
/* Flags that say how ext4 stores it. */
#define ELSEWHERE (EXT4_EA_INODE_FL | EXT4_SNAPFILE_FL | EXT4_SNAPFILE_DELETED_FL | \
		   EXT4_SNAPFILE_SHRUNK_FL)
#define NO_ID UINT32_MAX
#define SECOND 1000000000U		/* in nanoseconds */
#define SETID (S_ISUID | S_ISGID)

static errcode_t note(struct bfo_extract *s, const struct bfo_extract_subject *to,
		      enum bfo_extract_kind kind)
{
	return bfo_extract_note(s, kind, to->path, to->path_len);
}

/* ---- flags and projects ---- */

/* The kernel takes and gives an int, whatever the number of the ioctl says. */
static int get_flags(int fd, uint32_t *flags)
{
	int all = 0;

	if (ioctl(fd, FS_IOC_GETFLAGS, &all))
		return errno;
	*flags = all;
	return 0;
}

static int set_flags(int fd, uint32_t flags)
{
	int all = flags;

	return ioctl(fd, FS_IOC_SETFLAGS, &all) ? errno : 0;
}

/* WANTED in place of what FD has of MASK: all at once, else those that are taken. */
static void change_flags(int fd, uint32_t wanted, uint32_t mask)
{
	uint32_t now = 0, differ, bit;

	if (get_flags(fd, &now))
		return;
	differ = (now ^ wanted) & mask;
	if (!differ || !set_flags(fd, now ^ differ))
		return;
	for (bit = 1; bit; bit <<= 1)
		if (differ & bit && !set_flags(fd, now ^ bit))
			now ^= bit;
}

int bfo_extract_flags_add(int fd, uint32_t flags)
{
	uint32_t now = 0;
	int ret = get_flags(fd, &now);

	return ret ? ret : set_flags(fd, now | flags);
}

int bfo_extract_project_set(int fd, uint32_t project)
{
	struct fsxattr fsx = { 0 };

	if (ioctl(fd, FS_IOC_FSGETXATTR, &fsx))
		return errno;
	if (fsx.fsx_projid == project)
		return 0;
	fsx.fsx_projid = project;
	return ioctl(fd, FS_IOC_FSSETXATTR, &fsx) ? errno : 0;
}

/* What cannot be done is seen when it is complete. */
void bfo_extract_attrs_begin(int at, const struct bfo_attrs *attrs)
{
	struct bfo_extract_subject to = {
		.fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), .is_open = 1 };

	if (to.fd < 0)
		return;
	bfo_extract_xattrs_drop(&to, attrs->mode);
	change_flags(to.fd, attrs->flags & ~FS_PROJINHERIT_FL, FS_CASEFOLD_FL | FS_PROJINHERIT_FL);
	close(to.fd);
}

static errcode_t put_project(struct bfo_extract *s, const struct bfo_extract_subject *to,
			     const struct bfo_attrs *a)
{
	if (to->is_project_late)
		return bfo_extract_late_add(s, to, 0, 1, a->project);
	if (!to->is_open)
		return a->project ? note(s, to, BFO_NOTE_PROJECT) : 0;
	if (!bfo_extract_project_set(to->fd, a->project))
		return 0;
	return a->project || to->inherits ? note(s, to, BFO_NOTE_PROJECT) : 0;
}

/* Notes flags that are wanted and not there, or there and not wanted. */
static errcode_t judge_flags(struct bfo_extract *s, const struct bfo_extract_subject *to,
			     const struct bfo_attrs *a)
{
	uint32_t wanted = a->flags & ~(ELSEWHERE | BFO_EXTRACT_LAST_FLAGS), now = 0;

	if (to->is_open && get_flags(to->fd, &now))
		now = 0;
	return (wanted ^ now) & wanted || (now & SET_FLAGS & ~wanted) ?
	       note(s, to, BFO_NOTE_FLAGS) : 0;
}

static errcode_t put_last_flags(struct bfo_extract *s, const struct bfo_extract_subject *to,
				const struct bfo_attrs *a)
{
	uint32_t flags = a->flags & BFO_EXTRACT_LAST_FLAGS;

	if (!flags)
		return 0;
	if (to->is_open && to->is_late)
		return bfo_extract_late_add(s, to, flags, 0, 0);
	if (!to->is_open || bfo_extract_flags_add(to->fd, flags))
		return note(s, to, BFO_NOTE_IMMUTABLE);
	return 0;
}

/* ---- owner, mode, times ---- */

static errcode_t put_owner(const struct bfo_extract_subject *to, const struct bfo_attrs *a,
			   int *is_lost)
{
	/* to the kernel, this number is "as it is" */
	*is_lost = a->uid == NO_ID || a->gid == NO_ID;
	if (!fchownat(to->fd, "", a->uid, a->gid, AT_EMPTY_PATH))
		return 0;
	if (errno != EPERM && errno != EINVAL)
		return errno;
	*is_lost = 1;
	/* a group that we are in */
	if (fchownat(to->fd, "", -1, a->gid, AT_EMPTY_PATH) && errno != EPERM && errno != EINVAL)
		return errno;
	return 0;
}

static errcode_t put_mode(const struct bfo_extract_subject *to, uint16_t mode)
{
	char path[32];
	int ret;

	if (S_ISLNK(mode))
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", to->fd);
	ret = to->is_open ? fchmod(to->fd, mode & 07777) : chmod(path, mode & 07777);
	return ret && errno != EPERM ? errno : 0;
}

/* Numbers that are no nanoseconds mean something else to the kernel. */
static struct timespec time_of(const struct bfo_attrs *a, enum bfo_time which)
{
	return (struct timespec) { .tv_sec = a->sec[which],
				   .tv_nsec = a->nsec[which] < SECOND ? a->nsec[which] : 0 };
}

static errcode_t put_times(const struct bfo_extract_subject *to, const struct bfo_attrs *a)
{
	struct timespec times[2] = { time_of(a, BFO_ATIME), time_of(a, BFO_MTIME) };

	if (!utimensat(to->fd, "", times, AT_EMPTY_PATH))
		return 0;
	return errno == EPERM || errno == EINVAL ? 0 : errno;
}

static int is_time(const struct timespec *t, const struct bfo_attrs *a, enum bfo_time which)
{
	return t->tv_sec == a->sec[which] && t->tv_nsec == a->nsec[which];
}

/* Compares what there is with A, from which set-id bits were taken that are not wanted. */
static errcode_t judge(struct bfo_extract *s, const struct bfo_extract_subject *to,
		       const struct bfo_attrs *a)
{
	struct stat st;
	errcode_t err = 0;

	if (fstatat(to->fd, "", &st, AT_EMPTY_PATH))
		return errno;
	if (st.st_uid != a->uid || st.st_gid != a->gid)
		err = note(s, to, BFO_NOTE_OWNER);
	if (!err && !S_ISLNK(a->mode) && (st.st_mode ^ a->mode) & 01777)
		err = note(s, to, BFO_NOTE_MODE);
	if (!err && !S_ISLNK(a->mode) && (st.st_mode ^ a->mode) & SETID)
		err = note(s, to, BFO_NOTE_SETID);
	if (!err && (!is_time(&st.st_mtim, a, BFO_MTIME) || !is_time(&st.st_atim, a, BFO_ATIME)))
		err = note(s, to, BFO_NOTE_TIME);
	return err;
}

/* The mode that is set: who did not get its owner must not have others' rights. */
static errcode_t choose_mode(struct bfo_extract *s, const struct bfo_extract_subject *to,
			     const struct bfo_attrs *a, int owner_is_lost, uint16_t *mode)
{
	*mode = a->mode;
	if (S_ISDIR(a->mode) || !(a->mode & SETID))
		return 0;
	if (owner_is_lost || s->opt.no_suid)
		*mode &= ~SETID;
	return s->opt.no_suid ? note(s, to, BFO_LEFT_SETID) : 0;
}

errcode_t bfo_extract_attrs(struct bfo_extract *s, const struct bfo_extract_subject *to,
			    const struct bfo_attrs *attrs, const bfo_xattrs *xattrs)
{
	struct bfo_attrs wanted = *attrs;
	int owner_is_lost;
	uint16_t mode;
	errcode_t err;

	err = put_owner(to, attrs, &owner_is_lost);
	if (!err)
		err = choose_mode(s, to, attrs, owner_is_lost, &mode);
	if (!err)
		err = bfo_extract_xattrs(s, to, attrs, xattrs, 0);
	if (!err)
		err = put_mode(to, mode);
	if (!err)
		err = put_project(s, to, attrs);
	if (!err && to->is_open)
		change_flags(to->fd, attrs->flags, SET_FLAGS & ~FS_CASEFOLD_FL);
	if (!err)
		err = bfo_extract_xattrs(s, to, attrs, xattrs, 1);
	if (!err)
		err = put_times(to, attrs);
	if (!err)
		err = judge_flags(s, to, attrs);
	if (!err)
		err = put_last_flags(s, to, attrs);
	if (s->opt.no_suid && !S_ISDIR(attrs->mode))
		wanted.mode &= ~SETID;
	return err ? err : judge(s, to, &wanted);
}
