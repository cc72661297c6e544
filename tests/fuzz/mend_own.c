// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mend_own.c - checksums of journals, of containers of indexes, of records of interrupted copies
 */
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/jbd2.h"
#include "commit/record_format.h"
#include "fuzz.h"
#include "itree/format.h"

#define JOURNAL_MOST 256U	/* blocks that are looked at: logs of the images are short */

/* ---- journals ---- */

struct log {
	const struct fuzz_volume *v;
	uint32_t seed, incompat;
};

static uint8_t *log_block(const struct log *l, uint32_t at)
{
	return fuzz_file_block(l->v, EXT2_JOURNAL_INO, at);
}

/* The tags of descriptor BLOCK, which stands at AT; returns the last block that they are about. */
static uint32_t mend_tags(const struct log *l, uint8_t *block, uint32_t at)
{
	uint32_t bytes = bfo_jbd2_tag_bytes(l->incompat), end = l->v->block_size, tag, flags;
	uint32_t sequence = bfo_jbd2_get32(block, BFO_JBD2_H_SEQUENCE), csum;
	int v3 = !!(l->incompat & BFO_JBD2_INCOMPAT_CSUM_V3);
	uint8_t *data;

	for (tag = BFO_JBD2_TAGS; tag + bytes <= end - BFO_JBD2_TAIL_BYTES; tag += bytes) {
		flags = v3 ? bfo_jbd2_get32(block, tag + 4) : bfo_jbd2_get16(block, tag + 6);
		data = log_block(l, ++at);
		if (data) {
			csum = bfo_jbd2_tag_csum(l->seed, sequence, data, end);
			if (v3)
				bfo_jbd2_put32(block, tag + 12, csum);
			else if (l->incompat & BFO_JBD2_INCOMPAT_CSUM_V2)
				bfo_jbd2_put16(block, tag + 4, csum);
		}
		if (flags & BFO_JBD2_TAG_LAST)
			break;
		if (!(flags & BFO_JBD2_TAG_SAME_UUID))
			tag += BFO_JBD2_UUID_BYTES;
	}
	return at;
}

static void put_csum(const struct log *l, uint8_t *block, size_t at)
{
	bfo_jbd2_put32(block, at, bfo_jbd2_block_csum(l->seed, block, l->v->block_size, at));
}

static void mend_log(const struct log *l)
{
	uint32_t at, tail = l->v->block_size - BFO_JBD2_TAIL_BYTES;
	uint8_t *block;

	for (at = 1; at < JOURNAL_MOST && (block = log_block(l, at)) != NULL; at++) {
		if (bfo_jbd2_get32(block, BFO_JBD2_H_MAGIC) != BFO_JBD2_MAGIC)
			continue;
		switch (bfo_jbd2_get32(block, BFO_JBD2_H_TYPE)) {
		case BFO_JBD2_DESCRIPTOR:
			at = mend_tags(l, block, at);
			put_csum(l, block, tail);
			break;
		case BFO_JBD2_REVOKE:
			put_csum(l, block, tail);
			break;
		case BFO_JBD2_COMMIT:
			put_csum(l, block, BFO_JBD2_C_CSUM);
			break;
		}
	}
}

void fuzz_mend_journal(struct fuzz_volume *v)
{
	struct log l = { .v = v };
	uint8_t *sb = log_block(&l, 0);

	if (!sb || bfo_jbd2_get32(sb, BFO_JBD2_H_MAGIC) != BFO_JBD2_MAGIC)
		return;
	l.incompat = bfo_jbd2_get32(sb, BFO_JBD2_SB_INCOMPAT);
	l.seed = bfo_jbd2_seed(sb + BFO_JBD2_SB_UUID);
	if (!bfo_jbd2_has_csum(l.incompat))
		return;
	bfo_jbd2_put32(sb, BFO_JBD2_SB_CSUM,
		       bfo_jbd2_block_csum(~0U, sb, BFO_JBD2_SB_BYTES, BFO_JBD2_SB_CSUM));
	mend_log(&l);
}

