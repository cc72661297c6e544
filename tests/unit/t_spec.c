// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_spec.c - device/spec: what names say, whatever stands in them, and that they say it elsewhere,
 * too
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/spec.h"
#include "unit.h"

static void want_text(const char *got, const char *expect)
{
	if (!expect)
		want(!got);
	else
		ck_assert_str_eq(got ? got : "(none)", expect);
}

static void want_spec(const char *text, const char *path, const char *options, int is_tag)
{
	struct bfo_spec spec;

	want_ok(bfo_spec_parse(text, &spec));
	want_text(spec.path, path);
	want_text(spec.options, options);
	want_eq(spec.is_tag, is_tag);
	bfo_spec_free(&spec);
	want(!spec.path && !spec.options);
}

START_TEST(plain_names)
{
	want_spec("", "", NULL, 0);
	want_spec("/dev/sdb1", "/dev/sdb1", NULL, 0);
	want_spec("disk.img?partition=2", "disk.img", "partition=2", 0);
	want_spec("disk.img?", "disk.img", "", 0);
	want_spec("a?offset=512?b", "a", "offset=512?b", 0);
	want_spec("with:colon", "with:colon", NULL, 0);
	want_spec("UUID=1-2", "UUID=1-2", NULL, 1);
	want_spec("LABEL=home?offset=0", "LABEL=home", "offset=0", 1);
	want_spec("./UUID=1-2", "./UUID=1-2", NULL, 0);
	want_spec("=x", "=x", NULL, 0);
}
END_TEST

START_TEST(literal_names)
{
	want_spec("file:", "", NULL, 0);
	want_spec("file:a?offset=512", "a?offset=512", NULL, 0);
	want_spec("file:UUID=1-2", "UUID=1-2", NULL, 0);
	want_spec("file:file:x", "file:x", NULL, 0);
	want_spec("file:ext:x", "ext:x", NULL, 0);
	want_spec("file?partition=2:we?ird:img", "we?ird:img", "partition=2", 0);
	want_spec("file?:x", "x", "", 0);
	want_spec("file?partition=2", "file", "partition=2", 0);
	want_spec("filed:x", "filed:x", NULL, 0);
	want_spec("ext:disk?offset=0", "disk", "offset=0", 0);
	want_spec("ext:LABEL=x", "LABEL=x", NULL, 1);
	want_spec("ext:file:LABEL=x", "LABEL=x", NULL, 0);
	want_spec("ext:ext:x", "ext:x", NULL, 0);
}
END_TEST

/* What TEXT says in DIR, said from the root directory. */
static void want_absolute(const char *dir, const char *text)
{
	struct bfo_spec before, after;
	char expect[PATH_MAX];
	char *said;

	want(!chdir(dir));
	said = bfo_spec_absolute(text);
	want(said);
	want_ok(bfo_spec_parse(text, &before));
	want_ok(bfo_spec_parse(said, &after));
	if (before.is_tag || *before.path == '/')
		snprintf(expect, sizeof(expect), "%s", before.path);
	else
		snprintf(expect, sizeof(expect), "%s/%s", dir, before.path);
	want_text(after.path, expect);
	want_text(after.options, before.options);
	want_eq(after.is_tag, before.is_tag);
	bfo_spec_free(&before);
	bfo_spec_free(&after);
	free(said);
}

START_TEST(means_the_same_elsewhere)
{
	static const char *const texts[] = {
		"disk.img", "disk.img?partition=2", "/dev/sdb1?offset=512", "LABEL=x", "file:LABEL=x",
		"file:a?b:c", "file?offset=512:a?b", "ext:x", "ext:file:y?", "file:/a?b", "file?x=1:/a?b",
	};
	char *dirs[] = { unit_path("spec"), unit_path("spec?a:b") };
	size_t i, d;

	for (d = 0; d < 2; d++) {
		want(!mkdir(dirs[d], 0700));
		for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
			want_absolute(dirs[d], texts[i]);
	}
	want(!chdir("/"));
	free(dirs[0]);
	free(dirs[1]);
}
END_TEST

static void want_with(const char *text, const char *expect)
{
	char *got = bfo_spec_with_options(text, "partition=2");

	want_text(got, expect);
	free(got);
}

START_TEST(takes_options)
{
	want_with("disk.img", "disk.img?partition=2");
	want_with("ext:disk.img", "ext:disk.img?partition=2");
	want_with("file:we?ird", "file?partition=2:we?ird");
	want_with("ext:file:we?ird", "ext:file?partition=2:we?ird");
	want_with("UUID=1-2", "UUID=1-2?partition=2");
}
END_TEST

Suite *spec_suite(void)
{
	Suite *s = suite_create("spec");

	unit_case(s, "plain names", plain_names, 0);
	unit_case(s, "literal names", literal_names, 0);
	unit_case(s, "means the same elsewhere", means_the_same_elsewhere, 0);
	unit_case(s, "takes options", takes_options, 0);
	return s;
}
