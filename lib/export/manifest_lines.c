// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * manifest_lines.c - sha256sum, hashdeep and bodyfile: a line per name, fields in fixed places
 *
 *   sha256sum   digest, two spaces, name; a name that is escaped has a backslash before the digest
 *   hashdeep    size,md5,sha256,name: the name stands last, so commas in it do no harm
 *   bodyfile    md5|name|inode|mode|uid|gid|size|atime|mtime|ctime|crtime
 *
 * The first two are of regular files only, as the tools that check them are.  A name of hashdeep
 * cannot have a newline, or end in a carriage return, which is taken for a part of the line's end.
 * bodyfile has ^ for control characters, as fls(1) writes them, and %XX, which mactime(1) decodes,
 * for the two that would be taken for something else.
 */
#include <string.h>
#include <sys/stat.h>

#include "export/manifest_writer.h"

/* ---- sha256sum, hashdeep ---- */

static void not_read(struct bfo_sheet *s, const struct bfo_item *item)
{
	if (S_ISREG(item->attrs.mode))
		bfo_manifest_put_comment(s, "# cannot be read: ", item->path, item->path_len);
}

static void begin_sha256sum(struct bfo_sheet *s, const struct bfo_manifest_about *about)
{
	if (about->source)
		bfo_manifest_put_comment(s, "# source: ", about->source, strlen(about->source));
}

/* The letter that stands for C behind a backslash, or 0. */
static char escape_of(char c)
{
	return c == '\n' ? 'n' : c == '\r' ? 'r' : c == '\\' ? '\\' : 0;
}

static int put_sha256sum(struct bfo_sheet *s, const struct bfo_item *item,
			 const struct bfo_sums *sums)
{
	int is_odd = 0;
	size_t i;

	if (!sums) {
		not_read(s, item);
		return 1;
	}
	for (i = 0; i < item->path_len; i++)
		is_odd |= escape_of(item->path[i]) != 0;
	if (is_odd)
		bfo_sheet_text(s, "\\");
	bfo_sheet_hex(s, sums->sha256, sizeof(sums->sha256));
	bfo_sheet_text(s, "  ./");
	for (i = 0; i < item->path_len; i++) {
		char c = item->path[i], letter = escape_of(c);

		bfo_sheet_bytes(s, letter ? "\\" : &c, 1);
		bfo_sheet_bytes(s, &letter, letter != 0);
	}
	bfo_sheet_text(s, "\n");
	return 1;
}

static void begin_hashdeep(struct bfo_sheet *s, const struct bfo_manifest_about *about)
{
	bfo_sheet_text(s, "%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n");
	if (about->source)
		bfo_manifest_put_comment(s, "## source: ", about->source, strlen(about->source));
}

static int put_hashdeep(struct bfo_sheet *s, const struct bfo_item *item,
			const struct bfo_sums *sums)
{
	if (!sums) {
		not_read(s, item);
		return 1;
	}
	if (memchr(item->path, '\n', item->path_len) || item->path[item->path_len - 1] == '\r')
		return 0;
	bfo_sheet_format(s, "%llu,", (unsigned long long) item->attrs.size);
	bfo_sheet_hex(s, sums->md5, sizeof(sums->md5));
	bfo_sheet_text(s, ",");
	bfo_sheet_hex(s, sums->sha256, sizeof(sums->sha256));
	bfo_sheet_text(s, ",./");
	bfo_sheet_bytes(s, item->path, item->path_len);
	bfo_sheet_text(s, "\n");
	return 1;
}

/* ---- bodyfile ---- */

/* Four times the same, so that mactime(1) has one line for it. */
static void put_volume_time(struct bfo_sheet *s, const char *what, int64_t sec)
{
	long long t = sec;

	if (sec)
		bfo_sheet_format(s, "0|/$Superblock (%s)|0|V/V---------|0|0|0|"
				 "%lld|%lld|%lld|%lld\n", what, t, t, t, t);
}

