// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diredit: changes a directory of an unmounted image at random, by plan/dir_edit.
 *
 *   diredit IMAGE DIR FILES SEED ROUNDS BATCH POOL LONGEST
 *
 * A round is one call that changes BATCH names: of POOL possible ones, of up to LONGEST bytes,
 * those that are not there are inserted, each as a link to some file in the directory FILES; of
 * those that are there a third goes, and the others lead elsewhere.  Link counts are kept right.
 * Prints "INODE NAME" of all that should be there then.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <et/com_err.h>
#include <ext2fs/ext2fs.h>

#include "base/bfo_err.h"
#include "plan/dir_edit.h"

#define HEAD 60

struct block {
	char *data;
	int dirty;
};

struct file {
	ext2_ino_t ino;
	int links;		/* more, or less, than before */
};

static ext2_filsys fs;
static struct bfo_context ctx;
static struct bfo_target target;
static struct ext2_inode_large inode;
static ext2_ino_t dir;
static struct block *blocks;
static uint32_t n_blocks;
static struct file *files;
static uint32_t n_files;
static uint32_t pool, longest, *there;	/* the inode that each name of the pool leads to */

static void check(errcode_t code, const char *what)
{
	if (code)
		errx(1, "%s: %s%s%s", what, error_message(code), *ctx.what ? " while " : "",
		     ctx.what);
}

/* ---- the store ---- */

static void make_slots(uint32_t n)
{
	blocks = realloc(blocks, n * sizeof(*blocks));
	if (!blocks)
		err(1, "memory");
	memset(blocks + n_blocks, 0, (n - n_blocks) * sizeof(*blocks));
	n_blocks = n;
}

static errcode_t load(uint32_t lblk)
{
	struct block *b = &blocks[lblk];
	blk64_t blk;
	errcode_t code;

	if (b->data)
		return 0;
	b->data = malloc(fs->blocksize);
	code = ext2fs_bmap2(fs, dir, NULL, NULL, 0, lblk, NULL, &blk);
	return code ? code : io_channel_read_blk64(fs->io, blk, 1, b->data);
}

static errcode_t peek(void *priv, uint32_t lblk, const void **block)
{
	errcode_t code = load(lblk);

	(void) priv;
	*block = blocks[lblk].data;
	return code;
}

static errcode_t get(void *priv, uint32_t lblk, void **block)
{
	errcode_t code = load(lblk);

	(void) priv;
	blocks[lblk].dirty = 1;
	*block = blocks[lblk].data;
	return code;
}

static errcode_t grow(void *priv, uint32_t lblk, void **block)
{
	(void) priv;
	make_slots(lblk + 1);
	blocks[lblk].dirty = 1;
	*block = blocks[lblk].data = malloc(fs->blocksize);
	return 0;
}

/* ---- the image ---- */

static void read_target(void)
{
	struct ext2_super_block *sb = fs->super;

	target.block_size = fs->blocksize;
	target.csum_seed = fs->csum_seed;
	target.has_csum = ext2fs_has_feature_metadata_csum(sb);
	target.has_dir_index = ext2fs_has_feature_dir_index(sb);
	target.has_large_dir = ext2fs_has_feature_largedir(sb);
	target.has_filetype = ext2fs_has_feature_filetype(sb);
	target.hash_stored = target.hash_version = sb->s_def_hash_version;
	if (sb->s_flags & EXT2_FLAGS_UNSIGNED_HASH)
		target.hash_version += 3;
	memcpy(target.hash_seed, sb->s_hash_seed, sizeof(target.hash_seed));
	target.inodes = sb->s_inodes_count;
}

static int take_file(struct ext2_dir_entry *e, int offset, int size, char *buf, void *priv)
{
	(void) offset, (void) size, (void) buf, (void) priv;
	if (ext2fs_dirent_name_len(e) > 2) {
		files = realloc(files, (n_files + 1) * sizeof(*files));
		files[n_files++] = (struct file) { .ino = e->inode };
	}
	return 0;
}

static void add_link(ext2_ino_t ino, int by)
{
	uint32_t i;

	for (i = 0; i < n_files; i++)
		if (files[i].ino == ino)
			files[i].links += by;
}

static void write_links(void)
{
	struct ext2_inode other;
	uint32_t i;

	for (i = 0; i < n_files; i++) {
		check(ext2fs_read_inode(fs, files[i].ino, &other), "an inode");
		other.i_links_count += files[i].links;
		check(ext2fs_write_inode(fs, files[i].ino, &other), "an inode");
	}
}

/* The content of an inline directory: both regions. */
static void read_inline(struct bfo_dir_inline *in)
{
	static uint8_t bytes[65536];
	size_t size, more;

	check(ext2fs_inline_data_get(fs, dir, NULL, bytes, &size), "reading an inline directory");
	check(ext2fs_xattr_inode_max_size(fs, dir, &more), "room in an inode");
	*in = (struct bfo_dir_inline) { .head = bytes, .tail = bytes + HEAD,
		.tail_len = size - HEAD, .tail_room = (size - HEAD + more) / 4 * 4 };
}

static void leave_inode(void)
{
	struct ext2_xattr_handle *h;

	check(ext2fs_xattrs_open(fs, dir, &h), "attributes");
	check(ext2fs_xattrs_read(h), "attributes");
	check(ext2fs_xattr_remove(h, "system.data"), "attributes");
	check(ext2fs_xattrs_write(h), "attributes");
	check(ext2fs_xattrs_close(&h), "attributes");
	check(ext2fs_read_inode_full(fs, dir, (void *) &inode, sizeof(inode)), "the directory");
	memset(inode.i_block, 0, sizeof(inode.i_block));
	inode.i_flags &= ~EXT4_INLINE_DATA_FL;
	if (ext2fs_has_feature_extents(fs->super))
		inode.i_flags |= EXT4_EXTENTS_FL;
}

