// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_read.c - contents of many files, read in the order in which they lie on the device
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "gather/inode_scan.h"
#include "job/batch_read.h"
#include "tree/access.h"
#include "tree/path.h"

#define SORTED_BYTES (32U << 20)	/* what lies in order is read no faster by more at a time */
#define ROUND_BYTES (1U << 30)
#define FIRST_BYTES (16U << 20)		/* what a disk reads in 100 ms */
#define WHOLE_BYTES (1U << 20)		/* a file of up to this comes in one piece */

/* ---- which files ---- */

static struct bfo_member_sought sought(const char *path, const struct bfo_resolved *way,
				       uint32_t index)
{
	struct bfo_member_sought s = { .dir = way->ino, .index = index };
	size_t len = bfo_path_last(path, &s.name);

	s.len = len < UINT32_MAX ? len : UINT32_MAX;
	return s;
}

static void refuse(struct bfo_batch_read *b, uint32_t index, errcode_t err)
{
	b->to->refused(b->to->priv, index, err, b->ctx->what);
	bfo_what_clear(b->ctx);
}

static errcode_t add_file(struct bfo_batch_read *b, uint32_t index, uint32_t ino)
{
	return bfo_vec_push(&b->files, (struct bfo_read_file) { .index = index, .ino = ino });
}

static errcode_t add_paths(struct bfo_batch_read *b)
{
	struct bfo_resolved *ways = malloc(b->opt.n_paths * sizeof(*ways) + 1);
	errcode_t err = 0, why;
	uint32_t i;

	if (!ways)
		err = bfo_fail(b->ctx, ENOMEM, "looking for paths");
	else if (b->volume)
		err = bfo_resolve(&b->reader, b->opt.paths, b->opt.n_paths, ways);
	else
		bfo_browse_resolve_all(&b->browse, b->opt.paths, b->opt.n_paths, ways);
	for (i = 0; i < b->opt.n_paths && !err; i++) {
		why = bfo_resolved_check(b->ctx, b->opt.volume, b->opt.paths[i], &ways[i]);
		if (why && b->volume && ways[i].fault == BFO_PATH_MISSING && ways[i].is_last)
			err = bfo_vec_push(&b->missing, sought(b->opt.paths[i], &ways[i], i));
		else if (why)
			refuse(b, i, why);
		else
			err = add_file(b, i, ways[i].ino);
	}
	free(ways);
	return err;
}

static errcode_t add_numbers(struct bfo_batch_read *b)
{
	uint32_t most = b->volume ? b->volume->fs->super->s_inodes_count
				  : b->tree->inodes.v[b->tree->inodes.n - 1].ino, i;
	errcode_t err = 0;

	for (i = 0; i < b->opt.n_inos && !err; i++) {
		uint32_t ino = b->opt.inos[i], index = b->opt.n_paths + i;

		if (ino && ino <= most) {
			err = add_file(b, index, ino);
			continue;
		}
		bfo_fail(b->ctx, BFO_ET_NO_PATH, "looking for inode %u on %s, which has %u", ino,
			 b->opt.volume, most);
		refuse(b, index, BFO_ET_NO_PATH);
	}
	return err;
}

/* ---- their inodes ---- */

static int by_index(const void *pa, const void *pb)
{
	const struct bfo_member_sought *a = pa, *b = pb;

	return (a->index > b->index) - (a->index < b->index);
}

/* What its directory has not may be a member of a composite file there. */
static errcode_t take_missing(struct bfo_batch_read *b)
{
	const struct bfo_member_sought *m;
	struct bfo_resolved way = { .fault = bfo_dir_members_lack(b->tree, 0) ? BFO_PATH_PACKED
									: BFO_PATH_MISSING };
	errcode_t err = 0;
	size_t i;

	bfo_dir_members_find(b->tree, b->missing.v, b->missing.n);
	if (b->missing.n)
		qsort(b->missing.v, b->missing.n, sizeof(*b->missing.v), by_index);
	for (i = 0; i < b->missing.n && !err; i++) {
		m = &b->missing.v[i];
		if (m->ino)
			err = add_file(b, m->index, m->ino);
		else
			refuse(b, m->index, bfo_resolved_check(b->ctx, b->opt.volume,
							       b->opt.paths[m->index], &way));
	}
	return err;
}

