/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archive.h - trees from tar and cpio archives
 *
 *   a tar in a file     is addressed like a volume: places are its own blocks of 512 bytes, and can
 *                       be read in any order
 *   compressed; cpio    is read twice.  Places count blocks of data in the order in which they
 *                       come, and are read forward.  Contents up to BFO_ARCHIVE_SMALL bytes stay in
 *                       memory: they are asked for late.  The second pass has to show what the
 *                       first has
 *   a pipe              arrives: its data go to a target as they come (gather/arrival.h); or it
 *                       goes to a temporary file first
 *
 * libarchive parses, in a process of its own (members.h).  What becomes of names: catalog.h.  Only
 * archives that are ours (pax_read.h) tell generations, versions, projects and what was never
 * written.  Times that a member does not have are taken to be that of its last modification.  What
 * ext4 has no place for becomes a finding: xattr-name (also an access control list that has names
 * of users instead of their numbers), time.  So does what no archive tells all of: feature.
 *
 * Memory beyond that of an intake: while it is gathered, 8 bytes a name; 8 a file in a tar that is
 * addressed, 16 a file otherwise.
 */
#ifndef BFO_INTAKE_ARCHIVE_H
#define BFO_INTAKE_ARCHIVE_H

#include "gather/source.h"
#include "intake/archive_probe.h"
#include "intake/members.h"

#define BFO_ARCHIVE_SMALL 160U

struct bfo_archive_options {
	const char *path;		/* NULL: it is descriptor FD, which stays its owner's */
	int fd;
	const char *name;		/* for messages; NULL: PATH */
	enum bfo_archive_kind kind;	/* BFO_ARCHIVE_NONE: as its first bytes say */
	unsigned int strip;		/* components to take off each path, as tar(1) does */
	int64_t now;			/* of directories that are only implied, since 1970 */
	bfo_members_begin begin;	/* NULL: bfo_members_start(); tests have others */
	/* What is no file goes to a temporary one, or is a source that arrives; or ESPIPE. */
	int spool, arrives;
};

/*
 * Opens an archive: *SOURCE, whose close() frees it; it can be gathered once.  Nothing of OPT has
 * to stay, but file descriptor FD. BFO_ET_NO_LIBARCHIVE, BFO_ET_NOT_ARCHIVE, BFO_ET_CANCELLED,
 * errnos of the file and of the temporary one; *SOURCE is NULL then.
 *
 * gather() and read(): the errors of members.h and of intake.h; BFO_ET_CHANGED if the file is not
 * what it was, as also settle() says.
 */
errcode_t bfo_archive_open(struct bfo_context *ctx, const struct bfo_archive_options *opt,
			   struct bfo_source **source);

#endif
