// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * users.c - who else uses the bytes of a volume
 *
 * The kernel lets only one open a device for itself (O_EXCL), as mount(2), swapon(2), device mapper
 * and mke2fs(8) do.  So whoever has the device, or a loop device on the same bytes, is a holder; if
 * a mount is found that explains one, it is known what he does with it; if he is another e2bfo, his
 * locks say whether he writes.  One who cannot be explained may.
 *
 *   reader    flock(LOCK_SH)   O_EXCL, which the first one gets, and a lock that says so
 *   writer    flock(LOCK_EX)   O_EXCL, and that lock
 *
 * The locks of image files are in lock.c, and tell parts of a file from each other.
 *
 * Where source and target are parts of one device, whoever comes second takes a duplicate of the
 * first one's descriptor: the device is theirs as long as either has it, and its lock becomes a
 * writer's.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/bfo_err.h"
#include "device/lock.h"
#include "device/mounts.h"
#include "device/store.h"
#include "volume/users.h"
#include "volume/volume.h"

#define TRIES 25
#define LOOKS 3			/* more of them, at what moves */
static const struct timespec a_moment = { .tv_nsec = 20000000 }, a_while = { .tv_nsec = 100000000 };

/* The lock of a device that e2bfo has opened exclusively (one for writing would be in its way). */
static const struct flock ours = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };

struct holder {
	dev_t dev;
	int is_loop;		/* else the device itself */
	char path[24];		/* of the loop device */
};

/* Who uses the bytes. */
struct found {
	BFO_VEC(struct holder) holders;
	bfo_mounts mounts;
};

/* ---- holders ---- */

/* Does anybody have PATH for himself? */
static errcode_t is_held(const char *path, int *held)
{
	int fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC), lack = 0;

	*held = fd < 0 && errno == EBUSY;
	if (fd < 0)
		bfo_store_note_lack(&lack);
	else
		close(fd);
	return lack;
}

/*
 * Is it e2bfo that has PATH for itself?  Whoever of us has says so by a lock, which others can see
 * as long as he has both.
 */
static errcode_t is_one_of_us(const char *path, int *is)
{
	struct flock lock = ours;
	int fd = open(path, O_RDONLY | O_CLOEXEC), lack = 0;

	if (fd < 0)
		bfo_store_note_lack(&lack);
	*is = fd >= 0 && !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
	if (fd >= 0)
		close(fd);
	return lack;
}

/* Does somebody else have it?  One of us needs a moment to say so, and may have left since. */
static errcode_t is_stranger(const char *path, int *stranger)
{
	int try, held = 1, is_us = 0;
	errcode_t err = 0;

	for (try = 0; try < TRIES && !err && held && !is_us; try++) {
		if (try)
			nanosleep(&a_moment, NULL);
		err = is_held(path, &held);
		if (!err && held)
			err = is_one_of_us(path, &is_us);
	}
	*stranger = held && !is_us;
	return err;
}

/* Loop device number N, if it is on bytes of S, is not on the way to them, and somebody has it. */
static errcode_t take_loop(struct found *f, int n, dev_t way, const struct bfo_store *s)
{
	struct holder h = { .is_loop = 1 };
	struct bfo_store store;
	struct stat st;
	int passed = 0;
	errcode_t err;

	snprintf(h.path, sizeof(h.path), "/dev/loop%d", n);
	if (stat(h.path, &st) || !S_ISBLK(st.st_mode))
		return 0;
	h.dev = st.st_rdev;
	err = bfo_store_of_device(h.dev, &store);
	if (err || !bfo_store_overlap(&store, s))
		return err;
	if (way)
		err = bfo_store_is_part(way, h.dev, &passed);
	if (err || passed)
		return err;
	err = is_held(h.path, &passed);
	return err || !passed ? err : bfo_vec_push(&f->holders, h);
}

