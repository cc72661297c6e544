/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sorted.h - names of a directory in memory, in the order in which they are given out
 *
 * That order is inode number, then the bytes of the name.  It depends on nothing but the names, so
 * an index, all names in memory and a run of them have it alike, and a position in one of them is a
 * position in the others.
 */
#ifndef READDIR_SORTED_H
#define READDIR_SORTED_H

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>

struct sorted_entry {
	uint32_t ino;
	uint32_t at;		/* in `text`, in units of 4 bytes: type, length, name */
};

struct sorted {
	struct sorted_entry *v;
	size_t n, room;
	uint8_t *text;
	size_t bytes, bytes_room;
};

struct sorted_name {
	uint32_t ino;
	uint8_t type, len;	/* DT_* */
	const char *name;	/* no NUL */
};

/* Forgets all names, keeps the memory. */
void sorted_clear(struct sorted *s);
void sorted_free(struct sorted *s);

/* Bytes that S takes with a further name of LEN, sorting included. */
size_t sorted_cost(const struct sorted *s, size_t len);

/* Adds a name; 0 or ENOMEM, then S is as it was. */
int sorted_add(struct sorted *s, const struct sorted_name *name);

/* Puts them in order. */
void sorted_finish(struct sorted *s);

void sorted_get(const struct sorted *s, size_t i, struct sorted_name *name);

/* Of the names in order: the first that is behind NTH names of inode INO. */
size_t sorted_find(const struct sorted *s, uint32_t ino, uint32_t nth);

#endif
