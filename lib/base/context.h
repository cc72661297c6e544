/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * context.h - what every operation of the library is given by its caller
 *
 * The library never prints, never exits and keeps no globals.  Where it needs to tell
 * somebody something it goes through this struct: the circumstances of the last failure,
 * progress, and the request to stop.  One context serves one operation, and one thread, at a time.
 */
#ifndef BFO_BASE_CONTEXT_H
#define BFO_BASE_CONTEXT_H

#include <signal.h>
#include <stdint.h>
#include <et/com_err.h>

/* The long stages of operations, those of each in the order in which they come. */
enum bfo_stage {
	/* comparing a target's bitmaps with its inodes; reads inode tables */
	BFO_STAGE_BITMAPS,
	BFO_STAGE_ARRIVAL,	/* taking in data that come once; units: bytes, files beside them */
	BFO_STAGE_INODES,	/* reading inode tables; units: inode slots */
	BFO_STAGE_NAMES,	/* reading directories; units: blocks */
	BFO_STAGE_PLAN,		/* deciding; no units */
	BFO_STAGE_LOOK,		/* looking for data that cannot be read; units: blocks */
	BFO_STAGE_DATA,		/* moving data; units: bytes, files beside them */
	BFO_STAGE_TABLES,	/* writing inode tables; units: inodes */
	BFO_STAGE_REREAD,	/* reading back what was written; units: bytes */
	BFO_STAGE_FINISH,	/* last transaction; no units */
	BFO_STAGE_INDEX,	/* building trees of the index; units: names */
	BFO_STAGE_CHECK_INDEX,	/* reading trees of the index; units: names */
	BFO_STAGE_COMPARE,	/* comparing inodes; units: inodes */
	BFO_STAGE_COMPARE_DATA,	/* comparing data; units: bytes of both, files beside them */
	BFO_STAGE_DIGEST,	/* reading all of a source for its digest; units: bytes */
	BFO_STAGE_LIST,		/* listing directories; units: directories, files beside them */
};

struct bfo_progress {
	enum bfo_stage stage;
	enum bfo_stage part;	/* what it is at; the same as `stage` if it has no parts */
	uint64_t done, total;	/* in the part's units; total 0 = unknown */
	uint64_t files;		/* of stages that have files beside their units: begun so far */
};

#define BFO_WHAT_BYTES 512U

struct bfo_pace;
struct bfo_timer;

struct bfo_context {
	/* Called now and then from the thread that called the library. May be NULL. */
	void (*progress)(void *priv, const struct bfo_progress *p);
	void *priv;
	int entered;		/* stages that were entered; */
	enum bfo_stage outermost;	/* the first of them */
	/* Set by the caller, a signal handler or another thread, to stop soon.  May be NULL. */
	const volatile sig_atomic_t *cancel;
	/* Folder of temporary files.  NULL: /var/tmp. */
	const char *temp_dir;
	/* Bytes of memory that the page cache may take.  0: what the kernel says. */
	uint64_t spare_memory;
	/* Sources are read no faster than that.  May be NULL. */
	struct bfo_pace *pace;
	/* Whose seconds count (base/clock.h).  NULL: the machine's. */
	const struct bfo_timer *timer;
	/* What the operation that failed last was about: completes "while ...". */
	char what[BFO_WHAT_BYTES];
};

/* That text, kept while something else is tried that may fail, too. */
struct bfo_what {
	char text[BFO_WHAT_BYTES];
};

/* Notes what was being done (printf-like, without "while") and returns CODE. */
errcode_t bfo_fail(struct bfo_context *ctx, errcode_t code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Adds to the end of what was noted, after a failure with CODE, and returns CODE.  Where there is
 * no room for both, what was noted is cut, not what is added.
 */
errcode_t bfo_fail_add(struct bfo_context *ctx, errcode_t code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Forgets what was noted: the failure was expected, and nothing failed. */
static inline void bfo_what_clear(struct bfo_context *ctx)
{
	ctx->what[0] = 0;
}

struct bfo_what bfo_what_keep(const struct bfo_context *ctx);
void bfo_what_restore(struct bfo_context *ctx, const struct bfo_what *what);

/*
 * From now on, until it is left, all that is reported is part of STAGE: planning reads directories
 * of the target again and again, and nobody should have to wonder what for.  Of stages within each
 * other the outermost counts.
 */
void bfo_progress_enter(struct bfo_context *ctx, enum bfo_stage stage);
void bfo_progress_leave(struct bfo_context *ctx);

/* Reports progress, if anyone listens. */
void bfo_progress_report(struct bfo_context *ctx, enum bfo_stage stage, uint64_t done,
			 uint64_t total, uint64_t files);

/* Whose seconds count, never NULL. */
const struct bfo_timer *bfo_timer_of(const struct bfo_context *ctx);

/* True once the caller has asked to stop. */
static inline int bfo_cancelled(const struct bfo_context *ctx)
{
	return ctx->cancel && __atomic_load_n(ctx->cancel, __ATOMIC_RELAXED);
}

#endif
