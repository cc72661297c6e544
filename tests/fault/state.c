// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2_fs.h>
#include <ext2fs/ext2fs.h>

#include "state.h"
#include "tool.h"

#define LAYOUT_FLAGS (EXT2_INDEX_FL | EXT4_HUGE_FILE_FL | EXT4_EXTENTS_FL)
#define LOST "/lost+found"
#define CONTAINER "/.e2itree"
#define PIECE 65536

struct walk {
	struct state *s;
	ext2_filsys fs;
	char *dir;			/* path of the directory that is being read */
	struct links inodes;		/* first path of each */
	struct sum core, all;		/* of the inode that is being read */
	char buf[PIECE];
};

static void damaged(struct walk *w, const char *path, errcode_t error, const char *what)
{
	if (!w->s->damage)
		w->s->damage = text("%s: %s: %s", path, what, error_message(error));
}

static void both(struct walk *w, const void *data, size_t len)
{
	sum_bytes(&w->core, data, len);
	sum_bytes(&w->all, data, len);
}

static void both_word(struct walk *w, uint64_t word)
{
	sum_word(&w->core, word);
	sum_word(&w->all, word);
}

/* ---- an inode ---- */

static void add_times(struct walk *w, const struct ext2_inode_large *i, int dir)
{
	const uint32_t times[] = { i->i_atime, i->i_mtime, i->i_ctime, i->i_atime_extra,
				   i->i_mtime_extra, i->i_ctime_extra, i->osd1.linux1.l_i_version,
				   i->i_version_hi };

	sum_bytes(&w->all, times, sizeof(times));
	if (!dir)
		sum_bytes(&w->core, times, sizeof(times));
	both_word(w, i->i_crtime);
	both_word(w, i->i_crtime_extra);
}

static void add_fields(struct walk *w, const struct ext2_inode_large *i, int dir)
{
	both_word(w, i->i_mode);
	both_word(w, inode_uid(*i));
	both_word(w, inode_gid(*i));
	both_word(w, i->i_flags & ~LAYOUT_FLAGS);
	both_word(w, i->i_generation);
	both_word(w, i->i_projid);
	if (!dir)
		both_word(w, EXT2_I_SIZE(i));
	sum_word(&w->all, i->i_links_count);
	add_times(w, i, dir);
}

static int add_xattr(char *name, char *value, size_t len, void *walk)
{
	struct walk *w = walk;

	both(w, name, strlen(name));
	both(w, value, len);
	return 0;
}

static void add_xattrs(struct walk *w, const char *path, ext2_ino_t ino)
{
	struct ext2_xattr_handle *h;
	errcode_t error = ext2fs_xattrs_open(w->fs, ino, &h);

	if (!error) {
		error = ext2fs_xattrs_read(h);
		if (!error)
			error = ext2fs_xattrs_iterate(h, add_xattr, w);
		ext2fs_xattrs_close(&h);
	}
	if (error)
		damaged(w, path, error, "attributes");
}

static void add_content(struct walk *w, const char *path, ext2_ino_t ino)
{
	ext2_file_t file;
	unsigned got = 0;
	errcode_t error = ext2fs_file_open(w->fs, ino, 0, &file);

	if (!error) {
		do {
			error = ext2fs_file_read(file, w->buf, PIECE, &got);
			both(w, w->buf, error ? 0 : got);
		} while (!error && got);
		ext2fs_file_close(file);
	}
	if (error)
		damaged(w, path, error, "content");
}

static void add_device_or_content(struct walk *w, const char *path, ext2_ino_t ino,
				  const struct ext2_inode_large *i)
{
	if (LINUX_S_ISREG(i->i_mode))
		add_content(w, path, ino);
	else if (LINUX_S_ISLNK(i->i_mode) && !ext2fs_is_fast_symlink((struct ext2_inode *) i))
		add_content(w, path, ino);
	else if (!LINUX_S_ISDIR(i->i_mode))
		both(w, i->i_block, sizeof(i->i_block));
}

