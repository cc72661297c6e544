/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copyjob.h - a real copy, from images to images, step by step, on channels that log (io_log.h)
 *
 * Source and targets are made by mke2fs -d once for all tests of a run, and copied by
 * the job that e2bfo has.
 */
#ifndef UNIT_COPYJOB_H
#define UNIT_COPYJOB_H

#include "io_log.h"
#include "job/job.h"
#include "unit.h"

#define MIB (1ULL << 20)

enum copyjob_source { SOURCE_LARGE, SOURCE_SMALL, SOURCE_KINDS };

/* "Busy" ones hold files in directories that the source has, too. */
enum copyjob_target {
	TARGET_EMPTY, TARGET_BUSY,	/* ext4 with a journal */
	TARGET_QUOTA,			/* busy, with quota files */
	TARGET_EXT3,			/* busy; no checksums, no extents, 1 KiB blocks */
	TARGET_BIGALLOC,		/* busy */
	TARGET_PLAIN_EMPTY, TARGET_PLAIN,	/* ext4 without a journal; busy */
	TARGET_EXT2,			/* busy */
	TARGET_KINDS
};

static inline int copyjob_is_atomic(enum copyjob_target kind)
{
	return kind < TARGET_PLAIN_EMPTY;
}

struct copyjob {
	struct bfo_context ctx;
	struct bfo_job job;		/* config may be changed before copyjob_plan() */
	unsigned int source_name, target_name;	/* in the log */
};

/* Opens source FROM, and a copy of a target of KIND that is the file COPY. */
void copyjob_open(struct copyjob *j, enum copyjob_source from, enum copyjob_target kind,
		  const char *copy);

/* The same of any IMAGE, a file of the run's folder. */
void copyjob_open_image(struct copyjob *j, enum copyjob_source from, const char *image, int atomic,
			const char *copy);
void copyjob_close(struct copyjob *j);

/* Gathers and decides everything; where there is a journal the copy is going to be atomic. */
void copyjob_plan(struct copyjob *j);

errcode_t copyjob_commit(struct copyjob *j);

/* Runs a command, FORMAT with A and B, in a PATH with mke2fs and its kin; it must succeed. */
void copyjob_shell(const char *format, const char *a, const char *b);

/* The same with file NAME of the run's folder in place of %s; returns its exit status. */
int copyjob_try(const char *format, const char *name);

/*
 * For it: all that an image has goes to folder NAME.out.  debugfs has said nothing but its name,
 * and that files of others cannot be given to them, where who runs this is not root.
 */
#define COPYJOB_DUMP "! debugfs -R 'rdump / %s.out' '%s' 2>&1 | " \
		     "grep -v '^debugfs 1\\|while changing ownership of'"

/* Exit status of e2fsck HOW on file NAME. */
int copyjob_fsck(const char *name, const char *how);

/*
 * Whether all of TREE, a folder, is in image NAME, byte by byte (owners and modes aside); there may
 * be more.
 */
int copyjob_holds(const char *name, const char *tree);

/* The whole of file NAME of the run's folder; free() it. */
uint8_t *copyjob_read(const char *name, size_t *size);

/* Name of the image that copies of KIND begin as. */
const char *copyjob_image(enum copyjob_target kind);

#endif
