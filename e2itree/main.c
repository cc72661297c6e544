// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - e2itree: builds, checks and rebuilds the indexes of big directories
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/text.h"
#include "cli/process.h"
#include "cli/timestamp.h"
#include "commit/itrees_change.h"
#include "gather/bitmap_check.h"
#include "volume/open.h"
#include "e2itree.h"
#include "online.h"
#include "report.h"

#define REPORT_EVERY 65536U		/* names */

errcode_t job_open(struct job *j, int for_writing)
{
	int only_looks = j->opt.list || j->opt.online ||
			 (j->opt.answer == ANSWER_NO && !j->opt.dump);
	int how = for_writing ? BFO_OPEN_TARGET : only_looks ? BFO_OPEN_MOVING : BFO_OPEN_SOURCE;
	const char *device = j->opt.online ? j->mounted.device : j->opt.device;
	struct stat st;
	errcode_t err;

	if (!stat(device, &st) && S_ISDIR(st.st_mode))
		return bfo_fail(&j->ctx, EISDIR, "opening %s: only -w takes a mount point; name "
				"its device", device);
	err = bfo_volume_open(&j->ctx, device, how, NULL, &j->vol);
	if (!err)
		err = bfo_reader_init(&j->reader, &j->ctx, j->vol, BFO_GAP_OF_DEVICE);
	j->reading = !err;
	return err;
}

void job_close(struct job *j)
{
	bfo_container_free(&j->old);
	if (j->reading)
		bfo_reader_free(&j->reader);
	j->reading = 0;
	bfo_volume_close(j->vol);
	j->vol = NULL;
}

char *job_raw_path(const struct job *j, uint32_t ino)
{
	char *path = NULL, *out = j->opt.online ? online_path(j, ino) : NULL;

	if (out)
		return out;

	if (!ext2fs_get_pathname(j->vol->fs, ino, 0, &path) && path)
		out = strdup(path);
	else if (asprintf(&out, "<%u>", ino) < 0)
		out = NULL;
	ext2fs_free_mem(&path);
	return out;
}

const char *job_path(const struct job *j, uint32_t ino, char *out, size_t size)
{
	char *path = job_raw_path(j, ino);

	bfo_text_escape(path ? path : "?", path ? strlen(path) : 1, out, size);
	free(path);
	return out;
}

void say_pass(struct job *j, int n, const char *text)
{
	j->pass = n;
	j->seen = 0;
	progress_wipe(&j->bar);
	if (!j->opt.json && !j->opt.quiet && !j->opt.list)
		printf("Pass %d: %s\n", n, text);
	fflush(stdout);
}

errcode_t job_count_name(struct job *j)
{
	if (++j->seen % REPORT_EVERY)
		return 0;
	bfo_progress_report(&j->ctx, BFO_STAGE_CHECK_INDEX, j->seen, j->total, 0);
	return bfo_cancelled(&j->ctx) ? bfo_fail(&j->ctx, BFO_ET_CANCELLED, "reading /" ITREE_NAME)
				      : 0;
}

/* ERR, with what was done when it came; those who know more have said it. */
static errcode_t during(struct job *j, errcode_t err, const char *what)
{
	return err && !*j->ctx.what ? bfo_fail(&j->ctx, err, "%s of %s", what, j->opt.device) : err;
}

/* Before anything is written: blocks and inodes are taken, or given back, by the bitmaps. */
static errcode_t check_bitmaps(struct job *j)
{
	return j->opt.trust ? 0 : bfo_bitmap_check(&j->reader);
}

/* Builds and drops what was decided, and looks at the result. */
static errcode_t rebuild(struct job *j)
{
	errcode_t err = during(j, check_bitmaps(j), "checking the bitmaps");

	if (!err)
		err = during(j, change_in_place(j), "changing the indexes");
	if (!err && !j->changed)
		err = during(j, pass3(j), "planning the indexes");
	if (!err && !j->changed)
		err = during(j, pass4(j), "writing the indexes");
	if (err)
		return err;
	job_close(j);
	return job_open(j, 0);
}

/* The default: gather, decide, commit, compare. */
static errcode_t check(struct job *j)
{
	errcode_t err = during(j, pass1(j), "reading inodes and indexes");
	int work = 0;

	if (!err)
		err = during(j, (j->opt.online ? online_pass2 : pass2)(j), "reading directories");
	if (!err && j->again)
		return 0;
	if (!err)
		err = pass3_decide(j, &work);
	if (err || j->opt.list) {
		if (!err)
			list_trees(j);
		return err;
	}
	if (j->opt.online)
		return work ? during(j, online_rebuild(j), "writing the indexes") : 0;
	if (work == 2)
		err = rebuild(j);
	else
		err = during(j, bfo_extsort_finish(j->names), "sorting the names");
	if (!err && work == 1)
		err = during(j, pass4_refresh(j), "refreshing the indexes");
	return err ? err : during(j, pass5(j), "comparing the indexes");
}

