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
static void take_string(const struct json_in *j, const char *name, char *out, size_t size)
{
	const struct json_value *v = find(j, 0, name);

	*out = 0;
	if (v && v->kind == JSON_STRING && v->len < size && !memchr(v->text, 0, v->len))
		memcpy(out, v->text, v->len + 1);
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

static void take_report(const struct json_in *j, struct remote_report *r)
{
	struct bfo_stream_token token;

	*r = (struct remote_report) { .is_there = 1 };
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

/* 0: TEXT is none of ours. */
static int take_object(struct remote_answer *a, const char *text, size_t len,
		       const struct remote_take *take, struct remote_report *report)
{
	char program[8];
	const char *why;
	size_t at;

	if (*text != '{' || json_read(&a->json, text, len, &why, &at))
		return 0;
	take_string(&a->json, "program", program, sizeof(program));
	if (strcmp(program, "e2bfo"))
		return 0;
	if (find(&a->json, 0, "command"))
		take_report(&a->json, report);
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
	if (a->is_long && len > REMOTE_TEXT_MOST)
		len = REMOTE_TEXT_MOST;
	for (; len && text[len - 1] == '\r'; len--)
		;
	if (!len || (!a->is_long && take_object(a, text, len, take, report)))
		return;
	for (i = 0; i < len; i++)
		if (!text[i])
			text[i] = '?';
	if (len > REMOTE_TEXT_MOST)
		len = REMOTE_TEXT_MOST;
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
