// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unfinished.c - image files that --size was making when the copy was interrupted
 *
 *   NAME         ── itself one that has a record?
 *   NAME.??????  ── each: a record of a copy that was making an image file?
 *                   or, if there is no NAME, the end of a copy?
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/vec.h"
#include "commit/look.h"
#include "device/spec.h"
#include "job/job_options.h"
#include "job/unfinished.h"

#define SUFFIX 7		/* ".XXXXXX" of mkostemp(3) */

/* What was found beside a name. */
struct search {
	struct bfo_context *ctx;
	const char *name;
	struct bfo_unfinished found, whole;	/* the last one with a record, and without */
	unsigned int n, n_whole, n_busy;
	char list[256];			/* those with a record */
};

static int is_suffix(const char *text)
{
	int i;

	for (i = 1; i < SUFFIX && isalnum((unsigned char) text[i]); i++)
		;
	return *text == '.' && i == SUFFIX && !text[i];
}

/* Whether the file at PATH has what a copy leaves while it makes an image file. */
static errcode_t look(const char *path, enum bfo_left_state *state, int *makes_file, int *replaces)
{
	struct bfo_context ctx = { 0 };		/* what is wrong with others is of no interest */
	struct bfo_saved_options said = { .text = NULL };
	struct bfo_left left = { .vol = NULL };
	char *spec;
	errcode_t err;

	*state = BFO_LEFT_NOTHING;
	*makes_file = *replaces = 0;
	if (asprintf(&spec, "file:%s", path) < 0)
		return ENOMEM;
	err = bfo_left_look(&ctx, spec, &left);
	*state = left.state;
	if (!err)
		err = bfo_options_load(left.record.text.v, left.record.text.n, &said);
	if (!err) {
		*makes_file = said.makes_file;
		*replaces = said.opt.force;
	}
	bfo_saved_options_free(&said);
	bfo_left_free(&left);
	free(spec);
	return err == ENOMEM || err == BFO_ET_BUSY ? err : 0;
}

static errcode_t keep(struct bfo_unfinished *u, const char *made, const char *name, int replaces)
{
	bfo_unfinished_free(u);
	u->made = strdup(made);
	u->name = strdup(name);
	u->replaces = replaces;
	return u->made && u->name ? 0 : ENOMEM;
}

/* PATH has a name as one has that is to become s->name. */
static errcode_t take_candidate(struct search *s, const char *path)
{
	enum bfo_left_state state;
	int makes_file, replaces;
	struct stat st;
	errcode_t err;
	size_t used = strlen(s->list);

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	err = look(path, &state, &makes_file, &replaces);
	if (err == BFO_ET_BUSY) {
		s->n_busy++;
		return 0;
	}
	if (!err && state == BFO_LEFT_WHOLE && !s->n_whole++)
		err = keep(&s->whole, path, s->name, 0);
	if (err || state != BFO_LEFT_RECORD || !makes_file)
		return err;
	s->n++;
	snprintf(s->list + used, sizeof(s->list) - used, "%s%s", used ? ", " : "", path);
	return keep(&s->found, path, s->name, replaces);
}

/* All that stands beside s->name under a longer name. */
static errcode_t search(struct search *s)
{
	const char *slash = strrchr(s->name, '/'), *base = slash ? slash + 1 : s->name;
	int dir_len = base - s->name;
	size_t len = strlen(base);
	struct dirent *d;
	errcode_t err = 0;
	char *path;
	DIR *dir;

	if (asprintf(&path, "%.*s.", dir_len, s->name) < 0)
		return ENOMEM;
	dir = opendir(path);
	free(path);
	while (dir && !err && (d = readdir(dir))) {
		if (strncmp(d->d_name, base, len) || !is_suffix(d->d_name + len))
			continue;
		if (asprintf(&path, "%.*s%s", dir_len, s->name, d->d_name) < 0) {
			err = ENOMEM;
			break;
		}
		err = take_candidate(s, path);
		free(path);
	}
	if (dir)
		closedir(dir);
	return err;
}

/* True for a file that says of itself that it was being made under this name. */
static errcode_t is_one_itself(const char *path, struct bfo_unfinished *u, int *has_record)
{
	size_t len = strlen(path);
	enum bfo_left_state state;
	int makes_file, replaces;
	errcode_t err = look(path, &state, &makes_file, &replaces);
	char *name;

	*has_record = !err && state == BFO_LEFT_RECORD;
	if (err || !makes_file || len <= SUFFIX || !is_suffix(path + len - SUFFIX))
		return err == BFO_ET_BUSY ? 0 : err;	/* who opens it will say so */
	name = strndup(path, len - SUFFIX);
	err = name ? keep(u, path, name, replaces) : ENOMEM;
	free(name);
	return err;
}

/* Which of those that were found it is. */
static errcode_t choose(struct search *s, int exists, int has_record, struct bfo_unfinished *u)
{
	if (s->n + has_record > 1)
		return bfo_fail(s->ctx, EINVAL, "looking for what is to become %s: there are %s%s; "
				"name one of them", s->name, s->list,
				has_record ? ", and itself" : "");
	if (!s->n && s->n_busy && !exists)
		return bfo_fail(s->ctx, BFO_ET_BUSY, "looking for what is to become %s: another "
				"e2bfo works on it", s->name);
	if (s->n) {
		*u = s->found;
		s->found = (struct bfo_unfinished) { .made = NULL };
	} else if (s->n_whole == 1 && !exists) {
		*u = s->whole;
		u->is_whole = 1;
		s->whole = (struct bfo_unfinished) { .made = NULL };
	}
	return 0;
}

static errcode_t find(struct bfo_context *ctx, const char *path, struct bfo_unfinished *u)
{
	struct search s = { .ctx = ctx, .name = path };
	int exists, has_record = 0;
	struct stat st;
	errcode_t err;

	exists = !stat(path, &st);
	if (exists && !S_ISREG(st.st_mode))
		return 0;
	err = exists ? is_one_itself(path, u, &has_record) : 0;
	if (err || u->made)
		return err;
	err = search(&s);
	if (!err)
		err = choose(&s, exists, has_record, u);
	bfo_unfinished_free(&s.found);
	bfo_unfinished_free(&s.whole);
	return err;
}

errcode_t bfo_unfinished_find(struct bfo_context *ctx, const char *target, struct bfo_unfinished *u)
{
	struct bfo_spec spec;
	errcode_t err = bfo_spec_parse(target, &spec);

	*u = (struct bfo_unfinished) { .made = NULL };
	if (!err && !spec.is_tag && !spec.options && *spec.path)
		err = find(ctx, spec.path, u);
	bfo_spec_free(&spec);
	return err == ENOMEM ? bfo_fail(ctx, err, "looking for what is to become %s", target) : err;
}

void bfo_unfinished_free(struct bfo_unfinished *u)
{
	free(u->made);
	free(u->name);
	*u = (struct bfo_unfinished) { .made = NULL };
}
