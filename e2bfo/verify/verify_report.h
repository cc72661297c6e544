/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify_report.h - what a comparison tells people and scripts, whatever B is
 */
#ifndef E2BFO_VERIFY_VERIFY_REPORT_H
#define E2BFO_VERIFY_VERIFY_REPORT_H

#include <et/com_err.h>

#include "compare/diff_text.h"
#include "cli/json.h"
#include "job/end.h"
#include "verify_options.h"

#define VERIFY_PATH_BYTES BFO_DIFF_PATH_BYTES

/* A difference as it is told; valid while it is. [0] is A, [1] is B. */
struct verify_told {
	enum bfo_diff_kind kind;
	struct bfo_bytes path, name;	/* where; of an extended attribute */
	uint64_t ino[2];		/* inode numbers; 0: none */
	/* both have one; else it is a name that one side lacks, or a place */
	int has_values;
	struct bfo_bytes value[2];	/* as they are; without data: "none" */
	uint64_t offset;		/* first byte that differs */
};

/* A tree, as far as it is open; all NULL: a list */
struct verify_side {
	const struct bfo_tree *tree;
	const struct bfo_volume *volume;
	const struct bfo_source *source;
	const struct bfo_end *end;
};

/* What was compared. */
struct verify_amounts {
	uint64_t differences, files, dirs;
	uint64_t bytes, missed;		/* of data; that one side cannot read */
	const char *equal;		/* what is said if nothing differs */
};

struct verify_report {
	const struct verify_options *opt;
	/* the path of what finding F about SIDE is about; 0: it was not compared */
	size_t (*finding_path)(const void *priv, int side, const struct bfo_finding *f, char *out,
			       size_t size);
	const void *priv;
	struct bar bar;			/* wiped before something is printed */
	uint64_t count[BFO_DIFF_KINDS];	/* differences found */
	uint64_t damage;		/* findings that concern what was compared, */
	uint64_t unread;		/* and those of them about what cannot be read */
	struct json json;
};

/* Before the first difference. */
void verify_report_begin(struct verify_report *r);

/* Tells D to standard output. */
void verify_report_diff(struct verify_report *r, const struct verify_told *d);

/*
 * The end: what is damaged in either tree, to standard error, or into JSON; what was compared; ERR
 * (0: none), which came up while WHAT; it took SECONDS.  Returns the exit status.
 */
int verify_report_end(struct verify_report *r, const struct verify_side side[2],
		      const struct verify_amounts *amounts, errcode_t err, const char *what,
		      double seconds);

#endif
