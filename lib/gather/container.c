// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * container.c - the container's file: found, mapped, read
 *
 * Its inode and block map are gathered as those of any other file, so what is wrong with them is
 * known before a block of it is read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "gather/attrs.h"
#include "gather/container.h"
#include "gather/inode_check.h"
#include "gather/inode_scan.h"
#include "gather/inode_walk.h"
#include "gather/name_scan.h"
#include "tree/access.h"
#include "volume/recovery.h"

#define AHEAD_FIRST 2U			/* blocks: what a read out of order brings */

/* What is wrong with it. */
static errcode_t fail(const struct bfo_container *c, errcode_t code, const char *why)
{
	return bfo_fail(c->r->ctx, code, "reading /%s on %s (inode %u): %s", ITREE_NAME,
			c->r->vol->spec, c->ino, why);
}

static int is_container_name(const struct bfo_tree *t, const struct bfo_name *n)
{
	return bfo_name_len(n) == strlen(ITREE_NAME) &&
	       !memcmp(bfo_name_text(t, n), ITREE_NAME, strlen(ITREE_NAME));
}

/* Looks through the root directory: sets c->ino. */
static errcode_t find_name(struct bfo_container *c)
{
	static const uint32_t root = EXT2_ROOT_INO;
	struct bfo_tree t = { 0 };
	errcode_t err;
	size_t i;

	err = bfo_inode_scan_some(c->r, &t, &root, 1);
	if (!err)
		err = bfo_name_scan(c->r, &t);
	for (i = 0; i < t.names.n && !err && !c->ino; i++)
		if (is_container_name(&t, &t.names.v[i]))
			c->ino = bfo_name_number(&t, &t.names.v[i]);
	bfo_tree_free(&t);
	if (!err && !c->ino)
		err = bfo_fail(c->r->ctx, BFO_ET_NO_ITREE, "looking for /%s on %s", ITREE_NAME,
			       c->r->vol->spec);
	return err;
}

/* Copies the block map, as far as it goes without a hole or an extent that was not written. */
static errcode_t copy_map(struct bfo_container *c, const struct bfo_tree *t,
			  const struct bfo_inode *rec)
{
	uint64_t expect = 0;
	errcode_t err = 0;
	uint32_t i;

	for (i = 0; i < bfo_seg_count(t, rec) && !err; i++) {
		const struct bfo_seg *seg = bfo_seg_of(t, rec, i);

		if (seg->lblk != expect || bfo_seg_unwritten(seg))
			break;
		err = bfo_vec_push(&c->segs, *seg);
		expect += seg->len;
	}
	return err ? bfo_fail(c->r->ctx, err, "reading /%s", ITREE_NAME) : 0;
}

/* Reads the inode; one that is no regular file with blocks is nobody's container. */
static errcode_t read_inode(struct bfo_container *c)
{
	const struct bfo_inode *rec;
	struct bfo_tree t = { 0 };
	bfo_row index;
	errcode_t err;

	err = bfo_inode_scan_some(c->r, &t, &c->ino, 1);
	index = err ? BFO_NONE : bfo_tree_find(&t, c->ino);
	rec = index == BFO_NONE ? NULL : &t.inodes.v[index];
	if (rec && !(rec->state & BFO_INODE_BAD) && S_ISREG(rec->mode)) {
		c->generation = rec->generation;
		c->size = rec->size;
		err = copy_map(c, &t, rec);
	} else if (rec && rec->state & BFO_INODE_BAD && S_ISREG(rec->mode)) {
		err = fail(c, BFO_ET_ITREE, "its inode is damaged");
	} else if (!err) {
		err = fail(c, BFO_ET_NO_ITREE, "no regular file");
	}
	bfo_tree_free(&t);
	return err;
}

