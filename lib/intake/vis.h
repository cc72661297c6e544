/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vis.h - names as vis(3) and mtree(5) write them.  Pure functions.
 */
#ifndef BFO_INTAKE_VIS_H
#define BFO_INTAKE_VIS_H

#include <stddef.h>

/*
 * Takes one byte from *AT, before END: as it stands, or what follows a backslash (\ooo, \n, \s,
 * \^C, \M-C, \#, ...).  Returns it, or -1 if that is none.
 */
int bfo_vis_next(const char **at, const char *end);

#endif
