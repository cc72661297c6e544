// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * indexed.c - indexes of directories (itree(5)) stay right when names come and go
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "commit/record.h"
#include "edit/indexed.h"
#include "itree/match.h"
#include "plan/names.h"

#define NO_TIME UINT32_MAX		/* nanoseconds that no directory has */

/* What becomes of trees, or what the catalogue says of them, with a commit. */
enum { SAME, CHANGED, GONE };

struct settling {
	struct bfo_edit *e;
	bfo_images *images;
	uint8_t *fates;			/* of each tree in the catalogue */
	size_t changed, gone;
	int some_stale;
};

/* ---- the container ---- */

static void drop(struct bfo_indexes *x)
{
	bfo_container_free(&x->container);
	bfo_vec_free(&x->dirs);
	bfo_vec_free(&x->firsts);
}

/* Without trees there is nothing to be kept right; so much for one that cannot be read. */
static errcode_t without(struct bfo_edit *e, errcode_t err)
{
	drop(&e->indexes);
	if (err == ENOMEM || err == BFO_ET_CANCELLED)
		return err;
	bfo_what_clear(e->ctx);
	return 0;
}

static errcode_t read_container(struct bfo_edit *e)
{
	struct bfo_indexes *x = &e->indexes;
	enum bfo_freshness freshness = BFO_ITREE_UNKNOWN;
	errcode_t err = bfo_container_find(&e->reader, &x->container);
	size_t i;

	if (!err)
		freshness = bfo_container_freshness(&x->container, e->vol);
	if (!err && freshness != BFO_ITREE_UNKNOWN)
		err = bfo_container_dirs(&x->container, &x->dirs);
	if (!err)
		err = bfo_vec_reserve(&x->firsts, x->dirs.n);
	if (err || !x->dirs.n)
		return without(e, err);
	for (i = 0; i < x->dirs.n; i++)
		x->firsts.v[x->firsts.n++] = x->dirs.v[i].first;
	bfo_sort_numbers(x->firsts.v, x->firsts.n);
	x->is_fresh = freshness == BFO_ITREE_FRESH;
	return 0;
}

/* Most volumes have none, which the name tells. */
static errcode_t load(struct bfo_edit *e)
{
	struct bfo_draft *root;
	struct bfo_entry *entry;
	errcode_t err;

	e->indexes.is_known = 1;
	err = bfo_draft_get(e, EXT2_ROOT_INO, &root);
	if (!err)
		err = bfo_directory_entry(e, root, ITREE_NAME, strlen(ITREE_NAME), &entry);
	if (err)
		return without(e, err);
	if (entry->was)
		err = read_container(e);
	return err || !entry->was ? err : bfo_indexes_look(e, root);	/* which was looked at */
}

/* The place of directory INO in the catalogue, or SIZE_MAX. */
static size_t place_of(const struct bfo_indexes *x, uint32_t ino)
{
	size_t i = bfo_vec_lower(&x->dirs, ino, ino);

	return i < x->dirs.n && x->dirs.v[i].ino == ino ? i : SIZE_MAX;
}

/* Is tree I that of the directory as it stands on the volume? */
static errcode_t is_right(struct bfo_edit *e, size_t i, int *right)
{
	const struct itree_dir *dir = &e->indexes.dirs.v[i];
	const void *block;
	uint32_t byte;
	uint64_t blk = bfo_volume_inode_block(e->vol, dir->ino, &byte);
	errcode_t err = bfo_windows_block(&e->windows, blk, &block);

	*right = !err && bfo_container_is_current(dir, e->vol, (const char *) block + byte);
	return err;
}

errcode_t bfo_indexes_look(struct bfo_edit *e, struct bfo_draft *d)
{
	errcode_t err = e->indexes.is_known ? 0 : load(e);
	size_t i;
	int right;

	i = err || d->is_new ? SIZE_MAX : place_of(&e->indexes, d->ino);
	if (i == SIZE_MAX)
		return err;
	err = is_right(e, i, &right);
	d->index = right ? i + 1 : 0;
	return err;
}

void bfo_indexes_committed(struct bfo_indexes *x)
{
	if (x->is_lost) {
		drop(x);
		x->is_known = x->is_lost = 0;
	}
	x->n_blocks = x->n_changed = x->n_gone = 0;
}

void bfo_indexes_free(struct bfo_indexes *x)
{
	drop(x);
	memset(x, 0, sizeof(*x));
}

/* ---- how much it is ---- */

/* Blocks that tree DIR can have: up to the one behind it. */
static uint32_t room_of(const struct bfo_indexes *x, const struct itree_dir *dir)
{
	size_t i = bfo_vec_lower_number(&x->firsts, dir->first + 1);

	return (i < x->firsts.n ? x->firsts.v[i] : x->container.header.blocks) - dir->first;
}

void bfo_indexes_count(struct bfo_edit *e, struct bfo_draft *d, const struct bfo_entry *entry)
{
	const struct itree_dir *dir;
	uint64_t most, left;

	if (!d->index)
		return;
	dir = &e->indexes.dirs.v[d->index - 1];
	/* two of each level, and a new root */
	most = (2 * (dir->levels + 1) + 1) * (1 + (entry->ino && entry->was));
	left = room_of(&e->indexes, dir) - d->counted_index;
	if (most > left)
		most = left;
	d->counted_index += most;
	e->indexes.n_blocks += most;
}

