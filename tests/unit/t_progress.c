// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_progress.c - cli/progress: when something is told, and what; by a clock that goes as we want
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/process.h"
#include "cli/progress.h"
#include "unit.h"

#define MIB (1ULL << 20)

static double time_now;

static double now(void *priv)
{
	(void) priv;
	return time_now;
}

static const struct bfo_timer our_time = { .now = now };

/* A bar that tells its file, and the work that it watches. */
static struct bar bar;
static struct bfo_context ctx;
static FILE *told;

static void begin(enum progress_mode mode)
{
	struct progress_options opt = { .mode = mode };

	message_begin("e2bfo");
	memset(&ctx, 0, sizeof(ctx));
	told = tmpfile();
	want(told);
	opt.fd = fileno(told);
	ctx.timer = &our_time;
	time_now = 1000;
	progress_attach(&bar, &ctx, &opt, 0);
	progress_requested = 0;
}

static void forget(void)
{
	want(!ftruncate(fileno(told), 0));
	want(lseek(fileno(told), 0, SEEK_SET) == 0);
}

/* All that was told since the last time. */
static void want_told(const char *expect)
{
	static char text[4096];
	ssize_t n;

	n = pread(fileno(told), text, sizeof(text) - 1, 0);
	want(n >= 0);
	text[n] = 0;
	ck_assert_str_eq(text, expect);
	forget();
}

static void end(void)
{
	fclose(told);
}

static void copied(double when, uint64_t mib, uint64_t files)
{
	time_now = 1000 + when;
	bfo_progress_report(&ctx, BFO_STAGE_DATA, mib * MIB, 400 * MIB, files);
}

START_TEST(lines_come_every_five_seconds)
{
	begin(PROGRESS_LINES);
	bfo_progress_report(&ctx, BFO_STAGE_INODES, 0, 200, 0);
	want_told("e2bfo: Reading inodes: 0 %\n");
	copied(1, 0, 0);
	copied(4.9, 50, 10);
	want_told("");
	copied(5, 100, 1);
	want_told("e2bfo: Copying: 25 %, 100.0 MiB of 400.0 MiB, 1 file, 26.2 MB/s, 12 s left\n");
	copied(9, 399, 20);
	want_told("");
	copied(101, 100, 20);
	want_told("e2bfo: Copying: 25 %, 100.0 MiB of 400.0 MiB, 20 files, 1.0 MB/s, 5:00 left\n");
	copied(4001, 200, 20);
	want_told("e2bfo: Copying: 50 %, 200.0 MiB of 400.0 MiB, 20 files, 0.1 MB/s, 1:06:40 left\n");
	copied(4006, 400, 1000);
	want_told("e2bfo: Copying: 100 %, 400.0 MiB of 400.0 MiB, 1000 files, 0.1 MB/s\n");
	time_now += 5;
	bfo_progress_report(&ctx, BFO_STAGE_FINISH, 0, 0, 0);
	want_told("e2bfo: Finishing\n");
	end();
}
END_TEST

START_TEST(parts_belong_to_their_stage)
{
	begin(PROGRESS_LINES);
	bfo_progress_enter(&ctx, BFO_STAGE_PLAN);
	want_told("e2bfo: Planning\n");
	time_now += 5;
	bfo_progress_report(&ctx, BFO_STAGE_NAMES, 50, 200, 0);
	want_told("e2bfo: Planning: reading directories: 25 %\n");
	bfo_progress_enter(&ctx, BFO_STAGE_FINISH);
	time_now += 5;
	bfo_progress_report(&ctx, BFO_STAGE_INODES, 199, 200, 0);
	want_told("e2bfo: Planning: reading inodes: 99 %\n");
	bfo_progress_leave(&ctx);
	bfo_progress_leave(&ctx);
	time_now += 5;
	bfo_progress_report(&ctx, BFO_STAGE_INODES, 199, 200, 0);
	want_told("e2bfo: Reading inodes: 99 %\n");
	end();
}
END_TEST

