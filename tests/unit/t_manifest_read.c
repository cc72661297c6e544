// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_manifest_read.c - intake/manifest_read: what is read of lists of many kinds, and what is none
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "listview.h"
#include "unit.h"

#define SHA "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define MD5 "900150983cd24fb0d6963f7d28e17f72"

static struct bfo_context ctx;

struct reading {
	const char *text, *expect;
};

static void want_read(enum bfo_manifest_format format, const struct reading *rows, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		size_t len = strlen(rows[i].text);
		errcode_t err = listview_read(&ctx, format, rows[i].text, len, NULL);

		if (err)
			ck_abort_msg("%s: %s while %s", rows[i].text, error_message(err), ctx.what);
		ck_assert_str_eq(listview_seen, rows[i].expect);
	}
}

#define WANT_READ(format, ...) do { \
	static const struct reading want_rows[] = { __VA_ARGS__ }; \
	want_read(format, want_rows, sizeof(want_rows) / sizeof(want_rows[0])); } while (0)

/* EXPECT: "LINE: why" */
static void want_damaged(enum bfo_manifest_format format, const struct reading *rows, size_t n)
{
	char what[256];
	size_t i;

	for (i = 0; i < n; i++) {
		size_t len = strlen(rows[i].text);
		errcode_t err = listview_read(&ctx, format, rows[i].text, len, NULL);
		int line = atoi(rows[i].expect);

		if (err != BFO_ET_DAMAGED)
			ck_abort_msg("%s: %s", rows[i].text, error_message(err));
		snprintf(what, sizeof(what), "reading line %d of x%s", line,
			 strchr(rows[i].expect, ':'));
		if (strcmp(ctx.what, what))
			ck_abort_msg("%s\n%s instead of %s", rows[i].text, ctx.what, what);
	}
}

#define WANT_DAMAGED(format, ...) do { \
	static const struct reading want_rows[] = { __VA_ARGS__ }; \
	want_damaged(format, want_rows, sizeof(want_rows) / sizeof(want_rows[0])); } while (0)

START_TEST(reads_mtree)
{
	WANT_READ(BFO_MANIFEST_MTREE,
		{ "", "" },
		{ "\n# comment\n   # another\n\t\n", "" },
		{ "./a\n", "1:a\n" },
		{ "./a", "1:a\n" },
		{ "./a uid=1\r\n", "1:a u1\n" },
		{ "/a//b/./c gid=4294967295\n", "1:a/b/c g4294967295\n" },
		{ ". type=dir mode=01777\n./a type=file mode=644 size=18446744073709551615\n",
		  "1: y4 m1777\n2:a y10 m644 s18446744073709551615\n" },
		/* what is inherited, and what is not */
		{ "/set type=file uid=1 mode=0644 link=x\na\nb uid=2\n/unset uid mode\nc\n"
		  "/unset all\nd\n", "2:a y10 m644 u1\n3:b y10 m644 u2\n5:c y10\n7:d\n" },
		{ "/set md5=" MD5 " time=5\na\n/unset md5digest\nb sha256=" SHA "\n/unset time\nc\n",
		  "2:a t5 M90015098\n4:b t5 Sba7816bf\n6:c\n" },
		/* directories at hand */
		{ ". type=dir\na type=dir\nb\n..\nc\n./x/y type=dir\nd\n..\n",
		  "1: y4\n2:a y4\n3:a/b\n5:c\n6:x/y y4\n7:d\n" },
		{ "/set type=dir\na\nb\nc type=file\n..\nd\n",
		  "2:a y4\n3:a/b y4\n4:a/b/c y10\n6:a/d y4\n" },
		/* names */
		{ "\\141\\\\\\#\\*\\s\\t\\n\\r\\a\\b\\f\\v\\E\\^A\\^?\\M-i\\M^A\\M^?\\40\\7\n",
		  "1:a\\x5c#* \\x09\\x0a\\x0d\\x07\\x08\\x0c\\x0b\\x1b\\x01\\x7f\xe9\x81\xff"
		  " \\x07\n" },
		{ "a=b uid=1 # gid=2\n", "1:a=b u1\n" },
		/* lines that go on */
		{ "a uid=1 \\\n  gid=2 \\\n mode=7\nb\\\\\nc\n", "3:a m7 u1 g2\n4:b\\x5c\n5:c\n" },
		/* values */
		{ "a time=1.5\nb time=1.0\nc time=-1.000000000\nd time=7 mode=u+x\ne time=0.00\n",
		  "1:a t1.5\n2:b t1\n3:c t-1.0\n4:d t7\n5:e t0.0\n" },
		{ "a type=link link=\\040x\\057 nlink=3\n", "1:a y12 > x/ n3\n" },
		{ "a device=native,1,3\nb device=linux,300,70000\nc device=netbsd,1,2\n"
		  "d device=0x103\ne device=259 x=y optional\n",
		  "1:a d1,3\n2:b d300,70000\n3:c\n4:d d1,3\n5:e d1,3\n" },
		{ "a type=char\nb type=block\nc type=fifo\nd type=socket\n",
		  "1:a y2\n2:b y6\n3:c y1\n4:d y14\n" },
		{ "a sha256digest=" SHA " md5digest=" MD5 " rmd160=0 cksum=1\n",
		  "1:a Sba7816bf M90015098\n" });
}
END_TEST

