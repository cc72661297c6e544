/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * amend.h - what of a tree becomes something else on its way: owners, rights that are not wanted,
 * and what no two trees share
 *
 * Who reads inodes gets them amended (gather/amended.h); attributes are amended when they are sets
 * (gather/repack.h).  All functions are pure.
 */
#ifndef BFO_TREE_AMEND_H
#define BFO_TREE_AMEND_H

#include "base/vec.h"
#include "tree/xattr.h"

/* COUNT numbers of users or groups from FROM on become those from TO on. */
struct bfo_id_range {
	uint32_t from, to, count;
};

typedef BFO_VEC(struct bfo_id_range) bfo_id_ranges;

/* Zeroed, it changes nothing. */
struct bfo_amend {
	/* Who gets what no range holds; without ranges, everything. */
	int has_owner, has_group;
	uint32_t owner, group;
	bfo_id_ranges users, groups;
	int no_suid;		/* no set-id bits but those of directories, and no capabilities */
	/*
	 * What depends on where and when a tree was made is left out: generations, versions, flags,
	 * projects, preallocation, and of extended attributes all but user.*, security.capability
	 * and ACLs; all times become the one of the content.
	 */
	int is_reproducible;
	int64_t latest;		/* seconds: no time is later than that, then */
};

/* True if A changes anything; NULL is fine. */
int bfo_amend_is_needed(const struct bfo_amend *a);

/* True if A changes who owns files. */
int bfo_amend_has_owners(const struct bfo_amend *a);

/* True if A changes whom ACLs and capabilities name. */
int bfo_amend_has_ranges(const struct bfo_amend *a);

/* The user or group that *ID becomes; 0 if no range holds it and nobody is named for that. */
int bfo_amend_user(const struct bfo_amend *a, uint32_t *id);
int bfo_amend_group(const struct bfo_amend *a, uint32_t *id);

/* Of A's flags, those that FLAGS keeps. */
uint32_t bfo_amend_flags(const struct bfo_amend *a, uint32_t flags);

/* True if A takes set-id bits off what has MODE; NULL is fine. */
int bfo_amend_is_disarmed(const struct bfo_amend *a, uint16_t mode);

/*
 * Amends RAW, an inode of INODE_SIZE bytes; 0 if its owner or group has no successor, which *ID is
 * then (*IS_GROUP: of a group).
 */
int bfo_amend_inode(const struct bfo_amend *a, void *raw, uint32_t inode_size, uint32_t *id,
		    int *is_group);

/*
 * Amends SET, of attributes whose values are all there; values of ACLs and capabilities are made
 * anew in VALUES, which has to stay as long as SET.  Returns 0, ENOMEM, or EINVAL if somebody whom
 * one of them names has no successor: *ID.
 */
errcode_t bfo_amend_set(const struct bfo_amend *a, bfo_xattrs *set, bfo_chars *values,
			uint32_t *id, int *is_group);

#endif
