// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nth.c - fault nth: the Nth of something fails, for N = 1, 2, 3 ... until a copy gets through
 *
 *	0, 1	the tree is there and e2fsck has no complaint; 1 also if what could not be read was
 *		reported, and only that is missing
 *	8	the target is as it was; or the message says what to do, and that mends it
 *	32	the target is as it was; only after SIGINT
 *
 * Those of e2itree are bits: with 1 the container is there and right, whatever came then; without
 * it the target is as it was.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ext2fs/ext2_fs.h>

#include "bench.h"
#include "itree.h"
#include "tool.h"

/*
 * libext2fs tries again what failed: pwrite(2) with write(2), pread(2) with read(2), and e2bfo a
 * preadv(2) with these.  One failure is no more than a hiccup, two or three in a row are an error
 * of a device that goes on working, and 0 (all that follow) is a device that does not.
 */
static const struct way {
	enum fault_event event;
	const char *name, *how;
	unsigned times;
} ways[] = {
	{ FAULT_WRITE, "write", "EIO", 1 },
	{ FAULT_WRITE, "write", "EIO", 2 },
	{ FAULT_WRITE, "write", "EIO", 4 },
	{ FAULT_WRITE, "write", "EIO", 0 },
	{ FAULT_WRITE, "write", "ENOSPC", 2 },
	{ FAULT_WRITE, "write", "ENOSPC", 0 },
	{ FAULT_WRITE, "write", "short", 1 },
	{ FAULT_WRITE, "write", "short", 2 },
	{ FAULT_WRITE, "write", "shrink", 1 },
	{ FAULT_WRITE, "write", "int", 1 },
	{ FAULT_WRITE, "write", "kill", 1 },
	{ FAULT_FLUSH, "flush", "EIO", 1 },
	{ FAULT_FLUSH, "flush", "EIO", 0 },
	{ FAULT_FLUSH, "flush", "int", 1 },
	{ FAULT_FLUSH, "flush", "kill", 1 },
	{ FAULT_READ_SOURCE, "read-source", "EIO", 1 },
	{ FAULT_READ_SOURCE, "read-source", "EIO", 2 },
	{ FAULT_READ_SOURCE, "read-source", "EIO", 3 },
	{ FAULT_READ_SOURCE, "read-source", "EIO", 0 },
	{ FAULT_READ_SOURCE, "read-source", "short", 1 },
	{ FAULT_READ_SOURCE, "read-source", "short", 2 },
	{ FAULT_READ_SOURCE, "read-source", "shrink", 1 },
	{ FAULT_READ_SOURCE, "read-source", "int", 1 },
	{ FAULT_READ_TARGET, "read-target", "EIO", 1 },
	{ FAULT_READ_TARGET, "read-target", "EIO", 2 },
	{ FAULT_READ_TARGET, "read-target", "EIO", 0 },
	{ FAULT_READ_TARGET, "read-target", "short", 2 },
	{ FAULT_READ_TARGET, "read-target", "int", 1 },
	{ FAULT_ALLOC, "alloc", "ENOMEM", 1 },
	{ FAULT_ALLOC, "alloc", "ENOMEM", 0 },
	{ FAULT_ALLOC_LIBRARY, "alloc-library", "ENOMEM", 1 },
	{ FAULT_ALLOC_LIBRARY, "alloc-library", "ENOMEM", 0 },
};

#define WAYS (sizeof(ways) / sizeof(*ways))
#define LAST 100000
#define SUPER 1024		/* where the superblock is */

static int is_how(const struct way *w, const char *how)
{
	return !strcmp(w->how, how);
}

/* With --mkfs: the format has begun, which ends what the target was. */
static int formatted(const struct bench *b, const struct outcome *o)
{
	return b->scn.mkfs && (strstr(o->said, "has been formatted") ||
			       strstr(o->said, "may be partly formatted"));
}

/* Is the target marked as before?  A clean one that is no longer would be checked for nothing. */
static int same_mark(const struct bench *b)
{
	const size_t at = SUPER + offsetof(struct ext2_super_block, s_state);
	struct image now = image_load(b->scn.target);
	int same = !memcmp(now.bytes + at, b->base.bytes + at, sizeof(uint16_t));

	image_free(&now);
	return same;
}

