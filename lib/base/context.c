// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * context.c - failure notes and progress events
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/context.h"

errcode_t bfo_fail(struct bfo_context *ctx, errcode_t code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ctx->what, sizeof(ctx->what), fmt, ap);
	va_end(ap);
	return code;
}

errcode_t bfo_fail_add(struct bfo_context *ctx, errcode_t code, const char *fmt, ...)
{
	char added[BFO_WHAT_BYTES];
	size_t len, at = strlen(ctx->what);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(added, sizeof(added), fmt, ap);
	va_end(ap);
	len = strlen(added);
	if (at > sizeof(ctx->what) - 1 - len)
		at = sizeof(ctx->what) - 1 - len;
	memcpy(ctx->what + at, added, len + 1);
	return code;
}

struct bfo_what bfo_what_keep(const struct bfo_context *ctx)
{
	struct bfo_what what;

	memcpy(what.text, ctx->what, sizeof(what.text));
	return what;
}

void bfo_what_restore(struct bfo_context *ctx, const struct bfo_what *what)
{
	memcpy(ctx->what, what->text, sizeof(ctx->what));
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

const struct bfo_timer *bfo_timer_of(const struct bfo_context *ctx)
{
	return ctx->timer ? ctx->timer : &bfo_real_time;
}
