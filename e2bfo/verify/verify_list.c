// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * verify_list.c - e2bfo verify A FORMAT:FILE: a tree against a manifest (job/list_check.h)
 */
#include "base/clock.h"
#include "cli/process.h"
#include "gather/batch.h"
#include "job/list_check.h"
#include "tree/path.h"
#include "verify_list.h"
#include "verify_report.h"

struct list_comparison {
	struct bfo_list_check job;
	struct verify_report report;
};

int verify_is_list(const struct verify_options *opt)
{
	enum bfo_manifest_format format;
	const char *path;

	return !bfo_manifest_tell(opt->volume[1], &format, &path);
}

static void tell(void *priv, const struct bfo_list_check_diff *d)
{
	struct list_comparison *c = priv;
	struct verify_told told = { .kind = d->kind, .has_values = !!d->value[0].data,
				    .value = { d->value[0], d->value[1] } };
	char path[VERIFY_PATH_BYTES];
	struct bfo_trail trail = bfo_trail_begin(path, sizeof(path));

	bfo_trail_put(&trail, d->path, d->path_len);
	told.path = (struct bfo_bytes) { .data = path, .len = bfo_trail_end(&trail) };
	verify_report_diff(&c->report, &told);
}

static size_t finding_path(const void *priv, int side, const struct bfo_finding *f, char *out,
			   size_t size)
{
	const struct list_comparison *c = priv;

	(void) side;
	return bfo_tree_finding_path(&c->job.copy.job.tree, f, out, size);
}

static int finish(struct list_comparison *c, errcode_t err, double seconds)
{
	const struct bfo_copy *read = &c->job.copy;
	struct verify_side side[2] = { { .tree = &read->job.tree, .volume = read->job.source,
					 .source = read->job.from, .end = &read->end } };
	struct verify_amounts amounts = {
		.differences = c->job.differences, .files = c->job.files, .dirs = c->job.dirs,
		.bytes = c->job.bytes, .equal = "as the list says.",
	};

	return verify_report_end(&c->report, side, &amounts, err,
				 *read->ctx->what ? read->ctx->what : "comparing", seconds);
}

static struct bfo_list_check_options what(const struct verify_options *opt,
					  struct list_comparison *c)
{
	static const char *const whole_tree[] = { "/" };
	struct bfo_list_check_options o = { .ignore = opt->ignore, .found = tell,
					    .priv = c };

	o.copy = (struct bfo_copy_options) {
		.source = opt->volume[0], .to = "/", .from = whole_tree, .n_from = 1,
		.read_gap = BFO_GAP_OF_DEVICE, .medium = opt->medium[0],
		.cross_mounts = opt->cross_mounts, .metadata_in = opt->metadata_in,
		.strip = opt->strip,
		.memory = opt->common.memory, .bwlimit = opt->common.bwlimit,
		.journal = opt->common.journal,
	};
	if (opt->path[0][1]) {
		o.copy.paths = &opt->path[0];
		o.copy.n_paths = 1;
	}
	bfo_manifest_tell(opt->volume[1], &o.format, &o.list);
	return o;
}

int verify_list(const struct verify_options *opt)
{
	double begun = bfo_clock();
	struct bfo_context ctx = { 0 };
	struct list_comparison c = { .job = { .copy = { .ctx = &ctx } },
				     .report = { .opt = opt, .finding_path = finding_path,
						 .priv = &c } };
	struct bfo_list_check_options options = what(opt, &c);
	errcode_t err;
	int status;

	process_attach(&ctx);
	progress_attach(&c.report.bar, &ctx, &opt->common.progress, opt->common.quiet);
	verify_report_begin(&c.report);
	err = bfo_list_check_run(&c.job, &ctx, &options);
	status = finish(&c, err, bfo_clock() - begun);
	bfo_list_check_close(&c.job);
	return status;
}
