// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * itree.c - opening a tree, looking for a name
 */
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "itree/change.h"
#include "itree/descent.h"

errcode_t itree_open(struct itree *t, const struct itree_store *store, uint32_t container_seed,
		     const struct itree_dir *dir)
{
	memset(t, 0, sizeof(*t));
	t->store = store;
	t->dir = *dir;
	t->seed = itree_tree_seed(container_seed, dir->ino, dir->generation);
	t->merge = ITREE_MERGE;
	if (dir->levels > ITREE_MAX_LEVELS || dir->root >= dir->blocks || !dir->leaves ||
	    dir->leaves > dir->blocks)
		return BFO_ET_ITREE;
	return 0;
}

void itree_close(struct itree *t)
{
	itree_change_free(t);
	memset(t, 0, sizeof(*t));
}

errcode_t itree_search(const struct itree *t, itree_key key, const char *name, uint8_t name_len,
		       struct itree_entry *e)
{
	struct itree_path path = { 0 };
	struct itree_entry found;
	errcode_t err = itree_path_lower(t, &path, key);

	if (!err)
		err = itree_path_find(t, &path, key, name, name_len, &found);
	if (!err && e) {
		*e = found;
		e->name = name;
	}
	itree_path_free(&path);
	return err;
}
