/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mkfs_config.h - a mke2fs.conf(5) that is the same on every machine
 */
#ifndef BFO_JOB_MKFS_CONFIG_H
#define BFO_JOB_MKFS_CONFIG_H

/* Makes it in memory: *FD, open as long as mke2fs may want it.  0 or an error number. */
int bfo_mkfs_config_make(int *fd);

#endif
