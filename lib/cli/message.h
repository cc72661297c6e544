/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * message.h - what programs say to people
 *
 * Arguments and lists may hold anything, and messages name them: control characters are escaped
 * here, where messages are printed, so that no terminal obeys them.  What is said through
 * com_err(3) comes here, too.
 */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

/* Who speaks: for main() to begin with. */
void message_begin(const char *program);

const char *message_speaker(void);

/* "PROGRAM: TEXT" and a newline, to standard error. */
void message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * The same with "; try 'PROGRAM COMMAND --help'" behind it; COMMAND may be NULL.  Returns STATUS.
 */
int message_usage(int status, const char *command, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A warning: volume NAME is mounted read-write. */
void message_moving(const char *name);

/* TEXT to standard output.  A newline that ends FMT is one; others become visible. */
void message_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
