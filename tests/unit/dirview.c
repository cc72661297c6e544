// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dirview.c - the blocks of a directory as a kernel sees them
 *
 *   block 0       "." 12 | ".." to the end, and in it: reserved, hash version, 8, levels, flags
 *                 | limit, count, block | hash, block | hash, block ...        from byte 32 on
 *   other nodes   an empty entry of the whole block
 *                 | limit, count, block | hash, block | ...                    from byte 8 on
 *   leaves        entries to the end, or to the 12 bytes of checksum
 *
 * Bit 0 of a hash in the index says that names with this hash stand in the leaf before as well.
 */
#include <stdlib.h>
#include <string.h>

#include "dirview.h"
#include "unit.h"

#define ROOT_OFFSET 32U
#define NODE_OFFSET 8U
#define HASH_EOF 0xfffffffeU

static uint32_t get16(const uint8_t *p)
{
	return p[0] | p[1] << 8;
}

static uint32_t get32(const uint8_t *p)
{
	return get16(p) | get16(p + 2) << 16;
}

static const uint8_t *block_at(const struct dirview *d, uint32_t blk)
{
	want(blk < d->blocks);
	return d->data + (size_t) blk * d->target->block_size;
}

/* ext4_rec_len_from_disk() */
static uint32_t rec_len_at(const struct dirview *d, const uint8_t *p)
{
	uint32_t bs = d->target->block_size, len = get16(p + 4);

	if (len == 65535 || len == 0)
		return bs;
	return (len & 65532) | (len & 3) << 16;
}

static struct dirview_entry entry_at(const struct dirview *d, const uint8_t *p)
{
	return (struct dirview_entry) { .ino = get32(p), .rec_len = rec_len_at(d, p),
		.len = p[6], .type = p[7], .name = (const char *) p + 8 };
}

void dirview_hash(const struct dirview *d, const char *name, unsigned int len, uint32_t *hash,
		  uint32_t *minor)
{
	uint32_t seed[4];

	if (d->hash) {
		d->hash(name, len, hash, minor);
		return;
	}
	memcpy(seed, d->target->hash_seed, sizeof(seed));
	want_ok(ext2fs_dirhash2(d->target->hash_version, name, len, NULL, 0, seed, hash, minor));
	if (*hash == HASH_EOF)
		*hash = 0xfffffffc;		/* ext4fs_dirhash() */
}

/* Bytes for entries in a leaf. */
static uint32_t leaf_room(const struct dirview *d)
{
	return d->target->block_size - (d->target->has_csum ? 12 : 0);
}

/* One index node: where it is and what it says about itself. */
struct node {
	const uint8_t *entries;
	uint32_t count;
	uint32_t level;			/* 0: its children are leaves */
};

static uint32_t child_of(const struct node *n, uint32_t i)
{
	return get32(n->entries + 8 * i + 4) & 0x0fffffff;
}

/* The first child takes everything from the node's own first hash on. */
static uint32_t hash_of(const struct node *n, uint32_t i)
{
	return get32(n->entries + 8 * i);
}

static struct node node_at(const struct dirview *d, uint32_t blk, uint32_t offset, uint32_t level)
{
	uint32_t tail = d->target->has_csum ? 8 : 0;
	struct node n = { .entries = block_at(d, blk) + offset, .level = level };

	want_eq(get16(n.entries), (d->target->block_size - offset - tail) / 8);
	n.count = get16(n.entries + 2);
	want(n.count >= 1 && n.count <= get16(n.entries));
	return n;
}

static struct node root_of(const struct dirview *d)
{
	const uint8_t *p = block_at(d, 0);

	want_eq(get32(p + 24), 0);			/* reserved */
	want_eq(p[28], d->has_hashes ? EXT2_HASH_SIPHASH : d->target->hash_stored);
	want_eq(p[29], 8);				/* length of this information */
	want(p[30] <= (d->target->has_large_dir ? 2 : 1));
	want_eq(p[31], 0);				/* flags */
	return node_at(d, 0, ROOT_OFFSET, p[30]);
}

static struct node child_node(const struct dirview *d, const struct node *n, uint32_t i)
{
	const uint8_t *p = block_at(d, child_of(n, i));

	want(n->level);
	want_eq(get32(p), 0);
	want_eq(rec_len_at(d, p), d->target->block_size);
	want_eq(p[6], 0);
	return node_at(d, child_of(n, i), NODE_OFFSET, n->level - 1);
}

static int is_dots(const struct dirview_entry *e)
{
	return (e->len == 1 || e->len == 2) && !memcmp(e->name, "..", e->len);
}

