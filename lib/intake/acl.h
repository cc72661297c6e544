/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * acl.h - POSIX access control lists, from what programs see into what ext4 stores
 *
 *   bytes   extended attribute (version 2)		ext4 (version 1)
 *   4       version					version
 *   8 each  tag (2), permissions (2), id (4)		the same; those without an id end after 4
 *
 * Both are little endian.  Sources: include/uapi/linux/posix_acl_xattr.h, fs/ext4/acl.h and
 * posix_acl_valid() of the kernel.  A pure function.
 */
#ifndef BFO_INTAKE_ACL_H
#define BFO_INTAKE_ACL_H

#include "base/vec.h"

/*
 * Appends to OUT what ext4 stores for VALUE, SIZE bytes: the value of system.posix_acl_access, or
 * of system.posix_acl_default.  A list without entries stands for none: nothing is appended.
 * BFO_ET_DAMAGED: no kernel would take it; ENOMEM.  Then OUT is as it was.
 */
errcode_t bfo_acl_from_xattr(const void *value, size_t size, bfo_chars *out);

#endif