/* The tree of all of them, each once; and of members that may be among them. */
static errcode_t scan(struct bfo_batch_read *b)
{
	bfo_numbers inos = { 0 }, dirs = { 0 };
	errcode_t err = 0;
	int any = 0;
	size_t i;

	for (i = 0; i < b->files.n && !err; i++)
		err = bfo_vec_push(&inos, b->files.v[i].ino);
	for (i = 0; i < b->missing.n && !err; i++)
		err = bfo_vec_push(&dirs, b->missing.v[i].dir);
	inos.n = bfo_sort_unique(inos.v, inos.n);
	dirs.n = bfo_sort_unique(dirs.v, dirs.n);
	if (!err && dirs.n) {
		bfo_unpacked_begin(&b->unpacked, &b->of_volume);
		err = bfo_dir_members(&b->reader, b->tree, &dirs, &inos, &b->unpacked, &any);
		b->source = &b->unpacked.source;
	}
	if (!err && !any && inos.n)
		err = bfo_inode_scan_some(&b->reader, b->tree, inos.v, inos.n);
	bfo_vec_free(&inos);
	bfo_vec_free(&dirs);
	return err ? err : take_missing(b);
}

/* What is wrong with inode INO, as a finding of the tree says. */
static const char *found(const struct bfo_tree *t, uint32_t ino)
{
	size_t i;

	for (i = 0; i < t->findings.n; i++)
		if (t->findings.v[i].ino == ino)
			return bfo_finding_table[t->findings.v[i].kind].text;
	return NULL;
}

/* What F was asked for by, for messages. */
static const char *name_of(const struct bfo_batch_read *b, const struct bfo_read_file *f,
			   char *out, size_t size)
{
	if (f->index < b->opt.n_paths)
		return b->opt.paths[f->index];
	snprintf(out, size, "inode %u", f->ino);
	return out;
}

/* Why REC, of a regular file, or not, or of nothing, has no content; NULL: it has. */
static const char *unfit(const struct bfo_inode *rec)
{
	if (!rec)
		return "it is not in use";
	if (S_ISLNK(rec->mode))
		return "symbolic links are not followed";
	if (!S_ISREG(rec->mode))
		return S_ISDIR(rec->mode) ? "it is a directory" : "it is no file";
	return rec->flags & EXT4_ENCRYPT_FL ? "it is encrypted" : NULL;
}

/* Why F cannot be handed over; 0: it can. */
static errcode_t judge(struct bfo_batch_read *b, const struct bfo_read_file *f)
{
	const struct bfo_inode *rec = f->row == BFO_NONE ? NULL : &b->tree->inodes.v[f->row];
	const char *damage = found(b->tree, f->ino), *why = unfit(rec);
	char number[32];
	const char *name = name_of(b, f, number, sizeof(number));

	if (bfo_ranges_contain(&b->tree->unread, f->ino))
		return bfo_fail(b->ctx, EIO, "reading the inode of %s on %s", name, b->opt.volume);
	if (rec ? rec->state & BFO_INODE_BAD : !!damage)
		return bfo_fail(b->ctx, BFO_ET_DAMAGED, "reading %s on %s%s%s", name,
				b->opt.volume, damage ? ": " : "", damage ? damage : "");
	return !why ? 0 : bfo_fail(b->ctx, EINVAL, "reading %s on %s: %s", name, b->opt.volume,
				   why);
}

static int is_inline(const struct bfo_batch_read *b, const struct bfo_read_file *f)
{
	return !!(b->tree->inodes.v[f->row].state & BFO_INODE_INLINE);
}

