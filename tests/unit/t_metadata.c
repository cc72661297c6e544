// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_metadata.c - intake/metadata_read: what lines say, and what none can say
 *
 * Expectations are texts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "export/metadata.h"
#include "intake/metadata_read.h"
#include "metadatamade.h"
#include "unit.h"

static struct bfo_context ctx;
static char seen[1 << 16];
static size_t at;

__attribute__((format(printf, 1, 2)))
static void note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	at += vsnprintf(seen + at, sizeof(seen) - at, fmt, ap);
	va_end(ap);
	want(at < sizeof(seen));
}

static void note_bytes(const char *what, const void *bytes, size_t len)
{
	char text[1024];

	note("%s%s", what, bfo_text_escape(bytes, len, text, sizeof(text)));
}

static errcode_t note_line(void *priv, struct bfo_metadata_line *l)
{
	const struct bfo_attrs *a = &l->attrs;
	size_t i;

	(void) priv;
	want_eq(strlen(l->path), l->path_len);
	note("%d:%s %o %u,%u,%u", (int) l->line, l->path, a->mode, a->uid, a->gid, a->project);
	for (i = 0; i < BFO_TIMES; i++)
		note(" %" PRId64 ".%u", a->sec[i], a->nsec[i]);
	note("%s g%u v%" PRIu64 " f%x s%" PRIu64, a->has_crtime ? "!" : "", a->generation,
	     a->version, a->flags, a->size);
	if (a->major || a->minor)
		note(" d%u,%u", a->major, a->minor);
	if (l->target)
		note_bytes(" >", l->target, l->target_len);
	if (l->first)
		note(" =%s", l->first);
	for (i = 0; i < l->xattrs.n; i++) {
		note(" x%u", l->xattrs.v[i].name_index);
		note_bytes(":", l->xattrs.v[i].name, l->xattrs.v[i].name_len);
		note_bytes("=", l->xattrs.v[i].value, l->xattrs.v[i].size);
	}
	for (i = 0; i < l->unwritten.n; i++)
		note(" u%" PRIu64 "+%" PRIu64, l->unwritten.v[i].start, l->unwritten.v[i].len);
	note("\n");
	return 0;
}

static errcode_t read_text(const char *text, size_t len)
{
	struct bfo_metadata_reader reader = { .line = note_line };
	int fd = memfd_create("metadata", MFD_CLOEXEC);
	errcode_t err;

	want(write(fd, text, len) == (ssize_t) len && !lseek(fd, 0, SEEK_SET));
	at = 0;
	*seen = 0;
	err = bfo_metadata_read(&ctx, fd, "x", &reader);
	close(fd);
	return err;
}

static void want_seen(const char *body, const char *expect)
{
	char *text = metadata_whole(body);
	errcode_t err = read_text(text, strlen(text));

	free(text);
	if (err)
		ck_abort_msg("%s: %s while %s", body, error_message(err), ctx.what);
	ck_assert_str_eq(seen, expect);
}

/* WHY: "LINE: what" */
static void want_damaged(const char *text, size_t len, const char *why)
{
	errcode_t err = read_text(text, len);
	char what[256];

	if (err != BFO_ET_DAMAGED)
		ck_abort_msg("%s: %s instead of %s", text, err ? error_message(err) : "read", why);
	snprintf(what, sizeof(what), "reading line %d of x%s", atoi(why), strchr(why, ':'));
	ck_assert_str_eq(ctx.what, what);
}

#define REST " 100644 1,2,3 4.0 5.0 6.0 0.0 g7 v8 f0 s10"

