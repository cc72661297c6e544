/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file_place.h - where a name leads, be there something or not
 *
 * Two names that lead to one place are the same to whoever writes to both: by symbolic links, by
 * hard links, from different directories.
 */
#ifndef BFO_BASE_FILE_PLACE_H
#define BFO_BASE_FILE_PLACE_H

#include <limits.h>
#include <sys/stat.h>

struct bfo_file_place {
	dev_t dev;			/* of the file, or see below */
	ino_t ino;
	/* "" or, if there is no file yet, its name: then the others are of its directory */
	char name[NAME_MAX + 1];
};

/*
 * PATH; a symbolic link that leads nowhere is where it leads to.  Returns 0 or an error number:
 * that there is no such directory, for example.
 */
int bfo_file_place_of(const char *path, struct bfo_file_place *place);

int bfo_file_place_is_same(const struct bfo_file_place *a, const struct bfo_file_place *b);

#endif
