// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_write.c - a batch: opened, committed when its marks say so, closed
 *
 * After a commit that failed, what stands in memory of the volume is not what it is: the volume is
 * closed, and the next operation opens it again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bfo_err.h"
#include "base/clock.h"
#include "edit/content.h"
#include "gather/bitmap_check.h"
#include "job/batch_packed.h"

#define AUTO_BYTES (64ULL << 20)	/* the paper: 64 MB reach the peak */
#define AUTO_FILES 100000U
#define AUTO_PERCENT 60U		/* of the journal: one more operation has to fit */
#define MOST_PERCENT 90U

static void close_volume(struct bfo_batch *b)
{
	b->last = NULL;
	bfo_batch_forget_packed(b);
	bfo_batch_doubt_plain(b);
	if (!b->vol)
		return;
	bfo_edit_close(&b->edit);
	bfo_volume_close(b->vol);
	b->vol = NULL;
}

static errcode_t check_bitmaps(struct bfo_batch *b)
{
	struct bfo_reader reader;
	errcode_t err = bfo_reader_init(&reader, b->ctx, b->vol, BFO_GAP_OF_DEVICE);

	if (!err)
		err = bfo_bitmap_check(&reader);
	bfo_reader_free(&reader);
	return err;
}

static errcode_t check_journal(const struct bfo_batch *b)
{
	return b->edit.change.has_journal || b->opt.is_not_atomic ? 0 :
	       bfo_fail(b->ctx, BFO_ET_NOT_JOURNALED, "opening %s: --not-atomic does without",
			b->opt.volume);
}

static errcode_t open_volume(struct bfo_batch *b)
{
	const struct bfo_edit_options opt = { .undo_file = b->opt.undo_file,
					      .memory = b->opt.memory };
	int how = BFO_OPEN_TARGET | (b->opt.is_look ? BFO_OPEN_LOOK : 0);
	errcode_t err = bfo_volume_open(b->ctx, b->opt.volume, how, NULL, &b->vol);

	if (err)
		return err;
	if (!b->opt.is_forced)
		err = check_bitmaps(b);
	if (err) {
		bfo_volume_close(b->vol);
		b->vol = NULL;
		return err;
	}
	err = bfo_edit_open(&b->edit, b->ctx, b->vol, &opt);
	if (!err)
		err = check_journal(b);
	if (err)
		close_volume(b);
	return err;
}

errcode_t bfo_batch_open(struct bfo_context *ctx, const struct bfo_batch_options *opt,
			 struct bfo_batch **out)
{
	struct bfo_batch *b = calloc(1, sizeof(*b));
	errcode_t err;

	*out = NULL;
	if (!b)
		return bfo_fail(ctx, ENOMEM, "opening %s", opt->volume);
	b->ctx = ctx;
	b->opt = *opt;
	err = open_volume(b);
	if (err)
		free(b);
	else
		*out = b;
	return err;
}

void bfo_batch_close(struct bfo_batch *b)
{
	if (!b)
		return;
	close_volume(b);
	bfo_vec_free(&b->made);
	bfo_vec_free(&b->made_names);
	bfo_vec_free(&b->last_path);
	free(b);
}

/* ---- committing ---- */

static double seconds(const struct bfo_batch *b)
{
	const struct bfo_timer *t = bfo_timer_of(b->ctx);

	return t->now(t->priv);
}

static errcode_t too_small(struct bfo_batch *b, uint64_t waiting)
{
	const struct bfo_change *c = &b->edit.change;

	return bfo_fail(b->ctx, BFO_ET_JOURNAL_SMALL, "committing %llu operations to %s: they "
			"would take %llu KiB of its journal, which has %llu; the first %llu fit",
			(unsigned long long) waiting, b->opt.volume,
			(unsigned long long) c->need * b->vol->block_size / 1024,
			(unsigned long long) c->room * b->vol->block_size / 1024,
			(unsigned long long) b->fit);
}

static void take_time(struct bfo_batch *b)
{
	if (b->opt.now)
		b->edit.now = (struct timespec) { .tv_sec = b->opt.now };
	else
		clock_gettime(CLOCK_REALTIME, &b->edit.now);
}

static errcode_t commit(struct bfo_batch *b)
{
	uint64_t waiting = b->waiting, first = b->done;
	errcode_t err;

	take_time(b);
	b->waiting = b->content = 0;
	b->last = NULL;
	b->fate = BFO_FATE_BEFORE;
	err = bfo_batch_fold(b);
	if (!err)
		err = bfo_edit_commit(&b->edit, &b->fate);
	bfo_batch_forget_packed(b);
	if (err == BFO_ET_JOURNAL_SMALL)
		too_small(b, waiting);
	if (err)
		close_volume(b);
	if (err && b->fate != BFO_FATE_DONE)
		return err;
	b->done += waiting;
	return b->opt.committed ? b->opt.committed(b->opt.priv, first, waiting) : 0;
}

/* For now there is no other commit. */
static errcode_t rest(struct bfo_batch *b)
{
	errcode_t err = b->vol ? bfo_change_rest(&b->edit.change) : 0;

	if (err) {
		b->fate = b->edit.change.fate;
		close_volume(b);
	}
	return err;
}