/* Blocks that can be read, from the first on.  (Holes of a file are zeros, no block of ours.) */
static uint64_t mapped_blocks(const struct bfo_container *c)
{
	const struct bfo_seg *last = c->segs.n ? &c->segs.v[c->segs.n - 1] : NULL;
	uint64_t mapped = last ? (uint64_t) last->lblk + last->len : 0;
	uint64_t held = c->size / c->r->vol->block_size;

	return c->by_file || mapped > held ? held : mapped;
}

/* Block BLK of the file and COUNT - 1 behind it, which its size has. */
static errcode_t read_file(const struct bfo_container *c, uint32_t blk, uint32_t count, void *buf)
{
	size_t block_size = c->r->vol->block_size, want = count * block_size, done = 0;
	ssize_t n = 1;

	while (done < want && n > 0) {
		n = pread(c->fd, (char *) buf + done, want - done, blk * block_size + done);
		done += n > 0 ? n : 0;
	}
	if (n < 0)
		return fail(c, errno, "its file");
	return done < want ? fail(c, BFO_ET_ITREE, "it has become shorter") : 0;
}

static errcode_t read_header(struct bfo_container *c)
{
	uint32_t block_size = c->r->vol->block_size;
	errcode_t err;
	char *block;

	if (!mapped_blocks(c))
		return fail(c, BFO_ET_NO_ITREE, "it has no first block");
	block = malloc(block_size);
	if (!block)
		return fail(c, ENOMEM, "its header");
	err = c->by_file ? read_file(c, 0, 1, block)
			 : bfo_volume_read(c->r->ctx, c->r->vol, c->segs.v[0].blk, 1, block);
	if (!err) {
		err = itree_header_unpack(block, block_size, &c->header);
		if (err == BFO_ET_NO_ITREE)
			fail(c, err, "no container");
		else if (err)
			fail(c, err, "its header");
	}
	free(block);
	if (!err && c->header.blocks > mapped_blocks(c))
		err = fail(c, BFO_ET_ITREE, "it is shorter than its header says, or has holes");
	return err;
}

errcode_t bfo_container_find(struct bfo_reader *r, struct bfo_container *c)
{
	errcode_t err;

	*c = (struct bfo_container) { .r = r };
	bfo_progress_enter(r->ctx, BFO_STAGE_NAMES);	/* a look at the root, and no more */
	err = find_name(c);
	if (!err)
		err = read_inode(c);
	if (!err)
		err = read_header(c);
	bfo_progress_leave(r->ctx);
	return err;
}

errcode_t bfo_container_open(struct bfo_reader *r, int fd, struct bfo_container *c)
{
	struct stat st;

	*c = (struct bfo_container) { .r = r, .by_file = 1, .fd = fd };
	if (fstat(fd, &st))
		return fail(c, errno, "its file");
	c->ino = st.st_ino;
	c->size = st.st_size;
	return read_header(c);
}

void bfo_container_free(struct bfo_container *c)
{
	bfo_vec_free(&c->segs);
}

/* ---- whose it is ---- */

int bfo_container_is_protected(const struct bfo_container_file *f)
{
	return !f->uid && (f->mode & 07777) == 0600 && f->is_immutable && f->links == 1;
}

int bfo_container_is_open(const struct bfo_container_file *f)
{
	return f->uid || f->mode & 022;
}

struct look {
	const struct bfo_container *c;
	struct bfo_container_file *out;
};

static errcode_t take_file(void *priv, uint32_t ino, const void *raw)
{
	const struct look *look = priv;
	struct bfo_attrs attrs;

	(void) ino;
	bfo_attrs_read(raw, look->c->r->vol->inode_size, &attrs);
	*look->out = (struct bfo_container_file) { .uid = attrs.uid, .mode = attrs.mode,
		.links = attrs.nlink, .is_immutable = !!(attrs.flags & EXT2_IMMUTABLE_FL) };
	return 0;
}

