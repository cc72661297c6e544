// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * remote_command.c - the command line that runs e2bfo on another machine
 *
 * Between single quotes a shell takes everything as it stands, but for a single quote: that is
 * written as '\'', which ends the quotes and begins them again.
 */
#include <string.h>

#include "remote_command.h"

static errcode_t add(bfo_chars *line, const char *text, size_t len)
{
	errcode_t err = bfo_vec_reserve(line, len + 1);

	if (err)
		return err;
	memcpy(line->v + line->n, text, len);
	line->n += len;
	line->v[line->n] = 0;
	return 0;
}

errcode_t remote_quote(bfo_chars *line, const char *word)
{
	errcode_t err = line->n ? add(line, " '", 2) : add(line, "'", 1);
	size_t len;

	for (; !err && *word; word += len) {
		len = strcspn(word, "'");
		err = add(line, word, len);
		if (!err && word[len]) {
			err = add(line, "'\\''", 4);
			len++;
		}
	}
	return err ? err : add(line, "'", 1);
}

static errcode_t add_words(struct remote_command *c, const char *const *words, size_t n)
{
	errcode_t err = bfo_vec_reserve(&c->v, n);
	size_t i;

	for (i = 0; !err && i < n; i++)
		c->v.v[c->v.n++] = words[i];
	return err;
}

/* An option with VALUE, unless there is none. */
static errcode_t add_option(struct remote_command *c, const char *option, const char *value)
{
	const char *words[] = { option, value };

	return value ? add_words(c, words, 2) : 0;
}

static errcode_t make_line(struct remote_command *c, const struct words *program,
			   const char *const *words, size_t n)
{
	errcode_t err = 0;
	size_t i;

	c->line.n = 0;
	for (i = 0; !err && i < program->v.n; i++)
		err = remote_quote(&c->line, program->v.v[i]);
	for (i = 0; !err && i < n; i++)
		err = remote_quote(&c->line, words[i]);
	return err;
}

errcode_t remote_command_make(struct remote_command *c, const struct words *rsh,
			      const struct remote_spec *spec, const struct words *program,
			      const char *const *words, size_t n)
{
	errcode_t err = make_line(c, program, words, n);
	const char *rest[] = { "--", spec->host, c->line.v, NULL };

	c->v.n = 0;
	if (!err)
		err = add_words(c, rsh->v.v, rsh->v.n);
	if (!err)
		err = add_option(c, "-l", spec->user);
	if (!err)
		err = add_option(c, "-p", spec->port);
	return err ? err : add_words(c, rest, sizeof(rest) / sizeof(*rest));
}

void remote_command_free(struct remote_command *c)
{
	bfo_vec_free(&c->v);
	bfo_vec_free(&c->line);
}
