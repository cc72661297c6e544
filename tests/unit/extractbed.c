// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extractbed.c - a mounted filesystem of a test's own, and made items for an outlet
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mount.h>

#include "extractbed.h"

#define IMAGE_BYTES (320U << 20)	/* the least that mkfs.xfs(8) takes, and some */

static void make_image(const char *image, const char *mkfs)
{
	char command[1024];
	int fd = open(image, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	want(fd >= 0 && !ftruncate(fd, IMAGE_BYTES) && !close(fd));
	snprintf(command, sizeof(command), "%s '%s'", mkfs, image);
	want(!system(command));
}

int extractbed_begin(struct extractbed *b, const char *mkfs, unsigned int size)
{
	char *image = unit_path("extract.img"), command[1024];

	memset(b, 0, sizeof(*b));
	if (geteuid()) {
		free(image);
		return 0;
	}
	b->mount = unit_path("extract");
	want(asprintf(&b->dir, "%s/dir", b->mount) > 0);
	want(!unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	want(!mkdir(b->mount, 0755) || errno == EEXIST);
	if (mkfs) {
		make_image(image, mkfs);
		snprintf(command, sizeof(command), "mount -o loop '%s' '%s'", image, b->mount);
		want(!system(command));
	} else {
		snprintf(command, sizeof(command), "size=%u,mode=755", size);
		want(!mount("tmpfs", b->mount, "tmpfs", 0, command));
	}
	free(image);
	return 1;
}

void extractbed_close(struct extractbed *b)
{
	bfo_extract_close(b->outlet);
	b->outlet = NULL;
}

void extractbed_finish(struct extractbed *b)
{
	extractbed_close(b);
	want(!umount(b->mount));
	free(b->mount);
	free(b->dir);
}

errcode_t extractbed_open(struct extractbed *b, const struct bfo_extract_options *opt)
{
	struct bfo_extract_options all = opt ? *opt : (struct bfo_extract_options) { 0 };

	all.path = b->dir;
	return bfo_extract_open(&b->ctx, &all, &b->outlet);
}

void extractbed_mkdir(const struct extractbed *b)
{
	want(!mkdir(b->dir, 0751));
}

/* ---- nodes ---- */

struct extractbed_node extractbed_node(const char *path, uint16_t mode, unsigned int seed)
{
	struct extractbed_node n = { .item = { .path = path, .names = 1, .row = seed } };
	struct bfo_attrs *a = &n.item.attrs;
	int t;

	a->mode = mode;
	a->uid = 1000 + seed;
	a->gid = 2000 + seed;
	a->nlink = 1;
	a->has_crtime = 1;
	for (t = 0; t < BFO_TIMES; t++) {
		a->sec[t] = 1000000000 + seed * 10 + t;
		a->nsec[t] = 123456789 + seed;
	}
	if (S_ISLNK(mode))
		n.item.target = "target";
	return n;
}

struct extractbed_node extractbed_root(void)
{
	return extractbed_node("", S_IFDIR | 0755, 1);
}

struct extractbed_node extractbed_file(const char *path, const char *text, unsigned int seed)
{
	struct extractbed_node n = extractbed_node(path, S_IFREG | 0644, seed);

	n.data = text;
	n.len = n.item.attrs.size = strlen(text);
	return n;
}

struct extractbed_node extractbed_link(const char *path, const struct extractbed_node *first)
{
	struct extractbed_node n = *first;

	n.item.path = path;
	n.item.first = first->item.path;
	n.data = NULL;
	return n;
}

static const struct bfo_item *complete(struct extractbed_node *n)
{
	n->item.path_len = strlen(n->item.path);
	n->item.first_len = n->item.first ? strlen(n->item.first) : 0;
	n->item.target_len = n->item.target ? strlen(n->item.target) : 0;
	return &n->item;
}

errcode_t extractbed_look(struct extractbed *b, struct extractbed_node *nodes, size_t n,
			  size_t *skipped)
{
	enum bfo_look what;
	errcode_t err = 0;
	size_t i;

	*skipped = 0;
	for (i = 0; i < n && !err; i++) {
		err = b->outlet->look(b->outlet->priv, complete(&nodes[i]), &what);
		*skipped += what == BFO_LOOK_SKIP;
	}
	return err;
}

static errcode_t put_one(struct extractbed *b, struct extractbed_node *n)
{
	errcode_t err = b->outlet->item(b->outlet->priv, complete(n));

	if (!err && n->data)
		err = b->outlet->data(b->outlet->priv, n->offset, n->data, n->len);
	if (!err && S_ISREG(n->item.attrs.mode) && !n->item.first)
		err = b->outlet->done(b->outlet->priv);
	return err;
}

static int is_below(const struct bfo_item *item, const struct bfo_item *dir)
{
	return !dir->path_len || (item->path_len > dir->path_len &&
	       item->path[dir->path_len] == '/' && !memcmp(item->path, dir->path, dir->path_len));
}

errcode_t extractbed_put(struct extractbed *b, struct extractbed_node *nodes, size_t n)
{
	const struct bfo_item **dirs = unit_alloc(n * sizeof(*dirs));
	size_t depth = 0, i;
	errcode_t err = 0;

	for (i = 0; i <= n && !err; i++) {
		const struct bfo_item *item = i < n ? complete(&nodes[i]) : NULL;

		while (depth && !err && !(item && is_below(item, dirs[depth - 1])))
			err = b->outlet->leave(b->outlet->priv, dirs[--depth]);
		if (item && !err)
			err = put_one(b, &nodes[i]);
		if (item && S_ISDIR(item->attrs.mode))
			dirs[depth++] = item;
	}
	free(dirs);
	return err;
}

void extractbed_all(struct extractbed *b, struct extractbed_node *nodes, size_t n)
{
	size_t skipped, clashes;

	want_ok(extractbed_look(b, nodes, n, &skipped));
	want(bfo_extract_clashes(b->outlet, &clashes) && !clashes && !skipped);
	want_ok(extractbed_put(b, nodes, n));
	want_ok(b->outlet->end(b->outlet->priv));
}

/* ---- what is there ---- */

const char *extractbed_path(const struct extractbed *b, const char *name)
{
	static char path[2][1024];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", b->mount, name);
	return path[turn];
}

struct stat extractbed_stat(const struct extractbed *b, const char *name)
{
	struct stat st;

	if (lstat(extractbed_path(b, name), &st))
		ck_abort_msg("%s: %s", name, strerror(errno));
	return st;
}

int extractbed_exists(const struct extractbed *b, const char *name)
{
	struct stat st;

	return !lstat(extractbed_path(b, name), &st);
}

unsigned int extractbed_flags(const struct extractbed *b, const char *name)
{
	int fd = open(extractbed_path(b, name), O_RDONLY | O_NONBLOCK), flags;

	want(fd >= 0 && !ioctl(fd, FS_IOC_GETFLAGS, &flags) && !close(fd));
	return flags;
}

void extractbed_want_times(const struct extractbed *b, const struct extractbed_node *n,
			   const char *name)
{
	const struct bfo_attrs *a = &n->item.attrs;
	struct stat st = extractbed_stat(b, name);

	want_eq(st.st_mtim.tv_sec, a->sec[BFO_MTIME]);
	want_eq(st.st_mtim.tv_nsec, a->nsec[BFO_MTIME]);
	want_eq(st.st_atim.tv_sec, a->sec[BFO_ATIME]);
	want_eq(st.st_atim.tv_nsec, a->nsec[BFO_ATIME]);
}

void extractbed_want_same(const struct extractbed *b, const struct extractbed_node *n,
			  const char *name)
{
	const struct bfo_attrs *a = &n->item.attrs;
	struct stat st = extractbed_stat(b, name);

	extractbed_want_times(b, n, name);
	want_eq(st.st_mode, S_ISLNK(a->mode) ? S_IFLNK | 0777U : a->mode);
	want_eq(st.st_uid, a->uid);
	want_eq(st.st_gid, a->gid);
}

static unsigned int met, met_hidden;

static int meet(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void) st;
	(void) type;
	met += ftw->level > 0 && strcmp(path + ftw->base, "lost+found");
	met_hidden += !strncmp(path + ftw->base, ".e2bfo-", 7);
	return 0;
}

unsigned int extractbed_count(const struct extractbed *b, unsigned int *hidden)
{
	met = met_hidden = 0;
	want(!nftw(b->mount, meet, 16, FTW_PHYS));
	*hidden = met_hidden;
	return met;
}

uint64_t extractbed_noted(const struct extractbed *b, const char *word)
{
	size_t n, i;
	const struct bfo_extract_note *notes = bfo_extract_notes(b->outlet, &n);

	for (i = 0; i < n; i++)
		if (!strcmp(notes[i].word, word))
			return notes[i].count;
	return 0;
}

void extractbed_write(const struct extractbed *b, const char *name, const char *text)
{
	FILE *f = fopen(extractbed_path(b, name), "w");

	want(f && fwrite(text, 1, strlen(text), f) == strlen(text) && !fclose(f));
}

void extractbed_want(const struct extractbed *b, const char *name, const char *text)
{
	char found[4096];
	FILE *f = fopen(extractbed_path(b, name), "r");
	size_t n;

	want(f);
	n = fread(found, 1, sizeof(found) - 1, f);
	found[n] = 0;
	want(!fclose(f));
	ck_assert_str_eq(found, text);
}
