// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * source.c - where a tree comes from: volumes
 */
#include <errno.h>
#include <string.h>

#include "base/crc32c.h"
#include "gather/claim_scan.h"
#include "gather/container.h"
#include "gather/inode_scan.h"
#include "gather/name_scan.h"
#include "gather/source.h"
#include "volume/users.h"

static errcode_t volume_gather(struct bfo_source *s, struct bfo_tree *tree, int claims)
{
	errcode_t err = bfo_inode_scan(s->reader, tree);

	if (!err && claims)
		err = bfo_claim_scan(s->reader, tree);
	if (!err)
		err = bfo_name_scan(s->reader, tree);
	return err ? err : bfo_container_hide(s->reader, tree);
}

static errcode_t volume_inodes(struct bfo_source *s, const uint32_t *inos, size_t n,
			       bfo_take_inode take, bfo_lose_inodes lose, void *priv)
{
	return bfo_inode_walk(s->reader, inos, n, take, lose, priv);
}

static errcode_t volume_read(struct bfo_source *s, const struct bfo_node *nodes, size_t n,
			     const struct bfo_sink *sink)
{
	return bfo_reader_run(s->reader, nodes, n, sink);
}

static errcode_t volume_settle(struct bfo_source *s)
{
	return bfo_users_check_again(s->ctx, s->reader->vol);
}

static const struct bfo_source_ops volume_ops = {
	.gather = volume_gather, .inodes = volume_inodes, .read = volume_read,
	.settle = volume_settle,
};

void bfo_source_of_volume(struct bfo_source *s, struct bfo_reader *reader)
{
	const struct bfo_volume *vol = reader->vol;

	*s = (struct bfo_source) { .ops = &volume_ops, .ctx = reader->ctx, .name = vol->spec,
				   .access = BFO_READ_ANYWHERE, .block_size = vol->block_size,
				   .inode_size = vol->inode_size, .reader = reader };
	memcpy(s->uuid, vol->fs->super->s_uuid, sizeof(s->uuid));
	/* without the superblock's own checksum: with it the sum would be the same for all */
	s->stamp = bfo_crc32c(~0U, vol->fs->super, offsetof(struct ext2_super_block, s_checksum));
}

errcode_t bfo_source_read_bulk(struct bfo_source *s, const struct bfo_node *nodes, size_t n,
			       int is_bulk, const struct bfo_sink *sink)
{
	struct bfo_reader *r = s->reader;
	errcode_t err;

	if (r)
		r->direct = is_bulk || bfo_reader_is_dense(r, nodes, n);
	err = s->ops->read(s, nodes, n, sink);
	if (r)
		r->direct = 0;
	return err;
}

int bfo_source_zeroes(const struct bfo_source *s)
{
	return s->reader ? s->reader->vol->media.opt.mode == BFO_MEDIA_ZERO : s->zeroes;
}

errcode_t bfo_source_failed(struct bfo_source *s, uint64_t blk)
{
	if (s->reader)
		s->reader->vol->media.failed = blk;
	return bfo_fail(s->ctx, EIO, "reading block %llu of %s", (unsigned long long) blk, s->name);
}

errcode_t bfo_source_tree_inodes(struct bfo_source *s, const struct bfo_tree *tree,
				 bfo_take_inode take, bfo_lose_inodes lose, void *priv)
{
	bfo_numbers inos = { 0 };
	errcode_t err = 0;
	size_t i;

	if (!tree->is_picked)
		return s->ops->inodes(s, NULL, 0, take, lose, priv);
	for (i = 0; i < tree->inodes.n && !err; i++)
		err = bfo_vec_push(&inos, tree->inodes.v[i].ino);
	if (!err && inos.n)
		err = s->ops->inodes(s, inos.v, inos.n, take, lose, priv);
	bfo_vec_free(&inos);
	return err;
}

errcode_t bfo_source_why(const struct bfo_source *s, uint64_t blk)
{
	return s->reader ? bfo_media_why(s->reader->vol, blk) : EIO;
}

uint64_t bfo_source_requests(const struct bfo_source *s)
{
	return s->reader ? s->reader->reads : s->requests;
}

uint64_t bfo_source_blocks(const struct bfo_source *s)
{
	return s->reader ? s->reader->blocks : s->blocks;
}

const bfo_ranges *bfo_source_bad(const struct bfo_source *s, uint64_t blk)
{
	static const bfo_ranges none;

	if (blk >= BFO_PLACE_MEMORY)
		return s->lost_places ? s->lost_places : &none;
	return s->reader ? &s->reader->vol->media.bad : &none;
}
