/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch_script.h - a script, line by line, into a batch
 */
#ifndef E2BFO_BATCH_BATCH_SCRIPT_H
#define E2BFO_BATCH_BATCH_SCRIPT_H

#include "batch_run.h"

/* Does all lines of r->opt->script, or of standard input.  The first that fails ends it. */
errcode_t batch_script(struct batch_run *r);

#endif
