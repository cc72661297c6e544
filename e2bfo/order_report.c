// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * order_report.c - what is told of files that were put next to each other
 */
#include <stdio.h>

#include "base/text.h"
#include "tree/path.h"
#include "lists_report.h"
#include "order_report.h"

#define PATH_BYTES 8192
#define SHOWN_BYTES (4 * PATH_BYTES + 1)
#define SHOWN_GROUPS 10
#define SHOWN_FILES 10		/* of a group */

/* What a policy took. */
struct taken {
	size_t groups, files;
};

/* A trace also gives runs of files that are used together but once. */
static int is_group(const struct bfo_sequence_group *g)
{
	return g->policy != BFO_ORDER_TRACE || g->support;
}

static struct taken taken_by(const struct bfo_order *o, enum bfo_order_policy policy)
{
	struct taken t = { 0 };
	size_t i;

	for (i = 0; i < o->sequence.groups.n; i++)
		if (o->sequence.groups.v[i].policy == (int) policy) {
			t.groups += is_group(&o->sequence.groups.v[i]);
			t.files += o->sequence.groups.v[i].n;
		}
	return t;
}

/* Whether what POLICY took is worth to be listed; others take everything. */
static int has_groups(enum bfo_order_policy policy)
{
	return policy == BFO_ORDER_LIST || policy == BFO_ORDER_REFS || policy == BFO_ORDER_TRACE;
}

static size_t path_of(const struct bfo_order *o, size_t i, char *path)
{
	return bfo_tree_path(o->sequence.plan->tree, o->sequence.taken.v[i], path, PATH_BYTES);
}

static const char *leads(enum bfo_order_policy policy, uint64_t n)
{
	if (policy == BFO_ORDER_TRACE)
		return n == 1 ? "access leads" : "accesses lead";
	return n == 1 ? "path leads" : "paths lead";
}

/* Users may have said paths in another way than they are looked for. */
static void print_advice(FILE *out, enum bfo_order_policy policy)
{
	if (policy != BFO_ORDER_TRACE)
		fputs(" (paths begin at the root of the source)", out);
	else if (out == stdout)
		fputs(" (see --order-mount, --order-root)", out);
	else
		fputs(" (see --mount, --root)", out);
}

static void print_policy(FILE *out, const struct bfo_order *o, enum bfo_order_policy policy)
{
	struct taken t = taken_by(o, policy);

	fprintf(out, "Order by %s: %zu %s", bfo_order_word(policy), t.files,
	       policy <= BFO_ORDER_NAME ? "files and directories" :
	       t.files == 1 ? "file" : "files");
	if (policy == BFO_ORDER_REFS || policy == BFO_ORDER_TRACE)
		fprintf(out, " in %zu group%s", t.groups, t.groups == 1 ? "" : "s");
	if (o->missing[policy])
		fprintf(out, "; %llu %s to no file that is copied",
			(unsigned long long) o->missing[policy], leads(policy, o->missing[policy]));
	if (o->missing[policy] && !t.files)
		print_advice(out, policy);
	fputs(".\n", out);
}

void order_note(const struct bfo_copy *c)
{
	size_t i;

	for (i = 0; c->order.is_made && i < c->opt.order.n; i++)
		print_policy(stderr, &c->order, c->opt.order.policies[i]);
}

static void print_group(const struct bfo_order *o, const struct bfo_sequence_group *g, int all)
{
	char path[PATH_BYTES], shown[SHOWN_BYTES];
	uint32_t i, n = all || g->n <= SHOWN_FILES ? g->n : SHOWN_FILES;

	if (g->support)
		printf("  seen %u times:\n", g->support);
	else
		printf(g->policy == BFO_ORDER_REFS ? "  together:\n" : "  in this order:\n");
	for (i = 0; i < n; i++)
		printf("    %s\n", bfo_text_escape(path, path_of(o, g->first + i, path), shown,
						   sizeof(shown)));
	if (n < g->n)
		printf("    and %u more\n", g->n - n);
}

void order_print(const struct bfo_copy *c, int groups, int all)
{
	const struct bfo_order_options *opt = &c->opt.order;
	const struct bfo_order *o = &c->order;
	const struct bfo_sequence_group *g;
	size_t i, k, shown;

	for (k = 0; o->is_made && k < opt->n; k++) {
		if (opt->policies[k] == BFO_ORDER_READDIR)
			continue;
		print_policy(stdout, o, opt->policies[k]);
		for (i = shown = 0; groups && i < o->sequence.groups.n; i++) {
			g = &o->sequence.groups.v[i];
			if (g->policy != (int) opt->policies[k] || !has_groups(opt->policies[k]))
				continue;
			if (shown++ < SHOWN_GROUPS || all)
				print_group(o, g, all);
		}
		if (shown > SHOWN_GROUPS && !all)
			printf("  and %zu more groups (all with --verbose or --json)\n",
			       shown - SHOWN_GROUPS);
	}
}

struct group_reader {
	const struct bfo_order *order;
	size_t first;
	char path[PATH_BYTES];
};

static const char *get_file(void *priv, size_t i, size_t *len)
{
	struct group_reader *g = priv;

	*len = path_of(g->order, g->first + i, g->path);
	return g->path;
}

static void json_group(struct json *j, const struct bfo_order *o,
		       const struct bfo_sequence_group *g)
{
	struct group_reader files = { .order = o, .first = g->first };

	json_open(j, NULL, '{');
	if (g->support)
		json_number(j, "seen", g->support);
	json_strings(j, "files", g->n, get_file, &files);
	json_close(j, '}');
}

void order_json(struct json *j, const struct bfo_copy *c, int groups)
{
	const struct bfo_order_options *opt = &c->opt.order;
	const struct bfo_order *o = &c->order;
	const struct bfo_sequence_group *g;
	size_t i, k;

	json_open(j, "order", '[');
	for (k = 0; o->is_made && k < opt->n; k++) {
		if (opt->policies[k] == BFO_ORDER_READDIR)
			continue;
		json_open(j, NULL, '{');
		json_string(j, "policy", bfo_order_word(opt->policies[k]));
		json_number(j, "files", taken_by(o, opt->policies[k]).files);
		json_number(j, "missing", o->missing[opt->policies[k]]);
		if (opt->policies[k] == BFO_ORDER_LIST)
			lists_json_order(j, &c->lists);
		if (groups && has_groups(opt->policies[k])) {
			json_open(j, "groups", '[');
			for (i = 0; i < o->sequence.groups.n; i++) {
				g = &o->sequence.groups.v[i];
				if (g->policy == (int) opt->policies[k])
					json_group(j, o, g);
			}
			json_close(j, ']');
		}
		json_close(j, '}');
	}
	json_close(j, ']');
}
