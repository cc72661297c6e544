/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ls_line.h - the attributes of an inode as a line for people
 */
#ifndef E2BFO_LS_LS_LINE_H
#define E2BFO_LS_LS_LINE_H

#include "cli/timestamp.h"
#include "gather/attrs.h"

struct ls_line {
	char text[256];		/* not ended by NUL */
	size_t n;
};

/*
 * Makes what stands before the name: inode, type and mode, links, uid, gid, size (HUMAN: as 1.5K),
 * time of modification, a space.  Any attributes will do; '?' is a type that there is not.
 */
void ls_line_make(struct ls_line *l, const struct bfo_attrs *a, uint64_t ino, int human,
		  struct timestamp_day *day);

#endif
