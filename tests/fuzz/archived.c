// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * archived.c - archives that are opened, gathered and read, whatever they are
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "archived.h"
#include "tree/access.h"
#include "fuzz.h"

#define BLOCKS_MOST 4096U	/* that are read: sparse files are large */

int fuzz_archive_file(const uint8_t *data, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("archive", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t) size ||
	    lseek(fd, 0, SEEK_SET))
		fuzz_fail("memfd: %s", strerror(errno));
	return fd;
}

/* In an encrypted directory, any bytes, but not few. */
static int is_name(const struct bfo_tree *t, const struct bfo_name *n)
{
	const char *text = bfo_name_text(t, n);
	uint32_t len = bfo_name_len(n);

	if (t->inodes.v[n->dir].flags & EXT4_ENCRYPT_FL)
		return len >= 16;
	return !memchr(text, '/', len) && !memchr(text, 0, len);
}

/* Each name is in a directory, and leads to an inode; none is there twice. */
static void check_names(const struct bfo_tree *t)
{
	size_t i, j;

	for (i = 0; i < t->names.n; i++) {
		const struct bfo_name *n = &t->names.v[i];

		if (n->dir >= t->inodes.n || !S_ISDIR(t->inodes.v[n->dir].mode) ||
		    bfo_tree_find(t, bfo_name_number(t, n)) == BFO_NONE || !bfo_name_len(n) ||
		    !is_name(t, n) || !bfo_name_type(n))
			fuzz_fail("name %zu is wrong", i);
		for (j = 0; j < i && i < 200; j++)
			if (t->names.v[j].dir == n->dir &&
			    bfo_name_len(&t->names.v[j]) == bfo_name_len(n) &&
			    !memcmp(bfo_name_text(t, &t->names.v[j]), bfo_name_text(t, n),
				    bfo_name_len(n)))
				fuzz_fail("names %zu and %zu are the same", j, i);
	}
}

/*
 * Numbers ascend, everything but the root has a name, segments are apart; what was written of them
 * is within their file.
 */
static void check_inodes(const struct bfo_source *s, const struct bfo_tree *t)
{
	size_t i;

	for (i = 0; i < t->inodes.n; i++) {
		const struct bfo_inode *rec = &t->inodes.v[i];
		uint64_t next = 0;
		uint32_t k;

		if (bfo_tree_find(t, rec->ino) != i || (i && !rec->links_read) ||
		    (bfo_seg_count(t, rec) && bfo_seg_of(t, rec, 0) + bfo_seg_count(t, rec) >
					      t->segs.v + t->segs.n))
			fuzz_fail("inode %u is wrong", rec->ino);
		for (k = 0; k < bfo_seg_count(t, rec); k++) {
			const struct bfo_seg *g = bfo_seg_of(t, rec, k);

			if (g->lblk < next ||
			    (!bfo_seg_unwritten(g) &&
			     !(rec->flags & (EXT4_VERITY_FL | EXT4_ENCRYPT_FL)) &&
			     (g->lblk + (uint64_t) g->len - 1) * s->block_size >= rec->size))
				fuzz_fail("segment %u of inode %u is wrong", k, rec->ino);
			next = g->lblk + (uint64_t) g->len;
		}
	}
}

struct taken {
	uint64_t blocks;
	uint32_t block_size;
	uint32_t sum;
};

/* (All bytes are looked at, so that tools see what was not set.) */
static errcode_t take(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
		      const void *data)
{
	struct taken *t = priv;
	const uint8_t *bytes = data;
	size_t i;

	if (at + (uint64_t) count > node->len)
		fuzz_fail("more than was asked for");
	for (i = 0; i < (size_t) count * t->block_size; i++)
		t->sum += bytes[i];
	t->blocks += count;
	return 0;
}

/* Reads all segments; ONE BY ONE, the last one first. */
static errcode_t read_all(struct bfo_source *s, const struct bfo_tree *t, int one_by_one)
{
	struct taken taken = { .block_size = s->block_size };
	struct bfo_sink sink = { .take = take, .priv = &taken };
	bfo_order_list nodes = { 0 };
	uint64_t blocks = 0;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < t->inodes.n && !err; i++) {
		uint32_t k;

		for (k = 0; k < bfo_seg_count(t, &t->inodes.v[i]) && !err; k++) {
			const struct bfo_seg *g = bfo_seg_of(t, &t->inodes.v[i], k);

			if (blocks + g->len > BLOCKS_MOST || bfo_seg_unwritten(g))
				continue;
			blocks += g->len;
			err = bfo_vec_push(&nodes, bfo_node_make(bfo_seg_blk(g), g->len, 0, 0));
		}
	}
	bfo_order_list_sort(&nodes);
	if (!err && !one_by_one)
		err = s->ops->read(s, nodes.v, nodes.n, &sink);
	for (i = nodes.n; i && one_by_one && !err; i--)
		err = s->ops->read(s, &nodes.v[i - 1], 1, &sink);
	if (!err && taken.blocks != blocks)
		fuzz_fail("%llu blocks instead of %llu", (unsigned long long) taken.blocks,
			  (unsigned long long) blocks);
	bfo_vec_free(&nodes);
	return err;
}

void fuzz_source(struct bfo_source *s)
{
	struct bfo_context *ctx = s->ctx;
	struct bfo_tree tree = { .block_size = 0 };
	errcode_t err = s->ops->gather(s, &tree, 0);

	if (!err) {
		check_names(&tree);
		check_inodes(s, &tree);
		err = read_all(s, &tree, 0);
		if (!err)
			err = read_all(s, &tree, 1);
	}
	if (!err)
		err = s->ops->settle(s);
	if (err && !*ctx->what)
		fuzz_fail("an error without a word");
	s->ops->close(s);
	bfo_tree_free(&tree);
}

void fuzz_archive(const struct bfo_archive_options *opt)
{
	struct bfo_context ctx = { .what = "" };
	struct bfo_source *s;

	if (!bfo_archive_open(&ctx, opt, &s))
		fuzz_source(s);
}