/* A copy that failed or was cancelled. */
static char *failed_verdict(const struct bench *b, const struct outcome *o)
{
	enum found found;
	char *said;
	int record;

	if (image_same(&b->base, b->scn.target) ||
	    (b->scn.mkfs && strstr(o->said, "may be partly formatted")))
		return NULL;
	if (b->scn.mkfs && !formatted(b, o))
		return text("status %d, and the target was written: %.300s", o->status, o->said);
	said = verdict_clean(b);
	if (!said)
		said = verdict_state(b, &found);
	if (!said && found == FOUND_BEFORE && (b->scn.mkfs || same_mark(b)))
		return NULL;
	if (!said && found == FOUND_BEFORE)
		said = text("status %d, and the target is not marked as it was", o->status);
	if (!strstr(o->said, "e2fsck") && !strstr(o->said, "resume"))
		return said ? said : text("status %d, but the copy is there", o->status);
	free(said);
	return verdict_mended(b, &found, &record);
}

/* Status 1: what is missing was reported, and the rest is there. */
static char *partial_verdict(const struct bench *b, const struct outcome *o)
{
	enum found found;
	char *said = verdict_clean(b);
	struct state now;

	if (said || !(said = verdict_state(b, &found)) || !strstr(o->said, "(inode "))
		return said;
	free(said);
	state_read(&now, b->scn.target);
	said = state_harmed(&now, &b->before, &b->after);
	state_free(&now);
	return said;
}

/* It ended by a signal that was sent, or is the library's, which does not check everywhere. */
static char *dead_verdict(const struct bench *b, const struct outcome *o)
{
	enum found found;
	int record;

	if (b->scn.mkfs && !o->counts.own_writes)	/* at most formatting has begun */
		return o->counts.n[FAULT_WRITE] || image_same(&b->base, b->scn.target)
		       ? NULL : text("the target was written");
	return verdict_mended(b, &found, &record);
}

/*
 * Status 0 or 1.  A mke2fs whose writes failed may not notice, and bitmaps in memory swallow what
 * they have no memory for: there e2fsck -fy may find something, but no harm.
 */
static char *done_verdict(const struct bench *b, const struct way *w, const struct outcome *o)
{
	struct bench weak = *b;
	enum found found;
	int record;
	char *said;

	if (w->event == FAULT_FLUSH && is_how(w, "EIO") && o->counts.own_before)
		return text("status %d, though a flush failed", o->status);
	weak.atomic = 0;
	if (w->event == FAULT_ALLOC_LIBRARY || o->counts.fired_other)
		return verdict_mended(&weak, &found, &record);
	if (o->status == STATUS_FINDINGS)
		return partial_verdict(b, o);
	said = verdict_clean(b);
	if (!said)
		said = verdict_state(b, &found);
	if (!said && found != FOUND_AFTER)
		said = text("status 0, but the copy is not there");
	return said;
}

/* e2itree that says it has changed something: the container is there, and what it lacks comes. */
static char *changed_verdict(const struct bench *b, const struct way *w, const struct outcome *o)
{
	struct bench weak = *b;
	enum found found;
	int record;
	char *said;

	if (w->event == FAULT_FLUSH && is_how(w, "EIO") && o->counts.fired &&
	    !o->counts.needless && !(o->status & STATUS_FAILED))
		return text("status %d, though a flush failed", o->status);
	weak.atomic = 0;
	if (w->event == FAULT_ALLOC_LIBRARY)
		return verdict_mended(&weak, &found, &record);
	said = verdict_clean(b);
	if (!said && o->status == ITREE_CHANGED) {
		said = verdict_state(b, &found);
		if (!said && found != FOUND_AFTER)
			said = text("status %d, but nothing has changed", o->status);
	}
	return said ? said : itree_mended(b);
}

/*
 * A run of e2itree.  A device that failed for good may be left to e2fsck without a word, as nothing
 * could be put back.
 */
static char *itree_verdict(const struct bench *b, const struct way *w, const struct outcome *o)
{
	const int bits = ITREE_CHANGED | ITREE_LEFT | STATUS_FAILED |
			 (is_how(w, "int") ? STATUS_CANCELLED : 0);
	enum found found;
	int record;
	char *said;

	if (o->status & ~bits)
		return text("status %d: %.900s", o->status, o->said);
	if (o->status & ITREE_CHANGED)
		return changed_verdict(b, w, o);
	if (o->status & (STATUS_FAILED | STATUS_CANCELLED)) {
		if (!strstr(o->said, " while ") || strstr(o->said, " while working"))
			return text("status %d without a word: %.900s", o->status, o->said);
		said = failed_verdict(b, o);
		if (!said && (strstr(o->said, "e2fsck") || !w->times))
			said = verdict_mended(b, &found, &record);
		return said ? said : itree_mended(b);
	}
	if (!image_same(&b->base, b->scn.target))
		return text("status %d, and the target was written", o->status);
	return o->status || w->event == FAULT_ALLOC_LIBRARY ? NULL
							    : text("nothing was done, status 0");
}

