// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dir_walk.c - the names of a mounted directory, level by level
 *
 *   level of names ── sorted by inode number ── each opened, asked, added to the tree
 *        ^                                                      |
 *        '────────── names of the directories among them <──────'
 *
 * Inode numbers are where inodes lie: all of a level are read in that order, whatever directory
 * their names stand in.  A directory's names are read while it is open anyway.
 *
 * Nothing is believed of a name but that it was there: types are those of what was opened.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <linux/fscrypt.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "intake/dir_state.h"

#define TRIES 4			/* how often something may become something else while we look */
#define REPORT_EVERY 512U

/* A name of a level.  The first words are the sort key (base/sort.h). */
struct entry {
	uint32_t ino_hi, ino_lo;
	bfo_row dir;
	uint32_t at_hi, at_lo;	/* place of the name, which ends with a zero, in the level's text */
	uint32_t type;		/* of mode bits; 0: unknown */
};

#define ENTRY_KEYS 5

struct level {
	BFO_VEC(struct entry) entries;
	bfo_chars text;
};

struct walk {
	struct bfo_dir *d;
	struct level now, next;
	uint64_t done;
};

static uint32_t ino_of(const struct bfo_dir *d, bfo_row row)
{
	return d->in.tree->inodes.v[row].ino;
}

errcode_t bfo_dir_changed(struct bfo_dir *d, bfo_row row)
{
	if (d->inodes.v[row].is_changed)
		return 0;
	d->inodes.v[row].is_changed = 1;
	return bfo_tree_found(d->in.tree, BFO_FOUND_CHANGED, ino_of(d, row), 0);
}

/* ---- names ---- */

static errcode_t add_entry(struct walk *w, bfo_row dir, const struct dirent64 *e)
{
	size_t len = strlen(e->d_name), at = w->next.text.n;
	struct entry entry = { .ino_hi = (uint64_t) e->d_ino >> 32, .ino_lo = e->d_ino, .dir = dir,
			       .at_hi = (uint64_t) at >> 32, .at_lo = at,
			       .type = DTTOIF(e->d_type) };
	errcode_t err;

	if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
		return 0;
	if (!len || len >= BFO_DIR_NAME_BYTES)
		return bfo_tree_found_name(w->d->in.tree, BFO_FOUND_NAME, ino_of(w->d, dir), 0, 0,
					   e->d_name, len < UINT8_MAX ? len : UINT8_MAX);
	err = bfo_vec_reserve(&w->next.text, len + 1);
	if (err)
		return err;
	memcpy(w->next.text.v + at, e->d_name, len + 1);
	w->next.text.n += len + 1;
	return bfo_vec_push(&w->next.entries, entry);
}

/* The names of directory ROW, open as FD, into the next level. */
static errcode_t read_names(struct walk *w, bfo_row row, int fd)
{
	errcode_t err = 0;
	ssize_t len, at;

	while (!err) {
		len = getdents64(fd, w->d->buffer, BFO_DIR_BUFFER);
		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return bfo_tree_found(w->d->in.tree, BFO_UNREAD_DIR, ino_of(w->d, row), 0);
		if (!len)
			break;
		for (at = 0; at < len && !err;) {
			const struct dirent64 *e = (const void *) (w->d->buffer + at);

			err = add_entry(w, row, e);
			at += e->d_reclen;
		}
	}
	return err;
}

/*
 * True if FD, an encrypted directory, has names that mean nothing, as its key is missing.  (Old
 * policies may have it where nobody can ask; then it is as good as missing.)
 */
