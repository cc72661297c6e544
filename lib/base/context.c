// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * context.c - failure notes and progress events
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/context.h"

errcode_t bfo_fail(struct bfo_context *ctx, errcode_t code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ctx->what, sizeof(ctx->what), fmt, ap);
	va_end(ap);
	return code;
}

void bfo_progress_enter(struct bfo_context *ctx, enum bfo_stage stage)
{
	if (!ctx->entered++)
		ctx->outermost = stage;
	bfo_progress_report(ctx, ctx->outermost, 0, 0, 0);
}

void bfo_progress_leave(struct bfo_context *ctx)
{
	assert(ctx->entered);
	ctx->entered--;
}

void bfo_progress_report(struct bfo_context *ctx, enum bfo_stage stage, uint64_t done,
			 uint64_t total, uint64_t files)
{
	struct bfo_progress p = { .stage = ctx->entered ? ctx->outermost : stage, .part = stage,
				  .done = done, .total = total, .files = files };

	if (ctx->progress)
		ctx->progress(ctx->priv, &p);
}