START_TEST(reads_lines)
{
	want_seen("", "");
	want_seen("./a" FILE_ALL "\n", "2:a" REST "\n");
	want_seen("." ALL " type=d\n", "2: 40644 1,2,3 4.0 5.0 6.0 0.0 g7 v8 f0 s0\n");
	want_seen("./a/b\\040c\\134/\\303\\251 mode=7777 size=9223372036854775807 uid=4294967295"
		  " gid=0 project=4294967295 mtime=-2147483648.000000001"
		  " atime=15032385535.999999999 ctime=-1.1073741823 crtime=9.000000010"
		  " generation=4294967295 version=18446744073709551615 flags=0xffffffff type=f\n",
		  "2:a/b c\\/\303\251 107777 4294967295,0,4294967295 -2147483648.1"
		  " 15032385535.999999999 -1.1073741823 9.10! g4294967295"
		  " v18446744073709551615 fffffffff s9223372036854775807\n");
	want_seen("./l type=l target=\\056./x\\075" ALL " first=./k\n./c type=c device=1,2" ALL
		  "\n./b device=4095,1048575 type=b" ALL "\n./p type=p" ALL "\n./s type=s" ALL "\n",
		  "2:l 120644 1,2,3 4.0 5.0 6.0 0.0 g7 v8 f0 s5 >../x= =k\n"
		  "3:c 20644 1,2,3 4.0 5.0 6.0 0.0 g7 v8 f0 s0 d1,2\n"
		  "4:b 60644 1,2,3 4.0 5.0 6.0 0.0 g7 v8 f0 s0 d4095,1048575\n"
		  "5:p 10644 1,2,3 4.0 5.0 6.0 0.0 g7 v8 f0 s0\n"
		  "6:s 140644 1,2,3 4.0 5.0 6.0 0.0 g7 v8 f0 s0\n");
	want_seen("./a" FILE_ALL " xattr.user.\\075=41 xattr.trusted.t= xattr.security.s=2B2c"
		  " xattr.system.posix_acl_access=01 xattr.system.posix_acl_default=02"
		  " xattr.system.richacl=03 xattr.system.other=04 xattr.9:c=05 xattr.255:\\000=06"
		  " xattr.odd=07 xattr.256:x=08 xattr.1:x=09 unwritten=4096+8192"
		  " unwritten=0+18446744073709551615\n",
		  "2:a" REST " x1:==A x4:t= x6:s=+, x2:=\\x01 x3:=\\x02 x8:=\\x03 x7:other=\\x04"
		  " x9:c=\\x05 x255:\\x00=\\x06 x0:odd=\\x07 x0:256:x=\\x08 x0:1:x=\\x09"
		  " u4096+8192 u0+18446744073709551615\n");
}
END_TEST

