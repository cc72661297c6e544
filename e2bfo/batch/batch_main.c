// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_main.c - e2bfo batch: options, job (e2bfo_batch(3)), report
 */
#include "base/bfo_err.h"
#include "cli/process.h"
#include "cli/timestamp.h"
#include "e2bfo/commands.h"
#include "batch_report.h"
#include "batch_script.h"

static int committed(void *priv, uint64_t first, uint64_t n)
{
	struct batch_run *r = priv;

	batch_lines_commit(&r->lines, first + n);
	return 0;
}

errcode_t batch_told(struct batch_run *r, e2bfo_err err)
{
	return library_told(&r->ctx, r->lib, err);
}

errcode_t batch_done(struct batch_run *r, e2bfo_err err)
{
	batch_told(r, err);
	if (!err)
		err = batch_lines_add(&r->lines);
	if (!err)
		bfo_progress_report(&r->ctx, BFO_STAGE_ARRIVAL, r->bytes, 0, r->put);
	return err;
}

static errcode_t run(struct batch_run *r)
{
	const struct e2bfo_end volume = { .size = sizeof(volume), .kind = E2BFO_VOLUME,
					  .spec = r->opt->volume };
	struct e2bfo_batch_options opt = r->opt->batch;
	errcode_t err = library_open(&r->ctx, &r->lib);

	opt.committed = committed;
	opt.priv = r;
	opt.has_now = timestamp_is_pinned();
	if (!err && opt.has_now)
		err = timestamp_now(&r->ctx, &opt.now);
	if (!err)
		err = batch_told(r, e2bfo_batch_open(r->lib, &volume, &opt, &r->b));
	if (!err)
		err = r->opt->tar ? batch_put_tar(r) : batch_script(r);
	return err ? err : batch_told(r, e2bfo_batch_commit(r->b, NULL));
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
		status = batch_report(&r, err, r.b ? e2bfo_batch_state(r.b) : NULL);
		e2bfo_batch_close(r.b);
		library_close(r.lib);
		batch_lines_free(&r.lines);
	}
	batch_options_free(&opt);
	return status;
}
