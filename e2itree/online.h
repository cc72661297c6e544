/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * online.h - -w: the container of a filesystem that is mounted
 *
 * The passes are those of e2itree.h, with other ends: the device says which directories there are,
 * as for -n of what is mounted; the kernel says what is in the container (which the device may have
 * as it once was) and in the directories; the new container is a file, renamed over the old one.
 */
#ifndef E2ITREE_ONLINE_H
#define E2ITREE_ONLINE_H

#include "e2itree.h"

/* Finds where it is mounted, and takes the container there, before anything is opened. */
errcode_t online_begin(struct job *j);
void online_end(struct job *j);

/* The container there is, for j->old; as bfo_container_find(). */
errcode_t online_container(struct job *j);

/* Instead of pass2(); then, if there is work, instead of pass3() and pass4(). */
errcode_t online_pass2(struct job *j);
errcode_t online_rebuild(struct job *j);

/*
 * Whether e2itree -p has made tree T within the second after the last change of its directory, and
 * that second is over: who reads by the mount does not believe it, but would a container of now.
 */
int online_is_young(const struct job *j, const struct itree_dir *t);

/*
 * The path of directory INO from the root on, as the kernel says it: free() it.  NULL if it does
 * not, and of directories that are left out always: those are not touched.
 */
char *online_path(const struct job *j, uint32_t ino);

#endif
