/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames.h - members of a tree, one after the other, as bytes
 *
 * That is what the process that parses an archive tells the one that asked it to; and, bare, the
 * tree in a stream (stream.h).  A frame, all numbers little endian, at any byte:
 *
 *   0   u32  kind, an enum bfo_frame_kind
 *   4   u32  bytes that follow the head, at most BFO_FRAME_MOST
 *   8   u32  crc32c of these
 *   12  u32  crc32c of bytes 0 to 11
 *
 * A bare frame has no checksums: its head ends at byte 8.  Only MEMBER, EXTENT, UNWRITTEN and END
 * are ever bare.
 *
 * MEMBER begins a member of the archive, EXTENT, DATA, UNWRITTEN and PLACE are of the one that
 * began last.  END is the last frame of an archive that was read to its end, ERROR of one that was
 * not.
 *
 *   MEMBER  0    u64  byte of the archive, uncompressed, at which its header begins
 *           8    u64  ... at which its data begin
 *           16   u64  size
 *           24   4 x (i64 seconds, u32 nanoseconds): mtime, atime, ctime, birth time
 *           72   u32  which of them there are, bit by bit
 *           76   u32  mode, that of a socket, too;  80 u32 inode flags
 *           84   u32  owner;  88  u32  group
 *           92   u32  major;  96  u32  minor
 *           100  u32  1: a hard link; its target is a path
 *           104  u32  bytes of the path;  108  u32  of the target
 *           112  u32  extended attributes
 *           116  u64  version (i_version);  124  u32  generation;  128  u32  project
 *           132  u32  what it tells: a set of enum bfo_member_tells
 *           136  u32  how names of a casefolded directory are folded, or 0
 *           140  u32  bytes of the blocks that what is encrypted or has an fs-verity tree was on,
 *                     or 0
 *           144  u64  byte behind all of its data, also those behind its end
 *           152  u32  bytes of the name that the last one in the path stands for, or 0
 *           156  u32  1: it has hashes in the directory;  160  u32  hash;  164  u32  minor hash
 *           168       path, target, that name; each attribute: u32 bytes of the name, with its
 *                     zero byte, u32 of the value, u32 256 + index if the name is without what that
 *                     stands for, else 0, name, value
 *   EXTENT  0    u64  offset in the member;  8  u64  bytes of data there, which are not sent
 *   DATA    0    u64  offset;  8  the data
 *   END     0    u64  byte of the archive, uncompressed, at which its end mark begins, or its end
 *           8    u64  ... behind that
 *   ERROR   0    u32  an enum bfo_frame_error;  4  u32  1: in the member, 0: behind it
 *           8    u64  byte of the archive, uncompressed;  16  text
 *   UNWRITTEN    0    u64  offset in the member, perhaps behind its end;  8  u64  bytes there that
 *                     are allocated, and were never written
 *   PLACE   0    u64  offset;  8  u64  bytes of data there, which are not sent;  16  u64  byte of
 *                     the archive, uncompressed, at which they begin
 *
 * The reader trusts nothing: what is wrong, or out of range for its type, is BFO_ET_DAMAGED.
 * Memory: one frame.
 */
#ifndef BFO_WIRE_FRAMES_H
#define BFO_WIRE_FRAMES_H

#include <sys/stat.h>

#include "base/context.h"
#include "base/vec.h"
#include "gather/attrs.h"

#define BFO_FRAME_MOST (4U << 20)

enum bfo_frame_kind {
	BFO_FRAME_MEMBER = 1,
	BFO_FRAME_EXTENT,
	BFO_FRAME_DATA,
	BFO_FRAME_END,
	BFO_FRAME_ERROR,
	BFO_FRAME_UNWRITTEN,
	BFO_FRAME_PLACE,
};

/* Of what most archives do not tell.  What is told, and is not there, is 0. */
enum bfo_member_tells {
	BFO_TELLS_GENERATION = 1,
	BFO_TELLS_VERSION = 2,
	BFO_TELLS_PROJECT = 4,
	BFO_TELLS_FLAGS = 8,		/* all of them */
	BFO_TELLS_HOLES = 16,		/* and what was never written */
	BFO_TELLS_FEATURES = 32,	/* what flags of casefolded directories mean */
	BFO_TELLS_ALL = 63,
};

enum bfo_frame_error {
	BFO_FRAME_DAMAGED,	/* the archive is */
	BFO_FRAME_NO_ARCHIVE,	/* it is none */
	BFO_FRAME_NO_MEMORY,
	BFO_FRAME_IO,		/* it cannot be read */
	BFO_FRAME_CONFINED,	/* the process could not give up what it may */
	BFO_FRAME_STREAM,	/* it is a stream of ours */
};

