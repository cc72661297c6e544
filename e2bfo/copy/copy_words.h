/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copy_words.h - options of copy that send and receive have, too: numbers, and rows of tables
 */
#ifndef E2BFO_COPY_COPY_WORDS_H
#define E2BFO_COPY_COPY_WORDS_H

enum { OPT_FROM = 256, OPT_TO, OPT_MKFS, OPT_SIZE, OPT_READ_GAP, OPT_DIRECT, OPT_DIR_FILL,
       OPT_ALLOW_LOSS, OPT_VERIFY, OPT_KEEP_INODES, OPT_UNPACK, OPT_FORCE, OPT_TRUST,
       OPT_EXCLUDE, OPT_EXCLUDE_FROM, OPT_FILES_FROM, OPT_FROM0, OPT_SAME_UUID, OPT_NOT_ATOMIC,
       OPT_WRITE_MAPFILE, OPT_ITREE, OPT_ALLOW_EMPTY, OPT_INODES, OPT_CROSS_MOUNTS, OPT_OWNER,
       OPT_MAP_USERS, OPT_MAP_GROUPS, OPT_REPRODUCIBLE, OPT_STRIP, OPT_SPOOL, OPT_STATE,
       OPT_DEREFERENCE, OPT_NO_DEVICES, OPT_NO_SUID, OPT_NO_XATTRS, OPT_OVERWRITE,
       OPT_SKIP_EXISTING, OPT_IF_NEWER, OPT_METADATA_OUT, OPT_METADATA_IN, OPT_PORTABLE,
       OPT_MANIFEST_OUT, OPT_EVIDENCE, OPT_HASH_SOURCE, OPT_COMPRESS, OPT_RESUME,
       OPT_RSH, OPT_REMOTE_E2BFO, OPT_RETRIES };

/* Rows of option tables: what a command reads is said alike by copy and send, */
#define COPY_EXCLUDE_ROWS \
	{ OPT_EXCLUDE, "exclude", "PATTERN", \
	  "not what matches, e.g. '*.o', /var/cache/, '/a/**'; may be repeated" }, \
	{ OPT_EXCLUDE_FROM, "exclude-from", "FILE", "the same for each line of FILE" }
#define COPY_LIST_ROWS \
	{ OPT_FROM0, "from0", NULL, "lists are separated by NUL, not in lines" }, \
	{ OPT_ALLOW_EMPTY, "allow-empty", NULL, \
	  "a FILE of --files-from that lists nothing is no error" }
#define COPY_SOURCE_ROWS \
	ARGUMENT_PARTITION_ROW("SOURCE"), \
	{ ARGUMENT_JOURNAL, "journal", "DEVICE", \
	  "where the external journal of SOURCE is, if it is not found" }, \
	{ ARGUMENT_IGNORE_JOURNAL, "ignore-journal", NULL, \
	  "read SOURCE as it stands, though its journal has to be replayed" }
#define COPY_OWNER_ROWS \
	{ OPT_OWNER, "owner", "USER[:GROUP]", \
	  "who owns everything, or what no range of --map-* holds" }, \
	{ OPT_MAP_USERS, "map-users", "FROM:TO:COUNT", \
	  "COUNT users from number FROM on become those from TO on; may be repeated" }, \
	{ OPT_MAP_GROUPS, "map-groups", "FROM:TO:COUNT", "the same of groups" }
#define COPY_CROSS_MOUNTS_ROW \
	{ OPT_CROSS_MOUNTS, "cross-mounts", NULL, \
	  "SOURCE is a directory: also what is mounted below it" }
#define COPY_STREAM_ROWS \
	{ OPT_COMPRESS, "compress", "LEVEL", \
	  "auto (default of a pipe), none, fast, or 1 to 19, as zstd(1) has them" }, \
	{ OPT_RESUME, "resume", "TOKEN", \
	  "go on with a stream that broke: what e2bfo receive has printed" }, \
	{ OPT_STATE, "state", "FILE", \
	  "of a directory: keep in FILE what is needed to go on, or go on with it" }
/* and what it writes by copy and receive. */
#define COPY_TO_ROW \
	{ OPT_TO, "to", "DIR", "where to, on the target; made if missing (default /)" }
#define COPY_SIZE_ROWS \
	{ OPT_SIZE, "size", "SIZE|min[+MORE]", \
	  "with --mkfs: make TARGET an image file of this size, or of the smallest, so that\n" \
	  "MORE (32M, 10%) is free for ordinary users" }, \
	{ OPT_INODES, "inodes", "N|used+MORE", \
	  "with --mkfs: so many inodes, or MORE (1000, 10%) than are used" }
#define COPY_VERIFY_ROW \
	{ OPT_VERIFY, "verify", NULL, "read back from the device what was written, and compare" }
#define COPY_TARGET_ROWS \
	{ OPT_ITREE, "itree", NULL, "index big directories by inode number, as e2itree(8) does" }, \
	{ OPT_ALLOW_LOSS, "allow-loss", "KINDS", \
	  "copy though the target cannot hold these, or all (e2bfo-copy(8), LOSSES)" }, \
	{ OPT_NOT_ATOMIC, "not-atomic", NULL, \
	  "go on where TARGET's journal is too small (e2bfo-resume(8))" }, \
	ARGUMENT_UNDO_ROW("TARGET"), \
	{ OPT_TRUST, "trust", NULL, \
	  "do not compare TARGET's bitmaps with its inodes after a mount" }, \
	{ OPT_FORCE, "force", NULL, "override what e2bfo-copy(8) lists under FORCE" }
#define COPY_OUTPUT_ROWS \
	ARGUMENT_PROGRESS_ROWS, \
	ARGUMENT_JSON_ROW, \
	{ 'q', "quiet", NULL, "only errors and what could not be kept" }, \
	{ 'v', "verbose", NULL, "more about the plan and the I/O" }, \
	ARGUMENT_HELP_ROWS

#endif
