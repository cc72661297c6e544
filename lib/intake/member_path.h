/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * member_path.h - paths of an archive's members, component by component.  Pure functions.
 */
#ifndef BFO_INTAKE_MEMBER_PATH_H
#define BFO_INTAKE_MEMBER_PATH_H

#include <stddef.h>

struct bfo_member_path {
	const char *at, *end;		/* what is left */
	const char *name;		/* the component at hand */
	size_t len;			/* 0: there was none */
};

/*
 * Where the path from AT to END goes on without its first COMPONENTS, as tar(1) counts them: by
 * rows of slashes, those in front aside.
 */
const char *bfo_member_path_strip(const char *at, const char *end, unsigned int components);

/* Goes to the next component that means something; a reason why the path cannot be, or NULL. */
const char *bfo_member_path_step(struct bfo_member_path *p);

/* True if nothing is left that means something. */
int bfo_member_path_is_last(const struct bfo_member_path *p);

#endif
