/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h - what gathering leaves behind: a file tree as compact arrays
 *
 *   inodes[]   a record per used inode, ascending by inode number
 *   segs[]     every inode's data, segment after segment; a record points to its first
 *   eas[]      every extended attribute block once, ascending by block
 *   names[]    a record per name; unsorted after the scan, then sorted and sliced: every
 *              directory's names stand together (tree/slices.h)
 *   text       the bytes of all names; in directories that are encrypted and casefolded, behind
 *              each the BFO_HASH_BYTES of its hashes, as the entry has them
 *
 * P7: 64 bytes per inode, 24 per name plus its bytes, 16 per segment; no pointers, no
 * allocation per file.
 *
 * So some fields mean one thing of a directory and another of a file, or change their meaning as
 * work goes on.  Their names end in an underscore: they are reached by the functions of
 * tree/access.h alone, which know by facts of the tree what they mean:
 *
 *                      the number of a name                what a directory has
 *   from an archive    a row, until numbers are given      segments
 *   after the scan     an inode number                     segments
 *   `resolved`         a row; of a fixed name a number     segments
 *   `sliced`           as before                           names
 *
 * A copy resolves and then slices.  Trees that are compared, and the target's directories, which
 * are merged with what is copied, are sliced without that.
 *
 * The tree owns all its arrays; bfo_tree_free() frees them.
 *
 * Errors: ENOMEM, and BFO_ET_OVERFLOW where an array has more records than it can count.  EIO:
 * bfo_tree_lost_again() alone.
 */
#ifndef BFO_TREE_TREE_H
#define BFO_TREE_TREE_H

#include <stdint.h>
#include <sys/stat.h>

#include "base/context.h"
#include "base/range.h"
#include "base/rank.h"
#include "base/vec.h"
#include "tree/finding.h"

/*
 * A row: the index of a record in inodes[].  An inode's number is another thing, and called `ino`.
 */
typedef uint32_t bfo_row;
typedef BFO_VEC(bfo_row) bfo_rows;

#define BFO_NONE UINT32_MAX	/* no row; no index of anything else */

/* States of an inode record. */
enum {
	BFO_INODE_BAD = 1,	/* damaged: known so that its names can be reported */
	BFO_INODE_FAST = 2,	/* symlink whose target is in the inode */
	BFO_INODE_NO_XATTR = 4,	/* extended attributes in the inode are damaged: drop them */
	BFO_INODE_EXISTS = 8,	/* a directory that the target has already */
	BFO_INODE_MADE = 16,	/* a directory that only the plan knows */
	BFO_INODE_PLACED = 32,	/* the plan has put it in order */
	BFO_INODE_KEEP = 64,	/* exists, and keeps its own attributes */
	BFO_INODE_LANDED = 256,	/* one of the things that were asked for, by --from */
	BFO_INODE_STRIP = 512,	/* device, fifo or socket with what only files have */
	BFO_INODE_PAIRED = 1024, /* a directory that will be merged, at the next level */
	BFO_INODE_INDEX = 128,	/* a directory that gets an index */
	BFO_INODE_MET = 4096,	/* not copied, though it lies in what is copied */
	BFO_INODE_INLINE = 8192, /* its content stands in the inode, in the source */
	BFO_INODE_STUFF = 16384, /* ... and in the target */
	BFO_INODE_SHARED = 2048, /* has blocks that something else has too, and was reported */
	BFO_INODE_MOVED = 32768, /* a value that has no inode in the source: no number, no blocks */
};

