/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boot_report.h - what is told of UUIDs: which files still name the source's, and the target's own
 */
#ifndef E2BFO_COPY_BOOT_REPORT_H
#define E2BFO_COPY_BOOT_REPORT_H

#include "cli/json.h"
#include "job/copy.h"

/* Warns of files that name the source's. */
void boot_warn(const struct bfo_copy *c);

/* After --mkfs: a line of the target's UUID, if it is a new one. */
void boot_print(const struct bfo_copy *c);

/* The keys source_uuid, target_uuid, old_uuid_in. */
void boot_json(struct json *j, const struct bfo_copy *c);

#endif
