/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process.h - what every program does first, and last
 */
#ifndef CLI_PROCESS_H
#define CLI_PROCESS_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/context.h"

/* Set by SIGUSR1: somebody wants to know how far it is. */
extern volatile sig_atomic_t progress_requested;

/* Set by SIGINT, SIGTERM and SIGHUP, once process_attach() was called. */
extern volatile sig_atomic_t cancel_requested;

/*
 * For main() of PROGRAM to begin with: descriptors 0 to 2 are open, so that no volume becomes one
 * of them and gets the messages, which name the program; errors have their texts; memory that is
 * freed goes back to the system; SIGUSR1 kills nobody.
 */
void process_begin(const char *program);

/*
 * CTX is told of signals, which ask to stop, and of TMPDIR.  Signals of the first ten seconds are
 * one request, however many there are; a later one does what it always did.
 */
void process_attach(struct bfo_context *ctx);

/* The handler calls F, too, with PRIV, the first time that somebody asks to stop.  NULL: nobody. */
void process_on_cancel(void (*f)(void *priv), void *priv);

/*
 * Starts a command: its WORDS, of which the last is NULL, with FDS as its standard files.  Of our
 * signals and other descriptors it has none.  Returns 0, or an error number.
 */
int process_start(const char *const *words, const int fds[3], pid_t *pid);

/*
 * True if all that was printed is written: a report that could not be is no success, though the
 * work may be done; there is a message then.
 */
int process_output_is_written(void);

#endif
