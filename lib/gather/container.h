/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * container.h - the container /.e2itree of a volume, as readers find it
 *
 *   root directory ── name ITREE_NAME ── inode ── block map ── header ── catalogue ── trees
 *
 * It is found by its name, never by a number, and none of it is trusted (P8): what is wrong with it
 * is BFO_ET_ITREE, and a reader that gets that goes on without.  Nor is a tree believed because it
 * is sound: bfo_container_freshness() and bfo_container_is_current() say whether the directory may
 * have changed since it was made.
 */
#ifndef BFO_GATHER_CONTAINER_H
#define BFO_GATHER_CONTAINER_H

#include "gather/batch.h"
#include "tree/tree.h"
#include "itree/format.h"
#include "itree/itree.h"

struct bfo_container {
	struct bfo_reader *r;
	uint32_t ino, generation;	/* of the file; ino 0: there is no such name */
	uint64_t size;			/* bytes */
	struct itree_header header;
	BFO_VEC(struct bfo_seg) segs;	/* ascending, without holes, up to the header's blocks */
	int by_file;			/* its blocks are read through FD, and it has no segments */
	int fd;
};

typedef BFO_VEC(struct itree_dir) bfo_container_catalogue;

/*
 * Finds the container of R's volume and reads its header.  BFO_ET_NO_ITREE if there is no such name
 * (C->ino is 0), or it leads to no container (C->ino is set: no regular file, or no magic);
 * BFO_ET_ITREE if that is a damaged one: also one that is too short for its header, or has holes.
 * Release C with bfo_container_free(), also after an error.  R has to outlive it.
 */
errcode_t bfo_container_find(struct bfo_reader *r, struct bfo_container *c);
void bfo_container_free(struct bfo_container *c);

/*
 * The same for a volume that is mounted, whose device may have what the file once was: FD is the
 * file, open for reading, and the caller's.
 */
errcode_t bfo_container_open(struct bfo_reader *r, int fd, struct bfo_container *c);

/* What programs that read by the mount ask of its file (e2itree-run(1)). */
struct bfo_container_file {
	uint32_t uid, mode, links;
	int is_immutable;
};

/* 1: they believe it, as nobody but root can have put it there. */
int bfo_container_is_protected(const struct bfo_container_file *f);

/* 1: others than root could write to it, and make trees whose hashes agree. */
int bfo_container_is_open(const struct bfo_container_file *f);

/* Reads it of C, which was found by a name.  Errors: those of the inode walk. */
errcode_t bfo_container_look(const struct bfo_container *c, struct bfo_container_file *out);

/* Reads COUNT blocks of the file from logical block BLK on, one request per segment. */
errcode_t bfo_container_read(const struct bfo_container *c, uint32_t blk, uint32_t count,
			     void *buf);

/* Where block BLK of the file lies, which is one of the header's blocks. */
uint64_t bfo_container_block(const struct bfo_container *c, uint32_t blk);

/*
 * Appends the whole catalogue to OUT: ascending by inode, trees that do not overlap.  That the
 * header says no more of them than the file has room for was checked, so memory is bounded.
 */
errcode_t bfo_container_dirs(const struct bfo_container *c, bfo_container_catalogue *out);

/*
 * The catalogue's entry of directory INO alone, by a binary search that reads few blocks;
 * BFO_ET_NO_ITREE if it has no tree.
 */
errcode_t bfo_container_dir(const struct bfo_container *c, uint32_t ino, struct itree_dir *out);

enum bfo_freshness {
	BFO_ITREE_FRESH,	/* nobody has written to the volume since */
	BFO_ITREE_LIKELY,	/* a mount may have: bfo_container_is_current() decides */
	BFO_ITREE_UNKNOWN,	/* e2fsck may have, or keys would be others: only names tell */
};

/*
 * How far the trees can be believed, by the superblock: FRESH if s_wtime and s_lastcheck are those
 * of the header, LIKELY if only s_wtime is not.  The UUID and what makes the hash have to agree,
 * too; a volume with a journal that was replayed is no more than LIKELY, one whose journal was
 * ignored UNKNOWN.  Known gap: debugfs -w and a mount after it look like a mount alone.
 */
enum bfo_freshness bfo_container_freshness(const struct bfo_container *c,
					   const struct bfo_volume *vol);

/* True if raw inode RAW of VOL is of the generation, i_version and ctime that D says. */
int bfo_container_is_current(const struct itree_dir *d, const struct bfo_volume *vol,
			     const void *raw);

/*
 * A tree of the container as a store for itree_open(), read-only.  Leaves lie in the order in which
 * cursors want them: blocks that are asked for in order come out of larger and larger reads.
 */
struct bfo_container_tree {
	struct itree_store store;
	const struct bfo_container *c;
	uint32_t first, blocks;		/* of the container */
	uint32_t leaves;		/* those come first, if the tree is as it was built */
	uint32_t at, n, ahead;		/* tree blocks in the buffer; how many to read next */
	char *buf;
};

#define BFO_CONTAINER_AHEAD (256U << 10)	/* bytes */

/* DIR is an entry of C's catalogue.  Release with bfo_container_tree_free(), also after errors. */
errcode_t bfo_container_tree_open(struct bfo_container_tree *t, const struct bfo_container *c,
				  const struct itree_dir *dir);
void bfo_container_tree_free(struct bfo_container_tree *t);

/*
 * Takes the name of the container, if R's volume has one, out of TREE, all whose names were
 * scanned: it lists inode numbers of this volume, and is neither copied nor compared.
 */
errcode_t bfo_container_hide(struct bfo_reader *r, struct bfo_tree *tree);

#endif
