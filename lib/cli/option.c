// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * option.c - the options of a command
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "cli/option.h"

#define MOST 96		/* rows of a table */
#define COLUMN 23	/* where texts begin in --help */

/* A table as getopt_long(3) wants it. */
struct getopt {
	struct option longs[MOST];
	char shorts[3 * MOST + 3];	/* begins with a colon, behind a plus or not */
};

static int is_title(const struct option_row *row)
{
	return !row->code;
}

/* The last row has neither code nor name. */
static int is_row(const struct option_row *row)
{
	return row->code || row->name;
}

static int takes(const struct option_row *row)
{
	return !row->argument ? no_argument : *row->argument == '[' ? optional_argument :
	       required_argument;
}

static void make_getopt(const struct option_table *table, struct getopt *g)
{
	const struct option_row *row;
	size_t n = 0, at = 0;

	if (table->is_before_command)
		g->shorts[at++] = '+';
	g->shorts[at++] = ':';
	for (row = table->rows; is_row(row); row++) {
		if (is_title(row))
			continue;
		assert(n + 1 < MOST);
		if (row->name)
			g->longs[n++] = (struct option) { row->name, takes(row), NULL, row->code };
		if (row->code > 255)
			continue;
		g->shorts[at++] = row->code;
		if (row->argument)
			g->shorts[at++] = ':';
	}
	g->longs[n] = (struct option) { .name = NULL };
	g->shorts[at] = 0;
}

/* ---- reading ---- */

/*
 * How many long options begin as WORD does, without its dashes, up to a '='; all of them to NAMES.
 */
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

/* Arguments that are names; none is empty. */
static int is_name(const char *argument)
{
	return argument && (!strcmp(argument, "FILE") || !strcmp(argument, "DEVICE") ||
			    !strcmp(argument, "DIR") || !strcmp(argument, "PATH") ||
			    !strcmp(argument, "SOURCE"));
}

/* True if option C of TABLE has a name as its argument, and that is empty: tells it. */
static int lacks_name(const struct option_table *table, int c)
{
	const struct option_row *row;

	for (row = table->rows; is_row(row); row++)
		if (row->code == c && is_name(row->argument) && !*optarg)
			break;
	if (is_row(row) && row->name)
		message("option '--%s': the %s must not be empty", row->name, row->argument);
	else if (is_row(row))
		message("option -- '%c': the %s must not be empty", c, row->argument);
	return is_row(row);
}

int option_next(int argc, char **argv, const struct option_table *table)
{
	struct getopt g;
	int c;

	make_getopt(table, &g);
	opterr = 0;
	c = getopt_long(argc, argv, g.shorts, g.longs, NULL);
	if (c != '?' && c != ':')
		return c != -1 && lacks_name(table, c) ? '?' : c;
	tell(c, argv[optind - 1], g.shorts, g.longs);
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

const char *option_cluster(int argc, char **argv, const struct option_table *table, int c)
{
	struct getopt g;
	int i;

	make_getopt(table, &g);
	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (argv[i][0] == '-' && argv[i][1] != '-' && has_letter(argv[i], g.shorts, c))
			return argv[i];
	return NULL;
}

/* ---- --help ---- */

/* "  -x, --name ARGUMENT"; its length. */
static int print_names(FILE *out, const struct option_row *row)
{
	const char *space = row->argument && *row->argument != '[' ? " " : "";
	const char *argument = row->argument ? row->argument : "";

	if (row->code > 255)
		return fprintf(out, "  --%s%s%s", row->name, space, argument);
	if (!row->name)
		return fprintf(out, "  -%c%s%s", row->code, space, argument);
	return fprintf(out, "  -%c, --%s%s%s", row->code, row->name, space, argument);
}

static void print_text(FILE *out, const char *text, int at)
{
	const char *end;

	fprintf(out, "%*s", at < COLUMN - 1 ? COLUMN - at : 2, "");
	for (; (end = strchr(text, '\n')); text = end + 1)
		fprintf(out, "%.*s\n%*s", (int) (end - text), text, COLUMN, "");
	fprintf(out, "%s\n", text);
}

/* Rows without a text stand beside each other. */
static const struct option_row *print_bare(FILE *out, const struct option_row *row)
{
	int len = print_names(out, row);

	for (row++; is_row(row) && !is_title(row) && !row->help; row++) {
		fprintf(out, "%*s", len < COLUMN - 2 ? COLUMN - 2 - len : 0, "");
		len = print_names(out, row);
	}
	fputc('\n', out);
	return row;
}

void option_help(FILE *out, const struct option_table *table)
{
	const struct option_row *row = table->rows;

	fputs(table->intro, out);
	while (is_row(row)) {
		if (is_title(row))
			fprintf(out, "%s\n", row->help);
		else if (!row->help) {
			row = print_bare(out, row);
			continue;
		} else {
			print_text(out, row->help, print_names(out, row));
		}
		row++;
	}
	fputs(table->outro, out);
}
