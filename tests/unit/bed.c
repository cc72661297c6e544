// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bed.c - a batch reader on a volume of known content, and a sink that checks what it gets
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "volume/open.h"
#include "bed.h"

#define POISON 0xa5

static uint64_t word_of(uint64_t blk, uint32_t i)
{
	return blk << 32 | i;
}

static void make_image(struct bed *b, uint32_t bs, uint64_t blocks)
{
	char command[1024];

	b->path = unit_path("numbers");
	want(!truncate(b->path, 0) || errno == ENOENT);
	snprintf(command, sizeof(command), "PATH=\"$PATH:/usr/sbin:/sbin\"; truncate -s %llu '%s' "
		 "&& mke2fs -q -F -t ext4 -O ^has_journal -b %u -N 64 -E offset=%llu '%s' %llu "
		 "> /dev/null 2>&1", (unsigned long long) (b->offset + blocks * bs), b->path, bs,
		 (unsigned long long) b->offset, b->path, (unsigned long long) blocks);
	if (system(command))
		ck_abort_msg("failed: %s", command);
}

/* Once the volume is open nobody needs what mke2fs wrote. */
static void number_blocks(const struct bed *b)
{
	uint32_t words = b->vol->block_size / sizeof(uint64_t), i;
	uint64_t *block = unit_alloc(b->vol->block_size), blk;
	FILE *f = fopen(b->path, "r+");

	want(f && !fseek(f, b->offset, SEEK_SET));
	for (blk = 0; blk < b->vol->blocks; blk++) {
		for (i = 0; i < words; i++)
			block[i] = word_of(blk, i);
		want(fwrite(block, b->vol->block_size, 1, f) == 1);
	}
	want(!fclose(f));
	free(block);
}

static char *room_of(const struct bed *b, const struct bfo_node *node, uint32_t at)
{
	return b->room + (node->to + at) * b->vol->block_size;
}

static void want_numbers(const struct bed *b, const struct bfo_node *node, uint32_t at,
			 uint32_t count, const void *data)
{
	uint32_t words = b->vol->block_size / sizeof(uint64_t), i;
	const uint64_t *word = data;

	for (; count; at++, count--)
		for (i = 0; i < words; i++)
			want_eq(*word++, word_of(bfo_node_blk(node) + at, i));
}

/* Nodes come in order, each complete, in ascending pieces. */
static errcode_t take(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
		      const void *data)
{
	struct bed *b = priv;

	want(node == b->nodes.v + b->next);
	want_eq(at, b->at);
	want(count && count <= node->len - at);
	want(!b->sink.place || data == room_of(b, node, at));
	want_numbers(b, node, at, count, data);
	b->at += count;
	if (b->at == node->len) {
		b->next++;
		b->at = 0;
	}
	return ++b->takes == b->fail_at ? BFO_ET_CHANGED : 0;
}

static void *place(void *priv, const struct bfo_node *node, uint32_t at)
{
	return room_of(priv, node, at);
}

void bed_open(struct bed *b, uint32_t bs, uint64_t blocks, uint64_t offset, io_manager io)
{
	char spec[1024];

	memset(b, 0, sizeof(*b));
	b->offset = offset;
	make_image(b, bs, blocks);
	snprintf(spec, sizeof(spec), offset ? "%s?offset=%llu" : "%s", b->path,
		 (unsigned long long) offset);
	want_ok(bfo_volume_open(&b->ctx, spec, BFO_OPEN_SOURCE, io, &b->vol));
	want_eq(b->vol->block_size, bs);
	want_eq(b->vol->blocks, blocks);
	want_eq(b->vol->device.fd >= 0, !io);
	number_blocks(b);
	want_ok(bfo_reader_init(&b->r, &b->ctx, b->vol, 0));
	bfo_source_of_volume(&b->source, &b->r);
	b->sink = (struct bfo_sink) { .take = take, .priv = b };
}

void bed_close(struct bed *b)
{
	bfo_reader_free(&b->r);
	bfo_volume_close(b->vol);
	bfo_vec_free(&b->nodes);
	free(b->room);
	free(b->path);
}

void bed_again(struct bed *b, uint32_t gap, int placed)
{
	bfo_reader_free(&b->r);
	want_ok(bfo_reader_init(&b->r, &b->ctx, b->vol, gap));
	memset(b->r.merge, POISON, BFO_MERGE_BYTES);
	bfo_media_free(&b->vol->media);
	b->nodes.n = b->next = b->at = b->takes = b->room_blocks = 0;
	b->sink.place = placed ? place : NULL;
}

void bed_add(struct bed *b, uint64_t blk, uint32_t len, uint32_t guard)
{
	want_ok(bfo_vec_push(&b->nodes, bfo_node_make(blk, len, 0, b->room_blocks + guard)));
	b->room_blocks += guard + len;
}

static void make_room(struct bed *b)
{
	size_t bytes = b->room_blocks * b->vol->block_size;

	free(b->room);
	b->room = unit_alloc(bytes);
	memset(b->room, POISON, bytes);
}

errcode_t bed_run(struct bed *b)
{
	make_room(b);
	return bfo_reader_run(&b->r, b->nodes.v, b->nodes.n, &b->sink);
}

errcode_t bed_read(struct bed *b, struct bfo_cache *cache, int by_regions)
{
	make_room(b);
	return bfo_cache_read(cache, &b->nodes, by_regions, &b->sink);
}

static int is_poison(const void *data, size_t bytes)
{
	const uint8_t *p = data;

	return p[0] == POISON && !memcmp(p, p + 1, bytes - 1);
}

void bed_want_all(const struct bed *b)
{
	uint8_t *owned = unit_alloc(b->room_blocks);
	uint32_t bs = b->vol->block_size;
	uint64_t i;

	want_eq(b->next, b->nodes.n);
	want_eq(b->at, 0);
	for (i = 0; i < b->nodes.n; i++) {
		const struct bfo_node *node = &b->nodes.v[i];

		if (b->sink.place)
			want_numbers(b, node, 0, node->len, room_of(b, node, 0));
		memset(owned + node->to, !!b->sink.place, node->len);
	}
	for (i = 0; i < b->room_blocks; i++)
		want(owned[i] || is_poison(b->room + i * bs, bs));
	free(owned);
}

int bed_used_merge(const struct bed *b)
{
	return !is_poison(b->r.merge, b->vol->block_size);
}
