// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script.c - the lines of a script
 *
 *   words ── options, operands ──┐
 *                                ├── fields ── what they are, checked ── an operation
 *   JSON ─── members ────────────┘
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base64.h"
#include "script.h"
#include "script_value.h"

#define BIT(field) (1ULL << SCRIPT_##field)
#define OWNERS BIT(UID) | BIT(GID)
#define TIMES BIT(ATIME) | BIT(MTIME) | BIT(CRTIME)
#define ATTRS BIT(ATTR_MODE) | OWNERS | BIT(PROJECT) | BIT(FLAGS) | TIMES
#define OPERANDS 4

/* As option letters, for all operations that have such a field and not as an operand. */
static const struct {
	char letter;
	enum script_field field;
} letters[] = {
	{ 'm', SCRIPT_ATTR_MODE }, { 'u', SCRIPT_UID }, { 'g', SCRIPT_GID },
	{ 'P', SCRIPT_PROJECT }, { 'F', SCRIPT_FLAGS }, { 'a', SCRIPT_ATIME },
	{ 't', SCRIPT_MTIME }, { 'b', SCRIPT_CRTIME }, { 'o', SCRIPT_OFFSET },
	{ 'p', SCRIPT_PARENTS }, { 'r', SCRIPT_RECURSIVE }, { 'f', SCRIPT_FORCE },
	{ 'n', SCRIPT_NEW }, { 's', SCRIPT_SYMBOLIC }, { 'c', SCRIPT_CREATE },
};

/* In a line, operands that may be left out stand last; paths, or a command, take all there are. */
static const struct row {
	const char *word;
	enum script_kind kind;
	enum script_field operands[OPERANDS];
	int n, least;
	uint64_t optional;		/* fields beside these */
	uint64_t instead;		/* one of these may stand in place of the first operand */
} rows[] = {
	{ "put", SCRIPT_PUT, { SCRIPT_LOCAL, SCRIPT_PATH }, 2, 2,
	  BIT(RECURSIVE) | BIT(PARENTS) | BIT(NEW) | ATTRS, BIT(DATA) },
	{ "append", SCRIPT_APPEND, { SCRIPT_LOCAL, SCRIPT_PATH }, 2, 2, BIT(CREATE), BIT(DATA) },
	{ "write", SCRIPT_WRITE, { SCRIPT_LOCAL, SCRIPT_PATH }, 2, 2, BIT(OFFSET) | BIT(CREATE),
	  BIT(DATA) },
	{ "truncate", SCRIPT_TRUNCATE, { SCRIPT_SIZE, SCRIPT_PATH }, 2, 2, 0, 0 },
	{ "mkdir", SCRIPT_MKDIR, { SCRIPT_PATH }, 1, 1, BIT(PARENTS) | ATTRS, 0 },
	{ "rm", SCRIPT_REMOVE, { SCRIPT_PATH }, 1, 1, BIT(RECURSIVE) | BIT(FORCE), 0 },
	{ "mv", SCRIPT_RENAME, { SCRIPT_PATH, SCRIPT_TO }, 2, 2, BIT(NEW), 0 },
	{ "ln", SCRIPT_LINK, { SCRIPT_TARGET, SCRIPT_PATH }, 2, 2,
	  BIT(SYMBOLIC) | BIT(PARENTS) | OWNERS | BIT(MTIME), 0 },
	{ "mknod", SCRIPT_MKNOD, { SCRIPT_PATH, SCRIPT_TYPE, SCRIPT_MAJOR, SCRIPT_MINOR }, 4, 2,
	  BIT(PARENTS) | ATTRS, 0 },
	{ "chmod", SCRIPT_SET, { SCRIPT_ATTR_MODE, SCRIPT_PATH }, 2, 2, 0, 0 },
	{ "chown", SCRIPT_SET, { SCRIPT_UID, SCRIPT_PATH }, 2, 2, BIT(GID), 0 },
	{ "chgrp", SCRIPT_SET, { SCRIPT_GID, SCRIPT_PATH }, 2, 2, 0, 0 },
	{ "set", SCRIPT_SET, { SCRIPT_PATH }, 1, 1, ATTRS, 0 },
	{ "setxattr", SCRIPT_SETXATTR, { SCRIPT_PATH, SCRIPT_NAME, SCRIPT_VALUE }, 3, 3, 0, 0 },
	{ "rmxattr", SCRIPT_RMXATTR, { SCRIPT_PATH, SCRIPT_NAME }, 2, 2, 0, 0 },
	{ "filter", SCRIPT_FILTER, { SCRIPT_PATH, SCRIPT_COMMAND }, 2, 2, 0, 0 },
	{ "commit", SCRIPT_COMMIT, { 0 }, 0, 0, 0, 0 },
};

