// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_end.c - job/end: what a source is by its name, and by what stands there
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <ext2fs/ext2_fs.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "job/end.h"
#include "unit.h"

/* SPEC is an end of KIND; PATH, of what is no volume, is what it is called. */
static void want_end(const char *spec, enum bfo_end_kind kind, const char *path)
{
	struct bfo_context ctx = { 0 };
	struct bfo_end end;

	want_ok(bfo_end_tell(&ctx, spec, &end));
	if (end.kind != kind)
		ck_abort_msg("%s is of kind %d", spec, end.kind);
	if (kind == BFO_END_VOLUME)
		want(!end.path);
	else
		ck_assert_str_eq(end.path, path);
	bfo_end_free(&end);
}

/* A file whose header of a tar has a name, and sum; or a superblock's magic; or both. */
static void put_file(const char *path, int is_tar, int is_volume)
{
	int fd = open(path, O_CREAT | O_RDWR | O_TRUNC, 0600), i;
	uint16_t magic = to_le16(EXT2_SUPER_MAGIC);
	char head[512] = "name";
	unsigned int sum = 8 * ' ';

	want(fd >= 0 && !ftruncate(fd, 4096));
	memcpy(head + 257, "ustar\00000", 8);
	memcpy(head + 100, "0000644", 8);
	memcpy(head + 124, "00000000000", 12);
	head[156] = '0';
	for (i = 0; i < 512; i++)
		sum += (unsigned char) head[i];
	snprintf(head + 148, 8, "%06o", sum);
	head[155] = ' ';
	want(!is_tar || pwrite(fd, head, 512, 0) == 512);
	want(!is_volume || pwrite(fd, &magic, 2, 1024 + offsetof(struct ext2_super_block,
								  s_magic)) == 2);
	close(fd);
}

START_TEST(by_a_word_in_front)
{
	want_end("dir:", BFO_END_DIRECTORY, "");
	want_end("dir:/nowhere?offset=0", BFO_END_DIRECTORY, "/nowhere?offset=0");
	want_end("dir:file:x", BFO_END_DIRECTORY, "file:x");
	want_end("dir:dir:x", BFO_END_DIRECTORY, "dir:x");
	want_end("dirs:x", BFO_END_VOLUME, NULL);
	want_end("tar:/nowhere", BFO_END_ARCHIVE, "/nowhere");
	want_end("tar:-", BFO_END_ARCHIVE, "-");
	want_end("-", BFO_END_ARCHIVE, "-");
	want_end("ext:/", BFO_END_VOLUME, NULL);
	want_end("UUID=1-2", BFO_END_VOLUME, NULL);
	want_end("/nowhere", BFO_END_VOLUME, NULL);
}
END_TEST

START_TEST(by_what_stands_there)
{
	char *top = unit_path("told-ends");

	want(!mkdir(top, 0700) && !chdir(top));
	want(!mkdir("dir", 0700) && !mkdir("dir?offset=0", 0700) && !mkdir("LABEL=x", 0700));
	want(!symlink("dir", "link") && !mkfifo("pipe", 0600));
	want_end("pipe", BFO_END_ARCHIVE, "pipe");
	want_end("file:pipe", BFO_END_ARCHIVE, "pipe");
	want_end("ext:pipe", BFO_END_VOLUME, NULL);
	want_end("pipe?offset=0", BFO_END_VOLUME, NULL);
	want_end("dir", BFO_END_DIRECTORY, "dir");
	want_end("link", BFO_END_DIRECTORY, "link");
	want_end("link/", BFO_END_DIRECTORY, "link/");
	want_end("file:dir", BFO_END_DIRECTORY, "dir");
	want_end("file:dir?offset=0", BFO_END_DIRECTORY, "dir?offset=0");
	want_end("file:LABEL=x", BFO_END_DIRECTORY, "LABEL=x");
	want_end("./LABEL=x", BFO_END_DIRECTORY, "./LABEL=x");
	want_end("LABEL=x", BFO_END_VOLUME, NULL);
	want_end("dir?offset=0", BFO_END_VOLUME, NULL);	/* of which there is none */
	want_end("ext:dir", BFO_END_VOLUME, NULL);
	want(!chdir("/"));
	free(top);
}
END_TEST

START_TEST(by_what_a_file_begins_with)
{
	struct bfo_context ctx = { 0 };
	char *top = unit_path("begins");
	struct bfo_end end;

	want(!mkdir(top, 0700) && !chdir(top));
	put_file("empty", 0, 0);
	put_file("tar", 1, 0);
	put_file("volume", 0, 1);
	put_file("both", 1, 1);
	want_end("empty", BFO_END_VOLUME, NULL);
	want_end("tar", BFO_END_ARCHIVE, "tar");
	want_end("file:tar", BFO_END_ARCHIVE, "tar");
	want_end("volume", BFO_END_VOLUME, NULL);
	want_err(bfo_end_tell(&ctx, "both", &end), EINVAL);
	bfo_end_free(&end);
	want_end("tar:both", BFO_END_ARCHIVE, "both");
	want_end("ext:both", BFO_END_VOLUME, NULL);
	want_end("both?offset=0", BFO_END_VOLUME, NULL);
	want(!chdir("/"));
	free(top);
}
END_TEST

#define BIT(kind) (1U << BFO_END_##kind)

/* Options are refused where no end has what they are about. */
START_TEST(what_fits_no_end)
{
	static const struct { struct bfo_end_options how; unsigned int fits; } rows[] = {
		{ { 0 }, BIT(VOLUME) | BIT(DIRECTORY) | BIT(ARCHIVE) },
		{ { .spool = 1, .arrives = 1, .on_read_error = BFO_MEDIA_ZERO, .now = 1 },
		  BIT(VOLUME) | BIT(DIRECTORY) | BIT(ARCHIVE) },
		{ { .cross_mounts = 1 }, BIT(DIRECTORY) },
		{ { .metadata_in = "file" }, BIT(DIRECTORY) },
		{ { .strip = 256 }, BIT(ARCHIVE) },
		{ { .dereference = 1 }, BIT(DIRECTORY) | BIT(ARCHIVE) },
		{ { .cross_mounts = 1, .dereference = 1 }, BIT(DIRECTORY) },
	};
	struct bfo_context ctx = { 0 };
	unsigned int kinds;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (kinds = 1; kinds < 8; kinds++)
			want_err(bfo_end_check(&ctx, "name", kinds, &rows[i].how),
				 kinds & rows[i].fits ? 0 : BFO_ET_OPTION);
	/* of two ends, each can have what one option is about */
	want_ok(bfo_end_check(&ctx, "name", BIT(DIRECTORY) | BIT(ARCHIVE),
			      &(struct bfo_end_options) { .cross_mounts = 1, .strip = 1 }));
}
END_TEST

Suite *end_suite(void)
{
	Suite *s = suite_create("end");

	unit_case(s, "by a word in front", by_a_word_in_front, 0);
	unit_case(s, "by what stands there", by_what_stands_there, 0);
	unit_case(s, "by what a file begins with", by_what_a_file_begins_with, 0);
	unit_case(s, "what fits no end", what_fits_no_end, 0);
	return s;
}
