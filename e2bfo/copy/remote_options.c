// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * remote_options.c - a command line of e2bfo copy of which one end is on another machine
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "e2bfo/commands.h"
#include "copy_words.h"
#include "remote_options.h"

#define RSH "ssh -T"
#define PROGRAM "e2bfo"
#define RETRIES_MOST 1000

/* Whose an option is. */
enum side { SIDE_NONE, SIDE_SENDER, SIDE_RECEIVER, SIDE_BOTH, SIDE_HERE };

/* A command line is read twice, and getopt(3) puts its words in order. */
struct line {
	int argc;
	char **argv;
};

static int no_memory(void)
{
	com_err("e2bfo", ENOMEM, "while reading options");
	return EXIT_FAILED;
}

int remote_is_meant(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (remote_spec_is(argv[i]))
			return 1;
	return 0;
}

/* ---- whose an option is ---- */

static const struct option_row *find(const struct option_table *table, int c)
{
	const struct option_row *row;

	for (row = table->rows; row->code || row->name; row++)
		if (row->code == c)
			return row;
	return NULL;
}

static enum side side_of(int c)
{
	static const struct { int c; enum side side; } rows[] = {
		{ 'n', SIDE_RECEIVER }, { ARGUMENT_BWLIMIT, SIDE_SENDER },
		{ ARGUMENT_JSON, SIDE_HERE }, { 'q', SIDE_HERE }, { 'V', SIDE_HERE },
		{ 'h', SIDE_HERE }, { ARGUMENT_PROGRESS, SIDE_HERE },
		{ ARGUMENT_PROGRESS_FD, SIDE_HERE },
	};
	int sender = !!find(send_syntax.table, c), receiver = !!find(receive_syntax.table, c);
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].c == c)
			return rows[i].side;
	return sender && receiver ? SIDE_BOTH : sender ? SIDE_SENDER : receiver ? SIDE_RECEIVER
										: SIDE_NONE;
}

static int is_here(const struct remote_options *o, enum side side)
{
	return side == SIDE_HERE || side == SIDE_BOTH ||
	       side == (o->sends ? SIDE_SENDER : SIDE_RECEIVER);
}

static int is_there(const struct remote_options *o, enum side side)
{
	return side == SIDE_BOTH || side == (o->sends ? SIDE_RECEIVER : SIDE_SENDER);
}

/* ---- words ---- */

/* Pushes a word, which is freed if it cannot be. */
#define push(words, word) ({ \
	char *pushed = (word); \
	errcode_t pushed_err = pushed ? bfo_vec_push(words, pushed) : ENOMEM; \
	if (pushed_err) \
		free(pushed); \
	pushed_err; })

static char *make_word(const char *name, const char *value)
{
	char *word;

	return asprintf(&word, "--%s%s%s", name, value ? "=" : "", value ? value : "") < 0 ? NULL
											 : word;
}

errcode_t remote_options_add(struct remote_options *o, const char *name, const char *value)
{
	return push(&o->far_words, make_word(name, value));
}

/* As ROW calls the option: -z has no other name. */
static char *word_of(const struct option_row *row, const char *value)
{
	char *word;

	if (row->name)
		return make_word(row->name, value);
	return asprintf(&word, "-%c%s", row->code, value ? value : "") < 0 ? NULL : word;
}

/* ---- reading ---- */

static int split(const char *option, const char *text, struct words *words)
{
	const char *why;
	errcode_t err = words_split(words, text, strlen(text), &why);

	if (err == EINVAL)
		return argument_complain("copy", "--%s %s: %s", option, text, why);
	if (err)
		return no_memory();
	return words->v.n ? -1 : argument_complain("copy", "--%s: a command is missing", option);
}

static int read_retries(struct remote_options *o, const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || n > RETRIES_MOST)
		return argument_complain("copy", "--retries %s: not a number from 0 to %u", text,
					 RETRIES_MOST);
	o->retries = n;
	return -1;
}

/* Option C goes where it belongs. */
static int pass_on(struct remote_options *o, int c)
{
	const struct option_row *row = find(copy_syntax.table, c);
	enum side side = side_of(c);
	errcode_t err = 0;

	if (side == SIDE_NONE)
		return argument_complain("copy", "%s%s is for copies on one machine: there is none "
					 "with an end that is ssh://", row->name ? "--" : "-",
					 row->name ? row->name : (char[]) { c, 0 });
	if (is_there(o, side) && (c == OPT_EXCLUDE_FROM || c == OPT_FILES_FROM) &&
	    !strcmp(optarg, "-"))
		return argument_complain("copy", "--%s -: standard input is not on that machine",
					 row->name);
	if (is_here(o, side))
		err = push(&o->near_words, word_of(row, optarg));
	if (!err && is_there(o, side))
		err = push(&o->far_words, word_of(row, optarg));
	o->dry_run |= c == 'n';
	if (c == OPT_TO)
		o->to = optarg;
	return err ? no_memory() : -1;
}

