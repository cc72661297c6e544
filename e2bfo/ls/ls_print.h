/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ls_print.h - a listing on standard output: lines for people, one JSON object for scripts
 */
#ifndef E2BFO_LS_LS_PRINT_H
#define E2BFO_LS_LS_PRINT_H

#include "gather/attrs.h"
#include "job/readdir.h"
#include "cli/json.h"
#include "cli/timestamp.h"
#include "e2bfo/damage.h"
#include "ls_attrs.h"
#include "ls_options.h"

struct ls_print {
	const struct ls_options *opt;
	const struct bfo_volume *volume;	/* NULL before it is open, and if it is none */
	uint32_t inode_size;		/* bytes */
	const struct bfo_tree *orphans;		/* what was deleted while it was open */
	struct ls_attrs *attrs;			/* for JSON */
	struct json json;
	int is_terminal;
	int headers;			/* a line "PATH:" before each directory */
	int begun;			/* something stands there already */
	struct timestamp_day day;
	/* of the directory that was begun, with a slash; or empty */
	bfo_chars path;
	uint64_t entries, directories, damage;
	uint64_t moving;		/* what would be damage of a volume that nobody writes to */
};

void ls_print_begin(struct ls_print *p);

/* What follows is in directory PATH (LEN bytes). */
errcode_t ls_print_directory(struct ls_print *p, const char *path, size_t len);

/* The same without a word: for what is told about it later. */
errcode_t ls_print_place(struct ls_print *p, const char *path, size_t len);

/* What follows is in none: names are whole paths. */
void ls_print_alone(struct ls_print *p);

/* A sound inode: E has its name in the directory that was begun. */
void ls_print_entry(struct ls_print *p, const struct bfo_readdir_entry *e);

/* Something is damaged: NAME in the directory that was begun (empty: that directory). */
void ls_print_damage(struct ls_print *p, const char *name, size_t len, const struct damage *d);

/* Members of an object: all that A, the attributes of RAW, says. */
void ls_print_json_attrs(struct ls_print *p, const struct bfo_attrs *a, const void *raw);

/* The end: what came of it.  ERR, unless 0, happened while WHAT. */
void ls_print_end(struct ls_print *p, const struct bfo_readdir_ways *ways,
		  const struct bfo_reader *r, errcode_t err, const char *what, int status);

void ls_print_free(struct ls_print *p);

#endif
