/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remote_spec.h - an end of a copy that is on another machine: the words that users write for it
 *
 *   ssh://[USER@]HOST[:PORT]/PATH[?OPTIONS]
 *
 * PATH begins with its slash: it is absolute there.  %XX is a byte, in all of these; what else
 * stands there is taken as it is, but for '%' and '?'.  An IPv6 address stands in brackets.  USER
 * and HOST become words of a command line here, and perhaps of one in ssh_config(5): what a shell
 * or getopt(3) would take for something else is refused, however it was written.
 *
 * What it is called on that machine, as any other end (job/end.h):
 *
 *   /PATH/		dir:/PATH/
 *   /PATH		/PATH; or file:/PATH, if %3F made a '?' of it
 *   /PATH?OPTIONS	the same with options, as of a disk: ?partition=2
 */
#ifndef E2BFO_COPY_REMOTE_SPEC_H
#define E2BFO_COPY_REMOTE_SPEC_H

#include <et/com_err.h>

struct remote_spec {
	char *user;			/* NULL: whom ssh(1) takes */
	char *host;
	char *port;			/* digits, or NULL */
	char *end;			/* what it is called there */
};

/* True if TEXT is meant as one. */
int remote_spec_is(const char *text);

/* Takes TEXT apart.  ENOMEM; EINVAL, and the reason at *WHY.  Free in any case. */
errcode_t remote_spec_read(struct remote_spec *spec, const char *text, const char **why);
void remote_spec_free(struct remote_spec *spec);

#endif
