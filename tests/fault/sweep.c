// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sweep.c - fault sweep: many cuts, each judged
 *
 *	               ,- marked as clean? --> it is, or there is a journal
 *	               +- e2fsck -fy --------> before or after (or, without a journal, unharmed)
 *	crashed image -+- mount, e2fsck -fn -> the same               every so often
 *	               +- e2fsck -p, -fn ----> the same               every so often, with a journal
 *	               +- e2itree -n, -p ----> no damage, right      scenarios of e2itree
 *	               +- e2itree -n --------> right                 batches that keep indexes
 *	               +- e2bfo resume ------> after
 *	               `- e2bfo abort -------> before                 every so often
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "itree.h"
#include "tool.h"

#define ABORT_EVERY 4
#define ENOUGH 5		/* cuts per interval, after which both ends must have been seen */

struct sweep {
	const struct bench *b;
	const struct options *opt;
	struct cut cut;
	struct tally tally;
	uint64_t found[FOUND_KINDS];
	uint64_t number, cuts, again, resumed, aborted;
};

/* Says WHAT is wrong with the current cut, if anything, and how to see it. */
static int judged(struct sweep *s, const char *part, char *what)
{
	if (!what)
		return 0;
	tally_fail(&s->tally, "cut %llu of seed %llu (%s), %s: %s", (unsigned long long) s->number,
		   (unsigned long long) s->opt->seed, s->cut.said, part, what);
	free(what);
	return 1;
}

static void crash_again(const struct sweep *s)
{
	image_save(&s->cut.crashed, s->b->scn.target);
}

/*
 * What there is after resume or abort.  A copy that was resumed cannot tell whether the indexes it
 * took over were up to date before it began, and says no more of them than it knows.
 */
static char *state_verdict(const struct sweep *s, const char *word, enum found *found)
{
	struct state now;
	char *said;

	if (!s->b->scn.indexed || strcmp(word, "resume"))
		return verdict_state(s->b, found);
	state_read(&now, s->b->scn.target);
	said = state_kept(&s->b->after, &now);
	state_free(&now);
	*found = FOUND_AFTER;
	return said ? said : itree_sound(s->b);
}

/* What resume or abort (WORD) has to come to, if e2fsck found this, and perhaps a RECORD. */
static char *command_verdict(const struct sweep *s, const char *word, const struct outcome *o,
			     enum found mended, int record)
{
	enum found want = mended == FOUND_AFTER || (record && !strcmp(word, "resume"))
			  ? FOUND_AFTER : FOUND_BEFORE, found;
	int nothing = strstr(o->said, "No interrupted copy") ||
		      (!strcmp(word, "abort") && strstr(o->said, "had come to its end"));
	int ignored;
	char *said = NULL;

	if (o->hung || o->status < 0)
		return text("%s: %s %d", word, o->hung ? "hangs" : "signal", o->signal);
	if (o->status && !nothing)
		said = s->b->atomic || o->status != STATUS_FAILED
		     ? text("%s: status %d: %.300s", word, o->status, o->said) : NULL;
	else if (nothing && record && mended != FOUND_AFTER)
		said = text("%s does not see the record: %.300s", word, o->said);
	if (said)
		return said;
	if (!o->status && !nothing)
		said = verdict_clean(s->b);
	if (!said)
		said = o->status || nothing ? verdict_mended(s->b, &found, &ignored)
					    : state_verdict(s, word, &found);
	if (!said && s->b->atomic && found != want)
		said = text("%s, status %d: the copy is %s", word, o->status,
			    found == FOUND_AFTER ? "there" : "not there");
	return said;
}

static int try_command(struct sweep *s, const char *word, enum found mended, int record)
{
	struct outcome o;
	int failed;

	crash_again(s);
	run_command(&s->b->scn, word, !strcmp(word, "resume"), &o);
	failed = judged(s, "e2bfo", command_verdict(s, word, &o, mended, record));
	outcome_free(&o);
	return failed;
}

/* One cut in NTH, in each interval; 0: none. */
static int every(const struct sweep *s, uint64_t nth)
{
	const struct log *l = s->cut.log;

	return nth && s->number / (l->intervals - l->own) % nth == 0;
}

/* Another way to what e2fsck -fy FOUND. */
static int judge_again(struct sweep *s, const char *part,
		       char *(*verdict)(const struct bench *b, enum found *found), enum found found)
{
	enum found again = FOUND_BETWEEN;

	s->again++;
	crash_again(s);
	if (judged(s, part, verdict(s->b, &again)))
		return 1;
	return again != found && judged(s, part, text("not what e2fsck -fy came to"));
}

/* Scenarios of e2itree: what is in the target now, and what e2itree sees in the crashed one. */
static int judge_itree(struct sweep *s)
{
	if (judged(s, "e2itree after e2fsck", itree_sound(s->b)) ||
	    judged(s, "e2itree after e2fsck", itree_mended(s->b)))
		return 1;
	crash_again(s);
	return judged(s, "e2itree", itree_crashed(s->b));
}

/* All judges on the current crash, until one finds something. */
static void judge(struct sweep *s, int resume, int abort)
{
	enum found found = FOUND_BETWEEN;
	int record = 0;

	crash_again(s);
	if (!s->b->scn.atomic && judged(s, "mark", verdict_mark(s->b)))
		return;
	if (judged(s, "e2fsck", verdict_mended(s->b, &found, &record)))
		return;
	s->found[found]++;
	if (s->b->scn.itree && judge_itree(s))
		return;
	if (s->b->scn.indexed && judged(s, "e2itree", itree_sound(s->b)))
		return;
	if (s->b->scn.kept && judged(s, "e2itree after e2fsck", itree_kept(s->b)))
		return;
	if (every(s, s->opt->kernel_every) &&
	    ((!s->b->scn.no_mount && judge_again(s, "kernel", verdict_mounted, found)) ||
	     (s->b->atomic && judge_again(s, "e2fsck -p", verdict_preened, found))))
		return;
	if (resume) {
		s->resumed++;
		if (try_command(s, "resume", found, record))
			return;
	}
	if (abort && every(s, ABORT_EVERY)) {
		s->aborted++;
		try_command(s, "abort", found, record);
	}
}

static void sweep_cut(struct sweep *s, uint64_t number, int resume, int abort)
{
	if ((s->opt->only >= 0 && (uint64_t) s->opt->only != number) ||
	    (s->opt->forget >= 0 && s->tally.failed))
		return;
	s->cuts++;
	s->number = number;
	cut_make(&s->cut, s->opt->seed, number,
		 s->opt->every_write ? cut_issued(&s->cut, number) : 0);
	judge(s, resume, abort);
	cut_undo(&s->cut);
}

/* Interval after interval, so that what came before each is applied once. */
static void sweep_all(struct sweep *s, int resume, int abort)
{
	const struct log *l = s->cut.log;
	size_t i, own = l->intervals - l->own, first = l->begins[l->own];
	uint64_t n;

	for (i = 0; i < own; i++) {
		cut_advance(&s->cut, l->own + i);
		if (s->opt->every_write)
			for (n = l->begins[l->own + i]; n < l->begins[l->own + i + 1]; n++)
				sweep_cut(s, n - first, resume, abort);
		else
			for (n = i; n < s->opt->cuts; n += own)
				sweep_cut(s, n, resume, abort);
	}
}

/* A sweep that saw one kind of end only has not looked. */
static void check_variety(struct sweep *s)
{
	size_t own = s->cut.log->intervals - s->cut.log->own;

	if (s->opt->only >= 0 || s->cuts < ENOUGH * own || s->tally.failed)
		return;
	if (!s->found[FOUND_BEFORE] || !s->found[FOUND_AFTER])
		tally_fail(&s->tally, "of %llu cuts %llu came before the copy and %llu after it",
			   (unsigned long long) s->cuts,
			   (unsigned long long) s->found[FOUND_BEFORE],
			   (unsigned long long) s->found[FOUND_AFTER]);
}

int sweep_main(struct bench *b, struct log *l, const struct options *opt)
{
	struct sweep s = { .b = b, .opt = opt, .tally = { .name = b->scn.name } };
	int is_copy = !b->scn.itree && !b->scn.batch;
	int resume = is_copy && run_has(&b->scn, "resume");
	int abort = is_copy && run_has(&b->scn, "abort");

	cut_init(&s.cut, l, image_copy(&b->base));
	if (!b->today && is_copy && (!resume || !abort))
		tally_fail(&s.tally, "the program has no command '%s'", resume ? "abort" : "resume");
	sweep_all(&s, resume, abort);
	check_variety(&s);
	printf("%s %s: %llu cuts in %zu intervals: %llu before, %llu after, %llu between; "
	       "%llu judged again, %llu resumed, %llu aborted; %u failed\n",
	       s.tally.failed ? "FAILED" : "ok", b->scn.name, (unsigned long long) s.cuts,
	       l->intervals - l->own, (unsigned long long) s.found[FOUND_BEFORE],
	       (unsigned long long) s.found[FOUND_AFTER],
	       (unsigned long long) s.found[FOUND_BETWEEN], (unsigned long long) s.again,
	       (unsigned long long) s.resumed, (unsigned long long) s.aborted, s.tally.failed);
	return !!s.tally.failed;
}
