/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock.h - one at a time on an image file
 *
 * Block devices are opened exclusively; image files, also those behind loop devices, get a lock of
 * the bytes that the volume has (fcntl(2), open file description locks): several may read, one
 * may write and nobody else read.  It binds this program only.
 */
#ifndef BFO_DEVICE_LOCK_H
#define BFO_DEVICE_LOCK_H

#include "device/store.h"

/*
 * Locks STORE, which PATH has led to, to be written (WRITE) or read.  *FD keeps the lock until it
 * is released; -1 if there is nothing to lock.  Returns BFO_ET_BUSY if somebody else has it; NAME
 * is for the message.
 */
errcode_t bfo_lock_store(struct bfo_context *ctx, const char *name, const char *path,
			 const struct bfo_store *store, int write, int *fd);

/*
 * Gives back the lock of FD, and closes it; -1 is fine.  A process that another thread has begun,
 * and that has not become mke2fs(8) yet, has the file open, too: it is not to keep the lock.
 */
void bfo_lock_release(int fd);

#endif
