// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_manifest.c - export/manifest: what is written, byte for byte; intake/manifest_read reads it as
 * it was, and sees whether it was changed
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <ext2fs/ext2_fs.h>

#include "base/text.h"
#include "export/manifest.h"
#include "listview.h"
#include "unit.h"

#define SHA "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define MD5 "900150983cd24fb0d6963f7d28e17f72"
#define SHA_LINE (64 + 2 + 3 + 1)	/* bytes of "SHA  ./a" and its end */

static struct bfo_context ctx;

/* ---- items ---- */

static struct bfo_sums abc(unsigned int which)
{
	struct bfo_sums sums = { .which = which };

	want(bfo_text_get_hex(SHA, sums.sha256, sizeof(sums.sha256)));
	want(bfo_text_get_hex(MD5, sums.md5, sizeof(sums.md5)));
	return sums;
}

static struct bfo_item item_of(const char *path, uint16_t mode)
{
	struct bfo_item item = { .path = path, .path_len = strlen(path), .names = 1, .ino = 12 };

	item.attrs = (struct bfo_attrs) {
		.mode = mode, .uid = 7, .gid = 70000, .size = 3, .generation = 5,
		.sec = { 1000000000, 2, 3, 4 }, .nsec = { 5, 6, 7, 8 },
	};
	return item;
}

/* Begins a list in FORMAT; its descriptor is FD's. */
static struct bfo_manifest *begin(enum bfo_manifest_format format, const char *source, int *fd)
{
	struct bfo_manifest_about about = { .source = source, .block_size = 1024, .made = 11,
					    .written = 13, .checked = -14 };
	struct bfo_manifest *m;

	*fd = memfd_create("list", MFD_CLOEXEC);
	want_ok(bfo_manifest_open(&ctx, format, *fd, "x", &about, &m));
	return m;
}

static char *text_of(int fd)
{
	size_t len = lseek(fd, 0, SEEK_END);
	char *text = unit_alloc(len + 1);

	want(pread(fd, text, len, 0) == (ssize_t) len);
	want(!lseek(fd, 0, SEEK_SET));
	return text;
}

/* Ends it, and closes it; the list without its trailer, which is checked. */
static char *ended(struct bfo_manifest *m, int fd, int has_trailer)
{
	struct bfo_hasher h;
	struct bfo_sums sums;
	char *text, *last, hex[65] = "";

	want_ok(bfo_manifest_end(m));
	bfo_manifest_close(m);
	text = text_of(fd);
	if (!has_trailer)
		return text;
	last = strstr(text, "# sha256 of the lines above: ");
	want(last && strlen(last) == 29 + 64 + 1);
	want_ok(bfo_hasher_open(&h, BFO_SUM_SHA256));
	bfo_hasher_add(&h, text, last - text);
	bfo_hasher_end(&h, &sums);
	bfo_hasher_close(&h);
	bfo_text_put_hex(sums.sha256, sizeof(sums.sha256), hex);
	want_mem(last + 29, hex, 64);
	*last = 0;
	return text;
}

