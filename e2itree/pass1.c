// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pass1.c - inode tables: which directories are there; the container: what trees does it have
 *
 * A directory is looked at if it has a tree, or is large enough to get one: without -m if it has
 * more than one block; else if its blocks could hold so many names.
 */
#include <stdio.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/dirblock.h"
#include "base/sort.h"
#include "base/text.h"
#include "gather/attrs.h"
#include "gather/inode_check.h"
#include "gather/inode_scan.h"
#include "itree/check.h"
#include "e2itree.h"
#include "online.h"
#include "problem.h"

#define ENTRY_MIN 12U		/* bytes of the shortest entry of a directory */

struct tree *job_tree(const struct job *j, uint32_t ino)
{
	size_t i = bfo_vec_lower(&j->trees, dir.ino, ino);

	return i < j->trees.n && j->trees.v[i].dir.ino == ino ? &j->trees.v[i] : NULL;
}

struct dir *job_dir(const struct job *j, uint32_t ino)
{
	size_t i = bfo_vec_lower(&j->dirs, ino, ino);

	return i < j->dirs.n && j->dirs.v[i].ino == ino ? &j->dirs.v[i] : NULL;
}

/* ---- the container ---- */

static errcode_t not_ours(struct job *j)
{
	return bfo_fail(&j->ctx, BFO_ET_EXISTS, "looking at /" ITREE_NAME " on %s: it is no "
			"container of indexes; " BFO_INDEX_FILE_AWAY, j->opt.device);
}

/* Without its catalogue a container has nothing to keep. */
static void give_up(struct job *j)
{
	const char *why = strrchr(j->ctx.what, ':');
	struct about about = { .text = why ? why + 2 : j->ctx.what };

	j->is_damaged = 1;
	if (problem(j, PR_1_CONTAINER_DAMAGED, &about))
		j->has_old = -1;
	j->trees.n = 0;
	j->takes_over = 0;
	bfo_what_clear(&j->ctx);
}

/*
 * A filesystem that was given another UUID (tune2fs -U) keeps its trees; names are compared anyway.
 */
static void compare_headers(struct job *j)
{
	const struct ext2_super_block *sb = j->vol->fs->super;
	const struct itree_header *h = &j->old.header;
	char text[BFO_UUID_TEXT_BYTES];
	struct about about = { .text = text };

	j->takes_over = 1;
	if (!j->opt.min_given)
		j->opt.min = h->min_entries;
	if (memcmp(h->uuid, sb->s_uuid, sizeof(h->uuid))) {
		bfo_text_uuid(h->uuid, text);
		j->other_uuid = problem(j, PR_1_OTHER_UUID, &about);
	}
	if (h->hash_version != (uint32_t) bfo_volume_hash_version(j->vol) ||
	    memcmp(h->hash_seed, sb->s_hash_seed, sizeof(h->hash_seed))) {
		j->takes_over = 0;
		problem(j, PR_1_OTHER_HASH, &about);
	}
}

static errcode_t read_catalogue(struct job *j)
{
	bfo_container_catalogue dirs = { 0 };
	errcode_t err = bfo_container_dirs(&j->old, &dirs);
	size_t i;

	for (i = 0; i < dirs.n && !err; i++)
		err = bfo_vec_push(&j->trees, (struct tree) { .dir = dirs.v[i] });
	bfo_vec_free(&dirs);
	return err;
}

static errcode_t find_container(struct job *j)
{
	errcode_t err = j->opt.online ? online_container(j)
				  : bfo_container_find(&j->reader, &j->old);

	if (err == BFO_ET_NO_ITREE && j->old.ino)
		return not_ours(j);
	if (err == BFO_ET_NO_ITREE) {
		bfo_what_clear(&j->ctx);	/* what fails later says so itself */
		return 0;
	}
	j->has_old = 1;
	if (!err)
		err = read_catalogue(j);
	if (!err)
		compare_headers(j);
	if (err == BFO_ET_ITREE) {
		give_up(j);
		err = 0;
	}
	return err;
}

/*
 * What programs that read by the mount ask of the file (readdir/mounted_index.h).  Where others
 * could write to it, its trees are not taken over: they may have been made so that hashes agree.
 */
static void look_at_file(struct job *j, const struct bfo_container_file *f)
{
	size_t room = sizeof(j->unprotected), n = 0;
	char *text = j->unprotected;

	if (bfo_container_is_protected(f))
		return;
	if (f->uid)
		n += snprintf(text, room, "owner %u", f->uid);
	if ((f->mode & 07777) != 0600)
		n += snprintf(text + n, room - n, "%smode %04o", n ? ", " : "", f->mode & 07777);
	if (!f->is_immutable)
		n += snprintf(text + n, room - n, "%snot immutable", n ? ", " : "");
	if (f->links != 1)
		snprintf(text + n, room - n, "%s%u names", n ? ", " : "", f->links);
	if (bfo_container_is_open(f) && !j->opt.list)
		j->takes_over = 0;
}

