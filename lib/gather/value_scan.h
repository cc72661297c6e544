/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * value_scan.h - values of attributes that stand in inodes of their own (feature ea_inode)
 *
 * Errors: ENOMEM, and those of reading (gather/batch.h).
 */
#ifndef BFO_GATHER_VALUE_SCAN_H
#define BFO_GATHER_VALUE_SCAN_H

#include "gather/source.h"
#include "gather/target.h"
#include "tree/tree.h"

/*
 * Values that are to stand elsewhere: those that fit into a block, if TARGET has no such inodes;
 * those of the size of ACLs, if it has, and whom ACLs name is amended.
 */
struct bfo_value_bytes {
	bfo_row row;
	uint32_t len;
	uint64_t at;		/* in bytes[] */
};

struct bfo_values {
	BFO_VEC(struct bfo_value_bytes) list;	/* ascending by record */
	BFO_VEC(char) bytes;
};

/*
 * Reads LEN bytes of the value that stands in inode REC into BUF, which has room for whole blocks;
 * *UNREAD if some of it cannot be read.
 */
errcode_t bfo_value_read(struct bfo_source *s, const struct bfo_tree *t,
			 const struct bfo_inode *rec, uint32_t len, char *buf, int *unread);

/*
 * Reads every sound value of TREE and notes it in values[] with its hashes in both filesystems; OUT
 * gets those that are to stand elsewhere.
 */
errcode_t bfo_value_scan(struct bfo_source *s, struct bfo_tree *tree,
			 const struct bfo_target *target, struct bfo_values *out);
void bfo_values_free(struct bfo_values *values);

/* The bytes of the value in record ROW, or NULL. */
const void *bfo_values_find(const struct bfo_values *values, bfo_row row);

#endif
