/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * serve_ops.h - what a kernel asks of a mount, answered by a view
 *
 * The number of a FUSE node is that of the view, but for the root's, which FUSE has set.  So there
 * is nothing to be remembered of nodes, or forgotten.  As nothing changes, a kernel may keep all
 * that it was told, and needs to open neither files nor directories.
 */
#ifndef E2BFO_MOUNT_SERVE_OPS_H
#define E2BFO_MOUNT_SERVE_OPS_H

#define FUSE_USE_VERSION 35
#include <fuse_lowlevel.h>

#include "view/view.h"

/* Requests get it as their `userdata`. */
struct serve {
	struct bfo_view *view;
	int opens_nothing, opens_no_dir;	/* a kernel that knows how to do without */
	bfo_chars answer;
};

extern const struct fuse_lowlevel_ops serve_ops;

#endif