static int is_locked(int fd)
{
	struct fscrypt_get_policy_ex_arg policy = { .policy_size = sizeof(policy.policy) };
	struct fscrypt_get_key_status_arg key = { 0 };

	if (ioctl(fd, FS_IOC_GET_ENCRYPTION_POLICY_EX, &policy))
		return 0;
	if (policy.policy.version == FSCRYPT_POLICY_V2) {
		key.key_spec.type = FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER;
		memcpy(key.key_spec.u.identifier, policy.policy.v2.master_key_identifier,
		       sizeof(policy.policy.v2.master_key_identifier));
	} else {
		key.key_spec.type = FSCRYPT_KEY_SPEC_TYPE_DESCRIPTOR;
		memcpy(key.key_spec.u.descriptor, policy.policy.v1.master_key_descriptor,
		       sizeof(policy.policy.v1.master_key_descriptor));
	}
	return !ioctl(fd, FS_IOC_GET_ENCRYPTION_KEY_STATUS, &key) &&
	       key.status == FSCRYPT_KEY_STATUS_ABSENT;
}

static int is_mount(const struct bfo_dir *d, const struct statx *st)
{
	const struct bfo_dir_device *root = &d->devices.v[0];

	if (st->stx_mask & STATX_MNT_ID)
		return st->stx_mnt_id != d->mount;
	return st->stx_dev_major != root->major || st->stx_dev_minor != root->minor;
}

/* What is in directory ROW, as found. */
static errcode_t enter(struct walk *w, bfo_row row, const struct bfo_dir_found *f)
{
	if (f->error)
		return 0;
	if (row && !w->d->opt.cross_mounts && is_mount(w->d, &f->st)) {
		w->d->notes.mounts++;
		return 0;
	}
	if (f->st.stx_attributes & STATX_ATTR_ENCRYPTED && is_locked(f->fd))
		return bfo_tree_found(w->d->in.tree, BFO_UNREAD_LOCKED, ino_of(w->d, row), 0);
	return read_names(w, row, f->fd);
}

/* ---- hard links ---- */

static size_t link_slot(const struct bfo_dir *d, uint64_t ino, uint32_t device)
{
	size_t i = (ino + device) * 0x9e3779b97f4a7c15ULL >> 20 & (d->links_size - 1);

	while (d->links[i] && (d->inodes.v[d->links[i] - 1].ino != ino ||
			       d->inodes.v[d->links[i] - 1].device != device))
		i = (i + 1) & (d->links_size - 1);
	return i;
}

static errcode_t grow_links(struct bfo_dir *d)
{
	size_t i, size = d->links_size, more = size ? 2 * size : 64;
	uint32_t *old = d->links, *links = calloc(more, sizeof(*links));

	if (!links)
		return ENOMEM;
	d->links = links;
	d->links_size = more;
	for (i = 0; i < size; i++)
		if (old[i])
			links[link_slot(d, d->inodes.v[old[i] - 1].ino,
					d->inodes.v[old[i] - 1].device)] = old[i];
	free(old);
	return 0;
}

/* The row of what was found, if another name has led there; or BFO_NONE. */
static bfo_row find_link(const struct bfo_dir *d, const struct bfo_dir_found *f)
{
	if (S_ISDIR(f->st.stx_mode) || f->st.stx_nlink < 2 || !d->links_n)
		return BFO_NONE;
	return d->links[link_slot(d, f->st.stx_ino, f->device)] - 1;
}

static errcode_t add_link(struct bfo_dir *d, const struct bfo_dir_found *f, bfo_row row)
{
	errcode_t err = 0;

	if (S_ISDIR(f->st.stx_mode) || f->st.stx_nlink < 2)
		return 0;
	if (2 * (d->links_n + 1) > d->links_size)
		err = grow_links(d);
	if (err)
		return err;
	d->links[link_slot(d, f->st.stx_ino, f->device)] = row + 1;
	d->links_n++;
	return 0;
}

/* ---- one name ---- */

static int is_read(mode_t type)
{
	return S_ISREG(type) || S_ISDIR(type);
}

/* These are of the process, not of the file. */
static int is_ours(errcode_t err)
{
	return err == ENOMEM || err == EMFILE || err == ENFILE || err == BFO_ET_OVERFLOW;
}

/*
 * Opens NAME in PARENT as something of TYPE, for reading if it is read and may be; else to look at
 * it.
 */
