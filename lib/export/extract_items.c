// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extract_items.c - items: where they go, in which order
 *
 *   DIR ── exists ── exists ── .e2bfo-XXXXXX ── a ── b
 *                              a top: new       ours: made under their own names
 *
 * Items come in tree order, so one stack of directories (dirs.h) leads from DIR to the place of the
 * next.  Each thing is made by the descriptor of its directory.  A regular file gets its attributes
 * when its data are there, a directory when all that is below it is.
 *
 * Nobody else can write to what is ours: it has mode 0700 or 0600 until it is complete.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <linux/fs.h>

#include "base/bfo_err.h"
#include "export/extract_state.h"

/* ---- down and up ---- */

/* Whether what is renamed into directory AT, which exists, has to have its project. */
static int keeps_project(int at)
{
	struct fsxattr fsx = { 0 };
	int fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), is_kept;

	is_kept = fd >= 0 && !ioctl(fd, FS_IOC_FSGETXATTR, &fsx) &&
		  fsx.fsx_xflags & FS_XFLAG_PROJINHERIT;
	if (fd >= 0)
		close(fd);
	return is_kept;
}

static struct bfo_extract_level *here(struct bfo_extract *s)
{
	return &s->levels.v[s->levels.n - 1];
}

/* Goes down to ITEM, which is called NAME where it lies; LEVEL lacks its path. */
static errcode_t go_down(struct bfo_extract *s, const struct bfo_item *item, const char *name,
			 struct bfo_extract_level level)
{
	errcode_t err = bfo_dirs_enter(&s->dirs, name, strlen(name));
	int at;

	if (!err)
		err = bfo_dirs_fd(&s->dirs, &at);
	if (!err && !level.is_ours)
		level.keeps_project = keeps_project(at);
	level.path_len = item->path_len;
	if (!err)
		err = bfo_vec_push(&s->levels, level);
	s->at.n = 0;
	if (!err)
		err = bfo_vec_reserve(&s->at, item->path_len + 1);
	if (err)
		return bfo_extract_fail(s, err, "going to", item->path, item->path_len);
	memcpy(s->at.v, item->path, item->path_len);
	s->at.n = item->path_len;
	return 0;
}

static void go_up(struct bfo_extract *s)
{
	bfo_dirs_leave(&s->dirs);
	s->levels.n--;
	s->at.n = here(s)->path_len;
}

/* ITEM lies where S is. */
static errcode_t check_place(struct bfo_extract *s, const struct bfo_item *item)
{
	size_t base = bfo_extract_base(item->path, item->path_len);

	if (s->levels.n && s->fd < 0 && (base ? base - 1 : 0) == s->at.n &&
	    (!base || !memcmp(item->path, s->at.v, s->at.n)))
		return 0;
	return bfo_extract_fail(s, BFO_ET_DAMAGED, "placing", item->path, item->path_len);
}

/* ---- the directory itself ---- */

static errcode_t begin_in(struct bfo_extract *s, int is_ours)
{
	bfo_dirs_init(&s->dirs, s->root);
	bfo_dirs_init(&s->other, s->root);
	return bfo_vec_push(&s->levels, (struct bfo_extract_level) {
		.is_ours = is_ours, .is_top = is_ours,
		.keeps_project = !is_ours && keeps_project(s->root) });
}

static errcode_t root_item(struct bfo_extract *s, const struct bfo_item *item)
{
	int fd = -1, ret;
	uint32_t seed;
	errcode_t err;

	if (s->levels.n || !S_ISDIR(item->attrs.mode))
		return bfo_extract_fail(s, BFO_ET_DAMAGED, "placing", "", 0);
	if (s->root >= 0) {
		s->made.merged++;
		return begin_in(s, 0);
	}
	ret = bfo_extract_seed(s->above, &seed);
	if (!ret)
		ret = bfo_extract_make_hidden(s->above, seed, s->hidden, item, NULL, &fd);
	if (ret)
		return bfo_fail(s->outlet.ctx, ret, "making %s", s->path);
	s->root = bfo_dirs_open(s->above, s->hidden, O_PATH | O_DIRECTORY);
	if (s->root < 0)
		return bfo_fail(s->outlet.ctx, errno, "making %s", s->path);
	bfo_item_count(&s->made.items, item);
	bfo_extract_attrs_begin(s->root, &item->attrs);
	err = bfo_extract_note_common(s, item);
	return err ? err : begin_in(s, 1);
}

/* ---- items ---- */

/* What has ITEM's name, if its directory exists: *OLD, with mask 0 if nothing has. */
static errcode_t find_old(struct bfo_extract *s, const struct bfo_item *item, int at,
			  const char *name, struct statx *old)
{
	errcode_t err = 0;

	memset(old, 0, sizeof(*old));
	if (here(s)->is_ours)
		return 0;
	if (statx(at, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_BASIC_STATS, old)) {
		memset(old, 0, sizeof(*old));
		err = errno == ENOENT ? 0 : errno;
	} else if (old->stx_attributes & STATX_ATTR_MOUNT_ROOT) {
		err = EXDEV;
	} else if (S_ISDIR(old->stx_mode) ? !S_ISDIR(item->attrs.mode) :
		   S_ISDIR(item->attrs.mode) || s->opt.over == BFO_OVER_CLASH ||
		   s->opt.over == BFO_OVER_SKIP) {
		err = BFO_ET_CLASH;
	}
	return err ? bfo_extract_fail(s, err, "extracting", item->path, item->path_len) : 0;
}