static char *verdict(const struct bench *b, const struct way *w, const struct outcome *o)
{
	int expected = (is_how(w, "kill") && o->signal == SIGKILL) ||
		       (w->event == FAULT_ALLOC_LIBRARY && o->counts.crash == FAULT_CRASH_LIBRARY);

	if (o->hung)
		return text("hangs");
	if (strstr(o->said, "AddressSanitizer: CHECK failed"))
		return dead_verdict(b, o);	/* it needs memory itself, to start a thread */
	if (o->status < 0)
		return expected ? dead_verdict(b, o) : text("signal %d", o->signal);
	if (w->event == FAULT_WRITE && is_how(w, "shrink"))
		return o->status < 2 * STATUS_FAILED ? NULL : text("status %d", o->status);
	if (b->scn.itree)
		return itree_verdict(b, w, o);
	if (o->status == STATUS_FAILED || (o->status == STATUS_CANCELLED && is_how(w, "int")))
		return failed_verdict(b, o);
	if (o->status > STATUS_FINDINGS)
		return text("status %d: %.900s", o->status, o->said);
	return done_verdict(b, w, o);
}

/* What a script of a batch puts belongs to other scenarios, too. */
static int spares(const struct bench *b, const struct way *w)
{
	return b->scn.batch && w->event == FAULT_READ_SOURCE && is_how(w, "shrink");
}

/* The Nth; 0 if there was none any more. */
static int try(const struct bench *b, const struct way *w, uint64_t n, struct tally *tally,
	       uint64_t *statuses)
{
	struct fault f = { .event = w->event, .at = n, .how = w->how, .times = w->times,
			   .target = b->scn.target };
	int shrinks = w->event == FAULT_READ_SOURCE && is_how(w, "shrink"), fired;
	struct image source;
	struct outcome o;
	char *said;

	bench_reset(b);
	if (shrinks) {
		f.source = text("%s.source", b->scn.work);
		source = image_load(b->scn.source);
		image_save(&source, f.source);
		image_free(&source);
	}
	run_scenario(&b->scn, &f, &o);
	free(f.source);
	fired = !!o.counts.fired;
	said = verdict(b, w, &o);
	if (said)
		tally_fail(tally, "number %llu: %s", (unsigned long long) n, said);
	free(said);
	if (fired)
		statuses[o.status == STATUS_FAILED ? 2 : o.status == 0 || o.status == 1 ?
			 o.status : 3]++;
	outcome_free(&o);
	return fired;
}

static void try_all(const struct bench *b, const struct way *w, const struct options *opt,
		    struct tally *tally)
{
	uint64_t n, tried = 0, statuses[4] = { 0 };
	unsigned before = tally->failed;

	tally->name = text("%s %s-%s-%u:", b->scn.name, w->name, w->how, w->times);
	tally->failed = 0;
	for (n = 1; n < LAST; n += n < opt->full ? 1 : opt->stride, tried++)
		if (!try(b, w, n, tally, statuses))
			break;
	if (!tried)
		tally_fail(tally, "nothing happened");
	printf("%s %s %llu tried of %llu: %llu kept, %llu findings, %llu failed, %llu stopped; "
	       "%u wrong\n", tally->failed ? "FAILED" : "ok", tally->name,
	       (unsigned long long) tried, (unsigned long long) n - 1,
	       (unsigned long long) statuses[0], (unsigned long long) statuses[1],
	       (unsigned long long) statuses[2], (unsigned long long) statuses[3], tally->failed);
	fflush(stdout);
	tally->failed += before;
}

int nth_main(struct bench *b, const struct options *opt)
{
	struct tally tally = { .name = b->scn.name };
	size_t i;

	for (i = 0; i < WAYS; i++)
		if ((!opt->event || !strcmp(opt->event, ways[i].name)) && !spares(b, &ways[i]))
			try_all(b, &ways[i], opt, &tally);
	return !!tally.failed;
}
