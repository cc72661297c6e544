/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * serve.h - a view of a volume, mounted by FUSE until somebody unmounts it
 *
 *   serve.c        the mount: made, served, unmounted
 *   serve_ops.c    what a kernel asks
 *
 * Without libfuse3 there is nothing of this but serve_is_built_in().
 */
#ifndef E2BFO_MOUNT_SERVE_H
#define E2BFO_MOUNT_SERVE_H

#include "view/view.h"

struct serve_options {
	const char *image;		/* as it is called in the list of mounts */
	const char *dir;		/* an absolute path */
	int foreground;			/* it stays */
	int allow_other;
};

int serve_is_built_in(void);

/*
 * Mounts VIEW, and returns when it is unmounted, or a signal has asked for that, with an exit
 * status; of what is no failure, EXIT_KEPT.  Unless it stays in the foreground, it does so in
 * another process: the one that has called ends when the mount stands.
 */
int serve(struct bfo_view *view, const struct serve_options *opt);

#endif