/* A list of one of everything. */
static char *list_all(enum bfo_manifest_format format, int has_trailer)
{
	struct bfo_sums sums = abc(bfo_manifest_sums(format));
	struct bfo_part parts[] = { { 0, 1, 0 }, { 4096, 8192, 1 } };
	struct bfo_item item = item_of("", S_IFDIR | 0750);
	struct bfo_manifest *m;
	char *text;
	int fd;

	m = begin(format, "s\n", &fd);
	want_ok(bfo_manifest_put(m, &item, NULL));
	item = item_of("d/#a\\ \r%|\xfc<", S_IFREG | 06755);
	item.names = 2;
	item.parts = parts;
	item.n_parts = 2;
	item.attrs.flags = EXT2_IMMUTABLE_FL | EXT2_NODUMP_FL | EXT4_EXTENTS_FL;
	item.attrs.has_crtime = 1;
	want_ok(bfo_manifest_put(m, &item, &sums));
	item = item_of("hard", S_IFREG | 0644);
	item.first = "first";
	item.first_len = 5;
	want_ok(bfo_manifest_put(m, &item, &sums));
	item = item_of("lost", S_IFREG | 0);
	want_ok(bfo_manifest_put(m, &item, NULL));
	item = item_of("link", S_IFLNK | 0777);
	item.target = "a b\x01";
	item.target_len = 4;
	want_ok(bfo_manifest_put(m, &item, NULL));
	item = item_of("dev", S_IFBLK | 01760);
	item.attrs.major = 300;
	item.attrs.minor = 70000;
	item.attrs.sec[BFO_MTIME] = -1;
	want_ok(bfo_manifest_put(m, &item, NULL));
	item = item_of("sock", S_IFSOCK | 01666);
	want_ok(bfo_manifest_put(m, &item, NULL));
	item = item_of("new\nline", S_IFREG | 0644);
	want_ok(bfo_manifest_put(m, &item, &sums));
	item = item_of("return\r", S_IFREG | 0644);
	want_ok(bfo_manifest_put(m, &item, &sums));
	want_eq(bfo_manifest_left_out(m), format == BFO_MANIFEST_HASHDEEP ? 2 : 0);
	text = ended(m, fd, has_trailer);
	close(fd);
	return text;
}

static void want_list(enum bfo_manifest_format format, int has_trailer, const char *expect)
{
	char *text = list_all(format, has_trailer);

	ck_assert_str_eq(text, expect);
	free(text);
}

#define TIME " time=1000000000.000000005"
#define IDS " uid=7 gid=70000"

START_TEST(writes_mtree)
{
	want_list(BFO_MANIFEST_MTREE, 1,
		  "#mtree\n"
		  "# source: s\\x0a\n"
		  ". type=dir mode=0750" IDS TIME "\n"
		  "./d/\\043a\\134\\040\\015%|\\374< type=file mode=6755" IDS " nlink=2 size=3" TIME
		  " flags=schg,nodump sha256digest=" SHA "\n"
		  "./hard type=file mode=0644" IDS " nlink=1 size=3" TIME " sha256digest=" SHA "\n"
		  "./lost type=file mode=0000" IDS " nlink=1 size=3" TIME "\n"
		  "./link type=link mode=0777" IDS " nlink=1" TIME " link=a\\040b\\001\n"
		  "./dev type=block mode=1760" IDS " nlink=1 time=-1.000000005"
		  " device=native,300,70000\n"
		  "./sock type=socket mode=1666" IDS " nlink=1" TIME "\n"
		  "./new\\012line type=file mode=0644" IDS " nlink=1 size=3" TIME
		  " sha256digest=" SHA "\n"
		  "./return\\015 type=file mode=0644" IDS " nlink=1 size=3" TIME
		  " sha256digest=" SHA "\n");
}
END_TEST

START_TEST(writes_sha256sum)
{
	want_list(BFO_MANIFEST_SHA256SUM, 1,
		  "# source: s\\x0a\n"
		  "\\" SHA "  ./d/#a\\\\ \\r%|\xfc<\n"
		  SHA "  ./hard\n"
		  "# cannot be read: lost\n"
		  "\\" SHA "  ./new\\nline\n"
		  "\\" SHA "  ./return\\r\n");
}
END_TEST

START_TEST(writes_hashdeep)
{
	want_list(BFO_MANIFEST_HASHDEEP, 1,
		  "%%%% HASHDEEP-1.0\n"
		  "%%%% size,md5,sha256,filename\n"
		  "## source: s\\x0a\n"
		  "3," MD5 "," SHA ",./d/#a\\ \r%|\xfc<\n"
		  "3," MD5 "," SHA ",./hard\n"
		  "# cannot be read: lost\n");
}
END_TEST

