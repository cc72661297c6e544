/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ls_attrs.h - what JSON says of inode flags and extended attributes
 */
#ifndef E2BFO_LS_LS_ATTRS_H
#define E2BFO_LS_LS_ATTRS_H

#include "cli/json.h"
#include "gather/ea_names.h"

#define LS_FLAGS 32
#define LS_FLAG_NAME 40

struct ls_attrs {
	char flags[LS_FLAGS][LS_FLAG_NAME];	/* names of bits; empty: it has none */
	struct bfo_ea_names *names;	/* of the inodes that are told now */
};

/* Asks libe2p for the names of flags, as lsattr -l prints them. */
errcode_t ls_attrs_begin(struct ls_attrs *a);

/* "flag_names": of those in FLAGS that have one. */
void ls_attrs_json_flags(const struct ls_attrs *a, struct json *j, uint32_t flags);

/* True if ST, of VOL, or of what is none, has attributes. */
int ls_attrs_has_xattrs(struct ls_attrs *a, const struct bfo_volume *vol,
			const struct bfo_stat *st);

/*
 * "xattrs": the names that ST has, or null if they are not all known.  Returns what is wrong then
 * (an enum bfo_finding_kind), else BFO_FOUND_KINDS.
 */
uint32_t ls_attrs_json_xattrs(struct ls_attrs *a, struct json *j, const struct bfo_stat *st);

#endif
