// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * manifest.c - lists of files with their digests, whoever has written them
 *
 * The first byte chooses the format, the rest is the list.  What is read of it is written again, in
 * a format that can hold all names, and read back: the same entries, with the same digests.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../archived.h"
#include "../fuzz.h"
#include "base/crc32c.h"
#include "export/manifest.h"
#include "intake/manifest_read.h"

#define READ_FORMATS BFO_MANIFEST_BODYFILE

struct seen {
	struct bfo_manifest *out;	/* NULL: they are read back */
	uint64_t entries;
	uint32_t sum;			/* of paths, digests and targets */
};

static void add(struct seen *s, const void *data, size_t len)
{
	s->sum = bfo_crc32c(s->sum, &len, sizeof(len));
	if (len)
		s->sum = bfo_crc32c(s->sum, data, len);
}

/* Everything a path promises. */
static void check_path(const struct bfo_manifest_entry *e)
{
	const char *at = e->path, *end = at + e->path_len, *slash;

	if (e->path_len && memchr(e->path, 0, e->path_len))
		fuzz_fail("a path with a zero byte");
	for (; at < end; at = slash + 1) {
		size_t len;

		slash = memchr(at, '/', end - at);
		slash = slash ? slash : end;
		len = slash - at;
		if (!len || len > 255 || (len == 1 && *at == '.') ||
		    (len == 2 && !memcmp(at, "..", 2)) || slash + 1 == end)
			fuzz_fail("a path that is not plain: %.*s", (int) e->path_len, e->path);
	}
}

static void write_again(struct seen *s, const struct bfo_manifest_entry *e)
{
	struct bfo_item item = { .path = e->path, .path_len = e->path_len, .names = e->nlink,
				 .target = e->target, .target_len = e->target_len };
	int is_file = e->path_len && e->sums.which & BFO_SUM_SHA256;

	item.attrs.mode = (is_file ? S_IFREG : e->type) | e->mode;
	item.attrs.size = e->size;
	item.attrs.sec[BFO_MTIME] = e->sec;
	item.attrs.nsec[BFO_MTIME] = e->nsec;
	if (bfo_manifest_put(s->out, &item, is_file ? &e->sums : NULL))
		fuzz_fail("cannot be written");
}

static errcode_t take(void *priv, const struct bfo_manifest_entry *e)
{
	struct seen *s = priv;
	int is_file = e->path_len && e->sums.which & BFO_SUM_SHA256;

	check_path(e);
	if (e->mode > 07777 || e->nsec > 999999999 || (e->has & BFO_HAS_TARGET && e->target_len &&
						       memchr(e->target, 0, e->target_len)))
		fuzz_fail("a field that cannot be");
	if (s->out)
		write_again(s, e);
	s->entries++;
	add(s, e->path, e->path_len);
	if (is_file)
		add(s, e->sums.sha256, sizeof(e->sums.sha256));
	else if (e->type == S_IFLNK)
		add(s, e->target, e->target_len);
	return 0;
}

static errcode_t read_all(struct bfo_context *ctx, enum bfo_manifest_format format, int fd,
			  struct seen *s)
{
	struct bfo_manifest_reader reader = { .entry = take, .priv = s };

	return bfo_manifest_read(ctx, format, fd, "list", &reader, NULL);
}

static int again(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("again", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET))
		fuzz_fail("memfd: %s", strerror(errno));
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bfo_manifest_about about = { .source = "list" };
	struct seen first = { 0 }, second = { 0 };
	struct bfo_context ctx = { 0 };
	enum bfo_manifest_format format;
	int fd = again(), was_read;

	if (!size)
		return 0;
	format = *data & 0x80 ? BFO_MANIFEST_DFXML : BFO_MANIFEST_MTREE;
	if (bfo_manifest_open(&ctx, format, fd, "again", &about, &first.out))
		fuzz_fail("cannot be opened: %s", ctx.what);
	was_read = !read_all(&ctx, (*data & 0x7f) % READ_FORMATS,
			     fuzz_archive_file(data + 1, size - 1), &first);
	if (bfo_manifest_end(first.out))
		fuzz_fail("cannot be ended: %s", ctx.what);
	bfo_manifest_close(first.out);
	if (!was_read)
		return 0;
	lseek(fd, 0, SEEK_SET);
	if (read_all(&ctx, format, fd, &second))
		fuzz_fail("what was written cannot be read: %s", ctx.what);
	if (first.entries != second.entries || first.sum != second.sum)
		fuzz_fail("%llu entries, %llu when written and read again",
			  (unsigned long long) first.entries, (unsigned long long) second.entries);
	return 0;
}
