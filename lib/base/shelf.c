// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shelf.c - many records of one size, in memory; above a limit in a file that has no name
 *
 * Records are asked for in other orders than their own, so huge pages are of use.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/shelf.h"
#include "base/temporary.h"

#define STEP (1U << 20)		/* bytes: a shelf grows by half, and at least by that */

void bfo_shelf_init(struct bfo_shelf *s, size_t record, size_t limit, const char *folder)
{
	*s = (struct bfo_shelf) { .record = record, .limit = limit, .fd = -1,
				  .folder = folder ? folder : "/var/tmp" };
}

/* What is in memory goes to a file, of which BYTES are allocated. */
static errcode_t move_out(struct bfo_shelf *s, size_t bytes)
{
	errcode_t err = bfo_temporary_unnamed(s->folder, &s->fd);
	void *v;

	if (!err)
		err = posix_fallocate(s->fd, 0, bytes);
	if (err)
		return err;
	v = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (v == MAP_FAILED)
		return errno;
	if (s->v) {
		memcpy(v, s->v, s->n * s->record);
		munmap(s->v, s->mapped);
	}
	s->v = v;
	s->mapped = bytes;
	return 0;
}

static errcode_t grow(struct bfo_shelf *s)
{
	size_t more = s->mapped / 2 > STEP ? s->mapped / 2 : STEP;
	size_t bytes = (s->mapped + more + STEP - 1) / STEP * STEP;
	void *v;

	if (s->fd < 0 && bytes > s->limit)
		return move_out(s, bytes);
	if (s->fd >= 0) {
		errcode_t err = posix_fallocate(s->fd, s->mapped, bytes - s->mapped);

		if (err)
			return err;
	}
	v = s->v ? mremap(s->v, s->mapped, bytes, MREMAP_MAYMOVE)
		 : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (v == MAP_FAILED)
		return errno;
	if (s->fd < 0)
		madvise(v, bytes, MADV_HUGEPAGE);
	s->v = v;
	s->mapped = bytes;
	return 0;
}

errcode_t bfo_shelf_add(struct bfo_shelf *s, void **place)
{
	errcode_t err = 0;

	if ((s->n + 1) * s->record > s->mapped)
		err = grow(s);
	if (err)
		return err;
	*place = bfo_shelf_at(s, s->n++);
	return 0;
}

void bfo_shelf_free(struct bfo_shelf *s)
{
	if (s->v)
		munmap(s->v, s->mapped);
	if (s->record && s->fd >= 0)
		close(s->fd);
	*s = (struct bfo_shelf) { .fd = -1 };
}
