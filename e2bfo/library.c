// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * library.c - for commands that go by the interface that is installed
 */
#include <errno.h>

#include "base/bfo_err.h"
#include "cli/process.h"
#include "e2bfo/library.h"

static enum bfo_stage stage_of(uint32_t stage)
{
	static const enum bfo_stage stages[] = {
		[E2BFO_STAGE_BITMAPS] = BFO_STAGE_BITMAPS,
		[E2BFO_STAGE_ARRIVAL] = BFO_STAGE_ARRIVAL,
		[E2BFO_STAGE_INODES] = BFO_STAGE_INODES,
		[E2BFO_STAGE_NAMES] = BFO_STAGE_NAMES,
		[E2BFO_STAGE_PLAN] = BFO_STAGE_PLAN,
		[E2BFO_STAGE_LOOK] = BFO_STAGE_LOOK,
		[E2BFO_STAGE_DATA] = BFO_STAGE_DATA,
		[E2BFO_STAGE_TABLES] = BFO_STAGE_TABLES,
		[E2BFO_STAGE_REREAD] = BFO_STAGE_REREAD,
		[E2BFO_STAGE_FINISH] = BFO_STAGE_FINISH,
		[E2BFO_STAGE_INDEX] = BFO_STAGE_INDEX,
		[E2BFO_STAGE_COMPARE] = BFO_STAGE_COMPARE,
		[E2BFO_STAGE_COMPARE_DATA] = BFO_STAGE_COMPARE_DATA,
		[E2BFO_STAGE_DIGEST] = BFO_STAGE_DIGEST,
		[E2BFO_STAGE_LIST] = BFO_STAGE_LIST,
	};

	return stages[stage];
}

static int on_progress(void *priv, const struct e2bfo_progress *p)
{
	struct bfo_context *ctx = priv;
	const struct bfo_progress own = { .stage = stage_of(p->stage), .part = stage_of(p->part),
					  .done = p->done, .total = p->total, .files = p->files };

	if (ctx->progress)
		ctx->progress(ctx->priv, &own);
	return 0;
}

static void cancel(void *priv)
{
	e2bfo_cancel(priv);
}

errcode_t library_open(struct bfo_context *ctx, e2bfo **c)
{
	e2bfo_err err;

	*c = e2bfo_new();
	if (!*c)
		return bfo_fail(ctx, ENOMEM, "beginning");
	e2bfo_on_progress(*c, on_progress, ctx);
	process_on_cancel(cancel, *c);
	if (bfo_cancelled(ctx))		/* by a signal that came before */
		e2bfo_cancel(*c);
	err = e2bfo_set_temp_dir(*c, ctx->temp_dir);
	return err ? library_told(ctx, *c, err) : 0;
}

void library_close(e2bfo *c)
{
	process_on_cancel(NULL, NULL);
	e2bfo_free(c);
}

errcode_t library_told(struct bfo_context *ctx, const e2bfo *c, e2bfo_err err)
{
	return err && !*ctx->what ? bfo_fail(ctx, err, "%s", e2bfo_what(c)) : err;
}
