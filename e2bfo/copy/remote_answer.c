// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * remote_answer.c - what e2bfo on another machine answers
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/progress.h"
#include "remote_answer.h"

/* ---- objects ---- */

/* Value NAME of the object that J is, or NULL. */
static const struct json_value *find(const struct json_in *j, size_t object, const char *name)
{
	size_t i;

	for (i = object + 1; i < j->v.v[object].end; i = j->v.v[i].end)
		if (!strcmp(j->v.v[i].name, name))
			return &j->v.v[i];
	return NULL;
}

/* The string NAME, if it has no more than SIZE bytes and no NUL; else OUT becomes empty. */
static void string_in(const struct json_in *j, size_t object, const char *name, char *out,
		      size_t size)
{
	const struct json_value *v = find(j, object, name);

	*out = 0;
	if (v && v->kind == JSON_STRING && v->len < size && !memchr(v->text, 0, v->len))
		memcpy(out, v->text, v->len + 1);
}

static void take_string(const struct json_in *j, const char *name, char *out, size_t size)
{
	string_in(j, 0, name, out, size);
}

/* A whole number up to MOST; 0 if it is none. */
static uint64_t number_in(const struct json_in *j, size_t object, const char *name, uint64_t most)
{
	const struct json_value *v = find(j, object, name);
	uint64_t value;

	if (!v || v->kind != JSON_NUMBER || v->text[strspn(v->text, "0123456789")])
		return 0;
	errno = 0;
	value = strtoull(v->text, NULL, 10);
	return errno || value > most ? 0 : value;
}

static int is_true(const struct json_in *j, const char *name)
{
	const struct json_value *v = find(j, 0, name);

	return v && v->kind == JSON_TRUE;
}

static void take_plan(const struct json_in *j, struct remote_report *r)
{
	const struct json_value *plan = find(j, 0, "plan");
	size_t at;

	if (!plan || plan->kind != JSON_OBJECT)
		return;
	at = plan - j->v.v;
	r->has_plan = 1;
	r->files = number_in(j, at, "files", UINT32_MAX);
	r->dirs = number_in(j, at, "directories", UINT32_MAX);
	r->skipped = number_in(j, at, "skipped", INT64_MAX);
	r->replaced = number_in(j, at, "replaced", INT64_MAX);
	r->blocks_needed = number_in(j, at, "blocks_needed", INT64_MAX);
	r->blocks_free = number_in(j, at, "blocks_free", INT64_MAX);
	r->block_size = number_in(j, at, "block_size", 65536);
	r->inodes_needed = number_in(j, at, "inodes_needed", UINT32_MAX);
	r->inodes_free = number_in(j, at, "inodes_free", UINT32_MAX);
	r->smallest = number_in(j, at, "smallest_target_bytes", INT64_MAX);
}

/* A report has all of its text, which is that of J no more. */
static void take_report(struct json_in *j, int is_cut, struct remote_report *r)
{
	struct bfo_stream_token token;

	remote_report_free(r);
	*r = (struct remote_report) { .is_there = 1, .is_cut = is_cut };
	take_string(j, "command", r->command, sizeof(r->command));
	take_string(j, "version", r->version, sizeof(r->version));
	take_string(j, "code", r->code, sizeof(r->code));
	take_string(j, "error", r->error, sizeof(r->error));
	take_string(j, "while", r->what, sizeof(r->what));
	take_string(j, "target_state", r->state, sizeof(r->state));
	take_string(j, "target_uuid", r->uuid, sizeof(r->uuid));
	take_string(j, "token", r->token, sizeof(r->token));
	if (!bfo_stream_get_token(r->token, &token))
		*r->token = 0;
	r->status = number_in(j, 0, "status", 255);
	r->is_complete = is_true(j, "complete");
	r->is_resumable = is_true(j, "resumable");
	take_plan(j, r);
	r->json = *j;
	*j = (struct json_in) { .v.v = NULL };
}

void remote_report_free(struct remote_report *r)
{
	json_in_free(&r->json);
}

static void take_where(const struct json_in *j, size_t at, struct damage *d)
{
	*d = (struct damage) { .ino = number_in(j, at, "inode", INT64_MAX),
			       .inodes = number_in(j, at, "inodes", UINT32_MAX),
			       .dir = number_in(j, at, "directory", UINT32_MAX),
			       .from = number_in(j, at, "offset", INT64_MAX),
			       .to = number_in(j, at, "length", INT64_MAX),
			       .blk = number_in(j, at, "block", INT64_MAX) };
	d->to += d->to ? d->from : 0;
}