static int add_path(struct walk *w, const char *path, ext2_ino_t ino)
{
	struct ext2_inode_large i = { .i_mode = 0 };
	struct state *s = w->s;
	const char *first = links_count(&w->inodes, ino, path)->path;
	errcode_t error = ext2fs_read_inode_full(w->fs, ino, (struct ext2_inode *) &i, sizeof(i));
	int dir = LINUX_S_ISDIR(i.i_mode);

	if (error)
		damaged(w, path, error, "inode");
	w->core = w->all = (struct sum) { 1, 2 };
	sum_bytes(&w->all, first, strlen(first));
	add_fields(w, &i, dir);
	add_xattrs(w, path, ino);
	add_device_or_content(w, path, ino, &i);
	sum_end(&w->core);
	sum_end(&w->all);
	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 256;
		s->paths = must(realloc(s->paths, s->room * sizeof(*s->paths)));
	}
	s->paths[s->n++] = (struct path) { text("%s", path), w->core, w->all, dir };
	return dir;
}

/* ---- the walk ---- */

struct names {
	char **name;
	ext2_ino_t *ino;
	size_t n;
};

static int add_name(struct ext2_dir_entry *d, int offset, int blocksize, char *buf, void *to)
{
	struct names *names = to;
	int len = ext2fs_dirent_name_len(d);

	(void) offset, (void) blocksize, (void) buf;
	if (!d->inode || (len <= 2 && !memcmp(d->name, "..", len)))
		return 0;
	names->name = must(realloc(names->name, (names->n + 1) * sizeof(*names->name)));
	names->ino = must(realloc(names->ino, (names->n + 1) * sizeof(*names->ino)));
	names->name[names->n] = text("%.*s", len, d->name);
	names->ino[names->n++] = d->inode;
	return 0;
}

static void walk_dir(struct walk *w, const char *dir, ext2_ino_t ino)
{
	struct names names = { NULL, NULL, 0 };
	errcode_t error = ext2fs_dir_iterate(w->fs, ino, 0, NULL, add_name, &names);
	size_t i;
	char *path;

	if (error)
		damaged(w, *dir ? dir : "/", error, "directory");
	for (i = 0; i < names.n; i++) {
		path = text("%s/%s", dir, names.name[i]);
		if (add_path(w, path, names.ino[i]))
			walk_dir(w, path, names.ino[i]);
		free(path);
		free(names.name[i]);
	}
	free(names.name);
	free(names.ino);
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct path *) a)->name, ((const struct path *) b)->name);
}

static void links_free(struct links *l)
{
	size_t i;

	for (i = 0; i < l->slots; i++)
		free(l->slot[i].path);
	free(l->slot);
}

void state_read(struct state *s, const char *image)
{
	struct walk *w = must(calloc(1, sizeof(*w)));
	errcode_t error;

	memset(s, 0, sizeof(*s));
	w->s = s;
	error = ext2fs_open(image, EXT2_FLAG_64BITS, 0, 0, unix_io_manager, &w->fs);
	if (error) {
		damaged(w, image, error, "filesystem");
	} else {
		s->free_blocks = ext2fs_free_blocks_count(w->fs->super);
		s->free_inodes = w->fs->super->s_free_inodes_count;
		add_path(w, "/", EXT2_ROOT_INO);
		walk_dir(w, "", EXT2_ROOT_INO);
		qsort(s->paths, s->n, sizeof(*s->paths), compare);
		ext2fs_free(w->fs);
	}
	links_free(&w->inodes);
	free(w);
}

void state_free(struct state *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		free(s->paths[i].name);
	free(s->paths);
	free(s->damage);
	memset(s, 0, sizeof(*s));
}

/* ---- comparing ---- */

static int sum_same(struct sum a, struct sum b)
{
	return a.a == b.a && a.b == b.b;
}

