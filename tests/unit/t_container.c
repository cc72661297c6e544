// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_container.c - gather/container: files that debugfs put into an image, sound and damaged
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "copyjob.h"
#include "gather/container.h"
#include "gather/inode_check.h"
#include "itree/build.h"
#include "volume/open.h"
#include "unit.h"

#define BS 1024U
#define TREES 40U		/* three blocks of the catalogue */
#define BIG_NAMES 24000U	/* in the tree of the first directory */
#define ROOM 2048U		/* blocks, at most */

/* A container in memory, and the volume that it was put into. */
struct box {
	struct itree_header h;
	struct itree_dir dirs[TREES];
	uint8_t *bytes;
	struct bfo_context ctx;
	struct bfo_volume *vol;
	struct bfo_reader r;
	struct bfo_container c;
};

static uint32_t ino_of(uint32_t i)
{
	return 100 + 3 * i;
}

static errcode_t emit(void *priv, uint32_t blk, const void *block)
{
	struct box *b = priv;

	want(b->h.blocks + blk < ROOM);
	memcpy(b->bytes + (size_t) (b->h.blocks + blk) * BS, block, BS);
	return 0;
}

static void pack_catalogue(struct box *b)
{
	uint32_t k;

	for (k = 0; k < b->h.catalogue_blocks; k++)
		itree_catalogue_pack(&b->h, b->dirs, k,
				     b->bytes + (size_t) (b->h.catalogue + k) * BS);
	itree_header_pack(&b->h, b->bytes);
}

static void make_trees(struct box *b)
{
	struct itree_entry e = { .name = "name", .name_len = 4, .type = 1 };
	struct itree_builder builder;
	uint32_t i, k;

	memset(b, 0, sizeof(*b));
	b->bytes = unit_alloc(ROOM * BS);
	b->h = (struct itree_header) { .block_size = BS, .seed = 5, .trees = TREES, .catalogue = 1,
		.catalogue_blocks = itree_catalogue_blocks(BS, TREES), };
	b->h.blocks = 1 + b->h.catalogue_blocks;
	want_ok(itree_builder_init(&builder, BS, ITREE_FILL, b->h.seed, emit, b));
	for (i = 0; i < TREES; i++) {
		itree_builder_begin(&builder, ino_of(i), 7);
		for (k = 0; k < (i ? i : BIG_NAMES); k++) {
			e.key = itree_key_make(1000 + k, 2 * i);
			want_ok(itree_builder_add(&builder, &e));
		}
		want_ok(itree_builder_end(&builder, &b->dirs[i]));
		b->dirs[i].ino = ino_of(i);
		b->dirs[i].generation = 7;
		b->dirs[i].first = b->h.blocks;
		b->h.blocks += b->dirs[i].blocks;
	}
	itree_builder_free(&builder);
	pack_catalogue(b);
}

/* Puts BYTES of it into a new image as /NAME (NULL: nothing), and opens that. */
static void put(struct box *b, const char *name, size_t bytes)
{
	char *path = unit_path("container"), *image = unit_path("container.img");
	char request[600];
	FILE *f = fopen(path, "w");

	want(f && fwrite(b->bytes, 1, bytes, f) == bytes && !fclose(f));
	copyjob_shell("rm -f '%s'; mke2fs -q -F -t ext4 -b 1024 '%s' 8M > /dev/null 2>&1", image,
		      image);
	snprintf(request, sizeof(request), "debugfs -w -R 'write \"%s\" %s' '%%s' > /dev/null 2>&1",
		 path, name ? name : "");
	if (name)
		want_eq(copyjob_try(request, "container.img"), 0);
	want_ok(bfo_volume_open(&b->ctx, image, BFO_OPEN_SOURCE, NULL, &b->vol));
	want_ok(bfo_reader_init(&b->r, &b->ctx, b->vol, 0));
	free(path);
	free(image);
}

static void drop(struct box *b)
{
	bfo_container_free(&b->c);
	bfo_reader_free(&b->r);
	bfo_volume_close(b->vol);
	free(b->bytes);
}

START_TEST(reads_what_was_put_there)
{
	bfo_container_catalogue dirs = { 0 };
	struct itree_dir dir;
	struct box b;
	uint8_t *all;
	uint32_t i;

	make_trees(&b);
	put(&b, ITREE_NAME, (size_t) b.h.blocks * BS);
	want_ok(bfo_container_find(&b.r, &b.c));
	want_eq(b.c.size, (uint64_t) b.h.blocks * BS);
	want_mem(&b.c.header, &b.h, sizeof(b.h));
	all = unit_alloc((size_t) b.h.blocks * BS);
	want_ok(bfo_container_read(&b.c, 0, b.h.blocks, all));
	want_mem(all, b.bytes, (size_t) b.h.blocks * BS);
	want_ok(bfo_container_read(&b.c, 17, 2, all));
	want_mem(all, b.bytes + 17 * BS, 2 * BS);
	want_err(bfo_container_read(&b.c, b.h.blocks - 1, 2, all), BFO_ET_ITREE);
	want_ok(bfo_container_dirs(&b.c, &dirs));
	want_eq(dirs.n, TREES);
	want_mem(dirs.v, b.dirs, sizeof(b.dirs));
	for (i = 0; i < TREES; i++) {
		want_ok(bfo_container_dir(&b.c, ino_of(i), &dir));
		want_mem(&dir, &b.dirs[i], sizeof(dir));
		want_err(bfo_container_dir(&b.c, ino_of(i) + 1, &dir), BFO_ET_NO_ITREE);
	}
	want_err(bfo_container_dir(&b.c, 1, &dir), BFO_ET_NO_ITREE);
	bfo_vec_free(&dirs);
	free(all);
	drop(&b);
}
END_TEST

