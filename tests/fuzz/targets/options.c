// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * options.c - options of a copy as a record holds them: what was read can be written, and read
 * again
 */
#include <stdlib.h>
#include <string.h>

#include "../fuzz.h"
#include "job/job_options.h"
#include "job/owners.h"

/* No more than the caller of a copy may say: else "no options" was the right answer. */
static void check(const struct bfo_copy_options *opt)
{
	if (!opt->source || !*opt->source || !opt->to || !opt->n_from)
		fuzz_fail("nothing to be copied, or nowhere to");
	if (opt->dir_fill > 100 || opt->medium.how.mode > BFO_MEDIA_SKIP ||
	    opt->direct > BFO_DIRECT_NEVER || opt->order.n > BFO_ORDER_POLICIES)
		fuzz_fail("a number out of range");
}

/* No number is in two ranges, and none stands for more than 32 bits. */
static void check_ranges(const bfo_id_ranges *ranges)
{
	const struct bfo_id_range *a, *b;

	for (a = ranges->v; a < ranges->v + ranges->n; a++) {
		if (!a->count || a->from + a->count < a->from || a->to + a->count < a->to)
			fuzz_fail("a range that is none");
		for (b = ranges->v; b < a; b++)
			if (a->from < b->from + b->count && b->from < a->from + a->count)
				fuzz_fail("ranges that overlap");
	}
}

/* What a copy is going to read of them. */
static void check_owners(const char *text)
{
	struct bfo_amend amend = { .has_owner = 0 };

	if (!bfo_owners_read(text, &amend)) {
		if (amend.owner == UINT32_MAX || amend.group == UINT32_MAX)
			fuzz_fail("an owner who is nobody");
		check_ranges(&amend.users);
		check_ranges(&amend.groups);
	}
	bfo_owners_free(&amend);
}

/* What is written of OPT, saved from SAVED, is the same once more. */
static void write_again(const struct bfo_saved_options *saved)
{
	bfo_chars first = { .n = 0 }, second = { .n = 0 };
	struct bfo_saved_options again;

	if (bfo_options_save(&saved->opt, &first))
		return;
	if (bfo_options_load(first.v, first.n, &again))
		fuzz_fail("what was written cannot be read");
	if (bfo_options_save(&again.opt, &second))
		return;
	if (first.n != second.n || memcmp(first.v, second.v, first.n))
		fuzz_fail("what was read is not what was written");
	bfo_saved_options_free(&again);
	bfo_vec_free(&first);
	bfo_vec_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bfo_saved_options saved;

	if (!bfo_options_load((const char *) data, size, &saved)) {
		check(&saved.opt);
		check_owners(saved.opt.owners);
		write_again(&saved);
	}
	bfo_saved_options_free(&saved);
	return 0;
}