static errcode_t refuse(struct script *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static errcode_t refuse(struct script *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->why, sizeof(s->why), fmt, ap);
	va_end(ap);
	return EINVAL;
}

static const struct row *find_row(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].word, word))
			return &rows[i];
	return NULL;
}

static errcode_t begin(struct script *s, const char *word, struct script_op *op,
		       const struct row **row)
{
	*row = find_row(word);
	if (!*row)
		return refuse(s, "no operation is called '%s'", word);
	op->kind = (*row)->kind;
	op->word = (*row)->word;
	return 0;
}

/* Field F of OP is LEN bytes at TEXT, of which there is a NUL behind the last. */
static errcode_t take(struct script *s, struct script_op *op, enum script_field f, const char *text,
		      size_t len)
{
	const char *why = script_value_read(f, text, len, &op->v[f]);

	if (why)
		return refuse(s, "%s %.100s: %s", script_field_name(f), text, why);
	op->has |= 1ULL << f;
	return 0;
}

static int is_list(enum script_field f)
{
	return f == SCRIPT_PATH || f == SCRIPT_COMMAND;
}

static errcode_t take_list(struct script *s, struct script_op *op, enum script_field f,
			   const char *const *v, size_t n)
{
	size_t i;

	for (i = 0; f == SCRIPT_PATH && i < n; i++)
		if (!*v[i])
			return refuse(s, "the path is empty");
	*(f == SCRIPT_PATH ? &op->paths : &op->command) = (struct script_list) { v, n };
	op->has |= 1ULL << f;
	return 0;
}

/* ---- lines ---- */

static const struct row *row_of(const struct script_op *op)
{
	return find_row(op->word);
}

/* The field of option LETTER, or SCRIPT_FIELDS. */
static enum script_field find_letter(const struct row *row, char letter)
{
	size_t i;

	for (i = 0; i < sizeof(letters) / sizeof(*letters); i++)
		if (letters[i].letter == letter && row->optional >> letters[i].field & 1)
			return letters[i].field;
	return SCRIPT_FIELDS;
}

/* Takes the letters of word *I, and the word behind them if the last one wants it. */
static errcode_t take_letters(struct script *s, struct script_op *op, size_t *i)
{
	const char *at = s->words.v.v[*i] + 1, *value;
	enum script_field f;
	errcode_t err = 0;

	for (; *at && !err; at++) {
		f = find_letter(row_of(op), *at);
		if (f == SCRIPT_FIELDS)
			return refuse(s, "%s has no option -%c", op->word, *at);
		if (script_field_is_flag(f)) {
			op->has |= 1ULL << f;
			continue;
		}
		value = at[1] ? at + 1 : ++*i < s->words.v.n ? s->words.v.v[*i] : NULL;
		if (!value)
			return refuse(s, "nothing stands behind -%c", *at);
		return take(s, op, f, value, strlen(value));
	}
	return err;
}

/* The options of OP, from word *I on. */
static errcode_t take_options(struct script *s, struct script_op *op, size_t *i)
{
	errcode_t err = 0;

	for (; !err && *i < s->words.v.n; ++*i) {
		const char *word = s->words.v.v[*i];

		if (word[0] != '-' || !word[1])
			break;
		if (!strcmp(word, "--")) {
			++*i;
			break;
		}
		err = take_letters(s, op, i);
	}
	return err;
}

