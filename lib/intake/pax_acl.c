// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pax_acl.c - access control lists as pax archives have them
 *
 * The kernel wants entries in one order, so the text is read once for each kind of them.
 */
#include <string.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "intake/pax_acl.h"

#define VERSION 2U
#define HEAD_BYTES 4U
#define ENTRY_BYTES 8U
#define NO_ID UINT32_MAX

static const struct { const char *word; int has_name; uint16_t tag; } kinds[] = {
	{ "user", 0, 1 }, { "user", 1, 2 }, { "group", 0, 4 }, { "group", 1, 8 },
	{ "mask", 0, 16 }, { "other", 0, 32 },
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

struct entry {
	size_t kind;
	uint16_t permissions;
	uint32_t id;
};

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

static int read_entry(struct bfo_pax_text text, struct entry *e)
{
	int more, has_number;
	struct bfo_pax_text word = bfo_pax_text_cut(&text, ':', &more);
	struct bfo_pax_text name = bfo_pax_text_cut(&text, ':', &more);
	struct bfo_pax_text permissions = bfo_pax_text_cut(&text, ':', &has_number);

	for (e->kind = 0; e->kind < KINDS; e->kind++)
		if (bfo_pax_text_is(&word, kinds[e->kind].word) &&
		    kinds[e->kind].has_name == (name.len > 0 || has_number))
			break;
	e->id = NO_ID;
	return more && e->kind < KINDS && read_permissions(&permissions, &e->permissions) &&
	       (!kinds[e->kind].has_name || read_id(&name, &text, has_number, &e->id));
}

/* Appends the entries of KIND; 0: one of any kind is none. */
static int put_entries(struct bfo_pax_text rest, size_t kind, bfo_chars *out)
{
	struct entry e;
	int more = 1;

	while (more) {
		if (!read_entry(bfo_pax_text_cut(&rest, ',', &more), &e))
			return 0;
		if (e.kind != kind)
			continue;
		put_le16(out->v, out->n, kinds[kind].tag);
		put_le16(out->v, out->n + 2, e.permissions);
		put_le32(out->v, out->n + 4, e.id);
		out->n += ENTRY_BYTES;
	}
	return 1;
}

errcode_t bfo_pax_acl(const struct bfo_pax_text *text, bfo_chars *out)
{
	errcode_t err;
	size_t kind;

	out->n = 0;
	/* an entry has 8 bytes of text at least, like "mask::r-x" without its separator */
	err = bfo_vec_reserve(out, HEAD_BYTES + ENTRY_BYTES + text->len);
	if (err)
		return err;
	put_le32(out->v, 0, VERSION);
	out->n = HEAD_BYTES;
	for (kind = 0; kind < KINDS; kind++)
		if (!put_entries(*text, kind, out))
			return BFO_ET_DAMAGED;
	return 0;
}
