// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result.c - what the JSON objects of all commands have in common
 */
#include "cli/error_word.h"
#include "cli/result.h"

void result_begin(struct json *j, const char *program, const char *command)
{
	*j = (struct json) { .out = stdout };
	json_open(j, NULL, '{');
	json_string(j, "program", program);
	json_string(j, "version", PACKAGE_VERSION);
	json_number(j, "schema", RESULT_SCHEMA);
	json_string(j, "command", command);
}

void result_status(struct json *j, int status, errcode_t err, const char *what)
{
	json_number(j, "status", status);
	json_string(j, "error", err ? error_message(err) : NULL);
	json_string(j, "code", err ? error_word(err) : NULL);
	json_string(j, "while", err ? what : NULL);
}

void result_end(struct json *j)
{
	json_close(j, '}');
	putc('\n', j->out);
}
