// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * path_text.c - paths as texts: joined, made plain, decoded
 */
#include <string.h>

#include "base/text.h"
#include "mine/path_text.h"

/* Removes the last name. */
static void go_up(struct bfo_path *p)
{
	while (p->len && p->text[--p->len] != '/')
		;
}

/* Appends the names of TEXT, each behind a slash, to what has none at its end. */
static int append(struct bfo_path *p, const char *text, size_t len)
{
	const char *end = text + len, *name;
	size_t n;

	while (text < end) {
		name = text;
		while (text < end && *text != '/')
			text++;
		n = text++ - name;
		if (!n || (n == 1 && name[0] == '.'))
			continue;
		if (n == 2 && !memcmp(name, "..", 2)) {
			go_up(p);
			continue;
		}
		if (memchr(name, 0, n) || p->len + 1 + n > sizeof(p->text))
			return 0;
		p->text[p->len] = '/';
		memcpy(p->text + p->len + 1, name, n);
		p->len += 1 + n;
	}
	return 1;
}

int bfo_path_join(struct bfo_path *out, const char *base, size_t base_len, const char *path,
		  size_t len)
{
	struct bfo_path p = { .len = 0 };
	int ok = len > 0 && (path[0] == '/' || (base_len > 0 && base[0] == '/'));

	if (ok && path[0] != '/')
		ok = append(&p, base, base_len);
	if (ok)
		ok = append(&p, path, len);
	if (ok && !p.len)
		p.text[p.len++] = '/';
	out->len = ok ? p.len : 0;
	memcpy(out->text, p.text, out->len);
	return ok;
}

size_t bfo_path_percent(char *out, const char *text, size_t len)
{
	size_t i, n = 0;

	for (i = 0; i < len; i++) {
		if (text[i] == '%' && i + 2 < len && bfo_text_hex(text[i + 1]) >= 0 &&
		    bfo_text_hex(text[i + 2]) >= 0) {
			out[n++] = bfo_text_hex(text[i + 1]) << 4 | bfo_text_hex(text[i + 2]);
			i += 2;
		} else {
			out[n++] = text[i];
		}
	}
	return n;
}
