// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spec.c - how a volume is named
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/spec.h"

/* Where the parts of a text stand in it. */
struct parts {
	size_t kind;			/* bytes of "ext:", "dir:", "stream:" in front */
	int whole;			/* all behind that is the path */
	const char *options;		/* with their '?'; or NULL */
	size_t options_len;
	const char *path;
	size_t path_len;
	int literal;
};

static int is_tag(const char *path)
{
	size_t n = strspn(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");

	return n && path[n] == '=';
}

/* Bytes of the word in front of TEXT, with its colon, that says what it is; 0: there is none. */
static size_t kind_of(const char *text)
{
	static const char *const kinds[] = { "dir:", "tar:", "stream:", "ext:" };
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strncmp(text, kinds[i], strlen(kinds[i])))
			return strlen(kinds[i]);
	return 0;
}

static struct parts split(const char *text)
{
	struct parts p = { .kind = kind_of(text) };
	const char *name, *colon, *mark;

	p.whole = p.kind && *text != 'e';
	name = text + p.kind;
	colon = strchr(name, ':');
	mark = p.whole ? NULL : strchr(name, '?');
	if (p.whole) {
		p.path = name;
		p.path_len = strlen(name);
		return p;
	}
	if (!strncmp(name, "file:", 5) || (!strncmp(name, "file?", 5) && colon)) {
		p.literal = 1;
		p.options = name[4] == '?' ? name + 4 : NULL;
		p.options_len = p.options ? colon - p.options : 0;
		p.path = colon + 1;
		p.path_len = strlen(p.path);
		return p;
	}
	p.path = name;
	p.path_len = mark ? (size_t) (mark - name) : strlen(name);
	p.options = mark;
	p.options_len = mark ? strlen(mark) : 0;
	return p;
}

errcode_t bfo_spec_parse(const char *text, struct bfo_spec *spec)
{
	struct parts p = split(text);

	*spec = (struct bfo_spec) { .path = strndup(p.path, p.path_len) };
	if (spec->path && p.options)
		spec->options = strndup(p.options + 1, p.options_len - 1);
	if (spec->path && (spec->options || !p.options)) {
		spec->is_tag = !p.literal && !p.whole && is_tag(spec->path);
		return 0;
	}
	bfo_spec_free(spec);
	return ENOMEM;
}

void bfo_spec_free(struct bfo_spec *spec)
{
	free(spec->path);
	free(spec->options);
	*spec = (struct bfo_spec) { .path = NULL };
}

/* The parts as one text again, OPTIONS with their '?', DIR in front of the path. */
static char *join(const char *text, const struct parts *p, const char *options, size_t len,
		  const char *dir)
{
	const char *slash = *dir ? "/" : "";
	int kind = p->kind, path = p->path_len, n = len;
	char *out;

	if (!p->whole && (p->literal || strchr(dir, '?')))
		n = asprintf(&out, "%.*sfile%.*s:%s%s%.*s", kind, text, n, options, dir, slash,
			     path, p->path);
	else
		n = asprintf(&out, "%.*s%s%s%.*s%.*s", kind, text, dir, slash, path, p->path, n,
			     options);
	return n < 0 ? NULL : out;
}

char *bfo_spec_absolute(const char *text)
{
	struct parts p = split(text);
	char *here, *out;

	if (*p.path == '/' || !p.path_len || !strcmp(p.path, "-") ||
	    (!p.literal && !p.whole && is_tag(p.path)))
		return strdup(text);
	here = getcwd(NULL, 0);
	out = here ? join(text, &p, p.options ? p.options : "", p.options_len, here) : NULL;
	free(here);
	return out;
}

char *bfo_spec_with_options(const char *text, const char *options)
{
	struct parts p = split(text);
	char *marked, *out;

	if (asprintf(&marked, "?%s", options) < 0)
		return NULL;
	out = join(text, &p, marked, strlen(marked), "");
	free(marked);
	return out;
}
