/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy_report.h - what a copy tells people and scripts
 */
#ifndef E2BFO_COPY_COPY_REPORT_H
#define E2BFO_COPY_COPY_REPORT_H

#include "job/copy.h"
#include "e2bfo/argument.h"

struct remote_told;

struct report {
	const char *command;
	const struct bfo_copy *copy;
	const struct argument_common *common;
	struct bfo_copy_result result;
	double seconds;
	int status;			/* exit status */
	errcode_t err;			/* why it failed */
	const char *what;		/* what was being done when it failed */
	const struct remote_told *remote;	/* NULL: both ends are here */
};

/* The end of the operation: findings to standard error, the rest to standard output. */
void report_print(const struct report *r);

#endif
