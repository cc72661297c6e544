// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * member_path.c - paths of an archive's members, component by component
 */
#include <string.h>
#include <ext2fs/ext2_fs.h>

#include "intake/member_path.h"

const char *bfo_member_path_strip(const char *at, const char *end, unsigned int components)
{
	while (at < end && *at == '/')
		at++;
	for (; components && at < end; components--) {
		while (at < end && *at != '/')
			at++;
		while (at < end && *at == '/')
			at++;
	}
	return at;
}

const char *bfo_member_path_step(struct bfo_member_path *p)
{
	do {
		while (p->at < p->end && *p->at == '/')
			p->at++;
		p->name = p->at;
		while (p->at < p->end && *p->at != '/')
			p->at++;
		p->len = p->at - p->name;
	} while (p->len == 1 && *p->name == '.');
	if (p->len == 2 && !memcmp(p->name, "..", 2))
		return "a path with \"..\"";
	return p->len > EXT2_NAME_LEN ? "a name of more than 255 bytes" : NULL;
}

int bfo_member_path_is_last(const struct bfo_member_path *p)
{
	struct bfo_member_path rest = *p;

	return !bfo_member_path_step(&rest) && !rest.len;
}
