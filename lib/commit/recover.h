/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recover.h - a target whose journal has to be replayed before it is worked on
 *
 * Errors: ENOMEM; those of opening (volume/open.h), reading and writing.
 */
#ifndef BFO_COMMIT_RECOVER_H
#define BFO_COMMIT_RECOVER_H

#include "base/context.h"

/*
 * Replays the journal of SPEC, as a mount would; and nothing else: orphans stay, since what a copy
 * has left is one.  Afterwards the target can be opened.  A replay that was interrupted can be done
 * again.
 */
errcode_t bfo_target_recover(struct bfo_context *ctx, const char *spec);

#endif
