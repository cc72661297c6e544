// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pax_acl.c - access control lists as pax archives have them
 *
 * The kernel wants entries in one order, so the text is read once for each kind of them.
 */
#include <string.h>

#include "base/bfo_err.h"
#include "intake/pax_acl.h"
#include "tree/acl.h"

static int read_permissions(const struct bfo_pax_text *t, uint16_t *out)
{
	static const char letters[] = "rwx";
	size_t i;

	*out = 0;
	for (i = 0; i < 3 && t->len == 3; i++) {
		if (t->v[i] != letters[i] && t->v[i] != '-')
			return 0;
		*out = *out << 1 | (t->v[i] == letters[i]);
	}
	return i == 3;
}

/* Of two numbers that are the same one, the second may be missing. */
static int read_id(const struct bfo_pax_text *name, const struct bfo_pax_text *number, int has_one,
		   uint32_t *id)
{
	uint64_t n = 0, other = 0;
	int is_number = bfo_pax_number(name, 10, UINT32_MAX, &n);

	*id = n;
	if (!has_one)
		return is_number;
	if (!bfo_pax_number(number, 10, UINT32_MAX, &other) || (is_number && other != n))
		return 0;
	*id = other;
	return 1;
}

/* The kind of the entry, which E becomes; BFO_ACL_KINDS: it is none. */
static size_t read_entry(struct bfo_pax_text text, struct bfo_acl_entry *e)
{
	int more, has_number;
	struct bfo_pax_text word = bfo_pax_text_cut(&text, ':', &more);
	struct bfo_pax_text name = bfo_pax_text_cut(&text, ':', &more);
	struct bfo_pax_text permissions = bfo_pax_text_cut(&text, ':', &has_number);
	const struct bfo_acl_kind *k = bfo_acl_kinds;
	size_t i;

	for (i = 0; i < BFO_ACL_KINDS; i++, k++)
		if (bfo_pax_text_is(&word, k->word) && k->has_id == (name.len > 0 || has_number))
			break;
	if (!more || i == BFO_ACL_KINDS || !read_permissions(&permissions, &e->may))
		return BFO_ACL_KINDS;
	e->tag = k->tag;
	e->id = BFO_ACL_NO_ID;
	return k->has_id && !read_id(&name, &text, has_number, &e->id) ? BFO_ACL_KINDS : i;
}

/* Appends the entries of KIND to those that LIST has, *N; 0: one of any kind is none. */
static int put_entries(struct bfo_pax_text rest, size_t kind, char *list, size_t *n)
{
	struct bfo_acl_entry e;
	int more = 1;

	while (more) {
		size_t found = read_entry(bfo_pax_text_cut(&rest, ',', &more), &e);

		if (found == BFO_ACL_KINDS)
			return 0;
		if (found == kind)
			bfo_acl_put(list, (*n)++, &e);
	}
	return 1;
}

errcode_t bfo_pax_acl(const struct bfo_pax_text *text, bfo_chars *out)
{
	size_t kind, n = 0;
	errcode_t err;

	out->n = 0;
	/* an entry has 8 bytes of text at least, like "mask::r-x" without its separator */
	err = bfo_vec_reserve(out, BFO_ACL_SEEN_BYTES(1) + text->len);
	if (err)
		return err;
	bfo_acl_begin(out->v);
	for (kind = 0; kind < BFO_ACL_KINDS; kind++)
		if (!put_entries(*text, kind, out->v, &n))
			return BFO_ET_DAMAGED;
	out->n = BFO_ACL_SEEN_BYTES(n);
	return 0;
}