/* Where the first block of F that is handed over lies; what has none comes first. */
static uint64_t place_of(const struct bfo_batch_read *b, const struct bfo_read_file *f)
{
	const struct bfo_inode *rec = &b->tree->inodes.v[f->row];
	uint64_t first = f->from / b->tree->block_size;
	uint32_t k;

	if (is_inline(b, f))
		return 0;
	for (k = bfo_seg_first(b->tree, rec, first); k < bfo_seg_count(b->tree, rec); k++) {
		const struct bfo_seg *seg = bfo_seg_of(b->tree, rec, k);

		if (!bfo_seg_unwritten(seg))
			return bfo_seg_blk(seg) + (seg->lblk < first ? first - seg->lblk : 0);
	}
	return 0;
}

/* Bytes of F that are zeroes because nobody knows where they lie: a block of its map is unread. */
static uint64_t unmapped(const struct bfo_batch_read *b, const struct bfo_read_file *f)
{
	uint64_t bs = b->tree->block_size, bytes = 0, from, end;
	size_t i;

	for (i = 0; i < b->tree->findings.n; i++) {
		const struct bfo_finding *part = &b->tree->findings.v[i];

		if (part->kind != BFO_UNREAD_MAP || part->ino != f->ino)
			continue;
		from = part->lblk * bs;
		end = from + part->blocks * bs;
		from = from > f->from ? from : f->from;
		end = end < f->from + f->size ? end : f->from + f->size;
		bytes += end > from ? end - from : 0;
	}
	return bytes;
}

