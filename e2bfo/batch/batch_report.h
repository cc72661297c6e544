/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch_report.h - what came of a batch
 */
#ifndef E2BFO_BATCH_BATCH_REPORT_H
#define E2BFO_BATCH_BATCH_REPORT_H

#include "batch_run.h"

/* Tells how R ended, by ERR.  FATE: e2bfo_batch_state(), or NULL.  Returns the exit status. */
int batch_report(const struct batch_run *r, errcode_t err, const char *fate);

#endif