/* The filesystem does not take ITEM: it is left out, and noted; anything else is returned. */
static errcode_t note_missing(struct bfo_extract *s, const struct bfo_item *item, int ret)
{
	uint16_t mode = item->attrs.mode;
	int is_refused = ret == EPERM || ret == EOPNOTSUPP || ret == EINVAL;
	enum bfo_extract_kind kind;

	if (ret == EEXIST) {
		bfo_extract_fail(s, ret, "making", item->path, item->path_len);
		return bfo_fail_add(s->outlet.ctx, BFO_ET_CLASH, BFO_EXTRACT_FOLDED);
	}
	if (item->first && (is_refused || ret == EMLINK || ret == EXDEV))
		kind = BFO_NOTE_LINK;
	else if (item->first || !is_refused || S_ISREG(mode) || S_ISDIR(mode))
		return bfo_extract_fail(s, ret, "making", item->path, item->path_len);
	else if (S_ISLNK(mode))
		kind = BFO_NOTE_SYMLINK;
	else
		kind = S_ISCHR(mode) || S_ISBLK(mode) ? BFO_NOTE_DEVICE : BFO_NOTE_SPECIAL;
	return bfo_extract_note(s, kind, item->path, item->path_len);
}

struct made {
	int at, fd;			/* its directory; of a regular file, for writing */
	const char *name;		/* as it is called there */
	int is_top;
};

/*
 * Makes ITEM where S is: MADE; without a name if the filesystem does not take it.  A directory that
 * exists is not made, and is no top.
 */
static errcode_t make(struct bfo_extract *s, const struct bfo_item *item,
		      const struct bfo_extract_source *from, struct made *made)
{
	const char *name = item->path + bfo_extract_base(item->path, item->path_len);
	struct statx old;
	errcode_t err;
	int ret = 0;

	*made = (struct made) { .fd = -1, .name = name };
	err = bfo_dirs_fd(&s->dirs, &made->at);
	if (err)
		return bfo_extract_fail(s, err, "going to", item->path, item->path_len);
	err = find_old(s, item, made->at, name, &old);
	s->made.merged += !err && S_ISDIR(old.stx_mode);
	if (err || S_ISDIR(old.stx_mode))
		return err;
	made->is_top = !here(s)->is_ours;
	if (made->is_top) {
		struct bfo_extract_top *top;

		err = bfo_extract_top_begin(s, item->path, item->path_len, &old);
		if (err)
			return bfo_extract_fail(s, err, "making", item->path, item->path_len);
		top = &s->tops.v[s->tops.n - 1];
		made->name = top->hidden;
		ret = bfo_extract_make_hidden(made->at, top->seed, top->hidden, item, from,
					      &made->fd);
	} else {
		ret = bfo_extract_make(made->at, name, item, from, &made->fd);
	}
	if (!ret) {
		bfo_item_count(&s->made.items, item);
		s->made.replaced += !!old.stx_mask;
		return 0;
	}
	if (made->is_top)
		bfo_extract_top_forget(s);
	made->name = NULL;
	return note_missing(s, item, ret);
}

static errcode_t directory(struct bfo_extract *s, const struct bfo_item *item)
{
	struct bfo_extract_level level = { .is_ours = here(s)->is_ours };
	char hidden[BFO_EXTRACT_HIDDEN];
	struct made made;
	errcode_t err;
	int at;

	err = make(s, item, NULL, &made);
	if (err)
		return err;
	level.is_top = made.is_top;
	level.is_ours |= made.is_top;
	if (made.is_top)		/* its entry may move */
		made.name = strcpy(hidden, made.name);
	err = go_down(s, item, made.name, level);
	if (err || !level.is_ours)
		return err;
	err = bfo_dirs_fd(&s->dirs, &at);
	if (err)
		return err;
	bfo_extract_attrs_begin(at, &item->attrs);
	return bfo_extract_note_common(s, item);
}

/* Attributes of what is neither a directory nor has data. */
static errcode_t finish_special(struct bfo_extract *s, const struct bfo_item *item,
				const struct made *made)
{
	struct bfo_extract_subject to = { .path = item->path, .path_len = item->path_len,
					  .inherits = made->is_top };
	struct stat st;
	errcode_t err;

	to.fd = bfo_dirs_open(made->at, made->name, O_PATH);
	if (to.fd < 0)
		return errno;
	if (fstat(to.fd, &st) || (st.st_mode ^ item->attrs.mode) & S_IFMT || st.st_nlink != 1)
		err = BFO_ET_CHANGED;
	else
		err = bfo_extract_attrs(s, &to, &item->attrs, &item->xattrs);
	close(to.fd);
	return err;
}

