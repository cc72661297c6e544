// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * steps.c - how far one order agrees with another
 *
 * Without ties, Spearman's coefficient needs the differences of ranks alone:
 *
 *   1 - 6 * sum((rank in one order - rank in the other)^2) / (n^3 - n)
 */
#include <math.h>

#include "base/sort.h"
#include "layout/steps.h"

errcode_t bfo_steps_add(struct bfo_steps *s, uint64_t place)
{
	if (s->spots.n) {
		s->steps++;
		s->ascending += place > s->last;
	}
	s->last = place;
	return bfo_vec_push(&s->spots, (struct bfo_spot) { .hi = place >> 32, .lo = place,
			    .at = s->spots.n });
}

static double correlation(struct bfo_steps *s)
{
	double n = s->spots.n, sum = 0, d;
	size_t i;

	bfo_sort(s->spots.v, s->spots.n, sizeof(*s->spots.v), 3);
	for (i = 0; i < s->spots.n; i++) {
		d = (double) i - s->spots.v[i].at;
		sum += d * d;
	}
	return 1 - 6 * sum / (n * (n * n - 1));
}

struct bfo_agreement bfo_steps_end(struct bfo_steps *s)
{
	struct bfo_agreement a = { .things = s->spots.n, .ascending = NAN, .correlation = NAN };

	if (s->steps) {
		a.ascending = (double) s->ascending / s->steps;
		a.correlation = correlation(s);
	}
	bfo_vec_free(&s->spots);
	return a;
}
