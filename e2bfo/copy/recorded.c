// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recorded.c - the text that a copy leaves in its record
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "recorded.h"

/* There are at least a directory and "copy SOURCE TARGET". */
static errcode_t split(struct bfo_context *ctx, const struct bfo_record *r, struct recorded *said)
{
	char *at, *end;

	if (bfo_vec_reserve(&said->text, r->text.n + 1))
		return bfo_fail(ctx, ENOMEM, "reading the record");
	memcpy(said->text.v, r->text.v, r->text.n + 1);
	at = said->text.v;
	end = at + r->text.n;
	said->words = calloc(r->text.n + 2, sizeof(*said->words));
	said->arguments = calloc(r->text.n + 2, sizeof(*said->arguments));
	if (!said->words || !said->arguments)
		return bfo_fail(ctx, ENOMEM, "reading the record");
	for (; at < end; at += strlen(at) + 1)
		said->words[said->n++] = at;
	if (said->n < 4)
		return bfo_fail(ctx, BFO_ET_NO_RECORD, "reading what it says");
	memcpy(said->arguments, said->words + 1, (said->n - 1) * sizeof(*said->words));
	return 0;
}

errcode_t recorded_read(struct bfo_context *ctx, const struct bfo_record *r, struct recorded *said)
{
	errcode_t err;

	*said = (struct recorded) { .n = 0 };
	err = split(ctx, r, said);
	if (!err && options_read(&said->opt, said->n - 1, said->arguments) >= 0)
		err = bfo_fail(ctx, BFO_ET_NO_RECORD, "reading what it says");
	return err;
}

void recorded_free(struct recorded *said)
{
	options_free(&said->opt);
	bfo_vec_free(&said->text);
	free(said->words);
	free(said->arguments);
	*said = (struct recorded) { .n = 0 };
}

int recorded_makes_file(const struct recorded *said)
{
	return said->opt.mkfs && said->opt.size;
}