static int read_option(struct remote_options *o, int c)
{
	static struct argument_common ignored;

	switch (c) {
	case OPT_RSH:
		return split("rsh", optarg, &o->rsh);
	case OPT_REMOTE_E2BFO:
		return split("remote-e2bfo", optarg, &o->program);
	case OPT_RETRIES:
		return read_retries(o, optarg);
	case 'V':
	case 'h':
	case '?':
		return argument_common("copy", copy_syntax.table, c, &ignored);
	default:
		return pass_on(o, c);
	}
}

static int read_options(struct remote_options *o, struct line line)
{
	int c, status = -1;

	optind = 0;
	line.argv[0] = "e2bfo";
	while (status < 0 && (c = option_next(line.argc, line.argv, copy_syntax.table)) != -1)
		status = read_option(o, c);
	if (status < 0 && !o->rsh.v.n)
		status = split("rsh", RSH, &o->rsh);
	if (status < 0 && !o->program.v.n)
		status = split("remote-e2bfo", PROGRAM, &o->program);
	return status;
}

/* What is there, and what is here. */
static int read_ends(struct remote_options *o, const char *source, const char *target,
		     int *is_remote)
{
	const char *why;
	errcode_t err;

	*is_remote = remote_spec_is(source) || remote_spec_is(target);
	if (!*is_remote)
		return -1;
	if (remote_spec_is(source) && remote_spec_is(target))
		return argument_complain("copy", "one end has to be on this machine");
	o->sends = remote_spec_is(target);
	o->name = o->sends ? target : source;
	err = remote_spec_read(&o->spec, o->name, &why);
	if (err == EINVAL)
		return argument_complain("copy", "%s: %s", o->name, why);
	return err ? no_memory() : -1;
}

/* The operands, which getopt(3) puts behind the options; options are only passed over. */
static int find_ends(struct remote_options *o, struct line line, int *is_remote)
{
	int c;

	optind = 0;
	line.argv[0] = "e2bfo";
	while ((c = option_next(line.argc, line.argv, copy_syntax.table)) != -1)
		if (c == '?' || c == 'h' || c == 'V') {
			*is_remote = 1;
			return read_option(o, c);
		}
	if (line.argc - optind != 2)
		return argument_complain("copy", "copy takes %s", copy_syntax.operands);
	return read_ends(o, line.argv[optind], line.argv[optind + 1], is_remote);
}

/* What this machine does is what send or receive would. */
static int read_near(struct remote_options *o, int argc, char **argv, const char *end)
{
	static const struct copy_syntax *const syntaxes[] = { &receive_syntax, &send_syntax };
	const struct copy_syntax *syntax = syntaxes[o->sends];
	int status;

	if (push(&o->near_words, strdup("--")) || push(&o->near_words, strdup(end)) ||
	    bfo_vec_push(&o->near_words, NULL))
		return no_memory();
	optind = 0;
	status = options_read(&o->near, o->near_words.n - 1, o->near_words.v, syntax);
	o->near.job.said = (const char *const *) argv;	/* for a record: what was really said */
	o->near.job.n_said = argc;
	return status;
}

int remote_options_read(struct remote_options *o, int argc, char **argv, int *is_remote)
{
	char **copy = calloc(argc + 1, sizeof(*copy));
	struct line line = { argc, copy };
	int status;

	*o = (struct remote_options) { .to = "/" };
	*is_remote = 1;
	if (!copy || bfo_vec_push(&o->near_words, "copy")) {	/* which others replace */
		free(copy);
		return no_memory();
	}
	memcpy(copy, argv, argc * sizeof(*copy));
	status = find_ends(o, line, is_remote);
	if (status < 0 && *is_remote)
		status = read_options(o, line);
	if (status < 0 && *is_remote)
		status = read_near(o, argc, argv, copy[o->sends ? argc - 2 : argc - 1]);
	free(copy);
	optind = 0;
	return status;
}

void remote_options_free(struct remote_options *o)
{
	size_t i;

	if (o->near.syntax)
		options_free(&o->near);
	for (i = 1; i < o->near_words.n; i++)
		free(o->near_words.v[i]);
	for (i = 0; i < o->far_words.n; i++)
		free(o->far_words.v[i]);
	bfo_vec_free(&o->near_words);
	bfo_vec_free(&o->far_words);
	remote_spec_free(&o->spec);
	words_free(&o->rsh);
	words_free(&o->program);
}
