// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lists_report.c - what is told of lists: what they name and is not there
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/error_word.h"
#include "cli/message.h"
#include "lists_report.h"

#define SHOWN 10		/* of a kind, unless all are wanted */
#define PLACE_BYTES 4400

/* "LIST, line 3", or "--exclude" */
static const char *place_of(const struct bfo_lists *lists, const struct bfo_list *l, size_t entry,
			    char *out)
{
	const char *file = bfo_list_file(l, entry);

	if (!file)
		return "--exclude";
	snprintf(out, PLACE_BYTES, "%s, %s %u", strcmp(file, "-") ? file : "standard input",
		 lists->from0 ? "entry" : "line", l->lines.v[entry]);
	return out;
}

static void tell_missing(const struct bfo_lists *l, size_t i)
{
	const struct bfo_missing *m = &l->filter.missing.v[i];
	char place[PLACE_BYTES];

	message("%s: %s: %s", place_of(l, &l->files, m->entry, place), l->files.v.v[m->entry],
		m->why == EINVAL ? "'..' is not followed" : error_message(m->why));
}

static void tell_idle(const struct bfo_lists *l, size_t i)
{
	size_t entry = l->filter.idle.v[i];
	char place[PLACE_BYTES];

	message("warning: %s%s%s excludes nothing", place_of(l, &l->exclude, entry, place),
		bfo_list_file(&l->exclude, entry) ? ": " : " ", l->exclude.v.v[entry]);
}

static void tell_order(const struct bfo_lists *l, size_t i)
{
	size_t entry = l->order_missing.v[i];
	char place[PLACE_BYTES];

	message("warning: %s: %s leads to no file that is copied",
		place_of(l, &l->order, entry, place), l->order.v.v[entry]);
}

static void tell_some(const struct bfo_lists *l, size_t n, int all, const char *what,
		      void (*tell)(const struct bfo_lists *l, size_t i))
{
	size_t i;

	for (i = 0; i < n && (i < SHOWN || all); i++)
		tell(l, i);
	if (i < n)
		message("and %zu more %s (all with --verbose or --json)", n - i, what);
}

void lists_explain(const struct bfo_lists *l, struct bfo_context *ctx, errcode_t err)
{
	char place[PLACE_BYTES];

	if (!l->filter.missing.n)
		return;
	bfo_fail_add(ctx, err, " (%.100s)",
		     place_of(l, &l->files, l->filter.missing.v[0].entry, place));
}

void lists_tell(const struct bfo_lists *l, int all)
{
	if (l->filter.missing.n > 1)
		tell_some(l, l->filter.missing.n, all, "paths that are missing", tell_missing);
	tell_some(l, l->filter.idle.n, all, "patterns that exclude nothing", tell_idle);
	tell_some(l, l->order_missing.n, all, "paths that lead to no file that is copied",
		  tell_order);
}

/* Opens the object of ENTRY, which KEY calls what it is. */
static void json_entry(struct json *j, const struct bfo_list *l, size_t entry, const char *key)
{
	const char *file = bfo_list_file(l, entry);

	json_open(j, NULL, '{');
	json_string(j, key, l->v.v[entry]);
	json_string(j, "list", file);
	if (file)
		json_number(j, "line", l->lines.v[entry]);
}

void lists_json(struct json *j, const struct bfo_lists *l, const struct bfo_copy_options *opt)
{
	size_t i;

	if (opt->files_from) {
		json_open(j, "missing_paths", '[');
		for (i = 0; i < l->filter.missing.n; i++) {
			json_entry(j, &l->files, l->filter.missing.v[i].entry, "path");
			json_string(j, "error", error_message(l->filter.missing.v[i].why));
			json_string(j, "code", error_word(l->filter.missing.v[i].why));
			json_close(j, '}');
		}
		json_close(j, ']');
	}
	if (opt->n_exclude) {
		json_open(j, "unmatched_excludes", '[');
		for (i = 0; i < l->filter.idle.n; i++) {
			json_entry(j, &l->exclude, l->filter.idle.v[i], "pattern");
			json_close(j, '}');
		}
		json_close(j, ']');
	}
}

void lists_json_order(struct json *j, const struct bfo_lists *l)
{
	size_t i;

	json_open(j, "missing_paths", '[');
	for (i = 0; i < l->order_missing.n; i++) {
		json_entry(j, &l->order, l->order_missing.v[i], "path");
		json_close(j, '}');
	}
	json_close(j, ']');
}
