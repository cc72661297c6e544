/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * composite.h - composite files: the contents of many small files in one, and a table of these
 *
 *   header ── contents, one behind the other ── table: what all have in common, a record of each
 *
 * All numbers are little endian.  e2pack(5) has every byte; what stands here is how the parts are
 * read and written, as bytes.
 *
 *   header, 128 bytes
 *   0   8   BFO_COMPOSITE_MAGIC
 *   8   u16 major version;  10  u16  minor version
 *   12  u32 features that a reader may ignore;  16  u32  ... whose lack it has to tell
 *   20  u32 features that a reader has to know
 *   24  u64 bytes of the whole file
 *   32  u64 byte at which the table begins: it is the end of the file
 *   40  u32 bytes of the table;  44  u32  crc32c of these
 *   48  u32 members;  52  u32  names of all of them
 *   56  u32 number of the next member: those below it were used once
 *   60  64  zero;  124  u32  crc32c of bytes 0 to 123
 *
 *   table: a record of what members have that say nothing else, then the members' records
 *   0   u32 bytes of the record;  4  u16  its fields;  6  u16  zero;  8  fields
 *
 *   record of a member
 *   0   u32 bytes of the record;  4  u32  number of the member
 *   8   u64 byte at which its content begins, never before the end of the member's before it
 *   16  u64 bytes of the content;  24  u32  crc32c of these
 *   28  u16 fields;  30  u16  names
 *   32  fields, names (u8 bytes, and these), attributes (u16 how many, and of each u8 bytes of the
 *       name, u32 of the value, and these)
 *
 *   fields: those that have a bit, in this order
 *   1   u16 permissions
 *   2, 4, 8, 16   i64 seconds, u32 nanoseconds: access, change of the content, of the inode, birth
 *   32  u64 version;  64  u32  generation;  128  attributes, behind the names
 *
 * Who reads trusts nothing.  No composite file gives its author what he could not have without: its
 * members are regular files without set-id bits, with attributes that any user may set.  Owner,
 * group and project are those of the file itself, and stand nowhere in it.
 */
#ifndef BFO_PACK_COMPOSITE_H
#define BFO_PACK_COMPOSITE_H

#include "base/vec.h"

#define BFO_COMPOSITE_MAGIC "\x89" "E2PACK\n"
#define BFO_COMPOSITE_MAGIC_BYTES 8U
#define BFO_COMPOSITE_MAJOR 1U
#define BFO_COMPOSITE_HEAD 128U			/* bytes */
#define BFO_COMPOSITE_TABLE_MOST (64U << 20)	/* bytes */
#define BFO_COMPOSITE_CONTENT_MOST (16U << 20)	/* bytes of one member */
#define BFO_COMPOSITE_NAMES_MOST 65000U		/* of one member, as ext4 has it */
#define BFO_COMPOSITE_VALUE_MOST 65536U		/* bytes of an attribute, as Linux has it */
#define BFO_COMPOSITE_KNOWN_INCOMPAT 0U		/* what has to be known; none so far */
#define BFO_COMPOSITE_KNOWN_WARN 0U

enum bfo_composite_field {
	BFO_COMPOSITE_MODE = 1,
	BFO_COMPOSITE_ATIME = 2,
	BFO_COMPOSITE_MTIME = 4,
	BFO_COMPOSITE_CTIME = 8,
	BFO_COMPOSITE_CRTIME = 16,
	BFO_COMPOSITE_VERSION = 32,
	BFO_COMPOSITE_GENERATION = 64,
	BFO_COMPOSITE_XATTRS = 128,
};

/* What all members say, or have from the first record of the table; a birth may be unknown. */
#define BFO_COMPOSITE_ALL \
	(BFO_COMPOSITE_MODE | BFO_COMPOSITE_ATIME | BFO_COMPOSITE_MTIME | BFO_COMPOSITE_CTIME | \
	 BFO_COMPOSITE_VERSION | BFO_COMPOSITE_GENERATION)

enum { BFO_COMPOSITE_TIMES = 4 };	/* in the order of their bits */

struct bfo_composite_time {
	int64_t sec;
	uint32_t nsec;
};

struct bfo_composite_attrs {
	uint16_t fields;		/* those that are known */
	uint16_t mode;			/* permissions */
	struct bfo_composite_time time[BFO_COMPOSITE_TIMES];
	uint64_t version;
	uint32_t generation;
};

struct bfo_composite_head {
	uint16_t major, minor;
	uint32_t compat, warn, incompat;
	uint64_t bytes, table_at;
	uint32_t table_bytes, table_crc;
	uint32_t members, names, next;
};

/* A member, as bfo_composite_member() has it. */
struct bfo_composite_member {
	uint32_t number;
	uint64_t at, bytes;		/* of its content, in the file */
	uint32_t crc;			/* bfo_composite_crc() of that */
	struct bfo_composite_attrs attrs;
	uint32_t names, xattrs;
	const uint8_t *first_name, *first_xattr;
};

