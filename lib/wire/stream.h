/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream.h - a tree and its data as one stream of bytes: the format
 *
 *   preamble ── FACTS ── TREE* ── TREE_END ── DATA* ── END
 *
 * All numbers are little endian.  e2bfo-stream(5) has every byte; what stands here is how the parts
 * are written and read.  Whoever reads them has checked nothing: each function refuses what is out
 * of range.
 *
 *   preamble, 48 bytes
 *   0   16  BFO_STREAM_MAGIC
 *   16  u16 major version;  18  u16  minor version
 *   20  u32 features that a reader may ignore;  24  u32  ... whose lack it has to tell
 *   28  u32 features that a reader has to know
 *   32  u32 number of the first DATA frame: not 0 if the stream goes on with another one
 *   36  8   zero;  44  u32  crc32c of bytes 0 to 43
 *
 *   frame, a head of 40 bytes
 *   0   u32 BFO_STREAM_FRAME;  4  u8  kind;  5  u8  1: zstd, 0: as it is;  6  u16  zero
 *   8   u32 number: FACTS has 0, and so on; DATA frames are counted from 0 by themselves
 *   12  u32 bytes;  16  u32  bytes as they stand here, at most BFO_STREAM_MOST both
 *   20  u32 crc32c of these
 *   24  u64 byte at which it begins: of the tree, or of all data
 *   32  u32 of DATA and END: the first 4 bytes of the tree's digest, so that no frame of another
 *           stream, perhaps one that is among these data, is taken for one of this; else zero
 *   36  u32 crc32c of bytes 0 to 35
 */
#ifndef BFO_WIRE_STREAM_H
#define BFO_WIRE_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <et/com_err.h>
#include <ext2fs/ext2_fs.h>

#include "base/disk.h"

#define BFO_STREAM_MAGIC "\x89" "E2BFO\r\n\x1a\n\0\0\0\0\0\0"
#define BFO_STREAM_MAGIC_BYTES 16U
#define BFO_STREAM_MAJOR 1U
#define BFO_STREAM_PREAMBLE 48U
#define BFO_STREAM_HEAD 40U
#define BFO_STREAM_FRAME 0x66623265U	/* "e2bf" */
#define BFO_STREAM_CHUNK (1U << 20)	/* bytes of a frame that is full */
#define BFO_STREAM_MOST (8U << 20)	/* of any */
#define BFO_STREAM_DIGEST 32U		/* bytes: SHA-256 */

enum bfo_stream_kind {
	BFO_STREAM_FACTS = 1,
	BFO_STREAM_TREE,
	BFO_STREAM_TREE_END,
	BFO_STREAM_DATA,
	BFO_STREAM_END,
	BFO_STREAM_KEPT,		/* in place of data: where files are that were sent */
	BFO_STREAM_QUOTA,		/* before the tree: limits */
};

#define BFO_STREAM_NEEDED 0x80U		/* in a kind: who does not know it has to stop */

/* Features whose lack a reader has to tell. */
#define BFO_STREAM_HAS_QUOTA 1U		/* QUOTA frames, perhaps */

/* What has to be known to read a stream; none so far. */
#define BFO_STREAM_KNOWN_INCOMPAT 0U
#define BFO_STREAM_KNOWN_WARN BFO_STREAM_HAS_QUOTA

struct bfo_stream_preamble {
	uint16_t major, minor;
	uint32_t compat, warn, incompat;
	uint32_t first;			/* DATA frame */
};

struct bfo_stream_head {
	enum bfo_stream_kind kind;
	int is_needed;			/* of a kind that is not known */
	int is_packed;
	uint32_t number, bytes, stored, crc;
	uint64_t at;
	uint32_t tree;			/* of DATA and END: whose they are */
};

/*
 * What a stream says of itself before anything else.  Counts are exact: what follows has to be so
 * much, no more and no less.
 */
struct bfo_stream_facts {
	uint64_t members;		/* inodes and further names */
	uint64_t tree;			/* bytes of the tree */
	uint64_t parts;			/* runs of data */
	uint64_t data;			/* bytes of data */
	uint32_t block_size;		/* borders of parts lie at multiples of it; or 0 */
	uint32_t unknown;		/* what it does not tell: enum bfo_unknown */
	int can_resume;			/* its source can be sent once more, from a frame on */
	int has_super;
	struct ext2_super_block super;	/* of the volume that it comes from */
};

#define BFO_STREAM_FACTS_BYTES (64U + 1024U)

/* What a token says: which stream is to go on, and where. */
struct bfo_stream_token {
	uint8_t tree[BFO_STREAM_DIGEST];	/* its digest: the job */
	uint32_t next;				/* DATA frame */
};

/*
 * What KEPT frames have, put together: the options that the tree was made with, as text (u32 bytes,
 * then these), and of the directory, and then of each member that is no further name, in the order
 * of the tree:
 *
 *   0   u64  inode number;  8  u64  what its times come to: ctime * 9e3779b97f4a7c15 + mtime, in ns
 *   16  u32  major;  20  u32  minor number of the device that it is on
 */
struct bfo_stream_kept {
	uint64_t ino, stamp;
	uint32_t major, minor;
};

#define BFO_STREAM_KEPT_HEAD 4U
#define BFO_STREAM_KEPT_BYTES 24U

#define BFO_STREAM_TOKEN_TEXT 80U	/* with its zero byte */

void bfo_stream_put_preamble(const struct bfo_stream_preamble *p,
			     uint8_t bytes[BFO_STREAM_PREAMBLE]);

/* BFO_ET_NOT_STREAM, BFO_ET_DAMAGED. */
errcode_t bfo_stream_get_preamble(const uint8_t bytes[BFO_STREAM_PREAMBLE],
				  struct bfo_stream_preamble *p);

void bfo_stream_put_head(const struct bfo_stream_head *h, uint8_t bytes[BFO_STREAM_HEAD]);

/* NULL, or why these bytes are no head. */
const char *bfo_stream_get_head(const uint8_t bytes[BFO_STREAM_HEAD], struct bfo_stream_head *h);

void bfo_stream_put_facts(const struct bfo_stream_facts *f, uint8_t bytes[BFO_STREAM_FACTS_BYTES]);
const char *bfo_stream_get_facts(const uint8_t *bytes, size_t len, struct bfo_stream_facts *f);

void bfo_stream_put_kept(const struct bfo_stream_kept *k, uint8_t bytes[BFO_STREAM_KEPT_BYTES]);
void bfo_stream_get_kept(const uint8_t bytes[BFO_STREAM_KEPT_BYTES], struct bfo_stream_kept *k);

/* What frames behind the tree, which has DIGEST, say that they are of. */
static inline uint32_t bfo_stream_mark(const uint8_t digest[BFO_STREAM_DIGEST])
{
	return get_le32(digest, 0);
}

/* True for a kind of frame that stands behind the tree. */
static inline int bfo_stream_is_marked(enum bfo_stream_kind kind)
{
	return kind == BFO_STREAM_DATA || kind == BFO_STREAM_END;
}

/* "e2bfo1:" and letters. */
void bfo_stream_put_token(const struct bfo_stream_token *t, char text[BFO_STREAM_TOKEN_TEXT]);

/* 0: TEXT is none. */
int bfo_stream_get_token(const char *text, struct bfo_stream_token *t);

#endif
