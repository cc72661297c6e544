// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * quota.c - quota files: from bytes to entries, from entries to bytes
 *
 * Reading follows the tree, as the kernel does, and marks every block it meets.  Writing needs no
 * insertion: with ids ascending, the blocks that are open at each level are known at any time, and
 * each kind lies together:
 *
 *     | header | root | level 1 ... | level 2 ... | level 3 ... | data ... |
 *
 * All data blocks are full but for the last, which alone is on the list of blocks with free slots.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "plan/quota.h"


#define BLOCK 1024U
#define ROOT 1U			/* the block it is in */
#define LEVELS 4		/* of the tree, which data blocks are below */
#define REFS (BLOCK / 4)
#define VERSION 1U
#define SIZE_MAX_E2FSPROGS (1ULL << 31)

static const uint32_t magics[BFO_QUOTA_TYPES] = { 0xd9c01f11, 0xd9c01927, 0xd9c03f14 };

struct header {
	uint32_t magic, version, bgrace, igrace, flags, blocks, free_blk, free_entry;
};

struct data_header {
	uint32_t next_free, prev_free;
	uint16_t entries, pad1;
	uint32_t pad2;
};

struct slot {
	uint32_t id, pad;
	uint64_t ihard, isoft, inodes, bhard, bsoft, space, btime, itime;
};

#define SLOTS ((BLOCK - sizeof(struct data_header)) / sizeof(struct slot))

static const struct slot unused_slot;

static int is_unused(const struct slot *s)
{
	return !memcmp(s, &unused_slot, sizeof(*s));
}

/* ---- reading ---- */

#define IS_TREE 255U		/* in uses[]: not for data */

struct reader {
	struct bfo_quota *q;
	const uint8_t *file;
	uint32_t blocks;
	uint8_t *uses;		/* by block: 0 = not met, IS_TREE, or the ids that lead there */
};

static const uint8_t *slot_at(const struct reader *r, uint32_t blk, unsigned int i)
{
	return r->file + (size_t) blk * BLOCK + sizeof(struct data_header) +
	       i * sizeof(struct slot);
}

static struct bfo_quota_entry entry_of(const struct slot *s)
{
	static const struct slot id0 = { .itime = to_le64(1) };

	return (struct bfo_quota_entry){
		.id = to_le32(s->id),
		.ihard = to_le64(s->ihard),
		.isoft = to_le64(s->isoft),
		.inodes = to_le64(s->inodes),
		.bhard = to_le64(s->bhard),
		.bsoft = to_le64(s->bsoft),
		.space = to_le64(s->space),
		.btime = to_le64(s->btime),
		.itime = memcmp(s, &id0, sizeof(id0)) ? to_le64(s->itime) : 0,
	};
}

/* The tree says that data block BLK has ID. */
static errcode_t read_entry(struct reader *r, uint32_t blk, uint32_t id)
{
	struct slot s;
	unsigned int i;

	if (r->uses[blk] >= SLOTS)
		return BFO_ET_DAMAGED;
	r->uses[blk]++;
	for (i = 0; i < SLOTS; i++) {
		memcpy(&s, slot_at(r, blk, i), sizeof(s));
		if (to_le32(s.id) == id && !is_unused(&s))
			return bfo_vec_push(&r->q->entries, entry_of(&s));
	}
	return BFO_ET_DAMAGED;
}

/* A tree block whose ids begin with PREFIX; reads what is below it. */
static errcode_t read_tree(struct reader *r, uint32_t blk, int level, uint32_t prefix)
{
	errcode_t err = 0;
	uint32_t i, child, id;

	if (r->uses[blk])
		return BFO_ET_DAMAGED;
	r->uses[blk] = IS_TREE;
	for (i = 0; i < REFS && !err; i++) {
		memcpy(&child, r->file + (size_t) blk * BLOCK + i * 4, 4);
		child = to_le32(child);
		id = prefix << 8 | i;
		if (!child)
			continue;
		if (child >= r->blocks)
			err = BFO_ET_DAMAGED;
		else if (level < LEVELS - 1)
			err = read_tree(r, child, level + 1, id);
		else
			err = read_entry(r, child, id);
	}
	return err;
}

/* Every id found a slot of its own, so equal numbers mean that no slot is without a path. */
static errcode_t check_slots(const struct reader *r)
{
	struct data_header head;
	unsigned int i, used;
	uint32_t blk;

	for (blk = ROOT + 1; blk < r->blocks; blk++) {
		if (!r->uses[blk] || r->uses[blk] == IS_TREE)
			continue;
		for (i = 0, used = 0; i < SLOTS; i++)
			used += !!memcmp(slot_at(r, blk, i), &unused_slot, sizeof(unused_slot));
		memcpy(&head, r->file + (size_t) blk * BLOCK, sizeof(head));
		if (used != r->uses[blk] || used != to_le16(head.entries))
			return BFO_ET_DAMAGED;
	}
	return 0;
}

static errcode_t read_header(struct reader *r, enum bfo_quota_type type, uint64_t size)
{
	struct header head;

	if (size < 2 * BLOCK || size > SIZE_MAX_E2FSPROGS)
		return BFO_ET_DAMAGED;
	memcpy(&head, r->file, sizeof(head));
	r->blocks = to_le32(head.blocks);
	if (to_le32(head.magic) != magics[type] || to_le32(head.version) != VERSION ||
	    r->blocks <= ROOT || r->blocks > size / BLOCK)
		return BFO_ET_DAMAGED;
	r->q->bgrace = to_le32(head.bgrace);
	r->q->igrace = to_le32(head.igrace);
	r->q->flags = to_le32(head.flags);
	return 0;
}