uint64_t bfo_indexes_need(const struct bfo_indexes *x)
{
	uint64_t catalogue = x->container.header.catalogue_blocks;

	if (!x->dirs.n)
		return 0;
	if (!x->n_gone && x->n_changed < catalogue)
		catalogue = x->n_changed;
	return x->n_blocks + catalogue + 1;
}

/* ---- trees ---- */

static errcode_t add_image(struct settling *s, uint32_t blk, void *data)
{
	return bfo_vec_push(s->images, (struct bfo_image) {
			    .blk = bfo_container_block(&s->e->indexes.container, blk),
			    .data = data });
}

/* NAME of D went (CAME 0), leading to INO, or came. */
static errcode_t add_name(const struct bfo_edit *e, const struct bfo_draft *d,
			  const struct bfo_entry *x, uint32_t ino, int came,
			  struct itree_draft *draft)
{
	struct itree_entry entry = { .name = bfo_entry_name(d->entries, x), .name_len = x->len,
				     .type = x->type };
	uint32_t hash, minor;

	bfo_text_hash(&e->shape, bfo_draft_flags(d), entry.name, x->len, NULL, &hash, &minor);
	entry.key = itree_key_make(ino, hash);
	return itree_draft_add(draft, &entry, came);
}

static int is_dots(const char *name, uint32_t len)
{
	return len <= 2 && name[0] == '.' && (len == 1 || name[1] == '.');
}

static errcode_t add_names(const struct bfo_edit *e, const struct bfo_draft *d,
			   struct itree_draft *draft)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; d->entries && i < d->entries->list.n && !err; i++) {
		const struct bfo_entry *x = &d->entries->list.v[i];

		if (x->ino == x->was || is_dots(bfo_entry_name(d->entries, x), x->len))
			continue;
		if (x->was)
			err = add_name(e, d, x, x->was, 0, draft);
		if (!err && x->ino)
			err = add_name(e, d, x, x->ino, 1, draft);
	}
	return err;
}

static errcode_t take_blocks(struct settling *s, struct itree_draft *d)
{
	errcode_t err = 0;
	uint32_t blk;

	for (blk = 0; blk < d->room && !err; blk++) {
		if (!d->blocks[blk].is_changed)
			continue;
		err = add_image(s, d->t.dir.first + blk, d->blocks[blk].data);
		if (!err)
			d->blocks[blk].data = NULL;
	}
	return err;
}

/* The tree of directory N becomes what N's entries say; *OVER if it cannot. */
static errcode_t change_tree(struct settling *s, const struct bfo_draft *n, struct itree_dir *dir,
			     int *over)
{
	struct bfo_indexes *x = &s->e->indexes;
	struct bfo_container_tree store;
	struct itree_draft d = { 0 };
	errcode_t err = bfo_container_tree_open(&store, &x->container, dir);

	if (!err)
		err = itree_draft_open(&d, &store.store, x->container.header.seed, dir,
				       room_of(x, dir));
	if (!err)
		err = add_names(s->e, n, &d);
	if (!err)
		err = itree_draft_apply(&d);
	*over = err || d.is_over;
	if (!*over)
		err = take_blocks(s, &d);
	if (!*over)
		*dir = d.t.dir;
	itree_draft_close(&d);
	bfo_container_tree_free(&store);
	if (!*over || err == ENOMEM || err == BFO_ET_CANCELLED)
		return err;
	bfo_what_clear(s->e->ctx);
	return 0;
}

/* Tree I is not that of its directory any more, whatever the times and numbers of that will be. */
static void disown(struct settling *s, size_t i)
{
	s->e->indexes.dirs.v[i].ctime_nsec = NO_TIME;
	s->fates[i] = CHANGED;
	s->changed++;
	s->some_stale = 1;
}

/* Who has the directory mounted sees no i_version, and a clock that was pinned shows no change. */
static int looks_right(const struct bfo_draft *n, const struct itree_dir *dir, uint32_t inode_size)
{
	uint32_t nsec;
	int64_t sec;

	bfo_inode_ctime(n->raw, inode_size, &sec, &nsec);
	return dir->generation == ext2fs_le32_to_cpu(n->raw->i_generation) && dir->ctime == sec &&
	       dir->ctime_nsec == nsec;
}

static errcode_t settle_gone(struct settling *s, size_t i)
{
	if (!s->e->change.has_journal) {
		disown(s, i);
		return 0;
	}
	s->fates[i] = GONE;
	s->gone++;
	return 0;
}