/* Block BLK comes as it is, and the buffer is where it was if STAYS. */
static void want_block(struct bfo_container_tree *t, const uint8_t *tree, uint32_t blk, int stays)
{
	uint8_t block[BS];
	uint32_t at = t->at;

	want_ok(t->store.read(t->store.priv, blk, block));
	want_mem(block, tree + (size_t) blk * BS, BS);
	want(!stays || t->at == at);
}

START_TEST(reads_leaves_ahead)
{
	struct bfo_container_tree t;
	uint32_t blk, at, fills = 0;
	const uint8_t *tree;
	uint8_t block[BS];
	struct box b;

	make_trees(&b);
	put(&b, ITREE_NAME, (size_t) b.h.blocks * BS);
	want_ok(bfo_container_find(&b.r, &b.c));
	tree = b.bytes + (size_t) b.dirs[0].first * BS;
	want_ok(bfo_container_tree_open(&t, &b.c, &b.dirs[0]));
	want(t.store.block_size == BS && t.leaves > 300);
	want_block(&t, tree, b.dirs[0].root, 1);
	for (blk = 0; blk < t.leaves; blk++) {
		at = t.at;
		want_block(&t, tree, blk, 0);
		fills += t.at != at;
		if (blk % 50 == 0)	/* as cursors do, between leaves */
			want_block(&t, tree, b.dirs[0].root, blk + t.n < t.leaves);
	}
	want(fills <= 9);
	want_block(&t, tree, 5, 0);
	want(t.n < 8);
	want_err(t.store.read(t.store.priv, t.blocks, block), BFO_ET_ITREE);
	bfo_container_tree_free(&t);
	drop(&b);
}
END_TEST

static errcode_t find(struct box *b, const char *name, size_t bytes)
{
	put(b, name, bytes);
	return bfo_container_find(&b->r, &b->c);
}

START_TEST(tells_what_is_no_container)
{
	struct box b;

	make_trees(&b);
	want_err(find(&b, NULL, 0), BFO_ET_NO_ITREE);
	want_eq(b.c.ino, 0);
	drop(&b);
	make_trees(&b);
	want_err(find(&b, ".e2itree2", (size_t) b.h.blocks * BS), BFO_ET_NO_ITREE);
	want_eq(b.c.ino, 0);
	drop(&b);
	make_trees(&b);
	want_err(find(&b, ITREE_NAME, 0), BFO_ET_NO_ITREE);
	want(b.c.ino > 0);
	drop(&b);
	make_trees(&b);
	b.bytes[0] ^= 1;		/* another file, as the rest of the block says, too */
	b.bytes[BS - 1] ^= 1;
	want_err(find(&b, ITREE_NAME, (size_t) b.h.blocks * BS), BFO_ET_NO_ITREE);
	want(b.c.ino > 0);
	drop(&b);
}
END_TEST

START_TEST(tells_damage)
{
	bfo_container_catalogue dirs = { 0 };
	struct itree_dir dir;
	struct box b;

	make_trees(&b);
	b.bytes[0x3c] ^= 1;
	want_err(find(&b, ITREE_NAME, (size_t) b.h.blocks * BS), BFO_ET_ITREE);
	want(b.c.ino > 0);
	drop(&b);
	make_trees(&b);
	want_err(find(&b, ITREE_NAME, (size_t) (b.h.blocks - 1) * BS), BFO_ET_ITREE);
	drop(&b);
	make_trees(&b);			/* debugfs makes holes of blocks of zeroes */
	memset(b.bytes + (size_t) (b.h.blocks - 2) * BS, 0, BS);
	want_err(find(&b, ITREE_NAME, (size_t) b.h.blocks * BS), BFO_ET_ITREE);
	drop(&b);
	make_trees(&b);
	b.bytes[3 * BS + 100] ^= 1;	/* its last block */
	want_ok(find(&b, ITREE_NAME, (size_t) b.h.blocks * BS));
	want_err(bfo_container_dirs(&b.c, &dirs), BFO_ET_ITREE);
	want_err(bfo_container_dir(&b.c, ino_of(TREES - 1), &dir), BFO_ET_ITREE);
	drop(&b);
	bfo_vec_free(&dirs);
}
END_TEST

