/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result.h - what the JSON objects of all commands have in common
 */
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include <et/com_err.h>

#include "cli/json.h"

#define RESULT_SCHEMA 1		/* a key that loses its meaning, or goes, makes it one more */

/*
 * Opens the object J on standard output: program, version, schema; command, if there are several.
 */
void result_begin(struct json *j, const char *program, const char *command);

/* status, error, code and while: how it ended.  ERR is 0, or happened while WHAT. */
void result_status(struct json *j, int status, errcode_t err, const char *what);

/* Closes the object. */
void result_end(struct json *j);

#endif
