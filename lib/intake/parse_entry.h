/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parse_entry.h - what an entry of libarchive says of a member; for parse.c
 */
#ifndef BFO_INTAKE_PARSE_ENTRY_H
#define BFO_INTAKE_PARSE_ENTRY_H

#include <archive_entry.h>

#include "base/vec.h"
#include "wire/frames.h"

struct bfo_parse_entry {
	struct archive_entry *entry;	/* libarchive's, of the member that came last */
	BFO_VEC(struct bfo_member_xattr) xattrs;
	BFO_VEC(char *) made;		/* names and values that are ours */
};

/*
 * Fills M, but for where its header and its data are, and E's xattrs; what they point to is there
 * until E forgets it.  BFO_ET_DAMAGED: it cannot be, and WHY; BFO_ET_OVERFLOW: an attribute is too
 * large; ENOMEM.
 */
errcode_t bfo_parse_entry_read(struct bfo_parse_entry *e, struct bfo_member *m, const char **why);

void bfo_parse_entry_forget(struct bfo_parse_entry *e);
void bfo_parse_entry_free(struct bfo_parse_entry *e);

#endif
