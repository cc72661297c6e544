// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dir_read.c - contents of files of a mounted directory
 *
 *   nodes, by place     |a a|b|c c c|d|e|...
 *   ring of files           |b|c c c|d|e|        open, and known to be what was gathered
 *   handed out          |a a|
 *
 * Files are opened ahead of the one that is read.  While everything comes out of the page cache
 * that is all; as soon as something does not, the kernel is told what of the others will be read
 * (POSIX_FADV_WILLNEED), so that a device has many requests to put into its order.
 *
 * What comes from a device is worth larger batches (gather/source.h: is_at_hand); what is in the
 * page cache is not.
 *
 * Adjoining nodes of a file are one read, straight to where the sink wants them.  What a file lacks
 * (it vanished, it is shorter, something else stands there) is zeroes and a finding.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/pace.h"
#include "intake/dir_state.h"
#include "tree/access.h"

#define RING 32U			/* files that are open */
#define PIECES 64U			/* nodes of a read */
#define READ_MOST (4U << 20)		/* bytes of a read, unless the pace allows less, */
#define AHEAD_MOST (2U << 20)		/* and of a file that the device is asked for before */
#define AT_HAND 8U			/* all is, but for one file in so many */
#define SAMPLES 64U			/* files that are looked at before any is read */
#define COLD_FILES 64U			/* so many files after one that was not in the page cache */

struct ahead {
	bfo_row row;
	int fd;				/* -1: it cannot be read, and a finding says so */
	size_t first, end;		/* its nodes */
	int is_asked;			/* the kernel was told of them */
	int is_cold;			/* something was not in the page cache */
};

/* Part of a node. */
struct piece {
	const struct bfo_node *node;
	uint32_t at, count;		/* blocks */
};

struct reading {
	struct bfo_dir *d;
	const struct bfo_node *nodes;
	size_t n, next;			/* NEXT: the first that is in no file of the ring */
	const struct bfo_sink *sink;
	struct ahead ring[RING];
	uint32_t first, used, room;	/* of the ring */
	uint32_t cold;
	size_t files, waited;		/* that were read; that a device had to be asked for */
	uint64_t most;			/* bytes of a read */
	struct piece pieces[PIECES];
	struct iovec iov[PIECES];
	uint32_t n_pieces;
};

static uint64_t block_size(const struct reading *r)
{
	return r->d->in.source.block_size;
}

static uint64_t size_of(const struct reading *r, bfo_row row)
{
	return r->d->in.tree->inodes.v[row].size;
}

/* ---- files ---- */

/* The file that place PLACE is of. */
static bfo_row file_at(const struct bfo_dir *d, uint64_t place)
{
	size_t lo = 0, hi = d->places.n;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (d->inodes.v[d->places.v[mid]].start <= place)
			lo = mid;
		else
			hi = mid;
	}
	return d->places.v[lo];
}

/* Where the places of ROW end. */
static uint64_t end_of(const struct bfo_dir *d, bfo_row row)
{
	const struct bfo_inode *rec = &d->in.tree->inodes.v[row];
	uint32_t n = bfo_seg_count(d->in.tree, rec);
	const struct bfo_seg *last = bfo_seg_of(d->in.tree, rec, n - 1);

	return d->inodes.v[row].start + last->lblk + last->len;
}

static int is_as_before(const struct reading *r, bfo_row row, int fd)
{
	struct statx st;

	return !statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st) &&
	       bfo_dir_is_same(r->d, row, &st) && st.stx_size == size_of(r, row) &&
	       bfo_dir_stamp(&st) == r->d->inodes.v[row].stamp;
}

/*
 * Opens ROW; *FD is -1 if that is another file, or nothing.  EMFILE is noted by nobody.  (Whether
 * it has changed is seen once it is read.)
 */
static errcode_t open_file(struct reading *r, bfo_row row, int *fd)
{
	struct bfo_dir_inode *mine = &r->d->inodes.v[row];
	int touched = mine->is_touched, parent;
	char name[BFO_DIR_NAME_BYTES];
	struct statx st;
	errcode_t err;

	*fd = -1;
	err = bfo_dir_fd(r->d, mine->parent, &parent);
	if (!err) {
		bfo_dir_name(r->d, row, name);
		err = bfo_dir_open_at(r->d, parent, name, O_RDONLY, fd, &touched);
	}
	if (err == EMFILE)
		return err;
	if (err == ENOMEM || err == ENFILE || err == BFO_ET_OVERFLOW)
		return bfo_dir_fail(r->d, err, "opening", row, NULL);
	if (!err && (statx(*fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st) ||
		     !bfo_dir_is_same(r->d, row, &st))) {
		close(*fd);
		*fd = -1;
	}
	return *fd < 0 ? bfo_dir_changed(r->d, row) : 0;
}

