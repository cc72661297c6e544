// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_send_level.c - export/send_level: what a pipe and processors allow
 */
#include "export/packed.h"
#include "export/send_level.h"
#include "unit.h"

#define LOOKS 200

/*
 * A pipe that takes PIPE bytes a second, and threads that compress RATES[i] bytes a second at the
 * level of index i, to 1/RATIOS[i] of what they were.
 */
struct model {
	double pipe;
	double rates[BFO_SEND_LEVELS], ratios[BFO_SEND_LEVELS];
};

static const struct model text = {
	.rates = { 4e9, 1e9, 8e8, 5e8, 3e8, 8e7 }, .ratios = { 1, 2, 2.5, 3, 3.3, 3.6 },
};

static const struct model noise = {
	.rates = { 4e9, 3e9, 2e9, 1e9, 5e8, 1e8 }, .ratios = { 1, 1, 1, 1, 1, 1 },
};

static double passes(const struct model *m, size_t at)
{
	const double through = m->pipe * m->ratios[at];

	return through < m->rates[at] ? through : m->rates[at];
}

static double best_of(const struct model *m)
{
	double best = 0;
	size_t i;

	for (i = 0; i < BFO_SEND_LEVELS; i++)
		best = passes(m, i) > best ? passes(m, i) : best;
	return best;
}

/* Bytes a second that pass at the levels that are chosen, over all looks. */
static double chosen(const struct model *m)
{
	struct bfo_send_level l;
	double seconds = 0;
	int i;

	bfo_send_level_begin(&l, 1);
	for (i = 0; i < LOOKS; i++) {
		const int is_pipe = m->pipe * m->ratios[l.at] < m->rates[l.at];
		struct bfo_send_look look = { .bytes = 8U << 20 };

		look.seconds = look.bytes / passes(m, l.at);
		look.blocked = is_pipe ? look.seconds - look.bytes / m->rates[l.at] : 0;
		look.waited = is_pipe ? 0 : look.seconds -
			      look.bytes / (m->pipe * m->ratios[l.at]);
		seconds += look.seconds;
		bfo_send_level_look(&l, &look);
	}
	return (double) LOOKS * (8U << 20) / seconds;
}

START_TEST(any_pipe_gets_nearly_the_best)
{
	static const double pipes[] = { 1e6, 1.2e7, 1.2e8, 2e8, 3e8, 6e8, 1.2e9, 5e9 };
	struct model m;
	size_t i;

	for (i = 0; i < sizeof(pipes) / sizeof(*pipes); i++) {
		m = text;
		m.pipe = pipes[i];
		want(chosen(&m) > 0.85 * best_of(&m));
		m = noise;
		m.pipe = pipes[i];
		want(chosen(&m) > 0.85 * best_of(&m));
	}
}
END_TEST

START_TEST(what_waits_for_neither_stays)
{
	const struct bfo_send_look look = { .seconds = 1, .blocked = 0.3, .waited = 0.2,
					    .bytes = 1 << 20 };
	struct bfo_send_level l;

	bfo_send_level_begin(&l, 3);
	want_eq(bfo_send_level(&l), 3);
	bfo_send_level_look(&l, &look);
	want_eq(bfo_send_level(&l), 3);
}
END_TEST

START_TEST(the_ends_are_kept)
{
	const struct bfo_send_look blocked = { .seconds = 1, .blocked = 0.9, .bytes = 1 << 20 };
	const struct bfo_send_look waited = { .seconds = 1, .waited = 0.9, .bytes = 1 << 20 };
	struct bfo_send_level l;
	int i;

	bfo_send_level_begin(&l, 19);
	want_eq(bfo_send_level(&l), 6);
	bfo_send_level_look(&l, &blocked);
	want_eq(bfo_send_level(&l), 6);
	bfo_send_level_begin(&l, BFO_PACKED_NONE);
	for (i = 0; i < 3; i++)
		bfo_send_level_look(&l, &waited);
	want_eq(bfo_send_level(&l), BFO_PACKED_NONE);
}
END_TEST

Suite *send_level_suite(void)
{
	Suite *s = suite_create("send_level");

	unit_case(s, "any_pipe_gets_nearly_the_best", any_pipe_gets_nearly_the_best, 0);
	unit_case(s, "what_waits_for_neither_stays", what_waits_for_neither_stays, 0);
	unit_case(s, "the_ends_are_kept", the_ends_are_kept, 0);
	return s;
}
