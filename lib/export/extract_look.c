// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extract_look.c - what is in the way, before anything is written
 *
 * A stack of directories that exist follows the items.  Below one that does not exist nothing is to
 * be looked at; a directory that takes no names is in the way once there is one to be made in it.
 *
 * In a casefolded directory two items may be one name (folded.h).  What other filesystems fold is
 * found when the second name is made.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <linux/fs.h>
#include <ext2fs/ext2_fs.h>

#include "base/bfo_err.h"
#include "export/extract_state.h"
#include "tree/folded.h"

struct level {
	size_t path_len;
	int is_folded, is_judged, is_closed;	/* it is in the way itself */
	struct statx st;		/* once it is judged */
	struct bfo_folded_mark folded;	/* where its names begin */
};

struct bfo_extract_look {
	struct bfo_dirs dirs;
	BFO_VEC(struct level) levels;	/* that of the root, and those of `dirs` */
	bfo_chars at;			/* the path of the last */
	struct bfo_folded folded;
	struct bfo_extract_clash_list clashes;
	struct bfo_extract_seen seen;
};

void bfo_extract_look_free(struct bfo_extract_look *l)
{
	if (!l)
		return;
	bfo_dirs_free(&l->dirs);
	bfo_vec_free(&l->levels);
	bfo_vec_free(&l->at);
	bfo_folded_free(&l->folded);
	bfo_extract_clashes_free(&l->clashes);
	free(l);
}

/* NAME, in the directory that S->look is in, is one with another item. */
static errcode_t add_folded(void *priv, const struct bfo_folded_name *n, const char *name)
{
	struct bfo_extract *s = priv;
	struct bfo_extract_look *l = s->look;
	size_t len = strlen(name);
	errcode_t err;

	(void) n;
	err = bfo_vec_reserve(&s->walk, l->at.n + len + 1);
	if (err)
		return err;
	s->walk.n = l->at.n;
	if (l->at.n) {
		memcpy(s->walk.v, l->at.v, l->at.n);
		s->walk.v[s->walk.n++] = '/';
	}
	memcpy(s->walk.v + s->walk.n, name, len);
	s->walk.n += len;
	return bfo_extract_clash_add(&l->clashes, BFO_CLASH_FOLDED, s->walk.v, s->walk.n);
}

/* ---- the stack ---- */

static int is_folded(int at)
{
	int fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), flags = 0, ret;

	ret = fd >= 0 && !ioctl(fd, FS_IOC_GETFLAGS, &flags) && flags & FS_CASEFOLD_FL;
	if (fd >= 0)
		close(fd);
	return ret;
}

static errcode_t add_level(struct bfo_extract_look *l, const char *path, size_t len)
{
	errcode_t err;
	int at;

	err = bfo_dirs_fd(&l->dirs, &at);
	if (!err)
		err = bfo_vec_reserve(&l->at, len + 1);
	if (err)
		return err;
	memcpy(l->at.v, path, len);
	l->at.n = len;
	return bfo_vec_push(&l->levels, (struct level) {
		.path_len = len, .is_folded = is_folded(at),
		.folded = bfo_folded_mark(&l->folded) });
}

static errcode_t drop_level(struct bfo_extract *s)
{
	struct bfo_extract_look *l = s->look;
	errcode_t err = bfo_folded_judge(&l->folded, l->levels.v[l->levels.n - 1].folded,
					 add_folded, s);

	if (--l->levels.n) {
		bfo_dirs_leave(&l->dirs);
		l->at.n = l->levels.v[l->levels.n - 1].path_len;
	}
	return err;
}

/* Drops levels that ITEM is not below. */
static errcode_t go_up_to(struct bfo_extract *s, const struct bfo_item *item)
{
	struct bfo_extract_look *l = s->look;
	errcode_t err = 0;

	while (!err && l->levels.n > 1 &&
	       (l->at.n >= item->path_len || item->path[l->at.n] != '/' ||
		memcmp(l->at.v, item->path, l->at.n)))
		err = drop_level(s);
	return err;
}

static errcode_t begin(struct bfo_extract *s)
{
	errcode_t err;

	s->look = calloc(1, sizeof(*s->look));
	if (!s->look)
		return ENOMEM;
	bfo_dirs_init(&s->look->dirs, s->root);
	err = bfo_folded_init(&s->look->folded, EXT4_ENC_UTF8_12_1);	/* there is no other */
	return err || s->root < 0 ? err : add_level(s->look, "", 0);
}

/* ---- items ---- */

static errcode_t add_clash(struct bfo_extract *s, enum bfo_clash_kind kind,
			   const struct bfo_item *item)
{
	return bfo_extract_clash_add(&s->look->clashes, kind, item->path, item->path_len);
}

/* A name is to be made in the last directory, or to be replaced there. */
static errcode_t judge_dir(struct bfo_extract *s, int at)
{
	struct bfo_extract_look *l = s->look;
	struct level *level = &l->levels.v[l->levels.n - 1];
	enum bfo_clash_kind kind;

	if (level->is_judged)
		return 0;
	level->is_judged = 1;
	kind = bfo_extract_judge_dir(at, &level->st);
	if (kind == BFO_CLASH_KINDS)
		return 0;
	level->is_closed = 1;
	return bfo_extract_clash_add(&l->clashes, kind, l->at.v, l->at.n);
}

