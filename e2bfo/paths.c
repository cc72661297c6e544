// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * paths.c - which files paths lead to, for who asks millions of times, often for the same
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mine/path.h"
#include "plan/lookup.h"
#include "paths.h"

#define SLOTS (1U << 20)

errcode_t paths_init(struct paths *p, struct bfo_plan *plan)
{
	p->plan = plan;
	p->slots = calloc(SLOTS, sizeof(*p->slots));
	return p->slots ? 0 : bfo_fail(plan->ctx, ENOMEM, "looking for paths");
}

void paths_free(struct paths *p)
{
	free(p->slots);
	p->slots = NULL;
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

errcode_t paths_find(struct paths *p, const char *path, size_t len, uint32_t *inode)
{
	uint64_t hash = hash_of(path, len);
	struct path_slot *slot = &p->slots[hash % SLOTS];
	char text[BFO_PATH_MOST + 1];
	errcode_t err;

	*inode = BFO_NONE;
	if (slot->hash == hash) {
		*inode = slot->inode;
		return 0;
	}
	if (len > BFO_PATH_MOST || memchr(path, 0, len))
		return 0;
	memcpy(text, path, len);
	text[len] = 0;
	err = bfo_lookup_file(p->plan, text, inode);
	if (!err)
		*slot = (struct path_slot) { .hash = hash, .inode = *inode };
	return err;
}
