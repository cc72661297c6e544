// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extract_look.c - clashes, before anything is written
 *
 * A stack of directories that exist follows the items.  Below one that does not exist nothing is to
 * be looked at.
 *
 * In a casefolded directory two items may be one name.  Names of each such directory on the stack
 * are kept with their hashes, those of the deepest at the end; when it is left, they are sorted.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <ext2fs/ext2fs.h>
#include <linux/fs.h>

#include "base/bfo_err.h"
#include "base/sort.h"
#include "export/extract_state.h"

/* For bfo_sort(): by hashes. */
struct folded {
	uint32_t hash, minor;
	struct bfo_extract_text name;	/* in folded_text */
};

_Static_assert(sizeof(struct folded) % 8 == 0, "as bfo_sort() wants it");

struct level {
	size_t path_len;
	int is_folded;
	size_t folded, folded_text;	/* where its names begin */
};

struct bfo_extract_look {
	struct bfo_dirs dirs;
	BFO_VEC(struct level) levels;	/* that of the root, and those of `dirs` */
	bfo_chars at;			/* the path of the last */
	BFO_VEC(struct folded) folded;
	bfo_chars folded_text;
	BFO_VEC(size_t) clashes;	/* where paths begin in clash_text */
	bfo_chars clash_text;
	const char **list;
};

void bfo_extract_look_free(struct bfo_extract_look *l)
{
	if (!l)
		return;
	bfo_dirs_free(&l->dirs);
	bfo_vec_free(&l->levels);
	bfo_vec_free(&l->at);
	bfo_vec_free(&l->folded);
	bfo_vec_free(&l->folded_text);
	bfo_vec_free(&l->clashes);
	bfo_vec_free(&l->clash_text);
	free(l->list);
	free(l);
}

static errcode_t add_clash(struct bfo_extract_look *l, const char *path, size_t len)
{
	struct bfo_extract_text place;
	errcode_t err = bfo_extract_keep(&l->clash_text, path, len, &place);

	return err ? err : bfo_vec_push(&l->clashes, place.at);
}

/* ---- casefolded directories ---- */

/* All that casefold have this encoding. */
static const struct ext2fs_nls_table *table(void)
{
	return ext2fs_load_nls_table(EXT4_ENC_UTF8_12_1);
}

static errcode_t keep_folded(struct bfo_extract_look *l, const char *name, size_t len)
{
	struct folded f = { 0 };
	errcode_t err;

	if (ext2fs_dirhash2(EXT2_HASH_HALF_MD4, name, len, table(), EXT4_CASEFOLD_FL, NULL,
			    &f.hash, &f.minor))
		return 0;		/* no UTF-8: it is not folded */
	err = bfo_extract_keep(&l->folded_text, name, len, &f.name);
	return err ? err : bfo_vec_push(&l->folded, f);
}

static int is_same(const struct bfo_extract_look *l, const struct folded *a, const struct folded *b)
{
	return a->hash == b->hash && a->minor == b->minor &&
	       !ext2fs_casefold_cmp(table(),
				    (const unsigned char *) l->folded_text.v + a->name.at,
				    a->name.len,
				    (const unsigned char *) l->folded_text.v + b->name.at,
				    b->name.len);
}

/* The clash that NAME in the directory that S->look is in is. */
static errcode_t add_folded(struct bfo_extract *s, const struct bfo_extract_text *name)
{
	struct bfo_extract_look *l = s->look;
	errcode_t err;

	err = bfo_vec_reserve(&s->walk, l->at.n + name->len + 1);
	if (err)
		return err;
	s->walk.n = l->at.n;
	if (l->at.n) {
		memcpy(s->walk.v, l->at.v, l->at.n);
		s->walk.v[s->walk.n++] = '/';
	}
	memcpy(s->walk.v + s->walk.n, l->folded_text.v + name->at, name->len);
	s->walk.n += name->len;
	return add_clash(l, s->walk.v, s->walk.n);
}

/* The last level has all its names. */
static errcode_t judge_folded(struct bfo_extract *s)
{
	struct bfo_extract_look *l = s->look;
	struct level *level = &l->levels.v[l->levels.n - 1];
	struct folded *v = bfo_vec_at(&l->folded, level->folded);
	size_t n = l->folded.n - level->folded, i;
	errcode_t err = 0;

	if (n)
		bfo_sort(v, n, sizeof(*v), 2);
	for (i = 1; i < n && !err; i++)
		if (is_same(l, &v[i - 1], &v[i]))
			err = add_folded(s, &v[i].name);
	l->folded.n = level->folded;
	l->folded_text.n = level->folded_text;
	return err;
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
		.path_len = len, .is_folded = is_folded(at), .folded = l->folded.n,
		.folded_text = l->folded_text.n });
}

static errcode_t drop_level(struct bfo_extract *s)
{
	struct bfo_extract_look *l = s->look;
	errcode_t err = judge_folded(s);

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
	s->look = calloc(1, sizeof(*s->look));
	if (!s->look)
		return ENOMEM;
	bfo_dirs_init(&s->look->dirs, s->root);
	return s->root < 0 ? 0 : add_level(s->look, "", 0);
}

/* ---- items ---- */

static int is_newer(const struct bfo_attrs *a, const struct statx *old)
{
	if (a->sec[BFO_MTIME] != old->stx_mtime.tv_sec)
		return a->sec[BFO_MTIME] > old->stx_mtime.tv_sec;
	return a->nsec[BFO_MTIME] > old->stx_mtime.tv_nsec;
}

/* ITEM has the name of something that exists, OLD. */
static errcode_t judge_old(struct bfo_extract *s, const struct bfo_item *item,
			   const struct statx *old, enum bfo_look *what)
{
	int is_dir = S_ISDIR(item->attrs.mode);

	if (old->stx_attributes & STATX_ATTR_MOUNT_ROOT)
		return EXDEV;
	if (is_dir && S_ISDIR(old->stx_mode)) {
		const char *name = item->path + bfo_extract_base(item->path, item->path_len);
		errcode_t err = bfo_dirs_enter(&s->look->dirs, name, strlen(name));

		return err ? err : add_level(s->look, item->path, item->path_len);
	}
	if (is_dir || S_ISDIR(old->stx_mode) || s->opt.over == BFO_EXTRACT_CLASH)
		return add_clash(s->look, item->path, item->path_len);
	if (s->opt.over == BFO_EXTRACT_SKIP ||
	    (s->opt.over == BFO_EXTRACT_NEWER && !is_newer(&item->attrs, old)))
		*what = BFO_LOOK_SKIP;
	return 0;
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
		err = keep_folded(l, item->path + base, item->path_len - base);
	if (err)
		return err;
	if (!statx(at, item->path + base, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
		   STATX_BASIC_STATS, &old))
		return judge_old(s, item, &old, what);
	return errno == ENOENT ? 0 : errno;
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

const char *const *bfo_extract_clashes(const struct bfo_outlet *outlet, size_t *n)
{
	static const char *const none[1];
	struct bfo_extract *s = outlet->priv;
	struct bfo_extract_look *l = s->look;
	errcode_t err = 0;
	size_t i;

	*n = 0;
	if (!l)
		return none;
	while (l->levels.n && !err)
		err = drop_level(s);
	free(l->list);
	l->list = err ? NULL : calloc(l->clashes.n + 1, sizeof(*l->list));
	if (!l->list)
		return NULL;
	for (i = 0; i < l->clashes.n; i++)
		l->list[i] = l->clash_text.v + l->clashes.v[i];
	*n = l->clashes.n;
	return l->list;
}
