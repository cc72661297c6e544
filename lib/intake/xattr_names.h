/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xattr_names.h - names of extended attributes as users see them, into what ext4 stores
 *
 * The other way is bfo_xattr_name().  Pure functions.
 */
#ifndef BFO_INTAKE_XATTR_NAMES_H
#define BFO_INTAKE_XATTR_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "tree/xattr.h"

/*
 * True if ext4 can store an attribute called NAME: under *INDEX, an enum bfo_xattr_index, and the
 * rest of the name *REST, which may be empty and points into NAME.
 */
int bfo_xattr_split_name(const char *name, uint8_t *index, const char **rest);

/*
 * Takes the LEN bytes at NAME, as bfo_xattr_name() writes what stands on a volume, whatever that
 * is: index and name of X, which points to them.  Returns 0 if none is written so.
 */
int bfo_xattr_read_name(const char *name, size_t len, struct bfo_xattr *x);

#endif
