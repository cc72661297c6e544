/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * acl_text.h - POSIX access control lists as archives have them: text
 *
 *   user::rw-,user:1000:r--:1000,group::r--,mask::r--,other::r--
 *
 * Names of users and groups are not known, so their numbers stand for them; a fourth field has the
 * number again, as star and libarchive want it.  A pure function.
 */
#ifndef BFO_EXPORT_ACL_TEXT_H
#define BFO_EXPORT_ACL_TEXT_H

#include "base/vec.h"

/*
 * Appends to OUT the text of VALUE, SIZE bytes, as ext4 stores them.  A list without entries stands
 * for none: nothing is appended.  BFO_ET_DAMAGED: it is no list; ENOMEM.
 */
errcode_t bfo_acl_text(const void *value, size_t size, bfo_chars *out);

#endif