struct bfo_inode {
	uint64_t size;		/* bytes; directories: of the target's image, once planned */
	uint64_t stem;		/* plan: first block in the stem */
	uint32_t ino;		/* in the source; 0 if the plan made it */
	union {
		uint32_t dotdot_;	/* directories: bfo_dotdot() */
		uint32_t names_;	/* others: bfo_name_count() */
	};
	uint32_t generation;
	uint32_t flags;		/* i_flags */
	union {
		struct {
			uint32_t seg_, nseg_;	/* in segs[]: bfo_seg_of() */
		};
		struct {
			uint32_t child_, nchild_;	/* in names[]: bfo_dir_names() */
		};
	};
	uint32_t ea;		/* index into eas[], or BFO_NONE */
	uint32_t name;		/* plan: a name that leads here, or BFO_NONE; compare: a pair */
	uint32_t links;		/* plan: names (directories: subdirectories) */
	/*
	 * Link count in the source, at most 65535, which means that there are as many or more;
	 * plan: but for names lost by `links`.
	 */
	uint16_t links_read;
	uint16_t mode;
	uint32_t state;
	uint32_t new_ino;	/* plan: its number in the target; 0 until it has one */
};

/* A run of blocks. Lengths of a segment may exceed what one on-disk extent can say. */
struct bfo_seg {
	uint64_t blk;		/* first block, or'ed with the bits below */
	uint32_t lblk, len;	/* first logical block; blocks */
};

#define BFO_SEG_UNWRITTEN (1ULL << 63)

/*
 * It lies in blocks of the target already, and stays there: its block is one of the target's, and
 * the tree's blocks are as large as those.  With clusters it has whole ones: no cluster of the file
 * has kept blocks and others, and a block's number in the file and on the target agree modulo the
 * cluster.
 * (Bits 61 and 62 belong to places that are no blocks, see BFO_PLACE_MEMORY.)
 */
#define BFO_SEG_KEPT (1ULL << 60)

/*
 * From here on places are no blocks of a volume: contents in memory, of trees that come from none
 * (intake/), and members of composite files (gather/unpacked.h).
 */
#define BFO_PLACE_MEMORY (1ULL << 62)

static inline uint64_t bfo_seg_blk(const struct bfo_seg *s)
{
	return s->blk & ~(BFO_SEG_UNWRITTEN | BFO_SEG_KEPT);
}

static inline int bfo_seg_unwritten(const struct bfo_seg *s)
{
	return !!(s->blk & BFO_SEG_UNWRITTEN);
}

static inline int bfo_seg_kept(const struct bfo_seg *s)
{
	return !!(s->blk & BFO_SEG_KEPT);
}

/* True if what it holds has to be moved from the source to the target. */
static inline int bfo_seg_is_moved(const struct bfo_seg *s)
{
	return !(s->blk & (BFO_SEG_UNWRITTEN | BFO_SEG_KEPT));
}

/*
 * An extended attribute block; or, once they are repacked (gather/repack), a set of attributes, of
 * which some stand in the inode, and the others perhaps in a block.
 */
struct bfo_ea {
	union {
		uint64_t blk;	/* in the source */
		uint64_t at;	/* repacked: place of the packed set in `sets` */
	};
	uint64_t stem;		/* plan: the block's place in the stem */
	uint32_t refs;		/* plan: inodes that share it in the target */
	uint32_t copy;		/* plan: entry that takes further references, itself at first */
	uint32_t bytes;		/* repacked: of the packed set */
	uint16_t inside;	/* repacked: bytes of those that stand in the inode */
	uint16_t reserve;	/* repacked: bytes there that are for inline data */
	uint8_t bad;
	uint8_t no_block;	/* repacked: all of it stands in the inode */
	uint8_t has_values;	/* repacked: some values stand in inodes of their own */
	uint8_t has_policy;	/* gather: there is a policy of encryption in the block */
	uint8_t unused[3];	/* 0: no byte is left to chance, see plan/digest */
};

/*
 * The value of attributes in an inode of its own (feature ea_inode).  Its hash is kept in the
 * inode's atime and goes into that of the entry; it depends on the filesystem's checksum seed.
 */