START_TEST(refuses_mtree)
{
	WANT_DAMAGED(BFO_MANIFEST_MTREE,
		{ "a\n..\n", "2: \"..\" leads outside" },
		{ "a type=dir\n..\n..\n", "3: \"..\" leads outside" },
		{ "./../a\n", "1: a path with \"..\"" },
		{ "\\056.\n", "1: a path with \"..\"" },
		{ "a\\\n", "1: ends early" },
		{ "\\\n", "1: ends early" },
		{ "a\\q\n", "1: no such escape" },
		{ "a\\000\n", "1: no such escape" },
		{ "a\\400\n", "1: no such escape" },
		{ "a\\M\n", "1: no such escape" },
		{ "a\\M+x\n", "1: no such escape" },
		{ "a\\^\n", "1: no such escape" },
		{ "a\n\nb link=\\q\n", "3: no such escape" },
		{ "a type=directory\n", "1: no such value" },
		{ "a type\n", "1: no such value" },
		{ "a mode=10000\n", "1: no such value" },
		{ "a mode=8\n", "1: no such value" },
		{ "a mode=\n", "1: no such value" },
		{ "a uid=4294967296\n", "1: no such value" },
		{ "a gid=-1\n", "1: no such value" },
		{ "a nlink=x\n", "1: no such value" },
		{ "a size=18446744073709551616\n", "1: no such value" },
		{ "a size=1x\n", "1: no such value" },
		{ "a time=\n", "1: no such value" },
		{ "a time=1.\n", "1: no such value" },
		{ "a time=1.1000000000\n", "1: no such value" },
		{ "a time=--1\n", "1: no such value" },
		{ "a time=9223372036854775808\n", "1: no such value" },
		{ "a device=native,1\n", "1: no such value" },
		{ "a device=native,1,x\n", "1: no such value" },
		{ "a device=native,,1\n", "1: no such value" },
		{ "a device=0x\n", "1: no such value" },
		{ "a device=0xg\n", "1: no such value" },
		{ "a sha256=" MD5 "\n", "1: no such value" },
		{ "a md5=" SHA "\n", "1: no such value" },
		{ "a md5=90015098\n", "1: no such value" },
		{ "/set uid=x\n", "1: no such value" });
}
END_TEST