errcode_t bfo_quota_parse(struct bfo_quota *q, enum bfo_quota_type type, const void *file,
			  uint64_t size)
{
	struct reader r = { .q = q, .file = file };
	errcode_t err;

	assert(type < BFO_QUOTA_TYPES);
	memset(q, 0, sizeof(*q));
	err = read_header(&r, type, size);
	if (!err) {
		r.uses = calloc(r.blocks, 1);
		err = r.uses ? 0 : ENOMEM;
	}
	if (!err)
		err = read_tree(&r, ROOT, 0, 0);
	if (!err)
		err = check_slots(&r);
	free(r.uses);
	if (err)
		bfo_quota_free(q);
	return err;
}

void bfo_quota_free(struct bfo_quota *q)
{
	bfo_vec_free(&q->entries);
	memset(q, 0, sizeof(*q));
}

/* ---- writing ---- */

/* Ids in ascending order on their way through the tree. */
struct path {
	uint64_t blk[LEVELS + 1];	/* the open block of each level; the last is for data */
	uint64_t n;			/* ids so far */
	uint32_t id;			/* the last of them */
};

/* Opens the next block of every level that needs another one for ID. */
static void step(struct path *p, uint32_t id)
{
	int level, shift;

	assert(!p->n || id > p->id);
	for (level = 1; level < LEVELS; level++) {
		shift = 8 * (LEVELS - level);
		p->blk[level] += !p->n || id >> shift != p->id >> shift;
	}
	p->blk[LEVELS] += p->n % SLOTS == 0;
	p->n++;
	p->id = id;
}

static int is_kept(const struct bfo_quota_entry *e)
{
	return e->inodes || e->space || e->ihard || e->isoft || e->bhard || e->bsoft;
}

/* Where P must begin so that its levels lie behind each other; returns the blocks of the file. */
static uint64_t lay_out(const struct bfo_quota *q, struct path *p)
{
	struct path count = { .n = 0 };
	uint64_t last = ROOT;
	size_t i;
	int level;

	for (i = 0; i < q->entries.n; i++)
		if (is_kept(&q->entries.v[i]))
			step(&count, q->entries.v[i].id);
	*p = (struct path) { .blk[0] = ROOT };
	for (level = 1; level <= LEVELS; level++) {
		p->blk[level] = last;
		last += count.blk[level];
	}
	return last + 1;
}

static void put_refs(uint8_t *file, const struct path *p)
{
	uint32_t ref, i;
	int level;

	for (level = 0; level < LEVELS; level++) {
		i = p->id >> 8 * (LEVELS - 1 - level) & 255;
		ref = to_le32(p->blk[level + 1]);
		memcpy(file + p->blk[level] * BLOCK + i * 4, &ref, 4);
	}
}

static void put_entry(uint8_t *file, const struct path *p, const struct bfo_quota_entry *e)
{
	unsigned int slot = (p->n - 1) % SLOTS;
	struct data_header head = { .entries = to_le16(slot + 1) };
	struct slot s = {
		.id = to_le32(e->id),
		.ihard = to_le64(e->ihard),
		.isoft = to_le64(e->isoft),
		.inodes = to_le64(e->inodes),
		.bhard = to_le64(e->bhard),
		.bsoft = to_le64(e->bsoft),
		.space = to_le64(e->space),
		.btime = to_le64(e->btime),
		.itime = to_le64(e->itime),
	};

	file += p->blk[LEVELS] * BLOCK;
	memcpy(file, &head, sizeof(head));
	memcpy(file + sizeof(head) + slot * sizeof(s), &s, sizeof(s));
}

static void put_header(uint8_t *file, const struct bfo_quota *q, enum bfo_quota_type type,
		       uint64_t blocks, uint64_t free_entry)
{
	struct header head = {
		.magic = to_le32(magics[type]),
		.version = to_le32(VERSION),
		.bgrace = to_le32(q->bgrace),
		.igrace = to_le32(q->igrace),
		.flags = to_le32(q->flags),
		.blocks = to_le32(blocks),
		.free_entry = to_le32(free_entry),
	};

	memcpy(file, &head, sizeof(head));
}

errcode_t bfo_quota_build(const struct bfo_quota *q, enum bfo_quota_type type, void **file,
			  uint64_t *size)
{
	struct path p;
	uint64_t blocks = lay_out(q, &p);
	uint8_t *out;
	size_t i;

	assert(type < BFO_QUOTA_TYPES);
	if (blocks > SIZE_MAX_E2FSPROGS / BLOCK)
		return BFO_ET_FILE_TOO_BIG;
	out = calloc(blocks, BLOCK);
	if (!out)
		return ENOMEM;
	for (i = 0; i < q->entries.n; i++) {
		if (!is_kept(&q->entries.v[i]))
			continue;
		step(&p, q->entries.v[i].id);
		put_refs(out, &p);
		put_entry(out, &p, &q->entries.v[i]);
	}
	put_header(out, q, type, blocks, p.n % SLOTS ? p.blk[LEVELS] : 0);
	*file = out;
	*size = blocks * BLOCK;
	return 0;
}
