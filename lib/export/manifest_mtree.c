// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * manifest_mtree.c - mtree(5), as bsdtar writes it: whole paths, one line each, nothing inherited
 *
 * Keywords are those that both mtree-netbsd and libarchive know; the former stops at others.  It
 * takes "*", "?" and "[" for a pattern even where they are escaped.  Times are seconds below or at
 * the time, a dot, and nanoseconds.  Of directories and symbolic links neither number of links nor
 * size are listed: they depend on the filesystem.
 */
#include <string.h>
#include <sys/stat.h>
#include <ext2fs/ext2_fs.h>

#include "export/manifest_writer.h"

static void begin(struct bfo_sheet *s, const struct bfo_manifest_about *about)
{
	bfo_sheet_text(s, "#mtree\n");
	if (about->source)
		bfo_manifest_put_comment(s, "# source: ", about->source, strlen(about->source));
}

static int is_plain(unsigned char c)
{
	return c > 0x20 && c < 0x7f && !strchr("\\#=*?[", c);
}

static void put_escaped(struct bfo_sheet *s, const char *text, size_t len)
{
	size_t n;

	for (; len; text++, len--) {
		for (n = 0; n < len && is_plain(text[n]); n++)
			;
		bfo_sheet_bytes(s, text, n);
		text += n;
		len -= n;
		if (!len)
			break;
		bfo_sheet_format(s, "\\%03o", (unsigned char) *text);
	}
}

/* The names that mtree(5) has for flags that Linux has. */
static void put_flags(struct bfo_sheet *s, uint32_t flags)
{
	static const struct {
		uint32_t flag;
		const char *word;
	} rows[] = {
		{ EXT2_APPEND_FL, "sappnd" }, { EXT2_IMMUTABLE_FL, "schg" },
		{ EXT2_NODUMP_FL, "nodump" },
	};
	const char *before = " flags=";
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!(flags & rows[i].flag))
			continue;
		bfo_sheet_text(s, before);
		bfo_sheet_text(s, rows[i].word);
		before = ",";
	}
}

static void put_sums(struct bfo_sheet *s, const struct bfo_sums *sums)
{
	if (sums->which & BFO_SUM_MD5) {
		bfo_sheet_text(s, " md5digest=");
		bfo_sheet_hex(s, sums->md5, sizeof(sums->md5));
	}
	bfo_sheet_text(s, " sha256digest=");
	bfo_sheet_hex(s, sums->sha256, sizeof(sums->sha256));
}

static int put(struct bfo_sheet *s, const struct bfo_item *item, const struct bfo_sums *sums)
{
	const struct bfo_attrs *a = &item->attrs;
	const char *word = bfo_manifest_type_of(a->mode).word;

	bfo_sheet_text(s, item->path_len ? "./" : ".");
	put_escaped(s, item->path, item->path_len);
	if (word)
		bfo_sheet_format(s, " type=%s", word);
	bfo_sheet_format(s, " mode=%04o uid=%u gid=%u", a->mode & 07777, a->uid, a->gid);
	if (!S_ISDIR(a->mode))
		bfo_sheet_format(s, " nlink=%u", item->names);
	if (S_ISREG(a->mode))
		bfo_sheet_format(s, " size=%llu", (unsigned long long) a->size);
	bfo_sheet_format(s, " time=%lld.%09u", (long long) a->sec[BFO_MTIME], a->nsec[BFO_MTIME]);
	if (S_ISCHR(a->mode) || S_ISBLK(a->mode))
		bfo_sheet_format(s, " device=native,%u,%u", a->major, a->minor);
	put_flags(s, a->flags);
	if (S_ISLNK(a->mode)) {
		bfo_sheet_text(s, " link=");
		put_escaped(s, item->target, item->target_len);
	}
	if (sums)
		put_sums(s, sums);
	bfo_sheet_text(s, "\n");
	return 1;
}

const struct bfo_manifest_writer bfo_manifest_mtree = { begin, put, NULL, 1 };