START_TEST(reads_sha256sum)
{
	WANT_READ(BFO_MANIFEST_SHA256SUM,
		{ SHA "  ./a b\n", "1:a b Sba7816bf\n" },
		{ SHA " *a\n# x\n" MD5 "  b\n", "1:a Sba7816bf\n3:b M90015098\n" },
		{ SHA "    two\n", "1:  two Sba7816bf\n" },
		{ "\\" SHA "  a\\\\\\nb\\r\n", "1:a\\x5c\\x0ab\\x0d Sba7816bf\n" },
		{ SHA "  a\\n\r\n", "1:a\\x5cn Sba7816bf\n" },
		{ "SHA256 (a) = b) = " SHA "\nMD5 (c) = " MD5 "\n",
		  "1:a) = b Sba7816bf\n2:c M90015098\n" },
		{ "\\SHA256 (a\\n) = " SHA "\n", "1:a\\x0a Sba7816bf\n" });
}
END_TEST

START_TEST(refuses_sha256sum)
{
	static const char why[] = "1: neither a SHA-256 nor an MD5, and a name";

	WANT_DAMAGED(BFO_MANIFEST_SHA256SUM,
		{ "\n", why }, { "a\n", why }, { SHA "\n", why }, { SHA " a\n", why },
		{ SHA " ", why }, { SHA "\t a\n", why }, { MD5 "0  a\n", why },
		{ "g" MD5 "  a\n", why }, { "SHA512 (a) = " SHA "\n", why },
		{ "SHA256 (a) = " MD5 "\n", why }, { "SHA256 (a) =" SHA "\n", why },
		{ "MD5 () = " MD5 "\n", "1: no name" }, { SHA "  \n", "1: no name" },
		{ SHA "  .\n", "1: no name" }, { SHA "  ../a\n", "1: a path with \"..\"" },
		{ "\\" SHA "  a\\\n", "1: no such escape" },
		{ "\\" SHA "  a\\t\n", "1: no such escape" });
}
END_TEST

#define HEAD "%%%% HASHDEEP-1.0\n"

START_TEST(reads_hashdeep)
{
	WANT_READ(BFO_MANIFEST_HASHDEEP,
		{ HEAD "%%%% size,md5,sha256,filename\n## x\n\t#\n3," MD5 "," SHA ",./a,b\n",
		  "5:a,b s3 Sba7816bf M90015098\n" },
		{ HEAD "%%%% size,filename\r\n3,/a\r\n", "3:a s3\n" },
		{ HEAD "%%%% size,sha1,sha-256,filename\n4,zz," SHA ",a\n"
		  HEAD "%%%% size,md5,filename\n5," MD5 ",b\n",
		  "3:a s4 Sba7816bf\n6:b s5 M90015098\n" });
}
END_TEST

START_TEST(refuses_hashdeep)
{
	static const char first[] = "1: not a list of hashdeep";

	WANT_DAMAGED(BFO_MANIFEST_HASHDEEP,
		{ "", "0: not a list of hashdeep" },
		{ "3," MD5 ",a\n", first },
		{ "%%%% HASHDEEP-1.1\n", first },
		{ "%%%% size,md5,filename\n", first },
		{ HEAD, first },
		{ HEAD "3,a\n", "2: not a list of hashdeep" },
		{ HEAD "%%%% md5,filename\n", "2: no such columns" },
		{ HEAD "%%%% filename\n", "2: no such columns" },
		{ HEAD "%%%% size,md5\n", "2: no such columns" },
		{ HEAD "%%%% size,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f,g,filename\n", "2: no such columns" },
		{ HEAD "%%%% size,md5,filename\n3," MD5 "\n", "3: too few columns" },
		{ HEAD "%%%% size,md5,filename\nx," MD5 ",a\n", "3: no size" },
		{ HEAD "%%%% size,md5,filename\n3," SHA ",a\n", "3: no such digest" },
		{ HEAD "%%%% size,md5,filename\n3," MD5 ",\n", "3: no name" });
}
END_TEST

#define OBJECT(x) "<dfxml><volume><fileobject>" x "</fileobject></volume></dfxml>"
#define NAMED(x) OBJECT("<filename>a</filename>" x)

