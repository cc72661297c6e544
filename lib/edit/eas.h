/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eas.h - extended attributes of drafts, and what else stands behind the fields of an inode
 *
 * Attributes stand in the inode, and what does not fit there in a block; a block that changes is
 * another one, which the draft alone has (its number comes with the commit).  Contents that stand
 * in the inode (inline data) are the value of one of them.
 *
 * Errors: ENOMEM; BFO_ET_XATTR_ROOM if they do not fit; BFO_ET_BAD_PATH of a name or value.
 */
#ifndef BFO_EDIT_EAS_H
#define BFO_EDIT_EAS_H

#include "edit/edit.h"
#include "tree/xattr.h"

/* NAME as users see it, lists of access control as programs do.  VALUE NULL: it goes. */
struct bfo_edit_xattr {
	const char *name;
	const void *value;
	size_t len;
};

/* Sets N attributes.  An access control list changes the permissions with it, as in the kernel. */
errcode_t bfo_draft_set_xattrs(struct bfo_edit *e, struct bfo_draft *n,
			      const struct bfo_edit_xattr *list, size_t count);

/*
 * Hands all attributes of DRAFT, with their values, to TAKE, but for the content of inline data; X
 * is valid until that returns.  An error of it ends this.
 */
errcode_t bfo_draft_each_xattr(struct bfo_edit *e, struct bfo_draft *n,
			       errcode_t (*take)(void *priv, const struct bfo_xattr *x),
			       void *priv);

/* The access control list of DRAFT, if it has one, becomes what its permissions say. */
errcode_t bfo_draft_follow_mode(struct bfo_edit *e, struct bfo_draft *n);

/*
 * N, which is new and not a symbolic link, takes over the default access control list of DIR, if
 * that has one: it also takes from the permissions of N.
 */
errcode_t bfo_draft_inherit_acl(struct bfo_edit *e, struct bfo_draft *dir, struct bfo_draft *n);

/*
 * The SIZE bytes at DATA become the content of DRAFT in its inode, if they fit there: *FITS.  DATA
 * NULL only asks.  Neither size nor map is touched.
 */
errcode_t bfo_draft_put_inline(struct bfo_edit *e, struct bfo_draft *n, const void *data,
			      size_t size, int *fits);

/* DRAFT has no content in its inode any more, and a map without blocks. */
errcode_t bfo_draft_leave_inode(struct bfo_edit *e, struct bfo_draft *n);

#endif
