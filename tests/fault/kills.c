// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kills.c - fault kills: SIGKILL at random moments of a copy onto a loop device
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "kernel.h"
#include "tool.h"

#define SLOW 2000		/* microseconds that every write takes longer */

/* A copy onto a loop device, killed after so many microseconds (-1: never). */
static double copy_to_loop(const struct bench *b, long kill_after, struct outcome *o)
{
	struct fault f = { .slow = SLOW };
	char *loop;
	int fd;

	bench_reset(b);
	loop = loop_attach(b->scn.target, &fd);
	f.target = loop;
	run_scenario(&b->scn, &f, kill_after, o);
	if (fsync(fd))
		err(2, "flushing %s", loop);
	loop_detach(loop, fd);
	return o->seconds;
}

int kills_main(struct bench *b, const struct options *opt)
{
	struct tally tally = { .name = b->scn.name };
	struct dice d = { opt->seed };
	uint64_t n, found[FOUND_KINDS] = { 0 }, begun = 0, killed = 0;
	enum found which = FOUND_BETWEEN;
	struct outcome o;
	double seconds = copy_to_loop(b, -1, &o);
	int record;
	char *said;

	outcome_free(&o);
	for (n = 0; n < opt->cuts; n++) {
		copy_to_loop(b, dice_below(&d, seconds * 1e6), &o);
		killed += o.signal == SIGKILL;
		begun += !image_same(&b->base, b->scn.target);
		said = verdict_mended(b, &which, &record);
		if (said)
			tally_fail(&tally, "kill %llu: %s", (unsigned long long) n, said);
		else
			found[which]++;
		free(said);
		outcome_free(&o);
	}
	if (killed < n / 2)
		tally_fail(&tally, "only %llu of %llu copies were killed",
			   (unsigned long long) killed, (unsigned long long) n);
	printf("%s %s: %llu killed, %llu had begun to write: %llu before, %llu after, %llu "
	       "between; %u failed\n", tally.failed ? "FAILED" : "ok", b->scn.name,
	       (unsigned long long) killed, (unsigned long long) begun,
	       (unsigned long long) found[FOUND_BEFORE], (unsigned long long) found[FOUND_AFTER],
	       (unsigned long long) found[FOUND_BETWEEN], tally.failed);
	return !!tally.failed;
}
