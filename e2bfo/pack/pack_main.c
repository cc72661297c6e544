// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pack_main.c - e2bfo pack and unpack: options, job (job/pack.h), report
 */
#include "cli/process.h"
#include "cli/timestamp.h"
#include "e2bfo/commands.h"
#include "pack_report.h"

static errcode_t run(struct pack_run *r, struct pack_options *opt)
{
	const struct bfo_pack_sink sink = { .composite = pack_report_composite,
					    .left = pack_report_left, .priv = r };
	errcode_t err = timestamp_is_pinned() ? timestamp_now(&r->ctx, &opt->job.batch.now) : 0;

	if (err)
		return err;
	return *opt->command == 'p' ? bfo_pack(&r->ctx, &opt->job, &sink, &r->result) :
	       bfo_unpack(&r->ctx, &opt->job, &sink, &r->result);
}

static int main_of(const char *command, int argc, char **argv)
{
	struct pack_options opt;
	struct pack_run r = { .opt = &opt };
	int status = pack_options_read(&opt, command, argc, argv);
	errcode_t err;

	if (status < 0) {
		process_attach(&r.ctx);
		argument_pace(&opt.common, &r.ctx);
		progress_attach(&r.bar, &r.ctx, &opt.common.progress, opt.common.quiet);
		err = run(&r, &opt);
		progress_wipe(&r.bar);
		status = pack_report(&r, err);
		pack_report_free(&r);
	}
	pack_options_free(&opt);
	return status;
}

int pack_main(int argc, char **argv)
{
	return main_of("pack", argc, argv);
}

int unpack_main(int argc, char **argv)
{
	return main_of("unpack", argc, argv);
}
