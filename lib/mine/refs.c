// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * refs.c - which files a file's bytes refer to: kinds, scans, paths
 */
#include <ctype.h>
#include <string.h>

#include "mine/refs.h"
#include "mine/refs_scan.h"

/* Ends of names, or with `whole` all of it; lower case. */
static const struct {
	const char *name;
	enum bfo_refs_kind kind;
	int whole;
} names[] = {
	{ ".html", BFO_REFS_HTML, 0 }, { ".htm", BFO_REFS_HTML, 0 }, { ".xhtml", BFO_REFS_HTML, 0 },
	{ ".shtml", BFO_REFS_HTML, 0 }, { ".css", BFO_REFS_CSS, 0 },
	{ ".c", BFO_REFS_C, 0 }, { ".h", BFO_REFS_C, 0 }, { ".cc", BFO_REFS_C, 0 },
	{ ".hh", BFO_REFS_C, 0 }, { ".cpp", BFO_REFS_C, 0 }, { ".hpp", BFO_REFS_C, 0 },
	{ ".cxx", BFO_REFS_C, 0 }, { ".hxx", BFO_REFS_C, 0 }, { ".s", BFO_REFS_C, 0 },
	{ ".m", BFO_REFS_C, 0 }, { ".inl", BFO_REFS_C, 0 },
	{ ".mk", BFO_REFS_MAKE, 0 }, { "makefile", BFO_REFS_MAKE, 1 },
	{ "gnumakefile", BFO_REFS_MAKE, 1 }, { "kbuild", BFO_REFS_MAKE, 1 },
};

enum bfo_refs_kind bfo_refs_kind_of(const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len), *name = slash ? slash + 1 : path;
	size_t i, n, have = path + len - name;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		n = strlen(names[i].name);
		if ((names[i].whole ? have == n : have > n) &&
		    !strncasecmp(name + have - n, names[i].name, n))
			return names[i].kind;
	}
	return BFO_REFS_NONE;
}

errcode_t bfo_refs_scan(enum bfo_refs_kind kind, const char *data, size_t size,
			bfo_refs_sink sink, void *priv)
{
	struct bfo_scan s = { .p = data, .end = data + size, .sink = sink, .priv = priv };

	if (kind == BFO_REFS_HTML)
		bfo_scan_html(&s);
	else if (kind == BFO_REFS_CSS)
		bfo_scan_css(&s);
	else if (kind == BFO_REFS_C)
		bfo_scan_c(&s);
	else if (kind == BFO_REFS_MAKE)
		bfo_scan_make(&s);
	return s.err;
}

void bfo_scan_blanks(struct bfo_scan *s)
{
	while (s->p < s->end && bfo_scan_is_blank(*s->p))
		s->p++;
}

int bfo_scan_skip(struct bfo_scan *s, const char *text)
{
	const char *p = s->p;

	for (; *text; text++, p++)
		if (p == s->end || tolower((unsigned char) *p) != *text)
			return 0;
	s->p = p;
	return 1;
}

int bfo_scan_behind(struct bfo_scan *s, const char *text)
{
	while (s->p < s->end) {
		if (bfo_scan_skip(s, text))
			return 1;
		s->p++;
	}
	return 0;
}

void bfo_scan_emit(struct bfo_scan *s, const char *text, size_t len)
{
	while (len && bfo_scan_is_blank(*text)) {
		text++;
		len--;
	}
	while (len && bfo_scan_is_blank(text[len - 1]))
		len--;
	if (len && !s->err)
		s->err = s->sink(s->priv, &(struct bfo_ref) { .text = text, .len = len });
}

