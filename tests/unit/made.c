// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * made.c - trees and targets made by hand
 */
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "tree/access.h"
#include "made.h"

void made_init(struct made *m)
{
	static const uint32_t seed[4] = { 0x11223344, 0x55667788, 0x99aabbcc, 0xddeeff00 };

	memset(m, 0, sizeof(*m));
	want_ok(bfo_rank_init(&m->tree.rank, MADE_LIMIT));
	m->tree.block_size = 4096;
	m->target = (struct bfo_target) {
		.block_size = 4096, .cluster_blocks = 1, .has_extents = 1, .has_filetype = 1,
		.inode_size = 256, .extra_isize = 32, .csum_seed = 0xc0ffee11,
		.has_csum = 1, .has_dir_index = 1, .has_dir_nlink = 1, .has_huge_file = 1,
		.hash_version = EXT2_HASH_HALF_MD4, .hash_stored = EXT2_HASH_HALF_MD4,
		.blocks = 1ULL << 40, .inodes = MADE_LIMIT,
	};
	memcpy(m->target.hash_seed, seed, sizeof(seed));
}

void made_free(struct made *m)
{
	if (m->planned)
		bfo_plan_free(&m->plan);
	bfo_tree_free(&m->tree);
	bfo_target_free(&m->target);
}

uint32_t made_inode(struct made *m, uint32_t ino, uint16_t mode)
{
	want_ok(bfo_vec_push(&m->tree.inodes, (struct bfo_inode) { .ino = ino, .mode = mode,
			     .generation = ino * 7, .links_read = 1, .ea = BFO_NONE,
			     .name = BFO_NONE }));
	bfo_rank_add(&m->tree.rank, ino);
	return m->tree.inodes.n - 1;
}

void made_seg(struct made *m, uint64_t blk, uint32_t lblk, uint32_t len)
{
	struct bfo_inode *rec = &m->tree.inodes.v[m->tree.inodes.n - 1];
	uint64_t end = ((uint64_t) lblk + len) * m->target.block_size;

	want_ok(bfo_tree_add_seg(&m->tree, rec, (struct bfo_seg) { .blk = blk, .lblk = lblk,
				 .len = len }));
	if (rec->size < end)
		rec->size = end;
}

uint32_t made_file(struct made *m, uint32_t ino, uint64_t blk, uint32_t blocks)
{
	bfo_row index = made_inode(m, ino, S_IFREG | 0644);

	if (blocks)
		made_seg(m, blk, 0, blocks);
	return index;
}

uint32_t made_ea(struct made *m, uint64_t blk)
{
	want_ok(bfo_vec_push(&m->tree.eas, (struct bfo_ea) { .blk = blk,
			     .copy = m->tree.eas.n }));
	return m->tree.eas.n - 1;
}

void made_seal(struct made *m)
{
	bfo_rank_seal(&m->tree.rank);
}

static int dirent_type(uint16_t mode)
{
	return S_ISDIR(mode) ? EXT2_FT_DIR : S_ISREG(mode) ? EXT2_FT_REG_FILE :
	       S_ISLNK(mode) ? EXT2_FT_SYMLINK : S_ISCHR(mode) ? EXT2_FT_CHRDEV :
	       S_ISBLK(mode) ? EXT2_FT_BLKDEV : S_ISFIFO(mode) ? EXT2_FT_FIFO : EXT2_FT_SOCK;
}

void made_name_bytes(struct made *m, uint32_t dir, const void *text, size_t len, uint32_t ino)
{
	bfo_row row = bfo_tree_find(&m->tree, ino);
	int type = 0;

	if (row != BFO_NONE)
		type = dirent_type(m->tree.inodes.v[row].mode);
	want_ok(bfo_tree_add_name(&m->tree, bfo_tree_find(&m->tree, dir), ino, type, text, len));
}

void made_name(struct made *m, uint32_t dir, const char *text, uint32_t ino)
{
	made_name_bytes(m, dir, text, strlen(text), ino);
}

void made_free_blocks(struct made *m, uint64_t start, uint64_t len)
{
	want_ok(bfo_ranges_append(&m->target.free_blocks, start, len));
}

void made_free_inodes(struct made *m, uint64_t start, uint64_t len)
{
	want_ok(bfo_ranges_append(&m->target.free_inodes, start, len));
}

struct bfo_inode *made_rec(struct made *m, uint32_t ino)
{
	bfo_row index = bfo_tree_find(&m->tree, ino);

	want(index != BFO_NONE);
	return &m->tree.inodes.v[index];
}

static void fresh_target(struct made *old)
{
	made_inode(old, EXT2_ROOT_INO, S_IFDIR | 0755);
	made_seg(old, 500, 0, 1);
	old->tree.inodes.v[0].links_read = 3;
	made_inode(old, EXT2_GOOD_OLD_FIRST_INO, S_IFDIR | 0700);
	made_seg(old, 501, 0, 4);
	old->tree.inodes.v[1].links_read = 2;
	made_seal(old);
	made_name(old, EXT2_ROOT_INO, "lost+found", EXT2_GOOD_OLD_FIRST_INO);
}

/* Each level has its own tree, as the names in it are sorted away with their segments. */
static errcode_t merge(struct made *m, made_old make)
{
	errcode_t err = 0;
	struct made old;

	while (m->plan.pairs.n && !err) {
		made_init(&old);
		make(&old);
		err = bfo_plan_merge(&m->plan, &old.tree);
		made_free(&old);
	}
	return err;
}

errcode_t made_plan_paths(struct made *m, const char *const *from, size_t n, const char *to,
			  made_old old)
{
	errcode_t err;

	bfo_plan_init(&m->plan, &m->ctx, &m->tree, &m->target);
	m->planned = 1;
	err = bfo_plan_names(&m->plan);
	if (!err && m->filter)
		err = bfo_plan_filter(&m->plan, m->filter);
	if (!err)
		err = bfo_plan_land(&m->plan, from, n, to);
	if (!err)
		err = merge(m, old ? old : fresh_target);
	if (!err)
		err = bfo_plan_order(&m->plan);
	return err ? err : bfo_plan_share(&m->plan);
}

errcode_t made_plan(struct made *m, made_old old)
{
	static const char *const from[] = { "/" };

	return made_plan_paths(m, from, 1, "/", old);
}

uint32_t made_count(const struct made *m, bfo_row dir)
{
	return bfo_dir_count(&m->tree, &m->tree.inodes.v[dir]);
}

size_t made_names_of(const struct made *m, uint32_t ino)
{
	bfo_row row = bfo_tree_find(&m->tree, ino);
	const struct bfo_name *name;
	const struct bfo_inode *dir;
	struct bfo_slice s;
	size_t i, n = 0;

	for (i = 0; i < m->plan.order.n; i++) {
		dir = bfo_plan_item(&m->plan, i);
		if (!S_ISDIR(dir->mode))
			continue;
		for (s = bfo_dir_names(&m->tree, dir); s.first < s.end; s.first++) {
			name = &m->tree.names.v[s.first];
			n += !bfo_name_is_fixed(name) && bfo_name_row(&m->tree, name) == row;
		}
	}
	return n;
}

size_t made_found(const struct made *m, enum bfo_finding_kind kind)
{
	size_t i, n = 0;

	for (i = 0; i < m->tree.findings.n; i++)
		n += m->tree.findings.v[i].kind == kind;
	return n;
}
