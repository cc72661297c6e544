// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * diff.c - what differs of two inodes' attributes, and the words for differences
 */
#include <string.h>
#include <sys/stat.h>

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

static int find_kind(const char *text, size_t len)
{
	int kind;

	for (kind = 0; kind < BFO_DIFF_KINDS; kind++)
		if (strlen(bfo_diff_words[kind]) == len &&
		    !strncmp(bfo_diff_words[kind], text, len))
			break;
	return kind;
}

const char *bfo_diff_kinds_read(const char *text, uint32_t *kinds)
{
	size_t len;
	int kind;

	for (;; text += len + 1) {
		len = strcspn(text, ",");
		kind = find_kind(text, len);
		if (kind == BFO_DIFF_KINDS)
			return text;
		*kinds |= BFO_DIFF_BIT(kind);
		if (!text[len])
			return NULL;
	}
}

static uint32_t bit_if(int differs, enum bfo_diff_kind kind)
{
	return differs ? BFO_DIFF_BIT(kind) : 0;
}

/* (No time of birth and one of 0 are the same: that is what larger inodes have for none.) */
static uint32_t compare_times(const struct bfo_attrs *a, const struct bfo_attrs *b)
{
	uint32_t bits = 0;
	int i;

	for (i = 0; i < BFO_TIMES; i++)
		bits |= bit_if(a->sec[i] != b->sec[i] || a->nsec[i] != b->nsec[i],
			       BFO_DIFF_MTIME + i);
	return bits;
}

uint32_t bfo_attrs_compare(const struct bfo_attrs *a, const struct bfo_attrs *b)
{
	uint32_t bits = compare_times(a, b);

	bits |= bit_if((a->mode ^ b->mode) & ~S_IFMT, BFO_DIFF_MODE);
	bits |= bit_if(a->uid != b->uid, BFO_DIFF_UID);
	bits |= bit_if(a->gid != b->gid, BFO_DIFF_GID);
	bits |= bit_if(a->generation != b->generation, BFO_DIFF_GENERATION);
	bits |= bit_if(a->version != b->version, BFO_DIFF_VERSION);
	bits |= bit_if(a->flags != b->flags, BFO_DIFF_FLAGS);
	bits |= bit_if(a->project != b->project, BFO_DIFF_PROJECT);
	if ((a->mode ^ b->mode) & S_IFMT)
		return bits | BFO_DIFF_BIT(BFO_DIFF_TYPE);
	bits |= bit_if(a->major != b->major || a->minor != b->minor, BFO_DIFF_DEVICE);
	if (S_ISDIR(a->mode))
		return bits;	/* both follow from what is in it, and from its blocks */
	bits |= bit_if(a->size != b->size, BFO_DIFF_SIZE);
	return bits | bit_if(a->nlink != b->nlink, BFO_DIFF_NLINK);
}
