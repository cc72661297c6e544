// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "tool.h"

#define SHOWN 3

void bench_reset(const struct bench *b)
{
	image_save(&b->base, b->scn.target);
}

/* The copy that nothing disturbs. */
static void record(struct bench *b, char *log)
{
	struct fault f = { .log = log, .target = b->scn.target };
	struct outcome o;
	int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || close(fd))
		err(2, "%s", log);
	bench_reset(b);
	run_scenario(&b->scn, &f, &o);
	if (o.status != run_done(&b->scn))
		errx(2, "%s: without faults: status %d: %s", b->scn.name, o.status,
		     o.said);
	if (o.counts.unseen)
		errx(2, "%s: the target was written in a way that shim.c does not log", b->scn.name);
	outcome_free(&o);
}

/* All that was written is in the log, and what a cut after the last write leaves is the result. */
static void check_log(const struct bench *b, const struct log *l)
{
	struct cut c;

	cut_init(&c, l, image_copy(&b->base));
	cut_advance(&c, l->intervals);
	if (!image_same(&c.durable, b->scn.target))
		errx(2, "%s: the log is not all that was written", b->scn.name);
	image_free(&c.durable);
	image_free(&c.crashed);
}

/* The target when the program's own writes begin: with --mkfs, as formatted. */
static void read_before(struct bench *b, const struct log *l)
{
	struct cut c;

	cut_init(&c, l, image_copy(&b->base));
	cut_advance(&c, l->own);
	image_save(&c.durable, b->scn.target);
	state_read(&b->before, b->scn.target);
	image_free(&c.durable);
	image_free(&c.crashed);
}

/* What there is after each line "commit" of a script. */
static void read_steps(struct bench *b)
{
	struct image script = image_load(b->scn.source);
	char *begun = text("%s.source", b->scn.work), *at = (char *) script.bytes;
	struct fault f = { .target = b->scn.target, .source = begun };
	struct image part = { .bytes = script.bytes };
	struct outcome o;

	while ((at = strstr(at, "\ncommit\n"))) {
		part.size = ++at - (char *) script.bytes;
		image_save(&part, begun);
		bench_reset(b);
		run_scenario(&b->scn, &f, &o);
		if (o.status)
			errx(2, "%s: up to a commit: %s", b->scn.name, o.said);
		outcome_free(&o);
		b->steps = must(realloc(b->steps, (b->n_steps + 1) * sizeof(*b->steps)));
		state_read(&b->steps[b->n_steps++], b->scn.target);
	}
	image_free(&script);
	free(begun);
}

static void must_be_clean(const struct bench *b, const char *when)
{
	char *said = verdict_clean(b);

	if (said)
		errx(2, "%s, %s: %s", b->scn.name, when, said);
}

void bench_open(struct bench *b, struct log *l, const char *dir, const struct options *opt)
{
	char *log, *change;

	scenario_load(&b->scn, dir);
	b->atomic = b->scn.atomic && !opt->today;
	b->today = opt->today;
	b->base = image_load(b->scn.before);
	if (b->scn.batch)
		read_steps(b);
	log = text("%s.log", b->scn.work);
	record(b, log);
	must_be_clean(b, "after a copy");
	state_read(&b->after, b->scn.target);
	log_load(l, log, opt->forget);
	check_log(b, l);
	read_before(b, l);
	must_be_clean(b, "before the copy");
	if (b->before.damage || b->after.damage)
		errx(2, "%s: %s", b->scn.name,
		     b->before.damage ? b->before.damage : b->after.damage);
	change = state_differs(&b->before, &b->after);
	if (!change)
		errx(2, "%s: nothing was changed", b->scn.name);
	free(change);
	unlink(log);
	free(log);
}

void tally_fail(struct tally *t, const char *fmt, ...)
{
	va_list ap;

	if (t->failed++ >= SHOWN)
		return;
	printf("FAILED %s ", t->name);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
}
