/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send_state.h - what a directory was when its stream began, kept for the stream that goes on
 *
 *   first run   gather ── plan ── write ── send ...
 *   further     take ── tree of the first run ── plan ── send the rest
 *
 * The file (opt.state) is the beginning of the stream, and where files are (wire/stream.h: KEPT).
 * It has its name when it is complete, before anything is sent; only its owner can read it.  Or it
 * has none, and is gone with who has it open (opt.state_fd): opt.state leads to it then.
 */
#ifndef BFO_JOB_SEND_STATE_H
#define BFO_JOB_SEND_STATE_H

#include "job/copy.h"

/*
 * True if it can be kept for a copy as OPT says.  A file is found again by the name that was sent:
 * so each has to be sent once, by the name that it has.
 */
int bfo_send_state_fits(const struct bfo_copy_options *opt);

/* Writes it for C, whose plan is complete, and whose stream is made as HOW says. */
errcode_t bfo_send_state_write(struct bfo_copy *c, const struct bfo_send_options *how);

/*
 * C goes on with it: what its options select and change is in the tree that comes already, so
 * c->opt asks for all of that; c->text has what they were.  ENOMEM.
 */
errcode_t bfo_send_state_take(struct bfo_copy *c);

#endif
