// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * error_word.c - error codes as words
 *
 * The rows come from the headers that define the codes: lib/Makefile has the compiler list them.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <ext2fs/ext2_err.h>

#include "base/bfo_err.h"
#include "cli/error_word.h"

static const struct {
	errcode_t code;
	const char *word;
} rows[] = {
#include "cli/error_words.h"
};

const char *error_word(errcode_t code)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].code == code)
			return rows[i].word;
	return NULL;
}

errcode_t error_code_of(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].word, word))
			return rows[i].code;
	return 0;
}