/* Tells the kernel that the nodes of A will be read soon. */
static void ask(const struct reading *r, struct ahead *a)
{
	uint64_t start = r->d->inodes.v[a->row].start, bytes = 0, len;
	size_t i;

	for (i = a->first; i < a->end && bytes < AHEAD_MOST && a->fd >= 0; i++, bytes += len) {
		len = r->nodes[i].len * block_size(r);
		if (len > AHEAD_MOST - bytes)
			len = AHEAD_MOST - bytes;
		posix_fadvise(a->fd, (bfo_node_blk(&r->nodes[i]) - start) * block_size(r), len,
			      POSIX_FADV_WILLNEED);
	}
	a->is_asked = 1;
}

/*
 * Puts the file whose nodes come next into the ring.  Where the process has no descriptor left, the
 * ring has room for no more than are in it.
 */
static errcode_t open_next(struct reading *r)
{
	struct ahead *a = &r->ring[(r->first + r->used) % RING];
	bfo_row row = file_at(r->d, bfo_node_blk(&r->nodes[r->next]));
	uint64_t end = end_of(r->d, row);
	errcode_t err;

	*a = (struct ahead) { .row = row, .first = r->next };
	err = open_file(r, row, &a->fd);
	if (err == EMFILE && r->used) {
		r->room = r->used;
		return 0;
	}
	if (err)
		return err == EMFILE ? bfo_dir_fail(r->d, err, "opening", row, NULL) : err;
	while (r->next < r->n && bfo_node_blk(&r->nodes[r->next]) < end)
		r->next++;
	a->end = r->next;
	if (r->cold)
		ask(r, a);
	r->used++;
	return 0;
}

/* ---- reading ---- */

/*
 * Something was not in the page cache: the others that are open will not be either.  But nothing
 * runs ahead of a pace.
 */
static void got_cold(struct reading *r)
{
	uint32_t i;

	if (r->d->in.source.ctx->pace)
		return;
	r->cold = COLD_FILES;
	for (i = 1; i < r->used; i++)
		if (!r->ring[(r->first + i) % RING].is_asked)
			ask(r, &r->ring[(r->first + i) % RING]);
}

/* Drops the first DONE bytes of IOV. */
static void advance(struct iovec **iov, uint32_t *n, size_t done)
{
	while (*n && done >= (*iov)->iov_len) {
		done -= (*iov)->iov_len;
		++*iov;
		--*n;
	}
	if (*n) {
		(*iov)->iov_base = (char *) (*iov)->iov_base + done;
		(*iov)->iov_len -= done;
	}
}

/* What of it is in the page cache; else nothing. */
static ssize_t read_cached(struct reading *r, const struct ahead *a, uint64_t from)
{
	struct bfo_dir_device *dev = &r->d->devices.v[r->d->inodes.v[a->row].device];
	ssize_t len = -1;

	if (!(dev->lacks & BFO_DIR_NO_NOWAIT)) {
		len = preadv2(a->fd, r->iov, r->n_pieces, from, RWF_NOWAIT);
		if (len < 0 && errno == EOPNOTSUPP)
			dev->lacks |= BFO_DIR_NO_NOWAIT;
	}
	return len < 0 ? 0 : len;
}

/* Reads WANT bytes from byte FROM on, into the pieces; *GOT may be less at the end of the file. */
static errcode_t read_pieces(struct reading *r, struct ahead *a, uint64_t from, size_t want,
			     size_t *got)
{
	struct iovec rest[PIECES], *iov = rest;
	uint32_t n = r->n_pieces;
	ssize_t len = read_cached(r, a, from);

	*got = len;
	if (*got >= want)
		return 0;
	a->is_cold = 1;
	got_cold(r);
	memcpy(rest, r->iov, n * sizeof(*rest));
	while (*got < want) {
		advance(&iov, &n, len);
		len = preadv(a->fd, iov, n, from + *got);
		if (len < 0 && errno == EINTR) {
			len = 0;
			continue;
		}
		if (len < 0)
			return errno;
		if (!len)
			break;
		*got += len;
	}
	return 0;
}

/* Bytes of the piece that are before the end of the file. */
static size_t bytes_of(const struct reading *r, const struct ahead *a, const struct piece *p)
{
	uint64_t start = r->d->inodes.v[a->row].start, bs = block_size(r);
	uint64_t from = (bfo_node_blk(p->node) - start + p->at) * bs, size = size_of(r, a->row);
	uint64_t len = p->count * bs;

	return from >= size ? 0 : len < size - from ? len : size - from;
}

