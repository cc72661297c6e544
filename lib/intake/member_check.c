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

const char *bfo_member_check(const struct bfo_member *m)
{
	if (m->tells & BFO_TELLS_FEATURES)
		return check_folded(m);
	return m->encoding ? "an encoding of what is no directory" : NULL;
}