START_TEST(writes_bodyfile)
{
	want_list(BFO_MANIFEST_BODYFILE, 0,
		  "0|/$Superblock (made)|0|V/V---------|0|0|0|11|11|11|11\n"
		  "0|/$Superblock (written)|0|V/V---------|0|0|0|13|13|13|13\n"
		  "0|/$Superblock (checked)|0|V/V---------|0|0|0|-14|-14|-14|-14\n"
		  "0|/|12|d/drwxr-x---|7|70000|0|2|1000000000|3|0\n"
		  MD5 "|/d/#a\\ ^%25%7C\xfc<|12|r/rrwsr-sr-x|7|70000|3|2|1000000000|3|4\n"
		  MD5 "|/hard|12|r/rrw-r--r--|7|70000|3|2|1000000000|3|0\n"
		  "0|/lost|12|r/r---------|7|70000|3|2|1000000000|3|0\n"
		  "0|/link -> a b^|12|l/lrwxrwxrwx|7|70000|4|2|1000000000|3|0\n"
		  "0|/dev|12|b/brwxrw---T|7|70000|0|2|-1|3|0\n"
		  "0|/sock|12|s/hrw-rw-rwT|7|70000|0|2|1000000000|3|0\n"
		  MD5 "|/new^line|12|r/rrw-r--r--|7|70000|3|2|1000000000|3|0\n"
		  MD5 "|/return^|12|r/rrw-r--r--|7|70000|3|2|1000000000|3|0\n");
}
END_TEST

/* The head, and of the objects what is not alike in all. */
START_TEST(writes_dfxml)
{
	char *text = list_all(BFO_MANIFEST_DFXML, 0);
	static const char *const parts[] = {
		"<?xml version='1.0' encoding='UTF-8'?>\n<dfxml xmlns='",
		"<image_filename>s&#10;</image_filename>\n</source>\n"
		"<volume>\n<block_size>1024</block_size>\n<fileobject>\n<filename>.</filename>\n"
		"<name_type>d</name_type>\n<alloc_inode>1</alloc_inode>\n<alloc_name>1</alloc_name>\n"
		"<inode>12</inode>\n<meta_type>2</meta_type>\n<mode>488</mode>\n<uid>7</uid>\n"
		"<gid>70000</gid>\n<mtime>2001-09-09T01:46:40.000000005Z</mtime>\n"
		"<ctime>1970-01-01T00:00:03.000000007Z</ctime>\n"
		"<atime>1970-01-01T00:00:02.000000006Z</atime>\n<seq>5</seq>\n</fileobject>\n"
		"<fileobject>\n<filename e2bfo:original_bytes_base64='ZC8jYVwgDSV8/Dw='>"
		"d/#a\\ &#13;%|\xef\xbf\xbd&lt;</filename>\n<name_type>r</name_type>\n"
		"<filesize>3</filesize>\n",
		"<nlink>2</nlink>\n",
		"<crtime>1970-01-01T00:00:04.000000008Z</crtime>\n<seq>5</seq>\n<byte_runs>\n"
		"<byte_run file_offset='0' len='1'/>\n"
		"<byte_run file_offset='4096' len='8192' fill='0'/>\n</byte_runs>\n"
		"<hashdigest type='sha256'>" SHA "</hashdigest>\n</fileobject>\n"
		"<fileobject>\n<filename>hard</filename>\n",
		"<seq>5</seq>\n<hashdigest type='sha256'>",
		"<filename>lost</filename>\n<error>cannot be read</error>\n<name_type>r",
		"<link_target e2bfo:original_bytes_base64='YSBiAQ=='>a b\xef\xbf\xbd"
		"</link_target>\n</fileobject>\n",
		"<mtime>1969-12-31T23:59:59.000000005Z</mtime>",
		"<e2bfo:device major='300' minor='70000'/>\n</fileobject>\n",
		"</fileobject>\n</volume>\n</dfxml>\n",
	};
	const char *at = text;
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		at = strstr(at, parts[i]);
		if (!at)
			ck_abort_msg("lacks, or has too early: %s", parts[i]);
		at += strlen(parts[i]);
	}
	want(!*at);
	free(text);
}
END_TEST

START_TEST(writes_nothing_about_nothing)
{
	struct bfo_manifest_about about = { 0 };
	struct bfo_manifest *m;
	int fd = memfd_create("list", MFD_CLOEXEC);
	char *text;

	want_ok(bfo_manifest_open(&ctx, BFO_MANIFEST_BODYFILE, fd, "x", &about, &m));
	text = ended(m, fd, 0);
	ck_assert_str_eq(text, "");
	free(text);
	want_ok(bfo_manifest_open(&ctx, BFO_MANIFEST_MTREE, fd, "x", &about, &m));
	text = ended(m, fd, 1);
	ck_assert_str_eq(text, "#mtree\n");
	free(text);
	close(fd);
}
END_TEST

