/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live.h - a directory of a filesystem that is mounted, and may change: its names as they all were
 * at one moment, or the word that this could not be had
 *
 *   handle ── descriptor ── ctime ── names ── raw inode ── ctime
 *                             `── a second old ── all three the same ──'
 *
 * Names come from the kernel, by getdents64(2); i_version, which no call of it tells, from the
 * inode table, by the device, whose page cache has the kernel's own metadata.
 *
 * Why all of that is one moment: the kernel gives a directory its clock's time as ctime with every
 * change, before it writes the inode to that page cache.  A ctime that is a second old when the
 * first name is read is not that of a change that comes later (that clock has ticks, and a change
 * within the tick of the last one looks like it).  So if the ctime is the same once the last name
 * and the inode were read, nothing has changed in between; and an inode table that says this ctime
 * says the version that belongs to it.  One that lags behind (mount -o lazytime), or was read while
 * it was written, says another, or has a wrong checksum.
 */
#ifndef BFO_GATHER_LIVE_H
#define BFO_GATHER_LIVE_H

#include "volume/volume.h"

/* What became of it. */
enum bfo_live_state {
	BFO_LIVE_READ,
	BFO_LIVE_MOVING,	/* it has changed, or may have, or is gone */
	BFO_LIVE_DAMAGED,	/* the kernel, or its inode, says so */
};

struct bfo_live {
	struct bfo_context *ctx;
	struct bfo_volume *vol;		/* the device, which is mounted */
	int root;			/* any directory of it, open */
};

/* A directory as it was at that moment. */
struct bfo_live_dir {
	uint32_t ino, generation;	/* the caller's */
	enum bfo_live_state state;
	uint32_t flags;			/* of the inode */
	uint64_t version;
	int64_t ctime;
	uint32_t ctime_nsec;
};

/* A name, not "." or "..": NAME is a string.  TYPE: EXT2_FT_*, 0 if the filesystem has none. */
typedef errcode_t (*bfo_live_name)(void *priv, uint32_t ino, uint32_t type, const char *name);

/* A descriptor of directory INO; -1 and errno (ESTALE: gone). */
int bfo_live_open(const struct bfo_live *l, uint32_t ino, uint32_t generation);

/*
 * Reads D.  Access times stay as they are.  Names that were TAKEn count for nothing if d->state is
 * not BFO_LIVE_READ.  Errors: those of TAKE, BFO_ET_CANCELLED, those of reading, EPERM.
 */
errcode_t bfo_live_read(const struct bfo_live *l, struct bfo_live_dir *d, bfo_live_name take,
			void *priv);

#endif
