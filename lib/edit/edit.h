/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edit.h - a volume that is being changed: inodes and names in memory, contents in free blocks
 *
 *   draft       an inode that was looked at or changed: its raw bytes, its map, its names
 *   entries    what became of names of one directory (edit/entries.h)
 *   supply     free blocks and inode numbers (edit/supply.h)
 *   outflow    contents on their way to free blocks (edit/outflow.h)
 *   windows    metadata as they stand on the volume (edit/windows.h)
 *   commit     all of it becomes one transaction (edit/seal.h)
 *
 * Nothing of it can be found on the volume before the commit: drafts and names are memory, contents
 * lie where the bitmaps say free (P4).  A function that fails has changed nothing that later ones
 * see; blocks that it has taken are given back.
 *
 * Errors: ENOMEM; those of reading (gather/batch.h) and writing (commit/writer.h);
 * BFO_ET_DAMAGED of what was read.
 */
#ifndef BFO_EDIT_EDIT_H
#define BFO_EDIT_EDIT_H

#include "commit/patch.h"
#include "edit/entries.h"
#include "edit/outflow.h"
#include "edit/supply.h"
#include "edit/windows.h"
#include "gather/batch.h"
#include "gather/container.h"
#include "gather/inode_check.h"
#include "gather/quota_read.h"
#include "gather/target.h"
#include "plan/map.h"

/* In the blk of a draft's segment, beside BFO_SEG_KEPT: taken since the last commit. */
#define BFO_SEG_FRESH (1ULL << 61)

struct bfo_draft {
	struct bfo_draft *next;		/* in its bucket, */
	struct bfo_draft *next_changed;	/* and among those that a commit has to write */
	uint32_t ino;
	uint8_t is_new;			/* has no inode on the volume yet */
	uint8_t is_changed;		/* the commit writes its raw bytes */
	uint8_t is_gone;		/* the commit frees its inode */
	uint8_t is_mapped;		/* segs, old_map and own are known */
	uint8_t is_remapped;		/* segs are not what the raw inode says */
	uint8_t is_listed;		/* among the changed ones */
	uint8_t is_settled;		/* the commit under way has placed its blocks */
	uint8_t gives_no_acl;		/* it is known that it has no default one */
	uint8_t is_searched;		/* for composite files (job/batch_packed.h) */
	uint8_t stamps;			/* times that the commit sets: 1 << enum bfo_draft_time */
	uint32_t counted;		/* blocks of a directory in the estimate, */
	uint32_t counted_index;		/* and of its index */
	uint32_t index;			/* place in e->indexes.dirs + 1; 0: none is right */
	/* of attributes in inodes of their own: that it has, and had (edit/value_refs.h) */
	uint32_t values, values_before;
	bfo_segs segs;			/* ascending, apart; BFO_SEG_KEPT set */
	bfo_ranges old_map;		/* blocks of the map on the volume */
	uint64_t own;			/* blocks of data and map in raw's i_blocks */
	struct bfo_entries *entries;	/* of a directory that has changes; or NULL */
	/* A new file's content, all of it, in memory that is not ours; no blocks then.  Or NULL. */
	const char *held;
	void *ea;			/* a new attribute block; raw has none then; or NULL */
	/* inode_size bytes, as on the disk but for checksum, and map while is_remapped */
	struct ext2_inode_large raw[];
};

/* Indexes of directories in the container /.e2itree, as they are on the volume (edit/indexed.h). */
struct bfo_indexes {
	int is_known;			/* the container was looked for */
	int is_fresh;			/* its header says when the volume was written last */
	int is_lost;			/* somebody has changed the container itself */
	struct bfo_container container;
	bfo_container_catalogue dirs;	/* none: nothing is to be kept right */
	BFO_VEC(uint32_t) firsts;	/* first blocks of all trees, ascending */
	/* for the estimate: blocks of trees, directories that change, and that go */
	uint64_t n_blocks, n_changed, n_gone;
};

struct bfo_edit {
	struct bfo_context *ctx;
	struct bfo_volume *vol;
	struct bfo_target shape;	/* without its free ranges: these are the supply's */
	struct bfo_reader reader;
	struct bfo_change change;	/* where all is written */
	struct bfo_supply supply;
	struct bfo_outflow out;
	struct bfo_windows windows;
	struct bfo_draft **table;	/* by number: table_bits bits of a hash */
	unsigned int table_bits;
	size_t drafts;
	struct bfo_draft *changed;	/* list of all drafts with something to write */
	BFO_VEC(struct bfo_image) patches;	/* of blocks of files that stay (edit/mapped.h) */
	BFO_VEC(uint64_t) released;	/* attribute blocks that lose a reference, one each */
	struct timespec now;		/* of the commit; until then, of the first change */
	uint64_t made;			/* inodes, for their generations */
	struct bfo_entries values;	/* of attributes in new inodes (edit/value_make.h), */
	uint32_t last_value_ino;	/* and the bytes of one of them, or 0 */
	bfo_chars last_value;
	/* as they stand on the volume, once has_quota is set (edit/charges.h) */
	struct bfo_quota_file quota[BFO_QUOTA_FILES];
	int has_quota;
	struct bfo_indexes indexes;
	/* For the estimate of what a commit takes of the journal, in blocks: */
	uint64_t n_tables, n_dirs;	/* of inode tables and directories that there were, */
	uint64_t n_unused;		/* of unused parts of tables */
	uint64_t n_groups;		/* groups whose inodes change, */
	uint64_t name_bytes;		/* and what names that came take in directories */
	uint8_t *tables;		/* which of all tables' blocks are counted, a bit each */
	uint8_t *groups;		/* which groups are, a byte each */
	bfo_chars edges;		/* scratch: what stays before and behind what is written, */
	bfo_ranges pieces;		/* and where that goes */
	struct bfo_map map;		/* scratch */
};

