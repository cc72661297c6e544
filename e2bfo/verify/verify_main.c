// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * verify_main.c - e2bfo verify: options, job (job/verify.h), report
 */
#include "base/bfo_err.h"
#include "base/clock.h"
#include "cli/process.h"
#include "cli/timestamp.h"
#include "job/verify.h"
#include "e2bfo/e2bfo.h"
#include "e2bfo/journals.h"
#include "e2bfo/medium_report.h"
#include "verify_list.h"
#include "verify_options.h"
#include "verify_report.h"

static struct bfo_verify_options what(const struct verify_options *opt,
				      struct verify_report *report)
{
	return (struct bfo_verify_options){
		.volume = { opt->volume[0], opt->volume[1] },
		.path = { opt->path[0], opt->path[1] },
		.medium = { opt->medium[0], opt->medium[1] },
		.journal = opt->common.journal,
		.cross_mounts = opt->cross_mounts,
		.metadata_in = opt->metadata_in,
		.strip = opt->strip,
		.memory = opt->common.memory,
		.ignore = opt->ignore,
		.found = verify_report_diff,
		.priv = report,
	};
}

static int finish(const struct bfo_verify *v, struct verify_report *report, errcode_t err,
		  double seconds)
{
	int status = EXIT_KEPT, i;

	progress_wipe(report->bar);
	verify_report_damage(report);
	if (err == BFO_ET_CANCELLED)
		status = EXIT_CANCELLED;
	else if (err || report->damage)
		status = EXIT_FAILED;
	else if (v->compare.differences)
		status = EXIT_FINDINGS;
	verify_report_end(report, err, *v->ctx->what ? v->ctx->what : "comparing", status, seconds);
	for (i = 0; i < 2; i++) {
		journals_warn(v->opt.volume[i], v->volume[i]);
		medium_warn(v->opt.volume[i], v->volume[i]);
	}
	return status;
}

static int verify(struct verify_options *opt)
{
	double begun = bfo_clock();
	struct bfo_context ctx = { 0 };
	struct verify_report report;
	struct bfo_verify_options options = what(opt, &report);
	struct bfo_verify v;
	struct bar bar = { 0 };
	errcode_t err, epoch = 0;
	int status;

	process_attach(&ctx);
	argument_pace(&opt->common, &ctx);
	progress_attach(&bar, &ctx, &opt->common.progress, opt->common.quiet);
	if (timestamp_is_pinned())
		epoch = timestamp_now(&ctx, &options.epoch);
	bfo_verify_init(&v, &ctx, &options);
	report = (struct verify_report) { .opt = opt, .compare = &v.compare, .bar = &bar,
					  .volume = v.volume, .end = v.end };
	verify_report_begin(&report);
	err = epoch ? epoch : bfo_verify_run(&v);
	status = finish(&v, &report, err, bfo_clock() - begun);
	bfo_verify_close(&v);
	return status;
}

int verify_main(int argc, char **argv)
{
	struct verify_options opt;
	int status = verify_options_read(&opt, argc, argv);

	if (status < 0)
		status = verify_is_list(&opt) ? verify_list(&opt) : verify(&opt);
	verify_options_free(&opt);
	return status;
}
