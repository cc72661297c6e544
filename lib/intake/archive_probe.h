/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive_probe.h - is this an archive?
 */
#ifndef BFO_INTAKE_ARCHIVE_PROBE_H
#define BFO_INTAKE_ARCHIVE_PROBE_H

#include <stddef.h>

enum bfo_archive_kind {
	BFO_ARCHIVE_NONE,
	BFO_ARCHIVE_TAR,
	BFO_ARCHIVE_CPIO,
	BFO_ARCHIVE_COMPRESSED,		/* something is; what, nobody knows before it is read */
};

#define BFO_ARCHIVE_PROBE_BYTES 512U

/*
 * What begins with LEN bytes at DATA; BFO_ARCHIVE_PROBE_BYTES are enough.  A tar that holds nothing
 * has only zeros, and is taken for none.
 */
enum bfo_archive_kind bfo_archive_look(const void *data, size_t len);

/* The same of the file FD, whose position stays; what cannot be read anywhere is none. */
enum bfo_archive_kind bfo_archive_probe(int fd);

#endif
