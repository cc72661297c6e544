// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kills.c - fault kills: SIGKILL just before a random write of a copy onto a loop device
 *
 * The shim counts writes, and dice say which.  How many there are depends a little on the two
 * threads, so that one of the last may not come.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "kernel.h"
#include "tool.h"

/* A copy onto a loop device, killed at its write number AT (0: never). */
static void copy_to_loop(const struct bench *b, uint64_t at, struct outcome *o)
{
	struct fault f = { .event = FAULT_WRITE, .at = at, .how = "kill", .times = 1 };
	char *loop;
	int fd;

	bench_reset(b);
	loop = loop_attach(b->scn.target, &fd);
	f.target = loop;
	run_scenario(&b->scn, &f, o);
	if (fsync(fd))
		err(2, "flushing %s", loop);
	loop_detach(loop, fd);
}

int kills_main(struct bench *b, const struct options *opt)
{
	struct tally tally = { .name = b->scn.name };
	struct dice d = { opt->seed };
	uint64_t n, found[FOUND_KINDS] = { 0 }, begun = 0, killed = 0, writes, at;
	enum found which = FOUND_BETWEEN;
	struct outcome o;
	int record;
	char *said;

	copy_to_loop(b, 0, &o);
	writes = o.counts.n[FAULT_WRITE];
	outcome_free(&o);
	for (n = 0; n < opt->cuts && writes; n++) {
		at = 1 + dice_below(&d, writes);
		copy_to_loop(b, at, &o);
		killed += o.signal == SIGKILL;
		begun += !image_same(&b->base, b->scn.target);
		if (o.signal != SIGKILL && o.counts.n[FAULT_WRITE] >= at)
			tally_fail(&tally, "not killed at write %llu", (unsigned long long) at);
		said = verdict_mended(b, &which, &record);
		if (said)
			tally_fail(&tally, "killed at write %llu: %s", (unsigned long long) at, said);
		else
			found[which]++;
		free(said);
		outcome_free(&o);
	}
	if (!killed || !begun)
		tally_fail(&tally, "%llu of %llu copies were killed, %llu had begun to write",
			   (unsigned long long) killed, (unsigned long long) n,
			   (unsigned long long) begun);
	printf("%s %s: %llu killed, %llu had begun to write: %llu before, %llu after, %llu "
	       "between; %u failed\n", tally.failed ? "FAILED" : "ok", b->scn.name,
	       (unsigned long long) killed, (unsigned long long) begun,
	       (unsigned long long) found[FOUND_BEFORE], (unsigned long long) found[FOUND_AFTER],
	       (unsigned long long) found[FOUND_BETWEEN], tally.failed);
	return !!tally.failed;
}
