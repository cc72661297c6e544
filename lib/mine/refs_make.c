// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refs_make.c - references in makefiles: "target: prerequisite ...", include
 *
 * A logical line goes on behind a backslash at its end; what is behind a '#' is a comment.
 */
#include <string.h>

#include "mine/refs_scan.h"

struct word {
	const char *p;
	size_t len;
};

/* The next logical line, without its newline. */
static struct word next_line(struct bfo_scan *s)
{
	struct word line = { s->p, 0 };

	while (s->p < s->end && *s->p != '\n')
		s->p += *s->p == '\\' && s->p + 1 < s->end ? 2 : 1;
	line.len = s->p - line.p;
	if (s->p < s->end)
		s->p++;
	return line;
}

static void cut_comment(struct word *line)
{
	const char *hash = memchr(line->p, '#', line->len);

	if (hash && (hash == line->p || hash[-1] != '\\'))
		line->len = hash - line->p;
}

static int is_gap(const char *p, const char *end)
{
	return bfo_scan_is_blank(*p) || (*p == '\\' && p + 1 < end && p[1] == '\n');
}

/* Cuts the first word off LINE. */
static int cut_word(struct word *line, struct word *word)
{
	const char *p = line->p, *end = line->p + line->len;

	while (p < end && is_gap(p, end))
		p++;
	word->p = p;
	while (p < end && !is_gap(p, end))
		p++;
	word->len = p - word->p;
	*line = (struct word) { p, end - p };
	return word->len > 0;
}

static int is(struct word w, const char *text)
{
	return w.len == strlen(text) && !memcmp(w.p, text, w.len);
}

static int is_plain(struct word w)
{
	return !memchr(w.p, '$', w.len) && !memchr(w.p, '%', w.len) && !memchr(w.p, '*', w.len) &&
	       w.p[0] != '|' && w.p[0] != '.';
}

/* "./x" and "../x" are files, ".PHONY" is not; nor is anything that make has to expand. */
static int is_file(struct word w)
{
	return is_plain(w) || (w.len > 2 && w.p[0] == '.' && (w.p[1] == '/' || w.p[1] == '.') &&
			       is_plain((struct word) { w.p + 2, w.len - 2 }));
}

static void emit(struct bfo_scan *s, struct word ref, struct word target)
{
	struct bfo_ref r = { ref.p, ref.len, target.p, target.len };

	if (is_file(ref) && !s->err)
		s->err = s->sink(s->priv, &r);
}

/* "targets: prerequisites", "targets:: ...", "targets &: ..."; ends at a recipe's ';'. */
static void scan_rule(struct bfo_scan *s, struct word line, const char *colon)
{
	const char *end = line.p + line.len, *semicolon;
	struct word target, left = { line.p, colon - line.p }, right, word;

	if (!cut_word(&left, &target) || target.p[0] == '.')
		return;
	while (colon < end && *colon == ':')
		colon++;
	right = (struct word) { colon, end - colon };
	semicolon = memchr(right.p, ';', right.len);
	if (semicolon)
		right.len = semicolon - right.p;
	if (memchr(right.p, '=', right.len) || memchr(right.p, ':', right.len))
		return;				/* ":=", a variable of the target; a pattern */
	while (cut_word(&right, &word))
		emit(s, word, target);
}

static void scan_include(struct bfo_scan *s, struct word rest)
{
	struct word word;

	while (cut_word(&rest, &word))
		if (is_file(word))
			bfo_scan_emit(s, word.p, word.len);
}

static void scan_line(struct bfo_scan *s, struct word line, int *in_define)
{
	struct word rest = line, word;
	const char *colon, *equals;

	if (!cut_word(&rest, &word))
		return;
	if (is(word, "define") || is(word, "endef"))
		*in_define = word.p[0] == 'd';
	if (*in_define || is(word, "endef"))
		return;
	if (is(word, "include") || is(word, "-include") || is(word, "sinclude")) {
		scan_include(s, rest);
		return;
	}
	colon = memchr(line.p, ':', line.len);
	equals = memchr(line.p, '=', line.len);
	if (colon && (!equals || colon < equals))
		scan_rule(s, line, colon);
}

void bfo_scan_make(struct bfo_scan *s)
{
	int in_define = 0;
	struct word line;

	while (s->p < s->end && !s->err) {
		line = next_line(s);
		if (line.len && line.p[0] == '\t')
			continue;
		cut_comment(&line);
		scan_line(s, line, &in_define);
	}
}
