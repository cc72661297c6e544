// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lists.c - the files that list patterns, paths to be copied, and paths in order
 *
 * A list has an entry per line, or with --from0 entries that end in NUL, so that any name can be
 * said.  An empty entry ends a group, where that means something; in lines, lists of patterns have
 * comments, lists of paths not.  A NUL in a line is none of these: it would hide what follows,
 * mostly all of the list; nor is a carriage return at its end.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "job/lists.h"

typedef BFO_VEC(char) text_vec;

static errcode_t read_all(FILE *f, text_vec *text)
{
	errcode_t err = 0;

	while (!err && !feof(f) && !ferror(f)) {
		err = bfo_vec_reserve(text, 65536);
		if (!err)
			text->n += fread(text->v + text->n, 1, 65535, f);
	}
	if (!err && ferror(f))
		err = errno ? errno : EIO;
	if (!err)
		text->v[text->n] = 0;
	return err;
}

/* The text of file NAME ("-": standard input), which *LEN bytes and a NUL end. */
static errcode_t read_file(struct bfo_lists *l, struct bfo_context *ctx, const char *name,
			   size_t *len)
{
	int is_stdin = !strcmp(name, "-");
	FILE *f = is_stdin ? stdin : fopen(name, "re");
	text_vec text = { .n = 0 };
	errcode_t err = f ? read_all(f, &text) : errno;

	if (f && !is_stdin)
		fclose(f);
	*len = text.n;
	if (!err)
		err = bfo_vec_push(&l->texts, text.v);
	if (err)
		bfo_vec_free(&text);
	return err ? bfo_fail(ctx, err, "reading %s", is_stdin ? "standard input" : name) : 0;
}

static errcode_t push(struct bfo_list *l, const char *entry, uint32_t line)
{
	errcode_t err = bfo_vec_push(&l->v, entry);

	return err ? err : bfo_vec_push(&l->lines, line);
}

/* Groups that have no entry are none. */
static errcode_t end_group(struct bfo_list *l)
{
	size_t last = l->ends.n ? l->ends.v[l->ends.n - 1] : 0;

	return l->v.n > last ? bfo_vec_push(&l->ends, l->v.n) : 0;
}

/*
 * Cuts TEXT into entries; lines that begin with # or ; are none if COMMENTS.  EINVAL: *LINE ends in
 * a carriage return; as DOS writes them, and no name would be found.
 */
static errcode_t cut(char *text, size_t len, int from0, int comments, struct bfo_list *out,
		     uint32_t *line)
{
	char *end, *p = text;
	errcode_t err = 0;

	for (*line = 1; p < text + len && !err; p = end + 1, ++*line) {
		end = memchr(p, from0 ? 0 : '\n', text + len - p);
		if (!end)
			end = text + len;
		*end = 0;
		if (!from0 && end > p && end[-1] == '\r')
			return EINVAL;
		if (!*p)
			err = end_group(out);
		else if (!comments || from0 || !strchr("#;", *p))
			err = push(out, p, *line);
	}
	return err;
}

static errcode_t read_list(struct bfo_lists *l, struct bfo_context *ctx, const char *name,
			   int comments, struct bfo_list *out)
{
	const char *shown = strcmp(name, "-") ? name : "standard input";
	errcode_t err = bfo_vec_push(&out->sources, (struct bfo_list_source) { .first = out->v.n,
				     .name = name });
	uint32_t line;
	size_t len;

	if (err)
		return bfo_fail(ctx, err, "reading %s", shown);
	err = read_file(l, ctx, name, &len);
	if (err)
		return err;
	if (!l->from0 && memchr(l->texts.v[l->texts.n - 1], 0, len))
		return bfo_fail(ctx, EINVAL, "reading %s: lines do not hold NULs (see --from0)",
				shown);
	err = cut(l->texts.v[l->texts.n - 1], len, l->from0, comments, out, &line);
	if (err == EINVAL)
		return bfo_fail(ctx, err, "reading %s: line %u ends in a carriage return, as DOS "
				"writes lines: take these away (tr -d '\\r'), or say names that "
				"have one with --from0", shown, line);
	return err ? bfo_fail(ctx, err, "reading %s", shown) : 0;
}

static errcode_t read_excludes(struct bfo_lists *l, struct bfo_context *ctx,
			       const struct bfo_copy_options *opt)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < opt->n_exclude && !err; i++) {
		if (opt->exclude[i].is_file) {
			err = read_list(l, ctx, opt->exclude[i].text, 1, &l->exclude);
			continue;
		}
		err = bfo_vec_push(&l->exclude.sources, (struct bfo_list_source) {
				   .first = l->exclude.v.n });
		if (!err)
			err = push(&l->exclude, opt->exclude[i].text, 0);
	}
	return err;
}

errcode_t bfo_lists_read(struct bfo_lists *l, struct bfo_context *ctx,
			 const struct bfo_copy_options *opt)
{
	errcode_t err;
	size_t i;

	l->from0 = opt->from0;
	err = read_excludes(l, ctx, opt);
	if (!err && opt->files_from)
		err = read_list(l, ctx, opt->files_from, 0, &l->files);
	if (!err && opt->files_from && !l->files.v.n && !opt->allow_empty)
		err = bfo_fail(ctx, BFO_ET_EMPTY_LIST,
			       "reading %s (--allow-empty copies nothing all "
			       "the same)",
			       strcmp(opt->files_from, "-") ? opt->files_from : "standard input");
	for (i = 0; i < opt->n_paths && !err; i++)
		err = push(&l->files, opt->paths[i], 0);
	if (!err && opt->order.list)
		err = read_list(l, ctx, opt->order.list, 0, &l->order);
	l->filter = (struct bfo_filter) { .exclude = l->exclude.v.v, .n_exclude = l->exclude.v.n,
					  .selects = opt->files_from || opt->n_paths,
					  .files = l->files.v.v, .n_files = l->files.v.n };
	return err;
}

const char *bfo_list_file(const struct bfo_list *l, size_t entry)
{
	size_t i = l->sources.n;

	while (i && l->sources.v[i - 1].first > entry)
		i--;
	return i ? l->sources.v[i - 1].name : NULL;
}

static void free_list(struct bfo_list *l)
{
	bfo_vec_free(&l->v);
	bfo_vec_free(&l->lines);
	bfo_vec_free(&l->ends);
	bfo_vec_free(&l->sources);
}

void bfo_lists_free(struct bfo_lists *l)
{
	while (l->texts.n)
		free(l->texts.v[--l->texts.n]);
	bfo_vec_free(&l->texts);
	bfo_filter_free(&l->filter);
	bfo_vec_free(&l->order_missing);
	free_list(&l->exclude);
	free_list(&l->files);
	free_list(&l->order);
}
