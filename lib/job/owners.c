// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * owners.c - who is going to own what is copied
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job/owners.h"

/* A number of 32 bits that ends at END; *TEXT moves behind it, and behind END unless that is 0. */
static int read_id(const char **text, char end, uint32_t *id)
{
	uint64_t value = 0;
	const char *at = *text;

	if (*at < '0' || *at > '9')
		return 0;
	for (; *at >= '0' && *at <= '9' && value <= UINT32_MAX; at++)
		value = value * 10 + (*at - '0');
	if (value > UINT32_MAX || (end ? *at != end : *at && *at != ' '))
		return 0;
	*id = value;
	*text = end ? at + 1 : at;
	return 1;
}

static int overlaps(const bfo_id_ranges *ranges, const struct bfo_id_range *r)
{
	size_t i;

	for (i = 0; i < ranges->n; i++)
		if (r->from < (uint64_t) ranges->v[i].from + ranges->v[i].count &&
		    ranges->v[i].from < (uint64_t) r->from + r->count)
			return 1;
	return 0;
}

/* UINT32_MAX is nobody: chown(2) has it so. */
static int is_range(const struct bfo_id_range *r)
{
	return r->count && r->from <= UINT32_MAX - r->count && r->to <= UINT32_MAX - r->count;
}

static errcode_t read_range(const char **text, bfo_id_ranges *ranges)
{
	struct bfo_id_range r;

	if (!read_id(text, ':', &r.from) || !read_id(text, ':', &r.to) ||
	    !read_id(text, 0, &r.count) || !is_range(&r) || overlaps(ranges, &r))
		return EINVAL;
	return bfo_vec_push(ranges, r);
}

static errcode_t read_one(const char **text, int *has, uint32_t *id)
{
	*has = 1;
	return read_id(text, 0, id) && *id != UINT32_MAX ? 0 : EINVAL;
}

static int skip(const char **text, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*text, word, len))
		return 0;
	*text += len;
	return 1;
}

errcode_t bfo_owners_read(const char *text, struct bfo_amend *a)
{
	errcode_t err = 0;

	for (; text && *text && !err; text += *text == ' ') {
		if (skip(&text, "owner="))
			err = read_one(&text, &a->has_owner, &a->owner);
		else if (skip(&text, "group="))
			err = read_one(&text, &a->has_group, &a->group);
		else if (skip(&text, "users="))
			err = read_range(&text, &a->users);
		else if (skip(&text, "groups="))
			err = read_range(&text, &a->groups);
		else
			err = EINVAL;
	}
	return err;
}

void bfo_owners_free(struct bfo_amend *a)
{
	bfo_vec_free(&a->users);
	bfo_vec_free(&a->groups);
}
