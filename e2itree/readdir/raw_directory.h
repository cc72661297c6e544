/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw_directory.h - a directory as the kernel lists it, from any of its positions on
 */
#ifndef READDIR_RAW_DIRECTORY_H
#define READDIR_RAW_DIRECTORY_H

#include "sorted.h"

/* "." and ".." are kept apart from the other names: they come first in any order. */
struct raw_dots {
	uint64_t ino[2];	/* 0: the directory does not have it */
	uint8_t type[2];
};

/* What one reading brought. */
struct raw_part {
	int64_t next;		/* the kernel's position of what follows */
	int is_last;		/* nothing does */
	int err;		/* why it ended early: with is_last; else 0 */
};

/*
 * Fills S with what directory FD lists from the kernel's position FROM on, up to MOST bytes, in
 * order.  DOTS (NULL: they are names like others) get what they are.  Names that are there all the
 * time come once, whatever part they are in: a part ends only where the kernel can go on, so it may
 * become larger than MOST where many names have one position.  It reads through a descriptor of its
 * own where it can, as a forked process shares the position of FD.
 */
void raw_directory_read(int fd, int64_t from, size_t most, struct sorted *s, struct raw_dots *dots,
			struct raw_part *part);

/* Only "." and "..", of a directory from whose beginning FD is; 0 or an error number. */
int raw_directory_dots(int fd, struct raw_dots *dots);

#endif