/* The first error stays, and is said each time. */
START_TEST(says_that_writing_failed)
{
	struct bfo_manifest_about about = { 0 };
	struct bfo_item item = item_of("a", S_IFREG | 0644);
	struct bfo_sums sums = abc(BFO_SUM_SHA256);
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC), i;
	struct bfo_manifest *m;
	errcode_t err = 0;

	want_ok(bfo_manifest_open(&ctx, BFO_MANIFEST_MTREE, fd, "full", &about, &m));
	for (i = 0; i < 1000 && !err; i++)
		err = bfo_manifest_put(m, &item, &sums);
	want_err(err, ENOSPC);
	want_err(bfo_manifest_put(m, &item, &sums), ENOSPC);
	bfo_what_clear(&ctx);
	want_err(bfo_manifest_end(m), ENOSPC);
	ck_assert_str_eq(ctx.what, "writing full");
	bfo_manifest_close(m);
	close(fd);
	bfo_manifest_close(NULL);
}
END_TEST

START_TEST(tells_formats)
{
	static const struct {
		const char *spec;
		enum bfo_manifest_format format;
		unsigned int sums;
	} good[] = {
		{ "mtree:a:b", BFO_MANIFEST_MTREE, BFO_SUM_SHA256 },
		{ "sha256sum:a:b", BFO_MANIFEST_SHA256SUM, BFO_SUM_SHA256 },
		{ "hashdeep:a:b", BFO_MANIFEST_HASHDEEP, BFO_SUM_SHA256 | BFO_SUM_MD5 },
		{ "dfxml:a:b", BFO_MANIFEST_DFXML, BFO_SUM_SHA256 },
		{ "bodyfile:a:b", BFO_MANIFEST_BODYFILE, BFO_SUM_MD5 },
	};
	static const char *const bad[] = { "", ":", "mtree", "mtree:", "Mtree:a", "mtre:a", ":a",
					   "mtreee:a", "a" };
	enum bfo_manifest_format format;
	const char *path;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		want_ok(bfo_manifest_tell(good[i].spec, &format, &path));
		want_eq(format, good[i].format);
		want_eq(bfo_manifest_sums(format), good[i].sums);
		ck_assert_str_eq(path, "a:b");
		want(!strncmp(good[i].spec, bfo_manifest_name(format), path - good[i].spec - 1));
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		want_err(bfo_manifest_tell(bad[i], &format, &path), EINVAL);
}
END_TEST

/* ---- written and read ---- */

/* A list whose trailer fits; two behind each other; changed, cut, continued. */
START_TEST(sees_changed_lines)
{
	struct bfo_item item = item_of("a", S_IFREG | 0644);
	struct bfo_sums sums = abc(BFO_SUM_SHA256);
	struct bfo_manifest_seen found;
	struct bfo_manifest *m;
	char *text, *twice;
	size_t len, i;
	int fd;

	m = begin(BFO_MANIFEST_SHA256SUM, NULL, &fd);
	want_ok(bfo_manifest_put(m, &item, &sums));
	want_ok(bfo_manifest_end(m));
	bfo_manifest_close(m);
	text = text_of(fd);
	len = strlen(text);
	want_ok(listview_read(&ctx, BFO_MANIFEST_SHA256SUM, text, len, &found));
	want(found.is_sealed && found.entries == 1 && found.lines == 2);
	twice = unit_alloc(2 * len + 1);
	memcpy(twice, text, len);
	memcpy(twice + len, text, len);
	want_ok(listview_read(&ctx, BFO_MANIFEST_SHA256SUM, twice, 2 * len, &found));
	want(found.is_sealed && found.entries == 2);
	want_ok(listview_read(&ctx, BFO_MANIFEST_SHA256SUM, twice, len + SHA_LINE, &found));
	want(!found.is_sealed && found.entries == 2);
	for (i = 0; i < SHA_LINE - 1; i++) {
		text[i] ^= 1;
		want_err(listview_read(&ctx, BFO_MANIFEST_SHA256SUM, text, len, &found),
			 BFO_ET_DAMAGED);
		want(!found.is_sealed);
		text[i] ^= 1;
	}
	text[len - 2] ^= 1;
	want_err(listview_read(&ctx, BFO_MANIFEST_SHA256SUM, text, len, &found), BFO_ET_DAMAGED);
	ck_assert_str_eq(ctx.what, "reading line 2 of x: the lines above it were changed");
	want_err(listview_read(&ctx, BFO_MANIFEST_SHA256SUM, text, len - 3, &found),
		 BFO_ET_DAMAGED);
	ck_assert_str_eq(ctx.what, "reading line 2 of x: no SHA-256");
	free(text);
	free(twice);
	close(fd);
}
END_TEST

