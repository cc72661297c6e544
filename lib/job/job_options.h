/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_options.h - what a copy is asked to do
 *
 * The caller's strings and arrays have to stay until the copy is closed.  A zeroed field asks for
 * nothing, unless it says otherwise.
 *
 * The record of a copy that is under way holds the options in a serialized form: strings
 * "KEY=VALUE", each with its NUL, in the order of the table in job_options.c.  Paths in it are
 * absolute.
 */
#ifndef BFO_JOB_JOB_OPTIONS_H
#define BFO_JOB_JOB_OPTIONS_H

#include "base/vec.h"
#include "export/extract.h"
#include "job/order.h"
#include "volume/medium.h"

#define BFO_SIZE_MIN UINT64_MAX		/* the smallest size that fits */

/* So much more than something else: a number, and so many percent of that. */
struct bfo_more {
	uint64_t n;
	uint32_t percent;
};

/* Names that are not copied. */
struct bfo_exclude {
	/* a pattern, or the name of a file with a pattern in each line */
	const char *text;
	int is_file;
};

struct bfo_copy_options {
	/* which tree */
	const char *source;		/* as job/end.h has it */
	int cross_mounts;		/* of a directory: job/end.h */
	const char *metadata_in;	/* what it could not be given; or NULL */
	uint32_t strip;			/* of an archive: components that paths lose */
	int dereference;		/* of what is no volume: each name of a file is a file */
	int spool;			/* of one that is no file: it goes to a temporary one */
	int in;				/* where - is read from: job/end.h */
	struct bfo_medium medium;	/* how the source can be read */
	struct bfo_journal_use journal;	/* of the source */
	const char *const *from;	/* subtrees, at least one */
	size_t n_from;
	const struct bfo_exclude *exclude;
	size_t n_exclude;
	/* a list of paths, the only ones that are copied; or NULL */
	const char *files_from;
	const char *const *paths;	/* the same here; not beside a list */
	size_t n_paths;
	int from0;			/* entries of lists end in NUL, not in a newline */
	int allow_empty;		/* files_from may have no entry */
	/* where to */
	const char *target;
	const char *to;			/* a directory */
	int trust;			/* do not compare the target's bitmaps with its inodes */
	int force;			/* format what holds something; replace an image file */
	int mkfs;			/* format the target first */
	int was_formatted;		/* resumed: the target was formatted for this copy */
	const char *mkfs_args;		/* options for mke2fs(8), for messages; or NULL */
	/* the same in words, the last is NULL; NULL: they cannot be read */
	char *const *mkfs_words;
	/* of mke2fs(8), which is looked for by its PATH; ends in NULL */
	char *const *environment;
	/* of an image file to be made: bytes, or BFO_SIZE_MIN; 0: none */
	uint64_t size;
	/* with BFO_SIZE_MIN: bytes that are free for ordinary users afterwards; of the size */
	struct bfo_more spare;
	uint64_t inodes;		/* with mkfs: so many; 0: as many as will do */
	int counts_used;		/* with mkfs: as many as are used, ... */
	struct bfo_more more_inodes;	/* ... and these */
	int same_uuid;			/* with mkfs: the UUID of the source */
	enum bfo_over over;		/* not of archives and streams */
	/* device files; set-id bits but those of directories, and capabilities: not of archives */
	int no_devices, no_suid;
	/* of what is no volume (export/extract.h, export/tar.h) */
	int is_portable;
	const char *const *no_xattrs;	/* patterns */
	size_t n_no_xattrs;
	const char *metadata_out;	/* or NULL */
	const char *const *manifests;	/* FORMAT:FILE (job/manifests.h) */
	size_t n_manifests;
	int out;			/* where tar:- goes, a file descriptor */
	/* of a stream: how it is compressed, as job/compress.h has it, or NULL; to go on where */
	const char *compress, *token;
	const char *state;		/* of a directory's: job/send_state.h; or NULL */
	/* the same file, open for both: the caller's, without a name, empty at first; 0: none */
	int state_fd;
	const char *owners;		/* who gets what (job/owners.h); or NULL */
	/* the same tree gives the same bytes: tree/amend.h; SEED: for a UUID, or NULL */
	int is_reproducible;
	const char *seed;
	int has_epoch;			/* `now` is when all has happened, at the latest */
	/* how */
	struct bfo_order_options order;
	uint64_t memory;		/* bytes of buffers */
	uint64_t bwlimit;		/* bytes a second that are read; 0: no limit */
	/* bytes to be read over instead of a seek, or BFO_GAP_OF_DEVICE */
	uint64_t read_gap;
	enum bfo_direct_use direct;
	/* those that are accepted: a bit for each kind of finding */
	uint64_t losses;
	unsigned int dir_fill;		/* percent; 0: as the plan has it by default */
	int keep_inodes, unpack, itree, verify, not_atomic, dry_run;
	int hash_source;		/* job/whole_digest.h, of a source that is a volume */
	int evidence;			/* job/evidence.h, of a source that is a volume */
	const char *undo_file;		/* for e2undo(8), or NULL */
	const char *write_mapfile;	/* or NULL */
	int64_t now;			/* time of what is made */
	/* Is given what mke2fs(8) says, line by line; or NULL. */
	void (*tell)(void *priv, const char *line);
	void *priv;
	/* for people who look at the record */
	const char *directory;		/* where the copy was begun, or NULL */
	const char *const *said;	/* the command line */
	size_t n_said;
};

/* Options that were serialized, and what they point into. */
struct bfo_saved_options {
	struct bfo_copy_options opt;
	int makes_file;			/* the target was an image file to be made */
	char *text;
	const char **words;		/* the arrays of opt lie in it */
	struct bfo_exclude *exclude;
};

/* Appends OPT to TEXT.  Errors: ENOMEM, and those of getcwd(3). */
errcode_t bfo_options_save(const struct bfo_copy_options *opt, bfo_chars *text);

/*
 * Reads LEN bytes at TEXT, which nobody has checked, and a NUL behind them.  Returns EINVAL if
 * these are no options of a copy, else ENOMEM.  Free in any case.
 */
errcode_t bfo_options_load(const char *text, size_t len, struct bfo_saved_options *saved);
void bfo_saved_options_free(struct bfo_saved_options *saved);

#endif
