/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job.h - one tree onto one target: the one place that knows which step follows which
 *
 *   open ── gather ── decide ── place ── choose way ── commit ── close
 *         or arrive     │  ^      target or scratch file
 *                       └──┴ move: the same plan, on another target that was formatted alike
 *
 *   decide:  names ── filter ── landing ── merging ── order ── attributes ── losses ── quotas
 *   place:   numbers ── indexes ── space
 *
 * Nothing is written before bfo_job_commit() (P2), but data that come once (arrive): they go to
 * free blocks of the target, where nobody finds them, and stay there if the plan has it so.  The
 * caller opens source and target, fills the configuration, and calls the steps in this order; a
 * step that comes too early is an assertion.  The job prints nothing, reads no environment, and
 * serves one thread at a time.
 *
 * All functions return 0 or an error, whose circumstances are in ctx->what.
 */
#ifndef BFO_JOB_JOB_H
#define BFO_JOB_JOB_H

#include "commit/arrive.h"
#include "commit/commit.h"
#include "gather/container.h"
#include "gather/source.h"
#include "gather/unpacked.h"
#include "plan/filter.h"
#include "plan/itrees.h"

struct bfo_job;

/* What becomes of the container of indexes.  A step may be NULL. */
struct bfo_job_indexes {
	/* Before landing: looks at VOL; sets plan.itrees if there is going to be a container. */
	errcode_t (*begin)(struct bfo_job *job, struct bfo_volume *vol);
	/* Once the order is settled: unsets plan.itrees if nothing has to be done. */
	errcode_t (*choose)(struct bfo_job *job);
	/* Between numbers and space: sizes the container. */
	errcode_t (*place)(struct bfo_job *job, const struct bfo_volume *vol);
};

/* All of it is the caller's, and has to stay until the job is closed. */
struct bfo_job_config {
	const char *target;		/* its name, for messages */
	const char *const *from;	/* subtrees of the source; none: nothing but what is made */
	size_t n_from;
	const char *to;			/* where they land */
	struct bfo_filter *filter;	/* or NULL */
	int64_t now;			/* time of what is made */
	uint64_t memory;		/* bytes of buffers */
	enum bfo_direct_use direct;	/* bulk goes around the page cache */
	uint64_t read_gap;		/* bytes to be read over instead of a seek */
	/* those that are accepted: a bit for each kind of finding */
	uint64_t losses;
	/* percent of an htree leaf; 0: as the plan has it by default */
	uint32_t dir_fill;
	int is_archive;			/* not portable: it keeps what features mean */
	int is_directory;		/* a mounted filesystem: it may count links as ext4 does */
	int keep_inodes;		/* numbers are those of the source */
	int unpacks;			/* members of composite files are files; before all steps */
	int is_fresh;			/* the target is, or was, formatted for this job */
	/* the target's root is not to become the source's, where that goes to it */
	int keep_root;
	enum bfo_over over;		/* what becomes of files that the target has */
	int no_devices;			/* these are not copied */
	int make_indexes;		/* the container is made, if there is none */
	int not_atomic;			/* in place, although the journal would do */
	int verify;			/* reads back what was written */
	/* not worth a record: a failure leaves the target as it was */
	int is_quick;
	const char *undo_file;		/* for e2undo(8), or NULL */
	const void *text;		/* the caller's, for the record */
	size_t text_bytes;
	struct bfo_record *record;	/* of the copy that is resumed, or NULL */
	struct bfo_file_sums *sums;	/* of all that is copied, or NULL; not with a record */
	const struct bfo_job_indexes *indexes;	/* NULL: bfo_job_copy_indexes */
	/* Changes the order of the plan, which is settled; or NULL. */
	errcode_t (*order)(void *priv, struct bfo_job *job);
	void *priv;
};

/* The container of indexes in a copy (job/indexes.c). */
struct bfo_job_container {
	struct bfo_itrees plan;
	struct bfo_reader reader;	/* of the target */
	struct bfo_container old;	/* what the target has */
	bfo_container_catalogue trees;	/* in `old` */
	int has_old;
	int is_fresh;			/* `old` was made for the target as it is */
	int gives_way;			/* `old` does, to another file */
	struct bfo_extsort *names;
	struct bfo_itree_source source;
	uint64_t built;			/* trees */
};

