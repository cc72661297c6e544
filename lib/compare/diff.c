// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff.c - the words for differences
 */
#include "compare/diff.h"

const char *const bfo_diff_words[BFO_DIFF_KINDS] = {
	[BFO_DIFF_MISSING] = "missing", [BFO_DIFF_EXTRA] = "extra", [BFO_DIFF_TYPE] = "type",
	[BFO_DIFF_MODE] = "mode", [BFO_DIFF_UID] = "uid", [BFO_DIFF_GID] = "gid",
	[BFO_DIFF_SIZE] = "size", [BFO_DIFF_NLINK] = "nlink", [BFO_DIFF_MTIME] = "mtime",
	[BFO_DIFF_ATIME] = "atime", [BFO_DIFF_CTIME] = "ctime", [BFO_DIFF_CRTIME] = "crtime",
	[BFO_DIFF_GENERATION] = "generation", [BFO_DIFF_VERSION] = "version",
	[BFO_DIFF_FLAGS] = "flags", [BFO_DIFF_PROJECT] = "project", [BFO_DIFF_DEVICE] = "device",
	[BFO_DIFF_LINKS] = "links", [BFO_DIFF_HASH] = "hash", [BFO_DIFF_SYMLINK] = "symlink",
	[BFO_DIFF_XATTR] = "xattr", [BFO_DIFF_HOLES] = "holes", [BFO_DIFF_DATA] = "data",
};
