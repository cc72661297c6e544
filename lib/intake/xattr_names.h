/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xattr_names.h - names of extended attributes as users see them, into what ext4 stores
 *
 * The other way is bfo_xattr_name().  A pure function.
 */
#ifndef BFO_INTAKE_XATTR_NAMES_H
#define BFO_INTAKE_XATTR_NAMES_H

#include <stdint.h>

/*
 * True if ext4 can store an attribute called NAME: under *INDEX, an enum bfo_xattr_index, and the
 * rest of the name *REST, which may be empty and points into NAME.
 */
int bfo_xattr_split_name(const char *name, uint8_t *index, const char **rest);

#endif
