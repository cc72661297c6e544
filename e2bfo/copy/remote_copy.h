/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote_copy.h - e2bfo copy, of which one end is on another machine: options, job, report
 */
#ifndef E2BFO_COPY_REMOTE_COPY_H
#define E2BFO_COPY_REMOTE_COPY_H

/* As copy_main().  *IS_REMOTE: 0 if both ends are here, and nothing was done. */
int remote_copy(int argc, char **argv, int *is_remote);

#endif