static const struct {
	const char *line, *why;
} damaged_lines[] = {
	{ "/a" FILE_ALL, "2: no such path" },
	{ "a" FILE_ALL, "2: no such path" },
	{ "./" FILE_ALL, "2: no such path" },
	{ ".a" FILE_ALL, "2: no such path" },
	{ "..", "2: a field is missing" },
	{ ".." FILE_ALL, "2: no such path" },
	{ "./../a" FILE_ALL, "2: no such path" },
	{ "./a/.." FILE_ALL, "2: no such path" },
	{ "./a/./b" FILE_ALL, "2: no such path" },
	{ "./a//b" FILE_ALL, "2: no such path" },
	{ "./a/" FILE_ALL, "2: no such path" },
	{ "./a\\057\\056\\056" FILE_ALL, "2: no such path" },
	{ "./\\000" FILE_ALL, "2: no such path" },
	{ "./\\40" FILE_ALL, "2: no such path" },
	{ "./\\400" FILE_ALL, "2: no such path" },
	{ "./\\08 " FILE_ALL, "2: no such field" },
	{ "./\\n" FILE_ALL, "2: no such path" },
	{ "./\303" FILE_ALL, "2: no such path" },
	{ "./\t" FILE_ALL, "2: no such path" },
	{ "./a" FILE_ALL "\r", "2: it has not the end of a line" },
	{ "./a  type=f", "2: no such field" },
	{ "./a type", "2: no such field" },
	{ "./a typ=f", "2: no such field" },
	{ "./a type=x", "2: no such value" },
	{ "./a type=", "2: no such value" },
	{ "./a type=ff", "2: no such value" },
	{ "./a type=f type=f", "2: a field stands twice" },
	{ "./a mode=10000", "2: no such value" },
	{ "./a mode=8", "2: no such value" },
	{ "./a uid=4294967296", "2: no such value" },
	{ "./a uid=", "2: no such value" },
	{ "./a gid=-1", "2: no such value" },
	{ "./a project=+1", "2: no such value" },
	{ "./a size=9223372036854775808", "2: no such value" },
	{ "./a generation=0x1", "2: no such value" },
	{ "./a version=18446744073709551616", "2: no such value" },
	{ "./a flags=0x", "2: no such value" },
	{ "./a flags=0x123456789", "2: no such value" },
	{ "./a flags=12", "2: no such value" },
	{ "./a flags=0xg", "2: no such value" },
	{ "./a mtime=1", "2: no such value" },
	{ "./a mtime=1.5", "2: no such value" },
	{ "./a mtime=--1.000000000", "2: no such value" },
	{ "./a mtime=.000000000", "2: no such value" },
	{ "./a atime=1.1073741824", "2: no such value" },
	{ "./a ctime=-2147483649.000000000", "2: no such value" },
	{ "./a crtime=15032385536.000000000", "2: no such value" },
	{ "./a device=1", "2: no such value" },
	{ "./a device=1,2,3", "2: no such value" },
	{ "./a target=", "2: no such value" },
	{ "./a target=a\\000", "2: no such value" },
	{ "./a first=.", "2: no such value" },
	{ "./a first=./a/../b", "2: no such value" },
	{ "./a unwritten=1", "2: no such value" },
	{ "./a unwritten=1+0", "2: no such value" },
	{ "./a unwritten=1+18446744073709551615", "2: no such value" },
	{ "./a xattr.=00", "2: no such field" },
	{ "./a xattr.9:", "2: no such field" },
	{ "./a xattr.system.data=00", "2: no such extended attribute" },
	{ "./a xattr.user.\\9=00", "2: no such extended attribute" },
	{ "./a xattr.user.a=0", "2: no such value" },
	{ "./a xattr.user.a=0g", "2: no such value" },
	{ "./a type=f" ALL, "2: a field is missing" },
	{ "./a type=l" ALL, "2: a field is missing" },
	{ "./a type=c" ALL, "2: a field is missing" },
	{ "./a size=1" ALL, "2: a field is missing" },
	{ "./a type=d size=1" ALL, "2: a field that its type does not have" },
	{ "./a type=d first=./b" ALL, "2: a field that its type does not have" },
	{ "./a type=d unwritten=1+1" ALL, "2: a field that its type does not have" },
	{ "./a target=x" FILE_ALL, "2: a field that its type does not have" },
	{ "./a device=1,2" FILE_ALL, "2: a field that its type does not have" },
};

START_TEST(refuses_lines)
{
	char line[1024], *text;

	snprintf(line, sizeof(line), "%s\n", damaged_lines[_i].line);
	text = metadata_whole(line);
	want_damaged(text, strlen(text), damaged_lines[_i].why);
	free(text);
}
END_TEST

/* Every part of a line that has to be there is missed. */
START_TEST(misses_fields)
{
	static const char line[] = FILE_ALL;
	const char *from, *end;
	char body[1024], *text;

	for (from = line; *from; from = end) {
		end = from + 1 + strcspn(from + 1, " ");
		snprintf(body, sizeof(body), "./a%.*s%s\n", (int) (from - line), line, end);
		text = metadata_whole(body);
		want_damaged(text, strlen(text), "2: a field is missing");
		free(text);
	}
}
END_TEST

static void want_long(const char *field, size_t len, const char *why)
{
	char *body = unit_alloc(len + 1024), *text;

	sprintf(body, "./a%s %s=", strcmp(field, "target") ? FILE_ALL : " type=l" ALL, field);
	memset(body + strlen(body), '0', len);
	strcat(body, "\n");
	text = metadata_whole(body);
	if (why)
		want_damaged(text, strlen(text), why);
	else
		want_ok(read_text(text, strlen(text)));
	free(text);
	free(body);
}

START_TEST(has_limits)
{
	char body[1024] = "./", *text;

	want_long("target", 4095, NULL);
	want_long("target", 4096, "2: no such value");
	want_long("xattr.user.a", 2 << 16, NULL);
	want_long("xattr.user.a", (2 << 16) + 2, "2: no such value");
	memset(body + 2, 'n', 256);
	strcpy(body + 258, FILE_ALL "\n");
	text = metadata_whole(body);
	want_damaged(text, strlen(text), "2: no such path");
	free(text);
	memmove(body + 2, body + 3, strlen(body + 2));
	text = metadata_whole(body);
	want_ok(read_text(text, strlen(text)));
	free(text);
}
END_TEST

