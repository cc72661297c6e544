// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lists.c - the files behind --exclude-from, --files-from and --order=list
 *
 * A list has an entry per line, or with --from0 entries that end in NUL, so that any name can be
 * said.  Empty entries are skipped; in lines, lists of patterns have comments, lists of paths not.
 * A NUL in a line is none of these: it would hide what follows, mostly all of the list.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lists.h"

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
static errcode_t read_file(struct lists *l, struct bfo_context *ctx, const char *name, size_t *len)
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

/*
 * Cuts TEXT into entries; lines that begin with # or ; are none if COMMENTS.  EINVAL: there is a
 * NUL in a line.
 */
static errcode_t cut(char *text, size_t len, int from0, int comments, list_entries *out)
{
	char *end, *p = text;
	errcode_t err = 0;

	if (!from0 && memchr(text, 0, len))
		return EINVAL;
	for (; p < text + len && !err; p = end + 1) {
		end = memchr(p, from0 ? 0 : '\n', text + len - p);
		if (!end)
			end = text + len;
		*end = 0;
		if (*p && !(comments && !from0 && strchr("#;", *p)))
			err = bfo_vec_push(out, (const char *) p);
	}
	return err;
}

static errcode_t read_list(struct lists *l, struct bfo_context *ctx, const char *name, int from0,
			   int comments, list_entries *out)
{
	errcode_t err;
	size_t len;

	err = read_file(l, ctx, name, &len);
	if (err)
		return err;
	err = cut(l->texts.v[l->texts.n - 1], len, from0, comments, out);
	return err ? bfo_fail(ctx, err, "reading %s%s", strcmp(name, "-") ? name : "standard input",
			      err == EINVAL ? ": lines do not hold NULs (see --from0)" : "") : 0;
}

errcode_t lists_read(struct lists *l, struct bfo_context *ctx, const struct copy_options *opt)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < opt->n_exclude && !err; i++)
		if (opt->exclude[i].is_file)
			err = read_list(l, ctx, opt->exclude[i].text, opt->from0, 1, &l->exclude);
		else
			err = bfo_vec_push(&l->exclude, opt->exclude[i].text);
	if (!err && opt->files_from)
		err = read_list(l, ctx, opt->files_from, opt->from0, 0, &l->files);
	if (!err && opt->order.list)
		err = read_list(l, ctx, opt->order.list, opt->from0, 0, &l->order);
	l->filter = (struct bfo_filter) { .exclude = l->exclude.v, .n_exclude = l->exclude.n,
					  .selects = !!opt->files_from, .files = l->files.v,
					  .n_files = l->files.n };
	return err;
}

void lists_free(struct lists *l)
{
	while (l->texts.n)
		free(l->texts.v[--l->texts.n]);
	bfo_vec_free(&l->texts);
	bfo_vec_free(&l->exclude);
	bfo_vec_free(&l->files);
	bfo_vec_free(&l->order);
}
