// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * send_level.c - the level of compression that lets a stream pass fastest
 */
#include <string.h>

#include "export/packed.h"
#include "export/send_level.h"

#define FORGET_AFTER 16U		/* looks */

static const int levels[BFO_SEND_LEVELS] = { BFO_PACKED_NONE, -5, -1, 1, 3, 6 };

void bfo_send_level_begin(struct bfo_send_level *l, int level)
{
	memset(l, 0, sizeof(*l));
	while (l->at + 1 < BFO_SEND_LEVELS && levels[l->at] < level)
		l->at++;
}

int bfo_send_level(const struct bfo_send_level *l)
{
	return levels[l->at];
}

/* True if the level at index AT is not known to be slower than this one. */
static int is_worth_it(const struct bfo_send_level *l, size_t at)
{
	return !l->rates[at] || l->rates[at] > l->rates[l->at];
}

static int is_for_threads(const struct bfo_send_look *look)
{
	return look->waited > look->seconds / 8 && look->waited > look->blocked;
}

static int is_for_pipe(const struct bfo_send_look *look)
{
	return look->blocked > look->seconds / 2;
}

void bfo_send_level_look(struct bfo_send_level *l, const struct bfo_send_look *look)
{
	if (++l->looks == FORGET_AFTER) {
		memset(l->rates, 0, sizeof(l->rates));
		l->looks = 0;
	}
	l->rates[l->at] = look->bytes / look->seconds;
	if (is_for_threads(look) && l->at && is_worth_it(l, l->at - 1))
		l->at--;
	else if (is_for_pipe(look) && l->at + 1 < BFO_SEND_LEVELS && is_worth_it(l, l->at + 1))
		l->at++;
}
