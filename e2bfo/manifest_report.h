/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * manifest_report.h - what is told of lists of files with their digests
 */
#ifndef E2BFO_MANIFEST_REPORT_H
#define E2BFO_MANIFEST_REPORT_H

#include "cli/json.h"
#include "job/manifests.h"

/* True if some list lacks what it should have. */
int manifest_loses(const struct bfo_manifests *m);

/* To standard error: what lists lack. */
void manifest_warn(const struct bfo_manifests *m);

/* An array called manifests, if there are any. */
void manifest_json(struct json *j, const struct bfo_manifests *m);

#endif