errcode_t bfo_batch_commit(struct bfo_batch *b, uint64_t *n)
{
	errcode_t err;

	if (n)
		*n = b->waiting;
	err = b->waiting ? commit(b) : 0;
	return err ? err : rest(b);
}

/* The mark in force: the one that was set, or with `auto` one of ours. */
static uint64_t mark(const struct bfo_batch *b, uint64_t set, uint64_t automatic)
{
	return set ? set : b->opt.marks.is_auto ? automatic : UINT64_MAX;
}

static int is_due(const struct bfo_batch *b)
{
	const struct bfo_batch_marks *m = &b->opt.marks;
	uint64_t percent = mark(b, m->journal_percent, AUTO_PERCENT);

	if (b->is_held || !b->waiting)
		return 0;
	if (b->content >= mark(b, m->bytes, AUTO_BYTES) ||
	    b->waiting >= mark(b, m->files, AUTO_FILES))
		return 1;
	if (percent <= 100 && b->edit.change.has_journal &&
	    bfo_edit_need(&b->edit) * 100 >= bfo_edit_room(&b->edit) * percent)
		return 1;
	return m->seconds > 0 && seconds(b) - b->since >= m->seconds;
}

errcode_t bfo_batch_idle(struct bfo_batch *b)
{
	int due = is_due(b) || (b->waiting && b->opt.marks.is_auto && !b->is_held);

	return due ? bfo_batch_commit(b, NULL) : 0;
}

errcode_t bfo_batch_hold(struct bfo_batch *b, int on)
{
	b->is_held = on;
	return is_due(b) ? commit(b) : 0;
}

uint64_t bfo_batch_waiting(const struct bfo_batch *b)
{
	return b->waiting;
}

const char *bfo_batch_fate(const struct bfo_batch *b)
{
	return bfo_fate_word(b->fate);
}

/* ---- operations ---- */

errcode_t bfo_batch_begin(struct bfo_batch *b)
{
	errcode_t err = bfo_cancelled(b->ctx) ? BFO_ET_CANCELLED : 0;

	bfo_what_clear(b->ctx);
	if (!err && !b->vol)
		err = open_volume(b);
	if (err || b->waiting)
		return err;
	b->fit = 0;
	b->since = b->opt.marks.seconds > 0 ? seconds(b) : 0;
	take_time(b);
	return 0;
}

/* Why PATH, as far as somebody has noted that, stands behind what was done to it. */
static errcode_t fail(struct bfo_batch *b, errcode_t err, const char *what, const char *path)
{
	struct bfo_what why = bfo_what_keep(b->ctx);

	return bfo_fail(b->ctx, err, "%s %s%s%s", what, path, *why.text ? ": " : "", why.text);
}

errcode_t bfo_batch_end(struct bfo_batch *b, errcode_t err, const char *what, const char *path)
{
	size_t i;

	if (err)
		bfo_batch_unmake(b);
	for (i = 0; i < b->made.n; i++)
		free(b->made.v[i].raw);
	b->made.n = b->made_names.n = 0;
	if (err)
		return fail(b, err, what, path);
	b->waiting++;
	if (bfo_edit_need(&b->edit) <= bfo_edit_room(&b->edit))
		b->fit = b->waiting;
	return is_due(b) ? commit(b) : 0;
}

/* ---- looking ---- */

errcode_t bfo_batch_stat(struct bfo_batch *b, const char *path, struct bfo_batch_stat *st)
{
	struct bfo_batch_way way;
	errcode_t err;

	bfo_what_clear(b->ctx);
	err = b->vol ? 0 : open_volume(b);
	if (!err)
		err = bfo_batch_find(b, path, &way);
	if (err)
		return fail(b, err, "looking at", path);
	*st = (struct bfo_batch_stat) {
		.ino = way.draft->ino, .mode = bfo_draft_mode(way.draft),
		.uid = bfo_draft_uid(way.draft), .gid = bfo_draft_gid(way.draft),
		.links = bfo_draft_links(way.draft), .flags = bfo_draft_flags(way.draft),
		.size = bfo_draft_size(way.draft),
		.mtime = bfo_draft_time(&b->edit, way.draft, BFO_DRAFT_MTIME),
	};
	return 0;
}

errcode_t bfo_batch_pread(struct bfo_batch *b, const char *path, uint64_t offset, void *buf,
			  size_t len, size_t *got)
{
	struct bfo_batch_way way;
	uint64_t size;
	errcode_t err;

	*got = 0;
	bfo_what_clear(b->ctx);
	err = b->vol ? 0 : open_volume(b);
	if (!err)
		err = bfo_batch_find(b, path, &way);
	if (!err && !S_ISLNK(bfo_draft_mode(way.draft)))
		err = bfo_batch_may_read(b, way.draft);
	if (err)
		return fail(b, err, "reading", path);
	size = bfo_draft_size(way.draft);
	if (offset >= size)
		return 0;
	if (len > size - offset)
		len = size - offset;
	err = bfo_draft_read(&b->edit, way.draft, offset, buf, len);
	*got = err ? 0 : len;
	return err ? fail(b, err, "reading", path) : 0;
}
