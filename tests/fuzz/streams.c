// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * streams.c - streams of which the tree and the data are any bytes, and the rest is right
 */
#include <string.h>

#include "base/crc32c.h"
#include "base/disk.h"
#include "base/hasher.h"
#include "fuzz.h"
#include "streams.h"
#include "wire/stream.h"

#define MOST (4U << 20)

static uint8_t made[MOST];
static size_t made_bytes;
static uint32_t made_tree;		/* what frames behind the tree are marked by */

static void put_frame(enum bfo_stream_kind kind, uint32_t number, uint64_t at, const void *data,
		      size_t len)
{
	struct bfo_stream_head h = { .kind = kind, .number = number, .bytes = len, .stored = len,
				     .crc = bfo_crc32c(~0U, data, len), .at = at,
				     .tree = bfo_stream_is_marked(kind) ? made_tree : 0 };

	if (made_bytes + BFO_STREAM_HEAD + len > MOST)
		return;
	bfo_stream_put_head(&h, made + made_bytes);
	memcpy(made + made_bytes + BFO_STREAM_HEAD, data, len);
	made_bytes += BFO_STREAM_HEAD + len;
}

/* What the tree has of everything, if it is one: bare frames (wire/frames.h). */
static struct bfo_stream_facts count(const uint8_t *tree, size_t len)
{
	struct bfo_stream_facts f = { .tree = len, .block_size = 1024 };
	size_t at = 0;

	while (len - at >= 8) {
		uint32_t kind = get_le32(tree, at), bytes = get_le32(tree, at + 4);

		f.members += kind == 1;
		f.parts += kind == 2;
		if (kind == 2 && len - at >= 24)
			f.data += get_le64(tree, at + 16);
		if (bytes > len - at - 8)
			break;
		at += 8 + bytes;
	}
	f.data = f.data > MOST / 2 ? MOST / 2 : f.data;
	return f;
}

static void put_tree(struct bfo_hasher *h, const uint8_t *tree, size_t len, int in_two,
		     uint8_t digest[BFO_STREAM_DIGEST])
{
	struct bfo_stream_facts f = count(tree, len);
	uint8_t facts[BFO_STREAM_FACTS_BYTES];
	size_t first = in_two ? len / 2 : len;
	struct bfo_sums sums;

	bfo_stream_put_facts(&f, facts);
	put_frame(BFO_STREAM_FACTS, 0, 0, facts, sizeof(facts));
	put_frame(BFO_STREAM_TREE, 1, 0, tree, first);
	if (in_two)
		put_frame(BFO_STREAM_TREE, 2, first, tree + first, len - first);
	bfo_hasher_add(h, tree, len);
	bfo_hasher_add(h, facts, sizeof(facts));
	bfo_hasher_end(h, &sums);
	memcpy(digest, sums.sha256, BFO_STREAM_DIGEST);
	made_tree = bfo_stream_mark(digest);
	put_frame(BFO_STREAM_TREE_END, 2 + in_two, 0, digest, BFO_STREAM_DIGEST);
}

static void make(uint8_t how, const uint8_t *data, size_t size)
{
	const struct bfo_stream_preamble p = { .major = BFO_STREAM_MAJOR, .first = !!(how & 8) };
	size_t len = size < 2 ? 0 : (size_t) (data[0] | data[1] << 8), n;
	uint8_t digest[BFO_STREAM_DIGEST], first[4];
	struct bfo_hasher h = { .md = NULL };
	struct bfo_sums sums, one;
	uint32_t number = p.first;

	data += size < 2 ? size : 2;
	size -= size < 2 ? size : 2;
	len = len < size ? len : size;
	if (bfo_hasher_open(&h, BFO_SUM_SHA256))
		fuzz_fail("no hasher");
	bfo_stream_put_preamble(&p, made);
	made_bytes = BFO_STREAM_PREAMBLE;
	put_tree(&h, data, len, !!(how & 2), digest);
	put_le32(first, 0, p.first);
	bfo_hasher_add(&h, digest, sizeof(digest));
	bfo_hasher_add(&h, first, sizeof(first));
	data += len;
	size -= len;
	for (; size && !(how & 4); data += n, size -= n) {
		struct bfo_hasher of_one = { .md = NULL };

		n = size < BFO_STREAM_CHUNK ? size : BFO_STREAM_CHUNK;
		if (bfo_hasher_open(&of_one, BFO_SUM_SHA256))
			fuzz_fail("no hasher");
		bfo_hasher_add(&of_one, data, n);
		bfo_hasher_end(&of_one, &one);
		bfo_hasher_close(&of_one);
		bfo_hasher_add(&h, one.sha256, sizeof(one.sha256));
		put_frame(BFO_STREAM_DATA, number, (uint64_t) number * BFO_STREAM_CHUNK, data, n);
		number++;
	}
	bfo_hasher_end(&h, &sums);
	put_frame(BFO_STREAM_END, 3 + !!(how & 2), 0, sums.sha256, sizeof(sums.sha256));
	bfo_hasher_close(&h);
}

const uint8_t *fuzz_stream(const uint8_t *data, size_t size, size_t *bytes)
{
	if (*data & 1) {
		made_bytes = size - 1 < MOST ? size - 1 : MOST;
		memcpy(made, data + 1, made_bytes);
	} else {
		make(*data, data + 1, size - 1);
	}
	if (*data & 64 && made_bytes)
		made[made_bytes / 2] ^= 1;
	*bytes = made_bytes;
	return made;
}