/* Where the first of the pieces begins in its file, in bytes. */
static uint64_t begin_of(const struct reading *r, const struct ahead *a)
{
	return (bfo_node_blk(r->pieces[0].node) - r->d->inodes.v[a->row].start +
		r->pieces[0].at) * block_size(r);
}

static void *place_of(struct reading *r, const struct piece *p)
{
	return bfo_intake_place(&r->d->in, p->node, p->at, p->count, r->sink);
}

static errcode_t hand_out(struct reading *r, const struct piece *p, const void *data)
{
	r->d->in.source.blocks += p->count;
	return r->sink->take(r->sink->priv, p->node, p->at, p->count, data);
}

/* Block AT of NODE cannot be read, and zeroes are wanted. */
static errcode_t lose_block(struct reading *r, const struct ahead *a, const struct piece *p)
{
	uint64_t lblk = bfo_node_blk(p->node) - r->d->inodes.v[a->row].start + p->at;
	struct bfo_tree *t = r->d->in.tree;
	uint32_t ino = t->inodes.v[a->row].ino;
	errcode_t err = bfo_tree_found_part(t, BFO_UNREAD_DATA, ino, 0, lblk, 1);
	void *to;

	if (err)
		return bfo_dir_fail(r->d, err, "reading", a->row, NULL);
	if (r->sink->lost)
		return r->sink->lost(r->sink->priv, p->node, p->at, 1);
	to = place_of(r, p);
	if (!to)
		return bfo_dir_fail(r->d, ENOMEM, "reading", a->row, NULL);
	memset(to, 0, block_size(r));
	return hand_out(r, p, to);
}

/* The pieces could not be read at once: block by block, and those that cannot are lost. */
static errcode_t salvage(struct reading *r, const struct ahead *a)
{
	uint64_t start = r->d->inodes.v[a->row].start, bs = block_size(r), blk;
	errcode_t err = 0;
	uint32_t i, at;

	for (i = 0; i < r->n_pieces && !err; i++) {
		for (at = 0; at < r->pieces[i].count && !err; at++) {
			struct piece p = { r->pieces[i].node, r->pieces[i].at + at, 1 };
			char *to = place_of(r, &p);
			ssize_t len;

			if (!to)
				return bfo_dir_fail(r->d, ENOMEM, "reading", a->row, NULL);
			blk = bfo_node_blk(p.node) - start + p.at;
			len = pread(a->fd, to, bytes_of(r, a, &p), blk * bs);
			if (len < 0) {
				err = lose_block(r, a, &p);
				continue;
			}
			memset(to + len, 0, bs - len);
			err = hand_out(r, &p, to);
		}
	}
	return err;
}

/* Zeroes behind the GOT bytes that were read; then all pieces go to the sink. */
static errcode_t hand_out_all(struct reading *r, size_t got)
{
	errcode_t err = 0;
	uint32_t i;

	for (i = 0; i < r->n_pieces && !err; i++) {
		size_t len = r->pieces[i].count * block_size(r), have = got < len ? got : len;
		char *data = r->iov[i].iov_base;

		memset(data + have, 0, len - have);
		got -= have;
		err = hand_out(r, &r->pieces[i], data);
	}
	return err;
}

/* Where the pieces go: those that have no place, to scratch.  *WANT: bytes of the file. */
static errcode_t set_places(struct reading *r, const struct ahead *a, size_t *want)
{
	struct bfo_intake *in = &r->d->in;
	size_t used = 0;
	uint32_t i;

	*want = in->scratch.n = 0;
	if (bfo_vec_reserve(&in->scratch, r->most))
		return bfo_dir_fail(r->d, ENOMEM, "reading", a->row, NULL);
	for (i = 0; i < r->n_pieces; i++) {
		const struct piece *p = &r->pieces[i];

		r->iov[i].iov_base = r->sink->place ?
				     r->sink->place(r->sink->priv, p->node, p->at) : NULL;
		r->iov[i].iov_len = bytes_of(r, a, p);
		*want += r->iov[i].iov_len;
		if (r->iov[i].iov_base)
			continue;
		r->iov[i].iov_base = in->scratch.v + used;
		used += p->count * block_size(r);
	}
	return 0;
}

/* Reads the pieces, which adjoin in the file, and hands them out. */
static errcode_t move_pieces(struct reading *r, struct ahead *a)
{
	struct bfo_source *s = &r->d->in.source;
	size_t want, got = 0;
	errcode_t err = set_places(r, a, &want);

	if (err)
		return err;
	bfo_pace_take(s->ctx->pace, want);
	s->requests++;
	if (a->fd >= 0) {
		err = read_pieces(r, a, begin_of(r, a), want, &got);
		if (err && !s->zeroes)
			return bfo_dir_fail(r->d, err, "reading", a->row, NULL);
		if (err)
			return salvage(r, a);
	}
	if (got < want)
		err = bfo_dir_changed(r->d, a->row);
	return err ? err : hand_out_all(r, got);
}