static void tell_file(struct job *j)
{
	const struct stat *st = &j->file.was;
	struct about about = { .text = j->unprotected };

	if (j->opt.online && j->has_old)
		look_at_file(j, &(struct bfo_container_file) { .uid = st->st_uid,
			     .mode = st->st_mode, .links = st->st_nlink,
			     .is_immutable = bfo_index_file_is_immutable(&j->file) });
	if (*j->unprotected)
		j->renews = problem(j, PR_1_UNPROTECTED, &about);
}

struct sum {
	struct job *j;
	uint64_t bytes;		/* of entries, */
	uint64_t in_dir;	/* and those that they take in the directory */
};

static errcode_t add_entry(void *priv, const struct itree_entry *e)
{
	struct sum *sum = priv;

	sum->bytes += itree_entry_bytes(e->name_len);
	sum->in_dir += bfo_dirent_bytes(e->name_len);
	return job_count_name(sum->j);
}

/* Is the tree in itself as it should be? */
static errcode_t check_tree(struct job *j, struct tree *tree)
{
	struct bfo_container_tree store;
	struct itree_checked found = { 0 };
	struct itree t = { 0 };
	struct sum sum = { .j = j };
	errcode_t err = bfo_container_tree_open(&store, &j->old, &tree->dir);

	if (!err)
		err = itree_open(&t, &store.store, j->old.header.seed, &tree->dir);
	if (!err)
		err = itree_check(&t, add_entry, &sum, &found);
	itree_close(&t);
	bfo_container_tree_free(&store);
	tree->fill = sum.bytes * 100 / ((uint64_t) tree->dir.leaves *
				    (j->vol->block_size - ITREE_LEAF_HEAD));
	tree->bytes = sum.in_dir;
	if (err != BFO_ET_ITREE)
		return err;
	tree->damage = itree_damage_text(found.what);
	tree->blk = found.blk;
	return 0;
}

static errcode_t check_trees(struct job *j)
{
	errcode_t err = 0;
	size_t i;

	for (j->total = i = 0; i < j->trees.n; i++)
		j->total += j->trees.v[i].dir.entries;
	for (i = 0; i < j->trees.n && !err; i++)
		err = check_tree(j, &j->trees.v[i]);
	return err;
}

/* ---- directories ---- */

static int is_large(const struct job *j, uint64_t size)
{
	return j->opt.min ? size / ENTRY_MIN >= j->opt.min : size > j->vol->block_size;
}

static int is_wanted(void *priv, uint32_t ino, const struct ext2_inode *raw)
{
	struct job *j = priv;
	struct dir d = { .ino = ino, .flags = ext2fs_le32_to_cpu(raw->i_flags),
			 .generation = ext2fs_le32_to_cpu(raw->i_generation),
			 .size = bfo_inode_size(raw) };
	struct bfo_attrs attrs;

	if (ino == j->old.ino && !j->opt.online) {
		bfo_attrs_read(raw, j->vol->inode_size, &attrs);
		look_at_file(j, &(struct bfo_container_file) { .uid = attrs.uid,
			     .mode = attrs.mode, .links = attrs.nlink,
			     .is_immutable = !!(attrs.flags & EXT2_IMMUTABLE_FL) });
	}
	if (!S_ISDIR(ext2fs_le16_to_cpu(raw->i_mode)) || d.flags & EXT4_INLINE_DATA_FL)
		return 0;
	if (!is_large(j, d.size) && !job_tree(j, ino))
		return 0;
	d.version = bfo_inode_version(raw, j->vol->inode_size);
	bfo_inode_ctime(raw, j->vol->inode_size, &d.ctime, &d.ctime_nsec);
	if (bfo_vec_push(&j->dirs, d))
		j->no_memory = 1;
	return !j->opt.online;		/* where its blocks lie is the kernel's business then */
}

BFO_SORT_BY(by_ino, struct dir, ino)

errcode_t pass1(struct job *j)
{
	errcode_t err;

	say_pass(j, 1, "Reading inode tables and the container");
	err = find_container(j);
	if (!err)
		err = check_trees(j);
	if (!err)
		err = bfo_inode_scan_wanted(&j->reader, &j->tree, is_wanted, j);
	if (!err && j->no_memory)
		err = bfo_fail(&j->ctx, ENOMEM, "reading inode tables");
	if (!err)
		tell_file(j);
	if (j->dirs.n)
		qsort(j->dirs.v, j->dirs.n, sizeof(*j->dirs.v), by_ino);
	return err;
}
