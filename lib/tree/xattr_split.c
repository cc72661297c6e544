// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * xattr_split.c - which extended attributes go into the inode?
 *
 * Both places together are two bins: first filled by what is best read from the inode, and if
 * that leaves too much for the block, as full as the inode can be.
 */
#include <assert.h>
#include <string.h>
#include <ext2fs/ext2fs.h>
#include <ext2fs/ext2_ext_attr.h>

#include "tree/xattr.h"

#define UNIT EXT2_EXT_ATTR_PAD
#define UNITS_MAX (65536U / UNIT)	/* inodes are no larger than blocks */
#define MAGIC_SIZE 4U
#define END_SIZE 4U			/* the zero word behind the entries */

static uint64_t cost_of(const bfo_xattrs *set, const uint8_t *inside, int which)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < set->n; i++)
		if (inside[i] == which)
			sum += bfo_xattr_cost(&set->v[i]);
	return sum;
}

static int only_inside(const struct bfo_xattr *x)
{
	return !x->name_index || bfo_xattr_is_data(x);
}

/* What is read most stands nearest: labels at every open, ACLs with every permission. */
static unsigned int kind(const struct bfo_xattr *x)
{
	switch (x->name_index) {
	case BFO_XATTR_SECURITY:
		return 0;
	case BFO_XATTR_ACL_ACCESS:
	case BFO_XATTR_ACL_DEFAULT:
	case BFO_XATTR_RICHACL:
		return 1;
	default:
		return 2;
	}
}

/* The attribute to come inside next, if any of those outside costs no more than ROOM, or set->n. */
static size_t next_inside(const bfo_xattrs *set, const uint8_t *inside, uint64_t room)
{
	const struct bfo_xattr *x, *best = NULL;
	size_t i, found = set->n;

	for (i = 0; i < set->n; i++) {
		x = &set->v[i];
		if (inside[i] || bfo_xattr_cost(x) > room)
			continue;
		if (!best || kind(x) < kind(best) ||
		    (kind(x) == kind(best) && bfo_xattr_cost(x) < bfo_xattr_cost(best))) {
			best = x;
			found = i;
		}
	}
	return found;
}

static void fill_by_kind(const bfo_xattrs *set, uint64_t room, uint8_t *inside)
{
	size_t i;

	while ((i = next_inside(set, inside, room)) < set->n) {
		inside[i] = 1;
		room -= bfo_xattr_cost(&set->v[i]);
	}
}

/*
 * Which attributes come nearest to ROOM bytes?  The subset sum problem, by dynamic programming:
 * via[u] is one more than the attribute with which a sum of u units was first reached, so the
 * remaining sum was reached by attributes before it.
 */
static void fill_best(const bfo_xattrs *set, uint64_t room, uint8_t *inside)
{
	uint32_t units = room / UNIT, u, c;
	uint16_t via[UNITS_MAX + 1];
	size_t i;

	assert(units <= UNITS_MAX && set->n < UINT16_MAX);
	memset(via, 0, (units + 1) * sizeof(via[0]));
	via[0] = UINT16_MAX;
	for (i = 0; i < set->n; i++) {
		if (only_inside(&set->v[i]) || bfo_xattr_cost(&set->v[i]) > room)
			continue;
		c = bfo_xattr_cost(&set->v[i]) / UNIT;
		for (u = units; u >= c; u--)
			if (!via[u] && via[u - c])
				via[u] = i + 1;
	}
	for (u = units; !via[u]; u--)
		;
	for (; u; u -= bfo_xattr_cost(&set->v[i]) / UNIT) {
		i = via[u] - 1;
		inside[i] = 1;
	}
}

static void fill_required(const bfo_xattrs *set, uint8_t *inside)
{
	size_t i;

	for (i = 0; i < set->n; i++)
		inside[i] = only_inside(&set->v[i]);
}

/* Bytes that are left for attributes once ROOM has its HEADER and the end of its list. */
static uint64_t net(uint32_t room, uint32_t header)
{
	return room > header + END_SIZE ? room - header - END_SIZE : 0;
}

int bfo_xattrs_split(const bfo_xattrs *set, uint32_t inode_room, uint32_t block_room,
		     uint8_t *inside)
{
	uint64_t in = net(inode_room, MAGIC_SIZE), required, all;
	uint64_t out = net(block_room, sizeof(struct ext2_ext_attr_header));

	fill_required(set, inside);
	required = cost_of(set, inside, 1);
	all = required + cost_of(set, inside, 0);
	if (required > in || all > in + out)
		return -1;
	fill_by_kind(set, in - required, inside);
	if (cost_of(set, inside, 0) > out) {
		fill_required(set, inside);
		fill_best(set, in - required, inside);
	}
	if (cost_of(set, inside, 0) > out)
		return -1;
	return all > in;
}