struct bfo_value {
	bfo_row row;
	uint32_t hash;		/* in the target */
	uint32_t change;	/* hash in the source ^ hash in the target */
	uint32_t refs;		/* plan: entries that name it, in inodes and blocks of the target */
	uint64_t at;		/* place in `moved`, if it stood elsewhere (BFO_INODE_MOVED) */
};

typedef BFO_VEC(struct bfo_ea) bfo_eas;

/*
 * A file that is a member of a composite file (pack/composite.h).  It has no inode on the volume:
 * its number, among those in the tree, is one behind the last of these.
 */
struct bfo_member_of {
	uint64_t at;		/* byte of the composite file at which its content begins */
	bfo_row composite;	/* which has no name, as its members have theirs */
	uint32_t number;	/* that it has there: bfo_tree_shown_ino() */
};

/* The first three words are the sort key (base/sort.h). */
struct bfo_name {
	bfo_row dir;		/* the directory's record */
	uint32_t hash, minor;	/* its place there: who sorts the names says what they hold */
	uint32_t ino_;		/* bfo_name_number(), bfo_name_row(), bfo_name_draft() */
	uint64_t at;		/* place in text << 16 | type << 8 | length */
};

#define BFO_HASH_BYTES 8U	/* struct ext4_dir_entry_hash: hash, minor hash */

/*
 * In the type: the target has this name already, and its number is an inode number there, in a
 * resolved tree, too.
 */
#define BFO_NAME_FIXED 0x80

static inline uint32_t bfo_name_len(const struct bfo_name *n)
{
	return n->at & 255;
}

static inline uint32_t bfo_name_type(const struct bfo_name *n)
{
	return n->at >> 8 & 255;
}

/* A block that holds part of an inode's block map. */
struct bfo_map_use {
	uint64_t blk;
	uint32_t ino;		/* inode number */
};

typedef BFO_VEC(uint32_t) bfo_numbers;

struct bfo_tree {
	uint32_t block_size;		/* of the volume, bytes: what segments count */
	uint8_t uuid[16];
	uint16_t encoding;		/* of its casefolded directories; 0 without casefold */
	/* bytes: blocks of the volume that its ciphertext and fs-verity trees were made on, or 0 */
	uint32_t home_block_size;
	int stable_inodes;		/* ciphertext depends on inode numbers */
	int inline_data;		/* small things may stand in their inodes */
	int ea_inode;			/* values of attributes may have inodes of their own */
	int project;			/* inodes have projects */
	uint32_t inode_size;		/* bytes */
	BFO_VEC(struct bfo_inode) inodes;
	struct bfo_rank rank;		/* inode number -> index into inodes */
	BFO_VEC(struct bfo_seg) segs;
	bfo_eas eas;
	BFO_VEC(struct bfo_name) names;
	BFO_VEC(char) text;		/* each name, and its hashes where these are stored */
	bfo_findings findings;
	bfo_chars sets;		/* repacked attributes (tree/xattr.h) */
	BFO_VEC(struct bfo_value) values;	/* repacked: ascending by record */
	bfo_chars moved;	/* repacked: bytes of values that had no inode */
	int repacked;
	const struct bfo_amend *amend;	/* what becomes of its attributes (tree/amend.h); or NULL */
	uint64_t disarmed;		/* repacked: inodes without a capability that they had */
	/* files that have numbers from `first_member` on, ascending; those without are of inodes */
	BFO_VEC(struct bfo_member_of) members;
	uint32_t first_member;
	BFO_VEC(struct bfo_map_use) map_blocks;	/* of extent trees and indirect blocks ... */
	int keep_map_blocks;		/* ... if this is set before the scan */
	bfo_numbers unlinked;		/* inodes without a name that were still open, ascending */
	bfo_numbers truncated;		/* inodes whose blocks past their end mean nothing */
	int resolved;			/* names have rows */
	int sliced;			/* directories have names */
	uint64_t dir_blocks;		/* directory blocks read */
	bfo_ranges unread;		/* inode numbers that could not be read */
	/* there may be inodes that never were (backup superblock) */
	int unsure;
	int is_picked;		/* of its volume it has a few inodes (gather/picked.h) */
};

