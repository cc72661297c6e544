/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reread.h - does the medium hold what was written?
 */
#ifndef BFO_COMMIT_REREAD_H
#define BFO_COMMIT_REREAD_H

#include "commit/writer.h"

/*
 * Reads everything that W has written since the last time (its sums) back, in one ascending run
 * past the page cache, and compares checksums.  Returns BFO_ET_REREAD if some differ, ctx->what
 * says how many and where.
 */
errcode_t bfo_reread(struct bfo_writer *w);

#endif
