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
	*fate = j.stats.fate;
	nth = count_writes(first);
	copyjob_close(&j);
	io_log_reset();
	return nth;
}

static int fsck(const char *copy, const char *how)
{
	char format[64];

	snprintf(format, sizeof(format), "e2fsck %s '%%s' > /dev/null 2>&1", how);
	return copyjob_try(format, copy);
}

/* Whether all of TREE (a folder that an image was made of) is there, byte by byte. */
static int holds(const char *copy, const char *tree)
{
	char format[1024], *from = unit_path(tree);
	int missing;

	snprintf(format, sizeof(format), "rm -rf '%%s.out'; mkdir '%%s.out'");
	want_eq(copyjob_try(format, copy), 0);
	want_eq(copyjob_try("debugfs -R 'rdump / %s.out' '%s' > /dev/null 2>&1", copy), 0);
	snprintf(format, sizeof(format), "diff -r --no-dereference '%s' '%%s.out' | "
		 "grep -vq '^Only in %%s.out'", from);
	missing = !copyjob_try(format, copy);
	free(from);
	return !missing;
}

/* Whether a name of the new tree is there. */
static int shows_new(const char *copy)
{
	return !copyjob_try("debugfs -R 'stat /fresh' '%s' 2>&1 | grep -q Inode:", copy);
}

static void judge(enum copyjob_target kind, const char *copy, enum bfo_fate fate, int crash)
{
	int atomic = copyjob_is_atomic(kind), is_new;

	if (!crash && (fate == BFO_FATE_BEFORE || fate == BFO_FATE_DONE))
		want_eq(fsck(copy, "-fn"), 0);
	want(fsck(copy, atomic ? "-p" : "-fy") <= 1);
	want_eq(fsck(copy, "-fn"), 0);
	want(holds(copy, "tree.other"));
	is_new = shows_new(copy);
	want(!is_new || !atomic || holds(copy, "tree.small"));
	if (fate == BFO_FATE_BEFORE || fate == BFO_FATE_RECORDED)
		want(!is_new);
	if (fate == BFO_FATE_DONE)
		want(is_new && holds(copy, "tree.small"));
	if (fate == BFO_FATE_UNCLEAN && atomic && !crash)
		want(is_new);
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
	copyjob_try("rm -r '%s' '%s.out'", copy);
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

Suite *commit_fail_suite(void)
{
	Suite *s = suite_create("commit_fail");

	unit_case(s, "tells_the_fate", tells_the_fate, SLICES * KINDS);
	unit_case(s, "survives_two_failures", survives_two_failures, SLICES * KINDS);
	unit_case(s, "survives_a_crash", survives_a_crash, SLICES * KINDS);
	return s;
}
