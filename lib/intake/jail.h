/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jail.h - a process that gives up what it may
 */
#ifndef BFO_INTAKE_JAIL_H
#define BFO_INTAKE_JAIL_H

/*
 * Of the calling process, which has one thread, these are left: file descriptors IN and OUT, as
 * they are; memory; the clock; its end.  A system call for anything else ends it (SIGSYS).  As root
 * it is nobody in particular afterwards.  Returns 0 or an error number: then it may have part of
 * its rights, and should end.
 */
int bfo_jail_enter(int in, int out);

#endif
