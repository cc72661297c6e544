// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comparisons.c - e2bfo_verify(): two trees, or a tree and a list
 */
#include <errno.h>
#include <string.h>

#include "api/handle.h"
#include "base/bfo_err.h"
#include "base/memory.h"
#include "compare/diff_text.h"
#include "gather/batch.h"
#include "job/list_check.h"
#include "job/verify.h"
#include "tree/path.h"

#define NAME "the options of a comparison"

struct comparing {
	e2bfo *c;
	struct bfo_api_end end[2];
	struct e2bfo_verify_options opt;
	uint32_t ignore;		/* BFO_DIFF_BIT()s */
	struct bfo_verify trees;
	struct bfo_list_check list;
	struct e2bfo_verify_report report;
};

/* The job ends soon once the caller has enough. */
static void tell(struct comparing *v, const struct e2bfo_diff *d)
{
	if (v->opt.diff && v->opt.diff(v->opt.priv, d))
		bfo_api_stop(v->c);
}

static struct e2bfo_value value_of(struct bfo_bytes bytes)
{
	return (struct e2bfo_value) { .data = bytes.data, .len = bytes.len };
}

/* ---- two trees ---- */

static void tell_of_trees(void *priv, const struct bfo_diff *diff)
{
	struct comparing *v = priv;
	const struct bfo_compare *compare = &v->trees.compare;
	char path[BFO_API_PATH_BYTES], buf[2][BFO_DIFF_VALUE_BYTES];
	struct e2bfo_diff d = { .size = sizeof(d), .kind = bfo_diff_words[diff->kind],
				.path = path, .offset = diff->offset };
	int i;

	d.path_len = bfo_diff_path(compare, diff, path, sizeof(path));
	for (i = 0; i < 2; i++)		/* (a member of a composite file has no inode) */
		d.ino[i] = diff->ino[i] <= UINT32_MAX ? diff->ino[i] : 0;
	if (diff->kind == BFO_DIFF_XATTR)
		d.name = value_of(diff->name);
	for (i = 0; i < 2 && bfo_diff_has_values(diff); i++)
		d.value[i] = value_of(bfo_diff_value(compare, diff, i, buf[i]));
	tell(v, &d);
}

static errcode_t compare_trees(struct comparing *v)
{
	const struct e2bfo_end *a = &v->end[0].end, *b = &v->end[1].end;
	const struct e2bfo_end *open = a->flags & E2BFO_END_FD ? a : b;
	struct bfo_verify_options opt = {
		.volume = { v->end[0].spec, v->end[1].spec },
		.path = { v->end[0].path, v->end[1].path },
		.medium = { v->end[0].medium, v->end[1].medium },
		.journal.ignore = v->end[0].journal.ignore || v->end[1].journal.ignore,
		.cross_mounts = !!((a->flags | b->flags) & E2BFO_END_CROSS_MOUNTS),
		.metadata_in = a->metadata ? a->metadata : b->metadata,
		.strip = a->strip ? a->strip : b->strip,
		.in = open->flags & E2BFO_END_FD ? open->fd : 0,
		.memory = v->opt.memory, .ignore = v->ignore, .found = tell_of_trees, .priv = v,
	};
	const struct bfo_compare *done = &v->trees.compare;
	errcode_t err, told = 0;
	int i;

	bfo_verify_init(&v->trees, &v->c->ctx, &opt);
	err = bfo_verify_run(&v->trees);
	for (i = 0; i < 2 && !told && done->pairs.n; i++)
		told = bfo_api_tell_compared(v->c, done, i, &v->report.findings);
	v->report.differences = done->differences;
	v->report.files = done->files;
	v->report.dirs = done->dirs;
	v->report.bytes = done->bytes;
	v->report.missed = done->missed;
	bfo_verify_close(&v->trees);
	return err ? err : told;
}

/* ---- a tree and a list ---- */

static void tell_of_list(void *priv, const struct bfo_list_check_diff *diff)
{
	struct e2bfo_diff d = { .size = sizeof(d), .kind = bfo_diff_words[diff->kind],
				.value = { value_of(diff->value[0]), value_of(diff->value[1]) } };
	char path[BFO_API_PATH_BYTES];
	struct bfo_trail trail = bfo_trail_begin(path, sizeof(path));

	bfo_trail_put(&trail, diff->path, diff->path_len);
	d.path = path;
	d.path_len = bfo_trail_end(&trail);
	tell(priv, &d);
}

