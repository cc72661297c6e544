/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dir_report.h - what is told of a source that is a directory
 */
#ifndef E2BFO_DIR_REPORT_H
#define E2BFO_DIR_REPORT_H

#include "cli/json.h"
#include "job/end.h"

/* A line for each thing that people should know of END, called NAME; nothing of other ends. */
void dir_print(const char *name, const struct bfo_end *end);

/* Object KEY with the same in numbers, if END is a directory. */
void dir_json(struct json *j, const char *key, const struct bfo_end *end);

#endif
