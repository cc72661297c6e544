// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pace.c - so many bytes a second, and not more in any one
 */
#include <assert.h>
#include <stddef.h>

#include "base/pace.h"

/* of the limit: small enough to lose little, large enough for bulk */
#define SHARE 32

void bfo_pace_init(struct bfo_pace *p, uint64_t limit, const struct bfo_timer *timer,
		   const volatile sig_atomic_t *cancel)
{
	uint64_t burst = limit / SHARE;

	assert(limit >= BFO_PACE_LEAST);
	if (burst < BFO_PACE_BURST)
		burst = BFO_PACE_BURST;
	*p = (struct bfo_pace) { .burst = burst, .fill = limit - burst, .have = burst,
				 .last = timer->now(timer->priv), .timer = timer,
				 .cancel = cancel };
}

static void fill(struct bfo_pace *p)
{
	double now = p->timer->now(p->timer->priv);

	p->have += (now - p->last) * p->fill;
	if (p->have > p->burst)
		p->have = p->burst;
	p->last = now;
}

static int is_cancelled(const struct bfo_pace *p)
{
	return p->cancel && __atomic_load_n(p->cancel, __ATOMIC_RELAXED);
}

void bfo_pace_take(struct bfo_pace *p, uint64_t bytes)
{
	double need;

	if (!p)
		return;
	need = bytes < p->burst ? bytes : p->burst;
	for (fill(p); p->have < need && !is_cancelled(p); fill(p))
		p->timer->wait(p->timer->priv, (need - p->have) / p->fill);
	p->have -= bytes;
}
