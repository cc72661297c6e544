/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * evidence_report.h - what --evidence and --hash-source tell
 */
#ifndef E2BFO_COPY_EVIDENCE_REPORT_H
#define E2BFO_COPY_EVIDENCE_REPORT_H

#include "cli/json.h"
#include "job/evidence.h"
#include "job/whole_digest.h"

/* "evidence": nothing, if there is none. */
void evidence_json(struct json *j, const struct bfo_evidence *e);

/* The digest of all of SOURCE, the same. */
void evidence_print_whole(const char *source, const struct bfo_whole_digest *w);
void evidence_json_whole(struct json *j, const struct bfo_whole_digest *w);

#endif