START_TEST(refuses_texts)
{
	char *text = metadata_whole("./a" FILE_ALL "\n./b" FILE_ALL "\n");
	size_t len = strlen(text), i, line = 1;
	char why[64], *end = strstr(text, "end ");

	want_damaged("", 0, "0: the text ends early");
	want_damaged("e2bfo-metadata 2\n", 17, "1: another version of the format");
	want_damaged("e2bfo-metadata 11\n", 18, "1: another version of the format");
	want_damaged("e2bfo-metadatb 1\n", 17, "1: it does not begin with e2bfo-metadata");
	want_damaged("#\n", 2, "1: it does not begin with e2bfo-metadata");
	want_damaged(HEAD "end 1 00000000\n", sizeof(HEAD) + 14,
		     "2: count or checksum of the lines above is wrong");
	/* cut anywhere */
	for (i = 1; i < len; i++) {
		int is_cut = text[i - 1] != '\n';

		snprintf(why, sizeof(why), "%zu: %s", line, is_cut ?
			 "it has not the end of a line" : "the text ends early");
		want_damaged(text, i, why);
		line += !is_cut;
	}
	/* any byte of it */
	for (i = 0; i < len; i++) {
		text[i] ^= 1;
		want_err(read_text(text, len), BFO_ET_DAMAGED);
		text[i] ^= 1;
	}
	want_ok(read_text(text, len));
	end[4]++;
	want_damaged(text, len, "4: count or checksum of the lines above is wrong");
	end[4]--;
	text[len] = '\n';
	want_damaged(text, len + 1, "5: it stands behind the end");
	free(text);
}
END_TEST

/* What the writer has written is read as it was. */
START_TEST(reads_what_is_written)
{
	static const struct bfo_part parts[] = { { 0, 4096, 0 }, { 4096, 8192, 1 } };
	struct bfo_xattr xattrs[] = {
		{ .name_index = BFO_XATTR_USER, .name = "a =\\\n\377", .name_len = 6,
		  .value = "\0\177 ", .size = 3 },
		{ .name_index = 9, .name = "c", .name_len = 1, .value = "", .size = 0 },
	};
	struct bfo_item item = { .path = "d/\n \\=\377", .path_len = 7, .first = "x", .first_len = 1,
				 .attrs = { .mode = S_IFREG | 04711, .size = 5, .uid = 1, .gid = 2,
					    .project = 3, .sec = { -4, 5, 6, 7 },
					    .nsec = { 1, 2, 3, 4 }, .generation = 8, .version = 9,
					    .flags = 0x10, .has_crtime = 1 },
				 .xattrs = { .v = xattrs, .n = 2 }, .parts = parts, .n_parts = 2 };
	struct bfo_metadata_reader reader = { .line = note_line };
	char *path = unit_path("metadata");
	struct bfo_metadata *m;
	FILE *f;

	want_ok(bfo_metadata_open(&ctx, path, &m));
	want_ok(bfo_metadata_put(&ctx, m, &item));
	want_ok(bfo_metadata_end(&ctx, m));
	bfo_metadata_close(m);
	f = fopen(path, "r");
	want(f);
	at = 0;
	want_ok(bfo_metadata_read(&ctx, fileno(f), "x", &reader));
	fclose(f);
	ck_assert_str_eq(seen, "2:d/\n \\=\377 104711 1,2,3 -4.1 5.2 6.3 7.4! g8 v9 f10 s5 =x"
			 " x1:a =\\x5c\\x0a\377=\\x00\\x7f  x9:c= u4096+8192\n");
	want(!unlink(path));
	free(path);
}
END_TEST

#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))

Suite *metadata_suite(void)
{
	Suite *s = suite_create("metadata");

	unit_case(s, "reads lines", reads_lines, 0);
	unit_case(s, "refuses lines", refuses_lines, COUNT(damaged_lines));
	unit_case(s, "misses fields", misses_fields, 0);
	unit_case(s, "has limits", has_limits, 0);
	unit_case(s, "refuses texts", refuses_texts, 0);
	unit_case(s, "reads what is written", reads_what_is_written, 0);
	return s;
}