static int by_place(const void *a, const void *b)
{
	const struct bfo_read_file *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Files that have contents stay, in the order in which they are handed over. */
static void choose(struct bfo_batch_read *b)
{
	const struct bfo_batch_read_options *opt = &b->opt;
	size_t i, kept = 0;
	errcode_t err;

	for (i = 0; i < b->files.n; i++) {
		struct bfo_read_file f = b->files.v[i];
		uint64_t has;

		f.row = bfo_tree_find(b->tree, f.ino);
		err = judge(b, &f);
		if (err) {
			refuse(b, f.index, err);
			continue;
		}
		f.shown = bfo_tree_shown_ino(b->tree, f.ino);
		has = b->tree->inodes.v[f.row].size;
		f.from = opt->from < has ? opt->from : has;
		f.size = opt->size < has - f.from ? opt->size : has - f.from;
		f.unread = unmapped(b, &f);
		f.place = opt->in_disk_order ? place_of(b, &f) : f.index;
		b->files.v[kept++] = f;
	}
	b->files.n = kept;
	if (kept)
		qsort(b->files.v, kept, sizeof(*b->files.v), by_place);
}

/* ---- their contents ---- */

/* A place between two bytes that are handed over. */
struct cursor {
	size_t file;
	uint64_t done;			/* bytes of it */
};

/* What a round may still take, and what it has. */
struct budget {
	uint64_t bytes;			/* that are left */
	uint64_t most;			/* cost, in blocks (gather/batch.h) */
	uint64_t blocks;		/* that are read */
	uint64_t skips;			/* what it costs to go from each piece to the next */
	uint64_t low, high;		/* blocks between which they lie */
	uint64_t at;			/* the block behind the last one */
};

/* Bytes of F that are read before the byte at C, as reading begins where a block does. */
static uint32_t bytes_before(const struct bfo_batch_read *b, const struct bfo_read_file *f,
			     const struct cursor *c)
{
	uint64_t at = f->from + c->done;

	return is_inline(b, f) ? at : at % b->tree->block_size;
}

/* COUNT blocks from BLK on are read, too. */
static void spend(struct budget *b, uint64_t blk, uint64_t count, uint64_t seek)
{
	b->skips += bfo_skip_cost(b->at, blk, seek);
	b->blocks += count;
	b->at = blk + count;
	b->low = blk < b->low ? blk : b->low;
	b->high = b->at > b->high ? b->at : b->high;
}

/* It is read in ascending order, so what lies between its pieces is passed once at most. */
static int is_spent(const struct budget *b)
{
	uint64_t span = b->high > b->low ? b->high - b->low : 0;

	return !b->bytes || b->blocks + (b->skips < span ? b->skips : span) >= b->most;
}

/* LEN bytes of F from byte FROM on are read. */
static void spend_part(const struct bfo_batch_read *b, const struct bfo_read_file *f, uint64_t from,
		       uint64_t len, struct budget *left)
{
	const struct bfo_inode *rec = &b->tree->inodes.v[f->row];
	uint64_t bs = b->tree->block_size, first = from / bs, end = (from + len + bs - 1) / bs;
	uint64_t lo, hi;
	uint32_t k;

	for (k = bfo_seg_first(b->tree, rec, first); k < bfo_seg_count(b->tree, rec); k++) {
		const struct bfo_seg *seg = bfo_seg_of(b->tree, rec, k);

		if (seg->lblk >= end)
			break;
		lo = seg->lblk > first ? seg->lblk : first;
		hi = (uint64_t) seg->lblk + seg->len;
		hi = hi < end ? hi : end;
		if (!bfo_seg_unwritten(seg))
			spend(left, bfo_seg_blk(seg) + (lo - seg->lblk), hi - lo,
			      b->volume ? bfo_reader_seek(&b->reader) : 0);
	}
}

/* True if a file of which LEN bytes come waits for the next round, where all of it fits. */
static int waits(const struct bfo_batch_read *b, const struct cursor *c, uint64_t len)
{
	return !c->done && b->round.files.n && len <= WHOLE_BYTES && len <= b->opt.memory;
}

/*
 * Adds what follows C to the round, as much as fits into LEFT: of a large file whole blocks, where
 * its end does not.  C moves behind it; left->bytes become 0 where nothing more fits.
 */
static errcode_t add_part(struct bfo_batch_read *b, struct cursor *c, struct budget *left)
{
	const struct bfo_read_file *f = &b->files.v[c->file];
	uint32_t before = bytes_before(b, f, c);
	uint64_t from = f->from + c->done - before, len = before + f->size - c->done;

	if (len > left->bytes) {
		len = is_inline(b, f) || waits(b, c, len) ? 0 :
		      left->bytes - left->bytes % b->tree->block_size;
		left->bytes = len;
	}
	if (len > before)
		c->done += len - before;
	left->bytes -= len;
	if (len <= before && f->size)
		return 0;
	if (!is_inline(b, f))
		spend_part(b, f, from, len, left);
	if (c->done == f->size)
		*c = (struct cursor) { .file = c->file + 1 };
	return bfo_contents_add(&b->round, f->row, from, f->size ? len : 0, 0);
}

/*
 * A round from C on; it has a block at least.  The first one costs what a disk reads in 100 ms, so
 * that nobody waits for the first contents; each later one may cost twice as much as the one
 * before.
 */
static errcode_t fill(struct bfo_batch_read *b, struct cursor *c)
{
	uint64_t most = b->opt.in_disk_order ? SORTED_BYTES : ROUND_BYTES, bs = b->tree->block_size;
	struct budget left = { .bytes = b->opt.memory < most ? b->opt.memory : most,
			       .most = b->round_cost, .low = UINT64_MAX };
	errcode_t err = 0;

	if (left.bytes > left.most * bs)
		left.bytes = left.most * bs;
	if (left.bytes < bs)
		left.bytes = bs;
	b->round.files.n = 0;
	while (c->file < b->files.n && !is_spent(&left) && !err)
		err = add_part(b, c, &left);
	if (b->round_cost < ROUND_BYTES)
		b->round_cost *= 2;
	return err;
}

/* Member INO has been read, and is not what its checksum says. */
static int is_wrong(const struct bfo_batch_read *b, uint32_t ino)
{
	const bfo_findings *found = &b->tree->findings;
	size_t i;

	for (i = 0; b->tree->members.n && i < found->n; i++)
		if (found->v[i].kind == BFO_FOUND_MEMBER && found->v[i].ino == ino)
			return 1;
	return 0;
}

/* Hands over CONTENT, which follows C. */
static errcode_t hand_over(struct bfo_batch_read *b, struct cursor *c,
			   const struct bfo_content *content)
{
	struct bfo_read_file *f = &b->files.v[c->file];
	uint32_t before = bytes_before(b, f, c), len = 0;
	errcode_t err = c->done ? 0 : b->to->begin(b->to->priv, f);

	if (content->size > before)
		len = content->size - before;
	f->unread += content->unread < len ? content->unread : len;
	if (!err && len)
		err = b->to->data(b->to->priv, bfo_contents_of(&b->round, content) + before, len);
	c->done += len;
	if (err || c->done < f->size)
		return err;
	f->is_wrong = is_wrong(b, f->ino);
	err = b->to->end(b->to->priv, f);
	*c = (struct cursor) { .file = c->file + 1 };
	return err;
}

static uint64_t bytes_of_all(const struct bfo_batch_read *b)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < b->files.n; i++)
		bytes += b->files.v[i].size;
	return bytes;
}

