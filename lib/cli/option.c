// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * option.c - the next option of a command line
 */
#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "cli/option.h"

/* How many long options begin as WORD does, without its dashes, up to a '='; all of them to NAMES. */
static int find_like(const struct option *longs, const char *word, char *names, size_t size)
{
	size_t len = strcspn(word, "="), at = 0;
	int n = 0;

	for (*names = 0; longs->name; longs++) {
		if (strncmp(longs->name, word, len))
			continue;
		n++;
		if (at < size)
			at += snprintf(names + at, size - at, " '--%s'", longs->name);
	}
	return n;
}

/* A long option that there is not, or more than once. */
static void tell_unknown(const char *word, const struct option *longs)
{
	char names[512];

	if (find_like(longs, word + 2, names, sizeof(names)) > 1)
		message("option '%s' is ambiguous; possibilities:%s", word, names);
	else
		message("unrecognized option '%s'", word);
}

static const struct option *find_value(const struct option *longs, int value)
{
	for (; longs->name; longs++)
		if (longs->val == value)
			return longs;
	return NULL;
}

static void tell(int c, const char *word, const char *shorts, const struct option *longs)
{
	const struct option *found = find_value(longs, optopt);

	if (c == ':' && !strncmp(word, "--", 2))
		message("option '%s' requires an argument", word);
	else if (c == ':')
		message("option requires an argument -- '%c'", optopt);
	else if (!optopt)
		tell_unknown(word, longs);
	else if (found && (optopt > 255 || strchr(shorts, optopt)))
		message("option '--%s' doesn't allow an argument", found->name);
	else
		message("invalid option -- '%c'", optopt);
}

int option_next(int argc, char **argv, const char *shorts, const struct option *longs)
{
	int c;

	opterr = 0;
	c = getopt_long(argc, argv, shorts, longs, NULL);
	if (c != '?' && c != ':')
		return c;
	tell(c, argv[optind - 1], shorts, longs);
	return '?';
}

/* Up to an option that takes what follows. */
static int has_letter(const char *word, const char *shorts, int c)
{
	const char *p, *found;

	for (p = word + 1; *p; p++) {
		if (*p == c)
			return p[1] || p > word + 1;
		found = strchr(shorts, *p);
		if (!found || found[1] == ':')
			break;
	}
	return 0;
}

const char *option_cluster(int argc, char **argv, const char *shorts, int c)
{
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (argv[i][0] == '-' && argv[i][1] != '-' && has_letter(argv[i], shorts, c))
			return argv[i];
	return NULL;
}