errcode_t remove_container(struct job *j)
{
	errcode_t err = bfo_container_find(&j->reader, &j->old);

	if (err == BFO_ET_NO_ITREE && !j->old.ino)
		return 0;
	if (err == BFO_ET_NO_ITREE)
		return bfo_fail(&j->ctx, BFO_ET_EXISTS, "removing /" ITREE_NAME " on %s: it is no "
				"container of indexes, and stays", j->opt.device);
	if (err && err != BFO_ET_ITREE)
		return err;
	if (j->opt.answer == ANSWER_NO) {
		j->status |= EXIT_LEFT;
		return 0;
	}
	err = check_bitmaps(j);
	if (err)
		return err;
	j->writing = 1;
	err = bfo_itrees_remove(&j->old, j->now, j->opt.undo_file, &j->fate);
	if (!err)
		j->status |= EXIT_CHANGED;
	j->removed = !err;
	return err;
}

/* What the hashes of names depend on; for who writes also what is free. */
static errcode_t gather_target(struct job *j, int for_writing)
{
	if (for_writing)
		return bfo_target_gather(&j->ctx, j->vol, &j->work.free);
	bfo_target_shape(j->vol, &j->work.free);
	return 0;
}

static errcode_t run(struct job *j)
{
	int looks = j->opt.list || j->opt.dump || j->opt.online || j->opt.answer == ANSWER_NO;
	errcode_t err = timestamp_now(&j->ctx, &j->now);

	if (!err && j->opt.undo_file && !access(j->opt.undo_file, F_OK))
		err = bfo_fail(&j->ctx, EEXIST, "making undo file %s", j->opt.undo_file);
	if (!err && j->opt.online)
		err = during(j, online_begin(j), "looking for the indexes");
	if (!err)
		err = during(j, job_open(j, !looks), "opening the filesystem");
	if (!err)
		err = during(j, gather_target(j, !looks), "reading the groups");
	if (err)
		return err;
	if (j->opt.remove)
		return during(j, remove_container(j), "removing the indexes");
	err = j->opt.dump ? dump_tree(j) : check(j);
	return err || !looks ? err : bfo_users_check_again(&j->ctx, j->vol);
}

int job_is_moving(struct job *j)
{
	if (!j->vol || !j->vol->users.moving || j->opt.online)
		return 0;		/* -w: what the kernel shows has no such moments */
	if (!j->again)
		j->again = bfo_users_again(j->vol, &j->tries);
	return 1;
}

static void release(struct job *j)
{
	size_t i;

	for (i = 0; i < j->told.n; i++)
		free(j->told.v[i].path);
	j->work.target = NULL;		/* the volume is closed below */
	bfo_job_close(&j->work);
	bfo_tree_free(&j->tree);
	bfo_extsort_close(j->names);
	bfo_vec_free(&j->trees);
	bfo_vec_free(&j->dirs);
	bfo_vec_free(&j->told);
	job_close(j);
	online_end(j);
}

/* The first look, and more of them as long as something that is being written to looks damaged. */
static errcode_t look(struct job *j)
{
	errcode_t err = run(j);

	while (!bfo_cancelled(&j->ctx) && (j->again || (err && job_is_moving(j) && j->again))) {
		struct job fresh = { .opt = j->opt, .ctx = j->ctx, .bar = j->bar, .draw = j->draw,
				     .tries = j->tries };

		progress_wipe(&j->bar);
		if (!j->opt.json && !j->opt.quiet && !j->opt.list)
			puts("Something changed while it was read; once more from the beginning.");
		release(j);
		*j = fresh;
		bfo_what_clear(&j->ctx);
		err = run(j);
	}
	return err;
}

int main(int argc, char **argv)
{
	struct job j = { 0 };
	int status;
	errcode_t err;

	process_begin("e2itree");
	status = options_read(&j.opt, argc, argv);
	if (status < 0) {
		process_attach(&j.ctx);
		report_attach(&j);
		err = look(&j);
		status = report_end(&j, err);
	}
	release(&j);
	if (!process_output_is_written())
		status |= EXIT_FAILED;
	return status;
}