/* The index of directory N, if there is one. */
static errcode_t settle_index(struct settling *s, struct bfo_draft *n)
{
	struct bfo_indexes *x = &s->e->indexes;
	uint32_t inode_size = s->e->vol->inode_size;
	size_t i = place_of(x, n->ino);
	int right, over = !s->e->change.has_journal;
	errcode_t err;

	if (i == SIZE_MAX)
		return 0;
	if (n->is_gone)
		return settle_gone(s, i);
	err = is_right(s->e, i, &right);
	if (!err && right && !over)
		err = change_tree(s, n, &x->dirs.v[i], &over);
	if (err || !right || over) {
		s->some_stale = 1;
		if (!err && looks_right(n, &x->dirs.v[i], inode_size))
			disown(s, i);
		return err;
	}
	x->dirs.v[i].version = bfo_inode_version(n->raw, inode_size);
	bfo_inode_ctime(n->raw, inode_size, &x->dirs.v[i].ctime, &x->dirs.v[i].ctime_nsec);
	s->fates[i] = CHANGED;
	s->changed++;
	return 0;
}

/* ---- header and catalogue ---- */

static errcode_t write_page(struct settling *s, uint32_t k)
{
	const struct bfo_indexes *x = &s->e->indexes;
	void *block = malloc(x->container.header.block_size);
	errcode_t err = block ? 0 : ENOMEM;

	if (!err) {
		itree_catalogue_pack(&x->container.header, x->dirs.v, k, block);
		err = add_image(s, x->container.header.catalogue + k, block);
	}
	if (err)
		free(block);
	return err;
}

/* Takes trees that are gone out of the catalogue; what comes behind the first of them moves. */
static void take_out(struct settling *s)
{
	struct bfo_indexes *x = &s->e->indexes;
	struct itree_header *h = &x->container.header;
	size_t i, to = 0, n = x->dirs.n;

	for (i = 0; i < n; i++) {
		if (s->fates[i] == GONE)
			continue;
		x->dirs.v[to] = x->dirs.v[i];
		s->fates[to] = to < i ? CHANGED : s->fates[i];
		to++;
	}
	x->dirs.n = h->trees = to;
	h->catalogue_blocks = itree_catalogue_blocks(h->block_size, h->trees);
}

static errcode_t write_catalogue(struct settling *s)
{
	struct bfo_indexes *x = &s->e->indexes;
	uint32_t k, room = itree_catalogue_room(x->container.header.block_size);
	errcode_t err = 0;
	size_t i, last;

	for (k = 0; k < x->container.header.catalogue_blocks && !err; k++) {
		last = (size_t) (k + 1) * room < x->dirs.n ? (size_t) (k + 1) * room : x->dirs.n;
		for (i = (size_t) k * room; i < last && s->fates[i] == SAME; i++)
			;
		/* of one that has fewer entries than before, too */
		if (i < last || (s->gone && last == x->dirs.n))
			err = write_page(s, k);
	}
	return err;
}

static errcode_t write_header(struct settling *s)
{
	const struct itree_header *h = &s->e->indexes.container.header;
	void *block = malloc(h->block_size);
	errcode_t err = block ? 0 : ENOMEM;

	if (!err) {
		itree_header_pack(h, block);
		err = add_image(s, 0, block);
	}
	if (err)
		free(block);
	return err;
}

/* Has this commit to do with the container itself? */
static int is_touched(const struct bfo_edit *e)
{
	const struct bfo_draft *n;
	const struct bfo_entry *entry;

	for (n = e->changed; n; n = n->next_changed) {
		if (n->ino == e->indexes.container.ino)
			return 1;
		if (n->ino != EXT2_ROOT_INO || !n->entries)
			continue;
		entry = bfo_entries_find(n->entries, ITREE_NAME, strlen(ITREE_NAME));
		if (entry && entry->ino != entry->was)
			return 1;
	}
	return 0;
}

/* A container that was fresh stays so if all that changed was kept right, which is written. */
static errcode_t write_rest(struct settling *s, uint64_t *wtime)
{
	struct bfo_indexes *x = &s->e->indexes;
	struct itree_header *h = &x->container.header;
	errcode_t err = 0;

	if (s->gone)
		take_out(s);
	x->is_fresh = x->is_fresh && !s->some_stale && (s->changed || s->gone);
	if (x->is_fresh)
		h->wtime = *wtime = bfo_record_wtime(s->e->now.tv_sec);
	else if (h->wtime == *wtime)
		++*wtime;			/* it must not look fresh */
	if (s->changed || s->gone)
		err = write_catalogue(s);
	if (!err && (x->is_fresh || s->gone))
		err = write_header(s);
	return err;
}

errcode_t bfo_indexes_settle(struct bfo_edit *e, bfo_images *images, uint64_t *wtime)
{
	struct settling s = { .e = e, .images = images };
	struct bfo_draft *n;
	errcode_t err = 0;

	e->indexes.is_lost = is_touched(e);
	if (e->indexes.is_lost || !e->indexes.dirs.n)
		return 0;
	s.fates = calloc(e->indexes.dirs.n, 1);
	if (!s.fates)
		return ENOMEM;
	for (n = e->changed; n && !err; n = n->next_changed)
		if (S_ISDIR(bfo_draft_mode(n)) && !n->is_new)
			err = settle_index(&s, n);
	if (!err)
		err = write_rest(&s, wtime);
	free(s.fates);
	return err;
}
