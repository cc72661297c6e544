// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * forest.c - a random source tree, and the order in which a kernel will list its copy
 *
 * Inode numbers are drawn first and given to directories and files at random; a directory's
 * parent is always one that was made before it, so that there are no circles.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "forest.h"

#define FIRST_INO 20
#define EAS 5

static void add_link(struct forest *f, struct chance *c, uint32_t dir, uint32_t ino)
{
	struct forest_link link = { .dir = dir, .ino = ino };
	unsigned int n = f->links.n, extra = chance_below(c, 30);

	link.len = snprintf(link.name, sizeof(link.name), "%x_%.*s", n, extra,
			    "abcdefghijklmnopqrstuvwxyz0123456789");
	want_ok(ext2fs_dirhash2(f->m.target.hash_version, link.name, link.len, NULL, 0,
				f->m.target.hash_seed, &link.hash, &link.minor));
	want_ok(bfo_vec_push(&f->links, link));
}

/* Numbers FIRST_INO .. in a random order. */
static uint32_t *draw_numbers(struct chance *c, uint32_t n)
{
	uint32_t *numbers = unit_alloc(n * sizeof(*numbers)), i, j, t;

	for (i = 0; i < n; i++)
		numbers[i] = FIRST_INO + i;
	for (i = n; i > 1; i--) {
		j = chance_below(c, i);
		t = numbers[i - 1];
		numbers[i - 1] = numbers[j];
		numbers[j] = t;
	}
	return numbers;
}

static void make_records(struct forest *f, struct chance *c, const uint8_t *is_dir, uint32_t n,
			 uint32_t blocks)
{
	uint32_t i, lblk, len;
	bfo_row row;

	made_inode(&f->m, EXT2_ROOT_INO, S_IFDIR | 0755);
	for (i = 0; i < EAS; i++)
		made_ea(&f->m, 100 + i);
	for (i = FIRST_INO; i < FIRST_INO + n; i++) {
		row = made_inode(&f->m, i, is_dir[i] ? S_IFDIR | 0755 : S_IFREG | 0644);
		if (!chance_below(c, 4))
			f->m.tree.inodes.v[row].ea = chance_below(c, EAS);
		for (lblk = 0; !is_dir[i] && blocks && chance_below(c, 3); lblk += len + 1) {
			len = chance_between(c, 1, blocks);
			made_seg(&f->m, (1000 + chance_below(c, 1 << 20)) |
				 (chance_below(c, 5) ? 0 : BFO_SEG_UNWRITTEN), lblk, len);
		}
	}
	made_seal(&f->m);
}

void forest_init(struct forest *f, struct chance *c, uint32_t dirs, uint32_t files,
		 uint32_t blocks)
{
	uint32_t n = dirs + files, *numbers = draw_numbers(c, n), i, more;
	uint8_t *is_dir = unit_alloc(FIRST_INO + n);

	memset(f, 0, sizeof(*f));
	made_init(&f->m);
	f->dirs = dirs;
	f->files = files;
	f->seen = unit_alloc(FIRST_INO + n);
	for (i = 0; i < dirs; i++) {
		is_dir[numbers[i]] = 1;
		more = chance_below(c, i + 1);
		add_link(f, c, more ? numbers[more - 1] : EXT2_ROOT_INO, numbers[i]);
	}
	for (i = dirs; i < n; i++)
		for (more = chance_below(c, 4) ? 1 : chance_between(c, 1, 5); more; more--)
			add_link(f, c, dirs && chance_below(c, 8) ?
				 numbers[chance_below(c, dirs)] : EXT2_ROOT_INO, numbers[i]);
	make_records(f, c, is_dir, n, blocks);
	for (i = 0; i < f->links.n; i++)
		made_name_bytes(&f->m, f->links.v[i].dir, f->links.v[i].name,
				f->links.v[i].len, f->links.v[i].ino);
	free(numbers);
	free(is_dir);
}

void forest_free(struct forest *f)
{
	made_free(&f->m);
	bfo_vec_free(&f->links);
	bfo_vec_free(&f->expect);
	free(f->seen);
}

static int by_readdir(const void *a, const void *b)
{
	const struct forest_link *x = a, *y = b;

	if (x->dir != y->dir)
		return x->dir < y->dir ? -1 : 1;
	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->minor > y->minor) - (x->minor < y->minor);
}

static void visit(struct forest *f, uint32_t dir)
{
	size_t lo = 0, hi = f->links.n, mid;
	const struct forest_link *l;

	want_ok(bfo_vec_push(&f->expect, dir));
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (f->links.v[mid].dir < dir)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < f->links.n && f->links.v[lo].dir == dir; lo++) {
		l = &f->links.v[lo];
		if (f->seen[l->ino]++)
			continue;
		if (S_ISDIR(made_rec(&f->m, l->ino)->mode))
			visit(f, l->ino);
		else
			want_ok(bfo_vec_push(&f->expect, l->ino));
	}
}

void forest_expect(struct forest *f)
{
	qsort(f->links.v, f->links.n, sizeof(*f->links.v), by_readdir);
	visit(f, EXT2_ROOT_INO);
}
