/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metadata_read.h - reader of a text that says all of a tree but its data
 *
 * Format: e2bfo-metadata(5), which export/metadata.h writes.  Nothing of it is trusted: each line
 * is checked for itself, and all of them by what the last one says.  Whether paths come twice, or
 * lie below what is no directory, is for the callback to see.
 *
 * Memory: that of the longest line, which has no limit but that of its file, at most 1 GiB.
 */
#ifndef BFO_INTAKE_METADATA_READ_H
#define BFO_INTAKE_METADATA_READ_H

#include "base/context.h"
#include "base/range.h"
#include "gather/attrs.h"
#include "tree/xattr.h"

/* Everything it points to is valid until the callback returns, which may change it. */
struct bfo_metadata_line {
	/* below the root, one slash between names, a NUL behind them; "": the root */
	const char *path;
	size_t path_len;
	const char *first;		/* the same: this is a hard link to it; or NULL */
	size_t first_len;
	struct bfo_attrs attrs;		/* nlink: 0; size of a symbolic link: that of its target */
	bfo_xattrs xattrs;		/* as ext4 stores them, not sorted */
	const char *target;		/* of a symbolic link: 1 to 4095 bytes, none of them NUL */
	size_t target_len;
	bfo_ranges unwritten;		/* bytes of a regular file, in any order; ends below 2^64 */
	uint64_t line;			/* of the text, from 1 on */
};

struct bfo_metadata_reader {
	/* An error ends the reading; its circumstances are the callback's. */
	errcode_t (*line)(void *priv, struct bfo_metadata_line *line);
	void *priv;
};

/*
 * Reads all of FD, which NAME stands for in messages.  BFO_ET_DAMAGED, with the line: it is no such
 * text, or not all of it (lines have been given to the callback by then); ENOMEM,
 * BFO_ET_CANCELLED, errno's of reading, and what the callback returned.
 */
errcode_t bfo_metadata_read(struct bfo_context *ctx, int fd, const char *name,
			    const struct bfo_metadata_reader *reader);

#endif
