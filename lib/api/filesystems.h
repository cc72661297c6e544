/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filesystems.h - what is behind an e2bfo_fs
 */
#ifndef BFO_API_FILESYSTEMS_H
#define BFO_API_FILESYSTEMS_H

#include "api/handle.h"

struct e2bfo_fs {
	e2bfo *c;
	struct bfo_api_end end;
	struct bfo_volume *volume;
};

#endif
