// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * verify_list.c - e2bfo verify A FORMAT:FILE: a tree against a manifest (job/list_check.h)
 */
#include <stdio.h>

#include "base/bfo_err.h"
#include "base/clock.h"
#include "base/text.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/process.h"
#include "cli/result.h"
#include "cli/size.h"
#include "gather/batch.h"
#include "job/list_check.h"
#include "tree/path.h"
#include "e2bfo/damage.h"
#include "e2bfo/e2bfo.h"
#include "e2bfo/journals.h"
#include "verify_list.h"

#define PATH_BYTES 8192
#define SHOWN_BYTES (4 * PATH_BYTES + 1)
#define SHOWN 10			/* differences of one kind, unless --verbose */

struct list_report {
	const struct verify_options *opt;
	struct bfo_list_check *check;
	struct bar bar;
	uint64_t count[BFO_DIFF_KINDS];	/* differences found */
	struct json json;
};

int verify_is_list(const struct verify_options *opt)
{
	enum bfo_manifest_format format;
	const char *path;

	return !bfo_manifest_tell(opt->volume[1], &format, &path);
}

/* ---- differences ---- */

static void json_diff(struct list_report *r, const struct bfo_list_check_diff *d)
{
	json_open(&r->json, NULL, '{');
	json_string(&r->json, "kind", bfo_diff_words[d->kind]);
	json_bytes(&r->json, "path", d->path, d->path_len);
	if (d->value[0]) {
		json_bytes(&r->json, "value", d->value[0], d->value_len[0]);
		json_bytes(&r->json, "other", d->value[1], d->value_len[1]);
	}
	json_close(&r->json, '}');
}

static void print_diff(const struct list_report *r, const struct bfo_list_check_diff *d)
{
	char shown[SHOWN_BYTES];

	printf("/%s: %s", bfo_text_escape(d->path, d->path_len, shown, sizeof(shown)),
	       bfo_diff_words[d->kind]);
	if (!d->value[0]) {
		message_printf(", only in %s\n", r->opt->volume[d->kind == BFO_DIFF_EXTRA]);
		return;
	}
	printf(" %s", bfo_text_escape(d->value[0], d->value_len[0], shown, sizeof(shown)));
	printf(", other %s\n",
	       bfo_text_escape(d->value[1], d->value_len[1], shown, sizeof(shown)));
}

static void tell_diff(void *priv, const struct bfo_list_check_diff *d)
{
	struct list_report *r = priv;
	int is_shown = r->count[d->kind]++ < SHOWN || r->opt->common.verbose;

	if (r->opt->common.json) {
		json_diff(r, d);
	} else if (is_shown) {
		progress_wipe(&r->bar);
		print_diff(r, d);
	}
}

/* ---- the end ---- */

/* What is damaged in the tree; how much of it. */
static size_t tell_damage(struct list_report *r)
{
	const struct bfo_tree *t = &r->check->copy.job.tree;
	char path[PATH_BYTES];
	size_t i, len, told = 0;

	for (i = 0; i < t->findings.n; i++) {
		struct damage d = damage_of(t, &t->findings.v[i]);

		len = bfo_tree_finding_path(t, &t->findings.v[i], path, sizeof(path));
		if (told++ < SHOWN || r->opt->common.verbose)
			damage_tell(r->opt->volume[0], path, len, &d);
	}
	return told;
}

static void print_end(const struct list_report *r, double seconds)
{
	const struct bfo_list_check *c = r->check;
	char count[80], bytes[32];
	int kind;

	for (kind = 0; kind < BFO_DIFF_KINDS; kind++)
		if (r->count[kind] > SHOWN && !r->opt->common.verbose)
			printf("and %llu more: %s (all with --verbose or --json)\n",
			       (unsigned long long) r->count[kind] - SHOWN, bfo_diff_words[kind]);
	if (r->opt->common.quiet)
		return;
	printf("Compared %s, %s, in %.1f s: ",
	       count_text(c->files, c->dirs, count, sizeof(count)),
	       size_text(c->bytes, bytes, sizeof(bytes)), seconds);
	if (c->differences)
		printf("%llu difference%s.\n", (unsigned long long) c->differences,
		       c->differences == 1 ? "" : "s");
	else
		puts("as the list says.");
	journals_print(r->opt->volume[0], c->copy.job.source, &c->copy.job.tree);
}

static int finish(struct list_report *r, errcode_t err, double seconds)
{
	const char *what = *r->check->copy.ctx->what ? r->check->copy.ctx->what : "comparing";
	size_t damage;
	int status;

	progress_wipe(&r->bar);
	if (r->opt->common.json)
		json_close(&r->json, ']');
	damage = tell_damage(r);
	status = err == BFO_ET_CANCELLED ? EXIT_CANCELLED : err || damage ? EXIT_FAILED :
		 r->check->differences ? EXIT_FINDINGS : EXIT_KEPT;
	if (err)
		com_err("e2bfo", err, "while %s", what);
	if (r->opt->common.json) {
		json_number(&r->json, "files", r->check->files);
		json_number(&r->json, "directories", r->check->dirs);
		json_number(&r->json, "bytes", r->check->bytes);
		json_number(&r->json, "damaged", damage);
		result_status(&r->json, status, err, what);
		result_end(&r->json);
	} else if (!err) {
		print_end(r, seconds);
	}
	journals_warn(r->opt->volume[0], r->check->copy.job.source);
	return status;
}

static struct bfo_list_check_options what(const struct verify_options *opt,
					  struct list_report *report)
{
	static const char *const whole_tree[] = { "/" };
	struct bfo_list_check_options o = { .ignore = opt->ignore, .found = tell_diff,
					    .priv = report };

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

static void begin(struct list_report *r)
{
	if (!r->opt->common.json)
		return;
	result_begin(&r->json, "e2bfo", "verify");
	json_string(&r->json, "a", r->opt->volume[0]);
	json_string(&r->json, "b", r->opt->volume[1]);
	json_open(&r->json, "differences", '[');
}

int verify_list(const struct verify_options *opt)
{
	double begun = bfo_clock();
	struct bfo_context ctx = { 0 };
	struct bfo_list_check check = { .copy = { .ctx = &ctx } };
	struct list_report report = { .opt = opt, .check = &check };
	struct bfo_list_check_options options = what(opt, &report);
	errcode_t err;
	int status;

	process_attach(&ctx);
	progress_attach(&report.bar, &ctx, &opt->common.progress, opt->common.quiet);
	begin(&report);
	err = bfo_list_check_run(&check, &ctx, &options);
	status = finish(&report, err, bfo_clock() - begun);
	bfo_list_check_close(&check);
	return status;
}
