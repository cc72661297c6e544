/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * acl.h - POSIX access control lists: as ext4 stores them, as programs see them, as text
 *
 *   bytes   seen: an extended attribute (version 2)	stored by ext4 (version 1)
 *   4       version					version
 *   8 each  tag (2), permissions (2), id (4)		the same; those without an id end after 4
 *
 * Both are little endian.  Text is that of archives, SCHILY.acl.access and SCHILY.acl.default:
 *
 *   user::rwx,user:NAME:r-x:1000,group::r-x,group:NAME:r--:100,mask::rwx,other::---
 *
 * Sources: include/uapi/linux/posix_acl_xattr.h, fs/ext4/acl.h and posix_acl_valid() of the kernel;
 * star(5).  Pure functions.
 */
#ifndef BFO_TREE_ACL_H
#define BFO_TREE_ACL_H

#include "base/vec.h"

enum { BFO_ACL_OWNER = 1, BFO_ACL_USER = 2, BFO_ACL_GROUP = 4, BFO_ACL_GROUPS = 8,
       BFO_ACL_MASK = 16, BFO_ACL_OTHERS = 32 };

#define BFO_ACL_KINDS 6
#define BFO_ACL_NO_ID UINT32_MAX
#define BFO_ACL_PERMISSIONS 7U

/* The kinds of entries, in the one order that the kernel takes. */
struct bfo_acl_kind {
	uint16_t tag;
	uint16_t has_id;	/* of a user or a group */
	const char *word;	/* in text */
};

extern const struct bfo_acl_kind bfo_acl_kinds[BFO_ACL_KINDS];

struct bfo_acl_entry {
	uint16_t tag, may;	/* BFO_ACL_...; permissions: 4 to read, 2 to write, 1 to execute */
	uint32_t id;		/* or BFO_ACL_NO_ID */
};

/* ---- lists as programs see them ---- */

/* Bytes of one with N entries. */
#define BFO_ACL_SEEN_BYTES(n) (4 + 8 * (size_t) (n))

/* Begins LIST, which has room; makes E its entry I. */
void bfo_acl_begin(char *list);
void bfo_acl_put(char *list, size_t i, const struct bfo_acl_entry *e);

/* Its entry I. */
struct bfo_acl_entry bfo_acl_get(const char *list, size_t i);

/*
 * True if a file can have both permissions MODE and LIST, an access control list of SIZE bytes: a
 * kernel keeps them the same.
 */
int bfo_acl_agrees(const char *list, size_t size, uint16_t mode);

/* ---- from one form into another ---- */

/*
 * Each appends to OUT what VALUE, SIZE bytes, is in the other form.  BFO_ET_DAMAGED: it is no list;
 * ENOMEM.  Then OUT is as it was.
 *
 *   from_xattr()  seen to stored.  A list that no kernel would take is none.  One without entries
 *                 stands for none: nothing is appended.  VALUE may be in OUT, if that has room
 *                 for SIZE more.
 *   to_xattr()    stored to seen.  Tags, permissions and order are left to whoever takes it.
 *   text()        stored to text; without entries nothing.  Order is left to whoever takes it.
 *                 Numbers stand for the names of users and groups, which are not known; a fourth
 *                 field has the number again, as star and libarchive want it.
 *
 * (From text: intake/pax_acl.h.)
 */
errcode_t bfo_acl_from_xattr(const void *value, size_t size, bfo_chars *out);
errcode_t bfo_acl_to_xattr(const void *value, size_t size, bfo_chars *out);
errcode_t bfo_acl_text(const void *value, size_t size, bfo_chars *out);

/* ---- lists as ext4 stores them, and modes ---- */

/*
 * What a list and the nine bits of permissions have in common: the owner, the others, and the mask,
 * or without one the group.  LIST is one that from_xattr() has made.
 *
 *   shown()	the bits that it shows; the others of MODE stay
 *   follow()	LIST is changed to what MODE says
 *   created()	both become what either allows: LIST is the default one of the directory, MODE what
 *		a file is made with, and afterwards has
 *   is_mode()	true if LIST says no more than a mode does
 */
uint32_t bfo_acl_shown(const char *list, size_t size, uint32_t mode);
void bfo_acl_follow(char *list, size_t size, uint32_t mode);
void bfo_acl_created(char *list, size_t size, uint32_t *mode);
int bfo_acl_is_mode(size_t size);

#endif
