// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extract_tops.c - what is hidden: made durable, and renamed
 *
 * A syncfs(2) costs as much for one file as for many.  So complete tops wait until there are enough
 * of them, or until their data are; then all are synced, and each gets its name.  Before it does,
 * its directory is walked to from the root once more: whoever has moved it meanwhile, or has put a
 * link into its place, gets nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <ext2fs/ext2_fs.h>

#include "base/bfo_err.h"
#include "export/extract_state.h"

#define BATCH_BYTES (64ULL << 20)	/* data of tops that wait */
#define BATCH_TOPS 16384U

errcode_t bfo_extract_sync(struct bfo_extract *s)
{
	if (s->sync < 0) {		/* a directory that we must not read */
		sync();
		return 0;
	}
	return syncfs(s->sync) ? bfo_fail(s->outlet.ctx, errno, "syncing %s", s->path) : 0;
}

/* What hidden names in AT, the directory of TOP, follow from: perhaps as with the top before. */
static errcode_t seed_of(const struct bfo_extract *s, int at, struct bfo_extract_top *top)
{
	const struct bfo_extract_top *last = s->tops.n ? &s->tops.v[s->tops.n - 1] : NULL;

	if (!last || last->parent_ino != top->parent_ino || last->parent_dev != top->parent_dev)
		return bfo_extract_seed(at, &top->seed);
	top->seed = last->seed;
	return 0;
}

errcode_t bfo_extract_top_begin(struct bfo_extract *s, const char *path, size_t len,
				const struct statx *old)
{
	size_t base = bfo_extract_base(path, len);
	struct bfo_extract_top top = { .parent_len = base ? base - 1 : 0,
				       .replaces = !!old->stx_mask, .old_ino = old->stx_ino };
	struct stat st;
	errcode_t err;
	int at;

	err = bfo_dirs_fd(&s->dirs, &at);
	if (err)
		return err;
	if (fstat(at, &st))
		return errno;
	top.parent_dev = st.st_dev;
	top.parent_ino = st.st_ino;
	err = seed_of(s, at, &top);
	if (!err)
		err = bfo_extract_keep(&s->tops_text, path, len, &top.path);
	return err ? err : bfo_vec_push(&s->tops, top);
}

void bfo_extract_top_forget(struct bfo_extract *s)
{
	s->tops_text.n = s->tops.v[--s->tops.n].path.at;
}

errcode_t bfo_extract_top_end(struct bfo_extract *s)
{
	if (s->tops.n < BATCH_TOPS && s->tops_bytes < BATCH_BYTES)
		return 0;
	return bfo_extract_tops_flush(s);
}

/* renameat2(2); on filesystems that do not know RENAME_NOREPLACE with a look before. */
static int rename_new(int at, const char *from, const char *to)
{
	struct stat st;

	if (!renameat2(at, from, at, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL)
		return errno;
	if (!fstatat(at, to, &st, AT_SYMLINK_NOFOLLOW))
		return EEXIST;
	if (errno != ENOENT)
		return errno;
	return renameat(at, from, at, to) ? errno : 0;
}

/* Replaces the file that was there when the top was begun, and no other one. */
static int rename_over(int at, const struct bfo_extract_top *top, const char *to)
{
	struct stat st;

	if (fstatat(at, to, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? rename_new(at, top->hidden, to) : errno;
	if (S_ISDIR(st.st_mode) || st.st_ino != top->old_ino)
		return EEXIST;
	return renameat(at, top->hidden, at, to) ? errno : 0;
}

/* Goes to the directory of TOP, which has to be the one where it was begun. */
static errcode_t go_to_parent(struct bfo_extract *s, const struct bfo_extract_top *top, int *at)
{
	errcode_t err = bfo_dirs_go(&s->other, s->tops_text.v + top->path.at, top->parent_len, at);

	if (err == ENOENT || err == ENOTDIR || err == ELOOP || err == EXDEV ||
	    (!err && !bfo_dirs_is_at(&s->other, top->parent_dev, top->parent_ino)))
		return BFO_ET_CHANGED;
	return err;
}

static errcode_t show(struct bfo_extract *s, struct bfo_extract_top *top)
{
	const char *path = s->tops_text.v + top->path.at;
	errcode_t err;
	int at, ret;

	err = go_to_parent(s, top, &at);
	if (err)
		return bfo_extract_fail(s, err, "going back to the directory of", path,
					top->path.len);
	path += bfo_extract_base(path, top->path.len);
	ret = top->replaces ? rename_over(at, top, path) : rename_new(at, top->hidden, path);
	path = s->tops_text.v + top->path.at;
	if (!ret) {
		top->hidden[0] = 0;
		s->has_named = 1;
		return 0;
	}
	bfo_extract_fail(s, ret, "naming", path, top->path.len);
	return ret == EEXIST ? bfo_fail_add(s->outlet.ctx, BFO_ET_CLASH, BFO_EXTRACT_FOLDED) : ret;
}

/* Directories that are no longer needed to be the same as before are walked to anew. */
errcode_t bfo_extract_tops_flush(struct bfo_extract *s)
{
	errcode_t err;
	size_t i;

	if (!s->tops.n)
		return 0;
	err = bfo_extract_sync(s);
	bfo_dirs_free(&s->other);
	bfo_dirs_init(&s->other, s->root);
	for (i = 0; i < s->tops.n && !err; i++)
		err = show(s, &s->tops.v[i]);
	if (err)
		return err;
	s->tops_before += s->tops.n;
	s->tops.n = s->tops_text.n = s->tops_bytes = 0;
	return 0;
}

errcode_t bfo_extract_root_end(struct bfo_extract *s)
{
	errcode_t err = bfo_extract_sync(s);
	int ret;

	if (err)
		return err;
	ret = rename_new(s->above, s->hidden, s->name);
	if (ret)
		return bfo_fail(s->outlet.ctx, ret, "naming %s", s->path);
	s->hidden[0] = 0;
	s->has_named = 1;
	return 0;
}

/* Removes HIDDEN in AT; returns 1 if it is still there. */
static int remove_one(int at, char *hidden)
{
	if (bfo_extract_remove(at, hidden))
		return 1;
	hidden[0] = 0;
	return 0;
}

uint64_t bfo_extract_tops_remove(struct bfo_extract *s)
{
	uint64_t left = 0;
	size_t i;
	int at;

	if (s->hidden[0])
		left += remove_one(s->above, s->hidden);
	for (i = 0; i < s->tops.n; i++) {
		struct bfo_extract_top *top = &s->tops.v[i];

		if (top->hidden[0])
			left += go_to_parent(s, top, &at) || remove_one(at, top->hidden);
	}
	return left;
}
