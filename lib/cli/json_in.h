/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json_in.h - one JSON text, read strictly (RFC 8259)
 *
 * It becomes an array of values in the order in which they stand, each behind what it stands in:
 *
 *   { "a": [1, "x"], "b": true }		object | a: array | 1 | "x" | b: true
 *
 * Strings are bytes: \udc80 to \udcff, where they are no half of a pair, are the bytes 80 to ff, as
 * json.h writes what is not UTF-8.  Nothing but UTF-8 may stand in the text itself.  Names in an
 * object are different from each other, and have no NUL.
 */
#ifndef CLI_JSON_IN_H
#define CLI_JSON_IN_H

#include "base/vec.h"

#define JSON_DEPTH 8		/* objects and arrays in each other, at most */
#define JSON_MEMBERS 64		/* of an object, at most */

enum json_kind {
	JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT,
};

struct json_value {
	enum json_kind kind;
	const char *name;		/* in an object, else NULL */
	/* of a string: LEN bytes, and a NUL; of a number: as it stands there */
	const char *text;
	size_t len;
	size_t end;			/* index behind it and all that stands in it */
};

/* Zeroed at first.  What it held goes with the next text. */
struct json_in {
	BFO_VEC(struct json_value) v;
	bfo_chars text;			/* that values point into */
};

/* Reads the LEN bytes at TEXT.  ENOMEM; EINVAL, and the reason at *WHY and the byte at *AT. */
errcode_t json_read(struct json_in *j, const char *text, size_t len, const char **why, size_t *at);
void json_in_free(struct json_in *j);

#endif
