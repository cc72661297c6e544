// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkfs.c - formatting a target alike to the source, with mke2fs(8)
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/fs.h>

#include "base/bfo_err.h"
#include "volume/open.h"
#include "volume/probe.h"
#include "mkfs.h"
#include "mkfs_args.h"

errcode_t mkfs_init(struct mkfs *m, struct bfo_context *ctx, const struct bfo_volume *source,
		    const char *args, int64_t now)
{
	uint8_t u[16];

	memset(m, 0, sizeof(*m));
	m->ctx = ctx;
	m->source = source;
	m->args = args;
	if (getrandom(u, sizeof(u), 0) != sizeof(u))
		return bfo_fail(ctx, errno, "drawing a UUID");
	u[6] = (u[6] & 0x0f) | 0x40;
	u[8] = (u[8] & 0x3f) | 0x80;
	mkfs_uuid_text(u, m->uuid);
	snprintf(m->now, sizeof(m->now), "%lld", (long long) now);
	return 0;
}

void mkfs_keep_uuid(struct mkfs *m)
{
	mkfs_uuid_text(m->source->fs->super->s_uuid, m->uuid);
}

/* In the child: never returns. */
static void become(const struct mkfs *m, struct mkfs_args *a)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s:/usr/sbin:/sbin", getenv("PATH") ? getenv("PATH") : "");
	if (setenv("PATH", path, 1) || setenv("E2FSPROGS_FAKE_TIME", m->now, 1))
		_exit(127);		/* for want of memory */
	signal(SIGINT, SIG_IGN);	/* of a terminal: the parent decides, afterwards */
	dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
	if (m->silent)
		dup2(STDOUT_FILENO, STDERR_FILENO);
	a->v[a->n] = NULL;
	execvp("mke2fs", a->v);
	fprintf(stderr, "e2bfo: mke2fs: %s\n", strerror(errno));
	_exit(127);
}

static errcode_t spawn(const struct mkfs *m, struct mkfs_args *a, const char *what)
{
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	if (!pid)
		become(m, a);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return bfo_fail(m->ctx, errno, "running mke2fs on %s", what);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return bfo_fail(m->ctx, BFO_ET_MKFS, "formatting %s", what);
	if (bfo_cancelled(m->ctx))
		return bfo_fail(m->ctx, BFO_ET_CANCELLED, "formatting %s", what);
	return 0;
}

errcode_t mkfs_size_of(struct bfo_context *ctx, const char *path, uint64_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		err = errno;
	else if (!S_ISBLK(st.st_mode))
		*size = st.st_size;
	else if (ioctl(fd, BLKGETSIZE64, size))
		err = errno;
	if (fd >= 0)
		close(fd);
	return err ? bfo_fail(ctx, err, "looking at %s", path) : 0;
}

errcode_t mkfs_note_sectors(struct mkfs *m, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err = 0, sector = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) ||
	    (S_ISBLK(st.st_mode) && ioctl(fd, BLKSSZGET, &sector)))
		err = errno;
	if (fd >= 0)
		close(fd);
	m->sector = sector;
	return err ? bfo_fail(m->ctx, err, "looking at %s", path) : 0;
}

errcode_t mkfs_run(const struct mkfs *m, const char *path, int scratch)
{
	struct mkfs_args a = { .n = 0 };
	uint64_t size;
	errcode_t err;

	err = mkfs_size_of(m->ctx, path, &size);
	if (!err)
		err = mkfs_args_build(m, path, size, scratch, &a);
	if (!err)
		err = spawn(m, &a, scratch ? "a scratch file like the target" : path);
	mkfs_args_free(&a);
	return err;
}

/* mke2fs leaves the journal out, with a mere warning, if there is little room. */
static int has_lost_journal(const struct mkfs *m, struct ext2_super_block *sb)
{
	return ext2fs_has_feature_journal(m->source->fs->super) &&
	       !ext2fs_has_feature_journal(sb) &&
	       !(m->args && mkfs_args_waive_journal(m->args));
}

errcode_t mkfs_open(const struct mkfs *m, const char *path, int how, struct bfo_volume **vol)
{
	const struct ext2_super_block *from = m->source->fs->super;
	const uint32_t hash_flags = EXT2_FLAGS_SIGNED_HASH | EXT2_FLAGS_UNSIGNED_HASH;
	struct ext2_super_block *sb;
	errcode_t err;

	err = bfo_volume_open(m->ctx, path, how | BFO_OPEN_TARGET, NULL, vol);
	if (err)
		return err;
	sb = (*vol)->fs->super;
	if (has_lost_journal(m, sb)) {
		bfo_volume_close(*vol);
		*vol = NULL;
		return bfo_fail(m->ctx, BFO_ET_TOO_SMALL, "formatting the target: no room for a "
				"journal, which the source has (--mkfs='-O ^has_journal' does "
				"without)");
	}
	if (from->s_def_hash_version <= EXT2_HASH_TEA)
		sb->s_def_hash_version = from->s_def_hash_version;
	sb->s_flags = (sb->s_flags & ~hash_flags) | (from->s_flags & hash_flags);
	sb->s_default_mount_opts = from->s_default_mount_opts;
	memcpy(sb->s_mount_opts, from->s_mount_opts, sizeof(sb->s_mount_opts));
	return 0;
}

errcode_t mkfs_scratch(const struct mkfs *m, uint64_t size, struct bfo_volume **vol)
{
	const char *tmp = getenv("TMPDIR");
	char path[PATH_MAX];
	errcode_t err = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/e2bfo-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return bfo_fail(m->ctx, errno, "making a scratch file %s", path);
	if (ftruncate(fd, size))
		err = bfo_fail(m->ctx, errno, "making a scratch file %s of %llu bytes", path,
			       (unsigned long long) size);
	close(fd);
	if (!err)
		err = mkfs_run(m, path, 1);
	if (!err)
		err = mkfs_open(m, path, BFO_OPEN_SCRATCH, vol);
	unlink(path);
	return err;
}

errcode_t mkfs_check_empty(struct bfo_context *ctx, const char *path)
{
	struct bfo_probe p;
	errcode_t err = bfo_probe_read(ctx, path, 0, 0, &p);

	if (!err && *p.text)
		err = bfo_fail(ctx, EEXIST, "formatting %s: it holds %s (--force formats it all the "
			       "same)", path, p.text);
	return err;
}

errcode_t mkfs_create(struct bfo_context *ctx, const char *path, uint64_t size, char **made)
{
	mode_t mask = umask(0);
	int fd, err;

	umask(mask);
	if (asprintf(made, "%s.XXXXXX", path) < 0) {
		*made = NULL;
		return bfo_fail(ctx, ENOMEM, "making image file %s", path);
	}
	fd = mkostemp(*made, O_CLOEXEC);
	err = fd < 0 || fchmod(fd, 0666 & ~mask) || ftruncate(fd, size) ? errno : 0;
	if (fd >= 0)
		close(fd);
	if (!err)
		return 0;
	if (fd >= 0)
		unlink(*made);
	return bfo_fail(ctx, err, "making image file %s of %llu bytes", path,
			(unsigned long long) size);
}

errcode_t mkfs_publish(struct bfo_context *ctx, const char *made, const char *path, int force)
{
	if (force ? rename(made, path) : link(made, path))
		return bfo_fail(ctx, errno, "giving image file %s its name%s", path,
				errno == EEXIST ? " (--force replaces it)" : "");
	if (!force)
		unlink(made);
	return 0;
}