#define ITEMS 300

struct made {
	char path[40], target[40];
	struct bfo_item item;
	struct bfo_sums sums;
	int has_sums;
};

/* Any bytes but NUL and slash. */
static size_t random_name(struct chance *c, char *name)
{
	size_t len = chance_between(c, 1, 30), i;

	for (i = 0; i < len; i++) {
		do {
			name[i] = chance_below(c, 3) ? chance_between(c, 1, 255) : '\\';
		} while (name[i] == '/');
	}
	if (name[0] == '.')
		name[0] = 'x';
	return len;
}

static void make(struct made *v, struct chance *c)
{
	static const uint16_t types[] = { S_IFREG, S_IFDIR, S_IFLNK, S_IFCHR, S_IFBLK, S_IFIFO,
					  S_IFSOCK };

	v->item = item_of("", types[chance_below(c, 7)] | chance_below(c, 010000));
	v->item.path = v->path;
	v->item.path_len = random_name(c, v->path);
	v->item.names = chance_bits(c);
	v->item.attrs.uid = chance_bits(c);
	v->item.attrs.gid = chance_bits(c);
	v->item.attrs.size = chance_bits(c);
	v->item.attrs.major = chance_bits(c);
	v->item.attrs.minor = chance_bits(c);
	v->item.attrs.sec[BFO_MTIME] = (int64_t) (chance_bits(c) >> 29) - (1LL << 33);
	v->item.attrs.nsec[BFO_MTIME] = chance_below(c, 1000000000);
	v->item.target = v->target;
	v->item.target_len = random_name(c, v->target);
	chance_fill(c, v->sums.sha256, sizeof(v->sums.sha256));
	chance_fill(c, v->sums.md5, sizeof(v->sums.md5));
	v->has_sums = S_ISREG(v->item.attrs.mode) && chance_below(c, 4);
	v->sums.which = v->has_sums ? BFO_SUM_SHA256 | BFO_SUM_MD5 : 0;
}

static errcode_t compare(void *priv, const struct bfo_manifest_entry *e)
{
	struct made **at = priv, *v = (*at)++;
	const struct bfo_attrs *a = &v->item.attrs;

	want_eq(e->path_len, v->item.path_len);
	want_mem(e->path, v->path, e->path_len);
	want_eq(e->type | e->mode, a->mode);
	want_eq(e->uid, a->uid);
	want_eq(e->gid, a->gid);
	want_eq(e->sec, a->sec[BFO_MTIME]);
	want_eq(e->nsec, a->nsec[BFO_MTIME]);
	want(e->has & BFO_HAS_NSEC);
	if (!S_ISDIR(a->mode))
		want_eq(e->nlink, v->item.names);
	want_eq(e->size, S_ISREG(a->mode) ? a->size : 0);
	if (S_ISCHR(a->mode) || S_ISBLK(a->mode))
		want(e->has & BFO_HAS_DEVICE && e->major == a->major && e->minor == a->minor);
	want_eq(!!(e->has & BFO_HAS_TARGET), S_ISLNK(a->mode));
	if (S_ISLNK(a->mode)) {
		want_eq(e->target_len, v->item.target_len);
		want_mem(e->target, v->target, e->target_len);
	}
	want_eq(e->sums.which, v->sums.which);
	if (v->has_sums)
		want_mem(&e->sums, &v->sums, sizeof(v->sums));
	return 0;
}

