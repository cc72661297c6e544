// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merged.c - what has become of directories that exist on both sides
 */
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "tree/access.h"
#include "merged.h"

struct bfo_inode *made_old_dir(struct made *old, uint32_t ino, uint32_t links)
{
	bfo_row index = made_inode(old, ino, S_IFDIR | 0755);

	made_seg(old, 1000 + ino, 0, 1);
	old->tree.inodes.v[index].links_read = links;
	return &old->tree.inodes.v[index];
}

const struct bfo_name *merged_name(const struct made *m, bfo_row dir, const char *text)
{
	struct bfo_slice s = bfo_dir_names(&m->tree, &m->tree.inodes.v[dir]);
	const struct bfo_name *found = NULL, *n;
	uint32_t i;

	for (i = s.first; i < s.end; i++) {
		n = &m->tree.names.v[i];
		want_eq(n->dir, dir);
		if (bfo_name_len(n) != strlen(text) ||
		    memcmp(bfo_name_text(&m->tree, n), text, strlen(text)))
			continue;
		want(!found);
		found = n;
	}
	return found;
}

void merged_fixed(const struct made *m, uint32_t dir, const char *text, uint32_t ino,
		       uint32_t type)
{
	const struct bfo_name *n = merged_name(m, bfo_tree_find(&m->tree, dir), text);

	want(n && bfo_name_type(n) == (type | BFO_NAME_FIXED));
	want_eq(bfo_name_number(&m->tree, n), ino);
}

void merged_new(const struct made *m, uint32_t dir, const char *text, uint32_t ino)
{
	const struct bfo_name *n = merged_name(m, bfo_tree_find(&m->tree, dir), text);

	want(n && !bfo_name_is_fixed(n));
	want_eq(bfo_name_row(&m->tree, n), bfo_tree_find(&m->tree, ino));
}

uint32_t merged_count(const struct made *m, uint32_t ino)
{
	return made_count(m, bfo_tree_find(&m->tree, ino));
}

struct bfo_merged *merged_dir(struct made *m, uint32_t ino, uint32_t from, uint32_t gained)
{
	struct bfo_merged *g = bfo_plan_merged(&m->plan, ino);

	want(g);
	want_eq(g->row, bfo_tree_find(&m->tree, from));
	want_eq(g->gained, gained);
	want_eq(made_rec(m, from)->new_ino, ino);
	want(made_rec(m, from)->state & BFO_INODE_EXISTS);
	return g;
}
