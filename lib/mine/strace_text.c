// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * strace_text.c - a line of strace's output
 *
 *   [pid 123] 12:34:56.789 openat(AT_FDCWD</home>, "a\tb", O_RDONLY) = 3</home/a\tb>
 *   '------- prefix ------''call' '---- arguments -----...'          '--- result ---'
 */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "mine/strace_text.h"

struct text {
	const char *p, *end;
};

/*
 * Calls, and where their path is: the first argument, or the one after a descriptor.  Those that
 * only look at a file (stat, access, readlink) are no accesses here: nothing of its data is read.
 * make looks at everything before it compiles anything.
 */
static const struct call {
	const char *name;
	int at, kind;
} calls[] = {
	{ "open", 0, BFO_STRACE_READS },	{ "openat", 1, BFO_STRACE_READS },
	{ "openat2", 1, BFO_STRACE_READS },	{ "execve", 0, BFO_STRACE_READS },
	{ "execveat", 1, BFO_STRACE_READS },
	{ "chdir", 0, BFO_STRACE_CHDIR },
	{ "fork", 0, BFO_STRACE_FORKS },	{ "vfork", 0, BFO_STRACE_FORKS },
	{ "clone", 0, BFO_STRACE_FORKS },	{ "clone3", 0, BFO_STRACE_FORKS },
};

static int next_is(const struct text *t, const char *s)
{
	size_t len = strlen(s);

	return (size_t) (t->end - t->p) >= len && !memcmp(t->p, s, len);
}

static int skip(struct text *t, const char *s)
{
	if (!next_is(t, s))
		return 0;
	t->p += strlen(s);
	return 1;
}

static void skip_any(struct text *t, const char *set)
{
	while (t->p < t->end && *t->p && strchr(set, *t->p))
		t->p++;
}

/* Digits: returns how many. */
static size_t number(struct text *t, const char **digits)
{
	*digits = t->p;
	while (t->p < t->end && isdigit((unsigned char) *t->p))
		t->p++;
	return t->p - *digits;
}

/* Process and time.  A number alone is a process, one with '.' or ':' in it a time. */
static void parse_prefix(struct text *t, struct bfo_strace_line *out)
{
	struct text start;
	const char *digits;
	size_t n;

	out->process = "0";
	out->process_len = 1;
	skip_any(t, " ");
	start = *t;
	skip(t, "[pid");
	skip_any(t, " ");
	n = number(t, &digits);
	if (n && t->p < t->end && (*t->p == ' ' || *t->p == ']')) {
		out->process = digits;
		out->process_len = n;
		t->p++;
	} else {
		*t = start;
	}
	skip_any(t, " 0123456789.:");
	if (skip(t, "(+"))			/* -r beside -t */
		skip_any(t, " 0123456789.)");
}

/* \n, \", \123, \x41 ...: the byte, and T behind it. */
static char escape(struct text *t)
{
	static const char names[] = "nrtvf", bytes[] = "\n\r\t\v\f";
	const char *found;
	int value = 0, digits;
	char c = *t->p;

	if (c >= '0' && c <= '7') {
		for (digits = 0; digits < 3 && t->p < t->end && (*t->p & ~7) == '0'; digits++)
			value = value * 8 + *t->p++ - '0';
		return value;
	}
	t->p++;
	if (c == 'x') {
		for (digits = 0; digits < 2 && t->p < t->end && bfo_text_hex(*t->p) >= 0; digits++)
			value = value * 16 + bfo_text_hex(*t->p++);
		return value;
	}
	found = c ? strchr(names, c) : NULL;
	return found ? bytes[found - names] : c;
}

/* Bytes up to one of ENDS, decoded; T behind it.  Returns 0 if it is not there, or too far. */
static int parse_quoted(struct text *t, const char *ends, struct bfo_path *out)
{
	char c;

	out->len = 0;
	while (t->p < t->end) {
		c = *t->p++;
		if (c && strchr(ends, c))
			return 1;
		if (c == '\\' && t->p < t->end)
			c = escape(t);
		if (out->len == sizeof(out->text))
			break;
		out->text[out->len++] = c;
	}
	out->len = 0;
	return 0;
}