/* mountinfo names only what this mount namespace sees; loop devices are the same in all. */
static errcode_t take_loops(struct found *f, dev_t way, const struct bfo_store *s)
{
	DIR *dir = opendir("/sys/block");
	struct dirent *entry;
	errcode_t err = 0;
	int lack = 0, n;

	if (!dir)
		bfo_store_note_lack(&lack);
	while (dir && !err && (entry = readdir(dir)))
		if (sscanf(entry->d_name, "loop%d", &n) == 1)
			err = take_loop(f, n, way, s);
	if (dir)
		closedir(dir);
	return err ? err : lack;
}

/* ---- both ---- */

/* Is a mount why H is held? */
static errcode_t is_explained(const struct found *f, const struct holder *h, int *is)
{
	errcode_t err = 0;
	size_t i;

	*is = 0;
	for (i = 0; i < f->mounts.n && !err && !*is; i++)
		err = bfo_store_is_part(f->mounts.v[i].dev, h->dev, is);
	return err;
}

/*
 * Leaves only holders who may be anybody: neither a mount that was found, nor one of us, who has
 * locks.
 */
static errcode_t drop_known(const struct bfo_users *u, struct found *f)
{
	size_t i, n = 0;
	errcode_t err = 0;
	int known, stranger;

	for (i = 0; i < f->holders.n && !err; i++) {
		const struct holder *h = &f->holders.v[i];

		err = is_explained(f, h, &known);
		if (!err && !known && (h->is_loop || !u->write)) {
			err = is_stranger(h->is_loop ? h->path : u->path, &stranger);
			known = !stranger;
		}
		if (!known)
			f->holders.v[n++] = *h;
	}
	f->holders.n = n;
	return err;
}

/* Who uses bytes S; HELD: somebody else has the device for himself. */
static errcode_t find(struct bfo_context *ctx, const struct bfo_users *u, int held,
		      const struct bfo_store *s, struct found *f)
{
	struct stat st;
	dev_t way = !stat(u->path, &st) && S_ISBLK(st.st_mode) ? st.st_rdev : 0;
	errcode_t err = 0;

	*f = (struct found) { .holders = { .n = 0 } };
	if (held)
		err = bfo_vec_push(&f->holders, (struct holder) { .dev = way });
	if (!err)
		err = take_loops(f, way, s);
	if (!err)
		err = bfo_mounts_find(s, f->holders.n > 0, &f->mounts);
	if (!err)
		err = drop_known(u, f);
	return err ? bfo_fail(ctx, err, "looking for what is mounted") : 0;
}

static void found_free(struct found *f)
{
	bfo_vec_free(&f->holders);
	bfo_vec_free(&f->mounts);
}

static errcode_t tell_mount(struct bfo_context *ctx, const char *name, const struct bfo_mount *m)
{
	if (!m->process)
		return bfo_fail(ctx, BFO_ET_MOUNTED, "opening %s: please unmount it first", name);
	return bfo_fail(ctx, BFO_ET_MOUNTED,
			"opening %s: process %d sees it mounted, in another mount "
			"namespace (a container); please unmount it first",
			name, m->process);
}

static errcode_t tell_holder(struct bfo_context *ctx, const char *name, const struct holder *h)
{
	if (!h->is_loop)
		return bfo_fail(ctx, BFO_ET_BUSY, "opening %s: something else holds it", name);
	return bfo_fail(ctx, BFO_ET_BUSY, "opening %s: %s is on it, and something else holds that",
			name, h->path);
}

/* Refuses any. */
static errcode_t refuse_any(struct bfo_context *ctx, const char *name, const struct found *f)
{
	if (f->mounts.n)
		return tell_mount(ctx, name, &f->mounts.v[0]);
	return f->holders.n ? tell_holder(ctx, name, &f->holders.v[0]) : 0;
}

/*
 * There is more than one way out, and the first advice, to unmount it, is none for a root
 * filesystem.
 */