struct bfo_composite_name {
	const char *name;		/* not terminated */
	uint32_t len;
};

struct bfo_composite_xattr {
	const char *name;		/* "user.x", not terminated */
	uint32_t name_len, len;
	const void *value;
};

/* ---- reading ---- */

/* A name in a table, at its length, and whose it is. */
struct bfo_composite_place {
	const uint8_t *name;
	uint32_t member;
};

/* A composite file that was read.  A zeroed one is empty. */
struct bfo_composite {
	struct bfo_composite_head head;
	struct bfo_composite_attrs common;
	const uint8_t *table;
	BFO_VEC(uint32_t) places;	/* of the members' records in the table */
	/* all names, ascending */
	BFO_VEC(struct bfo_composite_place) names;
	const char *why;		/* what is damaged */
};

/* Can a file of MODE with inode flags FLAGS and SIZE bytes be a composite file on a volume? */
int bfo_composite_may_be(uint16_t mode, uint32_t flags, uint64_t size);

/* Do these bytes, with which a file begins, say that it is a composite file? */
int bfo_composite_is_one(const void *bytes, size_t len);

/*
 * The header, of BFO_COMPOSITE_HEAD bytes, of a file of FILE_BYTES.  NULL, or what is damaged.
 * *IS_NEW: that, or nothing, but somebody newer has written it: what it says is not known here.
 */
const char *bfo_composite_get_head(const void *bytes, uint64_t file_bytes,
				   struct bfo_composite_head *h, int *is_new);

/*
 * C becomes the composite file with HEAD and TABLE, head->table_bytes, which have to stay.  Memory:
 * 4 bytes per member and 16 per name, none of which are more than the table has room for.
 * BFO_ET_DAMAGED: c->why; ENOMEM.  Free it in any case.
 */
errcode_t bfo_composite_open(struct bfo_composite *c, const struct bfo_composite_head *head,
			     const void *table);
void bfo_composite_free(struct bfo_composite *c);

/* Reads LEN bytes of a file from its byte AT on, which it has, to TO. */
typedef errcode_t (*bfo_composite_read)(void *priv, uint64_t at, void *to, size_t len);

/*
 * The same of a file of FILE_BYTES that can be read: two calls of GET, for header and table.  Free
 * c, and then *TABLE, in any case.  BFO_ET_DAMAGED, and BFO_ET_FEATURE of a newer one: c->why, also
 * of what is no composite file; ENOMEM, and what GET returns.
 */
errcode_t bfo_composite_load(struct bfo_composite *c, uint64_t file_bytes, bfo_composite_read get,
			     void *priv, uint8_t **table);

/* Member I, in the order of the contents. */
void bfo_composite_member(const struct bfo_composite *c, size_t i, struct bfo_composite_member *m);

/* The member that has NAME.  0: none has. */
int bfo_composite_find(const struct bfo_composite *c, const char *name, uint32_t len, size_t *i);

/* The names, the attributes of M, one after the other.  *AT begins as m->first_name, _xattr. */
void bfo_composite_next_name(const uint8_t **at, struct bfo_composite_name *name);
void bfo_composite_next_xattr(const uint8_t **at, struct bfo_composite_xattr *x);

/* Checksum of LEN bytes behind those with CRC; BFO_COMPOSITE_SEED before any. */
#define BFO_COMPOSITE_SEED UINT32_MAX
uint32_t bfo_composite_crc(uint32_t crc, const void *data, size_t len);

/* ---- writing ---- */

/* A member to be written.  Of its attributes those are stored that not all have in common. */
struct bfo_composite_new {
	uint32_t number;
	uint64_t bytes;
	uint32_t crc;
	struct bfo_composite_attrs attrs;
	const struct bfo_composite_name *names;
	uint32_t n_names;
	const struct bfo_composite_xattr *xattrs;
	uint32_t n_xattrs;
};

struct bfo_composite_writer {
	bfo_chars table;
	struct bfo_composite_attrs common;
	struct bfo_composite_head head;
};

/* NEXT: the number that the next new member is to have, behind those that are written. */
errcode_t bfo_composite_begin(struct bfo_composite_writer *w,
			      const struct bfo_composite_attrs *common, uint32_t next);

/*
 * Its content comes behind those of the members before it.  ENOMEM; BFO_ET_OVERFLOW: the table
 * would be too large.
 */
errcode_t bfo_composite_add(struct bfo_composite_writer *w, const struct bfo_composite_new *m);

/* All are there: the header; the table is w->table. */
void bfo_composite_end(struct bfo_composite_writer *w, uint8_t head[BFO_COMPOSITE_HEAD]);
void bfo_composite_writer_free(struct bfo_composite_writer *w);

/* What such a record takes at most, without names and attributes; and what these take. */
#define BFO_COMPOSITE_RECORD_MOST 96U
uint64_t bfo_composite_name_bytes(uint32_t len);
uint64_t bfo_composite_xattr_bytes(uint32_t name_len, uint32_t len);

#endif
