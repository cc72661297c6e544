/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * acl_xattr.h - POSIX access control lists, from what ext4 stores into what programs see
 *
 * The other way, and both formats, are in intake/acl.h.  A pure function.
 */
#ifndef BFO_EXPORT_ACL_XATTR_H
#define BFO_EXPORT_ACL_XATTR_H

#include "base/vec.h"

/*
 * Appends to OUT the value of system.posix_acl_access, or of system.posix_acl_default, for VALUE,
 * SIZE bytes as ext4 stores them.  BFO_ET_DAMAGED: it is no list; ENOMEM.  Then OUT is as it was.
 */
errcode_t bfo_acl_to_xattr(const void *value, size_t size, bfo_chars *out);

/*
 * True if a file can have both permissions MODE and LIST, which bfo_acl_to_xattr() has made of an
 * access control list, SIZE bytes: a kernel keeps them the same.
 */
int bfo_acl_agrees(const void *list, size_t size, uint16_t mode);

#endif
