// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * composites_members.c - members of composite files, once they are found: what each is
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gather/attrs.h"
#include "gather/composites.h"

#define USER 5U				/* bytes of "user." */

/* ---- attributes ---- */

/* What M says, but for its attributes. */
static void get_attrs(const struct bfo_found_composite *x, const struct bfo_composite_member *m,
		      struct bfo_attrs *a)
{
	static const enum bfo_time order[] = { BFO_ATIME, BFO_MTIME, BFO_CTIME, BFO_CRTIME };
	int i;

	*a = (struct bfo_attrs) {
		.size = m->bytes, .version = m->attrs.version, .uid = x->uid, .gid = x->gid,
		.project = x->project, .nlink = m->names, .generation = m->attrs.generation,
		.mode = S_IFREG | m->attrs.mode,
		.has_crtime = !!(m->attrs.fields & BFO_COMPOSITE_CRTIME),
	};
	for (i = 0; i < BFO_COMPOSITE_TIMES; i++) {
		a->sec[order[i]] = m->attrs.time[i].sec;
		a->nsec[order[i]] = m->attrs.time[i].nsec;
	}
}

static errcode_t get_xattrs(bfo_xattrs *set, const struct bfo_composite_member *m)
{
	const uint8_t *at = m->first_xattr;
	struct bfo_composite_xattr x;
	errcode_t err = 0;
	uint32_t i;

	set->n = 0;
	for (i = 0; i < m->xattrs && !err; i++) {
		bfo_composite_next_xattr(&at, &x);
		err = bfo_vec_push(set, (struct bfo_xattr) {
				   .name_index = BFO_XATTR_USER, .name = x.name + USER,
				   .name_len = x.name_len - USER, .value = x.value,
				   .size = x.len });
	}
	bfo_xattrs_sort(set);
	return err;
}

errcode_t bfo_composites_make(struct bfo_composites *all, const struct bfo_found_composite *x,
			      const struct bfo_composite_member *m, void *raw,
			      uint32_t inode_size, uint32_t block_size, int *more)
{
	struct ext2_inode_large large;
	struct bfo_attrs attrs;
	errcode_t err;

	get_attrs(x, m, &attrs);
	bfo_attrs_write(&attrs, &large);
	memset(raw, 0, inode_size);
	memcpy(raw, &large, sizeof(large) < inode_size ? sizeof(large) : inode_size);
	all->set.n = all->inside.n = *more = 0;
	if (!m->xattrs)
		return 0;
	err = get_xattrs(&all->set, m);
	if (!err)
		err = bfo_vec_reserve(&all->inside, all->set.n);
	if (!err)
		*more = bfo_xattrs_split(&all->set, bfo_xattrs_inode_room(raw, inode_size),
					 block_size, (uint8_t *) all->inside.v);
	if (!err && *more >= 0)
		bfo_xattrs_put_inode(&all->set, (uint8_t *) all->inside.v, raw, inode_size);
	return err;
}

errcode_t bfo_composites_inode(struct bfo_composites *all, uint32_t i, void *raw,
			       uint32_t inode_size, uint32_t block_size)
{
	struct bfo_composite_member m;
	const struct bfo_found_composite *x = bfo_composites_of(all, i, &m);
	int more;

	return bfo_composites_make(all, x, &m, raw, inode_size, block_size, &more);
}

errcode_t bfo_composites_ea(struct bfo_composites *all, uint32_t i, void *block,
			    uint32_t inode_size, uint32_t block_size)
{
	struct bfo_composite_member m;
	const struct bfo_found_composite *x = bfo_composites_of(all, i, &m);
	int more;
	errcode_t err = bfo_composites_make(all, x, &m, block, inode_size, block_size, &more);

	if (!err)
		bfo_xattrs_put_block(&all->set, (uint8_t *) all->inside.v, block, block_size);
	return err;
}

/* ---- what is known ---- */

struct bfo_found_composite *bfo_composites_of(const struct bfo_composites *all, uint32_t i,
					      struct bfo_composite_member *m)
{
	size_t lo = 0, hi = all->v.n, mid;

	while (hi - lo > 1) {		/* of those that begin there the last has members */
		mid = lo + (hi - lo) / 2;
		if (all->v.v[mid]->first <= i)
			lo = mid;
		else
			hi = mid;
	}
	bfo_composite_member(&all->v.v[lo]->c, i - all->v.v[lo]->first, m);
	return all->v.v[lo];
}

uint32_t bfo_composites_at(const struct bfo_composites *all, uint64_t place)
{
	size_t lo = 0, hi = all->starts.n, mid;

	while (hi - lo > 1) {		/* likewise: those without content end where others begin */
		mid = lo + (hi - lo) / 2;
		if (all->starts.v[mid] <= place)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

void bfo_found_composite_free(struct bfo_found_composite *x)
{
	bfo_composite_free(&x->c);
	free(x->table);
	free(x->whole);
	free(x);
}

void bfo_composites_free(struct bfo_composites *all)
{
	size_t i;

	for (i = 0; i < all->v.n; i++)
		bfo_found_composite_free(all->v.v[i]);
	bfo_vec_free(&all->v);
	bfo_vec_free(&all->starts);
	bfo_vec_free(&all->set);
	bfo_vec_free(&all->inside);
}