errcode_t bfo_container_look(const struct bfo_container *c, struct bfo_container_file *out)
{
	struct look look = { .c = c, .out = out };

	memset(out, 0, sizeof(*out));
	return bfo_inode_walk(c->r, &c->ino, 1, take_file, NULL, &look);
}

/* ---- its blocks ---- */

/* The segment that has logical block BLK, which is mapped. */
static const struct bfo_seg *seg_of(const struct bfo_container *c, uint32_t blk)
{
	size_t i = bfo_vec_lower(&c->segs, lblk, blk);

	return i < c->segs.n && c->segs.v[i].lblk == blk ? &c->segs.v[i] : &c->segs.v[i - 1];
}

uint64_t bfo_container_block(const struct bfo_container *c, uint32_t blk)
{
	const struct bfo_seg *seg = seg_of(c, blk);

	return bfo_seg_blk(seg) + (blk - seg->lblk);
}

errcode_t bfo_container_read(const struct bfo_container *c, uint32_t blk, uint32_t count,
			     void *buf)
{
	const struct bfo_seg *seg;
	uint32_t part, skip;
	errcode_t err = 0;

	if (blk > c->header.blocks || count > c->header.blocks - blk)
		return fail(c, BFO_ET_ITREE, "a block behind its end");
	if (c->by_file)
		return read_file(c, blk, count, buf);
	for (; count && !err; blk += part, count -= part) {
		seg = seg_of(c, blk);
		skip = blk - seg->lblk;
		part = count < seg->len - skip ? count : seg->len - skip;
		err = bfo_volume_read(c->r->ctx, c->r->vol, seg->blk + skip, part, buf);
		buf = (char *) buf + (size_t) part * c->r->vol->block_size;
	}
	return err;
}

/* ---- catalogue ---- */

/* Appends the COUNT blocks in BUF, the first of them block K of the catalogue. */
static errcode_t unpack_blocks(const struct bfo_container *c, uint32_t k, uint32_t count,
			       const char *buf, bfo_container_catalogue *out)
{
	uint32_t n, i;
	errcode_t err;

	for (i = 0; i < count; i++, buf += c->header.block_size) {
		err = bfo_vec_reserve(out, itree_catalogue_room(c->header.block_size));
		if (err)
			return fail(c, err, "its catalogue");
		err = itree_catalogue_unpack(&c->header, k + i, buf, out->v + out->n, &n);
		if (err || (n && out->n && out->v[out->n - 1].ino >= out->v[out->n].ino))
			return fail(c, BFO_ET_ITREE, "its catalogue");
		out->n += n;
	}
	return 0;
}

struct place {			/* of a tree; the first word is the sort key */
	uint32_t first, blocks;
};

static errcode_t check_overlaps(const struct bfo_container *c, const bfo_container_catalogue *dirs)
{
	BFO_VEC(struct place) places = { 0 };
	errcode_t err = bfo_vec_reserve(&places, dirs->n);
	size_t i;

	if (err)
		return fail(c, err, "its catalogue");
	for (i = 0; i < dirs->n; i++)
		places.v[places.n++] = (struct place) { .first = dirs->v[i].first,
							.blocks = dirs->v[i].blocks };
	bfo_sort(places.v, places.n, sizeof(*places.v), 1);
	for (i = 1; i < places.n && !err; i++)
		if (places.v[i].first - places.v[i - 1].first < places.v[i - 1].blocks)
			err = fail(c, BFO_ET_ITREE, "two trees overlap");
	bfo_vec_free(&places);
	return err;
}

errcode_t bfo_container_dirs(const struct bfo_container *c, bfo_container_catalogue *out)
{
	uint32_t max = BFO_CONTAINER_AHEAD / c->header.block_size, k, count;
	char *buf = malloc(BFO_CONTAINER_AHEAD);
	errcode_t err = 0;

	if (!buf)
		return fail(c, ENOMEM, "its catalogue");
	for (k = 0; k < c->header.catalogue_blocks && !err; k += count) {
		count = c->header.catalogue_blocks - k < max ? c->header.catalogue_blocks - k : max;
		err = bfo_container_read(c, c->header.catalogue + k, count, buf);
		if (!err)
			err = unpack_blocks(c, k, count, buf, out);
	}
	free(buf);
	return err ? err : check_overlaps(c, out);
}

