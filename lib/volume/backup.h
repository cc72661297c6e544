/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * backup.h - what a backup of the superblock does not say
 *
 * Errors: BFO_ET_RECOVERY, ENOMEM; those of reading.
 */
#ifndef BFO_VOLUME_BACKUP_H
#define BFO_VOLUME_BACKUP_H

#include "volume/volume.h"

/*
 * Refuses a volume that was opened by a backup (of which nobody keeps the flag for that) if its
 * journal has to be replayed.  One that cannot be read does not.
 */
errcode_t bfo_backup_check_journal(struct bfo_context *ctx, struct bfo_volume *vol);

#endif