/* The character that "&amp;" and the like at P are, or 0; *LEN: their length. */
static char entity(const char *p, const char *end, size_t *len)
{
	static const struct {
		const char *text;
		char c;
	} known[] = { { "&amp;", '&' }, { "&quot;", '"' }, { "&apos;", '\'' }, { "&lt;", '<' },
		      { "&gt;", '>' }, { "&#38;", '&' }, { "&#x26;", '&' }, { "&#39;", '\'' },
		      { "&#x27;", '\'' }, { "&#32;", ' ' }, { "&#x20;", ' ' }, { "&#47;", '/' },
		      { "&#x2f;", '/' } };
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		*len = strlen(known[i].text);
		if ((size_t) (end - p) >= *len && !strncasecmp(p, known[i].text, *len))
			return known[i].c;
	}
	return 0;
}

static void decode_entities(struct bfo_path *out, const char *text, size_t len)
{
	const char *end = text + len;
	size_t n;
	char c;

	for (out->len = 0; text < end; out->text[out->len++] = c) {
		c = *text == '&' ? entity(text, end, &n) : 0;
		if (c) {
			text += n;
		} else {
			c = *text++;
		}
	}
}

/* Is there a "scheme:" or "//host" before the path? */
static int is_elsewhere(const struct bfo_path *url)
{
	size_t i;

	if (url->len >= 2 && url->text[0] == '/' && url->text[1] == '/')
		return 1;
	for (i = 0; i < url->len; i++) {
		if (url->text[i] == ':')
			return 1;
		if (memchr("/?#", url->text[i], 3))
			return 0;
	}
	return 0;
}

static int resolve_url(const char *dir, size_t dir_len, const char *root, const char *text,
		       size_t len, struct bfo_path *out)
{
	static const char index[] = "index.html";
	struct bfo_path url;
	size_t i;

	if (len > sizeof(url.text) - sizeof(index))
		return 0;
	decode_entities(&url, text, len);
	if (is_elsewhere(&url))
		return 0;
	for (i = 0; i < url.len && url.text[i] != '?' && url.text[i] != '#'; i++)
		;
	url.len = bfo_path_percent(url.text, url.text, i);
	if (!url.len)
		return 0;
	if (url.text[url.len - 1] == '/') {
		memcpy(url.text + url.len, index, sizeof(index) - 1);
		url.len += sizeof(index) - 1;
	}
	if (url.text[0] != '/')
		return bfo_path_join(out, dir, dir_len, url.text, url.len);
	if (!*root)
		root = "/";
	return bfo_path_join(out, root, strlen(root), url.text + 1, url.len - 1);
}

/* The folder above that of DIR's length, which is 0 for the root. */
static size_t above(const char *dir, size_t len)
{
	const char *slash = memrchr(dir, '/', len);

	return slash ? slash - dir : 0;
}

/* Of folders above a file's so many are looked at: a tree may be thousands deep, with all files. */
#define ABOVE_MOST 16

static int resolve_include(const char *dir, size_t dir_len, const char *text, size_t len,
			   unsigned int n, struct bfo_path *out)
{
	static const char include[] = "/include";

	if (n / 2 > ABOVE_MOST)
		return 0;
	for (; n > 1; n -= 2) {
		if (!dir_len)
			return 0;
		dir_len = above(dir, dir_len);
	}
	if (!n)
		return bfo_path_join(out, dir_len ? dir : "/", dir_len ? dir_len : 1, text, len);
	if (!bfo_path_join(out, "/", 1, dir, dir_len) && dir_len)
		return 0;
	if (out->len + sizeof(include) > sizeof(out->text))
		return 0;
	memcpy(out->text + out->len, include, sizeof(include) - 1);
	return bfo_path_join(out, out->text, out->len + sizeof(include) - 1, text, len);
}

int bfo_refs_resolve(enum bfo_refs_kind kind, const char *from, size_t from_len, const char *root,
		     const char *text, size_t len, unsigned int n, struct bfo_path *out)
{
	size_t dir_len = above(from, from_len);

	out->len = 0;
	if (kind == BFO_REFS_C)
		return resolve_include(from, dir_len, text, len, n, out);
	if (n)
		return 0;
	if (kind == BFO_REFS_MAKE)
		return resolve_include(from, dir_len, text, len, 0, out);
	return resolve_url(from, dir_len ? dir_len : 1, root, text, len, out);
}
