// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * over.c - names that the target has already: what becomes of them, and what is in the way
 */
#include "plan/over.h"

const struct bfo_clash_text bfo_clash_texts[BFO_CLASH_KINDS] = {
	[BFO_CLASH_EXISTS] = { "exists", "exists already" },
	[BFO_CLASH_DIRECTORY] = { "directory", "exists already, as a directory" },
	[BFO_CLASH_NO_DIRECTORY] = { "no-directory", "exists already, and is no directory" },
	[BFO_CLASH_MOUNT] = { "mount", "something is mounted there" },
	[BFO_CLASH_SEALED] = { "immutable", "is immutable or append-only" },
	[BFO_CLASH_DENIED] = { "denied", "may not be changed" },
	[BFO_CLASH_FOLDED] = { "folded", "is one name with another, to this filesystem" },
	[BFO_CLASH_SOURCE] = { "source", "is the source itself" },
	[BFO_CLASH_SEALED_ABOVE] = { "immutable", "lies in what is immutable or append-only" },
	[BFO_CLASH_ENCRYPTED] = { "encrypted", "is encrypted" },
	[BFO_CLASH_VERITY] = { "verity", "is protected by fs-verity" },
};

static int is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

int bfo_over_stays(enum bfo_over over, const struct timespec *new, const struct timespec *old)
{
	return over == BFO_OVER_SKIP || (over == BFO_OVER_NEWER && !is_later(new, old));
}