/* ext4_dir_rec_len(): "." and ".." have no hashes. */
static uint32_t entry_bytes(const struct dirview *d, const struct dirview_entry *e)
{
	return ((8 + e->len + 3) & ~3U) + (d->has_hashes && !is_dots(e) ? 8 : 0);
}

/* Walking over all leaves. */
struct walk {
	struct dirview *d;
	dirview_take take;
	void *priv;
	uint8_t *seen;			/* per block */
	uint32_t last_hash, last_minor;	/* of the name before */
	uint32_t first_hash;		/* of the first name in this block */
	uint32_t names;
	uint32_t used, used_before;	/* bytes of entries in this block, and in the one before */
};

static void take_entry(struct walk *w, const struct dirview_entry *e, uint32_t lo, uint32_t hi)
{
	uint32_t hash, minor;

	want(e->len && e->ino && e->ino <= w->d->target->inodes);
	if (w->d->target->has_filetype)
		want(e->type >= EXT2_FT_REG_FILE && e->type <= EXT2_FT_SYMLINK);
	else
		want_eq(e->type, EXT2_FT_UNKNOWN);
	dirview_hash(w->d, e->name, e->len, &hash, &minor);
	if (w->d->indexed) {
		want(hash >= (lo & ~1U));
		want(hash < (hi & ~1U) || (hi & 1 && hash == (hi & ~1U)));
	}
	if (w->names++ && !w->d->used)		/* whole directory in the order of readdir */
		want(hash > w->last_hash || (hash == w->last_hash && minor >= w->last_minor));
	w->last_hash = hash;
	w->last_minor = minor;
	if (w->d->has_hashes)
		want(get32((uint8_t *) e->name + (entry_bytes(w->d, e) - 16)) == hash &&
		     get32((uint8_t *) e->name + (entry_bytes(w->d, e) - 12)) == minor);
	if (w->used == entry_bytes(w->d, e))
		w->first_hash = hash;
	if (w->take)
		w->take(w->priv, e);
}

/* Entries of block BLK from byte AT on, up to the end and not beyond. */
static void walk_entries(struct walk *w, uint32_t blk, uint32_t at, uint32_t lo, uint32_t hi)
{
	const uint8_t *p = block_at(w->d, blk);
	uint32_t room = leaf_room(w->d);
	struct dirview_entry e;

	w->used = 0;
	for (; at < room; at += e.rec_len) {
		want(room - at >= 12);
		e = entry_at(w->d, p + at);
		want(e.rec_len >= 8 + e.len && e.rec_len % 4 == 0 && e.rec_len <= room - at);
		if (!e.ino)
			continue;
		w->used += entry_bytes(w->d, &e);
		take_entry(w, &e, lo, hi);
	}
	want_eq(at, room);
}

static void walk_leaf(struct walk *w, uint32_t blk, uint32_t lo, uint32_t hi)
{
	uint32_t before = w->names, hash = w->last_hash;
	struct dirview *d = w->d;

	w->used_before = w->used;
	walk_entries(w, blk, 0, lo, hi);
	want(w->names > before || (d->dead && !before) || d->used);	/* no leaf is empty */
	want((lo & ~1U) != HASH_EOF);
	if (before && !d->dead && !d->used) {	/* the index knows exactly where it begins */
		want_eq(lo & ~1U, w->first_hash);
		want_eq(lo & 1, hash == w->first_hash);
	}
	d->continued += lo & 1;
	if (d->leaves++ && w->used_before < d->least_used)
		d->least_used = w->used_before;
	if (w->used > d->most_used)
		d->most_used = w->used;
}

static void walk_node(struct walk *w, const struct node *n, uint32_t lo, uint32_t hi)
{
	uint32_t i, from, to;
	struct node below;

	for (i = 0; i < n->count; i++) {
		from = i ? hash_of(n, i) : lo;
		to = i + 1 < n->count ? hash_of(n, i + 1) : hi;
		want(from <= to);
		want(child_of(n, i) < w->d->blocks && !w->seen[child_of(n, i)]);
		w->seen[child_of(n, i)] = 1;
		if (!n->level) {
			walk_leaf(w, child_of(n, i), from, to);
			continue;
		}
		below = child_node(w->d, n, i);
		walk_node(w, &below, from, to);
	}
}

/* Where the names of a linear directory begin in block BLK: in the first one, behind "..". */
static uint32_t first_entry(const struct dirview *d, uint32_t blk)
{
	return blk ? 0 : 12 + rec_len_at(d, block_at(d, 0) + 12);
}

