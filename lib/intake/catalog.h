/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * catalog.h - members of an archive become a tree, by their paths
 *
 *   open ── [add ── [segment | content] ]* ── end ── close		(segments: intake.h)
 *
 * As unpacking them one after the other would make it:
 *
 *  - Slashes in front, and components ".", mean nothing; ".." is refused.
 *  - Parents that are only implied are made: 0755, of root, with the time `now`.  So is the root.
 *  - A later member of a name wins, whatever it is; but directories that come twice are one, with
 *    the attributes that came last.
 *  - A hard link is another name for what its target's name stands for then, or, if the target
 *    comes later, in the end.  One with data of its own gives new data to all names of that file.
 *  - What would lie below something that is no directory is refused, also if that is a symbolic
 *    link.
 *
 * Refused means BFO_ET_DAMAGED, with the member in ctx->what.  Further errors: those of intake.h.
 *
 * Memory: that of the tree; while it is made, 8 bytes a name more.
 */
#ifndef BFO_INTAKE_CATALOG_H
#define BFO_INTAKE_CATALOG_H

#include "intake/intake.h"
#include "intake/members.h"

struct bfo_catalog;

/*
 * IN is begun and empty.  STRIP: components that are taken off the front of each path, as tar(1)
 * counts them: "." is one.  What has no more is left out.  NOW: seconds since 1970.  ENOMEM.
 */
errcode_t bfo_catalog_open(struct bfo_catalog **out, struct bfo_intake *in, unsigned int strip,
			   int64_t now);

/*
 * The member that FROM has just given, V.  *ROW is what its data belong to, which is the last inode
 * of the intake; BFO_NONE: they belong to nothing.
 */
errcode_t bfo_catalog_add(struct bfo_catalog *c, struct bfo_members *from,
			  const struct bfo_member *v, bfo_row *row);

/*
 * Nothing more comes: the intake is ended.  Rows that were handed out mean nothing any more, as
 * what nobody has a name for goes away.
 */
errcode_t bfo_catalog_end(struct bfo_catalog *c);

void bfo_catalog_close(struct bfo_catalog *c);		/* NULL is fine */

#endif
