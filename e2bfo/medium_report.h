/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * medium_report.h - what all commands tell of a source that cannot be read everywhere
 */
#ifndef E2BFO_MEDIUM_REPORT_H
#define E2BFO_MEDIUM_REPORT_H

#include "cli/json.h"
#include "gather/batch.h"
#include "volume/medium.h"

/*
 * To standard error: what of VOL, called NAME, is missing from the start, and that its mapfile ends
 * before it does.  NULL is fine.
 */
void medium_warn(const char *name, const struct bfo_volume *vol);

/* The same as an object called KEY, if there is anything to be told. */
void medium_json(struct json *j, const char *key, const struct bfo_volume *vol);

/* To standard error: what R has asked the volume called NAME for. */
void medium_tell_requests(const char *name, const struct bfo_reader *r);

#endif
