// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_commit_fail.c - a copy whose every write fails in turn, or is the first of the lost ones
 *
 * What bfo_commit() says of the target (stats.fate) is held against what e2fsck finds, and which
 * of the trees are there: the one that was there before must be, in any case; of the new one all or
 * nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copyjob.h"

#define SLICES 6

static const enum copyjob_target kinds[] = {
	TARGET_BUSY, TARGET_QUOTA, TARGET_EXT3, TARGET_BIGALLOC, TARGET_PLAIN, TARGET_EXT2,
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static size_t count_writes(size_t first)
{
	size_t i, n = 0;

	for (i = first; i < io_log_count(); i++)
		n += io_log_entry(i)->op == IO_LOG_WRITE;
	return n;
}

/*
 * One copy of the small source, of which COUNT writes fail from NTH on (0: none); returns how many
 * it made.
 */
static size_t run(enum copyjob_target kind, const char *copy, size_t nth, size_t count,
		  enum bfo_fate *fate)
{
	struct copyjob j;
	errcode_t err;
	size_t first;

	io_log_reset();
	copyjob_open(&j, SOURCE_SMALL, kind, copy);
	copyjob_plan(&j);
	first = io_log_count();
	io_log_fail_writes(nth, count);
	err = copyjob_commit(&j);
	want_eq(err, nth ? EIO : 0);
	*fate = j.job.stats.fate;
	nth = count_writes(first);
	copyjob_close(&j);
	io_log_reset();
	return nth;
}

/* Whether a name of the new tree is there: debugfs knows either the inode, or no such file. */
static int shows_new(const char *copy)
{
	int there = !copyjob_try("debugfs -R 'stat /fresh' '%s' 2>&1 | grep -q '^Inode:'", copy);
	int missing = !copyjob_try("debugfs -R 'stat /fresh' '%s' 2>&1 | "
				   "grep -q '^/fresh: File not found'", copy);

	want_eq(there + missing, 1);
	return there;
}

static void judge(enum copyjob_target kind, const char *copy, enum bfo_fate fate, int crash)
{
	int atomic = copyjob_is_atomic(kind), is_new;

	if (!crash && (fate == BFO_FATE_BEFORE || fate == BFO_FATE_DONE))
		want_eq(copyjob_fsck(copy, "-fn"), 0);
	want(copyjob_fsck(copy, atomic ? "-p" : "-fy") <= 1);
	want_eq(copyjob_fsck(copy, "-fn"), 0);
	want(copyjob_holds(copy, "tree.other"));
	is_new = shows_new(copy);
	want(!is_new || !atomic || copyjob_holds(copy, "tree.small"));
	if (fate == BFO_FATE_BEFORE || fate == BFO_FATE_REPLAY || fate == BFO_FATE_RECORDED)
		want(!is_new);
	if (fate == BFO_FATE_DONE || (fate == BFO_FATE_WAITING && !crash))
		want(is_new && copyjob_holds(copy, "tree.small"));
	want(atomic ? fate != BFO_FATE_UNCLEAN : fate == BFO_FATE_BEFORE ||
	     fate == BFO_FATE_UNCLEAN || fate == BFO_FATE_DONE);
}

static void run_slice(int i, size_t count)
{
	enum copyjob_target kind = kinds[i / SLICES];
	enum bfo_fate fate;
	char copy[32];
	size_t n, nth;

	snprintf(copy, sizeof(copy), "failing.%d.%d", i, count == 1);
	n = run(kind, copy, 0, 0, &fate);
	want_eq(fate, BFO_FATE_DONE);
	want(n > 5);
	judge(kind, copy, fate, 0);
	for (nth = 1 + i % SLICES; nth <= n; nth += SLICES) {
		run(kind, copy, nth, count, &fate);
		judge(kind, copy, fate, count > 1);
	}
	copyjob_try("rm -r '%s' '%s.'*", copy);
}

/* A device with one bad moment. */
START_TEST(tells_the_fate)
{
	run_slice(_i, 1);
}
END_TEST

/* ... or a longer one, so that what was to mend it fails, too. */
START_TEST(survives_two_failures)
{
	run_slice(_i, 2);
}
END_TEST

/* Nothing was written from some write on. */
START_TEST(survives_a_crash)
{
	run_slice(_i, SIZE_MAX);
}
END_TEST

/*
 * A write that was short is tried once more at its end; of a part of a block there is no such end.
 */
START_TEST(tries_no_part_again)
{
	static const char part[1024];
	struct bfo_writer w;
	struct copyjob j;
	size_t first;

	io_log_reset();
	copyjob_open(&j, SOURCE_SMALL, TARGET_EMPTY, "part");
	want_ok(bfo_writer_open(&w, &j.ctx, j.job.target, NULL));
	first = io_log_count();
	io_log_cut_write(1);
	want_err(bfo_writer_part(&w, 2000, sizeof(part), part), EXT2_ET_SHORT_WRITE);
	want_eq(count_writes(first), 1);
	want_ok(bfo_writer_close(&w));
	copyjob_close(&j);
	io_log_reset();
}
END_TEST

Suite *commit_fail_suite(void)
{
	Suite *s = suite_create("commit_fail");

	unit_case(s, "tells_the_fate", tells_the_fate, SLICES * KINDS);
	unit_case(s, "survives_two_failures", survives_two_failures, SLICES * KINDS);
	unit_case(s, "survives_a_crash", survives_a_crash, SLICES * KINDS);
	unit_case(s, "tries_no_part_again", tries_no_part_again, 0);
	return s;
}
