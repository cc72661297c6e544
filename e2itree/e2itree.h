/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * e2itree.h - what the passes share
 *
 *   pass 1   inode tables ── directories          container ── catalogue, trees ── sound?
 *   pass 2   directory blocks ── names: (directory, inode, hash) to be sorted, sum of all
 *   pass 3   decide: which trees are kept, built, dropped; sort; size; plan
 *   pass 4   container, every block once; then one transaction
 *            or, of trees that few names changed, the blocks that change; one transaction
 *   pass 5   trees against directories, name by name, both ways
 *
 * Of a filesystem that is mounted (-w, online.h) pass 2 reads names through the kernel, and only of
 * directories whose trees are not taken over as they are; pass 4 writes a file there.  There is no
 * pass 5.
 */
#ifndef E2ITREE_H
#define E2ITREE_H

#include "base/extsort.h"
#include "cli/exit_status.h"
#include "cli/json.h"
#include "commit/itrees_change.h"
#include "device/mounted.h"
#include "export/index_file.h"
#include "gather/container.h"
#include "job/job.h"
#include "options.h"
#include "plan/itrees.h"

/* Exit status, as of e2fsck(8): bits, beside those of cli/exit_status.h. */
enum {
	EXIT_CLEAN = 0,
	EXIT_CHANGED = 1,	/* the container was made, changed or removed */
	EXIT_LEFT = 4,		/* something is left to be done */
};

/* What becomes of a directory's tree. */
enum fate { FATE_NONE, FATE_KEEP, FATE_BUILD, FATE_DROP };

/* How a directory's names are known. */
enum known {
	KNOWN_READ,		/* they were read */
	KNOWN_BY_TREE,		/* -w: they are those of its tree, as it has not changed since */
	KNOWN_NOT,		/* -w: it is left out */
};

/* A directory that has a tree, or is to have one. */
struct dir {
	uint32_t ino, generation, flags;
	uint64_t size;			/* bytes */
	uint64_t version;
	int64_t ctime;
	uint32_t ctime_nsec;
	int damaged;			/* it cannot be read as it should */
	enum known known;
	uint64_t names, bytes, set_hash;	/* pass 2; bytes: of entries */
	enum fate fate;
};

/* A tree that the container has. */
struct tree {
	struct itree_dir dir;
	const char *damage;		/* pass 1: what is wrong, or NULL; */
	uint32_t blk;			/* in this block of it */
	uint32_t fill;			/* percent of its leaves in use */
	uint64_t bytes;			/* that its names take in a directory */
};

/* A name that was told: for --json. */
struct told {
	int code;
	uint32_t ino;
	int fixed;
	int moving;		/* it may well be that it was written while it was read */
	char *path;		/* for --json, or NULL */
};

struct job {
	struct options opt;
	struct bfo_context ctx;
	int64_t now;

	struct bfo_volume *vol;
	struct bfo_reader reader;
	int reading;			/* the reader is open */
	int tries;			/* to see what looks damaged once more, where it moves */
	int again;			/* one is due: this one is not told */
	uint64_t moving;		/* problems that the last one still had */

	struct bfo_mounted mounted;	/* -w: where, */
	struct bfo_index_file file;	/* and the container's file there */
	struct bfo_container old;
	int has_old;			/* 1: it can be read; -1: it is damaged */
	int takes_over;			/* 1: its trees may be kept; 0: none of them */
	int is_damaged;			/* without a header or a catalogue that can be read */
	int other_uuid;			/* its trees, made for another UUID, are to be taken over */
	/* what keeps programs from believing the container's file, in words; "": nothing does */
	char unprotected[80];
	int renews;			/* it gives way to another file, of another number */
	int no_memory;			/* in the middle of pass 1 */
	BFO_VEC(struct tree) trees;	/* ascending */

	struct bfo_tree tree;		/* of directories alone */
	BFO_VEC(struct dir) dirs;	/* parallel to tree.inodes */
	struct bfo_extsort *names;

	struct bfo_job work;		/* what pass 3 plans and pass 4 writes */
	int is_sorted;			/* names are */
	int removed;
	int writing;			/* to the volume */
	enum bfo_fate fate;		/* what has become of the volume so far */
	uint32_t blocks;		/* of the container that was written */
	struct bfo_itrees_written written;
	/* by the model, of what pass 4 does: microseconds; 0: it was not looked at */
	uint64_t cost_in_place, cost_anew;
	uint64_t came, went;		/* names in trees that were changed in place */
	struct bar bar;
	void (*draw)(void *priv, const struct bfo_progress *p);	/* the bar */

	int pass;			/* for -C */
	uint64_t seen, total;		/* names in trees read, and to be read, in this pass */
	int status;			/* exit bits so far */
	uint64_t kept, built, changed, dropped, all_names;
	uint64_t wanted;		/* questions answered with yes */
	uint64_t left;			/* problems: answered with no, and what nobody can mend */
	uint64_t unbuilt;		/* directories that are to have an index, and get none */
	BFO_VEC(struct told) told;
};

/* Opens the volume, and the reader on it; FOR_WRITING or to look. */
errcode_t job_open(struct job *j, int for_writing);
void job_close(struct job *j);

errcode_t pass1(struct job *j);
errcode_t pass2(struct job *j);

/*
 * Asks what is to be done.  *WORK: 0 nothing; 1 the container is right but for its times; 2 trees
 * have to be built or dropped.
 */
errcode_t pass3_decide(struct job *j, int *work);
errcode_t pass3(struct job *j);

/*
 * Instead of passes 3 and 4: trees that are to be built become right where they stand, and
 * j->changed says so.  If that cannot be, or costs more, nothing has happened.
 */
errcode_t change_in_place(struct job *j);

/* The trees that the container is going to have, for IT. */
errcode_t pass3_list(struct job *j, struct bfo_itrees *it);

/* IT takes more blocks than the FREE_BLOCKS there are; returns ERR. */
errcode_t tell_no_space(struct job *j, errcode_t err, uint64_t free_blocks);

errcode_t pass4(struct job *j);
errcode_t pass4_refresh(struct job *j);
errcode_t pass5(struct job *j);

/* -r, -l, -d. */
errcode_t remove_container(struct job *j);
void list_trees(struct job *j);
errcode_t dump_tree(struct job *j);

/* What belongs to -l alone in the object of --json; WHOLE, if it came to that. */
void list_json(const struct job *j, struct json *out, int whole);

/*
 * Something looks damaged.  1: of what is mounted read-write, whose moments are no damage; if
 * `again` is set then, all is looked at once more.
 */
int job_is_moving(struct job *j);

/* The tree of directory INO, or NULL. */
struct tree *job_tree(const struct job *j, uint32_t ino);

/* The directory of inode INO, or NULL. */
struct dir *job_dir(const struct job *j, uint32_t ino);

/* The path of directory INO as it is, or "<INO>"; free() it.  NULL without memory. */
char *job_raw_path(const struct job *j, uint32_t ino);

/* The path of directory INO, printable, in OUT. */
const char *job_path(const struct job *j, uint32_t ino, char *out, size_t size);

/* "Pass N: TEXT", unless that is not wanted. */
void say_pass(struct job *j, int n, const char *text);

/* A name in a tree was read: progress, and BFO_ET_CANCELLED when that is wanted. */
errcode_t job_count_name(struct job *j);

#endif