/* Names of any bytes, numbers of any size. */
START_TEST(reads_what_was_written)
{
	enum bfo_manifest_format format = _i ? BFO_MANIFEST_DFXML : BFO_MANIFEST_MTREE;
	struct made *all = unit_alloc(ITEMS * sizeof(*all)), *at = all;
	struct bfo_manifest_reader reader = { .entry = compare, .priv = &at };
	struct bfo_manifest_seen found;
	struct bfo_manifest *m;
	struct chance c;
	int fd, i;

	chance_init(&c, 5150 + _i);
	m = begin(format, "\xff", &fd);
	for (i = 0; i < ITEMS; i++) {
		make(&all[i], &c);
		want_ok(bfo_manifest_put(m, &all[i].item, all[i].has_sums ? &all[i].sums : NULL));
	}
	want_ok(bfo_manifest_end(m));
	bfo_manifest_close(m);
	lseek(fd, 0, SEEK_SET);
	if (bfo_manifest_read(&ctx, format, fd, "x", &reader, &found))
		ck_abort_msg("%s", ctx.what);
	want(at == all + ITEMS && found.entries == ITEMS);
	want_eq(found.is_sealed, !_i);
	close(fd);
	free(all);
}
END_TEST

/* sha256sum's names of any bytes, too. */
START_TEST(reads_names_that_were_written)
{
	struct bfo_manifest_reader reader = { .entry = listview_note };
	struct bfo_sums sums = abc(BFO_SUM_SHA256);
	struct bfo_manifest *m;
	char expect[1024], shown[256];
	struct made v;
	struct chance c;
	int fd, i;

	chance_init(&c, 5151);
	for (i = 0; i < ITEMS; i++) {
		make(&v, &c);
		v.item.attrs.mode = S_IFREG;
		m = begin(BFO_MANIFEST_SHA256SUM, NULL, &fd);
		want_ok(bfo_manifest_put(m, &v.item, &sums));
		want_ok(bfo_manifest_end(m));
		bfo_manifest_close(m);
		lseek(fd, 0, SEEK_SET);
		*listview_seen = 0;
		want_ok(bfo_manifest_read(&ctx, BFO_MANIFEST_SHA256SUM, fd, "x", &reader, NULL));
		snprintf(expect, sizeof(expect), "1:%s Sba7816bf\n",
			 bfo_text_escape(v.path, v.item.path_len, shown, sizeof(shown)));
		ck_assert_str_eq(listview_seen, expect);
		close(fd);
	}
}
END_TEST

START_TEST(says_what_is_not_built)
{
	struct bfo_manifest_about about = { 0 };
	struct bfo_manifest *m;

	want_err(bfo_manifest_open(&ctx, BFO_MANIFEST_MTREE, -1, "x", &about, &m),
		 BFO_ET_NO_LIBGCRYPT);
	want(!m);
	ck_assert_str_eq(ctx.what, "writing x");
}
END_TEST

static void add_cases(Suite *s)
{
	unit_case(s, "writes_mtree", writes_mtree, 0);
	unit_case(s, "writes_sha256sum", writes_sha256sum, 0);
	unit_case(s, "writes_hashdeep", writes_hashdeep, 0);
	unit_case(s, "writes_bodyfile", writes_bodyfile, 0);
	unit_case(s, "writes_dfxml", writes_dfxml, 0);
	unit_case(s, "writes_nothing_about_nothing", writes_nothing_about_nothing, 0);
	unit_case(s, "says_that_writing_failed", says_that_writing_failed, 0);
	unit_case(s, "sees_changed_lines", sees_changed_lines, 0);
	unit_case(s, "reads_what_was_written", reads_what_was_written, 2);
	unit_case(s, "reads_names_that_were_written", reads_names_that_were_written, 0);
}

Suite *manifest_suite(void)
{
	Suite *s = suite_create("manifest");

	unit_case(s, "tells_formats", tells_formats, 0);
	if (bfo_hasher_is_built())
		add_cases(s);
	else
		unit_case(s, "says_what_is_not_built", says_what_is_not_built, 0);
	return s;
}