/* Catalogues whose checksums are right. */
START_TEST(tells_a_wrong_catalogue)
{
	bfo_container_catalogue dirs = { 0 };
	struct box b;

	make_trees(&b);
	b.dirs[30].first = b.dirs[2].first;
	pack_catalogue(&b);
	want_ok(find(&b, ITREE_NAME, (size_t) b.h.blocks * BS));
	want_err(bfo_container_dirs(&b.c, &dirs), BFO_ET_ITREE);
	dirs.n = 0;
	drop(&b);
	make_trees(&b);
	b.dirs[14].ino = b.dirs[15].ino;	/* the last of a block, the first of the next */
	pack_catalogue(&b);
	want_ok(find(&b, ITREE_NAME, (size_t) b.h.blocks * BS));
	want_err(bfo_container_dirs(&b.c, &dirs), BFO_ET_ITREE);
	drop(&b);
	bfo_vec_free(&dirs);
}
END_TEST

START_TEST(tells_how_fresh_it_is)
{
	struct ext2_super_block *sb;
	struct itree_header *h;
	struct box b;

	make_trees(&b);
	want_ok(find(&b, ITREE_NAME, (size_t) b.h.blocks * BS));
	sb = b.vol->fs->super;
	h = &b.c.header;
	want_eq(bfo_container_freshness(&b.c, b.vol), BFO_ITREE_UNKNOWN);
	memcpy(h->uuid, sb->s_uuid, sizeof(h->uuid));
	memcpy(h->hash_seed, sb->s_hash_seed, sizeof(h->hash_seed));
	h->hash_version = bfo_volume_hash_version(b.vol);
	sb->s_wtime_hi = 1;
	sb->s_lastcheck_hi = 2;
	h->wtime = 1ULL << 32 | sb->s_wtime;
	h->lastcheck = 2ULL << 32 | sb->s_lastcheck;
	want_eq(bfo_container_freshness(&b.c, b.vol), BFO_ITREE_FRESH);
	sb->s_wtime_hi = 0;
	want_eq(bfo_container_freshness(&b.c, b.vol), BFO_ITREE_LIKELY);
	sb->s_wtime_hi = 1;
	sb->s_lastcheck_hi = 0;
	want_eq(bfo_container_freshness(&b.c, b.vol), BFO_ITREE_UNKNOWN);
	sb->s_lastcheck_hi = 2;
	sb->s_hash_seed[3]++;
	want_eq(bfo_container_freshness(&b.c, b.vol), BFO_ITREE_UNKNOWN);
	sb->s_hash_seed[3]--;
	h->hash_version++;
	want_eq(bfo_container_freshness(&b.c, b.vol), BFO_ITREE_UNKNOWN);
	h->hash_version--;
	b.vol->unrecovered = 1;
	want_eq(bfo_container_freshness(&b.c, b.vol), BFO_ITREE_UNKNOWN);
	b.vol->unrecovered = 0;
	want_eq(bfo_container_freshness(&b.c, b.vol), BFO_ITREE_FRESH);
	drop(&b);
}
END_TEST

/* A directory is as it was: by all that its inode has room for, and no more. */
START_TEST(tells_whether_a_directory_changed)
{
	struct bfo_volume vol = { .inode_size = 256 };
	struct ext2_inode_large raw = { .i_generation = 3, .i_ctime = 0xfffffffe,
		.i_ctime_extra = 5 << 2 | 1, .i_version_hi = 9, .i_extra_isize = 32 };
	struct itree_dir d = { .generation = 3, .version = 9ULL << 32 | 8, .ctime = 0xfffffffe,
			       .ctime_nsec = 5 };

	raw.osd1.linux1.l_i_version = 8;
	want(bfo_container_is_current(&d, &vol, &raw));
	d.ctime_nsec++;
	want(!bfo_container_is_current(&d, &vol, &raw));
	d.ctime_nsec--;
	d.ctime ^= 1ULL << 32;
	want(!bfo_container_is_current(&d, &vol, &raw));
	d.ctime ^= 1ULL << 32;
	d.version ^= 1ULL << 40;
	want(!bfo_container_is_current(&d, &vol, &raw));
	d.version ^= 1ULL << 40;
	raw.i_generation++;
	want(!bfo_container_is_current(&d, &vol, &raw));
	raw.i_generation--;
	vol.inode_size = 128;
	want(!bfo_container_is_current(&d, &vol, &raw));
	d = (struct itree_dir) { .generation = 3, .version = 8, .ctime = -2 };
	want(bfo_container_is_current(&d, &vol, &raw));
	vol.inode_size = 256;
	raw.i_extra_isize = 4;
	want(bfo_container_is_current(&d, &vol, &raw));
}
END_TEST

Suite *container_suite(void)
{
	Suite *s = suite_create("container");

	unit_case(s, "reads_what_was_put_there", reads_what_was_put_there, 0);
	unit_case(s, "reads_leaves_ahead", reads_leaves_ahead, 0);
	unit_case(s, "tells_what_is_no_container", tells_what_is_no_container, 0);
	unit_case(s, "tells_damage", tells_damage, 0);
	unit_case(s, "tells_a_wrong_catalogue", tells_a_wrong_catalogue, 0);
	unit_case(s, "tells_how_fresh_it_is", tells_how_fresh_it_is, 0);
	unit_case(s, "tells_whether_a_directory_changed", tells_whether_a_directory_changed, 0);
	return s;
}
