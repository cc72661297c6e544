// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * remote_spec.c - an end of a copy that is on another machine
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "remote_spec.h"

#define SCHEME "ssh://"
#define PORT_MOST 65535

int remote_spec_is(const char *text)
{
	return !strncmp(text, SCHEME, strlen(SCHEME));
}

/* LEN bytes at TEXT as the string *OUT, each %XX a byte. */
static errcode_t decode(const char *text, size_t len, char **out, const char **why)
{
	size_t i, n = 0;
	int high, low;

	*out = malloc(len + 1);
	if (!*out)
		return ENOMEM;
	for (i = 0; i < len; i++, n++) {
		(*out)[n] = text[i];
		if (text[i] != '%')
			continue;
		high = i + 2 < len ? bfo_text_hex(text[i + 1]) : -1;
		low = i + 2 < len ? bfo_text_hex(text[i + 2]) : -1;
		if (high < 0 || low < 0 || !(high | low)) {
			*why = "a '%' begins no byte, as %25 does";
			return EINVAL;
		}
		(*out)[n] = high << 4 | low;
		i += 2;
	}
	(*out)[n] = 0;
	return 0;
}

/* A word that no getopt(3) takes for an option, and no shell for more than a word. */
static int is_tame(const char *word, const char *also)
{
	const char *p;

	if (!*word || *word == '-')
		return 0;
	for (p = word; *p; p++)
		if (*p <= ' ' || *p > '~' || strchr("'`\"$\\;&<>|(){}[]*?!#,/", *p) ||
		    strchr(also, *p))
			return 0;
	return 1;
}

static errcode_t take_user(struct remote_spec *spec, const char *text, size_t len,
			   const char **why)
{
	errcode_t err;

	if (memchr(text, ':', len)) {
		*why = "a password has no place in a command line";
		return EINVAL;
	}
	err = decode(text, len, &spec->user, why);
	if (!err && !is_tame(spec->user, "")) {
		*why = "its user is no name of one";
		return EINVAL;
	}
	return err;
}

static errcode_t take_port(struct remote_spec *spec, const char *text, size_t len,
			   const char **why)
{
	errcode_t err = decode(text, len, &spec->port, why);

	if (err)
		return err;
	if (len && len <= 5 && strspn(spec->port, "0123456789") == strlen(spec->port) &&
	    atoi(spec->port) >= 1 && atoi(spec->port) <= PORT_MOST)
		return 0;
	*why = "its port is no number from 1 to 65535";
	return EINVAL;
}

/* HOST, HOST:PORT, [ADDRESS], [ADDRESS]:PORT */
static errcode_t take_host(struct remote_spec *spec, const char *text, size_t len,
			   const char **why)
{
	const char *end = text + len, *close = len && *text == '[' ? memchr(text, ']', len) : NULL;
	const char *colon = memchr(close ? close : text, ':', end - (close ? close : text));
	const char *stop = colon ? colon : end;
	errcode_t err;

	*why = "its host is no name or address of one";
	if (close && stop != close + 1)
		return EINVAL;
	if (close)
		err = decode(text + 1, close - text - 1, &spec->host, why);
	else
		err = decode(text, stop - text, &spec->host, why);
	if (!err && !is_tame(spec->host, close ? "@" : "@:%"))
		return EINVAL;
	return err || !colon ? err : take_port(spec, colon + 1, end - colon - 1, why);
}

/* PATH and OPTIONS, which may be NULL, as one word. */
static errcode_t join(struct remote_spec *spec, const char *path, const char *options,
		      const char **why)
{
	int n, is_marked = !!strchr(path, '?');

	if (options && (path[strlen(path) - 1] == '/' || strpbrk(options, ":?"))) {
		*why = "what follows its '?' is no part of a disk (%3F is a '?' in a name)";
		return EINVAL;
	}
	if (path[strlen(path) - 1] == '/')
		n = asprintf(&spec->end, "dir:%s", path);
	else if (options)
		n = asprintf(&spec->end, is_marked ? "file?%2$s:%1$s" : "%s?%s", path, options);
	else
		n = asprintf(&spec->end, "%s%s", is_marked ? "file:" : "", path);
	if (n >= 0)
		return 0;
	spec->end = NULL;
	return ENOMEM;
}

static errcode_t take_path(struct remote_spec *spec, const char *text, const char **why)
{
	const char *mark = strchr(text, '?');
	char *path = NULL, *options = NULL;
	errcode_t err = decode(text, mark ? (size_t) (mark - text) : strlen(text), &path, why);

	if (!err && mark)
		err = decode(mark + 1, strlen(mark + 1), &options, why);
	if (!err)
		err = join(spec, path, options, why);
	free(path);
	free(options);
	return err;
}

errcode_t remote_spec_read(struct remote_spec *spec, const char *text, const char **why)
{
	const char *host = text + strlen(SCHEME), *slash = strchr(host, '/'), *at;
	errcode_t err = 0;

	*spec = (struct remote_spec) { .user = NULL };
	if (!slash) {
		*why = "it has no path: ssh://HOST/PATH";
		return EINVAL;
	}
	at = memrchr(host, '@', slash - host);
	if (at) {
		err = take_user(spec, host, at - host, why);
		host = at + 1;
	}
	if (!err)
		err = take_host(spec, host, slash - host, why);
	return err ? err : take_path(spec, slash, why);
}

void remote_spec_free(struct remote_spec *spec)
{
	free(spec->user);
	free(spec->host);
	free(spec->port);
	free(spec->end);
	*spec = (struct remote_spec) { .user = NULL };
}