static int is_target(const struct bfo_item *item)
{
	return item->target && item->target_len && strlen(item->target) == item->target_len;
}

static errcode_t other_item(struct bfo_extract *s, const struct bfo_item *item)
{
	struct made made;
	errcode_t err;

	if (S_ISLNK(item->attrs.mode) && !is_target(item))
		return bfo_extract_fail(s, BFO_ET_DAMAGED, "linking", item->path, item->path_len);
	err = make(s, item, NULL, &made);
	s->fd = made.fd;
	if (!err && item->names > 1)
		err = bfo_extract_shared_add(s, item, made.at, made.name);
	if (err || !made.name)
		return err;
	err = bfo_extract_note_common(s, item);
	if (!err && S_ISREG(item->attrs.mode))
		return bfo_extract_file_begin(s, item, made.is_top);
	if (err)
		return err;
	err = finish_special(s, item, &made);
	if (err)
		return bfo_extract_fail(s, err, "setting attributes of", item->path,
					item->path_len);
	return made.is_top ? bfo_extract_top_end(s) : 0;
}

/* What was linked has to be the file that was made. */
static errcode_t check_link(const struct bfo_extract_shared *f, const struct made *made)
{
	struct stat st;

	if (fstatat(made->at, made->name, &st, AT_SYMLINK_NOFOLLOW))
		return errno;
	if (st.st_dev == f->dev && st.st_ino == f->ino)
		return 0;
	unlinkat(made->at, made->name, 0);
	return BFO_ET_CHANGED;
}

static errcode_t link_item(struct bfo_extract *s, const struct bfo_item *item)
{
	struct bfo_extract_shared *f = bfo_extract_shared_find(s, item->row);
	struct bfo_extract_source from;
	struct made made;
	errcode_t err;

	if (!f)
		return bfo_extract_fail(s, BFO_ET_DAMAGED, "linking", item->path, item->path_len);
	if (f->is_missing)
		return bfo_extract_note(s, BFO_NOTE_LINK, item->path, item->path_len);
	err = bfo_extract_shared_place(s, f, &from);
	if (err)
		return bfo_extract_fail(s, err, "linking to", item->first, item->first_len);
	err = make(s, item, &from, &made);
	if (err || !made.name)
		return err;
	err = check_link(f, &made);
	if (err)
		return bfo_extract_fail(s, err, "linking to", item->first, item->first_len);
	return made.is_top ? bfo_extract_top_end(s) : 0;
}

/* ---- what the outlet calls ---- */

errcode_t bfo_extract_item(struct bfo_extract *s, const struct bfo_item *item)
{
	errcode_t err = bfo_extract_check(s, item);

	if (!err && item->path_len)
		err = check_place(s, item);
	if (!err && s->metadata)
		err = bfo_metadata_put(s->outlet.ctx, s->metadata, item);
	if (err)
		return err;
	if (!item->path_len)
		return root_item(s, item);
	if (s->opt.no_devices && (S_ISCHR(item->attrs.mode) || S_ISBLK(item->attrs.mode)))
		return bfo_extract_note(s, BFO_LEFT_DEVICE, item->path, item->path_len);
	if (item->first)
		return link_item(s, item);
	return S_ISDIR(item->attrs.mode) ? directory(s, item) : other_item(s, item);
}

static errcode_t leave_ours(struct bfo_extract *s, const struct bfo_item *item)
{
	const struct bfo_extract_level *above = s->levels.n > 1 ? here(s) - 1 : NULL;
	int is_top = here(s)->is_top;
	struct bfo_extract_subject to = {
		.path = item->path, .path_len = item->path_len, .is_open = 1,
		.inherits = is_top, .is_late = is_top,
		.is_project_late = is_top && above && above->keeps_project };
	struct bfo_attrs attrs = item->attrs;
	errcode_t err;
	int at;

	if (item->is_made) {		/* whoever makes it has it */
		attrs.uid = geteuid();
		attrs.gid = getegid();
	}
	err = bfo_dirs_fd(&s->dirs, &at);
	if (err)
		return err;
	to.fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (to.fd < 0)
		return errno;
	err = bfo_extract_attrs(s, &to, &attrs, &item->xattrs);
	close(to.fd);
	return err;
}

errcode_t bfo_extract_leave(struct bfo_extract *s, const struct bfo_item *item)
{
	int is_top, is_root = !item->path_len;
	errcode_t err = 0;

	if (!s->levels.n || s->fd >= 0 || item->path_len != s->at.n ||
	    (s->at.n && memcmp(item->path, s->at.v, s->at.n)) ||
	    (is_root && s->levels.n != 1))
		return bfo_extract_fail(s, BFO_ET_DAMAGED, "leaving", item->path, item->path_len);
	is_top = here(s)->is_top;
	if (here(s)->is_ours)
		err = leave_ours(s, item);
	if (err)
		return bfo_extract_fail(s, err, "setting attributes of", item->path,
					item->path_len);
	if (is_root)
		return 0;
	go_up(s);
	return is_top ? bfo_extract_top_end(s) : 0;
}
