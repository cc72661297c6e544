// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hash_main.c - e2bfo hash: options, job (bfo_copy_hash() of job/copy.h), report
 */
#include "base/text.h"
#include "cli/message.h"
#include "cli/process.h"
#include "job/copy.h"
#include "tree/path.h"
#include "e2bfo/damage.h"
#include "e2bfo/commands.h"
#include "e2bfo/journals.h"
#include "e2bfo/lists_report.h"
#include "e2bfo/manifest_report.h"
#include "e2bfo/medium_report.h"
#include "hash_options.h"

#define PATH_BYTES 8192
#define SHOWN_BYTES (4 * PATH_BYTES + 1)

static const char *what_is_done(const struct bfo_finding_row *row)
{
	return row->is_loss ? "its data are not of use without it" : row->done;
}

static void tell_finding(const struct bfo_tree *t, const struct bfo_finding *f)
{
	const struct bfo_finding_row *row = &bfo_finding_table[f->kind];
	char path[PATH_BYTES], shown[SHOWN_BYTES], where[DAMAGE_WHERE];
	size_t len = bfo_tree_finding_path(t, f, path, sizeof(path));
	const struct damage d = damage_of(t, f);

	damage_where(&d, where, sizeof(where));
	message("%s: %s (inode %llu%s); %s", bfo_text_escape(path, len, shown, sizeof(shown)),
		row->text, (unsigned long long) d.ino, where, what_is_done(row));
}

static int finish(struct bfo_copy *c, const struct hash_options *opt, errcode_t err)
{
	const bfo_findings *found = &c->job.tree.findings;
	size_t i;

	if (err && c->job.phase == BFO_JOB_PLANNING)
		lists_explain(&c->lists, c->ctx, err);
	bfo_copy_explain(c, err);
	for (i = 0; i < found->n; i++)
		tell_finding(&c->job.tree, &found->v[i]);
	lists_tell(&c->lists, opt->common.verbose);
	manifest_warn(&c->manifests);
	if (err)
		com_err("e2bfo", err, "while %s", *c->ctx->what ? c->ctx->what : "reading");
	journals_warn(c->opt.source, c->job.source);
	medium_warn(c->opt.source, c->job.source);
	if (err)
		return exit_status_of(err);
	return found->n || manifest_loses(&c->manifests) ? EXIT_FINDINGS : EXIT_KEPT;
}

static int hash(const struct hash_options *opt)
{
	struct bfo_context ctx = { 0 };
	struct bfo_copy c = { .ctx = &ctx };
	struct bar bar = { 0 };
	errcode_t err;
	int status;

	process_attach(&ctx);
	progress_attach(&bar, &ctx, &opt->common.progress, opt->common.quiet);
	err = bfo_copy_hash(&c, &ctx, &opt->job);
	progress_wipe(&bar);
	status = finish(&c, opt, err);
	bfo_copy_close(&c);
	return status;
}

int hash_main(int argc, char **argv)
{
	struct hash_options opt;
	int status = hash_options_read(&opt, argc, argv);

	if (status < 0)
		status = hash(&opt);
	hash_options_free(&opt);
	return status;
}
