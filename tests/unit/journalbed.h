/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journalbed.h - a small volume whose journal is in a certain format, and a writer to it
 *
 * Its upper quarter is free and holds a pattern, so that every block that is written there shows.
 */
#ifndef UNIT_JOURNALBED_H
#define UNIT_JOURNALBED_H

#include "commit/txlog.h"
#include "io_log.h"
#include "unit.h"

#define JOURNALBED_MIB 32
#define JOURNALBED_FREE_MIB 8
#define JOURNALBED_PATTERN 0xe7

/* What the journal's superblock says. */
struct journalbed_format {
	const char *features;		/* of the filesystem, for mke2fs */
	uint32_t type, compat, incompat;	/* of the journal's superblock */
};

struct journalbed {
	struct bfo_context ctx;
	struct bfo_volume *vol;
	struct bfo_writer w;
	const char *name;		/* of the file, in the run's folder */
	uint32_t bs;
};

/* Makes file NAME with blocks of BS bytes. */
void journalbed_make(struct journalbed *b, const char *name, uint32_t bs,
		     const struct journalbed_format *format);

/* Changes 4 bytes of the journal's superblock; its checksum, where it has one, becomes right. */
void journalbed_patch(struct journalbed *b, uint32_t at, uint32_t value);

void journalbed_open(struct journalbed *b);
void journalbed_close(struct journalbed *b);

/* RECOVER in the filesystem's superblock. */
void journalbed_recover(struct journalbed *b);

/* The first block of the free upper quarter, and how many there are. */
uint64_t journalbed_free(const struct journalbed *b, uint64_t *len);

/* Block BLK as it stands in the file now; free() it. */
void *journalbed_block(const struct journalbed *b, uint64_t blk);

/* Where block LBLK of the journal lies; while the volume is open. */
uint64_t journalbed_place(const struct journalbed *b, uint64_t lblk);

#endif
