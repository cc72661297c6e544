/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path_text.h - paths as texts: joined, made plain, decoded
 */
#ifndef BFO_MINE_PATH_TEXT_H
#define BFO_MINE_PATH_TEXT_H

#include <stddef.h>

#define BFO_PATH_MOST 4096		/* bytes, as PATH_MAX */

/* Bytes of a path; not a string.  len 0: none. */
struct bfo_path {
	size_t len;
	char text[BFO_PATH_MOST];
};

/*
 * PATH as seen from the folder BASE, absolute and plain: one slash between names, none at the
 * end, no "." and "..".  (A ".." behind a symbolic link is taken as if it were none.)  Returns 0
 * and an empty OUT if it is too long, has a NUL, or is relative and BASE is empty.  BASE may be
 * part of OUT.
 */
int bfo_path_join(struct bfo_path *out, const char *base, size_t base_len, const char *path,
		  size_t len);

/* %XX becomes a byte; an incomplete one stays.  OUT has room for LEN bytes; returns its length. */
size_t bfo_path_percent(char *out, const char *text, size_t len);

#endif
