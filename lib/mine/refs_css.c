// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refs_css.c - references in style sheets: url(...), @import "..."
 */
#include <string.h>

#include "mine/refs_scan.h"

/* A string, at its quote: returns its end, and leaves S behind it. */
static const char *skip_string(struct bfo_scan *s)
{
	char quote = *s->p++;

	while (s->p < s->end && *s->p != quote && *s->p != '\n')
		s->p += *s->p == '\\' && s->p + 1 < s->end ? 2 : 1;
	return s->p < s->end ? s->p++ : s->p;
}

static int at_quote(const struct bfo_scan *s)
{
	return s->p < s->end && (*s->p == '"' || *s->p == '\'');
}

/* What stands between the parentheses of url(). */
static void scan_url(struct bfo_scan *s)
{
	const char *start, *end;

	bfo_scan_blanks(s);
	if (at_quote(s)) {
		start = s->p + 1;
		end = skip_string(s);
	} else {
		start = s->p;
		while (s->p < s->end && *s->p != ')')
			s->p++;
		end = s->p;
	}
	bfo_scan_emit(s, start, end - start);
}

static void scan_import(struct bfo_scan *s)
{
	const char *start;

	bfo_scan_blanks(s);
	if (!at_quote(s))
		return;				/* url(), or nothing */
	start = s->p + 1;
	bfo_scan_emit(s, start, skip_string(s) - start);
}

void bfo_scan_css(struct bfo_scan *s)
{
	while (s->p < s->end && !s->err) {
		if (bfo_scan_skip(s, "/*"))
			bfo_scan_behind(s, "*/");
		else if (bfo_scan_skip(s, "url("))
			scan_url(s);
		else if (bfo_scan_skip(s, "@import"))
			scan_import(s);
		else if (at_quote(s))
			skip_string(s);
		else
			s->p++;
	}
}
