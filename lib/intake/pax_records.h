/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pax_records.h - what the extended header of a member of our archives says
 *
 * Its keys are those of the table in pax_records.c; what they mean: e2bfo-tar(5).  A key that is
 * not there, or comes twice, a value that is none: all of that is damage.
 */
#ifndef BFO_INTAKE_PAX_RECORDS_H
#define BFO_INTAKE_PAX_RECORDS_H

#include "base/range.h"
#include "wire/frames.h"
#include "intake/pax_text.h"

/* Where records stand, which is what may be among them. */
enum bfo_pax_where {
	BFO_PAX_FILE = 1,	/* in front of a member */
	BFO_PAX_SOCKET = 2,	/* in the global header that takes the place of one */
};

/* Bits of `has`. */
enum {
	BFO_PAX_HAS_PATH = 1,
	BFO_PAX_HAS_TARGET = 2,
	BFO_PAX_HAS_SIZE = 4,
	BFO_PAX_HAS_UID = 8,
	BFO_PAX_HAS_GID = 16,
	BFO_PAX_HAS_MODE = 32,
	BFO_PAX_HAS_FLAGS = 64,
	BFO_PAX_HAS_SPARSE = 128,	/* all of its four keys */
	BFO_PAX_HAS_SECRET = 256,	/* the name that another stands for, */
	BFO_PAX_HAS_HASHES = 512,	/* and its hashes */
	BFO_PAX_HAS_CIPHER = 1024,	/* the target of an encrypted symbolic link */
	BFO_PAX_HAS_FILE_SIZE = 2048,	/* of an encrypted file, without what fills its blocks */
};

/* A zeroed one has read nothing yet.  Texts point into what was read. */
struct bfo_pax_records {
	uint32_t seen;			/* rows of the table */
	uint32_t has;
	unsigned int sparse_keys;
	uint64_t mode;			/* of a socket */
	uint64_t encoding, blocks;	/* 0: it has none */
	struct bfo_attrs attrs;		/* what is in it beside mode and size */
	unsigned int times;		/* 1 << an enum bfo_time */
	uint64_t size;			/* bytes that stand in the archive */
	uint64_t real_size;		/* of a file with holes */
	uint32_t named_flags;		/* those of SCHILY.fflags */
	struct bfo_pax_text path, target, sparse_name;
	uint64_t hashes;		/* hash << 32 | minor hash */
	uint64_t file_size;
	BFO_VEC(struct bfo_member_xattr) xattrs;
	bfo_chars acls[2];		/* values of two of these */
	bfo_chars secret, cipher;
	bfo_ranges unwritten, tail;	/* bytes, ascending and apart */
	char why[200];
};

/* Forgets what was read, but keeps its memory. */
void bfo_pax_records_clear(struct bfo_pax_records *r);

/*
 * Reads all of TEXT, which is changed where it stands, and has to stay.  BFO_ET_DAMAGED with
 * r->why; ENOMEM.
 */
errcode_t bfo_pax_records_read(struct bfo_pax_records *r, struct bfo_pax_text text,
			       enum bfo_pax_where where);

void bfo_pax_records_free(struct bfo_pax_records *r);

#endif