static errcode_t open_as(struct bfo_dir *d, int parent, const char *name, mode_t type,
			 struct bfo_dir_found *f)
{
	errcode_t err;

	f->error = f->is_touched = 0;
	if (is_read(type)) {
		err = bfo_dir_open_at(d, parent, name, O_RDONLY | (S_ISDIR(type) ? O_DIRECTORY : 0),
				      &f->fd, &f->is_touched);
		if (!err || err == ENOENT || is_ours(err))
			return err;
		f->error = err;
	}
	return bfo_dir_open_at(d, parent, name, O_PATH, &f->fd, &f->is_touched);
}

/* Opens NAME, of TYPE as its directory says; ENOENT if it went away, or did not keep still. */
static errcode_t look_at(struct bfo_dir *d, int parent, const char *name, mode_t type,
			 struct bfo_dir_found *f)
{
	errcode_t err;
	int i;

	for (i = 0; i < TRIES; i++) {
		err = open_as(d, parent, name, type, f);
		if (err)
			return err;
		if (statx(f->fd, "", AT_EMPTY_PATH, BFO_DIR_STATX, &f->st)) {
			err = errno;
			close(f->fd);
			return err;
		}
		if ((f->st.stx_mode & S_IFMT) == type)
			return 0;
		close(f->fd);
		type = f->st.stx_mode & S_IFMT;
	}
	return ENOENT;
}

/* What keeps F from being an inode of ext4; BFO_FOUND_KINDS: nothing. */
static enum bfo_finding_kind obstacle(const struct bfo_dir *d, const struct bfo_dir_found *f,
				      const char *target)
{
	uint64_t size = f->st.stx_size;

	if (!bfo_dirent_type(f->st.stx_mode))
		return BFO_FOUND_INODE_MODE;
	if (S_ISREG(f->st.stx_mode) && !f->error &&
	    size > (uint64_t) UINT32_MAX * d->in.source.block_size)
		return BFO_LOST_SIZE;
	if (S_ISLNK(f->st.stx_mode) && f->error)
		return BFO_UNREAD_SYMLINK;
	if (S_ISLNK(f->st.stx_mode) && (!size || size >= PATH_MAX || memchr(target, 0, size)))
		return BFO_FOUND_SYMLINK;
	return BFO_FOUND_KINDS;
}

/* Where the symbolic link leads; that says how long it is. */
static void read_link(struct bfo_dir_found *f, char target[PATH_MAX])
{
	ssize_t len = readlinkat(f->fd, "", target, PATH_MAX);

	f->error = len < 0 ? errno : 0;
	f->st.stx_size = len < 0 ? 0 : len;
}

static errcode_t name_it(struct bfo_dir *d, bfo_row dir, bfo_row row, const char *name)
{
	size_t len = strlen(name);
	errcode_t err = bfo_intake_name(&d->in, dir, row, name, len);

	if (err || d->inodes.v[row].name)
		return err;
	d->inodes.v[row].name = (d->in.tree->text.n - len) << 8 | len;
	d->inodes.v[row].parent = dir;
	return 0;
}

/* What was found under NAME in directory DIR, whose descriptor is PARENT, into the tree. */
static errcode_t add_found(struct walk *w, struct bfo_dir_found *f, bfo_row dir, int parent,
			   const char *name)
{
	struct bfo_dir *d = w->d;
	enum bfo_finding_kind kind;
	char target[PATH_MAX];
	bfo_row row;
	errcode_t err;

	if (S_ISLNK(f->st.stx_mode))
		read_link(f, target);
	kind = obstacle(d, f, target);
	if (kind != BFO_FOUND_KINDS)
		return bfo_tree_found_name(d->in.tree, kind, ino_of(d, dir), 0, 0, name,
					   strlen(name));
	row = find_link(d, f);
	if (row != BFO_NONE)
		return name_it(d, dir, row, name);
	err = bfo_dir_inode(d, f, parent, name, &row);
	if (!err)
		err = add_link(d, f, row);
	if (!err && S_ISLNK(f->st.stx_mode))
		err = bfo_intake_content(&d->in, target, f->st.stx_size);
	if (!err && S_ISREG(f->st.stx_mode) && !f->error)
		err = bfo_dir_map(d, f, row);
	if (!err)
		err = name_it(d, dir, row, name);
	if (!err && S_ISDIR(f->st.stx_mode)) {
		err = enter(w, row, f);
		bfo_dir_fd_keep(d, row, f->fd);
		f->fd = -1;
	}
	return err;
}

