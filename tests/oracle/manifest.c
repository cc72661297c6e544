// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * manifest: what the kernel shows of a mounted tree, a line per path.
 *
 *   manifest [-d] [-i] [-o KEY]... [-x PATH]... DIR
 *
 * A judge of copies: two trees are equal when their manifests are. It shares no code with what
 * it judges. Each line is the escaped path and then KEY=VALUE fields:
 *
 *   path type mode uid gid nlink size rdev atime mtime ctime crtime attr iflags gen projid
 *        link target xattr... data layout
 *
 * Paths come depth-first, the names of a directory in byte order, so that the output needs no
 * sorting and the first path of a hard-linked inode (field "link") is the same in every copy.
 * Inode numbers, physical blocks and block counts are a matter of placement and left out.
 *
 *   data    two 64-bit sums over the non-zero 4 KB blocks and their positions: does not depend
 *           on how holes are stored
 *   layout  FIEMAP by logical position, in bytes: START+LENGTH, "u" for unwritten; physically
 *           split pieces are joined. Long lists: the first pieces, their number and a sum.
 *
 * Reading must not change the source: mount it ro,noatime. What cannot be read is a field
 * KEY=error:REASON and exit status 1; but files that this kernel has no key or no code for
 * (encrypted, verity) are open=REASON: there dbmanifest is the judge.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include "judge.h"

#define BLOCK		4096
#define CHUNK		(256 * BLOCK)
#define EXTENTS		512
#define LAYOUT_SHOWN	16
#define LIST_MAX	65536
#define LAYOUT_FLAGS	(0x00001000 | 0x00040000 | 0x00080000)	/* INDEX, HUGE_FILE, EXTENTS */

struct layout {			/* the extent being joined, and those before it */
	uint64_t start, len;
	int unwritten;
	uint64_t count;
	struct sum sum;
};

struct walk {
	int dir_size_off, show_ino;
	char **omit, **exclude;
	size_t omits, excludes;
	char *path;		/* escaped, grows and shrinks with the walk */
	size_t path_len, path_room;
	struct links links;
	unsigned char *chunk;
	int failed;
};

/* ---- output ---- */

static int omitted(const struct walk *w, const char *key)
{
	for (size_t i = 0; i < w->omits; i++)
		if (!strcmp(w->omit[i], key))
			return 1;
	return 0;
}

static void __attribute__((format(printf, 3, 4)))
field(const struct walk *w, const char *key, const char *format, ...)
{
	va_list args;

	if (omitted(w, key))
		return;
	printf(" %s=", key);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
}

static void field_error(struct walk *w, const char *key)
{
	w->failed = 1;
	warn("%s: %s", w->path, key);
	field(w, key, "error:%s", strerrorname_np(errno));
}

static void field_escaped(const struct walk *w, const char *key, const char *value, size_t len)
{
	char *text = malloc(4 * len + 1);

	if (!text)
		err(2, "memory");
	escape(text, value, len);
	field(w, key, "%s", text);
	free(text);
}

/* ---- fields of an inode ---- */

static void show_time(const struct walk *w, const char *key, struct statx_timestamp t)
{
	field(w, key, "%lld.%09u", (long long)t.tv_sec, t.tv_nsec);
}

static char type_letter(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG: return 'f';
	case S_IFDIR: return 'd';
	case S_IFLNK: return 'l';
	case S_IFCHR: return 'c';
	case S_IFBLK: return 'b';
	case S_IFIFO: return 'p';
	case S_IFSOCK: return 's';
	default: return '?';
	}
}

