// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * manifest.c - writers of lists of files with their digests
 *
 * Here is what all formats have in common: they are rows of a table, and write to a sheet, which
 * keeps the first error and the digest for the trailer.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "export/manifest_writer.h"

struct bfo_manifest {
	struct bfo_context *ctx;
	char *name;
	const struct bfo_manifest_writer *writer;
	struct bfo_sheet sheet;
	unsigned int sums;		/* that every regular file has to have */
	uint64_t left_out;
};

static const struct bfo_manifest_writer *const writers[BFO_MANIFEST_FORMATS] = {
	[BFO_MANIFEST_MTREE] = &bfo_manifest_mtree,
	[BFO_MANIFEST_SHA256SUM] = &bfo_manifest_sha256sum,
	[BFO_MANIFEST_HASHDEEP] = &bfo_manifest_hashdeep,
	[BFO_MANIFEST_DFXML] = &bfo_manifest_dfxml,
	[BFO_MANIFEST_BODYFILE] = &bfo_manifest_bodyfile,
};

struct bfo_manifest_type bfo_manifest_type_of(uint16_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:	return (struct bfo_manifest_type) { 'r', 1, "file" };
	case S_IFDIR:	return (struct bfo_manifest_type) { 'd', 2, "dir" };
	case S_IFIFO:	return (struct bfo_manifest_type) { 'p', 3, "fifo" };
	case S_IFCHR:	return (struct bfo_manifest_type) { 'c', 4, "char" };
	case S_IFBLK:	return (struct bfo_manifest_type) { 'b', 5, "block" };
	case S_IFLNK:	return (struct bfo_manifest_type) { 'l', 6, "link" };
	case S_IFSOCK:	return (struct bfo_manifest_type) { 's', 8, "socket" };
	default:	return (struct bfo_manifest_type) { '-', 0, NULL };
	}
}

void bfo_manifest_put_comment(struct bfo_sheet *s, const char *before, const char *text,
			      size_t len)
{
	char shown[4096];

	bfo_sheet_text(s, before);
	bfo_sheet_text(s, bfo_text_escape(text, len, shown, sizeof(shown)));
	bfo_sheet_text(s, "\n");
}

static errcode_t failed(struct bfo_manifest *m)
{
	if (!m->sheet.err)
		return 0;
	return bfo_fail(m->ctx, m->sheet.err, "writing %s", m->name);
}

errcode_t bfo_manifest_open(struct bfo_context *ctx, enum bfo_manifest_format format, int fd,
			    const char *name, const struct bfo_manifest_about *about,
			    struct bfo_manifest **made)
{
	struct bfo_manifest *m = calloc(1, sizeof(*m));
	errcode_t err;

	*made = NULL;
	if (!m)
		return bfo_fail(ctx, ENOMEM, "writing %s", name);
	m->ctx = ctx;
	m->writer = writers[format];
	if (format != BFO_MANIFEST_BODYFILE)
		m->sums = bfo_manifest_sums(format);
	bfo_sheet_open(&m->sheet, fd, m->writer->has_trailer);
	m->name = strdup(name);
	if (!m->name) {
		bfo_manifest_close(m);
		return bfo_fail(ctx, ENOMEM, "writing %s", name);
	}
	m->writer->begin(&m->sheet, about);
	err = failed(m);
	if (err)
		bfo_manifest_close(m);
	else
		*made = m;
	return err;
}

errcode_t bfo_manifest_put(struct bfo_manifest *m, const struct bfo_item *item,
			   const struct bfo_sums *sums)
{
	assert(!sums || (S_ISREG(item->attrs.mode) && !(m->sums & ~sums->which)));
	if (!m->writer->put(&m->sheet, item, sums))
		m->left_out++;
	return failed(m);
}

uint64_t bfo_manifest_left_out(const struct bfo_manifest *m)
{
	return m->left_out;
}

errcode_t bfo_manifest_end(struct bfo_manifest *m)
{
	if (m->writer->end)
		m->writer->end(&m->sheet);
	if (m->writer->has_trailer)
		bfo_sheet_seal(&m->sheet, BFO_MANIFEST_TRAILER);
	bfo_sheet_flush(&m->sheet);
	return failed(m);
}

void bfo_manifest_close(struct bfo_manifest *m)
{
	if (!m)
		return;
	bfo_sheet_close(&m->sheet);
	free(m->name);
	free(m);
}