static void begin_bodyfile(struct bfo_sheet *s, const struct bfo_manifest_about *about)
{
	put_volume_time(s, "made", about->made);
	put_volume_time(s, "mounted", about->mounted);
	put_volume_time(s, "written", about->written);
	put_volume_time(s, "checked", about->checked);
}

static void put_shown(struct bfo_sheet *s, const char *text, size_t len)
{
	for (; len; text++, len--) {
		unsigned char c = *text;

		if (c == '%' || c == '|')
			bfo_sheet_format(s, "%%%02X", c);
		else
			bfo_sheet_bytes(s, c < 0x20 ? "^" : text, 1);
	}
}

/*
 * "r/rrwxr-xr-x": the type by the directory (NAMED: '-' if none has it), the type by the inode, who
 * may what.
 */
static void put_mode(struct bfo_sheet *s, uint16_t mode, int named)
{
	char letter = bfo_manifest_type_of(mode).letter;
	char text[] = "x/xrwxrwxrwx";
	int i;

	text[0] = named ? letter : '-';
	text[2] = S_ISSOCK(mode) ? 'h' : letter;
	for (i = 0; i < 9; i++)
		if (!(mode & (0400 >> i)))
			text[3 + i] = '-';
	if (mode & S_ISUID)
		text[5] = mode & S_IXUSR ? 's' : 'S';
	if (mode & S_ISGID)
		text[8] = mode & S_IXGRP ? 's' : 'S';
	if (mode & S_ISVTX)
		text[11] = mode & S_IXOTH ? 't' : 'T';
	bfo_sheet_text(s, text);
}

/* What the size of a file of this type means. */
static uint64_t size_of(const struct bfo_item *item)
{
	if (S_ISLNK(item->attrs.mode))
		return item->target_len;
	return S_ISREG(item->attrs.mode) ? item->attrs.size : 0;
}

/* What stands behind the name. */
static void put_inode(struct bfo_sheet *s, uint64_t ino, const struct bfo_attrs *a, int named,
		      uint64_t size)
{
	bfo_sheet_format(s, "|%llu|", (unsigned long long) ino);
	put_mode(s, a->mode, named);
	bfo_sheet_format(s, "|%u|%u|%llu|%lld|%lld|%lld|%lld\n", a->uid, a->gid,
			 (unsigned long long) size, (long long) a->sec[BFO_ATIME],
			 (long long) a->sec[BFO_MTIME], (long long) a->sec[BFO_CTIME],
			 (long long) (a->has_crtime ? a->sec[BFO_CRTIME] : 0));
}

void bfo_manifest_put_deleted(struct bfo_sheet *s, uint32_t ino, const struct bfo_attrs *a)
{
	bfo_sheet_format(s, "0|<%u> (deleted)", ino);
	put_inode(s, ino, a, 0, a->size);
}

static int put_bodyfile(struct bfo_sheet *s, const struct bfo_item *item,
			const struct bfo_sums *sums)
{
	const struct bfo_attrs *a = &item->attrs;

	if (sums && (sums->which & BFO_SUM_MD5))
		bfo_sheet_hex(s, sums->md5, sizeof(sums->md5));
	else
		bfo_sheet_text(s, "0");
	bfo_sheet_text(s, "|/");
	put_shown(s, item->path, item->path_len);
	if (S_ISLNK(a->mode)) {
		bfo_sheet_text(s, " -> ");
		put_shown(s, item->target, item->target_len);
	}
	put_inode(s, item->ino, a, 1, size_of(item));
	return 1;
}

const struct bfo_manifest_writer bfo_manifest_sha256sum = {
	begin_sha256sum, put_sha256sum, NULL, 1
};
const struct bfo_manifest_writer bfo_manifest_hashdeep = { begin_hashdeep, put_hashdeep, NULL, 1 };
const struct bfo_manifest_writer bfo_manifest_bodyfile = { begin_bodyfile, put_bodyfile, NULL, 0 };
