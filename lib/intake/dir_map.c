// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dir_map.c - a file's data, holes and preallocation, by what the kernel tells
 *
 *   FIEMAP            |---A---|        |--B, unwritten--|...C, unwritten...|
 *   SEEK_DATA, _HOLE  |=======|            |====|
 *   segments          | data  |  hole  | u |data|   u   |        u         |
 *                                                  end of the file
 *
 * FIEMAP says "unwritten" also of what was written and is still in memory only: believing that
 * would lose data.  SEEK_DATA finds data also where somebody has merely read what was never
 * written: believing that would lose preallocation, or not, as the page cache has it.  Where the
 * two differ, the file is read: zeroes are unwritten, all else is data, and neither can lose
 * anything.
 *
 * Of holes FIEMAP says nothing that is believed.  Where it shows a file without gaps, all written,
 * there is nothing to seek.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/fiemap.h>
#include <linux/fs.h>

#include "intake/dir_state.h"

#define EXTENTS 32U		/* of a call */
#define SECTOR 512U
#define NOWHERE (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_DATA_INLINE)

struct map {
	struct bfo_dir *d;
	const struct bfo_dir_found *f;
	struct bfo_dir_inode *mine;
	uint64_t bs, size;
	uint64_t behind;	/* bytes from 0 on that FIEMAP shows without a gap, all written */
	uint64_t next;		/* logical block up to which there are segments */
	size_t at;		/* in d->unwritten: what ends behind that */
};

/* ---- what FIEMAP shows ---- */

static errcode_t take_extent(struct map *m, const struct fiemap_extent *e)
{
	if (!m->mine->is_placed && !(e->fe_flags & NOWHERE)) {
		m->mine->start = e->fe_physical;
		m->mine->is_placed = 1;
	}
	if (e->fe_flags & FIEMAP_EXTENT_UNWRITTEN)
		return e->fe_flags & NOWHERE ? 0 :
		       bfo_vec_push(&m->d->unwritten, (struct bfo_dir_unwritten) {
				    .begin = e->fe_logical, .end = e->fe_logical + e->fe_length });
	if (e->fe_logical <= m->behind && e->fe_logical + e->fe_length > m->behind)
		m->behind = e->fe_logical + e->fe_length;
	return 0;
}

/* One call's worth from byte FROM on; *MORE: where to go on, or 0. */
static errcode_t take_extents(struct map *m, uint64_t from, uint64_t *more)
{
	struct {
		struct fiemap head;
		struct fiemap_extent extents[EXTENTS];
	} q;
	errcode_t err = 0;
	uint32_t i;

	*more = 0;
	memset(&q, 0, sizeof(q));
	q.head.fm_start = from;
	q.head.fm_length = FIEMAP_MAX_OFFSET - from;
	q.head.fm_extent_count = EXTENTS;
	if (ioctl(m->f->fd, FS_IOC_FIEMAP, &q)) {
		if (errno == ENOTTY || errno == EOPNOTSUPP)
			m->d->devices.v[m->f->device].lacks |= BFO_DIR_NO_MAP;
		m->behind = 0;
		return 0;
	}
	for (i = 0; i < q.head.fm_mapped_extents && i < EXTENTS && !err; i++) {
		const struct fiemap_extent *e = &q.extents[i];

		err = take_extent(m, e);
		*more = e->fe_flags & FIEMAP_EXTENT_LAST || e->fe_logical + e->fe_length <= from ?
			0 : e->fe_logical + e->fe_length;
	}
	return err;
}

static errcode_t take_map(struct map *m)
{
	uint64_t from = 0;
	errcode_t err;

	m->d->unwritten.n = 0;
	if (m->d->devices.v[m->f->device].lacks & BFO_DIR_NO_MAP || !m->f->st.stx_blocks)
		return 0;
	do {
		err = take_extents(m, from, &from);
	} while (!err && from);
	return err;
}

/* ---- segments ---- */

/*
 * Logical blocks up to END that are allocated and not written.  Behind the end of a file, XFS also
 * shows what it has allocated in advance by itself.
 */
