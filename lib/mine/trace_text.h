/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_text.h - traces of accesses as texts: who accessed which path
 *
 *   detect     open    line  line  line ...    close
 *
 * No I/O: the caller reads the lines.  They may hold any bytes; what is not understood, or longer
 * than BFO_TRACE_LINE, is no access.
 *
 * BFO_TRACE_STRACE: strace -f -e trace=file, with or without -t, -tt, -ttt, -r, -y, -o.  Calls
 *	that read a file or its inode and succeed; not those that make, rename or remove.  A call
 *	that is "<unfinished ...>" counts where it is "resumed".  Relative paths need -y, or else
 *	are taken from the process's working directory: what chdir said, or that of its parent if
 *	fork, vfork and clone are traced too, or CWD.  Without -y, a path below a descriptor is no
 *	access.  With -y, what open returned counts, where symbolic links are followed.
 *	Stream: the process, "0" for lines without.
 * BFO_TRACE_FATRACE: opens and reads.  Stream: the process.
 * BFO_TRACE_LOG: Common and Combined Log Format.  GET and HEAD with status 2xx or 304; %XX
 *	decoded, query cut off.  Stream: the client.
 * BFO_TRACE_PATHS: a path a line: "PATH", "PROCESS PATH" or "TIME PROCESS PATH", where one word
 *	with a '.' or ':' in it before the path is a TIME.  Fields end with one tab, or, if there is
 *	no tab in the line, with blanks, where the path has to begin with a slash; a line that
 *	begins with a slash is a path with all its blanks.  Without a process the stream is "0".
 */
#ifndef BFO_MINE_TRACE_TEXT_H
#define BFO_MINE_TRACE_TEXT_H

#include <stdint.h>
#include <et/com_err.h>

#include "mine/path_text.h"

#define BFO_TRACE_LINE 65536		/* bytes */

enum bfo_trace_format {
	BFO_TRACE_PATHS,
	BFO_TRACE_STRACE,
	BFO_TRACE_FATRACE,
	BFO_TRACE_LOG,
};

struct bfo_trace_text;

struct bfo_trace_access {
	const char *path;		/* absolute and plain (path.h) */
	size_t len;
	int folder;			/* a log's path ended with a slash: its index was meant */
	/* a line that does not say that it is a path: any text could be one */
	int is_guess;
	const char *stream;
	size_t stream_len;
};

/*
 * The format of a trace of which the first LEN bytes are TEXT (some KiB will do): the one that
 * most of its first 100 lines are in, and that of paths if there is none.
 */
enum bfo_trace_format bfo_trace_text_detect(const char *text, size_t len);

/*
 * CWD, absolute or empty: where relative paths begin; if it is empty they are no accesses.
 * Returns ENOMEM.
 */
errcode_t bfo_trace_text_open(struct bfo_trace_text **out, enum bfo_trace_format format,
			      const char *cwd);
void bfo_trace_text_close(struct bfo_trace_text *t);		/* NULL is fine */

/*
 * The next line, with or without the newline.  Returns 1 if it is an access; *OUT is valid until
 * the next call of any function, and as long as LINE.
 *
 * What has to be remembered (working directories, unfinished calls) is limited to the 1024
 * processes that had some last, 8 KiB each.
 */
int bfo_trace_text_line(struct bfo_trace_text *t, const char *line, size_t len,
			struct bfo_trace_access *out);

/* A number for an access's stream: the same for the same, and hardly ever for another. */
uint32_t bfo_trace_text_stream(const struct bfo_trace_access *a);

#endif
