/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the judges share: sums, escaped names, the first path of each inode or block. Nothing
 * here comes from the library they judge.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include <err.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_SHOWN	64

struct sum {
	uint64_t a, b;
};

struct link {			/* an inode or a block and the first path that has it */
	uint64_t id;
	unsigned uses, claimed;
	char *path;
};

struct links {
	struct link *slot;
	size_t slots, used;
};

/* Two independent sums of a sequence of words; short of an adversary they do not collide. */
static inline uint64_t rotate(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

static inline void sum_word(struct sum *s, uint64_t w)
{
	s->a = rotate(s->a ^ (w * 0x9E3779B185EBCA87ULL), 31) * 0xC2B2AE3D27D4EB4FULL;
	s->b = (rotate(s->b, 23) + w) * 0xD6E8FEB86659FD93ULL;
}

static inline void sum_bytes(struct sum *s, const void *data, size_t len)
{
	const unsigned char *p = data;
	uint64_t w;

	for (; len >= 8; p += 8, len -= 8) {
		memcpy(&w, p, 8);
		sum_word(s, w);
	}
	w = 0;
	memcpy(&w, p, len);
	sum_word(s, w ^ (uint64_t)len << 56);
}

static inline void sum_end(struct sum *s)
{
	s->a = (s->a ^ s->a >> 33) * 0xFF51AFD7ED558CCDULL;
	s->a ^= s->a >> 29;
	s->b = (s->b ^ s->b >> 31) * 0xC4CEB9FE1A85EC53ULL;
	s->b ^= s->b >> 32;
}

static inline size_t escape(char *out, const char *in, size_t len)
{
	char *start = out;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = in[i];

		if (c > ' ' && c < 0x7f && c != '\\' && c != '=')
			*out++ = c;
		else
			out += sprintf(out, "\\x%02x", c);
	}
	*out = 0;
	return out - start;
}

static inline void print_value(const unsigned char *value, size_t len)
{
	struct sum s = { 1, 2 };

	if (len <= VALUE_SHOWN) {
		for (size_t i = 0; i < len; i++)
			printf("%02x", value[i]);
		return;
	}
	sum_bytes(&s, value, len);
	sum_end(&s);
	printf("%zu:%016" PRIx64 "%016" PRIx64, len, s.a, s.b);
}

static inline struct link *links_slot(const struct links *l, uint64_t id)
{
	size_t i = id * 0x9E3779B97F4A7C15ULL >> 20 & (l->slots - 1);

	while (l->slot[i].path && l->slot[i].id != id)
		i = (i + 1) & (l->slots - 1);
	return l->slot + i;
}

static inline void links_grow(struct links *l)
{
	struct links more = { .slots = l->slots ? 2 * l->slots : 1024, .used = l->used };

	more.slot = calloc(more.slots, sizeof(*more.slot));
	if (!more.slot)
		err(2, "memory");
	for (size_t i = 0; i < l->slots; i++)
		if (l->slot[i].path)
			*links_slot(&more, l->slot[i].id) = l->slot[i];
	free(l->slot);
	*l = more;
}

static inline struct link *links_count(struct links *l, uint64_t id, const char *path)
{
	struct link *slot;

	if (2 * l->used >= l->slots)
		links_grow(l);
	slot = links_slot(l, id);
	if (!slot->path) {
		slot->id = id;
		slot->path = strdup(path);
		if (!slot->path)
			err(2, "memory");
		l->used++;
	}
	slot->uses++;
	return slot;
}

static inline int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

#endif