int remote_report_finding(const struct remote_report *r, size_t *at, struct remote_finding *f)
{
	const struct json_in *j = &r->json;
	const struct json_value *all = j->v.n ? find(j, 0, "not_kept") : NULL, *path;

	if (!all || all->kind != JSON_ARRAY)
		return 0;
	if (!*at)
		*at = all - j->v.v + 1;
	for (; *at < all->end; *at = j->v.v[*at].end) {
		if (j->v.v[*at].kind != JSON_OBJECT)
			continue;
		string_in(j, *at, "kind", f->kind, sizeof(f->kind));
		path = find(j, *at, "path");
		if (!*f->kind || !path || path->kind != JSON_STRING)
			continue;
		f->path = path->text;
		f->len = path->len;
		take_where(j, *at, &f->where);
		*at = j->v.v[*at].end;
		return 1;
	}
	return 0;
}

static void take_progress(const struct json_in *j, const struct remote_take *take)
{
	struct bfo_progress p = { .done = number_in(j, 0, "done", INT64_MAX),
				  .total = number_in(j, 0, "total", INT64_MAX),
				  .files = number_in(j, 0, "files", INT64_MAX) };
	char word[32];

	take_string(j, "stage", word, sizeof(word));
	if (!progress_stage_read(word, &p.stage))
		return;
	take_string(j, "part", word, sizeof(word));
	if (!*word || !progress_stage_read(word, &p.part))
		p.part = p.stage;
	take->progress(take->priv, &p);
}

/*
 * J ends where the text did: its last value, which may not be whole, goes.  If that is an array, it
 * stays as far as it came.
 */
static void drop_last(struct json_in *j)
{
	size_t i, last = 0, inner = 0;

	for (i = 1; i < j->v.n; i = j->v.v[i].end)
		last = i;
	for (i = last + 1; last && j->v.v[last].kind == JSON_ARRAY && i < j->v.n;
	     i = j->v.v[i].end)
		inner = i;
	if (inner)
		j->v.v[last].end = inner;
	j->v.n = inner ? inner : last ? last : 1;
	j->v.v[0].end = j->v.n;
}

/* 0: TEXT is none of ours. */
static int take_object(struct remote_answer *a, const char *text, size_t len,
		       const struct remote_take *take, struct remote_report *report)
{
	char program[8];
	const char *why;
	size_t at;
	errcode_t err;

	if (*text != '{')
		return 0;
	err = json_read(&a->json, text, len, &why, &at);
	if (err && (err != EINVAL || !a->is_long))
		return 0;
	if (err)
		drop_last(&a->json);
	take_string(&a->json, "program", program, sizeof(program));
	if (strcmp(program, "e2bfo"))
		return 0;
	if (find(&a->json, 0, "command"))
		take_report(&a->json, a->is_long, report);
	else
		take_progress(&a->json, take);
	return 1;
}

/* ---- lines ---- */

static void tell(struct remote_answer *a, const struct remote_take *take, const char *text)
{
	if (a->lines < REMOTE_TEXT_LINES)
		take->text(take->priv, text);
	else if (a->lines == REMOTE_TEXT_LINES)
		take->text(take->priv, "... and more, which is not shown");
	a->lines += a->lines <= REMOTE_TEXT_LINES;
}

/* What is in a->line, which has room for more, is one. */
static void take_line(struct remote_answer *a, const struct remote_take *take,
		      struct remote_report *report)
{
	char *text = a->line.v;
	size_t len = a->line.n, i;

	a->line.n = 0;
	for (; len && text[len - 1] == '\r'; len--)
		;
	if (!len || take_object(a, text, len, take, report))
		return;
	if (len > REMOTE_TEXT_MOST)
		len = REMOTE_TEXT_MOST;
	for (i = 0; i < len; i++)
		if (!text[i])
			text[i] = '?';
	text[len] = 0;
	tell(a, take, text);
}

/* Bytes of a line that go on with it. */
static errcode_t add(struct remote_answer *a, const char *bytes, size_t len)
{
	size_t room = REMOTE_LINE_MOST - a->line.n;
	errcode_t err;

	if (len > room) {
		a->is_long = 1;
		len = room;
	}
	err = bfo_vec_reserve(&a->line, len + 1);
	if (err)
		return err;
	memcpy(a->line.v + a->line.n, bytes, len);
	a->line.n += len;
	return 0;
}

errcode_t remote_answer_feed(struct remote_answer *a, const char *bytes, size_t len,
			     const struct remote_take *take, struct remote_report *report)
{
	const char *end = bytes + len, *stop;
	errcode_t err = 0;

	for (; !err && bytes < end; bytes = stop) {
		stop = memchr(bytes, '\n', end - bytes);
		err = add(a, bytes, (stop ? stop : end) - bytes);
		if (!err && stop) {
			take_line(a, take, report);
			a->is_long = 0;
		}
		stop = stop ? stop + 1 : end;
	}
	return err;
}

errcode_t remote_answer_end(struct remote_answer *a, const struct remote_take *take,
			    struct remote_report *report)
{
	return a->line.n ? remote_answer_feed(a, "\n", 1, take, report) : 0;
}

void remote_answer_free(struct remote_answer *a)
{
	bfo_vec_free(&a->line);
	json_in_free(&a->json);
}
