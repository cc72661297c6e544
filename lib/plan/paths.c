// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * paths.c - which files paths lead to, for who asks millions of times, often for the same
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mine/path_text.h"
#include "plan/lookup.h"
#include "plan/paths.h"

#define SLOTS (1U << 20)
#define FOLDERS (1U << 16)

errcode_t bfo_paths_init(struct bfo_paths *p, struct bfo_plan *plan)
{
	p->plan = plan;
	p->slots = calloc(SLOTS, sizeof(*p->slots));
	p->folders = calloc(FOLDERS, sizeof(*p->folders));
	return p->slots && p->folders ? 0 : bfo_fail(plan->ctx, ENOMEM, "looking for paths");
}

void bfo_paths_free(struct bfo_paths *p)
{
	free(p->slots);
	free(p->folders);
	p->slots = NULL;
	p->folders = NULL;
}

/* FNV-1a, never 0; its low bits are mixed by the high ones. */
static uint64_t hash_of(const char *path, size_t len)
{
	uint64_t h = 0xcbf29ce484222325ULL;
	size_t i;

	for (i = 0; i < len; i++)
		h = (h ^ (unsigned char) path[i]) * 0x100000001b3ULL;
	h ^= h >> 32;
	return h ? h : 1;
}

/* Follows the LEN bytes at L->path, which end in NUL for now. */
static errcode_t find_folder(struct bfo_paths *p, struct bfo_lookup *l, size_t len, int *found)
{
	uint64_t hash = hash_of(l->path, len);
	struct bfo_folder_slot *slot = &p->folders[hash % FOLDERS];
	errcode_t err = 0;

	if (slot->hash != hash) {
		err = bfo_lookup_rest(p->plan, l, found);
		if (!err)
			*slot = (struct bfo_folder_slot) { hash, l->pos, *found };
	}
	l->pos = slot->pos;
	*found = slot->found;
	return err;
}

static errcode_t find_file(struct bfo_paths *p, char *path, size_t len, bfo_row *row)
{
	char *slash = memrchr(path, '/', len);
	struct bfo_lookup l = bfo_lookup_begin(path);
	int found = 1;
	errcode_t err = 0;

	if (slash && slash > path) {
		*slash = 0;
		err = find_folder(p, &l, slash - path, &found);
		*slash = '/';
		l.rest = slash;
	}
	return err || !found ? err : bfo_lookup_file(p->plan, l, row);
}

errcode_t bfo_paths_find(struct bfo_paths *p, const char *path, size_t len, bfo_row *row)
{
	uint64_t hash = hash_of(path, len);
	struct bfo_path_slot *slot = &p->slots[hash % SLOTS];
	char text[BFO_PATH_MOST + 1];
	errcode_t err;

	*row = BFO_NONE;
	if (slot->hash == hash) {
		*row = slot->row;
		return 0;
	}
	if (len > BFO_PATH_MOST || memchr(path, 0, len))
		return 0;
	memcpy(text, path, len);
	text[len] = 0;
	err = find_file(p, text, len, row);
	if (!err)
		*slot = (struct bfo_path_slot) { .hash = hash, .row = *row };
	return err;
}