/* What -y says of a descriptor: "<PATH>", or "<PATH<char 1:3>>"; not "<socket:[1]>". */
static void parse_target(struct text *t, struct bfo_path *out)
{
	out->len = 0;
	if (!skip(t, "<"))
		return;
	if (!parse_quoted(t, "<>", out) || !out->len || out->text[0] != '/')
		out->len = 0;
	while (t->p < t->end && *t->p == '>')
		t->p++;
}

/* The descriptor of a call with "at". */
static int parse_descriptor(struct text *t, struct bfo_strace_line *out)
{
	const char *digits;

	if (skip(t, "AT_FDCWD"))
		out->from_cwd = 1;
	else if (!number(t, &digits))
		return 0;
	parse_target(t, &out->base);
	return skip(t, ", ");
}

/* The path of a call; "" means the descriptor's file. */
static int parse_arguments(struct text *t, const struct call *c, struct bfo_strace_line *out)
{
	out->from_cwd = !c->at;
	if (c->kind == BFO_STRACE_FORKS)
		return 1;
	if (c->at && !parse_descriptor(t, out))
		return 0;
	if (!skip(t, "\"") || !parse_quoted(t, "\"", &out->path) || next_is(t, "..."))
		return 0;
	if (!out->path.len) {
		out->path.len = out->base.len;
		memcpy(out->path.text, out->base.text, out->base.len);
	}
	return out->path.len > 0;
}

static const struct call *find_call(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strlen(calls[i].name) == len && !memcmp(calls[i].name, name, len))
			return &calls[i];
	return NULL;
}

/* The last ") = ", maybe with more blanks, and what follows.  Returns 0 if there is none. */
static int parse_result(struct text *t, struct bfo_strace_line *out)
{
	const char *p = t->end, *digits;
	struct text r;
	size_t n;

	do {
		while (p > t->p + 1 && !(p[-1] == '=' && p[-2] == ' '))
			p--;
		while (p > t->p && (p[-1] == '=' || p[-1] == ' '))
			p--;
	} while (p > t->p + 1 && p[-1] != ')');
	if (p == t->p || p[-1] != ')')
		return 0;
	r = (struct text) { p, t->end };
	skip_any(&r, " =");
	out->failed = r.p == r.end || !isdigit((unsigned char) *r.p);
	n = number(&r, &digits);
	out->child = digits;
	out->child_len = n;
	parse_target(&r, &out->result);
	return 1;
}

static int ends_with(const struct text *t, const char *s)
{
	size_t len = strlen(s);

	return (size_t) (t->end - t->p) >= len && !memcmp(t->end - len, s, len);
}

static void parse_call(struct text *t, struct bfo_strace_line *out)
{
	const char *name = t->p;
	const struct call *c;

	while (t->p < t->end && (isalnum((unsigned char) *t->p) || *t->p == '_'))
		t->p++;
	if (t->p == name || t->p == t->end || *t->p != '(')
		return;
	c = find_call(name, t->p - name);
	t->p++;
	if (ends_with(t, "<unfinished ...>"))
		out->kind = BFO_STRACE_BEGUN;
	else if (parse_result(t, out))
		out->kind = BFO_STRACE_CALL;
	else
		return;
	if (c && parse_arguments(t, c, out))
		out->call = c->kind;
}

void bfo_strace_text_parse(const char *line, size_t len, struct bfo_strace_line *out)
{
	struct text t = { line, line + len };

	out->kind = BFO_STRACE_OTHER;
	out->call = BFO_STRACE_IGNORE;
	out->path.len = out->base.len = out->result.len = out->child_len = 0;
	out->child = "";
	out->from_cwd = 0;
	out->failed = 1;
	parse_prefix(&t, out);
	if (skip(&t, "+++ ")) {
		out->kind = BFO_STRACE_EXIT;
	} else if (skip(&t, "<... ")) {
		if (parse_result(&t, out))
			out->kind = BFO_STRACE_ENDED;
	} else {
		parse_call(&t, out);
	}
}