/* One block of the catalogue at a time. */
struct page {
	const struct bfo_container *c;
	char *block;
	struct itree_dir *dirs;
	uint32_t n;
};

static errcode_t read_page(struct page *p, uint32_t k)
{
	errcode_t err = bfo_container_read(p->c, p->c->header.catalogue + k, 1, p->block);

	if (!err && itree_catalogue_unpack(&p->c->header, k, p->block, p->dirs, &p->n))
		err = fail(p->c, BFO_ET_ITREE, "its catalogue");
	return err;
}

/* The entry of INO, in the page that was read; NULL if it is not there. */
static const struct itree_dir *find_in_page(const struct page *p, uint32_t ino)
{
	uint32_t i;

	for (i = 0; i < p->n; i++)
		if (p->dirs[i].ino == ino)
			return &p->dirs[i];
	return NULL;
}

static errcode_t search(struct page *p, uint32_t ino, struct itree_dir *out)
{
	uint32_t lo = 0, hi = p->c->header.catalogue_blocks, mid;
	const struct itree_dir *found = NULL;
	errcode_t err = 0;

	while (lo < hi && !found && !err) {
		mid = lo + (hi - lo) / 2;
		err = read_page(p, mid);
		if (err || !p->n)
			break;
		found = find_in_page(p, ino);
		if (ino < p->dirs[0].ino)
			hi = mid;
		else
			lo = mid + 1;
	}
	if (found)
		*out = *found;
	else if (!err)
		err = bfo_fail(p->c->r->ctx, BFO_ET_NO_ITREE, "looking for the index of directory "
			       "%u on %s", ino, p->c->r->vol->spec);
	return err;
}

errcode_t bfo_container_dir(const struct bfo_container *c, uint32_t ino, struct itree_dir *out)
{
	uint32_t block_size = c->header.block_size;
	struct page p = { .c = c, .block = malloc(block_size) };
	errcode_t err;

	p.dirs = malloc(itree_catalogue_room(block_size) * sizeof(*p.dirs));
	err = p.block && p.dirs ? search(&p, ino, out) : fail(c, ENOMEM, "its catalogue");
	free(p.block);
	free(p.dirs);
	return err;
}

/* ---- how old is it? ---- */

enum bfo_freshness bfo_container_freshness(const struct bfo_container *c,
					   const struct bfo_volume *vol)
{
	const struct itree_header *h = &c->header;
	const struct ext2_super_block *sb = vol->fs->super;
	uint64_t wtime = sb->s_wtime | (uint64_t) sb->s_wtime_hi << 32;
	uint64_t lastcheck = sb->s_lastcheck | (uint64_t) sb->s_lastcheck_hi << 32;

	if (memcmp(h->uuid, sb->s_uuid, sizeof(h->uuid)) ||
	    memcmp(h->hash_seed, sb->s_hash_seed, sizeof(h->hash_seed)) ||
	    h->hash_version != (uint32_t) bfo_volume_hash_version(vol) ||
	    h->lastcheck != lastcheck || vol->unrecovered)
		return BFO_ITREE_UNKNOWN;
	if (h->wtime != wtime || (vol->recovery && vol->recovery->replay.transactions))
		return BFO_ITREE_LIKELY;
	return BFO_ITREE_FRESH;
}

int bfo_container_is_current(const struct itree_dir *d, const struct bfo_volume *vol,
			     const void *raw)
{
	const struct ext2_inode *inode = raw;
	uint32_t nsec;
	int64_t sec;

	bfo_inode_ctime(raw, vol->inode_size, &sec, &nsec);
	return d->generation == ext2fs_le32_to_cpu(inode->i_generation) &&
	       d->version == bfo_inode_version(raw, vol->inode_size) &&
	       d->ctime == sec && d->ctime_nsec == nsec;
}