/* UID, UID:GID or :GID. */
static errcode_t take_owner(struct script *s, struct script_op *op, const char *text)
{
	char *colon = strchr(s->words.text.v + (text - s->words.text.v), ':');
	errcode_t err = 0;

	if (colon)
		*colon++ = 0;
	if (*text || !colon)
		err = take(s, op, SCRIPT_UID, text, strlen(text));
	if (!err && colon)
		err = take(s, op, SCRIPT_GID, colon, strlen(colon));
	return err;
}

static errcode_t take_operand(struct script *s, struct script_op *op, enum script_field f,
			      const char *word)
{
	if (f == SCRIPT_UID && !strcmp(op->word, "chown"))
		return take_owner(s, op, word);
	return take(s, op, f, word, strlen(word));
}

/* The operands of OP, from word I on. */
static errcode_t take_operands(struct script *s, struct script_op *op, size_t i)
{
	const struct row *row = row_of(op);
	size_t n = s->words.v.n - i, last;
	errcode_t err = 0;
	int k;

	if (n < (size_t) row->least)
		return refuse(s, "%s wants more operands", op->word);
	for (k = 0; k < row->n && !err && i < s->words.v.n; k++, i += last) {
		last = k == row->n - 1 && is_list(row->operands[k]) ? s->words.v.n - i : 1;
		err = is_list(row->operands[k])
		      ? take_list(s, op, row->operands[k], s->words.v.v + i, last)
		      : take_operand(s, op, row->operands[k], s->words.v.v[i]);
	}
	if (!err && i < s->words.v.n)
		err = refuse(s, "%s has no operand '%.100s'", op->word, s->words.v.v[i]);
	return err;
}

static errcode_t read_words(struct script *s, const char *line, size_t len, struct script_op *op)
{
	const struct row *row;
	const char *why;
	size_t i = 1;
	errcode_t err = words_split(&s->words, line, len, &why);

	if (err)
		return err == EINVAL ? refuse(s, "%s", why) : err;
	if (!s->words.v.n)
		return 0;
	err = begin(s, s->words.v.v[0], op, &row);
	if (!err)
		err = take_options(s, op, &i);
	return err ? err : take_operands(s, op, i);
}

/* ---- JSON ---- */

/* What a member is called: a field, and whether it comes in base64. */
static enum script_field find_field(const char *name, int *in_base64)
{
	static const char suffix[] = "_bytes";
	size_t len = strlen(name), tail = sizeof(suffix) - 1;
	int f;

	*in_base64 = len > tail && !strcmp(name + len - tail, suffix);
	len -= *in_base64 ? tail : 0;
	for (f = 0; f < SCRIPT_FIELDS; f++)
		if (!strncmp(script_field_name(f), name, len) && !script_field_name(f)[len])
			break;
	return f;
}

/* The bytes that VALUE has in base64, with a NUL. */
static errcode_t decode(struct script *s, const struct json_value *value, const char *name,
			const char **text, size_t *len)
{
	char *out = s->bytes.v + s->bytes.n;

	if (value->kind != JSON_STRING || !bfo_base64_get(value->text, value->len, out, len))
		return refuse(s, "%s: not base64", name);
	out[*len] = 0;
	s->bytes.n += *len + 1;
	*text = out;
	return 0;
}

/* Strings from value I on to END, none of which has a NUL in it. */
static errcode_t take_strings(struct script *s, struct script_op *op, enum script_field f, size_t i,
			      size_t end)
{
	struct script_list_room *room = f == SCRIPT_PATH ? &s->paths : &s->command;
	const struct json_value *value;
	errcode_t err = 0;

	room->v.n = 0;
	for (; i < end && !err; i = value->end) {
		value = &s->json.v.v[i];
		if (value->kind != JSON_STRING || strlen(value->text) != value->len)
			return refuse(s, "%s: not a string, or with a zero byte",
				      script_field_name(f));
		err = bfo_vec_push(&room->v, value->text);
	}
	if (!err && !room->v.n)
		return refuse(s, "%s: there is none", script_field_name(f));
	return err ? err : take_list(s, op, f, room->v.v, room->v.n);
}

