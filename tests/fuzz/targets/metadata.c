// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * metadata.c - texts of e2bfo-metadata(5)
 *
 * A text ends with its number of lines and a checksum, which nothing that is changed keeps: the
 * target adds them, and what begins it; with an odd first byte the input is the whole text.  What
 * is read is written again, and read back as the same.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../archived.h"
#include "../fuzz.h"
#include "base/crc32c.h"
#include "base/metadata_format.h"
#include "base/vec.h"
#include "export/metadata.h"
#include "intake/metadata_read.h"

#define PARTS 64U

struct seen {
	struct bfo_context ctx;
	struct bfo_metadata *out;	/* NULL: they are read back */
	uint64_t lines;
	uint32_t sum;			/* of all that they say */
};

static void add(struct seen *s, const void *data, size_t len)
{
	s->sum = bfo_crc32c(s->sum, &len, sizeof(len));
	if (len)
		s->sum = bfo_crc32c(s->sum, data, len);
}

/* Everything a path promises. */
static void check_path(const char *path, size_t len)
{
	const char *at, *end = path + len, *slash;

	if (strlen(path) != len || (len && path[len - 1] == '/'))
		fuzz_fail("a path that is not as long as it says");
	for (at = path; at < end; at = slash + 1) {
		slash = memchr(at, '/', end - at);
		slash = slash ? slash : end;
		if (slash == at || slash - at > 255 ||
		    (slash - at <= 2 && !memcmp(at, "..", slash - at)))
			fuzz_fail("a path that is not plain: %s", path);
	}
}

static void check_line(const struct bfo_metadata_line *l)
{
	size_t i;

	check_path(l->path, l->path_len);
	if (l->first)
		check_path(l->first, l->first_len);
	for (i = 0; i < BFO_TIMES; i++)
		if (!bfo_time_is_possible(l->attrs.sec[i]) || l->attrs.nsec[i] >> 30)
			fuzz_fail("a time that cannot be");
	if (S_ISLNK(l->attrs.mode) && (!l->target_len || l->target_len > 4095 ||
				       l->target_len != l->attrs.size ||
				       memchr(l->target, 0, l->target_len)))
		fuzz_fail("a target that cannot be");
	for (i = 0; i < l->unwritten.n; i++)
		if (!l->unwritten.v[i].len ||
		    l->unwritten.v[i].start + l->unwritten.v[i].len < l->unwritten.v[i].start)
			fuzz_fail("a part that cannot be");
	for (i = 0; i < l->xattrs.n; i++)
		if (l->xattrs.v[i].size > 65536 || bfo_xattr_is_data(&l->xattrs.v[i]))
			fuzz_fail("an attribute that cannot be");
}

static void write_again(struct seen *s, const struct bfo_metadata_line *l)
{
	struct bfo_part parts[PARTS];
	struct bfo_item item = { .path = l->path, .path_len = l->path_len, .first = l->first,
				 .first_len = l->first_len, .attrs = l->attrs, .target = l->target,
				 .target_len = l->target_len, .xattrs.v = l->xattrs.v,
				 .xattrs.n = l->xattrs.n, .parts = parts };
	size_t i;

	for (i = 0; i < l->unwritten.n && i < PARTS; i++)
		parts[i] = (struct bfo_part) { l->unwritten.v[i].start, l->unwritten.v[i].len, 1 };
	item.n_parts = i;
	if (bfo_metadata_put(&s->ctx, s->out, &item))
		fuzz_fail("cannot be written: %s", s->ctx.what);
}

static errcode_t take(void *priv, struct bfo_metadata_line *l)
{
	struct seen *s = priv;
	char name[BFO_XATTR_NAME_MAX];
	size_t i;

	check_line(l);
	if (s->out)
		write_again(s, l);
	s->lines++;
	add(s, l->path, l->path_len);
	add(s, l->first, l->first_len);
	add(s, l->target, l->target_len);
	add(s, &l->attrs, offsetof(struct bfo_attrs, mode));
	add(s, &l->attrs.mode, sizeof(l->attrs.mode));
	add(s, &l->attrs.has_crtime, sizeof(l->attrs.has_crtime));
	for (i = 0; i < l->xattrs.n; i++) {
		add(s, name, bfo_xattr_name(&l->xattrs.v[i], name));
		add(s, l->xattrs.v[i].value, l->xattrs.v[i].size);
	}
	for (i = 0; i < l->unwritten.n && i < PARTS; i++)
		add(s, &l->unwritten.v[i], sizeof(l->unwritten.v[i]));
	return 0;
}

static errcode_t read_all(int fd, struct seen *s)
{
	struct bfo_metadata_reader reader = { .line = take, .priv = s };

	lseek(fd, 0, SEEK_SET);
	return bfo_metadata_read(&s->ctx, fd, "metadata", &reader);
}

/* DATA, as a text that says of itself what it is, and whether it is all of it. */
static int complete(const uint8_t *data, size_t size)
{
	static bfo_chars text;
	char head[64], tail[64];
	int n = snprintf(head, sizeof(head), "%s %d\n", BFO_METADATA_WORD, BFO_METADATA_VERSION);
	uint64_t lines = 1;
	size_t i;

	text.n = 0;
	if (bfo_vec_reserve(&text, size + sizeof(head) + sizeof(tail)))
		fuzz_fail("no memory");
	memcpy(text.v, head, n);
	memcpy(text.v + n, data, size);
	text.n = n + size;
	for (i = 0; i < size; i++)
		lines += data[i] == '\n';
	n = snprintf(tail, sizeof(tail), "end %" PRIu64 " %08" PRIx32 "\n", lines,
		     ~bfo_crc32c(UINT32_MAX, text.v, text.n));
	memcpy(text.v + text.n, tail, n);
	text.n += n;
	return fuzz_archive_file((const uint8_t *) text.v, text.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[64];
	struct seen first = { .sum = 0 }, second = { .sum = 0 };
	int fd, was_read;

	if (!size)
		return 0;
	if (!*path)
		snprintf(path, sizeof(path), "/dev/shm/fuzz-metadata-%d", (int) getpid());
	if (bfo_metadata_open(&first.ctx, path, &first.out))
		fuzz_fail("cannot be opened: %s", first.ctx.what);
	fd = *data & 1 ? fuzz_archive_file(data + 1, size - 1) : complete(data + 1, size - 1);
	was_read = !read_all(fd, &first);
	if (was_read && bfo_metadata_end(&first.ctx, first.out))
		fuzz_fail("cannot be ended: %s", first.ctx.what);
	bfo_metadata_close(first.out);
	if (!was_read)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	unlink(path);
	if (read_all(fd, &second))
		fuzz_fail("what was written cannot be read: %s", second.ctx.what);
	close(fd);
	if (first.lines != second.lines || first.sum != second.sum)
		fuzz_fail("%" PRIu64 " lines, %" PRIu64 " when written and read again",
			  first.lines, second.lines);
	return 0;
}
