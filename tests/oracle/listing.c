// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * listing: manifests of a directory, written or read by the library, until a command does.
 *
 *   listing write FORMAT:FILE DIR     lists DIR
 *   listing read FORMAT:FILE          prints what a list says, a line per entry, fields in order
 *
 * A directory comes before what is in it, the names of a directory in byte order.  Contents are
 * read by read(2); a file that cannot be read has no digests.  "left out: N" goes to standard
 * error.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/text.h"
#include "export/manifest.h"
#include "intake/manifest_read.h"

static struct bfo_context ctx;

static void must(errcode_t code)
{
	if (code)
		errx(1, "%s while %s", error_message(code), ctx.what);
}

/* ---- write ---- */

struct work {
	struct bfo_manifest *m;
	struct bfo_hasher hasher;
	char path[PATH_MAX];		/* of DIR, a slash, and what is below it */
	size_t below;			/* where that begins */
};

static struct bfo_attrs attrs_of(const struct stat *st)
{
	struct bfo_attrs a = { .mode = st->st_mode, .uid = st->st_uid, .gid = st->st_gid,
			       .nlink = st->st_nlink, .size = st->st_size };

	a.sec[BFO_MTIME] = st->st_mtim.tv_sec;
	a.nsec[BFO_MTIME] = st->st_mtim.tv_nsec;
	a.sec[BFO_ATIME] = st->st_atim.tv_sec;
	a.nsec[BFO_ATIME] = st->st_atim.tv_nsec;
	a.sec[BFO_CTIME] = st->st_ctim.tv_sec;
	a.nsec[BFO_CTIME] = st->st_ctim.tv_nsec;
	if (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode)) {
		a.major = major(st->st_rdev);
		a.minor = minor(st->st_rdev);
	}
	return a;
}

/* Returns 0 if it cannot be read. */
static int sums_of(struct work *w, struct bfo_sums *sums)
{
	int fd = open(w->path, O_RDONLY | O_NOFOLLOW | O_NOATIME);
	static char buf[65536];
	ssize_t n = -1;

	if (fd < 0)
		return 0;
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		bfo_hasher_add(&w->hasher, buf, n);
	bfo_hasher_end(&w->hasher, sums);
	close(fd);
	return n == 0;
}

static void list(struct work *w, size_t len);