/*
 * Values from I on to END are those of list F in base64, null for one that is right in the list
 * that came without.
 */
static errcode_t take_decoded(struct script *s, struct script_op *op, enum script_field f, size_t i,
			      size_t end)
{
	struct script_list_room *room = f == SCRIPT_PATH ? &s->paths : &s->command;
	const struct json_value *value;
	const char *text;
	errcode_t err = 0;
	size_t n = script_has(op, f) ? room->v.n : 0, k, len;

	room->v.n = n;
	for (k = 0; i < end && !err; i = value->end, k++) {
		value = &s->json.v.v[i];
		if (value->kind == JSON_NULL && k < n)
			continue;
		err = decode(s, value, script_field_name(f), &text, &len);
		if (!err && strlen(text) != len)
			return refuse(s, "%s: a zero byte", script_field_name(f));
		if (!err && k < n)
			room->v.v[k] = text;
		else if (!err)
			err = bfo_vec_push(&room->v, text);
	}
	if (!err && (!k || k < n))
		return refuse(s, "%s_bytes has fewer than %s", script_field_name(f),
			      script_field_name(f));
	return err ? err : take_list(s, op, f, room->v.v, room->v.n);
}

static errcode_t take_flag(struct script *s, struct script_op *op, enum script_field f,
			   const struct json_value *value)
{
	if (value->kind != JSON_TRUE && value->kind != JSON_FALSE)
		return refuse(s, "%s is neither true nor false", value->name);
	if (value->kind == JSON_TRUE)
		op->has |= 1ULL << f;
	return 0;
}

/* The member at index I of the values, which is called as field F. */
static errcode_t take_value(struct script *s, struct script_op *op, enum script_field f, size_t i)
{
	const struct json_value *value = &s->json.v.v[i];

	if (script_field_is_flag(f))
		return take_flag(s, op, f, value);
	if (f == SCRIPT_PATH && value->kind == JSON_STRING)
		return take_strings(s, op, f, i, value->end);
	if (is_list(f))
		return value->kind == JSON_ARRAY ? take_strings(s, op, f, i + 1, value->end)
						 : refuse(s, "%s is no array", value->name);
	if (value->kind != JSON_STRING &&
	    (value->kind != JSON_NUMBER || !script_field_is_number(f)))
		return refuse(s, "%s is no %s", value->name,
			      script_field_is_number(f) ? "number" : "string");
	return take(s, op, f, value->text, value->len);
}

static errcode_t take_member(struct script *s, struct script_op *op, size_t i, int want_base64)
{
	const struct row *row = row_of(op);
	const struct json_value *value = &s->json.v.v[i];
	uint64_t may = row->optional | row->instead;
	int in_base64, k;
	enum script_field f = find_field(value->name, &in_base64);
	const char *text;
	size_t len;
	errcode_t err;

	for (k = 0; k < row->n; k++)
		may |= 1ULL << row->operands[k];
	if (!strcmp(value->name, "op"))
		return 0;
	if (f == SCRIPT_FIELDS || !(may >> f & 1))
		return refuse(s, "%s has no '%.100s'", op->word, value->name);
	if (in_base64 != want_base64)
		return 0;
	if (!in_base64)
		return take_value(s, op, f, i);
	if (script_field_is_flag(f) || script_field_is_number(f))
		return refuse(s, "%s has no '%.100s'", op->word, value->name);
	if (is_list(f))
		return take_decoded(s, op, f, i + (value->kind == JSON_ARRAY), value->end);
	err = decode(s, value, value->name, &text, &len);
	return err ? err : take(s, op, f, text, len);
}

