// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dump.c - -d: a tree, block by block
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/text.h"
#include "e2itree.h"

struct dump {
	struct bfo_container_tree store;
	struct itree_dir dir;
	uint32_t seed;
	char *blocks;		/* one for each level */
	uint64_t left;		/* blocks that may still be printed: there are no more */
	uint32_t bad;		/* the block that was read last */
};

static errcode_t find_dir(struct job *j, uint32_t *ino)
{
	const char *name = j->opt.dump;
	unsigned long long number;
	ext2_ino_t found;
	errcode_t err;
	char *end;

	if (name[0] == '<' && isdigit((unsigned char) name[1])) {
		number = strtoull(name + 1, &end, 10);
		*ino = number;
		if (!strcmp(end, ">") && *ino == number)
			return 0;
	}
	err = ext2fs_namei(j->vol->fs, EXT2_ROOT_INO, EXT2_ROOT_INO, name, &found);
	*ino = found;
	return err ? bfo_fail(&j->ctx, BFO_ET_NO_PATH, "looking for %s on %s", name, j->opt.device)
		   : 0;
}

static void print_leaf(const struct dump *d, uint32_t blk, const char *block)
{
	uint32_t used = itree_leaf_used(block), at, bs = d->store.store.block_size;
	struct itree_entry e;
	char name[1100];

	printf("leaf %u: %u of %u bytes\n", blk, used, bs);
	for (at = ITREE_LEAF_HEAD; at < used; ) {
		at = itree_leaf_get(block, at, &e);
		printf("  %10u %08x %u %s\n", itree_key_ino(e.key), itree_key_hash(e.key), e.type,
		       bfo_text_escape(e.name, e.name_len, name, sizeof(name)));
	}
}

static void print_node(uint32_t blk, const char *block)
{
	struct itree_child c;
	uint32_t i;

	printf("node %u: level %u, %u of %u children\n", blk, itree_node_level(block),
	       itree_node_count(block), (unsigned) (block[2] & 255) | (block[3] & 255) << 8);
	for (i = 0; i < itree_node_count(block); i++) {
		itree_node_get(block, i, &c);
		printf("  %10u %08x block %llu, %u%% full%s\n", itree_key_ino(c.key),
		       itree_key_hash(c.key), (unsigned long long) c.block, c.fullness * 100 / 255,
		       c.flags & ITREE_CHILD_CONT ? ", continues a run of equal keys" : "");
	}
}

/* Block BLK, LEVEL levels above the leaves, and what is below it. */
static errcode_t dump_block(struct dump *d, uint32_t blk, uint32_t level)
{
	uint32_t bs = d->store.store.block_size, i;
	char *block = d->blocks + (size_t) level * bs;
	struct itree_child c;
	errcode_t err;

	d->bad = blk;
	if (!d->left--)
		return BFO_ET_ITREE;
	err = d->store.store.read(d->store.store.priv, blk, block);
	if (!err)
		err = level ? itree_node_check(block, bs, d->seed, blk, level - 1, d->dir.blocks)
			    : itree_leaf_check(block, bs, d->seed, blk);
	if (err)
		return err;
	if (!level) {
		print_leaf(d, blk, block);
		return 0;
	}
	print_node(blk, block);
	for (i = 0; i < itree_node_count(block) && !err; i++) {
		itree_node_get(block, i, &c);
		err = dump_block(d, c.block, level - 1);
	}
	return err;
}

static errcode_t dump(struct job *j, uint32_t ino)
{
	struct dump d = { 0 };
	char path[4096];
	errcode_t err = bfo_container_dir(&j->old, ino, &d.dir);

	if (err)
		return err == BFO_ET_NO_ITREE ? bfo_fail(&j->ctx, err, "looking for the index of "
							 "%s on %s; -l shows which there are",
							 j->opt.dump, j->opt.device) : err;
	progress_wipe(&j->bar);
	printf("index of %s (inode %u): %llu names; levels of nodes: %u, "
	       "leaves: %u, blocks: %u from %u on\n",
	       job_path(j, ino, path, sizeof(path)), ino, (unsigned long long) d.dir.entries,
	       d.dir.levels, d.dir.leaves, d.dir.blocks, d.dir.first);
	d.seed = itree_tree_seed(j->old.header.seed, d.dir.ino, d.dir.generation);
	d.left = d.dir.blocks;
	d.blocks = malloc((d.dir.levels + 1) * (size_t) j->vol->block_size);
	err = d.blocks ? bfo_container_tree_open(&d.store, &j->old, &d.dir) : ENOMEM;
	if (!err)
		err = dump_block(&d, d.dir.root, d.dir.levels);
	if (d.blocks)
		bfo_container_tree_free(&d.store);
	free(d.blocks);
	return err ? bfo_fail(&j->ctx, err, "reading block %u of the index of %s", d.bad,
			      j->opt.dump)
		   : 0;
}

errcode_t dump_tree(struct job *j)
{
	errcode_t err = bfo_container_find(&j->reader, &j->old);
	uint32_t ino;

	if (!err)
		err = find_dir(j, &ino);
	return err ? err : dump(j, ino);
}
