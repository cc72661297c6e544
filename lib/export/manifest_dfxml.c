// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * manifest_dfxml.c - Digital Forensics XML: an object per name
 *
 * Elements have the order that the schema of the DFXML working group demands.  XML has neither most
 * control characters nor bytes that are not UTF-8: they become U+FFFD, and an attribute
 * original_bytes_base64 has the whole text.  The working group wants that name (its issue 34); as
 * its schema has no such attribute yet, but allows others, it is in our namespace.  So are numbers
 * of devices.  Byte runs say which parts of a file are no holes; those that are filled with zeroes
 * are allocated, but were never written.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/base64.h"
#include "base/text.h"
#include "export/manifest_writer.h"

#define NAMESPACE "http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML"
#define UNKNOWN "\xef\xbf\xbd"		/* U+FFFD */

/* Length of the character at P that XML can hold, 0: it cannot. */
static int xml_length(const char *p, size_t len)
{
	int n = bfo_text_utf8(p, len);

	if (n == 1 && (unsigned char) *p < 0x20 && *p != '\t' && *p != '\n' && *p != '\r')
		return 0;
	if (n == 3 && (!memcmp(p, "\xef\xbf\xbe", 3) || !memcmp(p, "\xef\xbf\xbf", 3)))
		return 0;
	return n;
}

static int is_xml(const char *text, size_t len)
{
	size_t i;
	int n;

	for (i = 0; i < len; i += n) {
		n = xml_length(text + i, len - i);
		if (!n)
			return 0;
	}
	return 1;
}

/* (Parsers take line ends as they come for one newline.  So these are written by number.) */
static void put_char(struct bfo_sheet *s, const char *p, int len)
{
	switch (*p) {
	case '&':	bfo_sheet_text(s, "&amp;"); break;
	case '<':	bfo_sheet_text(s, "&lt;"); break;
	case '>':	bfo_sheet_text(s, "&gt;"); break;
	case '\t': case '\n': case '\r':
		bfo_sheet_format(s, "&#%d;", *p);
		break;
	default:	bfo_sheet_bytes(s, p, len);
	}
}

static void put_base64(struct bfo_sheet *s, const char *bytes, size_t len)
{
	char digits[BFO_BASE64_DIGITS];
	size_t i;

	for (i = 0; i < len; i += 3) {
		bfo_base64_put(bytes + i, len - i, digits);
		bfo_sheet_bytes(s, digits, sizeof(digits));
	}
}

/* An element that holds TEXT, any bytes. */
static void put_text(struct bfo_sheet *s, const char *element, const char *text, size_t len)
{
	size_t i;
	int n;

	bfo_sheet_format(s, "<%s", element);
	if (!is_xml(text, len)) {
		bfo_sheet_text(s, " e2bfo:" BFO_DFXML_BYTES "='");
		put_base64(s, text, len);
		bfo_sheet_text(s, "'");
	}
	bfo_sheet_text(s, ">");
	for (i = 0; i < len; i += n) {
		n = xml_length(text + i, len - i);
		if (n) {
			put_char(s, text + i, n);
		} else {
			bfo_sheet_text(s, UNKNOWN);
			n = 1;
		}
	}
	bfo_sheet_format(s, "</%s>\n", element);
}

static void put_number(struct bfo_sheet *s, const char *element, uint64_t value)
{
	bfo_sheet_format(s, "<%s>%llu</%s>\n", element, (unsigned long long) value, element);
}

static void put_time(struct bfo_sheet *s, const char *element, int64_t sec, uint32_t nsec)
{
	time_t t = sec;
	struct tm tm;
	long long year;

	if (!gmtime_r(&t, &tm))
		return;				/* a year that nobody has a number for */
	year = tm.tm_year + 1900LL;
	bfo_sheet_format(s, "<%s>%s%04lld-%02d-%02dT%02d:%02d:%02d.%09uZ</%s>\n", element,
			 year < 0 ? "-" : "", llabs(year), tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
			 tm.tm_min, tm.tm_sec, nsec, element);
}

static void put_digest(struct bfo_sheet *s, const char *type, const uint8_t *sum, size_t len)
{
	bfo_sheet_format(s, "<hashdigest type='%s'>", type);
	bfo_sheet_hex(s, sum, len);
	bfo_sheet_text(s, "</hashdigest>\n");
}