/* The members of the object; those in base64 take the place of others. */
static errcode_t take_members(struct script *s, struct script_op *op)
{
	const struct json_value *v = s->json.v.v;
	int in_base64;
	errcode_t err = 0;
	size_t i;

	for (in_base64 = 0; in_base64 < 2; in_base64++)
		for (i = 1; i < v[0].end && !err; i = v[i].end)
			err = take_member(s, op, i, in_base64);
	return err;
}

/* What has to be there, is. */
static errcode_t check_members(struct script *s, const struct script_op *op)
{
	const struct row *row = row_of(op);
	int k;

	for (k = 0; k < row->least; k++) {
		enum script_field f = row->operands[k];

		if (!script_has(op, f) && !(k == 0 && op->has & row->instead) &&
		    !(f == SCRIPT_UID && script_has(op, SCRIPT_GID)))
			return refuse(s, "%s wants '%s'", op->word, script_field_name(f));
	}
	if (op->has & row->instead && script_has(op, row->operands[0]))
		return refuse(s, "'%s' and what stands in its place exclude each other",
			      script_field_name(row->operands[0]));
	return 0;
}

static const char *find_op(const struct json_in *j)
{
	size_t i;

	for (i = 1; i < j->v.v[0].end; i = j->v.v[i].end)
		if (!strcmp(j->v.v[i].name, "op") && j->v.v[i].kind == JSON_STRING)
			return j->v.v[i].text;
	return NULL;
}

static errcode_t read_json(struct script *s, const char *line, size_t len, struct script_op *op)
{
	const struct row *row;
	const char *why, *word;
	size_t at;
	errcode_t err = json_read(&s->json, line, len, &why, &at);

	if (err)
		return err == EINVAL ? refuse(s, "%s, at byte %zu", why, at + 1) : err;
	word = find_op(&s->json);
	if (!word)
		return refuse(s, "'op' does not say which operation it is");
	s->bytes.n = 0;
	err = bfo_vec_reserve(&s->bytes, len + JSON_MEMBERS);
	if (!err)
		err = begin(s, word, op, &row);
	if (!err)
		err = take_members(s, op);
	return err ? err : check_members(s, op);
}

/* ---- both ---- */

/* What is one thing has one path; what becomes several has one place for each. */
static errcode_t check(struct script *s, const struct script_op *op)
{
	if (op->paths.n > 1 && op->kind != SCRIPT_MKDIR && op->kind != SCRIPT_REMOVE &&
	    op->kind != SCRIPT_SET)
		return refuse(s, "%s has one path", op->word);
	if (op->kind == SCRIPT_SET && !(op->has & (ATTRS)))
		return refuse(s, "%s says nothing to be set", op->word);
	if (op->kind == SCRIPT_MKNOD) {
		int is_device = S_ISCHR(op->v[SCRIPT_TYPE].number) ||
				S_ISBLK(op->v[SCRIPT_TYPE].number);

		if (is_device != script_has(op, SCRIPT_MAJOR) ||
		    is_device != script_has(op, SCRIPT_MINOR))
			return refuse(s, "devices have two numbers, and nothing else has");
	}
	if (op->kind == SCRIPT_PUT && script_has(op, SCRIPT_RECURSIVE) &&
	    op->has & ((ATTRS) | BIT(DATA) | BIT(NEW)))
		return refuse(s, "put -r takes attributes as they are");
	return 0;
}

errcode_t script_line(struct script *s, const char *line, size_t len, struct script_op *op)
{
	errcode_t err;

	*op = (struct script_op) { .kind = SCRIPT_NOTHING };
	for (; len && (*line == ' ' || *line == '\t'); len--)
		line++;
	if (len && *line == '{')
		err = read_json(s, line, len, op);
	else
		err = read_words(s, line, len, op);
	return err || op->kind == SCRIPT_NOTHING ? err : check(s, op);
}

void script_free(struct script *s)
{
	words_free(&s->words);
	json_in_free(&s->json);
	bfo_vec_free(&s->paths.v);
	bfo_vec_free(&s->command.v);
	bfo_vec_free(&s->bytes);
}
