/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h - what shim.so writes and the other programs here read
 *
 * A log is a row of records; that of a write is followed by its bytes.  Counts are a file that all
 * processes of a run map: e2bfo, and the mke2fs that it starts.
 */
#ifndef FAULT_LOG_H
#define FAULT_LOG_H

#include <stdint.h>

enum fault_event {		/* what is counted, and can be made to fail */
	FAULT_WRITE,		/* to the target; holes that are punched, too */
	FAULT_FLUSH,		/* fsync() and its like on the target */
	FAULT_READ_TARGET,
	FAULT_READ_SOURCE,
	/* malloc() and its like, anonymous mmap(), threads; e2bfo's own only */
	FAULT_ALLOC,
	/* the same, called by libext2fs, libblkid and libgcrypt for it (the last one aborts) */
	FAULT_ALLOC_LIBRARY,
	FAULT_EVENTS
};

#define FAULT_EVENT_NAMES { "write", "flush", "read-target", "read-source", "alloc", \
			    "alloc-library" }

enum fault_crash { FAULT_CRASH_NONE, FAULT_CRASH_OWN, FAULT_CRASH_LIBRARY };

struct fault_counts {
	uint64_t n[FAULT_EVENTS];
	uint32_t fired;			/* times that something was made to fail */
	uint32_t unseen;		/* the target was written in a way that is not logged */
	uint32_t crash;			/* enum fault_crash: whose code got SIGSEGV or SIGABRT */
	uint32_t fired_other;		/* of these, in mke2fs */
	uint64_t own_writes;		/* by e2bfo itself; */
	uint64_t own_before;		/* of these, before something failed first */
	uint64_t own_flushed;		/* of these, before the last flush that did not fail */
	/* the first failure was that of a flush with nothing to flush */
	uint32_t needless;
};

enum fault_kind { FAULT_LOG_WRITE = 1, FAULT_LOG_ZERO, FAULT_LOG_BARRIER };

struct fault_record {
	uint32_t kind;
	uint32_t own;			/* by e2bfo itself, not by mke2fs */
	uint64_t offset, bytes;		/* of the target */
};

/*
 * The environment of shim.so:
 *
 *   FAULT_TARGET, FAULT_SOURCE	files or devices
 *   FAULT_COUNTS		file of a struct fault_counts; without it nothing is counted
 *   FAULT_LOG			log to append to
 *   FAULT_EVENT, FAULT_AT	name and number (from 1) of the event that fails
 *   FAULT_HOW			EIO, ENOSPC, short (half of it is done, but nothing of a
 *				superblock), shrink (the file loses most of its length first), int,
 *				kill, stop (e2bfo gets the signal first)
 *   FAULT_TIMES		so many of them, with those that follow; 0: all
 *   FAULT_AHEAD		also without FAULT_COUNTS: the time is so many seconds later than
 *				it is, and sleep() passes at once, after which it is later still
 */

#endif
