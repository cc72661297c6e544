/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slowdisk.h - a volume in memory that waits and fails when told
 *
 * It can only be written to, writes down every request, and keeps the first and the last word of
 * every block.  Blocks are as big as they can be, so that chunks and writes have few of them.  One
 * for a process; safe for a writer in a thread of its own.
 */
#ifndef UNIT_SLOWDISK_H
#define UNIT_SLOWDISK_H

#include "volume/volume.h"

#define SLOWDISK_BS 65536U
#define SLOWDISK_BLOCKS 8192

struct bfo_volume *slowdisk_volume(void);

/* Forgets requests and blocks; neither waits nor fails from now on. */
void slowdisk_reset(void);

/* Lets request NTH (from 1) fail with EIO. */
void slowdisk_fail(size_t nth);

/* HELD: requests are noted and then wait, until they are held no more. */
void slowdisk_hold(int held);

/* How many requests there were. */
size_t slowdisk_requests(void);

/* Waits for request N (from 1); the test's time limit ends that. */
void slowdisk_wait(size_t n);

/* Block and length of request I (from 0), once it comes. */
uint64_t slowdisk_request(size_t i, uint32_t *len);
void slowdisk_want(size_t i, uint64_t blk, uint32_t len);

/* Each of LEN blocks from BLK holds its own number; no request may be under way. */
void slowdisk_holds(uint64_t blk, uint32_t len);

#endif
