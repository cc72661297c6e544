// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * metadata.c - a text that says all of a tree but its data
 *
 *   e2bfo-metadata 1
 *   ./PATH type=f mode=0644 ... 		an item each, in the order in which they come
 *   end LINES CRC				of all before it
 *
 * Lines go through a buffer, the checksum over what is in it when it is written.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/metadata_format.h"
#include "base/temporary.h"
#include "export/metadata.h"

#define FLUSH_BYTES (64U << 10)

struct bfo_metadata {
	char *path, *temporary;		/* the latter until it is renamed */
	int fd;
	bfo_chars text;			/* not yet written */
	errcode_t err;			/* of TEXT: ENOMEM */
	uint64_t lines;
	uint32_t crc;
};

/* ---- text ---- */

static void add(struct bfo_metadata *m, const char *bytes, size_t len)
{
	if (!m->err)
		m->err = bfo_vec_reserve(&m->text, len);
	if (m->err)
		return;
	memcpy(m->text.v + m->text.n, bytes, len);
	m->text.n += len;
}

__attribute__((format(printf, 2, 3)))
static void add_format(struct bfo_metadata *m, const char *fmt, ...)
{
	char text[128];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	add(m, text, len);
}

/* Bytes that could be taken for something else become \ooo. */
static void add_escaped(struct bfo_metadata *m, const char *bytes, size_t len)
{
	size_t i, from = 0;

	for (i = 0; i < len; i++) {
		unsigned char c = bytes[i];

		if (c > ' ' && c < 0x7f && c != '\\' && c != '=')
			continue;
		add(m, bytes + from, i - from);
		add_format(m, "\\%03o", c);
		from = i + 1;
	}
	add(m, bytes + from, len - from);
}

static void add_path(struct bfo_metadata *m, const char *key, const char *path, size_t len)
{
	add(m, key, strlen(key));
	add(m, len ? "./" : ".", len ? 2 : 1);
	add_escaped(m, path, len);
}

static errcode_t flush(struct bfo_context *ctx, struct bfo_metadata *m)
{
	size_t at = 0;
	ssize_t n;

	if (m->err)
		return bfo_fail(ctx, m->err, "writing %s", m->path);
	m->crc = bfo_crc32c(m->crc, m->text.v, m->text.n);
	for (; at < m->text.n; at += n > 0 ? n : 0) {
		n = write(m->fd, m->text.v + at, m->text.n - at);
		if (n < 0 && errno != EINTR)
			return bfo_fail(ctx, errno, "writing %s", m->path);
	}
	m->text.n = 0;
	return 0;
}

/* ---- the file ---- */

errcode_t bfo_metadata_open(struct bfo_context *ctx, const char *path, struct bfo_metadata **out)
{
	struct bfo_metadata *m = calloc(1, sizeof(*m));
	errcode_t err;

	*out = NULL;
	if (!m)
		return bfo_fail(ctx, ENOMEM, "making %s", path);
	if (!access(path, F_OK)) {
		free(m);
		return bfo_fail(ctx, EEXIST, "making %s", path);
	}
	m->crc = UINT32_MAX;
	m->fd = -1;
	m->path = strdup(path);
	err = m->path ? bfo_temporary_make(path, &m->temporary, &m->fd) : ENOMEM;
	if (err) {
		bfo_metadata_close(m);
		return bfo_fail(ctx, err, "making %s", path);
	}
	add_format(m, "%s %d\n", BFO_METADATA_WORD, BFO_METADATA_VERSION);
	m->lines = 1;
	*out = m;
	return 0;
}

void bfo_metadata_close(struct bfo_metadata *m)
{
	if (!m)
		return;
	if (m->fd >= 0)
		close(m->fd);
	if (m->temporary)
		unlink(m->temporary);
	free(m->temporary);
	free(m->path);
	bfo_vec_free(&m->text);
	free(m);
}

errcode_t bfo_metadata_end(struct bfo_context *ctx, struct bfo_metadata *m)
{
	errcode_t err = flush(ctx, m);

	if (err)
		return err;
	add_format(m, "end %" PRIu64 " %08" PRIx32 "\n", m->lines, ~m->crc);
	err = flush(ctx, m);
	if (err)
		return err;
	if (fsync(m->fd) || rename(m->temporary, m->path))
		return bfo_fail(ctx, errno, "writing %s", m->path);
	free(m->temporary);
	m->temporary = NULL;
	return 0;
}

/* ---- items ---- */

static char type_of(uint16_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:	return 'f';
	case S_IFDIR:	return 'd';
	case S_IFLNK:	return 'l';
	case S_IFCHR:	return 'c';
	case S_IFBLK:	return 'b';
	case S_IFIFO:	return 'p';
	default:	return 's';
	}
}

static void add_times(struct bfo_metadata *m, const struct bfo_attrs *a)
{
	static const char *const keys[BFO_TIMES] = {
		[BFO_MTIME] = "mtime", [BFO_ATIME] = "atime",
		[BFO_CTIME] = "ctime", [BFO_CRTIME] = "crtime",
	};
	int t;

	for (t = 0; t < BFO_TIMES; t++)
		if (t != BFO_CRTIME || a->has_crtime)
			add_format(m, " %s=%" PRId64 ".%09" PRIu32, keys[t], a->sec[t],
				   a->nsec[t]);
}

static void add_xattr(struct bfo_metadata *m, const struct bfo_xattr *x)
{
	static const char digits[] = "0123456789abcdef";
	char name[BFO_XATTR_NAME_MAX];
	const uint8_t *value = x->value;
	uint32_t i;

	if (bfo_xattr_is_data(x))
		return;
	add(m, " xattr.", 7);
	add_escaped(m, name, bfo_xattr_name(x, name));
	add(m, "=", 1);
	for (i = 0; i < x->size; i++)
		add(m, (char[2]) { digits[value[i] >> 4], digits[value[i] & 15] }, 2);
}

static void add_item(struct bfo_metadata *m, const struct bfo_item *item)
{
	const struct bfo_attrs *a = &item->attrs;
	size_t i;

	add_path(m, "", item->path, item->path_len);
	add_format(m, " type=%c mode=%04o uid=%" PRIu32 " gid=%" PRIu32 " project=%" PRIu32,
		   type_of(a->mode), a->mode & 07777U, a->uid, a->gid, a->project);
	if (S_ISREG(a->mode))
		add_format(m, " size=%" PRIu64, a->size);
	add_times(m, a);
	add_format(m, " generation=%" PRIu32 " version=%" PRIu64 " flags=0x%" PRIx32,
		   a->generation, a->version, a->flags);
	if (S_ISCHR(a->mode) || S_ISBLK(a->mode))
		add_format(m, " device=%" PRIu32 ",%" PRIu32, a->major, a->minor);
	if (S_ISLNK(a->mode)) {
		add(m, " target=", 8);
		add_escaped(m, item->target, item->target_len);
	}
	if (item->first)
		add_path(m, " first=", item->first, item->first_len);
	for (i = 0; i < item->xattrs.n; i++)
		add_xattr(m, &item->xattrs.v[i]);
	for (i = 0; i < item->n_parts; i++)
		if (item->parts[i].is_unwritten)
			add_format(m, " unwritten=%" PRIu64 "+%" PRIu64, item->parts[i].from,
				   item->parts[i].len);
	add(m, "\n", 1);
	m->lines++;
}

errcode_t bfo_metadata_put(struct bfo_context *ctx, struct bfo_metadata *m,
			   const struct bfo_item *item)
{
	add_item(m, item);
	return m->err || m->text.n >= FLUSH_BYTES ? flush(ctx, m) : 0;
}
