/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch_run.h - a batch that is being written, and what comes into it
 *
 *   script ── batch_apply.c ──┬── batch_local.c    contents of files of the machine
 *                             ├── batch_tree.c     put -r
 *                             └── batch_filter.c   commands
 *   archive ─ batch_tar.c
 *
 * All of them call operations of <e2bfo/e2bfo.h>, e2bfo_batch(3), and batch_done() behind each.
 */
#ifndef E2BFO_BATCH_BATCH_RUN_H
#define E2BFO_BATCH_BATCH_RUN_H

#include <sys/stat.h>

#include "cli/progress.h"
#include "e2bfo/library.h"
#include "batch_lines.h"
#include "batch_options.h"
#include "script.h"

struct batch_run {
	const struct batch_options *opt;
	struct bfo_context ctx;
	struct bar bar;
	e2bfo *lib;			/* NULL: not open; nor is */
	e2bfo_batch *b;
	struct batch_lines lines;
	int has_read_stdin;		/* a line had "-" as LOCAL */
	int is_broken;			/* the line at hand failed */
	uint64_t put, bytes;		/* contents that were handed over */
	uint64_t left_out;		/* attributes of an archive that ext4 cannot have */
};

/* Behind each call that is no operation: ERR is what it returned, and is returned. */
errcode_t batch_told(struct batch_run *r, e2bfo_err err);

/* The same behind each operation. */
errcode_t batch_done(struct batch_run *r, e2bfo_err err);

/* Does OP, which was read in line r->lines.line. */
errcode_t batch_apply(struct batch_run *r, const struct script_op *op);

/*
 * All that DIR, a directory of the machine, holds goes to PATH, which may be there; FLAGS:
 * E2BFO_PARENTS or 0.
 */
errcode_t batch_put_tree(struct batch_run *r, const char *dir, const char *path, int flags);

/* What COMMAND makes of the file at PATH becomes its content. */
errcode_t batch_filter(struct batch_run *r, const char *path, const struct script_list *command);

/* All that the archive r->opt->tar holds. */
errcode_t batch_put_tar(struct batch_run *r);

/* ---- contents ---- */

/* A file of the machine that was opened. */
struct batch_local {
	struct bfo_context *ctx;
	const char *name;
	int fd;				/* -1: none */
	struct stat st;			/* of it; of what was no file its size alone */
	int is_file;
};

/*
 * Opens NAME; "-" is standard input, once.  What is no file is read to its end first, into a
 * temporary one.  FLAGS of open(2): O_NOFOLLOW or 0.  Errnos; BFO_ET_SCRIPT.
 */
errcode_t batch_local_open(struct batch_run *r, const char *name, int flags,
			   struct batch_local *l);

/* The same of FD, a file called NAME, which becomes L's. */
errcode_t batch_local_take(struct batch_run *r, int fd, const char *name, struct batch_local *l);
void batch_local_close(struct batch_local *l);

/* For operations, while L is open. */
struct e2bfo_content batch_local_content(struct batch_local *l);

/*
 * CONTENT goes to PATH.  A file that is made there gets ATTR; of one that is there only what WHICH
 * has of it (E2BFO_SET_MODE ...) changes, and extended attributes if there are any.
 */
errcode_t batch_put(struct batch_run *r, const char *path, const struct e2bfo_content *content,
		    const struct e2bfo_attr *attr, uint32_t which, int flags);

/* The same of L, whose holes stay holes; it may be several operations. */
errcode_t batch_put_local(struct batch_run *r, const char *path, struct batch_local *l,
			  const struct e2bfo_attr *attr, uint32_t which, int flags);

#endif