enum bfo_job_phase {
	BFO_JOB_OPEN,
	BFO_JOB_GATHERED,		/* the tree is complete */
	BFO_JOB_PLANNING,		/* there is a plan; a refusal leaves it as far as it came */
	BFO_JOB_FILTERED,		/* which names of the source are copied is known */
	BFO_JOB_DECIDED,		/* the plan has everything but numbers and space */
	BFO_JOB_PLACED,			/* the plan is complete */
};

struct bfo_job {
	struct bfo_context *ctx;
	struct bfo_job_config config;
	enum bfo_job_phase phase;
	/* closed with the job; source: of a tree that comes from a volume, else NULL */
	struct bfo_volume *source, *target;
	/* Where the tree comes from; closed with the job.  The caller's, if it is no volume. */
	struct bfo_source *from;
	struct bfo_reader reader;		/* of a volume; if all is made, of the target */
	struct bfo_source of_volume;		/* what that reads, */
	struct bfo_unpacked unpacked;		/* and what stands before it, if config.unpacks */
	int is_empty;				/* all is made, nothing comes from a source */
	struct bfo_tree tree;
	struct bfo_target free;			/* the target's shape and free space */
	struct bfo_plan plan;
	struct bfo_job_container itrees;
	int is_atomic;				/* all of it becomes visible at once */
	struct bfo_arrive_stats arrived;
	struct bfo_commit_stats stats;
};

static inline int bfo_job_has_plan(const struct bfo_job *job)
{
	return job->phase >= BFO_JOB_PLANNING;
}

/* Sets job->from, if it is not set yet: to job->source.  ENOMEM. */
errcode_t bfo_job_take_source(struct bfo_job *job);

/*
 * Reads the tree of job->from, or of job->source.  Errors: those of the scans in gather/, or of the
 * source.
 */
errcode_t bfo_job_gather(struct bfo_job *job);

/*
 * The same of no more than the files that the filter selects, if it is of a volume and selects
 * files alone (gather/picked.h); else of all.
 */
errcode_t bfo_job_gather_picked(struct bfo_job *job);

/*
 * In its place, of a source whose data come once: the tree, while the data go to free blocks of
 * job->target, on which alone can be decided afterwards.  Nothing is marked there.  The copy cannot
 * be resumed, so it gets no record (config.is_quick).  Errors: those of the source, and of
 * commit/arrive.h.
 */
errcode_t bfo_job_arrive(struct bfo_job *job);

/* In its place, if there is no source: a tree without records, for what is made on job->target. */
errcode_t bfo_job_begin_empty(struct bfo_job *job);

/*
 * Decides what can be decided without numbers and space, on VOL: the target itself, or a scratch
 * file like it; NULL: it is no volume (plan/serial.h).  BFO_ET_CLASH: plan.clashes says where;
 * BFO_ET_LOSS: what VOL cannot hold, and config.losses does not accept.
 */
errcode_t bfo_job_decide(struct bfo_job *job, struct bfo_volume *vol);

/*
 * Inode numbers and space on VOL, on which was decided; NULL: the stem alone.  BFO_ET_NO_SPACE,
 * BFO_ET_NO_INODES.
 */
errcode_t bfo_job_place(struct bfo_job *job, const struct bfo_volume *vol);

/* Moves the plan to VOL, which was formatted like the one before, and places it there. */
errcode_t bfo_job_move(struct bfo_job *job, struct bfo_volume *vol);

/*
 * Sets is_atomic: by the journal, if all fits into it.  If not, BFO_ET_JOURNAL_SMALL, where the
 * target holds files and neither config.not_atomic nor an undo file allows to do without; ADVICE
 * completes the message.
 */
errcode_t bfo_job_choose_way(struct bfo_job *job, const char *advice);

/* Carries out the plan on job->target.  Also after a failure, stats.fate is what became of that. */
errcode_t bfo_job_commit(struct bfo_job *job);

/* Frees everything, and closes the volumes. */
void bfo_job_close(struct bfo_job *job);

/* What a copy does about indexes: not copied, but kept up to date or made. */
extern const struct bfo_job_indexes bfo_job_copy_indexes;

#endif