static errcode_t add_unwritten(struct map *m, uint64_t end)
{
	uint64_t last = (m->size + m->bs - 1) / m->bs;
	errcode_t err = 0;

	if (m->d->devices.v[m->f->device].is_xfs && !(m->f->xflags & FS_XFLAG_PREALLOC) &&
	    end > last)
		end = last > m->next ? last : m->next;
	for (; m->at < m->d->unwritten.n && !err; m->at++) {
		const struct bfo_dir_unwritten *u = &m->d->unwritten.v[m->at];
		uint64_t from = (u->begin + m->bs - 1) / m->bs, to = u->end / m->bs;

		from = from > m->next ? from : m->next;
		if (from >= end)
			break;
		if (from < (to < end ? to : end))
			err = bfo_intake_segment(&m->d->in, from, from,
						 (to < end ? to : end) - from, 1);
		if (to > end)
			break;
	}
	m->next = end > m->next ? end : m->next;
	return err;
}

/* Appends the blocks from where there are segments up to END. */
static errcode_t add_blocks(struct map *m, uint64_t end, int unwritten)
{
	uint64_t first = m->next;

	if (end <= first)
		return 0;
	m->next = end;
	return bfo_intake_segment(&m->d->in, first, first, end - first, unwritten);
}

static int is_zero(const char *data, size_t len)
{
	return !len || (!data[0] && !memcmp(data, data + 1, len - 1));
}

/* Blocks up to END, where FIEMAP and SEEK_DATA differ, as they read. */
static errcode_t add_doubtful(struct map *m, uint64_t end)
{
	errcode_t err = 0;

	while (m->next < end && !err) {
		uint64_t first = m->next, n = end - first, i;
		ssize_t len;

		if (n > BFO_DIR_BUFFER / m->bs)
			n = BFO_DIR_BUFFER / m->bs;
		len = pread(m->f->fd, m->d->buffer, n * m->bs, first * m->bs);
		if (len < 0)
			return add_blocks(m, end, 0);
		memset(m->d->buffer + len, 0, n * m->bs - len);
		for (i = 0; i < n && !err; i++)
			err = add_blocks(m, first + i + 1,
					 is_zero(m->d->buffer + i * m->bs, m->bs));
	}
	return err;
}

/* Bytes FROM up to TO hold data, as SEEK_DATA has it. */
static errcode_t add_data(struct map *m, uint64_t from, uint64_t to)
{
	uint64_t end = ((to < m->size ? to : m->size) + m->bs - 1) / m->bs;
	errcode_t err = 0;

	if (from / m->bs > m->next)
		err = add_unwritten(m, from / m->bs);
	for (; m->at < m->d->unwritten.n && !err; m->at++) {
		const struct bfo_dir_unwritten *u = &m->d->unwritten.v[m->at];
		uint64_t begins = (u->begin + m->bs - 1) / m->bs, ends = u->end / m->bs;

		if (begins >= end)
			break;
		err = add_blocks(m, begins, 0);
		if (!err)
			err = add_doubtful(m, ends < end ? ends : end);
		if (ends > end)
			break;
	}
	return err ? err : add_blocks(m, end, 0);
}

/* Data as SEEK_DATA and SEEK_HOLE find them; all of it where these are not known. */
static errcode_t seek(struct map *m)
{
	off_t data = 0, hole;
	errcode_t err = 0;

	while ((uint64_t) data < m->size && !err) {
		data = lseek(m->f->fd, data, SEEK_DATA);
		if (data < 0)
			return errno == ENXIO ? 0 : add_data(m, m->next * m->bs, m->size);
		hole = lseek(m->f->fd, data, SEEK_HOLE);
		if (hole <= data)
			hole = m->size;
		err = add_data(m, data, hole);
		data = hole;
	}
	return err;
}

errcode_t bfo_dir_map(struct bfo_dir *d, const struct bfo_dir_found *f, bfo_row row)
{
	struct map m = { .d = d, .f = f, .mine = &d->inodes.v[row], .size = f->st.stx_size,
			 .bs = d->in.source.block_size };
	errcode_t err;

	if (!m.size && !f->st.stx_blocks)
		return 0;
	err = take_map(&m);
	if (!err && m.size)
		err = m.behind >= m.size && f->st.stx_blocks * SECTOR >= m.size
			      ? add_data(&m, 0, m.size) : seek(&m);
	return err ? err : add_unwritten(&m, UINT32_MAX);
}
