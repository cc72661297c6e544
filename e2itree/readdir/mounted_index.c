// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mounted_index.c - finding the container, and whether it may be believed
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <ext2fs/ext2_fs.h>

#include "base/disk.h"
#include "filesystem_mount.h"
#include "mounted_index.h"

#define HIGH 100		/* no program expects its own descriptors from here on */
#define SUPERBLOCK_AT 1024
#define EXTENTS 64U
#define PIECE (128U << 10)	/* bytes: a kernel reads no more ahead at a time */

/* Where a program counts on the next number, it gets that one. */
static int move_up(int fd)
{
	int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, HIGH);

	if (fd >= 0)
		close(fd);
	return high;
}

/* Nobody but root can have made it so, nor can a file become so while it is read. */
static int is_roots(const struct stat *st, int fd)
{
	int flags = 0;

	return S_ISREG(st->st_mode) && !st->st_uid && (st->st_mode & 07777) == 0600 &&
	       st->st_nlink == 1 && !ioctl(fd, FS_IOC_GETFLAGS, &flags) && flags & FS_IMMUTABLE_FL;
}

static int open_container(struct mounted_index *x, const struct filesystem_mount *m,
			  struct index_state *state)
{
	int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	struct stat st;

	x->fd = move_up(openat(m->root, ITREE_NAME, flags | O_NOATIME));
	if (x->fd < 0 || fstat(x->fd, &st) || st.st_dev != state->dir.st_dev ||
	    !is_roots(&st, x->fd))
		return 0;
	x->dev = st.st_dev;
	x->ino = st.st_ino;
	state->written = st.st_mtim;
	return 1;
}

static int read_superblock(const struct filesystem_mount *m, struct index_state *state)
{
	struct ext2_super_block sb;

	if (m->device < 0 ||
	    pread(m->device, &sb, sizeof(sb), SUPERBLOCK_AT) != (ssize_t) sizeof(sb) ||
	    le16(sb.s_magic) != EXT2_SUPER_MAGIC)
		return 0;
	memcpy(state->uuid, sb.s_uuid, sizeof(state->uuid));
	state->lastcheck = le32(sb.s_lastcheck) | (uint64_t) sb.s_lastcheck_hi << 32;
	return 1;
}

/*
 * Names of encrypted directories are others to whoever has the key; casefolded ones with them.
 * Directories of one block have no index unless somebody asked for it: not worth more than a look.
 */
static int read_directory(int fd, struct index_state *state)
{
	int flags = 0, generation = 0;

	if (fstat(fd, &state->dir) || state->dir.st_size <= state->dir.st_blksize)
		return 0;
	state->block_size = state->dir.st_blksize;
	if (state->block_size < ITREE_MIN_BLOCK || state->block_size > ITREE_MAX_BLOCK ||
	    ioctl(fd, FS_IOC_GETFLAGS, &flags) || flags & (FS_ENCRYPT_FL | FS_CASEFOLD_FL) ||
	    ioctl(fd, FS_IOC_GETVERSION, &generation))
		return 0;
	state->generation = generation;
	return 1;
}

/*
 * Who gets names by the index looks them up in that order, which is a random one to the directory's
 * blocks: the kernel would read these one by one, each between inodes or data.  So they come into
 * its cache first, in the order in which they lie; nobody waits for them, and they take none of the
 * process's memory.
 */
static void read_ahead(int fd, int device)
{
	union {
		struct fiemap map;
		char room[sizeof(struct fiemap) + EXTENTS * sizeof(struct fiemap_extent)];
	} u;
	const struct fiemap_extent *e;
	uint64_t from = 0, at, end;
	uint32_t i;

	do {
		memset(&u, 0, sizeof(u));
		u.map.fm_start = from;
		u.map.fm_length = FIEMAP_MAX_OFFSET - from;
		u.map.fm_extent_count = EXTENTS;
		if (ioctl(fd, FS_IOC_FIEMAP, &u.map))
			return;
		for (i = 0; i < u.map.fm_mapped_extents; i++) {
			e = &u.map.fm_extents[i];
			end = e->fe_physical + e->fe_length;
			for (at = e->fe_physical; at < end; at += PIECE)
				posix_fadvise(device, at, end - at < PIECE ? end - at : PIECE,
					      POSIX_FADV_WILLNEED);
			from = e->fe_logical + e->fe_length;
		}
	} while (i == EXTENTS);
}

int mounted_index_open(struct mounted_index *x, int fd)
{
	struct filesystem_mount m = FILESYSTEM_MOUNT_NONE;
	struct index_state state = { .block_size = 0 };

	*x = (struct mounted_index) { .fd = -1 };
	if (geteuid() || !read_directory(fd, &state))
		return 0;
	if (filesystem_mount_find(&m, state.dir.st_dev) && open_container(x, &m, &state) &&
	    read_superblock(&m, &state))
		x->reader = index_reader_open(x->fd, &state);
	if (x->reader)
		read_ahead(fd, m.device);
	filesystem_mount_close(&m);
	x->dir = state.dir;
	if (!x->reader)
		mounted_index_close(x);
	return !!x->reader;
}

/* A program that closes what it does not know may have a file of its own there by now. */
void mounted_index_close(struct mounted_index *x)
{
	struct stat st;

	index_reader_close(x->reader);
	x->reader = NULL;
	if (x->fd >= 0 && (!x->ino || (!fstat(x->fd, &st) && st.st_dev == x->dev &&
				       st.st_ino == x->ino)))
		close(x->fd);
	x->fd = -1;
}

int mounted_index_is_current(const struct mounted_index *x, int fd)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_ctim.tv_sec == x->dir.st_ctim.tv_sec &&
	       st.st_ctim.tv_nsec == x->dir.st_ctim.tv_nsec;
}