static errcode_t read_all(struct bfo_batch_read *b)
{
	struct cursor in = { 0 }, out = { 0 };
	uint64_t total = bytes_of_all(b), done = 0;
	errcode_t err = 0;
	size_t i;

	b->round_cost = FIRST_BYTES / b->source->block_size;
	while (in.file < b->files.n && !err) {
		bfo_progress_report(b->ctx, BFO_STAGE_DATA, done, total, out.file);
		err = fill(b, &in);
		if (!err)
			err = bfo_contents_read(&b->round, b->source, b->tree);
		for (i = 0; i < b->round.files.n && !err; i++) {
			err = hand_over(b, &out, &b->round.files.v[i]);
			done += b->round.files.v[i].size;
		}
		if (!err && bfo_cancelled(b->ctx))
			err = bfo_fail(b->ctx, BFO_ET_CANCELLED, "reading %s", b->opt.volume);
	}
	return err;
}

/* ---- all of it ---- */

static errcode_t open_volume(struct bfo_batch_read *b)
{
	errcode_t err = 0;

	b->volume = b->opt.open;
	if (!b->volume)
		err = bfo_medium_open(&b->opt.medium, b->ctx, b->opt.volume, &b->opt.journal,
				      &b->volume);
	if (!err)
		err = bfo_reader_init(&b->reader, b->ctx, b->volume, BFO_GAP_OF_DEVICE);
	if (err)
		return err;
	bfo_source_of_volume(&b->of_volume, &b->reader);
	b->source = &b->of_volume;
	b->tree = &b->scanned;
	return 0;
}

static errcode_t open_tree(struct bfo_batch_read *b)
{
	const struct bfo_end_options how = { .spool = 1,
					     .on_read_error = b->opt.medium.how.mode };
	errcode_t err = bfo_browse_check(&b->browse, &b->opt.medium);

	if (!err)
		err = bfo_browse_open(&b->browse, &how);
	b->source = b->browse.source;
	b->tree = &b->browse.tree;
	return err;
}

static errcode_t open_any(struct bfo_batch_read *b)
{
	int is_tree = 0;
	errcode_t err = b->opt.open ? 0 :
			bfo_browse_tell(&b->browse, b->ctx, b->opt.volume, &is_tree);

	if (err)
		return err;
	return is_tree ? open_tree(b) : open_volume(b);
}

errcode_t bfo_batch_read(struct bfo_batch_read *b, struct bfo_context *ctx,
			 const struct bfo_batch_read_options *opt, const struct bfo_read_sink *to)
{
	errcode_t err;

	*b = (struct bfo_batch_read) { .ctx = ctx, .opt = *opt, .to = to };
	err = open_any(b);
	if (!err)
		err = add_paths(b);
	if (!err)
		err = add_numbers(b);
	if (!err && b->volume)
		err = scan(b);
	if (!err) {
		choose(b);
		err = read_all(b);
	}
	return err ? err : b->source->ops->settle(b->source);
}

void bfo_batch_read_free(struct bfo_batch_read *b)
{
	bfo_contents_free(&b->round);
	bfo_tree_free(&b->scanned);
	bfo_browse_free(&b->browse);
	bfo_reader_free(&b->reader);
	if (!b->opt.open)
		bfo_volume_close(b->volume);
	bfo_medium_free(&b->opt.medium);
	bfo_vec_free(&b->files);
	bfo_vec_free(&b->missing);
	if (b->unpacked.of)
		b->unpacked.source.ops->close(&b->unpacked.source);
}