static void show_stat(struct walk *w, const struct statx *st)
{
	int dir = S_ISDIR(st->stx_mode);

	field(w, "type", "%c", type_letter(st->stx_mode));
	if (w->show_ino)
		field(w, "ino", "%llu", (unsigned long long)st->stx_ino);
	field(w, "mode", "%04o", st->stx_mode & 07777);
	field(w, "uid", "%u", st->stx_uid);
	field(w, "gid", "%u", st->stx_gid);
	field(w, "nlink", "%u", st->stx_nlink);
	if (!dir || !w->dir_size_off)
		field(w, "size", "%llu", (unsigned long long)st->stx_size);
	if (S_ISCHR(st->stx_mode) || S_ISBLK(st->stx_mode))
		field(w, "rdev", "%u:%u", st->stx_rdev_major, st->stx_rdev_minor);
	show_time(w, "atime", st->stx_atime);
	show_time(w, "mtime", st->stx_mtime);
	show_time(w, "ctime", st->stx_ctime);
	if (st->stx_mask & STATX_BTIME)
		show_time(w, "crtime", st->stx_btime);
	else
		field(w, "crtime", "none");
	field(w, "attr", "%llx", (unsigned long long)(st->stx_attributes &
						      ~(uint64_t)STATX_ATTR_MOUNT_ROOT));
	if (!dir && st->stx_nlink > 1)
		field(w, "link", "%s", links_count(&w->links, st->stx_ino, w->path)->path);
}

static void show_flags(struct walk *w, int fd)
{
	struct fsxattr fsx = { 0 };
	/* both ioctls transfer an int, whatever their number says */
	int flags = 0, gen = 0;

	if (!omitted(w, "iflags") && ioctl(fd, FS_IOC_GETFLAGS, &flags))
		field_error(w, "iflags");
	else
		field(w, "iflags", "%x", (unsigned)flags & ~LAYOUT_FLAGS);
	if (!omitted(w, "gen") && ioctl(fd, FS_IOC_GETVERSION, &gen))
		field_error(w, "gen");
	else
		field(w, "gen", "%08x", (unsigned)gen);
	if (!omitted(w, "projid") && ioctl(fd, FS_IOC_FSGETXATTR, &fsx))
		field_error(w, "projid");
	else
		field(w, "projid", "%u", fsx.fsx_projid);
}

static void show_xattr(struct walk *w, const char *name, const char *key)
{
	static unsigned char value[LIST_MAX];
	static char text[4 * 256 + 1];
	ssize_t len = lgetxattr(name, key, value, sizeof(value));

	if (len < 0) {
		field_error(w, "xattr");
		return;
	}
	if (omitted(w, "xattr"))
		return;
	escape(text, key, strnlen(key, 256));
	printf(" xattr:%s=", text);
	print_value(value, len);
}

static void show_xattrs(struct walk *w, const char *name)
{
	static char list[LIST_MAX];
	ssize_t len = llistxattr(name, list, sizeof(list));
	char **key;
	size_t keys = 0;

	if (len < 0) {
		field_error(w, "xattr");
		return;
	}
	key = malloc((len + 1) * sizeof(*key));
	if (!key)
		err(2, "memory");
	for (ssize_t i = 0; i < len; i += strlen(list + i) + 1)
		key[keys++] = list + i;
	qsort(key, keys, sizeof(*key), compare_names);
	for (size_t i = 0; i < keys; i++)
		show_xattr(w, name, key[i]);
	free(key);
}

static void show_target(struct walk *w, const char *name)
{
	static char target[65536];
	ssize_t len = readlinkat(AT_FDCWD, name, target, sizeof(target));

	if (len < 0)
		field_error(w, "target");
	else
		field_escaped(w, "target", target, len);
}

/* ---- data and layout of a file ---- */

static int all_zero(const unsigned char *p, size_t len)
{
	return !len || (!p[0] && !memcmp(p, p + 1, len - 1));
}

static int sum_range(struct walk *w, int fd, off_t at, off_t end, struct sum *s)
{
	while (at < end) {
		size_t want = end - at < CHUNK ? end - at : CHUNK;
		ssize_t got = pread(fd, w->chunk, want, at);

		if (got <= 0)
			return got < 0;
		for (ssize_t i = 0; i < got; i += BLOCK) {
			size_t len = got - i < BLOCK ? got - i : BLOCK;

			if (all_zero(w->chunk + i, len))
				continue;
			sum_word(s, at + i);
			sum_bytes(s, w->chunk + i, len);
		}
		at += got;
	}
	return 0;
}

