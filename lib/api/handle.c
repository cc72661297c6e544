// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * handle.c - contexts, and what all calls have in common
 *
 * A request to stop stays until a call has ended by it: so none is lost that comes between two
 * calls.  That of a callback goes with its call.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/handle.h"
#include "base/bfo_err.h"
#include "base/error_text.h"

/* ---- progress ---- */

static uint32_t stage_of(enum bfo_stage stage)
{
	static const uint32_t stages[] = {
		[BFO_STAGE_BITMAPS] = E2BFO_STAGE_BITMAPS,
		[BFO_STAGE_ARRIVAL] = E2BFO_STAGE_ARRIVAL,
		[BFO_STAGE_INODES] = E2BFO_STAGE_INODES,
		[BFO_STAGE_NAMES] = E2BFO_STAGE_NAMES,
		[BFO_STAGE_PLAN] = E2BFO_STAGE_PLAN,
		[BFO_STAGE_LOOK] = E2BFO_STAGE_LOOK,
		[BFO_STAGE_DATA] = E2BFO_STAGE_DATA,
		[BFO_STAGE_TABLES] = E2BFO_STAGE_TABLES,
		[BFO_STAGE_REREAD] = E2BFO_STAGE_REREAD,
		[BFO_STAGE_FINISH] = E2BFO_STAGE_FINISH,
		[BFO_STAGE_INDEX] = E2BFO_STAGE_INDEX,
		[BFO_STAGE_CHECK_INDEX] = E2BFO_STAGE_INDEX,
		[BFO_STAGE_COMPARE] = E2BFO_STAGE_COMPARE,
		[BFO_STAGE_COMPARE_DATA] = E2BFO_STAGE_COMPARE_DATA,
		[BFO_STAGE_DIGEST] = E2BFO_STAGE_DIGEST,
		[BFO_STAGE_LIST] = E2BFO_STAGE_LIST,
	};

	return stages[stage];
}

static void on_progress(void *priv, const struct bfo_progress *p)
{
	e2bfo *c = priv;
	struct e2bfo_progress public = { .size = sizeof(public), .stage = stage_of(p->stage),
					 .part = stage_of(p->part), .done = p->done,
					 .total = p->total, .files = p->files };

	if (c->progress && c->progress(c->progress_priv, &public))
		bfo_api_stop(c);
}

/* ---- contexts ---- */

e2bfo *e2bfo_new(void)
{
	e2bfo *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->ctx.cancel = &c->cancel;
	c->ctx.progress = on_progress;
	c->ctx.priv = c;
	return c;
}

void e2bfo_free(e2bfo *c)
{
	if (!c)
		return;
	free(c->temp_dir);
	free(c);
}

const char *e2bfo_version(void)
{
	return PACKAGE_VERSION;
}

const char *e2bfo_message(e2bfo_err err)
{
	return bfo_error_text(err);
}

const char *e2bfo_what(const e2bfo *c)
{
	return *c->ctx.what ? c->ctx.what : "working";
}

void e2bfo_cancel(e2bfo *c)
{
	__atomic_store_n(&c->cancel, 1, __ATOMIC_RELAXED);
}

e2bfo_err e2bfo_set_temp_dir(e2bfo *c, const char *path)
{
	char *copy = path ? strdup(path) : NULL;

	if (path && !copy)
		return bfo_fail(&c->ctx, ENOMEM, "keeping the name %s", path);
	free(c->temp_dir);
	c->ctx.temp_dir = c->temp_dir = copy;
	return 0;
}

void e2bfo_on_progress(e2bfo *c, int (*f)(void *priv, const struct e2bfo_progress *p), void *priv)
{
	c->progress = f;
	c->progress_priv = priv;
}

void e2bfo_on_finding(e2bfo *c, int (*f)(void *priv, const struct e2bfo_finding *f), void *priv)
{
	c->finding = f;
	c->finding_priv = priv;
}

void e2bfo_on_line(e2bfo *c, void (*f)(void *priv, const char *line), void *priv)
{
	c->line = f;
	c->line_priv = priv;
}

/* ---- calls ---- */

void bfo_api_begin(e2bfo *c)
{
	bfo_what_clear(&c->ctx);
	c->ctx.entered = 0;
	c->ctx.pace = NULL;
	c->has_enough = 0;
}

void bfo_api_stop(e2bfo *c)
{
	c->has_enough = 1;
	e2bfo_cancel(c);
}

e2bfo_err bfo_api_end(e2bfo *c, errcode_t err)
{
	c->ctx.pace = NULL;
	if (err == BFO_ET_CANCELLED || c->has_enough)
		__atomic_store_n(&c->cancel, 0, __ATOMIC_RELAXED);
	return err;
}

static int has_any(const char *bytes, size_t n)
{
	size_t i;

	for (i = 0; i < n && !bytes[i]; i++)
		;
	return i < n;
}

errcode_t bfo_api_take(e2bfo *c, void *to, size_t size, const void *from, const char *name)
{
	size_t given;

	memset(to, 0, size);
	if (!from)
		return 0;
	memcpy(&given, from, sizeof(given));
	if (given < sizeof(given))
		return bfo_fail(&c->ctx, EINVAL, "looking at %s: their size is not set", name);
	if (given > size && has_any((const char *) from + size, given - size))
		return bfo_fail(&c->ctx, EINVAL, "looking at %s: they ask for what version "
				PACKAGE_VERSION " does not have", name);
	memcpy(to, from, given < size ? given : size);
	return 0;
}

void bfo_api_give(void *to, const void *from, size_t size)
{
	size_t given;

	if (!to)
		return;
	memcpy(&given, to, sizeof(given));
	if (given <= sizeof(given))
		return;
	memcpy((char *) to + sizeof(given), (const char *) from + sizeof(given),
	       (given < size ? given : size) - sizeof(given));
}

size_t bfo_api_count(const char *const *words)
{
	size_t n = 0;

	while (words && words[n])
		n++;
	return n;
}

errcode_t bfo_api_check_flags(e2bfo *c, uint32_t flags, uint32_t known, const char *name)
{
	return !(flags & ~known) ? 0 :
	       bfo_fail(&c->ctx, EINVAL, "looking at %s: flags 0x%x are not known", name,
			flags & ~known);
}
