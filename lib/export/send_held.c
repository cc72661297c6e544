// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * send_held.c - frames of a stream that may not leave yet
 */
#include <string.h>

#include "export/send_held.h"

void bfo_send_hold(struct bfo_send_held *held, const struct bfo_stream_head *h, const void *stored)
{
	if (held->is_over)
		return;
	if (h->stored > held->most - held->stored.n ||
	    bfo_vec_reserve(&held->stored, h->stored) || bfo_vec_push(&held->heads, *h)) {
		bfo_send_held_free(held);
		held->is_over = 1;
		return;
	}
	memcpy(held->stored.v + held->stored.n, stored, h->stored);
	held->stored.n += h->stored;
}

void bfo_send_held_free(struct bfo_send_held *held)
{
	bfo_vec_free(&held->heads);
	bfo_vec_free(&held->stored);
}