static void show_data(struct walk *w, int fd, off_t size)
{
	struct sum s = { 3, 4 };
	off_t data = 0, hole;

	if (omitted(w, "data"))
		return;
	while (data < size) {
		data = lseek(fd, data, SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			break;
		hole = data < 0 ? -1 : lseek(fd, data, SEEK_HOLE);
		/* whole blocks, so that a piece never begins or ends inside one */
		hole = hole < 0 ? hole : (hole + BLOCK - 1) & -(off_t) BLOCK;
		if (hole < 0 || sum_range(w, fd, data & -(off_t)BLOCK, hole, &s)) {
			field_error(w, "data");
			return;
		}
		data = hole;
	}
	sum_end(&s);
	field(w, "data", "%016" PRIx64 "%016" PRIx64, s.a, s.b);
}

static void layout_flush(struct layout *l)
{
	if (!l->len)
		return;
	sum_word(&l->sum, l->start);
	sum_word(&l->sum, l->len << 1 | l->unwritten);
	if (l->count < LAYOUT_SHOWN)
		printf("%s%" PRIu64 "+%" PRIu64 "%s", l->count ? "," : "", l->start, l->len,
		       l->unwritten ? "u" : "");
	l->count++;
	l->len = 0;
}

static void layout_add(struct layout *l, const struct fiemap_extent *e)
{
	int unwritten = !!(e->fe_flags & FIEMAP_EXTENT_UNWRITTEN);

	if (l->len && l->start + l->len == e->fe_logical && l->unwritten == unwritten) {
		l->len += e->fe_length;
		return;
	}
	layout_flush(l);
	l->start = e->fe_logical;
	l->len = e->fe_length;
	l->unwritten = unwritten;
}

static int layout_read(struct layout *l, int fd)
{
	static union {
		struct fiemap map;
		char room[sizeof(struct fiemap) + EXTENTS * sizeof(struct fiemap_extent)];
	} u;
	uint64_t at = 0;

	for (;;) {
		memset(&u.map, 0, sizeof(u.map));
		u.map.fm_start = at;
		u.map.fm_length = FIEMAP_MAX_OFFSET - at;
		u.map.fm_flags = FIEMAP_FLAG_SYNC;
		u.map.fm_extent_count = EXTENTS;
		if (ioctl(fd, FS_IOC_FIEMAP, &u.map))
			return -1;
		for (unsigned i = 0; i < u.map.fm_mapped_extents; i++) {
			const struct fiemap_extent *e = u.map.fm_extents + i;

			layout_add(l, e);
			at = e->fe_logical + e->fe_length;
			if (e->fe_flags & FIEMAP_EXTENT_LAST)
				return 0;
		}
		if (!u.map.fm_mapped_extents)
			return 0;
	}
}

static void show_layout(struct walk *w, int fd)
{
	struct layout l = { .sum = { 5, 6 } };

	if (omitted(w, "layout"))
		return;
	printf(" layout=");
	if (layout_read(&l, fd)) {
		field_error(w, "layout");
		return;
	}
	layout_flush(&l);
	if (l.count > LAYOUT_SHOWN) {
		sum_end(&l.sum);
		printf(",...%" PRIu64 ":%016" PRIx64, l.count, l.sum.a ^ l.sum.b);
	}
}

/* ---- the walk ---- */

static void path_push(struct walk *w, const char *name)
{
	size_t need = w->path_len + 4 * strlen(name) + 2;

	if (need > w->path_room) {
		w->path_room = 2 * need;
		w->path = realloc(w->path, w->path_room);
		if (!w->path)
			err(2, "memory");
	}
	if (w->path_len != 1)		/* "/" is the root */
		w->path[w->path_len++] = '/';
	w->path_len += escape(w->path + w->path_len, name, strlen(name));
}

static int excluded(const struct walk *w)
{
	for (size_t i = 0; i < w->excludes; i++)
		if (!strcmp(w->exclude[i], w->path))
			return 1;
	return 0;
}

static void names_read(struct walk *w, int fd, char ***names, size_t *count)
{
	DIR *dir = fdopendir(dup(fd));
	struct dirent *d;
	size_t room = 0;

	*names = NULL;
	*count = 0;
	if (!dir)
		err(2, "%s: fdopendir", w->path);
	while (errno = 0, (d = readdir(dir))) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		if (*count == room) {
			room = room ? 2 * room : 64;
			*names = realloc(*names, room * sizeof(**names));
			if (!*names)
				err(2, "memory");
		}
		(*names)[*count] = strdup(d->d_name);
		if (!(*names)[(*count)++])
			err(2, "memory");
	}
	if (errno) {
		w->failed = 1;
		warn("%s: readdir", w->path);
	}
	closedir(dir);
	if (*count)
		qsort(*names, *count, sizeof(**names), compare_names);
}

