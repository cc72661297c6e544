// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refs_html.c - references in web pages
 *
 * Tags are found as HTML's tokenizer finds them: "<" and a letter, attributes up to ">", values
 * with or without quotes; <script> and <style> hold no tags but their own end.
 */
#include <ctype.h>
#include <string.h>

#include "mine/refs_scan.h"

struct word {
	const char *p;
	size_t len;
};

static int is(struct word w, const char *name)
{
	return w.len == strlen(name) && !strncasecmp(w.p, name, w.len);
}

static int is_any(struct word w, const char *const *list)
{
	for (; *list; list++)
		if (is(w, *list))
			return 1;
	return 0;
}

/* "a.png 1x, b.png 2x" */
static void scan_srcset(struct bfo_scan *s, struct word value)
{
	const char *end = value.p + value.len, *p = value.p, *start;

	while (p < end) {
		while (p < end && (bfo_scan_is_blank(*p) || *p == ','))
			p++;
		start = p;
		while (p < end && !bfo_scan_is_blank(*p))
			p++;
		if (p > start && p[-1] == ',') {
			bfo_scan_emit(s, start, p - 1 - start);
			continue;
		}
		bfo_scan_emit(s, start, p - start);
		while (p < end && *p != ',')
			p++;
	}
}

static void scan_style(struct bfo_scan *s, struct word text)
{
	struct bfo_scan css = *s;

	css.p = text.p;
	css.end = text.p + text.len;
	bfo_scan_css(&css);
	s->err = css.err;
}

static void scan_attribute(struct bfo_scan *s, struct word tag, struct word name,
			   struct word value)
{
	static const char *const urls[] = { "src", "poster", "background", NULL };
	static const char *const sets[] = { "srcset", "imagesrcset", NULL };
	static const char *const links[] = { "link", "image", "use", NULL };
	static const char *const hrefs[] = { "href", "xlink:href", NULL };

	if (is_any(name, sets))
		scan_srcset(s, value);
	else if (is(name, "style"))
		scan_style(s, value);
	else if (is_any(name, urls) || (is(name, "data") && is(tag, "object")) ||
		 (is_any(name, hrefs) && is_any(tag, links)))
		bfo_scan_emit(s, value.p, value.len);
}

static int at_end_of_name(const struct bfo_scan *s)
{
	return s->p == s->end || bfo_scan_is_blank(*s->p) || *s->p == '>' || *s->p == '/';
}

static struct word parse_value(struct bfo_scan *s)
{
	struct word value;
	char quote;

	bfo_scan_blanks(s);
	quote = s->p < s->end && (*s->p == '"' || *s->p == '\'') ? *s->p++ : 0;
	value.p = s->p;
	while (s->p < s->end &&
	       (quote ? *s->p != quote : !bfo_scan_is_blank(*s->p) && *s->p != '>'))
		s->p++;
	value.len = s->p - value.p;
	if (quote && s->p < s->end)
		s->p++;
	return value;
}

/* Attributes, up to the end of the tag. */
static void scan_attributes(struct bfo_scan *s, struct word tag)
{
	struct word name;

	while (s->p < s->end && !s->err) {
		while (s->p < s->end && (bfo_scan_is_blank(*s->p) || *s->p == '/'))
			s->p++;
		if (s->p == s->end || *s->p == '>')
			break;
		name.p = s->p++;
		while (!at_end_of_name(s) && *s->p != '=')
			s->p++;
		name.len = s->p - name.p;
		bfo_scan_blanks(s);
		if (s->p < s->end && *s->p == '=') {
			s->p++;
			scan_attribute(s, tag, name, parse_value(s));
		}
	}
	if (s->p < s->end)
		s->p++;
}

/* The text of <script> or <style>, up to its end tag. */
static void scan_raw(struct bfo_scan *s, const char *end_tag, int is_style)
{
	struct word text = { s->p, 0 };

	if (bfo_scan_behind(s, end_tag))
		text.len = s->p - text.p - strlen(end_tag);
	else
		text.len = s->p - text.p;
	if (is_style)
		scan_style(s, text);
}

/* Behind "<" and before a letter. */
static void scan_tag(struct bfo_scan *s)
{
	struct word tag = { s->p, 0 };

	while (!at_end_of_name(s))
		s->p++;
	tag.len = s->p - tag.p;
	scan_attributes(s, tag);
	if (is(tag, "script"))
		scan_raw(s, "</script", 0);
	else if (is(tag, "style"))
		scan_raw(s, "</style", 1);
}

void bfo_scan_html(struct bfo_scan *s)
{
	while (s->p < s->end && !s->err) {
		if (bfo_scan_skip(s, "<!--"))
			bfo_scan_behind(s, "-->");
		else if (*s->p++ == '<' && s->p < s->end && isalpha((unsigned char) *s->p))
			scan_tag(s);
	}
}
