// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * verify_main.c - e2bfo verify: options, job (job/verify.h), report
 */
#include "base/clock.h"
#include "cli/process.h"
#include "cli/timestamp.h"
#include "job/verify.h"
#include "e2bfo/commands.h"
#include "verify_diff.h"
#include "verify_list.h"
#include "verify_options.h"
#include "verify_report.h"

/* What is compared, and who is told. */
struct comparison {
	struct bfo_verify job;
	struct verify_report report;
};

static void tell(void *priv, const struct bfo_diff *diff)
{
	struct comparison *c = priv;

	verify_diff_tell(&c->report, &c->job.compare, diff);
}

static size_t finding_path(const void *priv, int side, const struct bfo_finding *f, char *out,
			   size_t size)
{
	const struct comparison *c = priv;

	return bfo_compare_finding_path(&c->job.compare, side, f, out, size);
}

static struct bfo_verify_options what(const struct verify_options *opt, struct comparison *c)
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
		.found = tell,
		.priv = c,
	};
}

static int finish(struct comparison *c, errcode_t err, double seconds)
{
	const struct bfo_verify *v = &c->job;
	struct verify_amounts amounts = {
		.differences = v->compare.differences, .files = v->compare.files,
		.dirs = v->compare.dirs, .bytes = v->compare.bytes, .missed = v->compare.missed,
		.equal = "equal.",
	};
	struct verify_side side[2];
	int i;

	for (i = 0; i < 2; i++)
		side[i] = (struct verify_side) { .tree = &v->tree[i], .volume = v->volume[i],
						 .source = v->source[i], .end = &v->end[i] };
	return verify_report_end(&c->report, side, &amounts, err,
				 *v->ctx->what ? v->ctx->what : "comparing", seconds);
}

static int verify(struct verify_options *opt)
{
	double begun = bfo_clock();
	struct bfo_context ctx = { 0 };
	struct comparison c = { .report = { .opt = opt, .finding_path = finding_path,
					    .priv = &c } };
	struct bfo_verify_options options = what(opt, &c);
	errcode_t err, epoch = 0;
	int status;

	process_attach(&ctx);
	argument_pace(&opt->common, &ctx);
	progress_attach(&c.report.bar, &ctx, &opt->common.progress, opt->common.quiet);
	if (timestamp_is_pinned())
		epoch = timestamp_now(&ctx, &options.epoch);
	bfo_verify_init(&c.job, &ctx, &options);
	verify_report_begin(&c.report);
	err = epoch ? epoch : bfo_verify_run(&c.job);
	status = finish(&c, err, bfo_clock() - begun);
	bfo_verify_close(&c.job);
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
