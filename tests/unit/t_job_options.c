// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_job_options.c - job/job_options: what is saved is what is loaded; what nobody says is refused
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gather/batch.h"
#include "job/interrupted.h"
#include "tree/finding.h"
#include "unit.h"

#define SOUND "source=/s\0to=/\0from=/\0"

static const char *const from[] = { "/a", "/b c\n=" };
static const char *const journals[] = { "/dev/sdz", "journal.img" };
static const char *const said[] = { "copy", "--from=/a", "", "x" };
static const struct bfo_exclude exclude[] = {
	{ "*.o", 0 }, { "list", 1 }, { "/x/", 0 }, { "-", 1 }, { "/abs", 1 },
};

/* Every field of the record has another value than that of a zeroed struct. */
static const struct bfo_copy_options all = {
	.source = "disk.img?partition=2",
	.medium = { .how = { .mode = BFO_MEDIA_SKIP, .superblock = 32768, .block_size = 4096 },
		    .mapfile = "map" },
	.journal = { .ignore = 1, .devices = journals, .n_devices = 2 },
	.from = from, .n_from = 2, .exclude = exclude, .n_exclude = 5, .files_from = "files",
	.metadata_in = "kept",
	.from0 = 1, .allow_empty = 1, .to = "/to", .trust = 1, .force = 1,
	.order = { .policies = { BFO_ORDER_REFS, BFO_ORDER_LIST, BFO_ORDER_TRACE }, .n = 3,
		   .list = "order", .trace = "/trace", .depth = 3, .support = 7, .window = 9,
		   .root = "/srv", .mount = "/mnt" },
	.bwlimit = 1ULL << 40, .read_gap = BFO_GAP_OF_DEVICE, .direct = BFO_DIRECT_NEVER,
	.losses = 1ULL << BFO_LOST_XATTR | 1ULL << BFO_LOST_TIME, .dir_fill = 33, .keep_inodes = 1,
	.itree = 1, .over = BFO_OVER_SKIP, .verify = 1, .evidence = 1,
	.write_mapfile = "written", .directory = "/here", .said = said, .n_said = 4,
};

static void load(const char *text, size_t len, struct bfo_saved_options *s)
{
	want_ok(bfo_options_load(text, len, s));
}

static void reload(const struct bfo_copy_options *opt, struct bfo_saved_options *s)
{
	bfo_chars text = { .n = 0 };

	want_ok(bfo_options_save(opt, &text));
	load(text.v, text.n, s);
	bfo_vec_free(&text);
}

START_TEST(all_come_back)
{
	struct bfo_saved_options s;
	const struct bfo_copy_options *o = &s.opt;
	size_t i;

	reload(&all, &s);
	want(strstr(o->source, "/disk.img?partition=2") && *o->source == '/');
	want_eq(o->medium.how.mode, BFO_MEDIA_SKIP);
	want_eq(o->medium.how.superblock, 32768);
	want_eq(o->medium.how.block_size, 4096);
	ck_assert_str_eq(o->medium.mapfile, "/here/map");
	ck_assert_str_eq(o->write_mapfile, "/here/written");
	ck_assert_str_eq(o->files_from, "/here/files");
	ck_assert_str_eq(o->metadata_in, "/here/kept");
	want_eq(o->over, BFO_OVER_SKIP);
	want(o->journal.ignore && o->journal.n_devices == 2);
	ck_assert_str_eq(o->journal.devices[0], "/dev/sdz");
	want(*o->journal.devices[1] == '/' && strstr(o->journal.devices[1], "/journal.img"));
	want_eq(o->n_from, 2);
	for (i = 0; i < 2; i++)
		ck_assert_str_eq(o->from[i], from[i]);
	want_eq(o->n_exclude, 5);
	for (i = 0; i < 5; i++)
		want_eq(o->exclude[i].is_file, exclude[i].is_file);
	ck_assert_str_eq(o->exclude[0].text, "*.o");
	ck_assert_str_eq(o->exclude[1].text, "/here/list");
	ck_assert_str_eq(o->exclude[2].text, "/x/");
	ck_assert_str_eq(o->exclude[3].text, "-");
	ck_assert_str_eq(o->exclude[4].text, "/abs");
	ck_assert_str_eq(o->to, "/to");
	want(o->from0 && o->allow_empty && o->trust && o->force && o->keep_inodes && o->itree &&
	     o->verify && o->evidence && !o->hash_source);
	want_eq(o->order.n, 3);
	want_mem(o->order.policies, all.order.policies, 3 * sizeof(*all.order.policies));
	ck_assert_str_eq(o->order.list, "/here/order");
	ck_assert_str_eq(o->order.trace, "/trace");
	want(o->order.depth == 3 && o->order.support == 7 && o->order.window == 9);
	ck_assert_str_eq(o->order.root, "/srv");
	ck_assert_str_eq(o->order.mount, "/mnt");
	want(o->bwlimit == all.bwlimit && o->read_gap == all.read_gap && o->direct == all.direct);
	want(o->losses == all.losses && o->dir_fill == 33);
	ck_assert_str_eq(o->directory, "/here");
	want_eq(o->n_said, 4);
	for (i = 0; i < 4; i++)
		ck_assert_str_eq(o->said[i], said[i]);
	want(!s.makes_file && !o->mkfs && !o->dry_run && !o->undo_file && !o->memory);
	bfo_saved_options_free(&s);
}
END_TEST