/* The file type that a directory entry shows for MODE (EXT2_FT_*). */
unsigned int bfo_dirent_type(uint16_t mode);

static inline const char *bfo_name_text(const struct bfo_tree *t, const struct bfo_name *n)
{
	return t->text.v + (n->at >> 16);
}

/* Its hashes, little-endian, if its directory has them. */
static inline const char *bfo_name_hashes(const struct bfo_tree *t, const struct bfo_name *n)
{
	return bfo_name_text(t, n) + bfo_name_len(n);
}

/* The row of inode number INO, or BFO_NONE. */
static inline bfo_row bfo_tree_find(const struct bfo_tree *t, uint32_t ino)
{
	return bfo_rank_of(&t->rank, ino);
}

/* Of what composite file number INO is a member; NULL: of none, it has an inode. */
static inline const struct bfo_member_of *bfo_tree_member(const struct bfo_tree *t, uint32_t ino)
{
	return t->members.n && ino >= t->first_member ? &t->members.v[ino - t->first_member]
						      : NULL;
}

/* Number INO as users see it: of a member, that of its composite file and its own, times 2^32. */
static inline uint64_t bfo_tree_shown_ino(const struct bfo_tree *t, uint32_t ino)
{
	const struct bfo_member_of *m = bfo_tree_member(t, ino);

	return m ? t->inodes.v[m->composite].ino | (uint64_t) m->number << 32 : ino;
}

/* The value that stands in the inode of record ROW, or NULL. */
struct bfo_value *bfo_tree_value(const struct bfo_tree *t, bfo_row row);

void bfo_tree_free(struct bfo_tree *t);

/* Appends to the segments of REC, which are the last in segs[] if it has any. */
errcode_t bfo_tree_add_seg(struct bfo_tree *t, struct bfo_inode *rec, struct bfo_seg seg);

/* Copies LEN bytes into the arena, and appends a name record; INO is a row in a resolved tree. */
errcode_t bfo_tree_add_name(struct bfo_tree *t, uint32_t dir, uint32_t ino, unsigned int type,
			    const char *name, unsigned int len);

/* Appends BFO_HASH_BYTES to the text of the name that was added last. */
errcode_t bfo_tree_add_hashes(struct bfo_tree *t, const void *hashes);

/* True if the entries of a directory with inode flags FLAGS have hashes behind their names. */
int bfo_dir_has_hashes(uint32_t flags);

/* Appends a finding without a name. */
errcode_t bfo_tree_found(struct bfo_tree *t, enum bfo_finding_kind kind, uint32_t ino,
			 uint64_t blk);

/*
 * The same about a part of inode INO: COUNT logical blocks from LBLK on (count 0: none in
 * particular), because of block BLK; joined to the finding before if it continues that.
 */
errcode_t bfo_tree_found_part(struct bfo_tree *t, enum bfo_finding_kind kind, uint32_t ino,
			      uint64_t blk, uint64_t lblk, uint32_t count);

/*
 * N inodes from INO on cannot be read, in a later pass: an error if one of them has a record, so
 * that it could be read before.
 */
errcode_t bfo_tree_lost_again(struct bfo_context *ctx, const struct bfo_tree *t, uint32_t ino,
			      uint32_t n);

/* Appends a finding about a name (copied) in directory inode DIR that leads to inode INO. */
errcode_t bfo_tree_found_name(struct bfo_tree *t, enum bfo_finding_kind kind, uint32_t dir,
			      uint32_t ino, uint64_t blk, const char *name, unsigned int len);

/* The same about a name of names[]. */
errcode_t bfo_tree_found_known(struct bfo_tree *t, enum bfo_finding_kind kind,
			       const struct bfo_name *name);

#endif
