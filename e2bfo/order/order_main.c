// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * order_main.c - e2bfo order: options, job (bfo_copy_order()), the list
 *
 *   /a/first file of a group
 *   /b/second file
 *   				an empty line ends the group
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/message.h"
#include "cli/process.h"
#include "cli/result.h"
#include "cli/timestamp.h"
#include "job/copy.h"
#include "tree/path.h"
#include "e2bfo/commands.h"
#include "e2bfo/journals.h"
#include "e2bfo/medium_report.h"
#include "e2bfo/order_report.h"
#include "order_command.h"

#define PATH_BYTES 8192

struct order {
	struct order_command opt;
	struct bfo_context ctx;
	struct bar bar;
	struct bfo_copy job;
};

static errcode_t decide(struct order *o)
{
	static const char *const all[] = { "/" };
	struct bfo_copy_options opt = {
		.source = o->opt.volume, .medium = o->opt.medium, .journal = o->opt.common.journal,
		.from = all, .n_from = 1, .to = "/", .order = o->opt.order,
		.memory = o->opt.common.memory, .bwlimit = o->opt.common.bwlimit,
		.read_gap = BFO_GAP_OF_DEVICE, .environment = environ,
	};
	errcode_t err = timestamp_now(&o->ctx, &opt.now);

	return err ? err : bfo_copy_order(&o->job, &o->ctx, &opt);
}

/* ---- the list ---- */

static size_t path_of(const struct bfo_copy *c, size_t taken, char *path)
{
	return bfo_tree_path(&c->job.tree, c->order.sequence.taken.v[taken], path, PATH_BYTES);
}

/* Hands each file of each group to USE, until that returns an error. */
static errcode_t each_file(struct order *o, errcode_t (*use)(struct order *o, const char *path,
							     size_t len, int is_last))
{
	const struct bfo_sequence *s = &o->job.order.sequence;
	char path[PATH_BYTES];
	errcode_t err = 0;
	uint32_t i;
	size_t g;

	for (g = 0; g < s->groups.n; g++)
		for (i = 0; i < s->groups.v[g].n && !err; i++)
			err = use(o, path, path_of(&o->job, s->groups.v[g].first + i, path),
				  i + 1 == s->groups.v[g].n);
	return err;
}

static errcode_t check_path(struct order *o, const char *path, size_t len, int is_last)
{
	char shown[4 * PATH_BYTES + 1];

	(void) is_last;
	if (!memchr(path, '\n', len) && path[len - 1] != '\r')
		return 0;
	return bfo_fail(&o->ctx, EINVAL, "listing %s: its name does not fit into a line; -0 ends "
			"paths with NUL", bfo_text_escape(path, len, shown, sizeof(shown)));
}

static errcode_t print_path(struct order *o, const char *path, size_t len, int is_last)
{
	int end = o->opt.zero ? 0 : '\n';

	fwrite(path, 1, len, stdout);
	putchar(end);
	if (is_last)
		putchar(end);
	return 0;
}

static errcode_t print_list(struct order *o)
{
	errcode_t err = o->opt.zero ? 0 : each_file(o, check_path);

	return err ? err : each_file(o, print_path);
}

/* ---- its end ---- */

static void print_json(struct order *o, int status, errcode_t err)
{
	struct json j;

	result_begin(&j, "e2bfo", "order");
	json_string(&j, "source", o->opt.volume);
	result_status(&j, status, err, o->ctx.what);
	order_json(&j, &o->job, 1);
	journals_json(&j, "journal", o->job.job.source, &o->job.job.tree);
	medium_json(&j, "medium", o->job.job.source);
	result_end(&j);
}

/* What is damaged or cannot be read is in no group; which that is, others tell. */
static void warn_damage(const struct order *o)
{
	size_t n = o->job.job.tree.findings.n;

	if (n)
		message("%s: %zu thing%s %s damaged or cannot be read, and not in the list ('e2bfo "
			"layout' tells)", o->opt.volume, n, n == 1 ? "" : "s",
			n == 1 ? "is" : "are");
}

static int finish(struct order *o, errcode_t err)
{
	const struct argument_common *common = &o->opt.common;
	int status = EXIT_KEPT;

	progress_wipe(&o->bar);
	if (!err && !common->json)
		err = print_list(o);
	bfo_copy_explain(&o->job, err);
	if (err)
		status = exit_status_of(err);
	else if (o->job.job.tree.findings.n)
		status = EXIT_FINDINGS;
	if (err)
		com_err("e2bfo", err, "while %s", *o->ctx.what ? o->ctx.what : "ordering files");
	if (common->json)
		print_json(o, status, err);
	else if (!err && !common->quiet)
		order_note(&o->job);
	warn_damage(o);
	journals_warn(o->opt.volume, o->job.job.source);
	medium_warn(o->opt.volume, o->job.job.source);
	return status;
}

int order_main(int argc, char **argv)
{
	struct order o = { .opt = { .volume = NULL } };
	int status = order_command_read(&o.opt, argc, argv);

	if (status < 0) {
		process_attach(&o.ctx);
		progress_attach(&o.bar, &o.ctx, &o.opt.common.progress, o.opt.common.quiet);
		status = finish(&o, decide(&o));
		bfo_copy_close(&o.job);
	}
	order_command_free(&o.opt);
	return status;
}
