// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * send_member.c - an item of a plan as a member of a stream
 */
#include <string.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "export/send_member.h"
#include "tree/acl.h"

/* X as other programs see it, at the end of s->names and s->values, which have room for it. */
static errcode_t make_xattr(struct bfo_send_member *s, const struct bfo_xattr *x,
			    struct bfo_member_xattr *out)
{
	const int is_seen = bfo_xattr_prefix(x->name_index) != NULL;
	char *name = s->names.v + s->names.n;
	size_t len, at = s->values.n;
	errcode_t err;

	len = is_seen ? bfo_xattr_name(x, name) : x->name_len;
	if (!is_seen)
		memcpy(name, x->name, len);
	if (!len || memchr(name, 0, len))
		return BFO_ET_DAMAGED;
	name[len] = 0;
	s->names.n += len + 1;
	*out = (struct bfo_member_xattr) { .name = name, .value = x->value, .size = x->size,
					   .has_index = !is_seen, .index = x->name_index };
	if (!bfo_xattr_is_acl(x))
		return 0;
	err = bfo_acl_to_xattr(x->value, x->size, &s->values);
	out->value = s->values.v + at;
	out->size = s->values.n - at;
	return err;
}

/* All of SET, but what no program could see: that is lost. */
static errcode_t make_xattrs(struct bfo_send_member *s, const bfo_xattrs *set)
{
	size_t i, bytes = 0;
	errcode_t err;

	s->names.n = s->values.n = s->xattrs.n = 0;
	for (i = 0; i < set->n; i++)
		bytes += bfo_xattr_is_acl(&set->v[i]) ? 2 * (size_t) set->v[i].size + 4 : 0;
	err = bfo_vec_reserve(&s->names, set->n * (BFO_XATTR_NAME_MAX + 1));
	if (!err)
		err = bfo_vec_reserve(&s->values, bytes);
	if (!err)
		err = bfo_vec_reserve(&s->xattrs, set->n);
	for (i = 0; !err && i < set->n; i++) {
		if (bfo_xattr_is_data(&set->v[i]))
			continue;
		err = make_xattr(s, &set->v[i], &s->xattrs.v[s->xattrs.n]);
		s->lost += err == BFO_ET_DAMAGED;
		s->xattrs.n += !err;
		err = err == BFO_ET_DAMAGED ? 0 : err;
	}
	return err;
}

static uint32_t tells_of(uint32_t unknown)
{
	static const struct { uint32_t unknown, tells; } rows[] = {
		{ BFO_UNKNOWN_GENERATION, BFO_TELLS_GENERATION },
		{ BFO_UNKNOWN_VERSION, BFO_TELLS_VERSION },
		{ BFO_UNKNOWN_PROJECT, BFO_TELLS_PROJECT },
		{ BFO_UNKNOWN_FLAGS, BFO_TELLS_FLAGS },
		{ BFO_UNKNOWN_HOLES, BFO_TELLS_HOLES },
	};
	uint32_t tells = BFO_TELLS_FEATURES;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		tells |= unknown & rows[i].unknown ? 0 : rows[i].tells;
	return tells;
}

static unsigned int times_of(const struct bfo_attrs *a)
{
	return 1U << BFO_MTIME | 1U << BFO_ATIME | 1U << BFO_CTIME |
	       (a->has_crtime ? 1U << BFO_CRTIME : 0);
}

static void set_secret(const struct bfo_item *item, struct bfo_member *m)
{
	m->secret = item->secret;
	m->secret_len = item->secret ? item->secret_len : 0;
	m->has_hashes = item->hashes != NULL;
	if (item->hashes) {
		m->hash = get_le32(item->hashes, 0);
		m->minor = get_le32(item->hashes, 4);
	}
}

static struct bfo_member member_of(const struct bfo_send_member *s, const struct bfo_item *item,
				   uint64_t data_end)
{
	struct bfo_member m = { .attrs = item->attrs, .tells = tells_of(s->unknown),
				.path = item->path_len ? item->path : ".",
				.path_len = item->path_len ? item->path_len : 1 };

	set_secret(item, &m);
	if (item->first) {
		m.is_link = 1;
		m.attrs = (struct bfo_attrs) { .mode = item->attrs.mode };
		m.target = item->first;
		m.target_len = item->first_len;
		return m;
	}
	m.times = times_of(&item->attrs);
	m.attrs.flags = bfo_item_flags(item);
	m.attrs.size = S_ISREG(item->attrs.mode) ? item->attrs.size : 0;
	m.encoding = item->encoding;
	m.home_block_size = item->home_block_size;
	m.data_end = data_end;
	m.xattrs = s->xattrs.n;
	if (S_ISLNK(item->attrs.mode)) {
		m.target = item->target;
		m.target_len = item->target_len;
	}
	return m;
}

uint64_t bfo_send_part(const struct bfo_part *part, uint64_t end)
{
	if (part->is_unwritten || part->from >= end)
		return 0;
	return part->len < end - part->from ? part->len : end - part->from;
}

/*
 * The byte behind all data of ITEM, which end before END: not before its size, in whole blocks of
 * what is encrypted.
 */
static uint64_t reach_of(const struct bfo_item *item, uint64_t end)
{
	uint64_t reach = item->attrs.size, home = item->home_block_size;
	size_t i;

	if (home && item->attrs.flags & EXT4_ENCRYPT_FL)
		reach = (reach + home - 1) / home * home;

	for (i = 0; i < item->n_parts; i++) {
		const struct bfo_part *part = &item->parts[i];
		uint64_t len = bfo_send_part(part, end);

		if (len && part->from + len > reach)
			reach = part->from + len;
	}
	return reach;
}

errcode_t bfo_send_member(struct bfo_send_member *s, const struct bfo_item *item, uint64_t end,
			  struct bfo_member *m)
{
	const int has_data = S_ISREG(item->attrs.mode) && !item->first;
	errcode_t err = item->first ? 0 : make_xattrs(s, &item->xattrs);

	*m = member_of(s, item, has_data ? reach_of(item, end) : 0);
	return err;
}

void bfo_send_member_free(struct bfo_send_member *s)
{
	bfo_vec_free(&s->names);
	bfo_vec_free(&s->values);
	bfo_vec_free(&s->xattrs);
}
