/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parse.h - archives, by libarchive, into frames
 *
 * To be called in a process of its own (members.h): libarchive reads foreign bytes.
 */
#ifndef BFO_INTAKE_PARSE_H
#define BFO_INTAKE_PARSE_H

#include <stdint.h>

/* What is told of a member's data. */
enum bfo_parse_data {
	BFO_PARSE_PLACES,	/* extents; they are not read.  Only of tar without a filter. */
	BFO_PARSE_EXTENTS,	/* extents, of what is read; data of members up to SMALL bytes */
	BFO_PARSE_ALL,		/* data */
};

struct bfo_parse {
	int in;				/* file descriptor; of a file, its position is left alone */
	int is_file;			/* it can be read anywhere, and is, from byte 0 on */
	int tar, cpio, filters;		/* what may be found: formats, and compression */
	enum bfo_parse_data data;
	uint32_t small;			/* bytes */
};

/* True if libarchive was there when this was built. */
int bfo_parse_is_built(void);

/*
 * Has the C library open what files it would want later, when none can be opened: tables of
 * iconv(3). Returns 0 or an error number.
 */
int bfo_parse_prepare(void);

/*
 * Writes frames (frames.h) of all members to file descriptor OUT; the last is END or ERROR, unless
 * OUT cannot be written to.
 */
void bfo_parse_run(const struct bfo_parse *p, int out);

#endif
