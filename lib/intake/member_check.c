// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * member_check.c - what a member of an archive of our own says of features, and cannot be true
 *
 * Flags of features mean nothing without what else is said.  Both have to be there, or neither.
 */
#include <sys/stat.h>

#include "intake/member_check.h"

static const char *check_folded(const struct bfo_member *m)
{
	int is_folded = !!(m->attrs.flags & EXT4_CASEFOLD_FL);

	if (is_folded && !S_ISDIR(m->attrs.mode))
		return "it is casefolded, and no directory";
	if (is_folded != (m->encoding > 0))
		return "a casefolded directory without its encoding, or the other way round";
	return NULL;
}

/* Blocks of an ext4. */
static int is_block_size(uint32_t bytes)
{
	return bytes >= 1024 && bytes <= 65536 && !(bytes & (bytes - 1));
}

static const char *check_verity(const struct bfo_member *m)
{
	int is_protected = !!(m->attrs.flags & EXT4_VERITY_FL);

	if (is_protected && !S_ISREG(m->attrs.mode))
		return "it is protected by fs-verity, and no file";
	if (is_protected != (m->home_block_size > 0))
		return "a file with an fs-verity tree without its blocks, or the other way round";
	if (is_protected && !is_block_size(m->home_block_size))
		return "blocks of a size that there is not";
	if (m->data_end > m->attrs.size && (!is_protected || m->data_end % m->home_block_size))
		return "data behind its end";
	return NULL;
}

const char *bfo_member_check(const struct bfo_member *m)
{
	const char *why;

	if (m->tells & BFO_TELLS_FEATURES) {
		why = check_folded(m);
		return why ? why : check_verity(m);
	}
	return m->encoding || m->home_block_size || m->data_end > m->attrs.size ?
	       "it tells of features that it does not have" : NULL;
}