static void walk_linear(struct walk *w)
{
	uint32_t blk;

	for (blk = 0; blk < w->d->blocks; blk++) {
		walk_entries(w, blk, first_entry(w->d, blk), 0, HASH_EOF | 1);
		want(!blk || w->used || w->d->used);
		w->seen[blk] = 1;
	}
}

static void check_dots(const struct dirview *d)
{
	const uint8_t *p = block_at(d, 0);
	struct dirview_entry e = entry_at(d, p);
	uint32_t type = d->target->has_filetype ? EXT2_FT_DIR : EXT2_FT_UNKNOWN;

	want(e.ino == d->ino && e.rec_len == 12 && e.len == 1 && e.type == type);
	want(e.name[0] == '.');
	e = entry_at(d, p + 12);
	want(e.ino == d->parent && e.len == 2 && e.type == type);
	want(e.name[0] == '.' && e.name[1] == '.');
	if (d->indexed)
		want_eq(e.rec_len, d->target->block_size - 12);
	else if (d->blocks > 1 && !d->used)
		want_eq(e.rec_len, 12);
}

void dirview_each(struct dirview *d, dirview_take take, void *priv)
{
	struct walk w = { .d = d, .take = take, .priv = priv, .seen = unit_alloc(d->blocks) };
	struct node root;
	uint32_t blk;

	check_dots(d);
	d->leaves = d->continued = d->levels = d->most_used = 0;
	d->least_used = UINT32_MAX;
	if (d->indexed) {
		root = root_of(d);
		d->levels = root.level + 1;
		w.seen[0] = 1;
		walk_node(&w, &root, 0, HASH_EOF);
	} else {
		walk_linear(&w);
	}
	for (blk = 0; blk < d->blocks; blk++)
		want(w.seen[blk]);
	free(w.seen);
}

void dirview_check(struct dirview *d)
{
	uint32_t blk;

	dirview_each(d, NULL, NULL);
	for (blk = 0; blk < d->blocks; blk++)
		want(ext2fs_dir_block_csum_verify(d->fs, d->ino, (void *) block_at(d, blk)));
}

static uint32_t search_block(const struct dirview *d, uint32_t blk, uint32_t at, const char *name,
			     unsigned int len)
{
	const uint8_t *p = block_at(d, blk);
	struct dirview_entry e;

	for (; at < leaf_room(d); at += e.rec_len) {
		e = entry_at(d, p + at);
		if (e.ino && e.len == len && !memcmp(e.name, name, len))
			return e.ino;
	}
	return 0;
}

uint32_t dirview_search(const struct dirview *d, uint32_t blk, const char *name, unsigned int len)
{
	return search_block(d, blk, 0, name, len);
}

/* dx_probe(): the last entry whose hash is not above HASH; by halves, as there. */
static uint32_t probe(const struct node *n, uint32_t hash)
{
	uint32_t lo = 1, hi = n->count - 1, mid;

	while (lo <= hi) {
		mid = lo + (hi - lo) / 2;
		if (hash_of(n, mid) > hash)
			hi = mid - 1;
		else
			lo = mid + 1;
	}
	return lo - 1;
}

/* ext4_htree_next_block(): on to the next leaf if it goes on with HASH. */
static int next_leaf(const struct dirview *d, struct node *path, uint32_t *at, int depth,
		     uint32_t hash)
{
	int i = depth - 1;

	while (++at[i] == path[i].count)
		if (--i < 0)
			return 0;
	if ((hash_of(&path[i], at[i]) & ~1U) != hash)
		return 0;
	for (; i + 1 < depth; i++) {
		path[i + 1] = child_node(d, &path[i], at[i]);
		at[i + 1] = 0;
	}
	return 1;
}

static uint32_t lookup_indexed(const struct dirview *d, const char *name, unsigned int len)
{
	uint32_t hash, minor, at[3], ino;
	struct node path[3];
	int depth = 1;

	dirview_hash(d, name, len, &hash, &minor);
	path[0] = root_of(d);
	at[0] = probe(&path[0], hash);
	for (; path[depth - 1].level; depth++) {
		path[depth] = child_node(d, &path[depth - 1], at[depth - 1]);
		at[depth] = probe(&path[depth], hash);
	}
	do {
		ino = search_block(d, child_of(&path[depth - 1], at[depth - 1]), 0, name, len);
	} while (!ino && next_leaf(d, path, at, depth, hash));
	return ino;
}

uint32_t dirview_lookup(const struct dirview *d, const char *name, unsigned int len)
{
	uint32_t blk, ino = 0;

	if (d->indexed)
		return lookup_indexed(d, name, len);
	for (blk = 0; blk < d->blocks && !ino; blk++)
		ino = search_block(d, blk, first_entry(d, blk), name, len);
	return ino;
}
