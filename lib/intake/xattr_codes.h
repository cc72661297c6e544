/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xattr_codes.h - names of extended attributes that are encoded like URLs
 *
 * Under the keys SCHILY.xattr of a pax archive, GNU tar writes "=" and "%" as %3D and %25, and
 * libarchive more.  libarchive does not decode that when it reads.  It does decode the keys
 * LIBARCHIVE.xattr, by which its own archives have each attribute a second time.  Pure functions.
 */
#ifndef BFO_INTAKE_XATTR_CODES_H
#define BFO_INTAKE_XATTR_CODES_H

#include "wire/frames.h"

/* NAME without its %XX, into OUT, which has room for as much; what is no such thing stays. */
void bfo_xattr_codes_decode(const char *name, char *out);

/*
 * Decodes the names of N attributes; those that have a decoded twin with the same value go.
 * Returns how many are left.  ROOM: for all names twice, with their zero bytes, and N bytes more;
 * it has to stay.
 */
size_t bfo_xattr_codes_resolve(struct bfo_member_xattr *xattrs, size_t n, char *room);

#endif
