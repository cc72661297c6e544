/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json.h - one JSON object on standard output, written as it comes
 *
 * Names in filesystems are bytes, JSON strings are Unicode: bytes that are not valid UTF-8 are
 * written as \udcXX (XX the byte), as Python's surrogateescape reads them back.  Not all readers of
 * JSON keep these, so such a string NAME is followed by NAME_bytes, all of it in base64.
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
/* LEN bytes of text, any bytes; a NULL text becomes null.  In an object, NAME_bytes may follow. */
void json_bytes(struct json *j, const char *name, const char *text, size_t len);
void json_string(struct json *j, const char *name, const char *text);

/*
 * An array NAME of N strings, of which GET returns the I-th, of *LEN bytes.  If any of them is not
 * UTF-8, NAME_bytes follows: as many elements, null for those that are.
 */
void json_strings(struct json *j, const char *name, size_t n,
		  const char *(*get)(void *priv, size_t i, size_t *len), void *priv);

/* The same of N strings that end in NUL. */
void json_words(struct json *j, const char *name, const char *const *words, size_t n);

#endif
