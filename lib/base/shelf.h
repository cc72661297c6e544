/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shelf.h - many records of one size, in memory; above a limit in a file that has no name
 *
 * The file is mapped, so a record is a pointer in either case.  Its blocks are allocated before
 * they are mapped: a full disk is an error when a record is added, not a signal later.
 */
#ifndef BFO_BASE_SHELF_H
#define BFO_BASE_SHELF_H

#include <stddef.h>
#include <stdint.h>
#include <et/com_err.h>

struct bfo_shelf {
	size_t record;			/* bytes of one */
	size_t n;
	size_t limit;			/* bytes that stay in memory */
	const char *folder;		/* of the file */
	char *v;
	size_t mapped;			/* bytes at V */
	int fd;				/* of the file; -1: all is in memory */
};

/* LIMIT: bytes of memory.  FOLDER: of the file, and has to stay; NULL: /var/tmp. */
void bfo_shelf_init(struct bfo_shelf *s, size_t record, size_t limit, const char *folder);

/* Room for one more, zeroed, at *PLACE until the next is added.  ENOMEM, or errno's of the file. */
errcode_t bfo_shelf_add(struct bfo_shelf *s, void **place);

static inline void *bfo_shelf_at(const struct bfo_shelf *s, size_t i)
{
	return s->v + i * s->record;
}

/* Also of one that was zeroed. */
void bfo_shelf_free(struct bfo_shelf *s);

#endif