static void write_dir(const struct bfo_dir_edit *d)
{
	uint32_t i;
	blk64_t blk;

	if (d->flags & EXT4_INLINE_DATA_FL) {
		check(ext2fs_inline_data_set(fs, dir, NULL, d->inl->head, d->size), "inline data");
		check(ext2fs_read_inode_full(fs, dir, (void *) &inode, sizeof(inode)), "a size");
	} else if (d->inl) {
		leave_inode();
	}
	inode.i_flags |= d->flags & EXT2_INDEX_FL;
	check(ext2fs_inode_size_set(fs, (void *) &inode, d->size), "the size");
	check(ext2fs_write_inode_full(fs, dir, (void *) &inode, sizeof(inode)), "the directory");
	for (i = 0; i < n_blocks; i++) {
		if (!blocks[i].dirty)
			continue;
		check(ext2fs_bmap2(fs, dir, NULL, NULL, BMAP_ALLOC, i, NULL, &blk), "a block");
		check(io_channel_write_blk64(fs->io, blk, 1, blocks[i].data), "a block");
	}
}

/* ---- names ---- */

static uint32_t name_of(uint32_t i, char *name)
{
	uint32_t len = sprintf(name, "%u-", i), want = i * 2654435761U / 7 % longest;

	for (; len < want; len++)
		name[len] = 'a' + (i * 31 + len * 7) % 26;
	return len;
}

static errcode_t take_name(void *priv, const struct bfo_dir_name *n)
{
	uint32_t i = strtoul(n->name, NULL, 10);
	char name[256];

	(void) priv;
	if (i < pool && name_of(i, name) == n->len && !memcmp(name, n->name, n->len))
		there[i] = n->ino;
	else
		printf("%u %.*s\n", n->ino, (int) n->len, n->name);
	return 0;
}

static void change_some(struct bfo_dir_edit *d, uint32_t n)
{
	struct bfo_dir_change *changes = calloc(n, sizeof(*changes));
	char (*names)[256] = malloc(n * sizeof(*names));
	uint32_t i, k = random() % pool;

	for (i = 0; i < n; i++, k = (k + 1 + random() % (pool / n)) % pool) {
		struct bfo_dir_change *c = &changes[i];
		struct file *f = &files[random() % n_files];

		c->to = (struct bfo_dir_name) { .name = names[i], .len = name_of(k, names[i]),
						.ino = f->ino, .type = EXT2_FT_REG_FILE };
		c->step = !there[k] ? BFO_DIR_INSERT :
			  random() % 3 ? BFO_DIR_POINT : BFO_DIR_REMOVE;
		if (there[k])
			add_link(there[k], -1);
		there[k] = c->step == BFO_DIR_REMOVE ? 0 : f->ino;
		if (there[k])
			f->links++;
	}
	check(bfo_dir_edit_apply(d, changes, n), "changing");
	free(changes);
	free(names);
}

static ext2_ino_t look_up(const char *path)
{
	ext2_ino_t ino;

	check(ext2fs_namei(fs, EXT2_ROOT_INO, EXT2_ROOT_INO, path, &ino), path);
	return ino;
}

int main(int argc, char **argv)
{
	struct bfo_dir_store store = { .peek = peek, .get = get, .grow = grow };
	struct bfo_dir_edit d = { .ctx = &ctx, .target = &target, .store = &store };
	struct bfo_dir_inline in;
	uint32_t rounds, batch, i;
	char name[256];

	if (argc != 9)
		errx(2, "usage: diredit IMAGE DIR FILES SEED ROUNDS BATCH POOL LONGEST");
	initialize_ext2_error_table();
	initialize_bfo_error_table();
	srandom(atoi(argv[4]));
	rounds = atoi(argv[5]);
	batch = atoi(argv[6]);
	pool = atoi(argv[7]);
	longest = atoi(argv[8]);
	there = calloc(pool, sizeof(*there));
	check(ext2fs_open(argv[1], EXT2_FLAG_RW | EXT2_FLAG_64BITS, 0, 0, unix_io_manager, &fs),
	      argv[1]);
	check(ext2fs_read_bitmaps(fs), "bitmaps");
	read_target();
	check(ext2fs_dir_iterate(fs, look_up(argv[3]), 0, NULL, take_file, NULL), argv[3]);
	dir = look_up(argv[2]);
	check(ext2fs_read_inode_full(fs, dir, (void *) &inode, sizeof(inode)), argv[2]);
	d.ino = dir;
	d.generation = inode.i_generation;
	d.flags = inode.i_flags;
	d.size = EXT2_I_SIZE(&inode);
	if (d.flags & EXT4_INLINE_DATA_FL) {
		read_inline(&in);
		d.inl = &in;
	} else {
		make_slots(d.size / fs->blocksize);
	}
	check(bfo_dir_edit_each(&d, take_name, NULL), "reading");
	for (i = 0; i < rounds; i++)
		change_some(&d, batch);
	write_dir(&d);
	write_links();
	for (i = 0; i < pool; i++)
		if (there[i])
			printf("%u %.*s\n", there[i], (int) name_of(i, name), name);
	check(ext2fs_close(fs), "closing");
	return 0;
}
