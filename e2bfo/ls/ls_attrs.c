// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ls_attrs.c - what JSON says of inode flags and extended attributes
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <e2p/e2p.h>

#include "gather/inode_check.h"
#include "ls_attrs.h"

/* libe2p prints "---" for a bit without a name. */
static errcode_t name_flag(char *out, unsigned long flag)
{
	FILE *f = fmemopen(out, LS_FLAG_NAME, "w");

	if (!f)
		return errno;
	print_flags(f, flag, PFOPT_LONG);
	fclose(f);
	out[LS_FLAG_NAME - 1] = 0;
	if (*out == '-')
		*out = 0;
	return 0;
}

errcode_t ls_attrs_begin(struct ls_attrs *a)
{
	errcode_t err = 0;
	int bit;

	for (bit = 0; bit < LS_FLAGS && !err; bit++)
		err = name_flag(a->flags[bit], 1UL << bit);
	return err;
}

void ls_attrs_json_flags(const struct ls_attrs *a, struct json *j, uint32_t flags)
{
	int bit;

	json_open(j, "flag_names", '[');
	for (bit = 0; bit < LS_FLAGS; bit++)
		if (flags >> bit & 1 && *a->flags[bit])
			json_string(j, NULL, a->flags[bit]);
	json_close(j, ']');
}

static const char *get_name(void *priv, size_t i, size_t *len)
{
	const struct bfo_ea_names *e = priv;
	size_t from = i ? e->ends.v[i - 1] : 0;

	*len = e->ends.v[i] - from;
	return e->names.v + from;
}

int ls_attrs_has_xattrs(struct ls_attrs *a, const struct bfo_volume *vol,
			const struct bfo_stat *st)
{
	uint32_t bad;

	if (vol && !a->names->given)
		return bfo_inode_has_xattrs(vol, st->raw);
	return !bfo_ea_names_list(a->names, st, &bad) && a->names->ends.n;
}

uint32_t ls_attrs_json_xattrs(struct ls_attrs *a, struct json *j, const struct bfo_stat *st)
{
	uint32_t bad;

	if (bfo_ea_names_list(a->names, st, &bad))
		bad = BFO_FOUND_XATTR_INODE;
	if (bad == BFO_FOUND_KINDS)
		json_strings(j, "xattrs", a->names->ends.n, get_name, a->names);
	else
		json_string(j, "xattrs", NULL);
	return bad;
}
