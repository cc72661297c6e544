// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file_place.c - where a name leads, be there something or not
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file_place.h"

#define LINKS_MOST 40		/* links in a row, as the kernel has it */

static int take(const struct stat *st, const char *name, struct bfo_file_place *place)
{
	if (strlen(name) > NAME_MAX)
		return ENAMETOOLONG;
	*place = (struct bfo_file_place) { .dev = st->st_dev, .ino = st->st_ino };
	strcpy(place->name, name);
	return 0;
}

/* PATH, a symbolic link, becomes what that leads to. */
static int follow(char *path, size_t size)
{
	char target[PATH_MAX], *slash = strrchr(path, '/');
	ssize_t len = readlink(path, target, sizeof(target) - 1);
	size_t before;

	if (len < 0)
		return errno;
	target[len] = 0;
	before = *target == '/' || !slash ? 0 : slash + 1 - path;
	if (before + len >= size)
		return ENAMETOOLONG;
	strcpy(path + before, target);
	return 0;
}

/* Of PATH, which does not exist, the directory and the name in it. */
static int take_new(char *path, struct bfo_file_place *place)
{
	char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path, *dir = slash == path ? "/" : path;
	struct stat st;

	if (slash)
		*slash = 0;
	return stat(slash ? dir : ".", &st) ? errno : take(&st, name, place);
}

int bfo_file_place_of(const char *path, struct bfo_file_place *place)
{
	char at[PATH_MAX];
	size_t len = strlen(path);
	struct stat st;
	int i, err;

	if (len >= sizeof(at))
		return ENAMETOOLONG;
	memcpy(at, path, len + 1);
	for (i = 0; i <= LINKS_MOST; i++) {
		len = strlen(at);
		while (len > 1 && at[len - 1] == '/')
			at[--len] = 0;
		if (!stat(at, &st))
			return take(&st, "", place);
		if (errno != ENOENT)
			return errno;
		if (lstat(at, &st))
			return errno == ENOENT ? take_new(at, place) : errno;
		err = follow(at, sizeof(at));
		if (err)
			return err;
	}
	return ELOOP;
}

int bfo_file_place_is_same(const struct bfo_file_place *a, const struct bfo_file_place *b)
{
	return a->dev == b->dev && a->ino == b->ino && !strcmp(a->name, b->name);
}
