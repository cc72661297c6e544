// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_context.c - base/context: what was noted of a failure, what is added, what is kept meanwhile
 */
#include <errno.h>
#include <string.h>

#include "base/context.h"
#include "unit.h"

START_TEST(adds_to_what_was_noted)
{
	struct bfo_context ctx = { 0 };

	want_err(bfo_fail(&ctx, EIO, "reading %s", "/dev/sdx"), EIO);
	want_err(bfo_fail_add(&ctx, ENOSPC, "; %d left", 3), ENOSPC);
	ck_assert_str_eq(ctx.what, "reading /dev/sdx; 3 left");
}
END_TEST

START_TEST(cuts_what_was_noted)
{
	struct bfo_context ctx = { 0 };
	char longest[BFO_WHAT_BYTES];

	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = 0;
	bfo_fail(&ctx, EIO, "%s", longest);
	bfo_fail_add(&ctx, EIO, "; the end");
	want_eq(strlen(ctx.what), BFO_WHAT_BYTES - 1);
	ck_assert_str_eq(ctx.what + BFO_WHAT_BYTES - 1 - 10, "x; the end");
	bfo_fail_add(&ctx, EIO, "%s and more", longest);
	ck_assert_str_eq(ctx.what, longest);
}
END_TEST

START_TEST(keeps_what_was_noted)
{
	struct bfo_context ctx = { 0 };
	struct bfo_what what;

	bfo_fail(&ctx, EIO, "reading");
	what = bfo_what_keep(&ctx);
	bfo_fail(&ctx, ENOENT, "looking for something else");
	bfo_what_restore(&ctx, &what);
	ck_assert_str_eq(ctx.what, "reading");
}
END_TEST

Suite *context_suite(void)
{
	Suite *s = suite_create("context");

	unit_case(s, "adds_to_what_was_noted", adds_to_what_was_noted, 0);
	unit_case(s, "cuts_what_was_noted", cuts_what_was_noted, 0);
	unit_case(s, "keeps_what_was_noted", keeps_what_was_noted, 0);
	return s;
}