/* A member of an archive.  Of what was read, pointers are valid until the next frame. */
struct bfo_member {
	uint64_t header, data;		/* bytes of the archive, uncompressed */
	struct bfo_attrs attrs;		/* times: those that are there */
	unsigned int times;		/* 1 << an enum bfo_time */
	uint32_t tells;			/* a set of enum bfo_member_tells */
	uint16_t encoding;		/* of a casefolded directory; else 0 */
	uint32_t home_block_size;	/* of what is encrypted or has an fs-verity tree; else 0 */
	const char *secret;		/* ciphertext: the last name of the path stands for that */
	uint32_t secret_len;		/* 0: it stands for itself */
	int has_hashes;
	uint32_t hash, minor;		/* of that name, if so */
	uint64_t data_end;		/* byte behind all of its data; not before its size */
	int is_link;
	const char *path, *target;
	uint32_t path_len, target_len;
	uint32_t xattrs;		/* how many */
	const char *first, *end;	/* their bytes */
	uint32_t crc;			/* of the frame */
};

struct bfo_member_xattr {
	const char *name;		/* as users see it; ends with a zero byte */
	const void *value;
	uint32_t size;
	uint8_t has_index, index;	/* NAME is without what this index of ext4's stands for */
};

/* True for an encrypted symbolic link, whose target is ciphertext. */
static inline int bfo_member_is_secret_link(const struct bfo_member *m)
{
	return m->tells & BFO_TELLS_FEATURES && S_ISLNK(m->attrs.mode) &&
	       m->attrs.flags & EXT4_ENCRYPT_FL;
}

struct bfo_frame {
	enum bfo_frame_kind kind;
	struct bfo_member member;
	uint64_t at;			/* offset; END: of its mark; ERROR: byte of the archive */
	/* EXTENT, DATA, UNWRITTEN, PLACE: bytes; END: byte behind its mark */
	uint64_t len;
	uint64_t byte;			/* PLACE: of the archive; else 0 */
	const void *data;		/* DATA, ERROR: LEN bytes */
	enum bfo_frame_error error;
	int in_member;			/* ERROR */
};

/* ---- reading ---- */

/* A zeroed one but for FD and CTX is at the beginning. */
struct bfo_frames {
	int fd;
	int is_bare;
	/*
	 * In place of FD, if not NULL: appends what comes next to BUF, at least a byte.  Its errors
	 * are noted in ctx->what.
	 */
	errcode_t (*fill)(void *priv, bfo_chars *buf);
	void *priv;
	int has_failed;			/* it has */
	struct bfo_context *ctx;	/* whose cancel is obeyed */
	bfo_chars buf;			/* of which those from AT on were not yet handed out */
	size_t at;
	uint64_t done;			/* bytes of all that were handed out */
};

/*
 * The next frame into F.  BFO_ET_DAMAGED and the reason at *WHY, BFO_ET_CANCELLED, ENOMEM, an errno
 * of read(2).  *WHY is NULL if nothing more comes.
 */
errcode_t bfo_frames_next(struct bfo_frames *fs, struct bfo_frame *f, const char **why);

/* True if all that was read has been handed out. */
int bfo_frames_are_over(const struct bfo_frames *fs);

void bfo_frames_free(struct bfo_frames *fs);

/* The next extended attribute of M, from *AT on, which begins as M->first; 0: there is none. */
int bfo_member_next_xattr(const struct bfo_member *m, const char **at, struct bfo_member_xattr *x);

/* ---- writing ---- */

/* A zeroed one but for FD is empty.  Frames are collected, and written some at a time. */
struct bfo_frame_writer {
	int fd;
	int is_bare;
	/* In place of FD, if not NULL: takes LEN bytes at DATA. */
	errcode_t (*drain)(void *priv, const void *data, size_t len);
	void *priv;
	bfo_chars buf;
	size_t begin;			/* of the frame that is being made */
};

/*
 * Each returns 0, ENOMEM, an errno of write(2), or BFO_ET_OVERFLOW for more than a frame holds.
 * XATTRS: M->xattrs of them.  M->data_end may be 0: its size.  LEN of data: at most
 * BFO_FRAME_MOST - 8.
 */
errcode_t bfo_frame_put_member(struct bfo_frame_writer *w, const struct bfo_member *m,
			       const struct bfo_member_xattr *xattrs);
errcode_t bfo_frame_put_extent(struct bfo_frame_writer *w, uint64_t at, uint64_t len);
errcode_t bfo_frame_put_data(struct bfo_frame_writer *w, uint64_t at, const void *data, size_t len);
errcode_t bfo_frame_put_unwritten(struct bfo_frame_writer *w, uint64_t at, uint64_t len);
errcode_t bfo_frame_put_place(struct bfo_frame_writer *w, uint64_t at, uint64_t len, uint64_t byte);
errcode_t bfo_frame_put_end(struct bfo_frame_writer *w, uint64_t mark, uint64_t byte);
errcode_t bfo_frame_put_error(struct bfo_frame_writer *w, enum bfo_frame_error error, int in_member,
			      uint64_t at, const char *text);
errcode_t bfo_frame_flush(struct bfo_frame_writer *w);

#endif
