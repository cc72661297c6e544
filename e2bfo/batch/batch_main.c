// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_main.c - e2bfo batch: options, job (job/batch_write.h), report
 */
#include "base/bfo_err.h"
#include "cli/process.h"
#include "cli/timestamp.h"
#include "e2bfo/commands.h"
#include "batch_report.h"
#include "batch_script.h"

errcode_t batch_committed(void *priv, uint64_t first, uint64_t n)
{
	struct batch_run *r = priv;

	batch_lines_commit(&r->lines, first + n);
	return 0;
}

errcode_t batch_done(struct batch_run *r, errcode_t err)
{
	if (!err)
		err = batch_lines_add(&r->lines);
	if (!err)
		bfo_progress_report(&r->ctx, BFO_STAGE_ARRIVAL, r->bytes, 0, r->put);
	return err;
}

static errcode_t run(struct batch_run *r)
{
	struct bfo_batch_options job = r->opt->job;
	errcode_t err = timestamp_is_pinned() ? timestamp_now(&r->ctx, &job.now) : 0;

	job.committed = batch_committed;
	job.priv = r;
	if (!err)
		err = bfo_batch_open(&r->ctx, &job, &r->b);
	if (!err)
		err = r->opt->tar ? batch_put_tar(r) : batch_script(r);
	return err ? err : bfo_batch_commit(r->b, NULL);
}

int batch_main(int argc, char **argv)
{
	struct batch_options opt;
	struct batch_run r = { .opt = &opt };
	int status = batch_options_read(&opt, argc, argv);
	errcode_t err;

	if (status < 0) {
		process_attach(&r.ctx);
		argument_pace(&opt.common, &r.ctx);
		progress_attach(&r.bar, &r.ctx, &opt.common.progress, opt.common.quiet);
		err = run(&r);
		progress_wipe(&r.bar);
		status = batch_report(&r, err, r.b ? bfo_batch_fate(r.b) : NULL);
		bfo_batch_close(r.b);
		batch_lines_free(&r.lines);
	}
	batch_options_free(&opt);
	return status;
}
