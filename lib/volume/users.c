// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * users.c - who else uses the bytes of a volume
 *
 * The kernel lets only one open a device for itself (O_EXCL), as mount(2), swapon(2), device mapper
 * and mke2fs(8) do.  So whoever has the device, or a loop device on the same bytes, is a holder; if a
 * mount is found that explains one, it is known what he does with it.  One who cannot be explained may
 * write.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/bfo_err.h"
#include "volume/lock.h"
#include "volume/mounts.h"
#include "volume/store.h"
#include "volume/users.h"
#include "volume/volume.h"

struct holder {
	dev_t dev;
	int loop;		/* number of the loop device, or -1: the device itself */
};

/* Who uses the bytes. */
struct found {
	BFO_VEC(struct holder) holders;
	bfo_mounts mounts;
};

/* ---- holders ---- */

/* Is it this process that has DEV, or a part of it?  It opens devices exclusively, so nobody else can. */
static errcode_t is_ours(dev_t dev, int *ours)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	struct stat st;
	char path[300];
	errcode_t err = 0;
	int lack = 0;

	*ours = 0;
	if (!dir)
		bfo_store_note_lack(&lack);
	while (dir && !err && !*ours && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		if (!stat(path, &st) && S_ISBLK(st.st_mode))
			err = bfo_store_is_part(st.st_rdev, dev, ours);
	}
	if (dir)
		closedir(dir);
	return err ? err : lack;
}

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

