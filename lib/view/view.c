// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * view.c - a volume that somebody looks at: opening it, and its inodes
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/disk.h"
#include "gather/attrs.h"
#include "gather/inode_check.h"
#include "gather/inode_judge.h"
#include "view/view.h"

static void drop_map(struct bfo_kept_item *item)
{
	struct bfo_view_map *map = (struct bfo_view_map *) item;

	bfo_tree_free(&map->tree);
	free(map);
}

static void drop_dir(struct bfo_kept_item *item)
{
	struct bfo_view_dir *dir = (struct bfo_view_dir *) item;

	bfo_vec_free(&dir->v);
	bfo_vec_free(&dir->by_name);
	bfo_vec_free(&dir->text);
	free(dir);
}

/* Parts of the memory for what is kept. */
enum { DIRS = 2, TABLES = 4, MAPS = 8, PACKS = 8 };

errcode_t bfo_view_open(struct bfo_view *v, struct bfo_context *ctx, const char *spec,
			struct bfo_medium *medium, const struct bfo_journal_use *use,
			uint64_t memory)
{
	v->ctx = ctx;
	v->maps.drop = drop_map;
	v->maps.limit = memory / MAPS;
	v->dirs.drop = drop_dir;
	v->dirs.limit = memory / DIRS;
	v->packs.drop = bfo_view_pack_drop;
	v->packs.limit = memory / PACKS;
	bfo_inode_tables_init(&v->tables, &v->reader, memory / TABLES);
	medium->how.mode = BFO_MEDIA_ZERO;
	return bfo_medium_open(medium, ctx, spec, use, &v->vol);
}

errcode_t bfo_view_begin(struct bfo_view *v)
{
	errcode_t err = bfo_reader_init(&v->reader, v->ctx, v->vol, BFO_GAP_OF_DEVICE);

	return err ? bfo_fail(v->ctx, err, "reading %s", v->vol->spec) : 0;
}

void bfo_view_close(struct bfo_view *v)
{
	bfo_kept_free(&v->maps);
	bfo_kept_free(&v->dirs);
	bfo_kept_free(&v->packs);
	bfo_inode_tables_free(&v->tables);
	bfo_vec_free(&v->buffer);
	bfo_vec_free(&v->raw);
	bfo_vec_free(&v->block);
	bfo_vec_free(&v->set);
	bfo_vec_free(&v->member);
	bfo_vec_free(&v->told);
	bfo_reader_free(&v->reader);
	bfo_volume_close(v->vol);
	v->vol = NULL;
}

/* Clusters that a kernel keeps for maps that have to be split: ext4_set_resv_clusters(). */
static uint64_t kept_for_maps(const struct bfo_view *v)
{
	uint64_t most = v->vol->blocks / EXT2FS_CLUSTER_RATIO(v->vol->fs) / 50;

	if (!ext2fs_has_feature_extents(v->vol->fs->super))
		return 0;
	return most < 4096 ? most : 4096;
}

void bfo_view_space(const struct bfo_view *v, struct statvfs *out)
{
	struct ext2_super_block *sb = v->vol->fs->super;
	uint64_t per_cluster = EXT2FS_CLUSTER_RATIO(v->vol->fs);
	uint64_t reserved = ext2fs_r_blocks_count(sb) + kept_for_maps(v) * per_cluster;

	memset(out, 0, sizeof(*out));
	out->f_bsize = out->f_frsize = v->vol->block_size;
	out->f_blocks = v->vol->blocks - sb->s_overhead_clusters * per_cluster;
	out->f_bfree = ext2fs_free_blocks_count(sb);
	out->f_bavail = out->f_bfree > reserved ? out->f_bfree - reserved : 0;
	out->f_files = sb->s_inodes_count;
	out->f_ffree = out->f_favail = sb->s_free_inodes_count;
	out->f_namemax = EXT2_NAME_LEN;
}

/* ---- damage ---- */

errcode_t bfo_view_damaged(struct bfo_view *v, enum bfo_finding_kind kind, uint32_t ino,
			   uint64_t blk)
{
	static const struct bfo_tree none;
	const struct bfo_finding f = { .kind = kind, .ino = ino, .blk = blk, .len = BFO_NO_NAME };

	v->damage(v->priv, &none, &f);
	return EIO;
}

void bfo_view_tell(struct bfo_view *v, const struct bfo_tree *t, size_t first)
{
	size_t i;

	for (i = first; i < t->findings.n; i++)
		if (t->findings.v[i].kind != BFO_FOUND_PAST_EOF)
			v->damage(v->priv, t, &t->findings.v[i]);
}

/* ---- inodes ---- */

static int is_possible(const struct bfo_view *v, uint64_t number)
{
	return number && number <= v->vol->fs->super->s_inodes_count &&
	       !bfo_volume_is_system_inode(v->vol, number);
}

errcode_t bfo_view_inode(struct bfo_view *v, uint64_t number, struct bfo_inode *rec,
			 const void **raw)
{
	enum bfo_finding_kind bad;
	errcode_t err;
	int lost;

	if (bfo_view_is_member(number))
		return bfo_view_member_inode(v, number, rec, raw);
	if (!is_possible(v, number))
		return ESTALE;
	err = bfo_inode_tables_find(&v->tables, number, raw, &lost);
	if (err)
		return err;
	if (lost)
		return bfo_view_damaged(v, BFO_UNREAD_INODE, number, 0);
	if (!*raw || !((const struct ext2_inode *) *raw)->i_links_count)
		return bfo_view_damaged(v, BFO_FOUND_NAME_INODE, number, 0);
	bad = bfo_inode_judge(v->vol, number, *raw, rec);
	return bad == BFO_FOUND_KINDS ? 0 : bfo_view_damaged(v, bad, number, 0);
}

void bfo_view_stat(const struct bfo_view *v, uint64_t number, const struct bfo_inode *rec,
		   const void *raw, struct stat *st)
{
	struct bfo_attrs attrs;

	bfo_attrs_read(raw, v->vol->inode_size, &attrs);
	memset(st, 0, sizeof(*st));
	st->st_ino = number;
	st->st_mode = attrs.mode;
	st->st_nlink = attrs.nlink;
	st->st_uid = attrs.uid;
	st->st_gid = attrs.gid;
	st->st_rdev = makedev(attrs.major, attrs.minor);
	st->st_size = bfo_inode_size(raw);
	st->st_blksize = v->vol->block_size;
	st->st_blocks = bfo_inode_blocks(v->vol, raw);
	if (bfo_view_is_member(number) || (S_ISREG(rec->mode) && rec->state & BFO_INODE_INLINE))
		st->st_blocks += (rec->size + 511) / 512;
	st->st_atim = bfo_attrs_time(&attrs, BFO_ATIME);
	st->st_mtim = bfo_attrs_time(&attrs, BFO_MTIME);
	st->st_ctim = bfo_attrs_time(&attrs, BFO_CTIME);
}