START_TEST(reads_dfxml)
{
	WANT_READ(BFO_MANIFEST_DFXML,
		{ "<dfxml/>", "" },
		{ " <?xml version='1.0'?><!-- -- <x> -->\n<d:dfxml a = \"&lt;'\" b='\"'></d:dfxml >\n ",
		  "" },
		{ OBJECT("<filename>a&lt;&amp;&gt;&quot;&apos;&#65;&#x263a;<![CDATA[<&]]>"
			 "<!-- x -->\r\n\rb</filename>"),
		  "2:a<&>\"'A\xe2\x98\xba<&\\x0a\\x0ab\n" },
		{ OBJECT("<filename x:original_bytes_base64='/w=='>b</filename>"), "1:\xff\n" },
		{ OBJECT("<filename>.</filename><name_type>d</name_type><filesize>3</filesize>"
			 "<hashdigest type='md5'>" MD5 "</hashdigest>"), "1: y4\n" },
		{ NAMED("<name_type> r\n</name_type><filesize>3</filesize><mode>33261</mode>"
			"<nlink>2</nlink><uid>0</uid><gid>5</gid>"
			"<mtime>1970-01-02T00:00:00.5Z</mtime>"
			"<hashdigest type='MD5'>" MD5 "</hashdigest>"
			"<hashdigest type='sha256'>" SHA "</hashdigest>"
			"<hashdigest type='sha1'>x</hashdigest><y/>"),
		  "2:a y10 m755 u0 g5 s3 t86400.500000000 n2 Sba7816bf M90015098\n" },
		{ NAMED("<name_type>l</name_type><mtime>2000-02-29T23:59:59+01:30</mtime>"
			"<link_target> x</link_target>"), "1:a y12 t951863399 > x\n" },
		{ NAMED("<name_type>b</name_type><mtime prec='1'>-0001-01-01T00:00:00.1-00:01</mtime>"
			"<z:device major='1' minor='2'/>"), "1:a y6 t-62198755140 d1,2\n" },
		{ NAMED("<byte_runs><byte_run><hashdigest type='md5'>x</hashdigest></byte_run>"
			"</byte_runs><parent_object><filename>z</filename></parent_object>"),
		  "1:a\n" },
		{ OBJECT("<filename>a<i type='md5'>z</i>b</filename>"), "1:ab\n" },
		/* what is no name of a tree */
		{ NAMED("<alloc>0</alloc>"), "" }, { NAMED("<alloc_name>0</alloc_name>"), "" },
		{ NAMED("<alloc_inode>0</alloc_inode>"), "" },
		{ NAMED("<unalloc>1</unalloc>"), "" }, { NAMED("<name_type>V</name_type>"), "" },
		{ NAMED("<name_type>v</name_type>"), "" },
		{ OBJECT("<filename>b/.</filename>"), "" },
		{ OBJECT("<filename>..</filename>"), "" },
		{ OBJECT("<filename>b/..</filename></fileobject><fileobject>"
			 "<filename>c</filename>"), "1:c\n" },
		{ OBJECT("<filename>a\\x5Cb</filename>"), "1:a\\x5cx5Cb\n" },
		{ "<dfxml><creator><program> fiwalk </program></creator><fileobject>"
		  "<filename>a\\x5Cb\\xfF\\x5\\x</filename></fileobject></dfxml>",
		  "1:a\\x5cb\xff\\x5cx5\\x5cx\n" });
}
END_TEST

