// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exit_status.c - how programs end that do nothing
 *
 * Some options are found to be wrong only when it is known what a name stands for: a volume, a
 * directory, an archive.
 */
#include "base/bfo_err.h"
#include "cli/exit_status.h"

int exit_status_of(errcode_t err)
{
	if (err == BFO_ET_CANCELLED)
		return EXIT_CANCELLED;
	return err == BFO_ET_OPTION ? EXIT_USAGE : EXIT_FAILED;
}