START_TEST(objects_come_with_stages_and_every_second)
{
	begin(PROGRESS_JSON);
	bfo_progress_report(&ctx, BFO_STAGE_FINISH, 0, 0, 0);
	want_told("{\"program\": \"e2bfo\", \"schema\": 1, \"stage\": \"finishing\", \"part\": null, "
		  "\"unit\": \"things\", \"done\": 0, \"total\": 0, \"percent\": null, \"files\": 0, "
		  "\"per_second\": null, \"seconds_left\": null, \"seconds\": 0}\n");
	copied(0.5, 0, 0);
	want_told("{\"program\": \"e2bfo\", \"schema\": 1, \"stage\": \"copying\", \"part\": null, "
		  "\"unit\": \"bytes\", \"done\": 0, \"total\": 419430400, \"percent\": 0, "
		  "\"files\": 0, \"per_second\": null, \"seconds_left\": null, \"seconds\": 0.5}\n");
	copied(1.4, 10, 1);
	want_told("");
	copied(2.5, 100, 7);
	want_told("{\"program\": \"e2bfo\", \"schema\": 1, \"stage\": \"copying\", \"part\": null, "
		  "\"unit\": \"bytes\", \"done\": 104857600, \"total\": 419430400, \"percent\": 25, "
		  "\"files\": 7, \"per_second\": 5.24288e+07, \"seconds_left\": 6, "
		  "\"seconds\": 2.5}\n");
	bfo_progress_enter(&ctx, BFO_STAGE_PLAN);
	time_now += 1;
	forget();
	bfo_progress_report(&ctx, BFO_STAGE_INODES, 1, 2, 0);
	want_told("{\"program\": \"e2bfo\", \"schema\": 1, \"stage\": \"planning\", "
		  "\"part\": \"inodes\", \"unit\": \"things\", \"done\": 1, \"total\": 2, "
		  "\"percent\": 50, \"files\": 0, \"per_second\": null, \"seconds_left\": null, "
		  "\"seconds\": 3.5}\n");
	end();
}
END_TEST

/* SIGUSR1: one line for one question, also if nothing is told otherwise. */
START_TEST(who_asks_is_answered)
{
	begin(PROGRESS_NONE);
	copied(0, 0, 0);
	copied(10, 100, 3);
	want_told("");
	progress_requested = 1;
	copied(10.5, 105, 3);
	want_told("e2bfo: Copying: 26 %, 105.0 MiB of 400.0 MiB, 3 files, 10.5 MB/s, 30 s left\n");
	copied(10.6, 106, 3);
	want_told("");
	end();
	begin(PROGRESS_JSON);
	copied(0, 0, 0);
	forget();
	progress_requested = 1;
	copied(0.1, 105, 3);
	want_told("{\"program\": \"e2bfo\", \"schema\": 1, \"stage\": \"copying\", \"part\": null, "
		  "\"unit\": \"bytes\", \"done\": 110100480, \"total\": 419430400, "
		  "\"percent\": 26.25, \"files\": 3, \"per_second\": null, \"seconds_left\": null, "
		  "\"seconds\": 0.1}\n");
	end();
}
END_TEST

/* Whoever reads may go: the work goes on. */
START_TEST(nobody_listens_any_more)
{
	int ends[2];

	begin(PROGRESS_LINES);
	want(!pipe(ends));
	bar.opt.fd = ends[1];
	close(ends[0]);
	copied(0, 0, 0);
	want_eq(bar.opt.mode, PROGRESS_NONE);
	copied(100, 1, 1);
	close(ends[1]);
	end();
}
END_TEST

START_TEST(a_bar_for_who_wants_one)
{
	struct progress_options opt = { .mode = PROGRESS_AUTO };

	progress_attach(&bar, &ctx, &opt, 1);
	want_eq(bar.opt.mode, PROGRESS_NONE);
	opt.mode = PROGRESS_LINES;
	progress_attach(&bar, &ctx, &opt, 1);
	want_eq(bar.opt.mode, PROGRESS_LINES);
}
END_TEST

Suite *progress_suite(void)
{
	Suite *s = suite_create("progress");

	unit_case(s, "lines_come_every_five_seconds", lines_come_every_five_seconds, 0);
	unit_case(s, "parts_belong_to_their_stage", parts_belong_to_their_stage, 0);
	unit_case(s, "objects_come_with_stages_and_every_second",
		  objects_come_with_stages_and_every_second, 0);
	unit_case(s, "who_asks_is_answered", who_asks_is_answered, 0);
	unit_case(s, "nobody_listens_any_more", nobody_listens_any_more, 0);
	unit_case(s, "a_bar_for_who_wants_one", a_bar_for_who_wants_one, 0);
	return s;
}
