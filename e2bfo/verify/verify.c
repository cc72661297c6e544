// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * verify.c - e2bfo verify
 *
 *   A ── inode scan ── name scan ──┐
 *                                  ├── names ── inodes ── data ──> differences
 *   B ── inode scan ── name scan ──┘
 *
 * Both are opened as sources: neither can be written (P1).  Where one cannot be read, the rest is
 * compared.
 */
#include "base/bfo_err.h"
#include "base/clock.h"
#include "cli/process.h"
#include "compare/compare.h"
#include "gather/container.h"
#include "gather/inode_scan.h"
#include "gather/name_scan.h"
#include "e2bfo/argument.h"
#include "e2bfo/e2bfo.h"
#include "e2bfo/journals.h"
#include "verify_options.h"
#include "verify_report.h"

struct verify {
	struct verify_options opt;
	struct bfo_context ctx;
	struct bar bar;
	double begun;

	struct bfo_volume *volume[2];
	struct bfo_reader reader[2];
	struct bfo_tree tree[2];
	struct bfo_compare compare;
	struct verify_report report;
};

static errcode_t open_both(struct verify *v)
{
	errcode_t err = 0;
	int i;

	for (i = 0; i < 2 && !err; i++)
		err = bfo_medium_open(&v->opt.medium[i], &v->ctx, v->opt.volume[i],
				  &v->opt.common.journal, &v->volume[i]);
	return err;
}

static errcode_t gather(struct verify *v)
{
	errcode_t err = 0;
	int i;

	for (i = 0; i < 2 && !err; i++) {
		err = bfo_reader_init(&v->reader[i], &v->ctx, v->volume[i], BFO_GAP_OF_DEVICE);
		if (!err)
			err = bfo_inode_scan(&v->reader[i], &v->tree[i]);
		if (!err)
			err = bfo_name_scan(&v->reader[i], &v->tree[i]);
		if (!err)
			err = bfo_container_hide(&v->reader[i], &v->tree[i]);
	}
	return err;
}

static void prepare(struct verify *v)
{
	v->compare = (struct bfo_compare) {
		.ctx = &v->ctx, .reader = { &v->reader[0], &v->reader[1] },
		.tree = { &v->tree[0], &v->tree[1] },
		.path = { v->opt.path[0], v->opt.path[1] }, .memory = v->opt.common.memory,
		.ignore = v->opt.ignore, .found = verify_report_diff, .priv = &v->report,
	};
	v->report = (struct verify_report) { .opt = &v->opt, .compare = &v->compare,
					     .bar = &v->bar, .volume = v->volume };
}

static errcode_t verify(struct verify *v)
{
	errcode_t err = open_both(v);
	int i;

	if (!err)
		err = gather(v);
	if (!err)
		err = bfo_compare_names(&v->compare);
	if (!err)
		err = bfo_compare_inodes(&v->compare);
	if (!err && !(v->opt.ignore & BFO_DIFF_BIT(BFO_DIFF_DATA)))
		err = bfo_compare_data(&v->compare);
	for (i = 0; i < 2 && !err; i++)
		err = bfo_users_check_again(&v->ctx, v->volume[i]);
	return err;
}

static int finish(struct verify *v, errcode_t err)
{
	int status = EXIT_KEPT, i;

	progress_wipe(&v->bar);
	verify_report_damage(&v->report);
	if (err == BFO_ET_CANCELLED)
		status = EXIT_CANCELLED;
	else if (err || v->report.damage)
		status = EXIT_FAILED;
	else if (v->compare.differences)
		status = EXIT_FINDINGS;
	verify_report_end(&v->report, err, *v->ctx.what ? v->ctx.what : "comparing", status,
			  bfo_clock() - v->begun);
	for (i = 0; i < 2; i++) {
		journals_warn(v->opt.volume[i], v->volume[i]);
		medium_warn(v->opt.volume[i], v->volume[i]);
	}
	return status;
}

static void release(struct verify *v)
{
	int i;

	bfo_compare_free(&v->compare);
	for (i = 0; i < 2; i++) {
		bfo_tree_free(&v->tree[i]);
		bfo_reader_free(&v->reader[i]);
		bfo_volume_close(v->volume[i]);
	}
	verify_options_free(&v->opt);
}

int verify_main(int argc, char **argv)
{
	struct verify v = { .begun = bfo_clock() };
	int status = verify_options_read(&v.opt, argc, argv);

	if (status >= 0) {
		verify_options_free(&v.opt);
		return status;
	}
	process_attach(&v.ctx);
	argument_pace(&v.opt.common, &v.ctx);
	progress_attach(&v.bar, &v.ctx, &v.opt.common.progress, v.opt.common.quiet);
	prepare(&v);
	verify_report_begin(&v.report);
	status = finish(&v, verify(&v));
	release(&v);
	return status;
}
