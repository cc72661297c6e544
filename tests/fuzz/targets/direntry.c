// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * direntry.c - damaged directories, changed by plan/dir_edit
 *
 * The first byte chooses the features, the second the directory: linear of one block or of some,
 * an htree of one level or of several, inline.  Steps of 6 bytes follow: a byte for what, two for
 * where or which name, one for a block or a length, two for a value.
 *
 *   0, 1   two bytes of a block, or of the inode, become others: the damage
 *   2      as 0, near the beginning of the block, where index and first entries are
 *   3 - 5  a name is inserted, removed, led elsewhere
 *   6      all that was asked for is applied
 *   7      a name is looked up, all are listed, ".." is changed
 *
 * Checksums are mended after damage, unless the features say otherwise.
 */
#include <stdlib.h>
#include <string.h>

#include "../fuzz.h"
#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/dirblock.h"
#include "plan/dir_edit.h"

#define BLOCK 1024U
#define MOST_BLOCKS 4096U
#define MOST_CALLS 100000U
#define MOST_NAMES 64U
#define DIR_INO 12U
#define GENERATION 7U
#define TAIL_ROOM 100U

enum { WITH_CSUM = 1, WITH_INDEX = 2, WITH_LARGE_DIR = 4, WITH_TYPES = 8, UNMENDED = 16 };

static struct bfo_context ctx;
static struct bfo_target target;
static uint8_t *blocks[MOST_BLOCKS];
static uint32_t n_blocks, calls;
static struct bfo_dir_inline in;
static struct bfo_dir_edit d;
static char names[MOST_NAMES][256];
static struct bfo_dir_change changes[MOST_NAMES];
static size_t n_changes;

/* ---- the store: each block is memory of its own, so that tools see who leaves it ---- */

static void count_call(uint32_t lblk)
{
	if (lblk >= n_blocks || ++calls > MOST_CALLS)
		fuzz_fail("block %u of %u, call %u", lblk, n_blocks, calls);
}

static errcode_t peek(void *priv, uint32_t lblk, const void **block)
{
	(void) priv;
	count_call(lblk);
	*block = blocks[lblk];
	return 0;
}

static errcode_t get(void *priv, uint32_t lblk, void **block)
{
	(void) priv;
	count_call(lblk);
	*block = blocks[lblk];
	return 0;
}

static errcode_t grow(void *priv, uint32_t lblk, void **block)
{
	(void) priv;
	if (lblk != n_blocks)
		fuzz_fail("a block %u behind %u", lblk, n_blocks);
	if (n_blocks == MOST_BLOCKS)
		return BFO_ET_NO_SPACE;
	*block = blocks[n_blocks++] = calloc(1, BLOCK);
	return *block ? 0 : BFO_ET_NO_SPACE;
}

static const struct bfo_dir_store store = { .peek = peek, .get = get, .grow = grow };

/* ---- directories ---- */

static void ask(enum bfo_dir_step step, uint32_t number, uint32_t len, uint32_t ino)
{
	struct bfo_dir_change *c = &changes[n_changes];
	size_t i;

	if (n_changes == MOST_NAMES)
		return;
	len = len < 4 ? 4 : len;
	memset(names[n_changes], 'a' + number % 26, len);
	put_le32(names[n_changes], 0, 0x41414141 + number % 16 + (number / 16 % 16 << 8) +
		 (number / 256 % 16 << 16));
	for (i = 0; i < n_changes; i++)
		if (changes[i].to.len == len && !memcmp(changes[i].to.name, names[n_changes], len))
			return;
	*c = (struct bfo_dir_change) { .step = step, .to = { .name = names[n_changes], .len = len,
							     .ino = ino, .type = 1 } };
	n_changes++;
}

static void apply(void)
{
	calls = 0;
	bfo_dir_edit_apply(&d, changes, n_changes);
	n_changes = 0;
	if (!(d.flags & EXT4_INLINE_DATA_FL) && d.size > (uint64_t) n_blocks * BLOCK)
		fuzz_fail("a size of %llu", (unsigned long long) d.size);
	if (d.flags & EXT4_INLINE_DATA_FL && in.tail_len > TAIL_ROOM)
		fuzz_fail("a tail of %u", in.tail_len);
	d.size = d.inl && d.flags & EXT4_INLINE_DATA_FL ? d.size : (uint64_t) n_blocks * BLOCK;
}

