// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * value_scan.c - values of attributes that stand in inodes of their own
 *
 * They are rare, and each is contiguous as a rule: read one by one, in the order of their inodes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2_fs.h>

#include "base/crc32c.h"
#include "gather/value_scan.h"
#include "tree/access.h"
#include "tree/amend.h"

#define VALUE_MAX (1U << 24)		/* bytes; EXT4_XATTR_SIZE_MAX */
#define ACL_MAX 65536			/* XATTR_SIZE_MAX, what programs can set */

static int is_sound(const struct bfo_inode *rec)
{
	return rec->flags & EXT4_EA_INODE_FL && S_ISREG(rec->mode) && rec->size &&
	       rec->size <= VALUE_MAX &&
	       !(rec->state & (BFO_INODE_BAD | BFO_INODE_INLINE));
}

struct value {
	char *buf;
	uint32_t block_size;
	int unread;
};

/* Sink: blocks from node->to on. */
static errcode_t take_blocks(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
			     const void *data)
{
	struct value *v = priv;

	memcpy(v->buf + (size_t) (node->to + at) * v->block_size, data,
	       (size_t) count * v->block_size);
	return 0;
}

/* Sink: some cannot be read. */
static errcode_t lose_blocks(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count)
{
	struct value *v = priv;

	(void) node;
	(void) at;
	(void) count;
	v->unread = 1;
	return 0;
}

errcode_t bfo_value_read(struct bfo_source *s, const struct bfo_tree *t,
			 const struct bfo_inode *rec, uint32_t len, char *buf, int *unread)
{
	struct value v = { .buf = buf, .block_size = s->block_size };
	struct bfo_sink sink = { .take = take_blocks, .lost = lose_blocks, .priv = &v };
	struct bfo_node node;
	uint32_t bs = s->block_size, blocks = (len + bs - 1) / bs, i;
	errcode_t err = 0;

	memset(buf, 0, (size_t) blocks * bs);
	for (i = 0; i < bfo_seg_count(t, rec) && !err; i++) {
		const struct bfo_seg *seg = bfo_seg_of(t, rec, i);

		if (seg->lblk >= blocks || bfo_seg_unwritten(seg))
			continue;
		node = bfo_node_make(seg->blk, seg->len < blocks - seg->lblk ? seg->len :
				     blocks - seg->lblk, 0, seg->lblk);
		err = s->ops->read(s, &node, 1, &sink);
	}
	*unread = v.unread;
	return err;
}

static errcode_t keep(struct bfo_values *out, bfo_row row, const char *value, uint32_t len)
{
	errcode_t err = bfo_vec_reserve(&out->bytes, len);

	if (err)
		return err;
	memcpy(out->bytes.v + out->bytes.n, value, len);
	out->bytes.n += len;
	return bfo_vec_push(&out->list, (struct bfo_value_bytes) { .row = row, .len = len,
			    .at = out->bytes.n - len });
}

/* Is the value of REC, which has an inode of its own, wanted elsewhere? */
static int is_kept(const struct bfo_tree *t, const struct bfo_inode *rec,
		   const struct bfo_target *target)
{
	if (target->has_ea_inode)
		return bfo_amend_has_ranges(t->amend) && rec->size <= ACL_MAX;
	return target->is_serial || rec->size < target->block_size;
}

static errcode_t take(struct bfo_source *s, struct bfo_tree *t, const struct bfo_target *target,
		      bfo_row row, struct bfo_values *out)
{
	const struct bfo_inode *rec = &t->inodes.v[row];
	char *buf = malloc(rec->size + s->block_size);
	uint32_t was, hash;
	int unread = 0;
	errcode_t err;

	if (!buf)
		return bfo_fail(s->ctx, ENOMEM, "reading attributes");
	err = bfo_value_read(s, t, rec, rec->size, buf, &unread);
	if (!err && !unread) {
		was = bfo_crc32c(s->reader->vol->csum_seed, buf, rec->size);
		hash = bfo_crc32c(target->csum_seed, buf, rec->size);
		err = bfo_vec_push(&t->values, (struct bfo_value) { .row = row, .hash = hash,
				   .change = was ^ hash });
	}
	if (!err && !unread && is_kept(t, rec, target))
		err = keep(out, row, buf, rec->size);
	free(buf);
	return err;
}

errcode_t bfo_value_scan(struct bfo_source *s, struct bfo_tree *tree,
			 const struct bfo_target *target, struct bfo_values *out)
{
	errcode_t err = 0;
	bfo_row i;

	for (i = 0; i < tree->inodes.n && !err; i++)
		if (is_sound(&tree->inodes.v[i]))
			err = take(s, tree, target, i, out);
	return err;
}

void bfo_values_free(struct bfo_values *values)
{
	bfo_vec_free(&values->list);
	bfo_vec_free(&values->bytes);
}

const void *bfo_values_find(const struct bfo_values *values, bfo_row row)
{
	size_t i = bfo_vec_lower(&values->list, row, row);

	if (i == values->list.n || values->list.v[i].row != row)
		return NULL;
	return values->bytes.v + values->list.v[i].at;
}