/* Adds as much of NODE from its block AT on as goes into one read; returns how much that is. */
static uint32_t add_piece(struct reading *r, const struct bfo_node *node, uint32_t at,
			  uint64_t *bytes)
{
	uint64_t room = (r->most - *bytes) / block_size(r);
	uint32_t count = node->len - at < room ? node->len - at : room;

	r->pieces[r->n_pieces++] = (struct piece) { node, at, count };
	*bytes += count * block_size(r);
	return count;
}

/* All nodes of the first file in the ring. */
static errcode_t move_file(struct reading *r)
{
	struct ahead *a = &r->ring[r->first];
	uint32_t at = 0;
	uint64_t bytes = 0;
	errcode_t err = 0;
	size_t i = a->first;

	while (i < a->end && !err) {
		const struct bfo_node *node = &r->nodes[i];

		at += add_piece(r, node, at, &bytes);
		if (at == node->len) {
			at = 0;
			i++;
		}
		if (i < a->end && !at && r->n_pieces < PIECES && bytes + block_size(r) <= r->most &&
		    bfo_node_blk(&r->nodes[i]) == bfo_node_blk(node) + node->len)
			continue;
		err = move_pieces(r, a);
		r->n_pieces = bytes = 0;
	}
	return err;
}

static errcode_t finish_file(struct reading *r)
{
	struct ahead *a = &r->ring[r->first];
	errcode_t err;

	r->cold -= r->cold > 0;
	err = move_file(r);
	r->files++;
	r->waited += a->is_asked || a->is_cold;
	if (!err && a->fd >= 0 && !is_as_before(r, a->row, a->fd))
		err = bfo_dir_changed(r->d, a->row);
	if (a->fd >= 0)
		close(a->fd);
	r->first = (r->first + 1) % RING;
	r->used--;
	return err;
}

/* True if the data of ROW begin in the page cache. */
static int is_in_memory(struct bfo_dir *d, bfo_row row)
{
	const struct bfo_seg *seg = bfo_seg_of(d->in.tree, &d->in.tree->inodes.v[row], 0);
	char name[BFO_DIR_NAME_BYTES], byte;
	struct iovec iov = { &byte, 1 };
	int parent, fd, touched = 0, is;

	if (bfo_dir_fd(d, d->inodes.v[row].parent, &parent))
		return 0;
	bfo_dir_name(d, row, name);
	if (bfo_dir_open_at(d, parent, name, O_RDONLY, &fd, &touched))
		return 0;
	is = preadv2(fd, &iov, 1, (off_t) seg->lblk * d->in.source.block_size, RWF_NOWAIT) == 1;
	close(fd);
	return is;
}

void bfo_dir_look(struct bfo_dir *d)
{
	size_t n = d->places.n < SAMPLES ? d->places.n : SAMPLES, cold = 0, i;

	for (i = 0; i < n; i++)
		cold += !is_in_memory(d, d->places.v[d->places.n * i / n]);
	bfo_what_clear(d->in.source.ctx);
	d->in.source.is_at_hand = cold * AT_HAND <= n;
}

errcode_t bfo_dir_read(struct bfo_source *s, const struct bfo_node *nodes, size_t n,
		       const struct bfo_sink *sink)
{
	struct bfo_dir *d = (struct bfo_dir *) s;
	struct reading r = { .d = d, .nodes = nodes, .n = n, .sink = sink, .room = RING,
			     .most = READ_MOST };
	errcode_t err = bfo_intake_read_memory(bfo_dir_intake(d), nodes, &r.n, sink);

	if (s->ctx->pace && s->ctx->pace->burst < r.most)
		r.most = s->ctx->pace->burst;
	while (!err && (r.next < r.n || r.used)) {
		while (!err && r.next < r.n && r.used < r.room)
			err = open_next(&r);
		if (!err)
			err = finish_file(&r);
		if (!err && bfo_cancelled(s->ctx))
			err = bfo_fail(s->ctx, BFO_ET_CANCELLED, "reading %s", s->name);
	}
	if (r.files)
		s->is_at_hand = r.waited * AT_HAND <= r.files;
	for (; r.used; r.used--, r.first = (r.first + 1) % RING)
		if (r.ring[r.first].fd >= 0)
			close(r.ring[r.first].fd);
	return err;
}
