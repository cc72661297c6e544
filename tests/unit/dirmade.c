// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dirmade.c - a directory made by hand, and its blocks
 *
 * A name begins with its number in hexadecimal and an underscore, so that it is unique and can be
 * recognised; what follows are random bytes, any but / and NUL.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "tree/access.h"
#include "tree/dir_index.h"
#include "dirmade.h"
#include "fakefs.h"

#define DIR_INO 321
#define PARENT_INO 123
#define GENERATION 0x600dcafe
#define FIRST_INO 1000			/* of name 0, in the target */

static const uint16_t modes[] = { S_IFREG, S_IFDIR, S_IFLNK, S_IFCHR, S_IFBLK, S_IFIFO, S_IFSOCK };
static const uint8_t types[] = { EXT2_FT_REG_FILE, EXT2_FT_DIR, EXT2_FT_SYMLINK, EXT2_FT_CHRDEV,
				 EXT2_FT_BLKDEV, EXT2_FT_FIFO, EXT2_FT_SOCK };
#define MODES (sizeof(modes) / sizeof(modes[0]))

static void add_name(struct dirmade *d, struct chance *c, uint32_t number, uint32_t len)
{
	bfo_row row = made_inode(&d->m, 20 + number, modes[number % MODES]);
	uint32_t at;
	char name[256];

	at = snprintf(name, sizeof(name), "%x_", number);
	if (len < at)
		len = at;
	for (; at < len; at++)
		do
			name[at] = chance_bits(c);
		while (!name[at] || name[at] == '/');
	d->m.tree.inodes.v[row].new_ino = FIRST_INO + number;
	want_ok(bfo_tree_add_name(&d->m.tree, 0, row, types[number % MODES], name, len));
	d->names++;
}

static void init(struct dirmade *d)
{
	memset(d, 0, sizeof(*d));
	made_init(&d->m);
	made_inode(&d->m, 12, S_IFDIR | 0755);
	d->m.tree.resolved = d->m.tree.sliced = 1;
	d->lookups = UINT32_MAX;
}

void dirmade_init(struct dirmade *d, struct chance *c, uint32_t n, uint32_t min, uint32_t max)
{
	uint32_t i;

	init(d);
	for (i = 0; i < n; i++)
		add_name(d, c, i, chance_between(c, min, max));
}

void dirmade_init_exact(struct dirmade *d, struct chance *c, uint32_t n, uint32_t size,
			uint32_t last)
{
	uint32_t i;

	init(d);
	for (i = 0; i < n; i++)
		add_name(d, c, i, i + 1 < n ? size : last);
}

void dirmade_free(struct dirmade *d)
{
	bfo_dirimage_free(&d->img);
	if (d->view.fs)
		fakefs_free(d->view.fs);
	free(d->blocks);
	free(d->seen);
	made_free(&d->m);
}

void dirmade_sort(struct dirmade *d)
{
	want_ok(bfo_names_sort(&d->m.tree, &d->m.target));
}

static int by_hash(const void *a, const void *b, void *tree)
{
	const struct bfo_name *x = a, *y = b;
	uint32_t xl = bfo_name_len(x), yl = bfo_name_len(y);
	int c;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	if (x->minor != y->minor)
		return x->minor < y->minor ? -1 : 1;
	c = memcmp(bfo_name_text(tree, x), bfo_name_text(tree, y), xl < yl ? xl : yl);
	return c ? c : (xl > yl) - (xl < yl);
}

void dirmade_rehash(struct dirmade *d, dirmade_hash hash)
{
	struct bfo_tree *t = &d->m.tree;
	size_t i;

	for (i = 0; i < t->names.n; i++) {
		struct bfo_name *n = &t->names.v[i];

		hash(bfo_name_text(t, n), bfo_name_len(n), &n->hash, &n->minor);
	}
	qsort_r(t->names.v, t->names.n, sizeof(*t->names.v), by_hash, t);
	bfo_dir_set_names(t, &t->inodes.v[0], (struct bfo_slice) { .end = t->names.n });
	d->view.hash = hash;
}

void dirmade_store(struct dirmade *d, dirmade_hash hash)
{
	struct bfo_tree *t = &d->m.tree;
	uint32_t stored[2];
	char name[256];
	size_t i;

	t->inodes.v[0].flags |= EXT4_ENCRYPT_FL | EXT4_CASEFOLD_FL;
	for (i = 0; i < t->names.n; i++) {
		struct bfo_name n = t->names.v[i];

		memcpy(name, bfo_name_text(t, &n), bfo_name_len(&n));
		hash(name, bfo_name_len(&n), &stored[0], &stored[1]);
		stored[0] = ext2fs_cpu_to_le32(stored[0]);
		stored[1] = ext2fs_cpu_to_le32(stored[1]);
		want_ok(bfo_tree_add_name(t, 0, bfo_name_row(t, &n), bfo_name_type(&n), name,
					  bfo_name_len(&n)));
		want_ok(bfo_tree_add_hashes(t, stored));
		t->names.v[i] = t->names.v[--t->names.n];
	}
	d->view.hash = hash;
	d->view.has_hashes = 1;
}

