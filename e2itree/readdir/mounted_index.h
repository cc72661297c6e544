/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mounted_index.h - the index of a directory, through the mount on which the directory is
 *
 *   directory ── device ── mount of all of it ── /.e2itree ── index_reader.h
 *
 * The container is believed if nobody but root can have made it: a regular file of root's, mode
 * 0600, one name, immutable, on the same device.  What lies on it is believed if generation and
 * ctime of the directory are those of the catalogue, and the superblock says that the filesystem is
 * the same one and that e2fsck(8) has not changed it since, which shows in no ctime.
 */
#ifndef READDIR_MOUNTED_INDEX_H
#define READDIR_MOUNTED_INDEX_H

#include "index_reader.h"

struct mounted_index {
	struct index_reader *reader;
	int fd;			/* of the container */
	dev_t dev;		/* the container's */
	ino_t ino;
	struct stat dir;	/* the directory's, when it was opened */
};

/* Opens the index of directory FD; 0 if there is none to be believed. */
int mounted_index_open(struct mounted_index *x, int fd);
void mounted_index_close(struct mounted_index *x);

/* Is the directory as it was? */
int mounted_index_is_current(const struct mounted_index *x, int fd);

#endif
