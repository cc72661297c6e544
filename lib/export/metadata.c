// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * metadata.c - a text that says all of a tree but its data
 *
 *   e2bfo-metadata 1
 *   ./PATH type=f mode=0644 ... 		an item each, in the order in which they come
 *   end LINES CRC				of all before it
 *
 * The file is made with the first item: what is in its way was looked for before.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/metadata_format.h"
#include "base/temporary.h"
#include "export/metadata.h"
#include "export/sheet.h"

struct bfo_metadata {
	char *path, *temporary;		/* the latter from the first item on, until it is renamed */
	int fd;
	struct bfo_sheet sheet;
	uint64_t lines;
};

/* ---- text ---- */

/* Bytes that could be taken for something else become \ooo. */
static void add_escaped(struct bfo_sheet *s, const char *bytes, size_t len)
{
	size_t i, from = 0;

	for (i = 0; i < len; i++) {
		unsigned char c = bytes[i];

		if (c > ' ' && c < 0x7f && c != '\\' && c != '=')
			continue;
		bfo_sheet_bytes(s, bytes + from, i - from);
		bfo_sheet_format(s, "\\%03o", c);
		from = i + 1;
	}
	bfo_sheet_bytes(s, bytes + from, len - from);
}

static void add_path(struct bfo_sheet *s, const char *key, const char *path, size_t len)
{
	bfo_sheet_text(s, key);
	bfo_sheet_text(s, len ? "./" : ".");
	add_escaped(s, path, len);
}

/* ---- the file ---- */

static errcode_t fail(struct bfo_context *ctx, const struct bfo_metadata *m, errcode_t err)
{
	return bfo_fail(ctx, err, "writing %s", m->path);
}

errcode_t bfo_metadata_open(struct bfo_context *ctx, const char *path, struct bfo_metadata **out)
{
	struct bfo_metadata *m = calloc(1, sizeof(*m));
	struct stat st;
	errcode_t err;

	*out = NULL;
	if (!m)
		return bfo_fail(ctx, ENOMEM, "making %s", path);
	m->fd = -1;
	m->path = strdup(path);
	err = !m->path ? ENOMEM : !lstat(path, &st) ? EEXIST : 0;
	if (err) {
		bfo_metadata_close(m);
		return bfo_fail(ctx, err, "making %s", path);
	}
	*out = m;
	return 0;
}

static errcode_t begin(struct bfo_context *ctx, struct bfo_metadata *m)
{
	errcode_t err = bfo_temporary_make(m->path, &m->temporary, &m->fd);

	if (err)
		return bfo_fail(ctx, err, "making %s", m->path);
	bfo_sheet_open(&m->sheet, m->fd, 0);
	bfo_sheet_format(&m->sheet, "%s %d\n", BFO_METADATA_WORD, BFO_METADATA_VERSION);
	m->lines = 1;
	return 0;
}

void bfo_metadata_close(struct bfo_metadata *m)
{
	if (!m)
		return;
	bfo_sheet_close(&m->sheet);
	if (m->fd >= 0)
		close(m->fd);
	if (m->temporary)
		unlink(m->temporary);
	free(m->temporary);
	free(m->path);
	free(m);
}

errcode_t bfo_metadata_end(struct bfo_context *ctx, struct bfo_metadata *m)
{
	struct bfo_sheet *s = &m->sheet;
	errcode_t err = bfo_sheet_flush(s);

	if (!err) {
		bfo_sheet_format(s, "end %" PRIu64 " %08" PRIx32 "\n", m->lines, ~s->crc);
		err = bfo_sheet_flush(s);
	}
	if (!err && fsync(m->fd))
		err = errno;
	if (!err)
		err = bfo_temporary_publish(ctx, m->temporary, m->path, 0);
	if (err)
		return fail(ctx, m, err);
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

static void add_times(struct bfo_sheet *s, const struct bfo_attrs *a)
{
	static const char *const keys[BFO_TIMES] = {
		[BFO_MTIME] = "mtime", [BFO_ATIME] = "atime",
		[BFO_CTIME] = "ctime", [BFO_CRTIME] = "crtime",
	};
	int t;

	for (t = 0; t < BFO_TIMES; t++)
		if (t != BFO_CRTIME || a->has_crtime)
			bfo_sheet_format(s, " %s=%" PRId64 ".%09" PRIu32, keys[t], a->sec[t],
				   a->nsec[t]);
}

static void add_xattr(struct bfo_sheet *s, const struct bfo_xattr *x)
{
	char name[BFO_XATTR_NAME_MAX];

	if (bfo_xattr_is_data(x))
		return;
	bfo_sheet_text(s, " xattr.");
	add_escaped(s, name, bfo_xattr_name(x, name));
	bfo_sheet_text(s, "=");
	bfo_sheet_hex(s, x->value, x->size);
}

static void add_item(struct bfo_sheet *s, const struct bfo_item *item)
{
	const struct bfo_attrs *a = &item->attrs;
	size_t i;

	add_path(s, "", item->path, item->path_len);
	bfo_sheet_format(s, " type=%c mode=%04o uid=%" PRIu32 " gid=%" PRIu32 " project=%" PRIu32,
		   type_of(a->mode), a->mode & 07777U, a->uid, a->gid, a->project);
	if (S_ISREG(a->mode))
		bfo_sheet_format(s, " size=%" PRIu64, a->size);
	add_times(s, a);
	bfo_sheet_format(s, " generation=%" PRIu32 " version=%" PRIu64 " flags=0x%" PRIx32,
		   a->generation, a->version, a->flags);
	if (S_ISCHR(a->mode) || S_ISBLK(a->mode))
		bfo_sheet_format(s, " device=%" PRIu32 ",%" PRIu32, a->major, a->minor);
	if (S_ISLNK(a->mode)) {
		bfo_sheet_text(s, " target=");
		add_escaped(s, item->target, item->target_len);
	}
	if (item->first)
		add_path(s, " first=", item->first, item->first_len);
	for (i = 0; i < item->xattrs.n; i++)
		add_xattr(s, &item->xattrs.v[i]);
	for (i = 0; i < item->n_parts; i++)
		if (item->parts[i].is_unwritten)
			bfo_sheet_format(s, " unwritten=%" PRIu64 "+%" PRIu64, item->parts[i].from,
				   item->parts[i].len);
	bfo_sheet_text(s, "\n");
}

errcode_t bfo_metadata_put(struct bfo_context *ctx, struct bfo_metadata *m,
			   const struct bfo_item *item)
{
	errcode_t err = m->temporary ? 0 : begin(ctx, m);

	if (err)
		return err;
	add_item(&m->sheet, item);
	m->lines++;
	return m->sheet.err ? fail(ctx, m, m->sheet.err) : 0;
}