static int is_skipped(const struct bfo_dir *d, const struct statx *st)
{
	return d->opt.skip_ino && st->stx_ino == d->opt.skip_ino &&
	       makedev(st->stx_dev_major, st->stx_dev_minor) == d->opt.skip_dev;
}

static errcode_t take_entry(struct walk *w, const struct entry *e)
{
	const char *name = w->now.text.v + ((uint64_t) e->at_hi << 32 | e->at_lo);
	struct bfo_dir_found f = { .fd = -1 };
	struct bfo_dir *d = w->d;
	errcode_t err;
	int parent;

	err = bfo_dir_fd(d, e->dir, &parent);
	if (err)
		return is_ours(err) ? err : bfo_dir_changed(d, e->dir);
	err = look_at(d, parent, name, e->type, &f);
	if (err && !is_ours(err))
		return bfo_tree_found_name(d->in.tree, err == ENOENT ? BFO_FOUND_CHANGED :
					   BFO_UNREAD_INODE, ino_of(d, e->dir), 0, 0, name,
					   strlen(name));
	if (!err && is_skipped(d, &f.st))
		d->notes.skipped++;
	else if (!err)
		err = bfo_dir_device(d, &f.st, f.fd, &f.device);
	if (!err && !is_skipped(d, &f.st))
		err = add_found(w, &f, e->dir, parent, name);
	if (f.fd >= 0)
		close(f.fd);
	return err;
}

/* ---- levels ---- */

static errcode_t take_level(struct walk *w)
{
	struct bfo_context *ctx = w->d->in.source.ctx;
	errcode_t err = 0;
	size_t i;

	bfo_sort(w->now.entries.v, w->now.entries.n, sizeof(*w->now.entries.v), ENTRY_KEYS);
	for (i = 0; i < w->now.entries.n && !err; i++) {
		err = take_entry(w, &w->now.entries.v[i]);
		if (!(w->done++ % REPORT_EVERY))
			bfo_progress_report(ctx, BFO_STAGE_INODES, w->done, 0, 0);
		if (!err && bfo_cancelled(ctx))
			err = bfo_fail(ctx, BFO_ET_CANCELLED, "reading %s", w->d->path);
	}
	return err;
}

static errcode_t take_root(struct walk *w)
{
	struct bfo_dir_found f = { .fd = w->d->root };
	errcode_t err;
	bfo_row row;

	if (statx(f.fd, "", AT_EMPTY_PATH, BFO_DIR_STATX, &f.st))
		return errno;
	w->d->mount = f.st.stx_mnt_id;
	err = bfo_dir_device(w->d, &f.st, f.fd, &f.device);
	if (!err)
		err = bfo_dir_inode(w->d, &f, w->d->root, "", &row);
	return err ? err : enter(w, row, &f);
}

errcode_t bfo_dir_walk(struct bfo_dir *d)
{
	struct walk w = { .d = d };
	errcode_t err = take_root(&w);

	while (!err && w.next.entries.n) {
		struct level done = w.now;

		w.now = w.next;
		w.next = done;
		w.next.entries.n = w.next.text.n = 0;
		err = take_level(&w);
	}
	bfo_vec_free(&w.now.entries);
	bfo_vec_free(&w.now.text);
	bfo_vec_free(&w.next.entries);
	bfo_vec_free(&w.next.text);
	return err;
}
