// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * layout_gather.c - what `e2bfo layout` has to know of a volume
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "gather/inode_scan.h"
#include "gather/name_scan.h"
#include "plan/names.h"
#include "tree/access.h"
#include "tree/path.h"
#include "layout.h"

/* Names remember where they stand, for directories that are not listed by hash. */
static errcode_t take_name(void *priv, const struct bfo_found_name *n)
{
	struct bfo_tree *t = priv;
	errcode_t err = bfo_tree_add_name(t, n->dir, n->ino, n->type, n->text, n->len);

	if (err)
		return err;
	bfo_name_set_place(&t->names.v[t->names.n - 1], n->lblk, t->names.n);
	return n->hashes ? bfo_tree_add_hashes(t, n->hashes) : 0;
}

static errcode_t find_tables(struct layout_side *s)
{
	ext2_filsys fs = s->volume->fs;
	errcode_t err = 0;
	dgrp_t g;

	s->tables.group_inodes = EXT2_INODES_PER_GROUP(fs->super);
	s->tables.block_inodes = s->volume->block_size / s->volume->inode_size;
	for (g = 0; g < fs->group_desc_count && !err; g++)
		err = bfo_vec_push(&s->tables.groups, (struct bfo_table) {
				   .blk = ext2fs_inode_table_loc(fs, g),
				   .used = bfo_volume_group_used(s->volume, g) });
	return err ? err : bfo_tables_add_dirs(&s->tables, &s->tree);
}

static int by_inode(const void *a, const void *b)
{
	const struct bfo_map_use *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return (x->blk > y->blk) - (x->blk < y->blk);
}

/* Each record's first name, so that it has a path before anybody walks. */
static void name_records(struct bfo_tree *t)
{
	uint32_t *name;
	size_t i;

	for (i = 0; i < t->names.n; i++) {
		name = &t->inodes.v[bfo_name_row(t, &t->names.v[i])].name;
		if (*name == BFO_NONE)
			*name = i;
	}
}

static errcode_t arrange(struct layout_side *s)
{
	struct bfo_tree *t = &s->tree;
	errcode_t err = find_tables(s);

	if (!err && t->map_blocks.n)
		qsort(t->map_blocks.v, t->map_blocks.n, sizeof(*t->map_blocks.v), by_inode);
	if (!err)
		err = bfo_names_resolve(t);
	if (err)
		return bfo_fail(s->ctx, err, "sorting the names of %s", s->name);
	bfo_names_list(t, &s->shape);
	name_records(t);
	return 0;
}

/* ---- PATHs ---- */

/* Why way W, of PATH, leads nowhere, in words. */
static errcode_t leads_nowhere(struct layout_side *s, const char *path, const struct bfo_way *w,
			       errcode_t err)
{
	const char *why = "";

	if (err == EINVAL)
		why = ": '..' is not followed";
	else if (err == BFO_ET_NOT_DIR && S_ISLNK(s->tree.inodes.v[w->row].mode))
		why = ": symbolic links are not followed";
	return bfo_fail(s->ctx, err, "looking for %s on %s%s", path, s->name, why);
}

/* All on the way are shown by the names by which they were asked for. */
static errcode_t find_path(struct layout_side *s, const char *path, bfo_row *row)
{
	struct bfo_tree *t = &s->tree;
	struct bfo_way w = { .tree = t, .rest = path, .row = bfo_tree_find(t, EXT2_ROOT_INO),
			     .at = BFO_NONE };
	errcode_t err;
	int more;

	if (w.row == BFO_NONE)
		return bfo_fail(s->ctx, BFO_ET_NO_PATH, "looking for the root directory of %s",
				s->name);
	while (!(err = bfo_way_step(&w, &more)) && more)
		t->inodes.v[w.row].name = w.at;
	*row = w.row;
	return err ? leads_nowhere(s, path, &w, err) : 0;
}

static errcode_t find_roots(struct layout_side *s, const struct layout_options *opt)
{
	bfo_row row = BFO_NONE;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < opt->n_paths && !err; i++) {
		err = find_path(s, opt->paths[i], &row);
		if (!err)
			err = bfo_vec_push(&s->roots, row);
	}
	return err;
}

/* ---- free space ---- */

/*
 * What is known to be bad must not be touched, and libext2fs reads all bitmaps that were ever
 * written.
 */
static errcode_t warm_bitmaps(const struct bfo_volume *vol)
{
	ext2_filsys fs = vol->fs;
	int uninit = ext2fs_has_group_desc_csum(fs);
	errcode_t err = 0;
	dgrp_t g;

	for (g = 0; g < fs->group_desc_count && vol->media.bad.n && !err; g++)
		if (!uninit || !ext2fs_bg_flags_test(fs, g, EXT2_BG_BLOCK_UNINIT))
			err = bfo_media_warm(vol, ext2fs_block_bitmap_loc(fs, g));
	return err;
}

/* Without it, all else can be told. */
static errcode_t find_free(struct layout_side *s)
{
	ext2_filsys fs = s->volume->fs;

	fs->default_bitmap_type = EXT2FS_BMAP64_RBTREE;
	s->free_error = warm_bitmaps(s->volume);
	if (!s->free_error)
		s->free_error = ext2fs_read_block_bitmap(fs);
	if (s->free_error == ENOMEM || s->free_error == EXT2_ET_NO_MEMORY)
		return bfo_fail(s->ctx, ENOMEM, "reading the block bitmap of %s", s->name);
	return s->free_error ? 0 : bfo_target_free_blocks(s->volume, &s->free);
}

errcode_t layout_gather(struct layout_side *s, const struct layout_options *opt)
{
	errcode_t err = bfo_medium_open(s->medium, s->ctx, s->name, &opt->common.journal,
					&s->volume);

	if (!err)
		err = bfo_reader_init(&s->reader, s->ctx, s->volume, BFO_GAP_OF_DEVICE);
	if (err)
		return err;
	bfo_target_shape(s->volume, &s->shape);
	s->tree.keep_map_blocks = 1;
	err = bfo_inode_scan(&s->reader, &s->tree);
	if (!err)
		err = bfo_name_scan_to(&s->reader, &s->tree, take_name, &s->tree);
	if (!err)
		err = arrange(s);
	if (!err)
		err = find_roots(s, opt);
	return err ? err : find_free(s);
}

size_t layout_finding_path(const struct layout_side *s, const struct bfo_finding *f, char *out,
			   size_t size)
{
	const struct bfo_tree *t = &s->tree;
	bfo_row row = bfo_tree_find(t, f->len == BFO_NO_NAME ? f->ino : f->dir);

	/* What no name leads to belongs to the whole. */
	if (row != BFO_NONE && t->inodes.v[s->roots.v[0]].ino != EXT2_ROOT_INO &&
	    !(t->inodes.v[row].state & (BFO_INODE_PLACED | BFO_INODE_MET)))
		return 0;
	return bfo_tree_finding_path(&s->tree, f, out, size);
}

void layout_release(struct layout_side *s)
{
	bfo_layout_free(&s->measured);
	bfo_vec_free(&s->free);
	bfo_vec_free(&s->roots);
	bfo_tables_free(&s->tables);
	bfo_tree_free(&s->tree);
	bfo_target_free(&s->shape);
	bfo_reader_free(&s->reader);
	bfo_volume_close(s->volume);
}
