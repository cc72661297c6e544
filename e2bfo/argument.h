/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * argument.h - what the command lines of all commands have in common
 *
 * Functions that read return -1 to go on, else the exit status to end with, after a complaint on
 * standard error that names COMMAND.
 */
#ifndef E2BFO_ARGUMENT_H
#define E2BFO_ARGUMENT_H

#include <stdint.h>

#include "progress.h"

#define ARGUMENT_READ_GAP (256U << 10)	/* bytes; default */

/* "e2bfo: TEXT; try 'e2bfo COMMAND --help'".  Returns EXIT_USAGE. */
int argument_complain(const char *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The value TEXT of option --NAME: bytes from MIN to MAX. */
int argument_size(const char *command, const char *name, const char *text, uint64_t min,
		  uint64_t max, uint64_t *out);

/* --memory, and what it is if it is not given. */
int argument_memory(const char *command, const char *text, uint64_t *out);
uint64_t argument_memory_default(void);

/* --progress */
int argument_progress(const char *command, const char *text, enum progress_mode *out);

#endif
