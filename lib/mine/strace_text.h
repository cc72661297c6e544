/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strace_text.h - a line of strace's output (see trace_text.h)
 */
#ifndef BFO_MINE_STRACE_TEXT_H
#define BFO_MINE_STRACE_TEXT_H

#include "mine/trace_text.h"

/* What a line says, without what other lines said. */
struct bfo_strace_line {
	enum {
		BFO_STRACE_OTHER,
		BFO_STRACE_CALL,	/* a whole call */
		BFO_STRACE_BEGUN,	/* "... <unfinished ...>" */
		BFO_STRACE_ENDED,	/* "<... NAME resumed>..." */
		BFO_STRACE_EXIT,
	} kind;
	const char *process;
	size_t process_len;
	enum {
		BFO_STRACE_IGNORE,
		BFO_STRACE_READS,	/* path, from base */
		BFO_STRACE_CHDIR,	/* to path */
		BFO_STRACE_FORKS,	/* child */
	} call;
	struct bfo_path path;		/* as in the line, decoded; may be relative */
	struct bfo_path base;		/* of the descriptor it is relative to, if -y says so */
	int from_cwd;			/* relative to the working directory */
	int failed;
	struct bfo_path result;		/* of the descriptor returned, if -y says so */
	const char *child;
	size_t child_len;
};

void bfo_strace_text_parse(const char *line, size_t len, struct bfo_strace_line *out);

#endif
