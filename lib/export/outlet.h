/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * outlet.h - where a tree goes that goes to no volume: an archive, a directory
 *
 *   [look]* ── begin ── [ item ── [data]* ── done ]* ── end
 *                          directory: item ── all that is below it ── leave
 *
 * Items come in tree order: the root first (path ""), every directory before what is in it, and all
 * of that before what follows the directory.  A file with several names comes with its data by the
 * first of them, and as a hard link by the others.
 *
 * Functions return 0 or an error, whose circumstances are in outlet->ctx->what.  After an error
 * nothing more is called but what the outlet itself has to give up.  `look` is called by the thread
 * that plans, the others by the one that writes.
 */
#ifndef BFO_EXPORT_OUTLET_H
#define BFO_EXPORT_OUTLET_H

#include "gather/attrs.h"
#include "tree/tree.h"
#include "tree/xattr.h"

/* A part of a file that is no hole, in bytes.  Parts ascend and are apart. */
struct bfo_part {
	uint64_t from, len;
	int is_unwritten;		/* preallocated: zeroes; perhaps behind the end */
};

/* Everything it points to stays until the call returns. */
struct bfo_item {
	const char *path;		/* below the root, one slash between names; NUL */
	size_t path_len;
	/*
	 * NULL; or the path of the first name of the same file: this is a hard link.  The rest is
	 * as with the first name, but that no data will come.
	 */
	const char *first;
	size_t first_len;
	struct bfo_attrs attrs;		/* size of a directory: without meaning */
	uint32_t names;			/* how many names come; directories: 1 */
	bfo_row row;			/* the same for all names of a file */
	uint64_t ino;			/* in the source, as it is shown; 0: it is not of that */
	int is_made;			/* a directory of --to: nobody owns it yet */
	/* of a casefolded directory, to an archive of our own: how its names are folded; else 0 */
	uint16_t encoding;
	/*
	 * To an archive of our own, of what is encrypted or protected by fs-verity: bytes of the
	 * blocks that it was on; else 0.  Data of a file go on behind its size.
	 */
	uint32_t home_block_size;
	/*
	 * The name that is ciphertext, for which another stands in the path, and perhaps its
	 * BFO_HASH_BYTES (tree/tree.h); NULL: it is none.
	 */
	const char *secret, *hashes;
	size_t secret_len;
	/* the following are not known to `look` */
	bfo_xattrs xattrs;		/* sorted; values in memory; to a volume: not known */
	const char *target;		/* of a symbolic link; NUL behind it; may be ciphertext */
	size_t target_len;
	const struct bfo_part *parts;	/* of a regular file */
	size_t n_parts;
};

/* Its flags: what means nothing without what else is said of it is not said, either. */
static inline uint32_t bfo_item_flags(const struct bfo_item *item)
{
	return item->attrs.flags & ~((item->encoding ? 0 : EXT4_CASEFOLD_FL) |
				     (item->home_block_size ? 0 : EXT4_VERITY_FL |
							       EXT4_ENCRYPT_FL));
}

enum bfo_look {
	BFO_LOOK_TAKE,			/* the item is wanted */
	BFO_LOOK_SKIP,			/* it is not, nor what is below it: nothing of it comes */
};

struct bfo_outlet {
	/*
	 * Before anything is written (P2), once per item, in the same order; may be NULL.  What is
	 * below a directory that is skipped is not looked at.
	 */
	errcode_t (*look)(void *priv, const struct bfo_item *item, enum bfo_look *what);
	/* Before all of the following, while the first data are being read; may be NULL. */
	errcode_t (*begin)(void *priv);
	/*
	 * NULL: the outlet knows of all items, in this order, and wants their data alone.  Then
	 * `done` and `leave` are not called, either.
	 */
	errcode_t (*item)(void *priv, const struct bfo_item *item);
	/*
	 * Data of the item that came last, a regular file: ascending, parts that are not unwritten,
	 * none behind its size (but see home_block_size).  Not all of a part at once.
	 */
	errcode_t (*data)(void *priv, uint64_t offset, const void *data, size_t len);
	/* Everything of a regular file that is no hard link has come. */
	errcode_t (*done)(void *priv);
	/* Everything below a directory has come; ITEM as before. */
	errcode_t (*leave)(void *priv, const struct bfo_item *item);
	/* Nothing more comes: makes all of it durable, and whole. */
	errcode_t (*end)(void *priv);
	void *priv;
	struct bfo_context *ctx;	/* of who calls; set again when another thread does */
};

#endif