static void fill(uint32_t n, uint32_t len)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		ask(BFO_DIR_INSERT, i, len, 20 + i);
		if (n_changes == MOST_NAMES || i + 1 == n)
			apply();
	}
}

static uint32_t seed(void)
{
	return bfo_crc32c_inode_seed(target.csum_seed, DIR_INO, GENERATION);
}

static void mend_index(uint8_t *block, uint32_t offset)
{
	uint32_t limit = bfo_dx_limit(BLOCK, offset, 1), count = get_le16(block, offset + 2);

	bfo_dx_seal(block, offset, limit, count < limit ? count : limit, seed());
}

static void mend(uint32_t i)
{
	if (!target.has_csum)
		return;
	if (!i && d.flags & EXT2_INDEX_FL)
		mend_index(blocks[i], BFO_DX_ROOT);
	else if (!get_le32(blocks[i], 0) && get_le16(blocks[i], 4) == BLOCK)
		mend_index(blocks[i], BFO_DX_NODE);
	else
		bfo_dirblock_seal(blocks[i], BLOCK, seed());
}

/* All of the root moves to a new node, of which there may be one level more than names need. */
static void deepen(void)
{
	uint32_t count = get_le16(blocks[0], BFO_DX_ROOT + 2), lblk = n_blocks;
	void *node;

	if (!(d.flags & EXT2_INDEX_FL) || grow(NULL, n_blocks, &node))
		return;
	bfo_dirent_put_rec_len(node, BLOCK);
	memcpy((uint8_t *) node + BFO_DX_NODE, blocks[0] + BFO_DX_ROOT, count * BFO_DX_ENTRY);
	put_le16(node, BFO_DX_NODE, bfo_dx_limit(BLOCK, BFO_DX_NODE, target.has_csum));
	put_le16(blocks[0], BFO_DX_ROOT + 2, 1);
	put_le32(blocks[0], BFO_DX_ROOT + 4, lblk);
	blocks[0][BFO_DX_INFO + offsetof(struct ext2_dx_root_info, indirect_levels)]++;
	d.size += BLOCK;
	mend(0);
	mend(lblk);
}

static void begin_inline(void)
{
	d.flags = EXT4_INLINE_DATA_FL;
	d.size = 60;
	d.inl = &in;
	in = (struct bfo_dir_inline) { .head = calloc(1, 60), .tail = calloc(1, TAIL_ROOM),
				       .tail_room = TAIL_ROOM };
	if (!in.head || !in.tail)
		fuzz_fail("memory");
	put_le32(in.head, 0, 2);
	put_le16(in.head, 8, 56);
}

static void set_features(uint8_t features, uint8_t kind)
{
	target = (struct bfo_target) { .block_size = BLOCK, .inodes = 5000, .csum_seed = 99,
		.has_csum = !!(features & WITH_CSUM),
		.has_large_dir = !!(features & WITH_LARGE_DIR),
		.has_filetype = !!(features & WITH_TYPES),
		.has_dir_index = kind >= 2 || features & WITH_INDEX,
		.hash_version = features >> 5 & 3, .hash_stored = features >> 5 & 3 };
	if (target.hash_version > EXT2_HASH_TEA)
		target.hash_version = target.hash_stored = 0;
	d = (struct bfo_dir_edit) { .ctx = &ctx, .target = &target, .store = &store,
				    .ino = DIR_INO, .generation = GENERATION };
}

static void make(uint8_t kind)
{
	static const uint32_t counts[] = { 5, 60, 40, 100, 300, 40, 3, 6 };
	static const uint32_t lengths[] = { 4, 50, 100, 150, 250, 250, 10, 10 };
	void *block;

	if (kind >= 6) {
		begin_inline();
	} else if (!grow(NULL, 0, &block)) {
		bfo_dirblock_put_dots(block, DIR_INO, 2, bfo_dirblock_room(BLOCK, target.has_csum) -
				      BFO_DIR_DOTDOT, target.has_filetype);
		d.size = BLOCK;
		mend(0);
	}
	fill(counts[kind], lengths[kind]);
	if (kind == 3 || kind == 5)
		deepen();
	if (kind == 5)
		deepen();
}

