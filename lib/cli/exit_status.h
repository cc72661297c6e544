/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exit_status.h - how programs end that do nothing, as e2fsck(8) has it; what else there is is
 * theirs
 */
#ifndef CLI_EXIT_STATUS_H
#define CLI_EXIT_STATUS_H

#include <et/com_err.h>

enum {
	/* failed; what was to be changed is as it was before, or the message says */
	EXIT_FAILED = 8,
	EXIT_USAGE = 16,
	EXIT_CANCELLED = 32,
};

/* Which of these ERR, not 0, means. */
int exit_status_of(errcode_t err);

#endif