static void begin(struct bfo_sheet *s, const struct bfo_manifest_about *about)
{
	bfo_sheet_text(s, "<?xml version='1.0' encoding='UTF-8'?>\n"
			  "<dfxml xmlns='" NAMESPACE "'\n"
			  " xmlns:e2bfo='" BFO_DFXML_NAMESPACE "' version='1.2.0'>\n"
			  "<metadata/>\n<creator>\n<program>e2bfo</program>\n"
			  "<version>" PACKAGE_VERSION "</version>\n</creator>\n<source>\n");
	if (about->source)
		put_text(s, "image_filename", about->source, strlen(about->source));
	bfo_sheet_text(s, "</source>\n<volume>\n");
	if (about->block_size)
		put_number(s, "block_size", about->block_size);
}

static void put_times(struct bfo_sheet *s, const struct bfo_attrs *a)
{
	put_time(s, "mtime", a->sec[BFO_MTIME], a->nsec[BFO_MTIME]);
	put_time(s, "ctime", a->sec[BFO_CTIME], a->nsec[BFO_CTIME]);
	put_time(s, "atime", a->sec[BFO_ATIME], a->nsec[BFO_ATIME]);
	if (a->has_crtime)
		put_time(s, "crtime", a->sec[BFO_CRTIME], a->nsec[BFO_CRTIME]);
}

static void put_runs(struct bfo_sheet *s, const struct bfo_item *item)
{
	size_t i;

	bfo_sheet_text(s, "<byte_runs>\n");
	for (i = 0; i < item->n_parts; i++)
		bfo_sheet_format(s, "<byte_run file_offset='%llu' len='%llu'%s/>\n",
				 (unsigned long long) item->parts[i].from,
				 (unsigned long long) item->parts[i].len,
				 item->parts[i].is_unwritten ? " fill='0'" : "");
	bfo_sheet_text(s, "</byte_runs>\n");
}

static void put_what_it_is(struct bfo_sheet *s, const struct bfo_item *item)
{
	const struct bfo_attrs *a = &item->attrs;
	struct bfo_manifest_type type = bfo_manifest_type_of(a->mode);

	bfo_sheet_format(s, "<name_type>%c</name_type>\n", type.letter);
	if (S_ISREG(a->mode))
		put_number(s, "filesize", a->size);
	bfo_sheet_text(s, "<alloc_inode>1</alloc_inode>\n<alloc_name>1</alloc_name>\n");
	if (item->ino)
		put_number(s, "inode", item->ino);
	put_number(s, "meta_type", type.number);
	put_number(s, "mode", a->mode & 07777);
	if (!S_ISDIR(a->mode))
		put_number(s, "nlink", item->names);
	put_number(s, "uid", a->uid);
	put_number(s, "gid", a->gid);
	put_times(s, a);
	put_number(s, "seq", a->generation);
}

static int put(struct bfo_sheet *s, const struct bfo_item *item, const struct bfo_sums *sums)
{
	const struct bfo_attrs *a = &item->attrs;

	bfo_sheet_text(s, "<fileobject>\n");
	put_text(s, "filename", item->path_len ? item->path : ".",
		 item->path_len ? item->path_len : 1);
	if (S_ISREG(a->mode) && !sums)
		bfo_sheet_text(s, "<error>cannot be read</error>\n");
	put_what_it_is(s, item);
	if (S_ISLNK(a->mode))
		put_text(s, "link_target", item->target, item->target_len);
	if (S_ISREG(a->mode) && !item->first)
		put_runs(s, item);
	if (sums && (sums->which & BFO_SUM_MD5))
		put_digest(s, "md5", sums->md5, sizeof(sums->md5));
	if (sums)
		put_digest(s, "sha256", sums->sha256, sizeof(sums->sha256));
	if (S_ISCHR(a->mode) || S_ISBLK(a->mode))
		bfo_sheet_format(s, "<e2bfo:device major='%u' minor='%u'/>\n", a->major, a->minor);
	bfo_sheet_text(s, "</fileobject>\n");
	return 1;
}

static void end(struct bfo_sheet *s)
{
	bfo_sheet_text(s, "</volume>\n</dfxml>\n");
}

const struct bfo_manifest_writer bfo_manifest_dfxml = { begin, put, end, 0 };
