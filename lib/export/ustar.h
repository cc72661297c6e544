/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ustar.h - the header of 512 bytes that each member of a tar archive has
 *
 *   at   bytes
 *   0    100   name, or what is behind the prefix and a slash
 *   100  8     mode, octal, as all numbers
 *   108  8     user
 *   116  8     group
 *   124  12    bytes of data
 *   136  12    modification, seconds since 1970
 *   148  8     sum of all bytes, these taken as spaces
 *   156  1     type
 *   157  100   what a link leads to
 *   257  8     "ustar", NUL, "00"
 *   265  64    names of user and group: empty here
 *   329  8     device: major number
 *   337  8     minor number
 *   345  155   prefix of the name
 *   500  12    zero
 *
 * Texts that fill their field have no NUL.  A number that does not fit, or is below zero, stands in
 * two's complement, big endian, with the first bit set (0x80 ..., 0xff ... below zero): what GNU
 * tar calls base-256, and others read.  Pure functions.
 */
#ifndef BFO_EXPORT_USTAR_H
#define BFO_EXPORT_USTAR_H

#include <stddef.h>
#include <stdint.h>

#define BFO_USTAR_BYTES 512U
#define BFO_USTAR_NAME 100U
#define BFO_USTAR_ID_MAX 2097151U		/* what the field of a user or a group holds */
#define BFO_USTAR_SIZE_MAX 8589934591U		/* what the field of the size holds */

struct bfo_ustar {
	const char *name, *link;		/* without NUL; link may be NULL */
	size_t name_len, link_len;
	int64_t mtime;
	uint64_t size;
	uint32_t mode, uid, gid, major, minor;
	char type;
};

/* True if NAME fits, whole or by way of the prefix. */
int bfo_ustar_has_room(const char *name, size_t len);

/*
 * Makes BLOCK of BFO_USTAR_BYTES.  A name or a link that does not fit is cut, a name not behind a
 * slash, with which it would be that of a directory.
 */
void bfo_ustar_write(const struct bfo_ustar *h, void *block);

#endif