static void walk_path(struct walk *w, const char *name);

static void walk_names(struct walk *w, int fd)
{
	size_t len = w->path_len, count;
	char **names;

	names_read(w, fd, &names, &count);
	for (size_t i = 0; i < count; i++) {
		if (fchdir(fd))
			err(2, "%s: fchdir", w->path);
		path_push(w, names[i]);
		if (!excluded(w))
			walk_path(w, names[i]);
		w->path_len = len;
		w->path[len] = 0;
		free(names[i]);
	}
	free(names);
}

static void show_opened(struct walk *w, const char *name, const struct statx *st, int *fd)
{
	*fd = open(name, O_RDONLY | O_NOFOLLOW | O_NOATIME | O_NONBLOCK);
	if (*fd < 0 && (errno == ENOKEY || errno == EOPNOTSUPP)) {
		field(w, "open", "%s", strerrorname_np(errno));
		return;
	}
	if (*fd < 0) {
		field_error(w, "open");
		return;
	}
	show_flags(w, *fd);
	if (S_ISREG(st->stx_mode)) {
		show_data(w, *fd, st->stx_size);
		show_layout(w, *fd);
	}
}

/* The working directory is the one that holds name. */
static void walk_path(struct walk *w, const char *name)
{
	struct statx st;
	int fd = -1;

	fputs(w->path, stdout);
	if (statx(AT_FDCWD, name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &st)) {
		field_error(w, "stat");
		putchar('\n');
		return;
	}
	show_stat(w, &st);
	if (S_ISLNK(st.stx_mode))
		show_target(w, name);
	show_xattrs(w, name);
	if (S_ISREG(st.stx_mode) || S_ISDIR(st.stx_mode))
		show_opened(w, name, &st, &fd);
	putchar('\n');
	if (fd >= 0 && S_ISDIR(st.stx_mode))
		walk_names(w, fd);
	if (fd >= 0)
		close(fd);
}

static void allow_deep_trees(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void read_options(struct walk *w, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "dio:x:")) != -1) {
		if (c == 'd')
			w->dir_size_off = 1;
		else if (c == 'i')
			w->show_ino = 1;
		else if (c == 'o')
			w->omit[w->omits++] = optarg;
		else if (c == 'x')
			w->exclude[w->excludes++] = optarg;
		else
			exit(2);
	}
	if (optind + 1 != argc)
		errx(2, "usage: manifest [-d] [-i] [-o KEY]... [-x PATH]... DIR");
}

int main(int argc, char **argv)
{
	struct walk w = { .path_len = 1, .path_room = 2 };

	w.omit = calloc(argc, sizeof(*w.omit));
	w.exclude = calloc(argc, sizeof(*w.exclude));
	w.path = strdup("/");
	w.chunk = malloc(CHUNK);
	if (!w.omit || !w.exclude || !w.path || !w.chunk)
		err(2, "memory");
	read_options(&w, argc, argv);
	allow_deep_trees();
	if (chdir(argv[optind]))
		err(2, "%s", argv[optind]);
	walk_path(&w, ".");
	if (fflush(stdout) || ferror(stdout))
		err(2, "standard output");
	return w.failed;
}
