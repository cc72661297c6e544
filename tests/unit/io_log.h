/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * io_log.h - an io_manager on top of unix_io that writes down what passes through it
 *
 * One log for all channels of the process, in the order in which requests were made; safe for
 * channels that are used by different threads.  Places and lengths are in bytes.
 */
#ifndef UNIT_IO_LOG_H
#define UNIT_IO_LOG_H

#include <ext2fs/ext2fs.h>

enum io_log_op { IO_LOG_OPEN, IO_LOG_READ, IO_LOG_WRITE, IO_LOG_FLUSH, IO_LOG_CLOSE };

struct io_log_entry {
	enum io_log_op op;
	unsigned int name;	/* which name: see io_log_name() */
	int flags;		/* IO_FLAG_*, of an open */
	void *data;		/* of a write of 1,024 bytes: these; else NULL */
	uint64_t at, bytes;
};

/* Hand this to bfo_volume_open(). */
extern io_manager io_log_manager;

/* Forgets all; no channel may be open. */
void io_log_reset(void);

size_t io_log_count(void);
const struct io_log_entry *io_log_entry(size_t i);

/* The number under which NAME, a path that was opened, appears in the log. */
unsigned int io_log_name(const char *name);

/*
 * Lets reads that touch these LEN bytes from AT on fail with EIO, from now on; up to 64 such areas.
 */
void io_log_fail_reads(uint64_t at, uint64_t len);

/* Lets write number NTH (from 1) from now on fail with EIO, once; 0: none. */
void io_log_fail_write(size_t nth);

/* The same of COUNT writes; SIZE_MAX: as if the power had gone. */
void io_log_fail_writes(size_t nth, size_t count);

/* Lets write number NTH be short, without a word of why: EXT2_ET_SHORT_WRITE. */
void io_log_cut_write(size_t nth);

#endif
