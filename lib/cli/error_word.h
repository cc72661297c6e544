/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * error_word.h - error codes as words, for scripts
 */
#ifndef CLI_ERROR_WORD_H
#define CLI_ERROR_WORD_H

#include <et/com_err.h>

/* "BFO_ET_CLASH", "EXT2_ET_BAD_MAGIC", "ENOSPC": its name in C.  NULL: it is none of these. */
const char *error_word(errcode_t code);

/* The code that has this name; 0: none has. */
errcode_t error_code_of(const char *word);

#endif