static const struct path *find(const struct state *s, const char *name)
{
	struct path key = { .name = (char *) name };

	return s->n ? bsearch(&key, s->paths, s->n, sizeof(*s->paths), compare) : NULL;
}

/* The first path of A that B has not, or has otherwise. */
static char *missing(const struct state *a, const struct state *b, const char *absent)
{
	const struct path *other;
	size_t i;

	for (i = 0; i < a->n; i++) {
		other = find(b, a->paths[i].name);
		if (!other)
			return text("%s is %s", a->paths[i].name, absent);
		if (!sum_same(a->paths[i].all, other->all))
			return text("%s is not the same", a->paths[i].name);
	}
	return NULL;
}

char *state_differs(const struct state *a, const struct state *b)
{
	char *said;

	if (a->damage || b->damage)
		return text("%s", a->damage ? a->damage : b->damage);
	said = missing(a, b, "missing");
	if (!said)
		said = missing(b, a, "too many");
	if (!said && (a->free_blocks != b->free_blocks || a->free_inodes != b->free_inodes))
		said = text("%llu blocks and %llu inodes are free, not %llu and %llu",
			    (unsigned long long) b->free_blocks,
			    (unsigned long long) b->free_inodes,
			    (unsigned long long) a->free_blocks,
			    (unsigned long long) a->free_inodes);
	return said;
}

static int is_lost(const char *name)
{
	return !strncmp(name, LOST, strlen(LOST));
}

static int is_container(const char *name)
{
	return !strcmp(name, CONTAINER);
}

/* What was there before the copy: the same, or on its way. */
static char *harm_old(const struct path *p, const struct path *now, const struct path *after)
{
	if (is_container(p->name))
		return NULL;
	if (!now)
		return text("%s was there and is missing", p->name);
	if (sum_same(p->all, now->all) || is_lost(p->name))
		return NULL;
	if (after && !sum_same(p->all, after->all) && p->dir == now->dir &&
	    (sum_same(now->core, p->core) || sum_same(now->core, after->core)))
		return NULL;
	return text("%s has changed", p->name);
}

/* What was not: as the copy makes it. */
static char *harm_new(const struct path *now, const struct path *after)
{
	if (is_lost(now->name) || is_container(now->name))
		return NULL;
	if (!after)
		return text("%s should never be there", now->name);
	if (!sum_same(now->core, after->core))
		return text("%s is not what was copied", now->name);
	return NULL;
}

char *state_harmed(const struct state *r, const struct state *before, const struct state *after)
{
	char *said = r->damage ? text("%s", r->damage) : NULL;
	size_t i;

	for (i = 0; i < before->n && !said; i++)
		said = harm_old(&before->paths[i], find(r, before->paths[i].name),
				find(after, before->paths[i].name));
	for (i = 0; i < r->n && !said; i++)
		if (!find(before, r->paths[i].name))
			said = harm_new(&r->paths[i], find(after, r->paths[i].name));
	return said;
}

/* The container's name may have come or gone, which the root directory shows. */
static int is_kept(const struct path *p, const struct path *now)
{
	return now && (sum_same(p->all, now->all) ||
		       (!strcmp(p->name, "/") && sum_same(p->core, now->core)));
}

char *state_kept(const struct state *before, const struct state *now)
{
	const struct path *p;
	size_t i;

	if (now->damage)
		return text("%s", now->damage);
	for (i = 0; i < before->n; i++) {
		p = &before->paths[i];
		if (!is_container(p->name) && !is_lost(p->name) && !is_kept(p, find(now, p->name)))
			return text("%s is missing, or not the same", p->name);
	}
	for (i = 0; i < now->n; i++) {
		p = &now->paths[i];
		if (!is_container(p->name) && !is_lost(p->name) && !find(before, p->name))
			return text("%s should not be there", p->name);
	}
	return NULL;
}