START_TEST(refuses_dfxml)
{
	WANT_DAMAGED(BFO_MANIFEST_DFXML,
		{ "", "0: no document" }, { "x", "1: no document" }, { "<dfxml>", "1: ends early" },
		{ "<dfxml/>\nx", "2: no document" }, { "<dfxml/><dfxml/>", "1: a second document" },
		{ "<xml/>", "1: not DFXML" }, { "<dfxml></dfxm>", "1: the end of another element" },
		{ "</dfxml>", "1: an end without its beginning" }, { "<dfxml", "1: no blank between attributes" },
		{ "<!DOCTYPE dfxml>", "1: no such markup" },
		{ "<dfxml>&x;</dfxml>", "1: no such entity" },
		{ "<dfxml>&lt</dfxml>", "1: no such entity" },
		{ "<dfxml>&#0;</dfxml>", "1: no such character" },
		{ "<dfxml>&#xd800;</dfxml>", "1: no such character" },
		{ "<dfxml>&#x110000;</dfxml>", "1: no such character" },
		{ "<dfxml>&#a;</dfxml>", "1: no such character" },
		{ "<dfxml>&#;</dfxml>", "1: no such character" },
		{ "<dfxml>\n\xff</dfxml>", "2: not UTF-8" },
		{ "<dfxml a='\xc3'/>", "1: not UTF-8" },
		{ "<dfxml>\x01</dfxml>", "1: a control character" },
		{ "<dfxml a/>", "1: no such markup" }, { "<dfxml a=1/>", "1: no value" },
		{ "<dfxml a='<'/>", "1: a tag in a value" },
		{ "<dfxml a=''b=''/>", "1: no blank between attributes" },
		{ "<dfxml a='", "1: ends early" }, { "<dfxml><!-- ", "1: ends early" },
		{ "<dfxml>< a/></dfxml>", "1: no name" }, { "<?x", "1: ends early" },
		{ "<![CDATA[x]]><dfxml/>", "1: text outside" },
		{ OBJECT("<a/>"), "1: an object without a name" },
		{ NAMED("<filename>b</filename>"), "1: an object with two names" },
		{ OBJECT("<filename>../b</filename>"), "1: a path with \"..\"" },
		{ OBJECT("<filename x:original_bytes_base64='/w='/>"), "1: no such bytes" },
		{ OBJECT("<filename x:original_bytes_base64='AA=='/>"), "1: no such bytes" },
		{ NAMED("<filesize>-1</filesize>"), "1: no such value" },
		{ NAMED("<name_type>file</name_type>"), "1: no such value" },
		{ NAMED("<mode>x</mode>"), "1: no such value" },
		{ NAMED("<uid>4294967296</uid>"), "1: no such value" },
		{ NAMED("<alloc>yes</alloc>"), "1: no such value" },
		{ NAMED("<hashdigest type='md5'>00</hashdigest>"), "1: no such value" },
		{ NAMED("<device major='1'/>"), "1: no such device" },
		{ NAMED("<mtime>2000-13-01T00:00:00Z</mtime>"), "1: no such value" },
		{ NAMED("<mtime>2000-00-01T00:00:00Z</mtime>"), "1: no such value" },
		{ NAMED("<mtime>2000-01-01 00:00:00Z</mtime>"), "1: no such value" },
		{ NAMED("<mtime>200-01-01T00:00:00Z</mtime>"), "1: no such value" },
		{ NAMED("<mtime>2000-01-01T00:00:00.Z</mtime>"), "1: no such value" },
		{ NAMED("<mtime>2000-01-01T00:00:00+1</mtime>"), "1: no such value" },
		{ NAMED("<mtime>2000-01-01T00:00:00Zx</mtime>"), "1: no such value" },
		{ NAMED("<mtime>9999999999-01-01T00:00:00Z</mtime>"), "1: no such value" });
}
END_TEST

