/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h - one JSON object on standard output, written as it comes
 *
 * Names in filesystems are bytes, JSON strings are Unicode: bytes that are not valid UTF-8 are
 * written as \udcXX (XX the byte), as Python's surrogateescape reads them back.
 */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;
	int more;		/* a value stands before at this level */
};

/* Brackets; NAME is NULL for elements of an array and for the outermost object. */
void json_open(struct json *j, const char *name, char bracket);
void json_close(struct json *j, char bracket);

void json_number(struct json *j, const char *name, uint64_t value);
/* Six digits; what is no number becomes null. */
void json_real(struct json *j, const char *name, double value);
void json_bool(struct json *j, const char *name, int value);
/* LEN bytes of text, any bytes; a NULL text becomes null. */
void json_bytes(struct json *j, const char *name, const char *text, size_t len);
void json_string(struct json *j, const char *name, const char *text);

#endif
