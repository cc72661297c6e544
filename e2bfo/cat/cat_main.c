// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cat_main.c - e2bfo cat: options, job (job/batch_read.h), report
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cli/message.h"
#include "cli/process.h"
#include "job/batch_read.h"
#include "job/lists.h"
#include "e2bfo/commands.h"
#include "e2bfo/journals.h"
#include "e2bfo/medium_report.h"
#include "cat_options.h"

struct cat {
	const struct cat_options *opt;
	struct bfo_context ctx;
	struct bar bar;
	struct bfo_lists lists;
	BFO_VEC(const char *) paths;	/* those of the command line, then those of the list */
	struct bfo_batch_read read;
	int refused, unread;		/* files */
};

/* What was asked for by INDEX: a path, or <a number>, as debugfs would write it. */
static const char *name_of(const struct cat *c, uint32_t index, char *out, size_t size)
{
	if (index < c->paths.n)
		return c->paths.v[index];
	snprintf(out, size, "<%u>", c->opt->inos.v[index - c->paths.n]);
	return out;
}

/* ---- what comes ---- */

static errcode_t written(struct cat *c, int good)
{
	return good && !ferror(stdout) ? 0
	     : bfo_fail(&c->ctx, errno ? errno : EIO, "writing to standard output");
}

static errcode_t begin(void *priv, const struct bfo_read_file *f)
{
	struct cat *c = priv;
	char number[32];

	if (!c->opt->batch)
		return 0;
	return written(c, printf("%" PRIu64 " %" PRIu64 " %s%c", f->shown, f->size,
				 name_of(c, f->index, number, sizeof(number)),
				 c->opt->zero ? 0 : '\n') >= 0);
}

static errcode_t data(void *priv, const void *data, size_t len)
{
	return written(priv, fwrite(data, 1, len, stdout) == len);
}

static errcode_t end(void *priv, const struct bfo_read_file *f)
{
	struct cat *c = priv;
	char number[32];

	if (f->unread) {
		c->unread++;
		message("%s: %" PRIu64 " bytes cannot be read, and are zeroes",
			name_of(c, f->index, number, sizeof(number)), f->unread);
	}
	if (f->is_wrong) {
		c->unread++;
		message("%s: %s", name_of(c, f->index, number, sizeof(number)),
			bfo_finding_table[BFO_FOUND_MEMBER].text);
	}
	return written(c, !c->opt->batch || putchar('\n') != EOF);
}

static void refused(void *priv, uint32_t index, errcode_t err, const char *why)
{
	struct cat *c = priv;

	(void) index;
	c->refused++;
	fflush(stdout);
	com_err("e2bfo", err, "while %s", why);
}

/* ---- the command ---- */

static errcode_t collect_paths(struct cat *c)
{
	struct bfo_copy_options lists = { .files_from = c->opt->files_from,
					  .from0 = c->opt->from0, .allow_empty = 1 };
	errcode_t err = bfo_lists_read(&c->lists, &c->ctx, &lists);
	size_t i;

	for (i = 0; i < c->opt->n_paths && !err; i++)
		err = bfo_vec_push(&c->paths, c->opt->paths[i]);
	for (i = 0; i < c->lists.files.v.n && !err; i++)
		err = bfo_vec_push(&c->paths, c->lists.files.v.v[i]);
	return err;
}

static errcode_t run(struct cat *c)
{
	const struct bfo_read_sink sink = { .begin = begin, .data = data, .end = end,
					    .refused = refused, .priv = c };
	errcode_t err = collect_paths(c);
	struct bfo_batch_read_options options = {
		.volume = c->opt->volume, .medium = c->opt->medium,
		.journal = c->opt->common.journal, .memory = c->opt->common.memory,
		.paths = c->paths.v, .n_paths = c->paths.n,
		.inos = c->opt->inos.v, .n_inos = c->opt->inos.n,
		.from = c->opt->from, .size = c->opt->size, .in_disk_order = c->opt->batch,
	};

	return err ? err : bfo_batch_read(&c->read, &c->ctx, &options, &sink);
}

static int finish(struct cat *c, errcode_t err)
{
	progress_wipe(&c->bar);
	if (!err)
		err = written(c, !fflush(stdout));
	clearerr(stdout);
	if (err)
		com_err("e2bfo", err, "while %s", c->ctx.what);
	if (!c->opt->common.quiet) {
		journals_warn(c->opt->volume, c->read.volume);
		medium_warn(c->opt->volume, c->read.volume);
	}
	if (c->opt->common.verbose)
		medium_tell_requests(c->opt->volume, &c->read.reader);
	if (err)
		return exit_status_of(err);
	if (c->refused)
		return EXIT_FAILED;
	return c->unread ? EXIT_FINDINGS : EXIT_KEPT;
}

int cat_main(int argc, char **argv)
{
	struct cat_options opt;
	struct cat c = { .opt = &opt };
	int status = cat_options_read(&opt, argc, argv);

	if (status < 0) {
		process_attach(&c.ctx);
		argument_pace(&opt.common, &c.ctx);
		progress_attach(&c.bar, &c.ctx, &opt.common.progress, opt.common.quiet);
		status = finish(&c, run(&c));
		bfo_batch_read_free(&c.read);
		bfo_lists_free(&c.lists);
		bfo_vec_free(&c.paths);
	}
	cat_options_free(&opt);
	return status;
}
