// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refs_c.c - references in C and its kin: #include "..." and <...>
 *
 * Both are looked for in the same places: which folders a compiler is given with -I, and for which
 * of them, stands in no source.
 *
 * A directive begins a line.  Comments, strings and characters are told from code, because a
 * comment may stand before a directive or hold one.
 */
#include <ctype.h>
#include <string.h>

#include "mine/refs_scan.h"

/* Blanks and comments, but no newline outside a comment. */
static void skip_blanks(struct bfo_scan *s)
{
	while (s->p < s->end) {
		if (bfo_scan_skip(s, "/*"))
			bfo_scan_behind(s, "*/");
		else if (*s->p != '\n' && bfo_scan_is_blank(*s->p))
			s->p++;
		else
			break;
	}
}

/* Behind '#'. */
static void scan_directive(struct bfo_scan *s)
{
	const char *start;
	char end;

	skip_blanks(s);
	if (!bfo_scan_skip(s, "include_next") && !bfo_scan_skip(s, "include") &&
	    !bfo_scan_skip(s, "import"))
		return;
	skip_blanks(s);
	if (s->p == s->end || (*s->p != '"' && *s->p != '<'))
		return;
	end = *s->p == '<' ? '>' : '"';
	start = ++s->p;
	while (s->p < s->end && *s->p != end && *s->p != '\n')
		s->p++;
	if (s->p < s->end && *s->p == end)
		bfo_scan_emit(s, start, s->p - start);
}

/* The rest of the line, with the newline; comments and continued lines belong to it. */
static void skip_line(struct bfo_scan *s)
{
	char quote = 0, c;

	while (s->p < s->end) {
		if (!quote && bfo_scan_skip(s, "/*")) {
			bfo_scan_behind(s, "*/");
			continue;
		}
		if (!quote && bfo_scan_skip(s, "//"))
			quote = '\n';
		if (s->p == s->end)
			break;
		c = *s->p++;
		if (c == '\\' && s->p < s->end)
			s->p++;
		else if (c == '\n')
			break;
		else if (!quote && (c == '"' || c == '\''))
			quote = c;
		else if (c == quote)
			quote = 0;
	}
}

void bfo_scan_c(struct bfo_scan *s)
{
	while (s->p < s->end && !s->err) {
		skip_blanks(s);
		if (s->p < s->end && *s->p == '#') {
			s->p++;
			scan_directive(s);
		}
		skip_line(s);
	}
}
