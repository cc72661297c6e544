// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extract_notes.c - what was made; what could not be kept: counts, and the first path of each kind
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/extract_state.h"

static const struct {
	const char *word, *text;
	int is_common, is_asked;
} kinds[BFO_NOTE_KINDS] = {
	[BFO_NOTE_OWNER] = { "owner", "owner and group cannot be set" },
	[BFO_NOTE_MODE] = { "mode", "permissions cannot be set" },
	[BFO_NOTE_SETID] = { "set-id", "set-id bits cannot be set" },
	[BFO_NOTE_ACL] = { "acl", "access control lists cannot be set" },
	[BFO_NOTE_XATTR] = { "xattr", "extended attributes cannot be set" },
	[BFO_NOTE_CAPABILITY] = { "capability", "capabilities cannot be set" },
	[BFO_NOTE_FLAGS] = { "flags", "flags cannot be set" },
	[BFO_NOTE_IMMUTABLE] = { "immutable", "immutable and append-only flags cannot be set" },
	[BFO_NOTE_PROJECT] = { "project", "projects cannot be set" },
	[BFO_NOTE_TIME] = { "time", "times of modification and access cannot be set" },
	[BFO_NOTE_UNWRITTEN] = { "unwritten", "preallocation is not possible" },
	[BFO_NOTE_DEVICE] = { "device", "devices cannot be made" },
	[BFO_NOTE_SPECIAL] = { "special", "fifos and sockets cannot be made" },
	[BFO_NOTE_SYMLINK] = { "symlink", "symbolic links cannot be made" },
	[BFO_NOTE_LINK] = { "link", "hard links cannot be made" },
	[BFO_LEFT_DEVICE] = { "no-devices", "devices were left out", 0, 1 },
	[BFO_LEFT_SETID] = { "no-suid", "set-id bits were left out", 0, 1 },
	[BFO_LEFT_CAPABILITY] = { "no-capabilities", "capabilities were left out", 0, 1 },
	[BFO_LEFT_XATTR] = { "no-xattrs", "extended attributes were left out", 0, 1 },
	[BFO_NOTE_CTIME] = { "ctime", "times of change cannot be set", 1 },
	[BFO_NOTE_CRTIME] = { "crtime", "times of birth cannot be set", 1 },
	[BFO_NOTE_GENERATION] = { "generation", "generations cannot be set", 1 },
	[BFO_NOTE_VERSION] = { "version", "versions cannot be set", 1 },
	[BFO_NOTE_NUMBER] = { "number", "inode numbers cannot be chosen", 1 },
};

/* ---- what was made ---- */

struct bfo_extract_counts bfo_extract_counts(const struct bfo_outlet *outlet, int is_planned)
{
	const struct bfo_extract *s = outlet->priv;

	return is_planned ? s->planned : s->made;
}

/* ---- what could not be kept ---- */

errcode_t bfo_extract_note(struct bfo_extract *s, enum bfo_extract_kind kind, const char *path,
			   size_t len)
{
	if (!s->counts[kind]++)
		s->firsts[kind] = len ? strndup(path, len) : strdup("/");
	return s->firsts[kind] ? 0 : ENOMEM;
}

errcode_t bfo_extract_note_common(struct bfo_extract *s, const struct bfo_item *item)
{
	const struct { int is_lost; enum bfo_extract_kind kind; } rows[] = {
		{ 1, BFO_NOTE_CTIME },
		{ item->attrs.has_crtime, BFO_NOTE_CRTIME },
		{ !!item->attrs.generation, BFO_NOTE_GENERATION },
		{ !!item->attrs.version, BFO_NOTE_VERSION },
		{ !!item->ino, BFO_NOTE_NUMBER },
	};
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows) && !err; i++)
		if (rows[i].is_lost)
			err = bfo_extract_note(s, rows[i].kind, item->path, item->path_len);
	return err;
}

static struct bfo_extract_note row_of(enum bfo_extract_kind kind, uint64_t count, const char *first)
{
	return (struct bfo_extract_note) {
		.word = kinds[kind].word, .text = kinds[kind].text,
		.is_common = kinds[kind].is_common, .is_asked = kinds[kind].is_asked,
		.count = count, .first = first };
}

size_t bfo_extract_left_out(uint64_t devices, uint64_t set_ids, uint64_t capabilities,
			    struct bfo_extract_note notes[BFO_EXTRACT_LEFT])
{
	const struct { enum bfo_extract_kind kind; uint64_t count; } rows[BFO_EXTRACT_LEFT] = {
		{ BFO_LEFT_DEVICE, devices },
		{ BFO_LEFT_SETID, set_ids },
		{ BFO_LEFT_CAPABILITY, capabilities },
	};
	size_t i, n = 0;

	for (i = 0; i < BFO_EXTRACT_LEFT; i++)
		if (rows[i].count)
			notes[n++] = row_of(rows[i].kind, rows[i].count, NULL);
	return n;
}

const struct bfo_extract_note *bfo_extract_notes(const struct bfo_outlet *outlet, size_t *n)
{
	struct bfo_extract *s = outlet->priv;
	int kind;

	*n = 0;
	for (kind = 0; kind < BFO_NOTE_KINDS; kind++)
		if (s->counts[kind])
			s->notes[(*n)++] = row_of(kind, s->counts[kind], s->firsts[kind]);
	return s->notes;
}
