/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * evidence_report.h - what --evidence tells
 */
#ifndef E2BFO_COPY_EVIDENCE_REPORT_H
#define E2BFO_COPY_EVIDENCE_REPORT_H

#include "cli/json.h"
#include "job/evidence.h"

/* "evidence": nothing, if there is none. */
void evidence_json(struct json *j, const struct bfo_evidence *e);

#endif
