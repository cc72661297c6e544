/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * index_reader.h - names of one directory out of the container of indexes (itree(5))
 *
 * None of the file's bytes is trusted: each block has its checksum, each entry has to be a name.
 * Whether the file may be believed at all is for mounted_index.h to say.
 */
#ifndef READDIR_INDEX_READER_H
#define READDIR_INDEX_READER_H

#include <sys/stat.h>

#include "itree/cursor.h"
#include "sorted.h"

struct index_reader;

/* What the container must agree with. */
struct index_state {
	uint8_t uuid[16];		/* of the filesystem */
	uint64_t lastcheck;		/* when it was checked last */
	uint32_t block_size;
	struct timespec written;	/* when the container was */
	uint32_t generation;		/* of the directory */
	struct stat dir;		/* its number and ctime */
};

/*
 * The index of the directory that STATE is about, in container FD, which stays the caller's.  NULL
 * if there is none, it is not fresh, it is damaged, or memory is short.
 */
struct index_reader *index_reader_open(int fd, const struct index_state *state);
void index_reader_close(struct index_reader *x);

/* Goes to the names of inode INO, or of the first one behind it. */
void index_reader_seek(struct index_reader *x, uint32_t ino);

/*
 * Fills S with what comes next, some KB, in order; all names of an inode come together.  Nothing:
 * there is no more.  Returns 0 or an error number; then X is where it was, and S useless.
 */
int index_reader_next(struct index_reader *x, struct sorted *s);

#endif
