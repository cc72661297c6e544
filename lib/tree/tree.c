// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tree.c - the arrays of a gathered tree
 */
#include <errno.h>
#include <string.h>
#include <ext2fs/ext2_fs.h>

#include "tree/access.h"
#include "tree/tree.h"

/* With 4 bytes in the plan's order and the rank's 1.06 bits: P7's 64 bytes per inode. */
_Static_assert(sizeof(struct bfo_inode) == 64, "P7: 64 bytes per inode");
_Static_assert(sizeof(struct bfo_name) == 24, "P7: 24 bytes per name");
_Static_assert(sizeof(struct bfo_seg) == 16, "P7: 16 bytes per extent");

void bfo_tree_free(struct bfo_tree *t)
{
	bfo_vec_free(&t->inodes);
	bfo_rank_free(&t->rank);
	bfo_vec_free(&t->segs);
	bfo_vec_free(&t->eas);
	bfo_vec_free(&t->names);
	bfo_vec_free(&t->text);
	bfo_vec_free(&t->sets);
	bfo_vec_free(&t->values);
	bfo_vec_free(&t->moved);
	bfo_vec_free(&t->findings);
	bfo_vec_free(&t->members);
	bfo_vec_free(&t->map_blocks);
	bfo_vec_free(&t->unlinked);
	bfo_vec_free(&t->truncated);
	bfo_vec_free(&t->unread);
}

unsigned int bfo_dirent_type(uint16_t mode)
{
	static const unsigned char types[16] = {
		[S_IFREG >> 12] = EXT2_FT_REG_FILE, [S_IFDIR >> 12] = EXT2_FT_DIR,
		[S_IFCHR >> 12] = EXT2_FT_CHRDEV, [S_IFBLK >> 12] = EXT2_FT_BLKDEV,
		[S_IFIFO >> 12] = EXT2_FT_FIFO, [S_IFSOCK >> 12] = EXT2_FT_SOCK,
		[S_IFLNK >> 12] = EXT2_FT_SYMLINK,
	};

	return types[mode >> 12];
}

struct bfo_value *bfo_tree_value(const struct bfo_tree *t, bfo_row row)
{
	size_t i = bfo_vec_lower(&t->values, row, row);

	return i < t->values.n && t->values.v[i].row == row ? &t->values.v[i] : NULL;
}

static errcode_t add_text(struct bfo_tree *t, const char *name, unsigned int len, uint64_t *at)
{
	errcode_t err = bfo_vec_reserve(&t->text, len + 1);	/* never a null array */

	if (err)
		return err;
	*at = t->text.n;
	memcpy(t->text.v + t->text.n, name, len);
	t->text.n += len;
	return 0;
}

errcode_t bfo_tree_add_name(struct bfo_tree *t, bfo_row dir, uint32_t ino, unsigned int type,
			    const char *name, unsigned int len)
{
	uint64_t at;
	errcode_t err = add_text(t, name, len, &at);

	if (err)
		return err;
	return bfo_vec_push(&t->names, (struct bfo_name) { .dir = dir, .ino_ = ino,
			    .at = at << 16 | type << 8 | len });
}

errcode_t bfo_tree_add_hashes(struct bfo_tree *t, const void *hashes)
{
	uint64_t at;

	return add_text(t, hashes, BFO_HASH_BYTES, &at);
}

errcode_t bfo_tree_add_seg(struct bfo_tree *t, struct bfo_inode *rec, struct bfo_seg seg)
{
	errcode_t err = bfo_vec_push(&t->segs, seg);

	if (err)
		return err;
	if (!rec->nseg_++)
		rec->seg_ = t->segs.n - 1;
	bfo_debug_assert(rec->seg_ + rec->nseg_ == t->segs.n);
	return 0;
}

int bfo_dir_has_hashes(uint32_t flags)
{
	return flags & EXT4_ENCRYPT_FL && flags & EXT4_CASEFOLD_FL;
}

errcode_t bfo_tree_found(struct bfo_tree *t, enum bfo_finding_kind kind, uint32_t ino,
			 uint64_t blk)
{
	return bfo_vec_push(&t->findings, (struct bfo_finding) { .kind = kind, .ino = ino,
			    .blk = blk, .len = BFO_NO_NAME });
}

errcode_t bfo_tree_found_part(struct bfo_tree *t, enum bfo_finding_kind kind, uint32_t ino,
			      uint64_t blk, uint64_t lblk, uint32_t count)
{
	struct bfo_finding *last = t->findings.n ? &t->findings.v[t->findings.n - 1] : NULL;

	if (last && last->kind == kind && last->ino == ino && last->blocks && count &&
	    last->len == BFO_NO_NAME && last->lblk + last->blocks == lblk) {
		last->blocks += count;
		return 0;
	}
	return bfo_vec_push(&t->findings, (struct bfo_finding) { .kind = kind, .ino = ino,
			    .blk = blk < BFO_PLACE_MEMORY ? blk : 0, .lblk = lblk,
			    .blocks = count, .len = BFO_NO_NAME });
}

errcode_t bfo_tree_lost_again(struct bfo_context *ctx, const struct bfo_tree *t, uint32_t ino,
			      uint32_t n)
{
	for (; n; ino++, n--)
		if (bfo_tree_find(t, ino) != BFO_NONE)
			return bfo_fail(ctx, EIO,
					"reading inode %u: it could be read before; start "
					"again",
					ino);
	return 0;
}

errcode_t bfo_tree_found_name(struct bfo_tree *t, enum bfo_finding_kind kind, uint32_t dir,
			      uint32_t ino, uint64_t blk, const char *name, unsigned int len)
{
	uint64_t at;
	errcode_t err = add_text(t, name, len, &at);

	if (err)
		return err;
	return bfo_vec_push(&t->findings, (struct bfo_finding) { .kind = kind, .ino = ino,
			    .blk = blk, .text = at, .len = len, .dir = dir });
}

errcode_t bfo_tree_found_known(struct bfo_tree *t, enum bfo_finding_kind kind,
			       const struct bfo_name *name)
{
	uint32_t ino = t->resolved ? t->inodes.v[bfo_name_row(t, name)].ino
				   : bfo_name_number(t, name);

	return bfo_vec_push(&t->findings, (struct bfo_finding) { .kind = kind, .ino = ino,
			    .text = name->at >> 16, .len = bfo_name_len(name),
			    .dir = t->inodes.v[name->dir].ino });
}