static errcode_t tell_writable(struct bfo_context *ctx, const struct bfo_users *u,
			       const struct bfo_mount *m)
{
	const char *look = u->may_move ? "name the device that is mounted, or " : "";
	static const char advice[] =
		"remount it read-only, read a snapshot of it (LVM, device mapper, a "
		"cloud's volume) or a copy made under fsfreeze, or boot a rescue "
		"system; e2bfo(8), SOURCES IN USE, has them all";

	if (!m->process)
		return bfo_fail(ctx, BFO_ET_MOUNTED, "opening %s: it is mounted read-write: %s%s",
				u->name, look, advice);
	return bfo_fail(ctx, BFO_ET_MOUNTED,
			"opening %s: process %d sees it mounted read-write, in "
			"another mount namespace (a container): %s%s",
			u->name, m->process, look, advice);
}

/*
 * Refuses those who may write.  UNREPLAYED: the journal needs recovery; then a kernel that has not
 * left it alone has given up in the middle of something, and what it knows better is in its memory.
 */
static errcode_t refuse_writers(struct bfo_context *ctx, const struct bfo_users *u,
				const struct found *f, int unreplayed)
{
	const char *name = u->name;
	size_t i;

	for (i = 0; i < f->mounts.n; i++) {
		if (!f->mounts.v[i].read_only)
			return tell_writable(ctx, u, &f->mounts.v[i]);
		if (unreplayed && !f->mounts.v[i].unreplayed)
			return bfo_fail(
				ctx, BFO_ET_MOUNTED,
				"opening %s: it is mounted read-only, but "
				"was not when its journal was written last, as after an error; "
				"please unmount it first",
				name);
	}
	return f->holders.n ? tell_holder(ctx, name, &f->holders.v[0]) : 0;
}

/* Is the device his, too, who is beside U, and nobody else's? */
static int is_shared_by(const struct bfo_users *u)
{
	struct stat a, b;

	return u->beside && u->beside->alone && !stat(u->path, &a) && S_ISBLK(a.st_mode) &&
	       !fstat(u->beside->fd, &b) && a.st_rdev == b.st_rdev;
}

errcode_t bfo_users_refuse(struct bfo_context *ctx, const struct bfo_users *u,
			   const struct bfo_store *s)
{
	struct found f = { .holders = { .n = 0 } };
	struct stat st;
	int held = 0;
	errcode_t err = 0;

	if (!is_shared_by(u) && !stat(u->path, &st) && S_ISBLK(st.st_mode))
		err = is_held(u->path, &held);
	if (err)
		return bfo_fail(ctx, err, "looking for what is mounted");
	err = find(ctx, u, held, s, &f);
	if (!err)
		err = refuse_any(ctx, u->name, &f);
	found_free(&f);
	return err;
}

/* ---- taking ---- */

/*
 * On the device node, as udev(7) and sfdisk(8) know it: several may read, one may write.  udev has
 * such a lock itself for moments, in which it looks what is there.
 */
static errcode_t lock_device(struct bfo_context *ctx, const struct bfo_users *u)
{
	int try, failed = 1;

	for (try = 0; try < TRIES && failed; try++) {
		if (try)
			nanosleep(&a_moment, NULL);
		failed = flock(u->fd, (u->write ? LOCK_EX : LOCK_SH) | LOCK_NB);
		if (failed && errno != EWOULDBLOCK && errno != EINTR)
			return 0;	/* a kernel without locks */
	}
	return failed ? bfo_fail(ctx, BFO_ET_BUSY,
				 "opening %s: another e2bfo works on it, or another "
				 "program has locked it",
				 u->name)
		      : 0;
}

/*
 * The page cache of a mounted device holds the kernel's own metadata.  But what it holds of files
 * is what somebody once read there: files are written past it.  (BLKFLSBUF has the filesystem write
 * what it has, as syncfs(2) does.)
 */
