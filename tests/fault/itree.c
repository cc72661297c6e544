// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "itree.h"
#include "tool.h"

static int is_refused(const struct outcome *o, const char *advice)
{
	return o->status == STATUS_FAILED && strstr(o->said, advice);
}

static char *ended_badly(const char *how, const struct outcome *o)
{
	if (o->hung || o->status < 0)
		return text("e2itree %s: %s %d", how, o->hung ? "hangs" : "signal", o->signal);
	return text("e2itree %s: status %d: %.400s", how, o->status, o->said);
}

static int is_whole(const struct outcome *o)
{
	return (o->status == 0 || o->status == ITREE_LEFT) && !strstr(o->said, "damaged");
}

char *itree_sound(const struct bench *b)
{
	struct outcome o;
	char *said = NULL;

	run_itree(&b->scn, "-n", &o);
	if (o.hung || o.status < 0 || (b->atomic && !is_whole(&o)))
		said = ended_badly("-n", &o);
	outcome_free(&o);
	return said;
}

char *itree_kept(const struct bench *b)
{
	struct outcome o;
	char *said = NULL;

	run_itree(&b->scn, "-n", &o);
	if (o.hung || o.status < 0 ||
	    (o.status && (o.status != ITREE_LEFT || !strstr(o.said, "All indexes are right"))))
		said = ended_badly("-n", &o);
	outcome_free(&o);
	return said;
}

/* After e2itree -p: nothing is left to be done, and nothing else has changed. */
static char *is_right(const struct bench *b)
{
	struct state now;
	struct outcome o;
	char *said = verdict_clean(b);

	if (said)
		return said;
	run_itree(&b->scn, "-n", &o);
	if (o.status)
		said = ended_badly("-n after -p", &o);
	outcome_free(&o);
	state_read(&now, b->scn.target);
	if (!said)
		said = state_kept(&b->before, &now);
	state_free(&now);
	return said;
}

char *itree_mended(const struct bench *b)
{
	struct outcome o;
	char *said = NULL;

	run_itree(&b->scn, "-p", &o);
	if (o.status != 0 && o.status != ITREE_CHANGED &&
	    (b->atomic || !is_refused(&o, "move it away")))
		said = ended_badly("-p", &o);
	if (!said && o.status != STATUS_FAILED)
		said = is_right(b);
	outcome_free(&o);
	return said;
}

char *itree_crashed(const struct bench *b)
{
	const char *advice = b->atomic ? "e2fsck" : "";
	struct outcome o;
	char *said = NULL;

	run_itree(&b->scn, "-n", &o);
	if (o.hung || o.status < 0 || (b->atomic && !is_whole(&o) && !is_refused(&o, advice)))
		said = ended_badly("-n", &o);
	outcome_free(&o);
	if (said)
		return said;
	run_itree(&b->scn, "-p", &o);
	if (o.status != 0 && o.status != ITREE_CHANGED && !is_refused(&o, advice))
		said = ended_badly("-p", &o);
	else if (o.status != STATUS_FAILED && b->atomic)
		said = is_right(b);
	outcome_free(&o);
	return said;
}