/* A directory as it was made: making one takes longer than damaging it. */
static struct kept {
	struct bfo_dir_edit d;
	uint8_t *blocks;
	uint32_t n;
} kept[64][6];

static void keep(struct kept *k)
{
	*k = (struct kept) { .d = d, .n = n_blocks, .blocks = malloc(n_blocks * BLOCK + 1) };
	if (!k->blocks)
		fuzz_fail("memory");
	for (; n_blocks; n_blocks--) {
		memcpy(k->blocks + (n_blocks - 1) * BLOCK, blocks[n_blocks - 1], BLOCK);
		free(blocks[n_blocks - 1]);
	}
}

static void begin(uint8_t features, uint8_t kind)
{
	struct kept *k = &kept[(features & 15) | (features >> 5 & 3) << 4][kind % 6];
	void *block;
	uint32_t i;

	set_features(features, kind);
	if (kind >= 6 || !k->n)
		make(kind);
	if (kind >= 6)
		return;
	if (!k->n)
		keep(k);
	d = k->d;
	for (i = 0; i < k->n; i++)
		if (!grow(NULL, i, &block))
			memcpy(block, k->blocks + i * BLOCK, BLOCK);
}

static void end(void)
{
	while (n_blocks)
		free(blocks[--n_blocks]);
	free(in.head);
	free(in.tail);
	in = (struct bfo_dir_inline) { .head = NULL };
	n_changes = 0;
}

/* ---- steps ---- */

static void damage(uint32_t lblk, uint32_t at, uint32_t value)
{
	if (!(d.flags & EXT4_INLINE_DATA_FL))
		put_le16(blocks[lblk % n_blocks], at % (BLOCK - 1), value);
	else if (lblk % 3 == 2)
		in.tail_len = value % (TAIL_ROOM + 1);
	else
		put_le16(lblk % 3 ? in.tail : in.head, at % 59, value);
}

static errcode_t take(void *priv, const struct bfo_dir_name *name)
{
	(void) priv;
	if (!name->len || !name->ino || memchr(name->name, '/', name->len))
		fuzz_fail("a name that cannot be");
	return 0;
}

static void look(uint32_t number, uint32_t len, uint32_t ino)
{
	struct bfo_dir_name name;
	int empty;

	calls = 0;
	bfo_dir_edit_each(&d, take, NULL);
	bfo_dir_edit_is_empty(&d, &empty);
	ask(BFO_DIR_INSERT, number, len, ino);
	if (n_changes) {
		name = changes[--n_changes].to;
		if (!bfo_dir_edit_find(&d, &name) && !name.ino)
			fuzz_fail("a name that leads nowhere");
	}
	if (ino % 4 || n_changes == MOST_NAMES)
		return;
	changes[n_changes++] = (struct bfo_dir_change) { .step = BFO_DIR_POINT,
		.to = { .name = "..", .len = 2, .ino = ino } };
	apply();
}

static void do_step(const uint8_t *s, int mended)
{
	uint32_t which = s[1] | s[2] << 8, value = s[4] | s[5] << 8;

	switch (s[0] % 8) {
	case 0:
	case 1:
	case 2:
		damage(s[3], s[0] % 8 == 2 ? which % 64 : which, value);
		if (mended && n_blocks)
			mend(s[3] % n_blocks);
		break;
	case 3:
	case 4:
	case 5:
		ask((enum bfo_dir_step) (s[0] % 8 - 3), which, s[3], 1 + value % 5000);
		break;
	case 6:
		apply();
		break;
	default:
		look(which, s[3], value);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t at;

	if (size < 2)
		return 0;
	begin(data[0], data[1] % 8);
	for (at = 2; at + 6 <= size; at += 6)
		do_step(data + at, !(data[0] & UNMENDED));
	apply();
	look(1, 9, 4);
	end();
	return 0;
}
