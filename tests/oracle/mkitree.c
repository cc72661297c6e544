// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkitree: a container of indexes for a filesystem, as a file beside it
 *
 *   mkitree IMAGE WTIME SEED > FILE
 *
 * Reads the directories of IMAGE that have more than one block, and writes what /.e2itree would be,
 * with WTIME as the time of the filesystem's last write.  Whoever puts FILE into IMAGE by debugfs
 * has to see to it that the superblock says so (E2FSPROGS_FAKE_TIME).  SEED: of the checksums.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "gather/inode_check.h"
#include "gather/inode_scan.h"
#include "gather/inode_walk.h"
#include "gather/name_scan.h"
#include "itree/build.h"
#include "tree/access.h"
#include "volume/open.h"

#define TRY(expr) do { \
	errcode_t try_err = (expr); \
	if (try_err) \
		errx(1, "%s: %s", #expr, error_message(try_err)); \
} while (0)

static struct bfo_volume *vol;
static struct bfo_tree tree;
static BFO_VEC(struct itree_dir) dirs;
static bfo_chars blocks;

static errcode_t emit(void *priv, uint32_t blk, const void *block)
{
	(void) priv;
	(void) blk;
	TRY(bfo_vec_reserve(&blocks, vol->block_size));
	memcpy(blocks.v + blocks.n, block, vol->block_size);
	blocks.n += vol->block_size;
	return 0;
}

static errcode_t take_dir(void *priv, uint32_t ino, const void *raw)
{
	struct itree_dir d = { .ino = ino };
	int64_t sec;

	(void) priv;
	d.generation = ext2fs_le32_to_cpu(((const struct ext2_inode *) raw)->i_generation);
	d.version = bfo_inode_version(raw, vol->inode_size);
	bfo_inode_ctime(raw, vol->inode_size, &sec, &d.ctime_nsec);
	d.ctime = sec;
	return bfo_vec_push(&dirs, d);
}

/* Names by directory, inode number and hash: two words of the key, the third is the tree's. */
static void sort_names(void)
{
	size_t i;

	for (i = 0; i < tree.names.n; i++) {
		struct bfo_name *n = &tree.names.v[i];

		TRY(ext2fs_dirhash2(bfo_volume_hash_version(vol), bfo_name_text(&tree, n),
				    bfo_name_len(n), NULL, 0, vol->fs->super->s_hash_seed,
				    &n->minor, NULL));
		n->hash = bfo_name_number(&tree, n);
	}
	bfo_sort(tree.names.v, tree.names.n, sizeof(*tree.names.v), 3);
}

static void build(struct itree_builder *b, struct itree_dir *d, size_t *at, uint32_t first)
{
	bfo_row index = bfo_tree_find(&tree, d->ino);

	d->first = first + blocks.n / vol->block_size;
	itree_builder_begin(b, d->ino, d->generation);
	for (; *at < tree.names.n && tree.names.v[*at].dir == index; (*at)++) {
		const struct bfo_name *n = &tree.names.v[*at];
		struct itree_entry e = { .key = itree_key_make(bfo_name_number(&tree, n), n->minor),
			.name = bfo_name_text(&tree, n), .name_len = bfo_name_len(n),
			.type = bfo_name_type(n) };

		TRY(itree_builder_add(b, &e));
	}
	TRY(itree_builder_end(b, d));
}

static void put(const void *data, size_t bytes)
{
	if (fwrite(data, 1, bytes, stdout) != bytes)
		err(1, "writing");
}

static void write_all(struct itree_header *h)
{
	char *block = calloc(1, vol->block_size);
	uint32_t k;

	itree_header_pack(h, block);
	put(block, vol->block_size);
	for (k = 0; k < h->catalogue_blocks; k++) {
		itree_catalogue_pack(h, dirs.v, k, block);
		put(block, vol->block_size);
	}
	put(blocks.v, blocks.n);
	free(block);
}

int main(int argc, char **argv)
{
	struct itree_header h = { .catalogue = 1 };
	BFO_VEC(uint32_t) inos = { 0 };
	struct itree_builder b;
	struct bfo_context ctx = { 0 };
	struct bfo_reader r;
	size_t i, at = 0;

	if (argc != 4)
		errx(2, "usage: mkitree IMAGE WTIME SEED");
	TRY(bfo_volume_open_source(&ctx, argv[1], 0, NULL, NULL, NULL, NULL, &vol));
	TRY(bfo_reader_init(&r, &ctx, vol, 0));
	TRY(bfo_inode_scan(&r, &tree));
	for (i = 0; i < tree.inodes.n; i++)
		if (S_ISDIR(tree.inodes.v[i].mode) && tree.inodes.v[i].size > vol->block_size)
			TRY(bfo_vec_push(&inos, tree.inodes.v[i].ino));
	bfo_tree_free(&tree);
	memset(&tree, 0, sizeof(tree));
	TRY(bfo_inode_scan_some(&r, &tree, inos.v, inos.n));
	TRY(bfo_name_scan(&r, &tree));
	sort_names();
	TRY(bfo_inode_walk(&r, inos.v, inos.n, take_dir, NULL, NULL));
	h.block_size = vol->block_size;
	memcpy(h.uuid, vol->fs->super->s_uuid, sizeof(h.uuid));
	memcpy(h.hash_seed, vol->fs->super->s_hash_seed, sizeof(h.hash_seed));
	h.hash_version = bfo_volume_hash_version(vol);
	h.seed = strtoul(argv[3], NULL, 0);
	h.wtime = strtoull(argv[2], NULL, 0);
	h.lastcheck = vol->fs->super->s_lastcheck;
	h.trees = dirs.n;
	h.catalogue_blocks = itree_catalogue_blocks(h.block_size, h.trees);
	TRY(itree_builder_init(&b, h.block_size, ITREE_FILL, h.seed, emit, NULL));
	for (i = 0; i < dirs.n; i++)
		build(&b, &dirs.v[i], &at, 1 + h.catalogue_blocks);
	h.blocks = 1 + h.catalogue_blocks + blocks.n / h.block_size;
	write_all(&h);
	itree_builder_free(&b);
	bfo_reader_free(&r);
	bfo_volume_close(vol);
	return 0;
}
