// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tarmade.c - tar archives made by hand, and what becomes of them
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tree/access.h"
#include "tarmade.h"
#include "unit.h"

#define BLOCK 512U

static void append(bfo_chars *tar, const void *data, size_t len)
{
	size_t room = (len + BLOCK - 1) / BLOCK * BLOCK;

	if (!len)
		return;
	want_ok(bfo_vec_reserve(tar, room));
	memset(tar->v + tar->n, 0, room);
	memcpy(tar->v + tar->n, data, len);
	tar->n += room;
}

void tarmade_add(bfo_chars *tar, char type, const char *name, const char *link, const void *data,
		 size_t len)
{
	char h[BLOCK] = { 0 };
	unsigned int sum = 0, i;

	strncpy(h, name, 100);
	snprintf(h + 100, 8, "%07o", type == '5' ? 0755 : 0644);
	snprintf(h + 108, 8, "%07o", 1000);
	snprintf(h + 116, 8, "%07o", 100);
	snprintf(h + 124, 12, "%011zo", len);
	snprintf(h + 136, 12, "%011o", 1000000000);
	memset(h + 148, ' ', 8);
	h[156] = type;
	strncpy(h + 157, link ? link : "", 100);
	memcpy(h + 257, "ustar\00000", 8);
	snprintf(h + 329, 8, "%07o", 7);
	snprintf(h + 337, 8, "%07o", 9);
	for (i = 0; i < BLOCK; i++)
		sum += (unsigned char) h[i];
	snprintf(h + 148, 8, "%06o", sum);
	append(tar, h, BLOCK);
	append(tar, data, len);
}

size_t tarmade_pax_record(char *out, const char *key, const void *value, size_t len)
{
	size_t rest = strlen(key) + len + 3, all = rest + 1;
	char digits[24];
	int n;

	while ((size_t) snprintf(digits, sizeof(digits), "%zu", all) + rest != all)
		all++;
	n = sprintf(out, "%zu %s=", all, key);
	memcpy(out + n, value, len);
	out[n + len] = '\n';
	return all;
}

void tarmade_pax_records(bfo_chars *tar, const char *records, size_t len)
{
	tarmade_add(tar, 'x', "PaxHeader", NULL, records, len);
}

void tarmade_pax(bfo_chars *tar, const char *key, const void *value, size_t len)
{
	char *record = unit_alloc(strlen(key) + len + 32);

	tarmade_pax_records(tar, record, tarmade_pax_record(record, key, value, len));
	free(record);
}

void tarmade_end(bfo_chars *tar)
{
	char zeros[2 * BLOCK] = { 0 };

	append(tar, zeros, sizeof(zeros));
}

int tarmade_file(const void *data, size_t len)
{
	int fd = memfd_create("archive", MFD_CLOEXEC);

	want(fd >= 0 && pwrite(fd, data, len, 0) == (ssize_t) len);
	return fd;
}

errcode_t tarview_open(struct tarview *v, bfo_chars *tar)
{
	errcode_t err;

	v->fd = v->opt.fd = tarmade_file(tar->v, tar->n);
	v->opt.name = "x.tar";
	v->opt.now = 7;
	bfo_vec_free(tar);
	err = bfo_archive_open(&v->ctx, &v->opt, &v->source);
	return err ? err : v->source->ops->gather(v->source, &v->tree, 0);
}

void tarview_close(struct tarview *v)
{
	if (v->source)
		v->source->ops->close(v->source);
	bfo_tree_free(&v->tree);
	close(v->fd);
	memset(v, 0, sizeof(*v));
}

bfo_row tarview_find(const struct tarview *v, const char *path)
{
	const struct bfo_tree *t = &v->tree;
	bfo_row row = 0;

	while (*path) {
		size_t len = strcspn(path, "/"), i;

		for (i = 0; i < t->names.n; i++)
			if (t->names.v[i].dir == row && bfo_name_len(&t->names.v[i]) == len &&
			    !memcmp(bfo_name_text(t, &t->names.v[i]), path, len))
				break;
		if (i == t->names.n)
			return BFO_NONE;
		row = bfo_tree_find(t, bfo_name_number(t, &t->names.v[i]));
		path += len;
		path += *path == '/';
	}
	return row;
}

struct bytes {
	char *v;
	size_t block_size;
};

static errcode_t take(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
		      const void *data)
{
	struct bytes *b = priv;

	memcpy(b->v + (node->to + at) * b->block_size, data, count * b->block_size);
	return 0;
}

char *tarview_read(struct tarview *v, const char *path, size_t *len)
{
	bfo_row row = tarview_find(v, path);
	const struct bfo_inode *rec;
	struct bytes b = { .block_size = v->source->block_size };
	struct bfo_sink sink = { .take = take, .priv = &b };
	bfo_order_list nodes = { 0 };
	uint32_t i;

	want(row != BFO_NONE);
	rec = &v->tree.inodes.v[row];
	*len = rec->size;
	b.v = unit_alloc(rec->size + b.block_size);
	for (i = 0; i < bfo_seg_count(&v->tree, rec); i++) {
		const struct bfo_seg *g = bfo_seg_of(&v->tree, rec, i);

		if (!bfo_seg_unwritten(g))
			want_ok(bfo_vec_push(&nodes, bfo_node_make(bfo_seg_blk(g), g->len, 0,
								   g->lblk)));
	}
	bfo_order_list_sort(&nodes);
	want_ok(v->source->ops->read(v->source, nodes.v, nodes.n, &sink));
	bfo_vec_free(&nodes);
	return b.v;
}

int tarview_has(struct tarview *v, const char *path, const void *data, size_t len)
{
	size_t have;
	char *bytes = tarview_read(v, path, &have), tail = 0;
	int same = have == len && !memcmp(bytes, data, len);

	/* behind the end of the file nothing is left of the archive */
	for (; len % v->source->block_size; len++)
		tail |= bytes[len];
	free(bytes);
	return same && !tail;
}