/* ---- containers ---- */

static void put_le32(uint8_t *at, uint32_t value)
{
	value = ext2fs_cpu_to_le32(value);
	memcpy(at, &value, sizeof(value));
}

/* Of block K of the catalogue, whose checksum comes first. */
static void mend_catalogue(const struct fuzz_volume *v, uint8_t *block, uint32_t seed, uint32_t k)
{
	uint32_t zero = 0;

	seed = bfo_crc32c(bfo_crc32c(seed, &k, sizeof(k)), &zero, sizeof(zero));
	put_le32(block, bfo_crc32c(seed, block + 4, v->block_size - 4));
}

static void mend_tree(const struct fuzz_volume *v, uint32_t ino, uint32_t seed,
		      const struct itree_dir *d)
{
	uint32_t i;
	uint8_t *block;

	seed = itree_tree_seed(seed, d->ino, d->generation);
	for (i = 0; i < d->blocks; i++) {
		block = fuzz_file_block(v, ino, d->first + i);
		if (block && i < d->leaves)
			itree_leaf_seal(block, v->block_size, seed, i);
		else if (block)
			itree_node_seal(block, v->block_size, seed, i);
	}
}

static void mend_container(const struct fuzz_volume *v, uint32_t ino, uint8_t *head)
{
	struct itree_dir dirs[EXT2_MAX_BLOCK_SIZE / ITREE_DIR_BYTES];
	struct itree_header h;
	uint32_t k, i, n;
	uint8_t *block;

	put_le32(head + 0x0c, bfo_jbd2_block_csum(~0U, head, v->block_size, 0x0c));
	if (itree_header_unpack(head, v->block_size, &h))
		return;
	for (k = 0; k < h.catalogue_blocks; k++) {
		block = fuzz_file_block(v, ino, h.catalogue + k);
		if (!block)
			return;
		mend_catalogue(v, block, h.seed, k);
		if (itree_catalogue_unpack(&h, k, block, dirs, &n))
			continue;
		for (i = 0; i < n; i++)
			mend_tree(v, ino, h.seed, &dirs[i]);
	}
}

/* ---- records ---- */

static void mend_progress(uint8_t *block)
{
	struct bfo_record_progress *p = (void *) block;

	if (block && !memcmp(p->magic, BFO_RECORD_PROGRESS, sizeof(p->magic)))
		p->csum = bfo_crc32c(~0U, p, offsetof(struct bfo_record_progress, csum));
}

/* What is not ranges is text. */
static void mend_lengths(struct bfo_record_head *h)
{
	uint64_t text = h->bytes - BFO_RECORD_HEAD - (uint64_t) h->ranges * 8;

	if (text <= h->bytes)
		h->text = text;
}

/* Its head may be longer than a block: it is summed up where it lies. */
static void mend_record(const struct fuzz_volume *v, uint32_t ino, struct bfo_record_head *h)
{
	uint32_t crc = ~0U, left = h->bytes, part, lblk;
	uint8_t *block;

	for (lblk = 1; lblk < BFO_RECORD_BLOCKS; lblk++)
		mend_progress(fuzz_file_block(v, ino, lblk));
	mend_lengths(h);
	h->csum = 0;
	for (lblk = 0; left && (block = fuzz_file_block(v, ino, lblk)) != NULL; lblk++) {
		part = left < v->block_size ? left : v->block_size;
		crc = bfo_crc32c(crc, block, part);
		left -= part;
	}
	h->csum = crc;
}

void fuzz_mend_own(struct fuzz_volume *v, uint32_t ino)
{
	const struct ext2_inode *raw = (const void *) fuzz_inode(v, ino);
	uint8_t *block = raw && raw->i_mode ? fuzz_file_block(v, ino, 0) : NULL;

	if (block && !memcmp(block, "e2itree", 8))
		mend_container(v, ino, block);
	if (block && !memcmp(block, BFO_RECORD_MAGIC, 8))
		mend_record(v, ino, (void *) block);
}
