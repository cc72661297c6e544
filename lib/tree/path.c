// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * path.c - paths through a tree
 */
#include <string.h>

#include "tree/access.h"
#include "tree/path.h"

size_t bfo_path_next(const char **path, const char **name)
{
	const char *p = *path;
	size_t len;

	do {
		p += strspn(p, "/");
		len = strcspn(p, "/");
		*name = p;
		p += len;
	} while (len == 1 && **name == '.');
	*path = p;
	return len;
}

uint32_t bfo_tree_child(const struct bfo_tree *t, bfo_row dir, const char *name, size_t len)
{
	struct bfo_slice s = bfo_dir_names(t, &t->inodes.v[dir]);
	uint32_t i;

	for (i = s.first; i < s.end; i++)
		if (bfo_name_len(&t->names.v[i]) == len &&
		    !memcmp(bfo_name_text(t, &t->names.v[i]), name, len))
			return i;
	return BFO_NONE;
}