static struct bfo_list_check_options list_options(struct comparing *v)
{
	static const char *const whole_tree[] = { "/" };
	const struct bfo_api_end *end = &v->end[0];
	struct bfo_list_check_options opt = { .ignore = v->ignore, .found = tell_of_list,
					      .priv = v };

	opt.copy = (struct bfo_copy_options) {
		.source = end->spec, .to = "/", .from = whole_tree, .n_from = 1,
		.read_gap = BFO_GAP_OF_DEVICE, .medium = end->medium, .journal = end->journal,
		.cross_mounts = !!(end->end.flags & E2BFO_END_CROSS_MOUNTS),
		.metadata_in = end->end.metadata, .strip = end->end.strip,
		.in = end->end.flags & E2BFO_END_FD ? end->end.fd : 0,
		.memory = v->opt.memory,
	};
	if (end->path[1]) {
		opt.copy.paths = &end->path;
		opt.copy.n_paths = 1;
	}
	return opt;
}

static errcode_t compare_list(struct comparing *v)
{
	struct bfo_list_check_options opt = list_options(v);
	const struct bfo_tree *tree = &v->list.copy.job.tree;
	errcode_t err, told = 0;
	size_t n = 0;

	if (bfo_manifest_tell(v->end[1].spec, &opt.format, &opt.list))
		return bfo_fail(&v->c->ctx, EINVAL, "looking at %s: it is no FORMAT:FILE",
				v->end[1].spec);
	err = bfo_list_check_run(&v->list, &v->c->ctx, &opt);
	if (bfo_job_has_plan(&v->list.copy.job))
		told = bfo_api_tell_tree(v->c, tree, &n);
	v->report.findings = n;
	v->report.differences = v->list.differences;
	v->report.files = v->list.files;
	v->report.dirs = v->list.dirs;
	v->report.bytes = v->list.bytes;
	bfo_list_check_close(&v->list);
	return err ? err : told;
}

/* ---- the call ---- */

static int is_list(const struct bfo_api_end *b)
{
	enum bfo_manifest_format format;
	const char *path;

	return b->end.kind == E2BFO_LIST ||
	       (b->end.kind == E2BFO_ANY && !bfo_manifest_tell(b->spec, &format, &path));
}

static errcode_t take(struct comparing *v, const struct e2bfo_end *a, const struct e2bfo_end *b,
		      const struct e2bfo_verify_options *opt)
{
	const unsigned int trees = 1U << E2BFO_ANY | 1U << E2BFO_VOLUME | 1U << E2BFO_DIRECTORY |
				   1U << E2BFO_ARCHIVE | 1U << E2BFO_STREAM;
	e2bfo *c = v->c;
	const char *bad = NULL;
	errcode_t err = bfo_api_take_source(c, &v->end[0], a, trees, "A of a comparison");

	if (!err)
		err = bfo_api_take_source(c, &v->end[1], b, trees | 1U << E2BFO_LIST,
				       "B of a comparison");
	if (!err)
		err = bfo_api_take(c, &v->opt, sizeof(v->opt), opt, NAME);
	if (err)
		return err;
	if (!v->opt.memory)
		v->opt.memory = bfo_default_memory();
	if (v->opt.ignore)
		bad = bfo_diff_kinds_read(v->opt.ignore, &v->ignore);
	return !bad ? 0 : bfo_fail(&c->ctx, EINVAL, "looking at " NAME ": '%.*s' is no kind of "
				   "difference", (int) strcspn(bad, ","), bad);
}

e2bfo_err e2bfo_verify(e2bfo *c, const struct e2bfo_end *a, const struct e2bfo_end *b,
		       const struct e2bfo_verify_options *opt, struct e2bfo_verify_report *report)
{
	struct comparing v = { .c = c };
	errcode_t err;

	bfo_api_begin(c);
	err = take(&v, a, b, opt);
	if (!err)
		err = is_list(&v.end[1]) ? compare_list(&v) : compare_trees(&v);
	if (!err && c->has_enough)
		err = bfo_fail(&c->ctx, BFO_ET_CANCELLED, "comparing");
	bfo_api_give(report, &v.report, sizeof(v.report));
	bfo_api_free_end(&v.end[0]);
	bfo_api_free_end(&v.end[1]);
	return bfo_api_end(c, err);
}