START_TEST(little_is_little)
{
	struct bfo_copy_options opt = { .source = "/s", .to = "/", .from = from, .n_from = 1,
					.mkfs = 1, .size = BFO_SIZE_MIN, .losses = UINT64_MAX,
					.hash_source = 1 };	/* with no map, as in `all` */
	struct bfo_saved_options s;

	reload(&opt, &s);
	want(s.makes_file && !s.opt.force && s.opt.losses == UINT64_MAX && !s.opt.order.n);
	want(s.opt.hash_source && !s.opt.evidence);
	want(!s.opt.directory && !s.opt.n_said && !s.opt.n_exclude && !s.opt.files_from);
	bfo_saved_options_free(&s);
	opt.mkfs = 0;
	reload(&opt, &s);
	want(!s.makes_file);
	bfo_saved_options_free(&s);
}
END_TEST

/* A long command line is not worth a record that does not fit. */
START_TEST(long_words_are_left_out)
{
	struct bfo_copy_options opt = all;
	const char *words[] = { "copy", NULL };
	struct bfo_saved_options s;
	char *word = unit_alloc(5000);

	memset(word, 'x', 4999);
	word[4999] = 0;
	words[1] = word;
	opt.said = words;
	opt.n_said = 2;
	reload(&opt, &s);
	want(!s.opt.n_said);
	bfo_saved_options_free(&s);
	free(word);
}
END_TEST

static const struct {
	const char *text;
	size_t len;
} wrong[] = {
#define TEXT(t) { t, sizeof(t) - 1 }
	{ "", 0 },
	TEXT("source=/s\0to=/\0from=/"),		/* cut off */
	TEXT("/here\0copy\0source\0target\0"),		/* as version 2 has it */
	TEXT("to=/\0from=/\0"),
	TEXT("source=/s\0from=/\0"),
	TEXT("source=/s\0to=/\0"),
	TEXT("source=\0to=/\0from=/\0"),
	TEXT("source=/s\0to=/\0from=\0"),
	TEXT(SOUND "nobody=knows\0"),
	TEXT(SOUND "verify=2\0"),
	TEXT(SOUND "verify\0"),
	TEXT(SOUND "verify=\0"),
	TEXT(SOUND "dir-fill=9\0"),
	TEXT(SOUND "dir-fill=101\0"),
	TEXT(SOUND "dir-fill=-1\0"),
	TEXT(SOUND "dir-fill=80x\0"),
	TEXT(SOUND "bwlimit=99999999999999999999\0"),
	TEXT(SOUND "read-gap=4294967296\0"),
	TEXT(SOUND "superblock=4294967296\0"),
	TEXT(SOUND "block-size=3072\0"),
	TEXT(SOUND "block-size=512\0"),
	TEXT(SOUND "on-read-error=3\0"),
	TEXT(SOUND "direct=3\0"),
	TEXT(SOUND "order-depth=1001\0"),
	TEXT(SOUND "order-support=101\0"),
	TEXT(SOUND "order-window=1001\0"),
	TEXT(SOUND "order-root=srv\0"),
	TEXT(SOUND "order-mount=\0"),
	TEXT(SOUND "order=alphabet\0"),
	TEXT(SOUND "order=refs\0order=refs\0"),
	TEXT(SOUND "order=list\0"),
	TEXT(SOUND "order=trace\0"),
	TEXT(SOUND "order-trace=/t\0"),
	TEXT(SOUND "exclude=\0"),
	TEXT(SOUND "exclude=//\0"),
	TEXT(SOUND "exclude-from=\0"),
	TEXT(SOUND "exclude-from=list\0"),
	TEXT(SOUND "files-from=list\0"),
	TEXT(SOUND "mapfile=\0"),
	TEXT(SOUND "in=here\0"),
	TEXT(SOUND "allow-loss=sleep\0"),
	TEXT(SOUND "evidence=yes\0"),
	TEXT(SOUND "mapfile=/m\0hash-source=1\0"),
	TEXT(SOUND "makes-file=2\0"),
};

START_TEST(what_nobody_says)
{
	struct bfo_saved_options s;

	want_err(bfo_options_load(wrong[_i].text, wrong[_i].len, &s), EINVAL);
	bfo_saved_options_free(&s);
	load(SOUND, sizeof(SOUND) - 1, &s);	/* all that the first version of records had */
	want(!s.opt.evidence && !s.opt.hash_source && !s.opt.over);
	bfo_saved_options_free(&s);
}
END_TEST

/* A record of another version is refused by name, before anything else is looked at. */
START_TEST(other_versions)
{
	struct bfo_context ctx = { 0 };
	struct bfo_interrupted in = { .ctx = &ctx, .record = { .version = 2 } };
	struct bfo_resume_options how = { .dry_run = 1 };
	struct bfo_copy c;

	want_err(bfo_interrupted_resume(&in, &how, &c), BFO_ET_RECORD_VERSION);
	want(strstr(ctx.what, "version 2") && strstr(ctx.what, "e2bfo abort"));
}
END_TEST

Suite *job_options_suite(void)
{
	Suite *s = suite_create("job_options");
	TCase *t = tcase_create("options");

	tcase_add_test(t, all_come_back);
	tcase_add_test(t, little_is_little);
	tcase_add_test(t, long_words_are_left_out);
	tcase_add_loop_test(t, what_nobody_says, 0, sizeof(wrong) / sizeof(wrong[0]));
	tcase_add_test(t, other_versions);
	suite_add_tcase(s, t);
	return s;
}