/* ITEM, a directory, exists as one. */
static errcode_t enter(struct bfo_extract *s, const struct bfo_item *item)
{
	const char *name = item->path + bfo_extract_base(item->path, item->path_len);
	errcode_t err = bfo_dirs_enter(&s->look->dirs, name, strlen(name));

	if (err == EXDEV)
		return add_clash(s, BFO_CLASH_MOUNT, item);
	s->look->seen.directories += !err;
	return err ? err : add_level(s->look, item->path, item->path_len);
}

/* ITEM, no directory, is to take the place of OLD, which is none either. */
static errcode_t replace(struct bfo_extract *s, const struct bfo_item *item, int at,
			 const struct statx *old)
{
	struct bfo_extract_look *l = s->look;
	errcode_t err = judge_dir(s, at);
	const struct level *level = &l->levels.v[l->levels.n - 1];
	enum bfo_clash_kind kind = bfo_extract_judge_file(&level->st, old);

	if (err || level->is_closed)
		return err;
	if (kind != BFO_CLASH_KINDS)
		return add_clash(s, kind, item);
	l->seen.replaced++;
	if (old->stx_nlink == 1) {
		l->seen.freed++;
		l->seen.freed_bytes += old->stx_blocks * 512;
	}
	return 0;
}

static int is_source(const struct bfo_extract *s, const struct statx *old)
{
	return s->opt.source_ino == old->stx_ino &&
	       s->opt.source_dev == makedev(old->stx_dev_major, old->stx_dev_minor);
}

/* ITEM has the name of something that exists, OLD. */
static errcode_t judge_old(struct bfo_extract *s, const struct bfo_item *item, int at,
			   const struct statx *old, enum bfo_look *what)
{
	int is_dir = S_ISDIR(item->attrs.mode), was_dir = S_ISDIR(old->stx_mode);
	enum bfo_over over = s->opt.over;
	struct timespec was = { old->stx_mtime.tv_sec, old->stx_mtime.tv_nsec };
	struct timespec is = bfo_attrs_time(&item->attrs, BFO_MTIME);

	if (!is_dir && !was_dir && bfo_over_stays(over, &is, &was)) {
		*what = BFO_LOOK_SKIP;
		return 0;
	}
	if (old->stx_attributes & STATX_ATTR_MOUNT_ROOT)
		return add_clash(s, BFO_CLASH_MOUNT, item);
	if (is_source(s, old))
		return add_clash(s, BFO_CLASH_SOURCE, item);
	if (is_dir && was_dir)
		return enter(s, item);
	if (is_dir || was_dir)
		return add_clash(s, is_dir ? BFO_CLASH_NO_DIRECTORY : BFO_CLASH_DIRECTORY, item);
	if (over == BFO_OVER_CLASH)
		return add_clash(s, BFO_CLASH_EXISTS, item);
	return replace(s, item, at, old);
}

static errcode_t look_at(struct bfo_extract *s, const struct bfo_item *item, enum bfo_look *what)
{
	struct bfo_extract_look *l = s->look;
	size_t base = bfo_extract_base(item->path, item->path_len);
	struct statx old;
	errcode_t err;
	int at;

	err = go_up_to(s, item);
	if (err || !l->levels.n || l->at.n != (base ? base - 1 : 0))
		return err;		/* its directory is new */
	err = bfo_dirs_fd(&l->dirs, &at);
	if (!err && l->levels.v[l->levels.n - 1].is_folded)
		err = bfo_folded_add(&l->folded, item->path + base, item->path_len - base, 0);
	if (err)
		return err;
	if (!statx(at, item->path + base, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
		   STATX_BASIC_STATS, &old))
		return judge_old(s, item, at, &old, what);
	return errno == ENOENT || errno == EACCES ? judge_dir(s, at) : errno;
}

errcode_t bfo_extract_look_item(struct bfo_extract *s, const struct bfo_item *item,
				enum bfo_look *what)
{
	errcode_t err = bfo_extract_check(s, item);

	*what = BFO_LOOK_TAKE;
	if (err)
		return err;
	err = s->look ? 0 : begin(s);
	if (!err && item->path_len)
		err = look_at(s, item, what);
	return err ? bfo_extract_fail(s, err, "looking for", item->path, item->path_len) : 0;
}

const struct bfo_extract_clash *bfo_extract_clashes(const struct bfo_outlet *outlet, size_t *n)
{
	static const struct bfo_extract_clash none;
	struct bfo_extract *s = outlet->priv;
	struct bfo_extract_look *l = s->look;
	errcode_t err = 0;

	*n = 0;
	if (!l)
		return &none;
	while (l->levels.n && !err)
		err = drop_level(s);
	return err ? NULL : bfo_extract_clash_list(&l->clashes, n);
}

struct bfo_extract_seen bfo_extract_seen(const struct bfo_extract *s)
{
	return s->look ? s->look->seen : (struct bfo_extract_seen) { .replaced = 0 };
}
