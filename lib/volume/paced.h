/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paced.h - what libext2fs reads of a volume by itself keeps to the pace, too
 */
#ifndef BFO_VOLUME_PACED_H
#define BFO_VOLUME_PACED_H

#include "volume/volume.h"

/*
 * Once VOL is open, if it has a pace: counts what opening it has read, and from now on what goes
 * through its channel.
 */
void bfo_paced_begin(struct bfo_volume *vol);

#endif
