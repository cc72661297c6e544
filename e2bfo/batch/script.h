/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * script.h - the lines of a script: what is to be done, one operation a line
 *
 *   put -m 0600 key /etc/key
 *   {"op": "put", "mode": "0600", "local": "key", "path": "/etc/key"}
 *
 * Both are the same operation: its fields stand in a line as options and operands, and in JSON by
 * their names.  A member NAME_bytes has the bytes of NAME in base64, as json.h writes them, and
 * then NAME does not count; of an array, elements that are null are those of NAME.  Which operation
 * has which fields is a table in script.c, and stands in e2bfo-batch(8).  No I/O.
 */
#ifndef E2BFO_BATCH_SCRIPT_H
#define E2BFO_BATCH_SCRIPT_H

#include <time.h>

#include "cli/json_in.h"
#include "cli/words.h"

enum script_kind {
	SCRIPT_NOTHING,			/* an empty line, a comment */
	SCRIPT_PUT,
	SCRIPT_APPEND,
	SCRIPT_WRITE,
	SCRIPT_TRUNCATE,
	SCRIPT_MKDIR,
	SCRIPT_REMOVE,
	SCRIPT_RENAME,
	SCRIPT_LINK,
	SCRIPT_MKNOD,
	SCRIPT_SET,			/* mode, owner, times ... */
	SCRIPT_SETXATTR,
	SCRIPT_RMXATTR,
	SCRIPT_FILTER,
	SCRIPT_COMMIT,
};

enum script_field {
	SCRIPT_LOCAL,			/* a file of the machine; "-": standard input */
	SCRIPT_DATA,			/* instead of that the bytes themselves */
	SCRIPT_PATH,			/* op->paths */
	SCRIPT_TO,			/* the new name */
	SCRIPT_TARGET,			/* what a link leads to */
	SCRIPT_OFFSET, SCRIPT_SIZE,	/* bytes */
	SCRIPT_ATTR_MODE, SCRIPT_UID, SCRIPT_GID, SCRIPT_PROJECT, SCRIPT_FLAGS,
	SCRIPT_ATIME, SCRIPT_MTIME, SCRIPT_CRTIME,
	SCRIPT_NAME, SCRIPT_VALUE,	/* of an extended attribute */
	SCRIPT_TYPE,			/* S_IFIFO ... */
	SCRIPT_MAJOR, SCRIPT_MINOR,
	SCRIPT_COMMAND,			/* op->command */
	/* those that are said or not: */
	SCRIPT_PARENTS, SCRIPT_RECURSIVE, SCRIPT_FORCE, SCRIPT_NEW, SCRIPT_SYMBOLIC, SCRIPT_CREATE,
	SCRIPT_FIELDS,
};

struct script_value {
	const char *text;		/* LEN bytes, and a NUL */
	size_t len;
	uint64_t number;
	struct timespec time;
};

struct script_list {
	const char *const *v;
	size_t n;
};

struct script_op {
	enum script_kind kind;
	const char *word;		/* what it is called: "put" */
	uint64_t has;			/* 1 << a field: the fields that it has */
	struct script_value v[SCRIPT_FIELDS];
	struct script_list paths, command;
};

/* Zeroed at first. */
struct script {
	struct words words;
	struct json_in json;
	struct script_list_room {
		BFO_VEC(const char *) v;
	} paths, command;		/* arrays of JSON */
	bfo_chars bytes;		/* what stood in base64 */
	char why[256];
};

static inline int script_has(const struct script_op *op, enum script_field field)
{
	return op->has >> field & 1;
}

/*
 * Reads the LEN bytes at LINE, in which there is no NUL: OP, which points into S and stays until
 * the next line.  ENOMEM; EINVAL, and s->why.
 */
errcode_t script_line(struct script *s, const char *line, size_t len, struct script_op *op);
void script_free(struct script *s);

#endif
