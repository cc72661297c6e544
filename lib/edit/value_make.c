// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * value_make.c - values of attributes that move to inodes of their own
 *
 * As the kernel makes them: regular files, 0600, one link, without a name.  The hash stands in
 * i_atime, the number of references as bfo_inode_value_refs() has it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/crc32c.h"
#include "base/disk.h"
#include "edit/content.h"
#include "edit/value_make.h"

/* Equal values have equal ones; so may others. */
struct key {
	uint32_t hash, size;
};

/* Does N hold the SIZE bytes at VALUE?  The last one that was asked for is kept. */
static errcode_t holds(struct bfo_edit *e, struct bfo_draft *n, const void *value, uint32_t size,
		       int *same)
{
	errcode_t err = 0;

	*same = 0;
	if (e->last_value_ino != n->ino) {
		e->last_value_ino = 0;
		e->last_value.n = 0;
		err = bfo_vec_reserve(&e->last_value, size);
		if (!err)
			err = bfo_draft_read(e, n, 0, e->last_value.v, size);
		if (!err)
			e->last_value_ino = n->ino;
	}
	*same = !err && !memcmp(e->last_value.v, value, size);
	return err;
}

static errcode_t make(struct bfo_edit *e, const void *value, const struct key *key,
		      struct bfo_draft **draft)
{
	const struct bfo_edit_bytes bytes = { .data = value, .size = key->size };
	const struct timespec none = { 0 };
	struct bfo_draft *n;
	errcode_t err = bfo_draft_make(e, S_IFREG | 0600, &n);

	if (err)
		return err;
	n->raw->i_flags |= to_le32(EXT4_EA_INODE_FL);
	bfo_draft_set_links(n, 1);
	err = bfo_draft_write(e, n, 0, &bytes);
	if (err) {
		bfo_draft_drop(e, n);
		return err;
	}
	bfo_draft_set_time(e, n, BFO_DRAFT_ATIME, (struct timespec) { .tv_sec = key->hash });
	n->raw->i_atime = to_le32(key->hash);	/* (small inodes: as it is) */
	bfo_draft_set_time(e, n, BFO_DRAFT_CTIME, none);
	bfo_inode_set_value_refs(n->raw, 0);
	*draft = n;
	return 0;
}

errcode_t bfo_value_make(struct bfo_edit *e, const void *value, uint32_t size, uint32_t *ino,
			 uint32_t *hash)
{
	const struct key key = { .hash = bfo_crc32c(e->shape.csum_seed, value, size),
				 .size = size };
	struct bfo_entry *known = bfo_entries_find(&e->values, (const char *) &key, sizeof(key));
	struct bfo_draft *n;
	errcode_t err = 0;
	int same = 0;

	if (known)
		err = bfo_draft_get(e, known->ino, &n);
	if (!err && known)
		err = holds(e, n, value, size, &same);
	if (!err && !same)
		err = make(e, value, &key, &n);
	if (err)
		return err;
	*ino = n->ino;
	*hash = key.hash;
	return known ? 0 : bfo_entries_add(&e->values, (const char *) &key, sizeof(key), n->ino,
					   0, &known);
}
