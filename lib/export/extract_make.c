// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extract_make.c - one name: made, in its place or hidden
 *
 * Everything is new (O_EXCL, or calls that make nothing else), for its owner alone, and follows
 * nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "export/extract_state.h"

#define TRIES 100

int bfo_extract_make(int at, const char *name, const struct bfo_item *item,
		     const struct bfo_extract_source *from, int *fd)
{
	uint16_t mode = item->attrs.mode;
	int ret;

	*fd = -1;
	if (from)
		ret = linkat(from->at, from->name, at, name, 0);
	else if (S_ISDIR(mode))
		ret = mkdirat(at, name, 0700);
	else if (S_ISREG(mode))
		ret = *fd = openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY |
				   O_CLOEXEC, 0600);
	else if (S_ISLNK(mode))
		ret = symlinkat(item->target, at, name);
	else
		ret = mknodat(at, name, (mode & S_IFMT) | 0600,
			      makedev(item->attrs.major, item->attrs.minor));
	return ret < 0 ? errno : 0;
}

int bfo_extract_make_hidden(int at, uint32_t seed, char hidden[BFO_EXTRACT_HIDDEN],
			    const struct bfo_item *item, const struct bfo_extract_source *from,
			    int *fd)
{
	char name[BFO_EXTRACT_HIDDEN];
	int i, ret = EEXIST;

	for (i = 0; i < TRIES && ret == EEXIST; i++) {
		ret = bfo_extract_hidden_draw(seed, name);
		if (!ret)
			ret = bfo_extract_make(at, name, item, from, fd);
	}
	if (!ret)
		memcpy(hidden, name, sizeof(name));
	return ret;
}
