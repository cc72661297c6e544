/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * partition.h - partitions of whole disks and of images of disks, as libblkid reads their tables
 *
 * Numbers are those of the kernel: in an MBR 1 to 4 are the primary partitions and 5 and up the
 * logical ones; in a GPT they are the places in the table.  The sector size is that of the device;
 * an image file is taken for a disk of 512-byte sectors, and if there is no table, of 4096-byte
 * ones (which an MBR cannot tell: attach such an image with losetup -b 4096).
 *
 * Errors: BFO_ET_NO_PARTITION, BFO_ET_OVERLAPPED, ENOMEM; those of opening and reading the disk.
 */
#ifndef BFO_DEVICE_PARTITION_H
#define BFO_DEVICE_PARTITION_H

#include "base/context.h"

/*
 * Where partition NUMBER of the table on PATH lies, in bytes.  Refused are partitions that do not
 * exist (naming those that do), extended ones, and, if they are to be written to (WRITABLE), such
 * as overlap another one.  That it ends inside the disk is not checked here.
 */
errcode_t bfo_partition_find(struct bfo_context *ctx, const char *path, unsigned int number,
			     int writable, uint64_t *start, uint64_t *size);

/*
 * For people: the partitions of PATH by number, type and size ("there are ..."), as far as they
 * fit.
 */
void bfo_partition_list(const char *path, char *out, size_t size);

#endif
