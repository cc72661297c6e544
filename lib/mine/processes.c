// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * processes.c - what a trace's processes are in the middle of
 */
#include <stdlib.h>
#include <string.h>

#include "mine/processes.h"

static uint32_t set_of(const char *name, size_t len)
{
	uint32_t hash = 2166136261U;		/* FNV-1a */

	while (len--)
		hash = (hash ^ (uint8_t) *name++) * 16777619U;
	return (hash ^ hash >> 16) % BFO_PROCESS_SETS;
}

static struct bfo_process *find_in(struct bfo_process *set, const char *name, size_t len)
{
	int i;

	for (i = 0; i < BFO_PROCESS_WAYS; i++)
		if (set[i].len == len && !memcmp(set[i].name, name, len))
			return &set[i];
	return NULL;
}

struct bfo_process *bfo_processes_find(struct bfo_processes *p, const char *name, size_t len)
{
	if (!len || len > BFO_PROCESS_NAME)
		return NULL;
	return find_in(p->v[set_of(name, len)], name, len);
}

struct bfo_process *bfo_processes_get(struct bfo_processes *p, const char *name, size_t len)
{
	struct bfo_process *found = bfo_processes_find(p, name, len);
	uint32_t set;

	if (found || !len || len > BFO_PROCESS_NAME)
		return found;
	set = set_of(name, len);
	found = &p->v[set][p->next[set]];
	p->next[set] = (p->next[set] + 1) % BFO_PROCESS_WAYS;
	bfo_process_clear(found);
	memcpy(found->name, name, len);
	found->len = len;
	return found;
}

void bfo_process_clear(struct bfo_process *p)
{
	free(p->call);
	free(p->cwd);
	memset(p, 0, sizeof(*p));
}

void bfo_process_set(struct bfo_path **at, const struct bfo_path *path)
{
	if (!*at)
		*at = malloc(sizeof(**at));
	if (!*at)
		return;
	(*at)->len = path->len;
	memcpy((*at)->text, path->text, path->len);
}

void bfo_processes_free(struct bfo_processes *p)
{
	uint32_t i;

	for (i = 0; i < BFO_PROCESS_SETS * BFO_PROCESS_WAYS; i++)
		bfo_process_clear(&p->v[i / BFO_PROCESS_WAYS][i % BFO_PROCESS_WAYS]);
}
