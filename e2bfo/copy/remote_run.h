/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote_run.h - a command on another machine: its stream, and its answers
 *
 *   remote_run ── the copy reads or writes f->data ── remote_hang_up ── remote_wait
 *
 *   it receives	data ─ its stdin;  answers: its stdout and stderr
 *   it sends		data ─ its stdout;  answers: its stderr
 *   it answers		no data;  answers: its stdout and stderr
 *
 * A thread takes the answers as they come, so that nobody waits for who waits for them.  Text is
 * told at once; what else they are is told by who waits.  The thread also has the process end if
 * that has not ended ten seconds after the copy was cancelled, which may be waiting for it.
 */
#ifndef E2BFO_COPY_REMOTE_RUN_H
#define E2BFO_COPY_REMOTE_RUN_H

#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

#include "cli/progress.h"
#include "remote_answer.h"

enum remote_role { REMOTE_RECEIVES, REMOTE_SENDS, REMOTE_ANSWERS };

struct remote_run {
	const char *host;		/* for messages */
	struct bar *bar;		/* that is in the way of messages; or NULL */
	const volatile sig_atomic_t *cancel;	/* as a context has it */
	int data;			/* descriptor of the stream, until it is hung up; or -1 */
	struct remote_report report;	/* valid after remote_wait() */
	/* exit status, 256 and more: killed by signal status - 256 */
	int status;

	/* ---- its own ---- */
	pid_t pid;
	pthread_t reader;
	int in[2];			/* what answers come from, or -1 */
	struct remote_answer answers[2];
	int call[2];			/* a socket: [0] who waits, [1] the reader */
	pthread_mutex_t lock;		/* of these: */
	int is_gone;			/* there is no process any more */
	struct bfo_progress progress;	/* the last that was told, */
	int has_progress;		/* and not taken yet */
	int hushed;			/* text is not told: 1, of e2bfo; 2, of nobody */
	errcode_t err;			/* of the reader */
};

/*
 * Runs WORDS, NULL at the end; F was zeroed, or has run something else before.  Error numbers:
 * ENOENT, there is no such program.
 */
int remote_run(struct remote_run *f, enum remote_role role, const char *const *words);

/*
 * What it says from now on is a consequence of what is known: what e2bfo says, or what anybody
 * does.
 */
void remote_hush_e2bfo(struct remote_run *f);
void remote_hush(struct remote_run *f);

/* Ends the stream on this side. */
void remote_hang_up(struct remote_run *f);

/*
 * Waits until it has ended; its progress becomes that of CTX.  Returns ENOMEM if not all of its
 * answers could be taken.
 */
errcode_t remote_wait(struct remote_run *f, struct bfo_context *ctx);

#endif