errcode_t dirmade_build(struct dirmade *d, uint32_t fill)
{
	uint32_t bs = d->m.target.block_size, blk;
	errcode_t err;

	err = bfo_dirimage_init(&d->img, &d->m.tree, &d->m.target, 0, fill);
	if (err)
		return err;
	bfo_dirimage_number(&d->img, DIR_INO, PARENT_INO, GENERATION);
	d->blocks = malloc((size_t) d->img.blocks * bs);
	want(d->blocks);
	memset(d->blocks, 0x99, (size_t) d->img.blocks * bs);
	for (blk = 0; blk < d->img.blocks; blk++)
		bfo_dirimage_block(&d->img, blk, d->blocks + (size_t) blk * bs);
	d->view = (struct dirview) { .data = d->blocks, .blocks = d->img.blocks,
		.indexed = d->img.indexed, .ino = DIR_INO, .parent = PARENT_INO,
		.target = &d->m.target, .fs = fakefs_make(&d->m.target, GENERATION),
		.hash = d->view.hash, .has_hashes = d->view.has_hashes, .dead = d->left_out > 0 };
	return 0;
}

/* An entry of the image: must be one of the names, with its inode and type, and the first such. */
static void take_entry(void *priv, const struct dirview_entry *e)
{
	uint32_t number = strtoul(e->name, NULL, 16);
	struct dirmade *d = priv;

	want(number < d->names && !d->seen[number]);
	d->seen[number] = 1;
	want_eq(e->ino, FIRST_INO + number);
	want_eq(e->type, types[number % MODES]);
}

/* What TEXT leads to below node N of the index, on LEVEL, as the library goes down it. */
static uint32_t below(const struct dirmade *d, struct bfo_dir_index *h,
		      const struct bfo_dx *n, uint32_t level, const char *text,
		      uint32_t len)
{
	struct bfo_dx child;
	uint32_t hash, minor, i, blk, ino = 0;

	dirview_hash(&d->view, text, len, &hash, &minor);
	i = bfo_dx_find(n, hash);
	do {
		blk = bfo_dx_child(n, i);
		want(blk && blk < d->img.blocks);
		if (level == h->levels) {
			ino = dirview_search(&d->view, blk, text, len);
			continue;
		}
		want(bfo_dir_index_read(h, d->blocks + (size_t) blk * h->block_size, 0, &child));
		ino = below(d, h, &child, level + 1, text, len);
	} while (!ino && bfo_dir_index_goes_on(n, ++i, hash));
	return ino;
}

/* The same from the root on. */
static uint32_t by_index(const struct dirmade *d, const char *text, uint32_t len)
{
	const struct bfo_target *t = &d->m.target;
	struct bfo_dir_index h = { .block_size = t->block_size, .has_csum = t->has_csum,
			       .has_large_dir = t->has_large_dir,
			       .seed = bfo_crc32c_inode_seed(t->csum_seed, DIR_INO, GENERATION) };
	struct bfo_dx root;

	want(bfo_dir_index_read(&h, d->blocks, 1, &root));
	want_eq(h.version, t->hash_stored);
	return below(d, &h, &root, 0, text, len);
}

/* A live name's bytes are those of the entry that was seen, as lookup compares them. */
static void look_up(const struct dirmade *d, const struct bfo_name *n, uint32_t number)
{
	const char *text = bfo_name_text(&d->m.tree, n);
	uint32_t len = bfo_name_len(n);
	char absent[256];

	want_eq(dirview_lookup(&d->view, text, len), FIRST_INO + number);
	if (d->img.indexed && !d->view.has_hashes)
		want_eq(by_index(d, text, len), FIRST_INO + number);
	memcpy(absent, text, len);
	absent[number % len] ^= 0x15;
	if (strtoul(absent, NULL, 16) == number && absent[number % len] != text[number % len])
		want_eq(dirview_lookup(&d->view, absent, len), 0);
}

void dirmade_judge(struct dirmade *d)
{
	const struct bfo_tree *t = &d->m.tree;
	uint32_t step = t->names.n / d->lookups + 1, number, i, dead = 0;

	d->seen = unit_alloc(d->names);
	dirview_check(&d->view);
	dirview_each(&d->view, take_entry, d);
	for (i = 0; i < t->names.n; i++) {
		const struct bfo_name *n = &t->names.v[i];

		number = strtoul(bfo_name_text(t, n), NULL, 16);
		want_eq(d->seen[number], !bfo_name_is_killed(n));
		dead += !d->seen[number];
		if (d->seen[number] && i % step == 0)
			look_up(d, n, number);
	}
	want_eq(dead, d->left_out);
}