/* Nested too deep; a line, a text too long; a zero byte; a format that is only written. */
START_TEST(has_limits)
{
	size_t len = (1 << 20) + 100, i;
	char *text = unit_alloc(len);

	for (i = 0; i < 65; i++)
		memcpy(text + 7 * i, "<dfxml>", 7);
	want_err(listview_read(&ctx, BFO_MANIFEST_DFXML, text, 7 * 65, NULL), BFO_ET_DAMAGED);
	ck_assert_str_eq(ctx.what, "reading line 1 of x: too deep");
	memset(text, 'a', len);
	want_err(listview_read(&ctx, BFO_MANIFEST_MTREE, text, len, NULL), BFO_ET_DAMAGED);
	ck_assert_str_eq(ctx.what, "reading line 1 of x: too long");
	want_err(listview_read(&ctx, BFO_MANIFEST_SHA256SUM, text, len, NULL), BFO_ET_DAMAGED);
	ck_assert_str_eq(ctx.what, "reading line 1 of x: too long");
	memcpy(text, "<dfxml>", 7);
	want_err(listview_read(&ctx, BFO_MANIFEST_DFXML, text, len, NULL), BFO_ET_DAMAGED);
	ck_assert_str_eq(ctx.what, "reading line 1 of x: too long");
	for (i = 0; i < len; i += 4)
		memcpy(text + i, i + 4 < len ? "a \\\n" : "abc\n", 4);
	want_err(listview_read(&ctx, BFO_MANIFEST_MTREE, text, len, NULL), 0);
	memset(text, 'a', 300);
	want_err(listview_read(&ctx, BFO_MANIFEST_MTREE, text, 255, NULL), 0);
	want_err(listview_read(&ctx, BFO_MANIFEST_MTREE, text, 256, NULL), BFO_ET_DAMAGED);
	want_err(listview_read(&ctx, BFO_MANIFEST_MTREE, "a\nb\0c\n", 6, NULL), BFO_ET_DAMAGED);
	ck_assert_str_eq(ctx.what, "reading line 2 of x: a zero byte");
	want_err(listview_read(&ctx, BFO_MANIFEST_BODYFILE, "", 0, NULL), EINVAL);
	free(text);
}
END_TEST

static errcode_t refuse(void *priv, const struct bfo_manifest_entry *e)
{
	(void) e;
	return ++*(int *) priv == 2 ? bfo_fail(&ctx, BFO_ET_CLASH, "taking it") : 0;
}

START_TEST(stops_when_told)
{
	int fd = memfd_create("list", MFD_CLOEXEC), n = 0;
	struct bfo_manifest_reader reader = { .entry = refuse, .priv = &n };
	struct bfo_manifest_seen found;
	volatile sig_atomic_t cancel = 1;

	want(write(fd, "a\nb\nc\n", 6) == 6);
	lseek(fd, 0, SEEK_SET);
	want_err(bfo_manifest_read(&ctx, BFO_MANIFEST_MTREE, fd, "x", &reader, &found), BFO_ET_CLASH);
	ck_assert_str_eq(ctx.what, "taking it");
	want_eq(n, 2);
	want_eq(found.lines, 2);
	ctx.cancel = &cancel;
	want_err(listview_read(&ctx, BFO_MANIFEST_MTREE, "a\n", 2, NULL), BFO_ET_CANCELLED);
	want_err(listview_read(&ctx, BFO_MANIFEST_DFXML, "<dfxml/>", 8, NULL), BFO_ET_CANCELLED);
	ctx.cancel = NULL;
	want_err(bfo_manifest_read(&ctx, BFO_MANIFEST_MTREE, -1, "x", &reader, &found), EBADF);
	want_err(bfo_manifest_read(&ctx, BFO_MANIFEST_DFXML, -1, "x", &reader, &found), EBADF);
	ck_assert_str_eq(ctx.what, "reading x");
	close(fd);
}
END_TEST

Suite *manifest_read_suite(void)
{
	Suite *s = suite_create("manifest_read");

	unit_case(s, "reads_mtree", reads_mtree, 0);
	unit_case(s, "refuses_mtree", refuses_mtree, 0);
	unit_case(s, "reads_sha256sum", reads_sha256sum, 0);
	unit_case(s, "refuses_sha256sum", refuses_sha256sum, 0);
	unit_case(s, "reads_hashdeep", reads_hashdeep, 0);
	unit_case(s, "refuses_hashdeep", refuses_hashdeep, 0);
	unit_case(s, "reads_dfxml", reads_dfxml, 0);
	unit_case(s, "refuses_dfxml", refuses_dfxml, 0);
	unit_case(s, "has_limits", has_limits, 0);
	unit_case(s, "stops_when_told", stops_when_told, 0);
	return s;
}
