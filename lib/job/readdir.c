// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * readdir.c - what one inode is, and the container of indexes
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "job/readdir.h"

/* What the container is good for; without one, or with a damaged one, there is none. */
static errcode_t find_container(struct bfo_readdir *l)
{
	static const char *const words[] = {
		[BFO_ITREE_FRESH] = "fresh", [BFO_ITREE_LIKELY] = "likely",
		[BFO_ITREE_UNKNOWN] = "stale",
	};
	struct bfo_volume *vol = l->reader->vol;
	errcode_t err;

	l->ways.index = "none";
	if (vol->users.moving)
		/* the times that an index is compared with may not be on the disk */
		return 0;
	err = bfo_container_find(l->reader, &l->container);
	if (!err) {
		l->freshness = bfo_container_freshness(&l->container, vol);
		l->ways.index = words[l->freshness];
		return 0;
	}
	memset(&l->container.header, 0, sizeof(l->container.header));
	if (err == ENOMEM || err == BFO_ET_CANCELLED)
		return err;
	if (err != BFO_ET_NO_ITREE)
		l->ways.index = "damaged";
	bfo_what_clear(l->ctx);
	return 0;
}

errcode_t bfo_readdir_begin(struct bfo_readdir *l, struct bfo_reader *reader,
			    const struct bfo_readdir_options *opt,
			    const struct bfo_readdir_sink *to)
{
	*l = (struct bfo_readdir) { .ctx = reader->ctx, .reader = reader, .opt = *opt, .to = to };
	return find_container(l);
}

static errcode_t list_directory(struct bfo_readdir *l, const char *path, size_t len,
				const struct bfo_stat *st)
{
	errcode_t err = bfo_readdir_start(l, path, len, st);

	if (!err)
		err = bfo_readdir_point(l, 0);
	if (!err && st->strange)
		err = bfo_readdir_tell_damage(l, "", 0, BFO_FOUND_INODE_FLAGS, st->ino);
	return err ? err : bfo_readdir_dirs(l);
}

errcode_t bfo_readdir_list(struct bfo_readdir *l, const char *path, size_t len, uint32_t ino,
			   uint32_t parent)
{
	const struct ext2_inode *raw;
	const struct bfo_stat *st;
	errcode_t err;

	if (bfo_readdir_is_member(l, ino)) {
		err = l->to->alone(l->to->priv);
		return err ? err : bfo_readdir_tell_member(l, ino, path, len);
	}
	err = bfo_readdir_read(l, &l->inodes, &ino, 1);
	if (err)
		return err;
	l->parent = parent;
	st = bfo_stats_find(&l->inodes.stats, ino);
	raw = st->raw;
	if (st->bad == BFO_FOUND_KINDS && !l->opt.alone && S_ISDIR(ext2fs_le16_to_cpu(raw->i_mode)))
		return list_directory(l, path, len, st);
	err = l->to->alone(l->to->priv);
	return err ? err : bfo_readdir_tell(l, &l->inodes, st, path, len, NULL);
}

void bfo_readdir_free(struct bfo_readdir *l)
{
	bfo_readdir_queue_free(l);
	bfo_readdir_inodes_free(&l->inodes);
	bfo_readdir_inodes_free(&l->dots);
	bfo_readdir_members_free(l);
	bfo_container_free(&l->container);
}