static int no_dots(const struct dirent *d)
{
	return strcmp(d->d_name, ".") && strcmp(d->d_name, "..");
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void list_below(struct work *w, size_t len)
{
	struct dirent **names;
	int n = scandir(w->path, &names, no_dots, by_bytes), i;

	if (n < 0)
		err(1, "%s", w->path);
	for (i = 0; i < n; i++) {
		int more = snprintf(w->path + len, PATH_MAX - len, "/%s", names[i]->d_name);

		if (more >= PATH_MAX - (int) len)
			errx(1, "%s: too long", w->path);
		list(w, len + more);
		w->path[len] = 0;
		free(names[i]);
	}
	free(names);
}

static void list(struct work *w, size_t len)
{
	struct bfo_part part = { 0 };
	struct bfo_item item = { .path = len > w->below ? w->path + w->below : "",
				 .parts = &part };
	struct bfo_sums sums;
	char target[PATH_MAX];
	int has_sums = 0;
	struct stat st;

	if (lstat(w->path, &st))
		err(1, "%s", w->path);
	item.path_len = strlen(item.path);
	item.attrs = attrs_of(&st);
	item.names = S_ISDIR(st.st_mode) ? 1 : st.st_nlink;
	item.ino = st.st_ino;
	if (S_ISREG(st.st_mode)) {
		part.len = st.st_size;
		item.n_parts = st.st_size != 0;
		has_sums = sums_of(w, &sums);
	}
	if (S_ISLNK(st.st_mode)) {
		ssize_t n = readlink(w->path, target, sizeof(target) - 1);

		if (n < 0)
			err(1, "%s", w->path);
		target[n] = 0;
		item.target = target;
		item.target_len = n;
	}
	must(bfo_manifest_put(w->m, &item, has_sums ? &sums : NULL));
	if (S_ISDIR(st.st_mode))
		list_below(w, len);
}

static void write_list(enum bfo_manifest_format format, const char *path, const char *dir)
{
	struct bfo_manifest_about about = { .source = dir, .made = 1000000000, .block_size = 4096 };
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	static struct work w;

	if (fd < 0)
		err(1, "%s", path);
	w.below = snprintf(w.path, sizeof(w.path), "%s", dir) + 1;
	must(bfo_hasher_open(&w.hasher, BFO_SUM_SHA256 | BFO_SUM_MD5));
	must(bfo_manifest_open(&ctx, format, fd, path, &about, &w.m));
	list(&w, strlen(dir));
	must(bfo_manifest_end(w.m));
	if (bfo_manifest_left_out(w.m))
		fprintf(stderr, "left out: %llu\n",
			(unsigned long long) bfo_manifest_left_out(w.m));
	bfo_manifest_close(w.m);
	bfo_hasher_close(&w.hasher);
	if (close(fd))
		err(1, "%s", path);
}

/* ---- read ---- */

static void print_sum(const char *name, const uint8_t *sum, size_t len)
{
	char hex[65] = "";

	bfo_text_put_hex(sum, len, hex);
	printf(" %s=%s", name, hex);
}

static const char *shown(const char *text, size_t len)
{
	static char out[4 * PATH_MAX];

	return bfo_text_escape(text, len, out, sizeof(out));
}

static errcode_t print(void *priv, const struct bfo_manifest_entry *e)
{
	(void) priv;
	printf("/%s", shown(e->path, e->path_len));
	if (e->has & BFO_HAS_TYPE)
		printf(" type=%o", e->type >> 12);
	if (e->has & BFO_HAS_MODE)
		printf(" mode=%o", e->mode);
	if (e->has & BFO_HAS_UID)
		printf(" uid=%u", e->uid);
	if (e->has & BFO_HAS_GID)
		printf(" gid=%u", e->gid);
	if (e->has & BFO_HAS_NLINK)
		printf(" nlink=%u", e->nlink);
	if (e->has & BFO_HAS_SIZE)
		printf(" size=%llu", (unsigned long long) e->size);
	if (e->has & BFO_HAS_SEC)
		printf(" sec=%lld", (long long) e->sec);
	if (e->has & BFO_HAS_NSEC)
		printf(" nsec=%u", e->nsec);
	if (e->has & BFO_HAS_DEVICE)
		printf(" device=%u,%u", e->major, e->minor);
	if (e->has & BFO_HAS_TARGET)
		printf(" target=%s", shown(e->target, e->target_len));
	if (e->sums.which & BFO_SUM_MD5)
		print_sum("md5", e->sums.md5, sizeof(e->sums.md5));
	if (e->sums.which & BFO_SUM_SHA256)
		print_sum("sha256", e->sums.sha256, sizeof(e->sums.sha256));
	putchar('\n');
	return 0;
}

static void read_list(enum bfo_manifest_format format, const char *path)
{
	struct bfo_manifest_reader reader = { .entry = print };
	struct bfo_manifest_seen seen;
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		err(1, "%s", path);
	must(bfo_manifest_read(&ctx, format, fd, path, &reader, &seen));
	printf("%llu entries%s\n", (unsigned long long) seen.entries,
	       seen.is_sealed ? ", sealed" : "");
	close(fd);
}

int main(int argc, char **argv)
{
	enum bfo_manifest_format format;
	const char *path;

	initialize_bfo_error_table();
	if (argc < 3 || bfo_manifest_tell(argv[2], &format, &path))
		errx(2, "usage: listing write FORMAT:FILE DIR | listing read FORMAT:FILE");
	if (argc == 4 && !strcmp(argv[1], "write"))
		write_list(format, path, argv[3]);
	else if (argc == 3 && !strcmp(argv[1], "read"))
		read_list(format, path);
	else
		errx(2, "usage: listing write FORMAT:FILE DIR | listing read FORMAT:FILE");
	return 0;
}
