/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owner_options.h - options that say who is going to own what is copied
 *
 *   --owner USER | USER:GROUP | :GROUP		names of this machine, or numbers
 *   --map-users, --map-groups FROM:TO:COUNT	numbers; may be repeated
 */
#ifndef E2BFO_COPY_OWNER_OPTIONS_H
#define E2BFO_COPY_OWNER_OPTIONS_H

#include "base/vec.h"

/*
 * Append to TEXT what job/owners.h makes of VALUE.  WHAT: "owner", "map-users", "map-groups".
 * Return -1 to go on, or the exit status after a complaint, which is COMMAND's.
 */
int owner_option(const char *command, bfo_chars *text, const char *what, const char *value);

#endif