/* ---- a tree as a store ---- */

/* Fills the buffer from tree block BLK on: the more, the longer blocks were asked for in order. */
static errcode_t fill(struct bfo_container_tree *t, uint32_t blk)
{
	uint32_t max = BFO_CONTAINER_AHEAD / t->store.block_size, n;
	errcode_t err;

	if (t->n && blk == t->at + t->n)
		t->ahead = t->ahead < max / 2 ? t->ahead * 2 : max;
	else
		t->ahead = AHEAD_FIRST < max ? AHEAD_FIRST : max;
	n = t->blocks - blk < t->ahead ? t->blocks - blk : t->ahead;
	t->n = 0;
	err = bfo_container_read(t->c, t->first + blk, n, t->buf);
	if (err)
		return err;
	t->at = blk;
	t->n = n;
	return 0;
}

/*
 * Index nodes lie behind the leaves: to read one by itself leaves the buffer, and what is known
 * about the order of leaves, as they are.
 */
static errcode_t read_block(void *priv, uint32_t blk, void *block)
{
	struct bfo_container_tree *t = priv;
	size_t size = t->store.block_size;
	errcode_t err = 0;

	if (blk >= t->blocks)
		return fail(t->c, BFO_ET_ITREE, "a block outside of its tree");
	if (blk < t->at || blk - t->at >= t->n) {
		if (blk >= t->leaves)
			return bfo_container_read(t->c, t->first + blk, 1, block);
		err = fill(t, blk);
	}
	if (!err)
		memcpy(block, t->buf + (blk - t->at) * size, size);
	return err;
}

errcode_t bfo_container_tree_open(struct bfo_container_tree *t, const struct bfo_container *c,
				  const struct itree_dir *dir)
{
	*t = (struct bfo_container_tree) {
		.store = { .block_size = c->header.block_size, .priv = t, .read = read_block },
		.c = c, .first = dir->first, .blocks = dir->blocks, .leaves = dir->leaves,
		.buf = malloc(BFO_CONTAINER_AHEAD),
	};
	return t->buf ? 0 : fail(c, ENOMEM, "a tree");
}

void bfo_container_tree_free(struct bfo_container_tree *t)
{
	free(t->buf);
	t->buf = NULL;
}

static int is_its_name(const struct bfo_tree *t, const struct bfo_name *n, bfo_row root,
		       uint32_t ino)
{
	return n->dir == root && bfo_name_number(t, n) == ino &&
	       bfo_name_len(n) == strlen(ITREE_NAME) &&
	       !memcmp(bfo_name_text(t, n), ITREE_NAME, strlen(ITREE_NAME));
}

errcode_t bfo_container_hide(struct bfo_reader *r, struct bfo_tree *tree)
{
	bfo_row root = bfo_tree_find(tree, EXT2_ROOT_INO), row;
	struct bfo_container c;
	size_t i, kept = 0;
	errcode_t err = bfo_container_find(r, &c);

	bfo_container_free(&c);
	if (err && err != BFO_ET_ITREE) {	/* what cannot be read is told where it is copied */
		bfo_what_clear(r->ctx);
		return 0;
	}
	for (i = 0; i < tree->names.n; i++)
		if (!is_its_name(tree, &tree->names.v[i], root, c.ino))
			tree->names.v[kept++] = tree->names.v[i];
	row = bfo_tree_find(tree, c.ino);
	if (row != BFO_NONE && kept < tree->names.n) {
		tree->inodes.v[row].state |= BFO_INODE_MET;
		tree->inodes.v[row].links_read -= tree->inodes.v[row].links_read > 0;
	}
	tree->names.n = kept;
	return 0;
}
