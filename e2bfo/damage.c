// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * damage.c - a message about something damaged
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/message.h"
#include "damage.h"

/* Which bytes of its inode F is about. */
static void take_part(struct damage *d, const struct bfo_tree *t, const struct bfo_finding *f)
{
	bfo_row row = bfo_tree_find(t, f->ino);

	if (f->len != BFO_NO_NAME || !f->blocks || row == BFO_NONE)
		return;
	d->from = f->lblk * t->block_size;
	d->to = d->from + (uint64_t) f->blocks * t->block_size;
	if (S_ISREG(t->inodes.v[row].mode) && d->to > t->inodes.v[row].size &&
	    d->from < t->inodes.v[row].size)
		d->to = t->inodes.v[row].size;
}

struct damage damage_of(const struct bfo_tree *t, const struct bfo_finding *f)
{
	struct damage d = { .kind = f->kind, .ino = bfo_tree_shown_ino(t, f->ino), .blk = f->blk };

	if (f->kind == BFO_UNREAD_TABLE)
		d.inodes = f->blocks;
	else
		take_part(&d, t, f);
	return d;
}

const char *damage_where(const struct damage *d, char *out, size_t size)
{
	size_t at = 0;

	*out = 0;
	if (d->dir)
		at = snprintf(out, size, " in directory %u", d->dir);
	if (d->to)
		at += snprintf(out + at, size - at, ", bytes %llu to %llu",
			       (unsigned long long) d->from, (unsigned long long) d->to - 1);
	if (d->blk)
		snprintf(out + at, size - at, ", block %llu", (unsigned long long) d->blk);
	return out;
}

void damage_tell(const char *volume, const char *path, size_t len, const struct damage *d)
{
	size_t size = 4 * len + 8;
	char *shown = malloc(size), where[DAMAGE_WHERE];

	message("%s: %s: %s%s (inode %llu%s)", volume,
		shown ? bfo_text_escape(path, len, shown, size) : "?",
		d->moving ? "was changing while it was read: " : "",
		bfo_finding_table[d->kind].text, (unsigned long long) d->ino,
		damage_where(d, where, sizeof(where)));
	free(shown);
}

void damage_json(struct json *j, const struct damage *d)
{
	json_number(j, "inode", d->ino);
	if (d->dir)
		json_number(j, "directory", d->dir);
	if (d->inodes)
		json_number(j, "inodes", d->inodes);
	if (d->to) {
		json_number(j, "offset", d->from);
		json_number(j, "length", d->to - d->from);
	}
	if (d->blk)
		json_number(j, "block", d->blk);
}