struct bfo_edit_options {
	const char *undo_file;		/* for e2undo(8), or NULL */
	uint64_t memory;		/* bytes of contents on their way; 0: 8 MiB */
};

/* VOL is open for writing; it and CTX have to stay.  To be closed also after an error. */
errcode_t bfo_edit_open(struct bfo_edit *e, struct bfo_context *ctx, struct bfo_volume *vol,
			const struct bfo_edit_options *opt);

/* Drops what was not committed.  An error means that the undo file is not complete. */
errcode_t bfo_edit_close(struct bfo_edit *e);

/* All drafts are forgotten, and with them all that was not committed. */
void bfo_edit_forget(struct bfo_edit *e);

/* ---- drafts (draft.c) ---- */

/*
 * The draft of inode INO, which is read if it is not in memory.  BFO_ET_DAMAGED if it is none that
 * is in use; BFO_ET_OWN_FILE.
 */
errcode_t bfo_draft_get(struct bfo_edit *e, uint32_t ino, struct bfo_draft **draft);

/* The same of an inode of the filesystem itself, which is in no other way a draft yet. */
errcode_t bfo_draft_own(struct bfo_edit *e, uint32_t ino, struct bfo_draft **draft);

/* A draft of a new inode of MODE, with root's as owner, the commit's time, no links, no content. */
errcode_t bfo_draft_make(struct bfo_edit *e, uint32_t mode, struct bfo_draft **draft);

/* A draft of bfo_draft_make() that nobody has seen: its number and its blocks are given back. */
void bfo_draft_drop(struct bfo_edit *e, struct bfo_draft *draft);

/* From now on the commit writes DRAFT. */
void bfo_draft_change(struct bfo_edit *e, struct bfo_draft *draft);

/* What drafts that go give back; summed up first, so that nothing can fail when they do. */
struct bfo_going {
	size_t ranges, drafts;
};

/* DRAFT may go: adds it to SUM. */
errcode_t bfo_draft_can_go(struct bfo_edit *e, struct bfo_draft *draft, struct bfo_going *sum);

/* All of SUM has room. */
errcode_t bfo_going_reserve(struct bfo_edit *e, const struct bfo_going *sum);

/* DRAFT has lost its last name: inode, blocks, attributes go. */
void bfo_draft_go(struct bfo_edit *e, struct bfo_draft *draft);

static inline uint32_t bfo_draft_mode(const struct bfo_draft *n)
{
	return ext2fs_le16_to_cpu(n->raw->i_mode);
}

static inline uint32_t bfo_draft_flags(const struct bfo_draft *n)
{
	return ext2fs_le32_to_cpu(n->raw->i_flags);
}

static inline int bfo_draft_is_inline(const struct bfo_draft *n)
{
	return !!(bfo_draft_flags(n) & EXT4_INLINE_DATA_FL);
}

static inline uint32_t bfo_draft_links(const struct bfo_draft *n)
{
	return ext2fs_le16_to_cpu(n->raw->i_links_count);
}

static inline void bfo_draft_set_links(struct bfo_draft *n, uint32_t links)
{
	n->raw->i_links_count = ext2fs_cpu_to_le16(links);
}

static inline uint64_t bfo_draft_size(const struct bfo_draft *n)
{
	return bfo_inode_size((const struct ext2_inode *) n->raw);
}

void bfo_draft_set_size(struct bfo_draft *n, uint64_t size);

/* Has it a block map, or could it: not what stands in the inode, no device, no short link. */
int bfo_draft_has_map(const struct bfo_draft *n);

/* ---- fields (fields.c) ---- */

enum bfo_draft_time { BFO_DRAFT_ATIME, BFO_DRAFT_MTIME, BFO_DRAFT_CTIME, BFO_DRAFT_CRTIME };

/* That time becomes T, whenever the commit is. */
void bfo_draft_set_time(const struct bfo_edit *e, struct bfo_draft *n, enum bfo_draft_time which,
		       struct timespec t);

/* It becomes that of the commit; until then it is e->now. */
void bfo_draft_stamp(const struct bfo_edit *e, struct bfo_draft *n, enum bfo_draft_time which);

/* The commit has begun: what was stamped becomes e->now. */
void bfo_draft_settle_times(const struct bfo_edit *e, struct bfo_draft *n);

struct timespec bfo_draft_time(const struct bfo_edit *e, const struct bfo_draft *n,
			      enum bfo_draft_time which);
/* 0 if the inode has no room for it: then there is no such time. */
int bfo_draft_has_time(const struct bfo_edit *e, const struct bfo_draft *n,
		       enum bfo_draft_time which);
void bfo_draft_set_owner(struct bfo_draft *n, uint32_t uid, uint32_t gid);
uint32_t bfo_draft_uid(const struct bfo_draft *n);
uint32_t bfo_draft_gid(const struct bfo_draft *n);

/* 0 if inodes have no room for a project. */
int bfo_draft_set_project(const struct bfo_edit *e, struct bfo_draft *n, uint32_t project);
uint32_t bfo_draft_project(const struct bfo_edit *e, const struct bfo_draft *n);

/* ctime becomes the commit's, i_version one more; with CONTENT also mtime. */
void bfo_draft_touch(const struct bfo_edit *e, struct bfo_draft *n, int content);

/* i_version, as far as the inode has room for it. */
void bfo_draft_set_version(const struct bfo_edit *e, struct bfo_draft *n, uint64_t version);

/* i_blocks, in blocks. */
uint64_t bfo_draft_blocks(const struct bfo_edit *e, const struct bfo_draft *n);
errcode_t bfo_draft_set_blocks(const struct bfo_edit *e, struct bfo_draft *n, uint64_t blocks);

#endif
