/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refs_scan.h - what the scanners of refs.h share
 */
#ifndef BFO_MINE_REFS_SCAN_H
#define BFO_MINE_REFS_SCAN_H

#include "mine/refs.h"

/* Bytes being scanned, and who wants to know. */
struct bfo_scan {
	const char *p, *end;
	bfo_refs_sink sink;
	void *priv;
	errcode_t err;			/* of the sink; it ends everything */
};

static inline int bfo_scan_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/* Skips blanks, newlines too. */
void bfo_scan_blanks(struct bfo_scan *s);

/* Skips TEXT, lower case, if it is next in whatever case. */
int bfo_scan_skip(struct bfo_scan *s, const char *text);

/* Skips what is before TEXT (lower case), and it; or everything, and returns 0. */
int bfo_scan_behind(struct bfo_scan *s, const char *text);

/* Hands LEN bytes at TEXT to the sink, without blanks around them; nothing if none are left. */
void bfo_scan_emit(struct bfo_scan *s, const char *text, size_t len);

void bfo_scan_html(struct bfo_scan *s);
void bfo_scan_css(struct bfo_scan *s);
void bfo_scan_c(struct bfo_scan *s);
void bfo_scan_make(struct bfo_scan *s);

#endif