static void drop_cached(int fd)
{
	if (ioctl(fd, BLKFLSBUF))
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

void bfo_users_init(struct bfo_users *u, const char *name, const char *path, int write)
{
	*u = (struct bfo_users){ .name = name, .path = path, .write = write, .fd = -1, .lock = -1 };
}

/* Alone, if that can be; *BUSY: it cannot. */
static void open_device(struct bfo_users *u, int *busy)
{
	struct flock lock = ours;

	*busy = 0;
	if (is_shared_by(u)) {
		u->fd = fcntl(u->beside->fd, F_DUPFD_CLOEXEC, 0);
		u->alone = u->fd >= 0;
		return;
	}
	u->fd = open(u->path, O_RDONLY | O_EXCL | O_CLOEXEC);
	*busy = u->fd < 0 && errno == EBUSY;
	u->alone = u->fd >= 0;
	lock.l_type = F_RDLCK;
	if (u->alone)
		fcntl(u->fd, F_OFD_SETLK, &lock);
	if (*busy && !u->write)
		u->fd = open(u->path, O_RDONLY | O_CLOEXEC);
}

errcode_t bfo_users_begin(struct bfo_context *ctx, struct bfo_users *u, const struct bfo_store *s,
			  int locked)
{
	struct stat st;
	errcode_t err = 0;
	int busy;

	if (stat(u->path, &st) || !S_ISBLK(st.st_mode))
		return 0;
	open_device(u, &busy);
	if (busy && u->write) {
		err = bfo_users_refuse(ctx, u, s);
		if (err)
			return err;
		open_device(u, &busy);	/* he has left */
	}
	if (u->fd < 0)
		return bfo_fail(ctx, errno, "opening %s", u->name);
	if (!locked)
		err = lock_device(ctx, u);
	if (!err && !u->write)
		drop_cached(u->fd);
	return err;
}

errcode_t bfo_users_lock(struct bfo_context *ctx, struct bfo_users *u, const struct bfo_store *s)
{
	struct stat st;
	errcode_t err = 0;

	if (!stat(u->path, &st) && S_ISBLK(st.st_mode)) {
		u->fd = is_shared_by(u) ? fcntl(u->beside->fd, F_DUPFD_CLOEXEC, 0)
					: open(u->path, O_RDONLY | O_CLOEXEC);
		err = u->fd < 0 ? bfo_fail(ctx, errno, "opening %s", u->name) : lock_device(ctx, u);
	}
	return err ? err : bfo_lock_store(ctx, u->name, u->path, s, u->write, &u->lock);
}

errcode_t bfo_users_lend(struct bfo_context *ctx, struct bfo_users *u)
{
	int fd;

	if (!is_shared_by(u))
		return 0;
	fd = open(u->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || dup3(fd, u->beside->fd, O_CLOEXEC) < 0 || dup3(fd, u->fd, O_CLOEXEC) < 0) {
		if (fd >= 0)
			close(fd);
		return bfo_fail(ctx, errno, "opening %s", u->name);
	}
	close(fd);
	u->beside->alone = 0;
	return lock_device(ctx, u);
}

/* ---- looking ---- */

static struct bfo_users_mark mark_of(const struct ext2_super_block *sb)
{
	return (struct bfo_users_mark) {
		.wtime = (uint64_t) sb->s_wtime_hi << 32 | sb->s_wtime,
		.mtime = (uint64_t) sb->s_mtime_hi << 32 | sb->s_mtime,
		.mounts = sb->s_mnt_count, .incompat = sb->s_feature_incompat,
	};
}

static int is_shared(const struct bfo_users *u)
{
	return u->fd >= 0 && !u->alone;
}

/* Is the device itself mounted to be written? */
static int is_moving(const struct bfo_users *u, const struct found *f)
{
	struct stat st;

	return u->fd >= 0 && !fstat(u->fd, &st) && f->mounts.n == 1 && !f->holders.n &&
	       !f->mounts.v[0].read_only && f->mounts.v[0].dev == st.st_rdev;
}

static errcode_t check_source(struct bfo_context *ctx, struct bfo_users *u, const struct found *f,
			      const struct ext2_super_block *sb)
{
	uint32_t recover = EXT3_FEATURE_INCOMPAT_RECOVER;

	u->moving = u->may_move && is_moving(u, f);
	if (u->moving)
		return 0;
	u->mounted = f->mounts.n > 0;
	u->is_marked = sb != NULL;
	if (sb)
		u->mark = mark_of(sb);
	return refuse_writers(ctx, u, f, sb && sb->s_feature_incompat & recover);
}

errcode_t bfo_users_check(struct bfo_context *ctx, struct bfo_users *u, const struct bfo_store *s,
			  const struct ext2_super_block *sb, int locked)
{
	struct found f;
	errcode_t err = find(ctx, u, is_shared(u), s, &f);

	if (!err)
		err = u->write ? refuse_any(ctx, u->name, &f) : check_source(ctx, u, &f, sb);
	found_free(&f);
	return err || locked ? err : bfo_lock_store(ctx, u->name, u->path, s, u->write, &u->lock);
}

/* Did the superblock stay as it was?  One that cannot be read any more says nothing about that. */
static errcode_t check_mark(struct bfo_context *ctx, struct bfo_volume *vol)
{
	struct bfo_users_mark *was = &vol->users.mark, is;
	struct ext2_super_block sb;
	errcode_t err;

	if (!vol->users.is_marked || vol->device.fd < 0)
		return 0;
	if (vol->users.fd >= 0)		/* whole pages that it may lie in, and no data */
		posix_fadvise(vol->users.fd, (vol->offset + SUPERBLOCK_OFFSET) & ~4095ULL, 8192,
			      POSIX_FADV_DONTNEED);
	err = bfo_media_read_bytes(vol, SUPERBLOCK_OFFSET, sizeof(sb), &sb);
	if (err)
		return vol->media.opt.mode == BFO_MEDIA_STOP ?
		       bfo_fail(ctx, err, "reading the superblock of %s again", vol->spec) : 0;
	is = mark_of(&sb);
	if (is.wtime == was->wtime && is.mtime == was->mtime && is.mounts == was->mounts &&
	    is.incompat == was->incompat)
		return 0;
	return bfo_fail(ctx, BFO_ET_CHANGED, "reading %s: it was mounted read-write meanwhile, or "
			"written to by somebody else", vol->spec);
}

errcode_t bfo_users_check_again(struct bfo_context *ctx, struct bfo_volume *vol)
{
	struct bfo_store s = bfo_volume_store(vol);
	struct found f;
	errcode_t err;

	if (vol->users.moving || (vol->users.alone && !s.ino))
		return 0;		/* nothing can have mounted a disk that is ours */
	err = find(ctx, &vol->users, is_shared(&vol->users), &s, &f);
	if (!err)
		err = refuse_writers(ctx, &vol->users, &f, 0);
	if (err == BFO_ET_MOUNTED || err == BFO_ET_BUSY)
		err = bfo_fail(ctx, BFO_ET_CHANGED,
			       "reading %s: it was mounted read-write, or taken "
			       "by somebody else, meanwhile",
			       vol->spec);
	found_free(&f);
	return err ? err : check_mark(ctx, vol);
}

int bfo_users_again(const struct bfo_volume *vol, int *tries)
{
	if (!vol || !vol->users.moving || (*tries)++ >= LOOKS)
		return 0;
	nanosleep(&a_while, NULL);
	return 1;
}

void bfo_users_end(struct bfo_users *u)
{
	if (!u->name)
		return;			/* it was never begun */
	if (u->fd >= 0)
		close(u->fd);
	bfo_lock_release(u->lock);
	u->fd = u->lock = -1;
}