/* Loop device number N, if it is on bytes of S, is not on the way to them, and somebody has it. */
static errcode_t take_loop(struct found *f, int n, dev_t way, const struct bfo_store *s)
{
	struct bfo_store store;
	struct stat st;
	char name[64];
	int passed = 0;
	errcode_t err;

	snprintf(name, sizeof(name), "/dev/loop%d", n);
	if (stat(name, &st) || !S_ISBLK(st.st_mode))
		return 0;
	err = bfo_store_of_device(st.st_rdev, &store);
	if (err || !bfo_store_overlap(&store, s))
		return err;
	if (way)
		err = bfo_store_is_part(way, st.st_rdev, &passed);
	if (!err && !passed)
		err = is_ours(st.st_rdev, &passed);
	if (err || passed)
		return err;
	err = is_held(name, &passed);
	return err || !passed ? err : bfo_vec_push(&f->holders, (struct holder) { st.st_rdev, n });
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

/* Who uses bytes S, to which PATH leads; HELD: somebody has that device for himself. */
static errcode_t find(struct bfo_context *ctx, const char *path, int held, const struct bfo_store *s,
		      struct found *f)
{
	struct stat st;
	dev_t way = !stat(path, &st) && S_ISBLK(st.st_mode) ? st.st_rdev : 0;
	errcode_t err = 0;

	*f = (struct found) { .holders = { .n = 0 } };
	if (held)
		err = bfo_vec_push(&f->holders, (struct holder) { way, -1 });
	if (!err)
		err = take_loops(f, way, s);
	if (!err)
		err = bfo_mounts_find(s, f->holders.n > 0, &f->mounts);
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
	return bfo_fail(ctx, BFO_ET_MOUNTED, "opening %s: process %d sees it mounted, in another mount "
			"namespace (a container); please unmount it first", name, m->process);
}

static errcode_t tell_holder(struct bfo_context *ctx, const char *name, const struct holder *h)
{
	if (h->loop < 0)
		return bfo_fail(ctx, BFO_ET_BUSY, "opening %s: something else holds it", name);
	return bfo_fail(ctx, BFO_ET_BUSY, "opening %s: /dev/loop%d is on it, and something else holds "
			"that", name, h->loop);
}

/* Refuses any. */
static errcode_t refuse_any(struct bfo_context *ctx, const char *name, const struct found *f)
{
	if (f->mounts.n)
		return tell_mount(ctx, name, &f->mounts.v[0]);
	return f->holders.n ? tell_holder(ctx, name, &f->holders.v[0]) : 0;
}

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

/* There is more than one way out, and the first advice, to unmount it, is none for a root filesystem. */
static errcode_t tell_writable(struct bfo_context *ctx, const char *name, const struct bfo_mount *m)
{
	static const char advice[] = "remount it read-only, read a snapshot of it (LVM, device mapper, a "
				     "cloud's volume) or a copy made under fsfreeze, or boot a rescue "
				     "system; e2bfo(8), SOURCES IN USE, has them all";

	if (!m->process)
		return bfo_fail(ctx, BFO_ET_MOUNTED, "opening %s: it is mounted read-write: %s", name,
				advice);
	return bfo_fail(ctx, BFO_ET_MOUNTED, "opening %s: process %d sees it mounted read-write, in "
			"another mount namespace (a container): %s", name, m->process, advice);
}

/*
 * Refuses those who may write.  UNREPLAYED: the journal needs recovery; then a kernel that has not left
 * it alone has given up in the middle of something, and what it knows better is in its memory.
 */
static errcode_t refuse_writers(struct bfo_context *ctx, const char *name, const struct found *f,
				int unreplayed)
{
	errcode_t err = 0;
	int is;
	size_t i;

	for (i = 0; i < f->mounts.n; i++) {
		if (!f->mounts.v[i].read_only)
			return tell_writable(ctx, name, &f->mounts.v[i]);
		if (unreplayed && !f->mounts.v[i].unreplayed)
			return bfo_fail(ctx, BFO_ET_MOUNTED, "opening %s: it is mounted read-only, but "
					"was not when its journal was written last, as after an error; "
					"please unmount it first", name);
	}
	for (i = 0; i < f->holders.n; i++) {
		err = is_explained(f, &f->holders.v[i], &is);
		if (err)
			return bfo_fail(ctx, err, "looking for what is mounted");
		if (!is)
			return tell_holder(ctx, name, &f->holders.v[i]);
	}
	return 0;
}

errcode_t bfo_users_refuse(struct bfo_context *ctx, const char *name, const char *path,
			   const struct bfo_store *s)
{
	struct found f = { .holders = { .n = 0 } };
	struct stat st;
	int held = 0;
	errcode_t err = 0;

	if (!stat(path, &st) && S_ISBLK(st.st_mode))
		err = is_held(path, &held);
	if (err)
		return bfo_fail(ctx, err, "looking for what is mounted");
	err = find(ctx, path, held, s, &f);
	if (!err)
		err = refuse_any(ctx, name, &f);
	found_free(&f);
	return err;
}

/* ---- of a volume ---- */

/*
 * The page cache of a mounted device holds the kernel's own metadata.  But what it holds of files is
 * what somebody once read there: files are written past it.
 */
static void drop_cached(int fd)
{
	if (ioctl(fd, BLKFLSBUF))
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

errcode_t bfo_users_begin(struct bfo_context *ctx, struct bfo_volume *vol)
{
	struct bfo_users *u = &vol->users;
	struct stat st;

	if (stat(vol->path, &st) || !S_ISBLK(st.st_mode))
		return 0;
	u->fd = open(vol->path, O_RDONLY | O_EXCL | O_CLOEXEC);
	u->alone = u->fd >= 0;
	if (u->fd < 0 && errno == EBUSY && vol->writable)
		return bfo_users_refuse(ctx, vol->spec, vol->path, &vol->store);
	if (u->fd < 0 && errno == EBUSY)
		u->fd = open(vol->path, O_RDONLY | O_CLOEXEC);
	if (u->fd < 0)
		return bfo_fail(ctx, errno, "opening %s", vol->spec);
	if (!vol->writable)
		drop_cached(u->fd);
	return 0;
}

static struct bfo_users_mark mark_of(const struct ext2_super_block *sb)
{
	return (struct bfo_users_mark) {
		.wtime = (uint64_t) sb->s_wtime_hi << 32 | sb->s_wtime,
		.mtime = (uint64_t) sb->s_mtime_hi << 32 | sb->s_mtime,
		.mounts = sb->s_mnt_count, .incompat = sb->s_feature_incompat,
	};
}

static errcode_t check_source(struct bfo_context *ctx, struct bfo_volume *vol, const struct found *f)
{
	int unreplayed = ext2fs_has_feature_journal_needs_recovery(vol->fs->super);

	vol->users.mounted = f->mounts.n > 0;
	if (!vol->media.opt.superblock) {	/* a backup does not say these things */
		vol->users.mark = mark_of(vol->fs->super);
		vol->users.is_marked = 1;
	}
	return refuse_writers(ctx, vol->spec, f, unreplayed);
}

errcode_t bfo_users_check(struct bfo_context *ctx, struct bfo_volume *vol, int locked)
{
	struct bfo_store s = bfo_volume_store(vol);
	struct found f;
	errcode_t err = find(ctx, vol->path, vol->users.fd >= 0 && !vol->users.alone, &s, &f);

	if (!err)
		err = vol->writable ? refuse_any(ctx, vol->spec, &f) : check_source(ctx, vol, &f);
	found_free(&f);
	if (!err && !locked)
		err = bfo_lock_store(ctx, vol->spec, vol->path, &s, vol->writable, &vol->users.lock);
	return err;
}

/* Did the superblock stay as it was?  One that cannot be read any more says nothing about that. */
static errcode_t check_mark(struct bfo_context *ctx, struct bfo_volume *vol)
{
	struct bfo_users_mark *was = &vol->users.mark, is;
	struct ext2_super_block sb;
	errcode_t err;

	if (!vol->users.is_marked || vol->fd < 0)
		return 0;
	if (vol->users.fd >= 0)
		drop_cached(vol->users.fd);
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

	if (vol->users.alone && !s.ino)
		return 0;		/* nothing can have mounted a disk that is ours */
	err = find(ctx, vol->path, vol->users.fd >= 0 && !vol->users.alone, &s, &f);
	if (!err)
		err = refuse_writers(ctx, vol->spec, &f, 0);
	if (err == BFO_ET_MOUNTED || err == BFO_ET_BUSY)
		err = bfo_fail(ctx, BFO_ET_CHANGED, "reading %s: it was mounted read-write, or taken "
			       "by somebody else, meanwhile", vol->spec);
	found_free(&f);
	return err ? err : check_mark(ctx, vol);
}

void bfo_users_end(struct bfo_users *u)
{
	if (u->fd >= 0)
		close(u->fd);
	if (u->lock >= 0)
		close(u->lock);
	u->fd = u->lock = -1;
}
