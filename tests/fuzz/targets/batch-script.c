// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch-script.c - lines of a script of e2bfo batch, words or JSON
 *
 * What was read of a line is written as JSON, and means the same when that is read.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../fuzz.h"
#include "cli/json.h"
#include "cli/timestamp.h"
#include "e2bfo/batch/script.h"
#include "e2bfo/batch/script_value.h"

#define LINE_MOST 4096U

static const char *get(void *priv, size_t i, size_t *len)
{
	const struct script_list *list = priv;

	*len = strlen(list->v[i]);
	return list->v[i];
}

static void put_value(struct json *j, enum script_field f, const struct script_value *v)
{
	static struct timestamp_day day;
	const char *name = script_field_name(f);
	char text[TIMESTAMP_BYTES];

	if (f == SCRIPT_ATTR_MODE)
		snprintf(text, sizeof(text), "%04" PRIo64, v->number);
	else if (f == SCRIPT_TYPE)
		snprintf(text, sizeof(text), "%s", S_ISFIFO(v->number) ? "fifo" : S_ISSOCK(v->number)
			 ? "socket" : S_ISCHR(v->number) ? "char" : "block");
	else if (f == SCRIPT_ATIME || f == SCRIPT_MTIME || f == SCRIPT_CRTIME)
		timestamp_scripts(&day, v->time.tv_sec, v->time.tv_nsec, text);
	else
		*text = 0;
	if (*text)
		json_string(j, name, text);
	else if (script_field_is_number(f))
		json_number(j, name, v->number);
	else
		json_bytes(j, name, v->text, v->len);
}

/* Everything that an operation promises to who does it. */
static void check(const struct script_op *op)
{
	size_t i;

	if (op->kind != SCRIPT_COMMIT && !op->paths.n)
		fuzz_fail("%s without a path", op->word);
	if (op->kind == SCRIPT_FILTER && !op->command.n)
		fuzz_fail("a filter without a command");
	for (i = 0; i < op->paths.n; i++)
		if (!*op->paths.v[i])
			fuzz_fail("an empty path");
	for (i = 0; i < SCRIPT_FIELDS; i++)
		if (script_has(op, i) && op->v[i].text && op->v[i].text[op->v[i].len])
			fuzz_fail("%s: text without an end", script_field_name(i));
	if (op->v[SCRIPT_ATTR_MODE].number > 07777 || op->v[SCRIPT_SIZE].number > INT64_MAX ||
	    op->v[SCRIPT_OFFSET].number > INT64_MAX || op->v[SCRIPT_UID].number >= UINT32_MAX)
		fuzz_fail("a number out of range");
}

static void put_op(struct json *j, const struct script_op *op)
{
	int f;

	json_open(j, NULL, '{');
	json_string(j, "op", op->word);
	for (f = 0; f < SCRIPT_FIELDS; f++) {
		if (!script_has(op, f))
			continue;
		if (script_field_is_flag(f))
			json_bool(j, script_field_name(f), 1);
		else if (f == SCRIPT_PATH)
			json_strings(j, "path", op->paths.n, get, (void *) &op->paths);
		else if (f == SCRIPT_COMMAND)
			json_strings(j, "command", op->command.n, get, (void *) &op->command);
		else
			put_value(j, f, &op->v[f]);
	}
	json_close(j, '}');
}

static void compare_lists(const struct script_list *a, const struct script_list *b)
{
	size_t i;

	if (a->n != b->n)
		fuzz_fail("%zu words, %zu when written and read again", a->n, b->n);
	for (i = 0; i < a->n; i++)
		if (strcmp(a->v[i], b->v[i]))
			fuzz_fail("'%s' became '%s'", a->v[i], b->v[i]);
}

static void compare(const struct script_op *a, const struct script_op *b)
{
	int f;

	if (a->kind != b->kind || strcmp(a->word, b->word) || a->has != b->has)
		fuzz_fail("%s became %s, fields %" PRIx64 " %" PRIx64, a->word, b->word, a->has, b->has);
	compare_lists(&a->paths, &b->paths);
	compare_lists(&a->command, &b->command);
	for (f = 0; f < SCRIPT_FIELDS; f++) {
		const struct script_value *x = &a->v[f], *y = &b->v[f];

		if (x->number != y->number || x->time.tv_sec != y->time.tv_sec ||
		    x->time.tv_nsec != y->time.tv_nsec)
			fuzz_fail("another number of %s", script_field_name(f));
		if (script_has(a, f) && x->text && !x->number && !x->time.tv_sec &&
		    !script_field_is_number(f) && f != SCRIPT_ATTR_MODE &&
		    (x->len != y->len || memcmp(x->text, y->text, x->len)))
			fuzz_fail("another text of %s", script_field_name(f));
	}
}

static void again(const struct script_op *op)
{
	struct script s = { .why = "" };
	struct script_op second;
	char *text;
	size_t len;
	struct json j = { .out = open_memstream(&text, &len) };

	put_op(&j, op);
	fclose(j.out);
	if (script_line(&s, text, len, &second))
		fuzz_fail("what was written cannot be read: %s: %s", s.why, text);
	compare(op, &second);
	script_free(&s);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *) data, *end = at + size, *stop;
	struct script s = { .why = "" };
	struct script_op op;

	for (; at < end; at = stop + (stop < end)) {
		stop = memchr(at, '\n', end - at);
		stop = stop ? stop : end;
		if (stop - at > LINE_MOST || memchr(at, 0, stop - at))
			continue;
		if (script_line(&s, at, stop - at, &op)) {
			if (!*s.why)
				fuzz_fail("no reason");
		} else if (op.kind != SCRIPT_NOTHING) {
			check(&op);
			again(&op);
		}
	}
	script_free(&s);
	return 0;
}
