/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fate.h - what has become of a target, and how that is said
 *
 *   BEFORE ── REPLAY                   nothing of what was to be written can be found
 *      `───── RECORDED                 the same, and the copy can be resumed
 *      `───── UNCLEAN ── DONE          without a journal
 *      `───── WAITING ── DONE          with one: from its commit block on
 *
 *   PARTLY ── BEFORE ...               --mkfs: what the target held is gone
 *   ABSENT                             a file that was to be made: an image, an archive
 *   BEFORE, ABSENT ── NAMES            a directory
 *      `───────────── UNFINISHED       ... in which something is left
 */
#ifndef BFO_COMMIT_FATE_H
#define BFO_COMMIT_FATE_H

#include <stddef.h>

enum bfo_fate {
	BFO_FATE_BEFORE,	/* it is as it was */
	BFO_FATE_REPLAY,	/* the same, but its superblock asks for a replay of the journal */
	BFO_FATE_RECORDED,	/* the same, and the copy can be resumed: it has a record */
	BFO_FATE_UNCLEAN,	/* for e2fsck -fy */
	BFO_FATE_WAITING,	/* all of it, once the journal is replayed */
	BFO_FATE_DONE,		/* all of it */
	/* neither what it held nor a filesystem that is known to be whole */
	BFO_FATE_PARTLY,
	BFO_FATE_ABSENT,	/* there is none */
	/* a directory: what has its name is whole, and the rest is gone */
	BFO_FATE_NAMES,
	BFO_FATE_UNFINISHED,	/* a directory: ... but for what could not be removed */
	BFO_FATE_SENT,		/* standard output: what it got is not whole, and cannot go */
};

/* A word for scripts: part of the interface. */
const char *bfo_fate_word(enum bfo_fate fate);

/*
 * After a failure: what the target is and what is to be done, to complete "TARGET ...".  FORMATTED:
 * the copy has formatted it.
 */
const char *bfo_fate_text(enum bfo_fate fate, int formatted);

/*
 * The same of the file of an image that could not be completed, or not be given its name TARGET, to
 * complete "FILE ...": into OUT of SIZE bytes, cut off if it does not fit.  Returns OUT.  FATE is
 * RECORDED or DONE: other files are not kept.
 */
const char *bfo_fate_image_text(enum bfo_fate fate, const char *target, char *out, size_t size);

#endif
