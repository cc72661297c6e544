/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * look.h - what a copy has left on a target, seen without writing there
 */
#ifndef BFO_COMMIT_LOOK_H
#define BFO_COMMIT_LOOK_H

#include "commit/record.h"

enum bfo_left_state {
	BFO_LEFT_NOTHING,	/* no copy that was interrupted, nor the end of one */
	BFO_LEFT_RECORD,	/* a copy that was interrupted */
	BFO_LEFT_WHOLE,		/* a copy that had come to its end; nothing was written since */
};

struct bfo_left {
	enum bfo_left_state state;
	struct bfo_volume *vol;		/* open as a source; its bitmaps are read */
	struct bfo_record record;	/* of BFO_LEFT_RECORD */
	int64_t begun;			/* time of the copy, unless there was none */
};

/*
 * Opens SPEC as a source, as its journal leaves it, and looks.  What is returned is why it cannot
 * be read, or BFO_ET_NO_RECORD with BFO_LEFT_NOTHING and _WHOLE.  Free in any case.
 */
errcode_t bfo_left_look(struct bfo_context *ctx, const char *spec, struct bfo_left *left);
void bfo_left_free(struct bfo_left *left);

#endif
