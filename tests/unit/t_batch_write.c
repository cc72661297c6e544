// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_batch_write.c - what operations of a batch refuse, when a batch commits, what failures leave
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "copyjob.h"
#include "job/batch_write.h"

#define NOW 1600000000
#define IMAGE "change.img"

struct batch {
	struct bfo_context ctx;
	struct bfo_batch *b;
	char *image;
	uint64_t durable, commits;
	double now;
};

static errcode_t note_commit(void *priv, uint64_t first, uint64_t n)
{
	struct batch *t = priv;

	want_eq(first, t->durable);
	t->durable += n;
	t->commits++;
	return 0;
}

static double test_time(void *priv)
{
	return *(double *) priv;
}

static void open_batch(struct batch *t, struct bfo_batch_options opt)
{
	opt.volume = t->image;
	opt.now = NOW;
	opt.committed = note_commit;
	opt.priv = t;
	want_ok(bfo_batch_open(&t->ctx, &opt, &t->b));
}

/* An image that mke2fs makes with OPTIONS, with a file, a directory and a link. */
static void begin(struct batch *t, const char *options, struct bfo_batch_options opt)
{
	char command[600];

	memset(t, 0, sizeof(*t));
	t->image = unit_path(IMAGE);
	want_eq(copyjob_try("rm -rf '%s' '%s.d'", IMAGE), 0);
	want_eq(copyjob_try("mkdir -p '%s.d/dir/sub'; truncate -s 32M '%s'", IMAGE), 0);
	want_eq(copyjob_try("seq 3000 > '%s.d/file'; echo 1 > '%s.d/dir/one'", IMAGE), 0);
	want_eq(copyjob_try("ln -s file '%s.d/link'", IMAGE), 0);
	snprintf(command, sizeof(command), "mke2fs -q -F %s -d '%%s.d' '%%s' > /dev/null", options);
	want_eq(copyjob_try(command, IMAGE), 0);
	open_batch(t, opt);
}

static void end(struct batch *t)
{
	bfo_batch_close(t->b);
	want_eq(copyjob_fsck(IMAGE, "-fn"), 0);
	free(t->image);
}

static errcode_t put(struct batch *t, const char *path, size_t size, int flags)
{
	void *data = unit_alloc(size + 1);
	const struct bfo_batch_content c = { .data = data, .size = size };
	errcode_t err;

	memset(data, 'p', size);
	err = bfo_batch_create(t->b, path, NULL, &c, flags);
	free(data);
	return err;
}

static errcode_t grow(struct batch *t, const char *path, size_t size)
{
	void *data = unit_alloc(size + 1);
	const struct bfo_batch_content c = { .data = data, .size = size };
	errcode_t err = bfo_batch_append(t->b, path, &c, 0);

	free(data);
	return err;
}

static int is_there(struct batch *t, const char *path)
{
	struct bfo_batch_stat st;
	errcode_t err = bfo_batch_stat(t->b, path, &st);

	want(!err || err == BFO_ET_NO_PATH);
	return !err;
}

#define EXT4 "-t ext4 -b 4096 -O ^orphan_file"

START_TEST(refusals)
{
	const struct bfo_batch_content none = { 0 };
	struct bfo_batch_attr fifo = { .mode = S_IFIFO | 0600, .set = BFO_BATCH_MODE };
	struct batch t;

	begin(&t, EXT4, (struct bfo_batch_options) { 0 });
	want_err(put(&t, "/file", 10, 0), BFO_ET_EXISTS);
	want_err(put(&t, "/dir", 10, BFO_BATCH_REPLACE), BFO_ET_IS_DIR);
	want_err(put(&t, "/", 10, BFO_BATCH_REPLACE), BFO_ET_EXISTS);
	want_err(put(&t, "/none/x", 10, 0), BFO_ET_NO_PATH);
	want_err(put(&t, "/file/x", 10, BFO_BATCH_PARENTS), BFO_ET_NOT_DIR);
	want_err(put(&t, "relative", 10, 0), BFO_ET_BAD_PATH);
	want_err(put(&t, "/dir/../x", 10, 0), BFO_ET_BAD_PATH);
	want_err(put(&t, "/dir/.", 10, 0), BFO_ET_BAD_PATH);
	want_err(grow(&t, "/none", 10), BFO_ET_NO_PATH);
	want_err(grow(&t, "/dir", 10), BFO_ET_IS_DIR);
	want_err(grow(&t, "/link", 10), BFO_ET_NOT_FILE);
	want_err(bfo_batch_truncate(t.b, "/dir", 0), BFO_ET_IS_DIR);
	want_err(bfo_batch_mkdir(t.b, "/dir", NULL, 0), BFO_ET_EXISTS);
	want_err(bfo_batch_mkdir(t.b, "/file", NULL, BFO_BATCH_KEEP), BFO_ET_NOT_DIR);
	want_ok(bfo_batch_mkdir(t.b, "/dir", NULL, BFO_BATCH_KEEP));
	want_err(bfo_batch_remove(t.b, "/dir", 0), BFO_ET_NOT_EMPTY);
	want_err(bfo_batch_remove(t.b, "/none", 0), BFO_ET_NO_PATH);
	want_ok(bfo_batch_remove(t.b, "/none", BFO_BATCH_MISSING_OK));
	want_err(bfo_batch_remove(t.b, "/", BFO_BATCH_TREE), BFO_ET_BAD_PATH);
	want_err(bfo_batch_link(t.b, "/dir", "/d2", 0), BFO_ET_IS_DIR);
	want_err(bfo_batch_rename(t.b, "/dir", "/dir/sub/x", 0), BFO_ET_BAD_PATH);
	want_err(bfo_batch_rename(t.b, "/file", "/dir/one", 0), BFO_ET_EXISTS);
	want_err(bfo_batch_rename(t.b, "/file", "/dir", BFO_BATCH_REPLACE), BFO_ET_IS_DIR);
	want_err(bfo_batch_rename(t.b, "/dir", "/file", BFO_BATCH_REPLACE), BFO_ET_NOT_DIR);
	want_err(bfo_batch_symlink(t.b, "/l", "", NULL, 0), BFO_ET_BAD_PATH);
	want_err(bfo_batch_mknod(t.b, "/n", NULL, 0, 0, 0), BFO_ET_BAD_PATH);
	want_ok(bfo_batch_mknod(t.b, "/n", &fifo, 0, 0, 0));
	want_err(bfo_batch_update(t.b, "/file", UINT64_MAX - 3, &(struct bfo_batch_content) {
				  .data = "12345678", .size = 8 }, 0), BFO_ET_FILE_TOO_BIG);
	want_ok(bfo_batch_update(t.b, "/file", 5, &none, 0));
	want_ok(bfo_batch_commit(t.b, NULL));
	end(&t);
}
END_TEST

static void set_flags(struct batch *t, const char *path, uint32_t flags)
{
	const struct bfo_batch_attr a = { .flags = flags, .set = BFO_BATCH_FLAGS };

	want_ok(bfo_batch_set(t->b, path, &a));
}

START_TEST(flags)
{
	struct batch t;

	begin(&t, EXT4, (struct bfo_batch_options) { 0 });
	set_flags(&t, "/file", 0x10);		/* immutable */
	set_flags(&t, "/dir", 0x10);
	want_err(grow(&t, "/file", 10), BFO_ET_IMMUTABLE);
	want_err(bfo_batch_remove(t.b, "/file", 0), BFO_ET_IMMUTABLE);
	want_err(bfo_batch_rename(t.b, "/file", "/g", 0), BFO_ET_IMMUTABLE);
	want_err(bfo_batch_link(t.b, "/file", "/g", 0), BFO_ET_IMMUTABLE);
	want_err(put(&t, "/dir/x", 1, 0), BFO_ET_IMMUTABLE);
	want_err(bfo_batch_remove(t.b, "/dir/one", 0), BFO_ET_IMMUTABLE);
	set_flags(&t, "/file", 0x20);		/* append-only */
	set_flags(&t, "/dir", 0x20);
	want_ok(grow(&t, "/file", 10));
	want_err(bfo_batch_truncate(t.b, "/file", 1), BFO_ET_APPEND_ONLY);
	want_ok(put(&t, "/dir/x", 1, 0));
	want_err(bfo_batch_remove(t.b, "/dir/one", 0), BFO_ET_APPEND_ONLY);
	set_flags(&t, "/dir", 0);
	want_ok(bfo_batch_remove(t.b, "/dir/one", 0));
	want_ok(bfo_batch_commit(t.b, NULL));
	want_eq(copyjob_try("debugfs -R 'stat /file' '%s' 2>&1 | grep 'Flags: 0x80020' > /dev/null",
			    IMAGE), 0);
	end(&t);
}
END_TEST

static errcode_t fill_some(void *priv, uint64_t offset, void *to, size_t len)
{
	memset(to, 'f', len);
	return offset + len > *(uint64_t *) priv ? ENXIO : 0;
}

/* Directories on the way go again, blocks and numbers are given back. */
START_TEST(undone)
{
	uint64_t most = 3 << 20;
	const struct bfo_batch_content c = { .fill = fill_some, .size = 16 << 20, .priv = &most };
	struct bfo_batch_stat before, after;
	struct batch t;

	begin(&t, EXT4, (struct bfo_batch_options) { .memory = 1 << 20 });
	want_ok(bfo_batch_stat(t.b, "/file", &before));
	want_err(bfo_batch_create(t.b, "/p/q/file", NULL, &c, BFO_BATCH_PARENTS), ENXIO);
	want(!is_there(&t, "/p"));
	want_err(bfo_batch_append(t.b, "/file", &c, 0), ENXIO);
	want_err(bfo_batch_create(t.b, "/file", NULL, &c, BFO_BATCH_REPLACE), ENXIO);
	want_err(bfo_batch_create(t.b, "/link", NULL, &c, BFO_BATCH_REPLACE), ENXIO);
	want_ok(bfo_batch_stat(t.b, "/file", &after));
	want_mem(&before, &after, sizeof(before));
	want_eq(bfo_batch_waiting(t.b), 0);
	want_ok(put(&t, "/after", 5000, 0));
	want_ok(bfo_batch_commit(t.b, NULL));
	want_eq(t.durable, 1);
	end(&t);
}
END_TEST

/* Later operations meet what earlier ones made. */
START_TEST(seen)
{
	char buf[20];
	size_t got;
	struct batch t;

	begin(&t, EXT4, (struct bfo_batch_options) { 0 });
	want_ok(put(&t, "/new/a", 4094, BFO_BATCH_PARENTS));
	want_ok(bfo_batch_append(t.b, "/new/a", &(struct bfo_batch_content) { .data = "12345",
				 .size = 5 }, 0));
	want_ok(bfo_batch_pread(t.b, "/new/a", 4092, buf, sizeof(buf), &got));
	want_eq(got, 7);
	want_mem(buf, "pp12345", 7);
	want_err(bfo_batch_mkdir(t.b, "/new", NULL, 0), BFO_ET_EXISTS);
	want_ok(bfo_batch_rename(t.b, "/new", "/dir/sub/new", 0));
	want(is_there(&t, "/dir/sub/new/a") && !is_there(&t, "/new"));
	want_ok(bfo_batch_remove(t.b, "/dir", BFO_BATCH_TREE));
	want(!is_there(&t, "/dir/sub/new/a"));
	want_ok(put(&t, "/dir", 10, 0));
	want_ok(bfo_batch_commit(t.b, NULL));
	want_eq(copyjob_try("debugfs -R 'stat /dir' '%s' 2>&1 | grep 'Type: regular' > /dev/null",
			    IMAGE), 0);
	end(&t);
}
END_TEST

static const struct bfo_timer *timer_of(struct batch *t, struct bfo_timer *timer)
{
	*timer = (struct bfo_timer) { .now = test_time, .priv = &t->now };
	return timer;
}

START_TEST(marks)
{
	struct bfo_timer timer;
	char path[40];
	struct batch t;
	int i;

	begin(&t, EXT4, (struct bfo_batch_options) { .marks = { .files = 3 } });
	for (i = 0; i < 7; i++) {
		snprintf(path, sizeof(path), "/f%d", i);
		want_ok(put(&t, path, 10, 0));
	}
	want_eq(t.durable, 6);
	want_ok(bfo_batch_idle(t.b));
	want_eq(t.durable, 6);
	bfo_batch_close(t.b);			/* what waits is dropped */
	t.durable = 0;
	open_batch(&t, (struct bfo_batch_options) { .marks = { .bytes = 10000, .seconds = 5 } });
	want(!is_there(&t, "/f6"));
	t.ctx.timer = timer_of(&t, &timer);
	want_ok(put(&t, "/g", 9000, 0));
	want_eq(t.durable, 0);
	want_ok(put(&t, "/h", 2000, 0));
	want_eq(t.durable, 2);
	want_ok(put(&t, "/i", 10, 0));
	t.now += 6;
	want_ok(bfo_batch_idle(t.b));
	want_eq(t.durable, 3);
	bfo_batch_close(t.b);
	t.durable = 0;
	open_batch(&t, (struct bfo_batch_options) { .marks = { .is_auto = 1 } });
	want_ok(put(&t, "/j", 10, 0));
	want_ok(bfo_batch_idle(t.b));
	want_eq(t.durable, 1);
	end(&t);
}
END_TEST

/* What the journal cannot take is refused as a whole; with `auto` it goes in several commits. */
START_TEST(journal)
{
	char path[40];
	struct batch t;
	int i;

	begin(&t, EXT4 " -J size=4 -N 20000 -E lazy_itable_init=0 -O ^metadata_csum,^uninit_bg",
	      (struct bfo_batch_options) { 0 });
	for (i = 0; i < 18000; i++) {
		snprintf(path, sizeof(path), "/dir/f%d", i);
		want_ok(put(&t, path, 0, 0));
	}
	want_err(bfo_batch_commit(t.b, NULL), BFO_ET_JOURNAL_SMALL);
	want(strstr(t.ctx.what, "the first "));
	want_eq(bfo_batch_waiting(t.b), 0);
	want(!is_there(&t, "/dir/f0") && is_there(&t, "/dir/one"));
	bfo_batch_close(t.b);
	want_eq(copyjob_fsck(IMAGE, "-fn"), 0);
	open_batch(&t, (struct bfo_batch_options) { .marks = { .is_auto = 1 } });
	for (i = 0; i < 18000; i++) {
		snprintf(path, sizeof(path), "/dir/f%d", i);
		want_ok(put(&t, path, 0, 0));
	}
	want_ok(bfo_batch_commit(t.b, NULL));
	want_eq(t.durable, 18000);
	want(t.commits > 1);
	end(&t);
}
END_TEST

/* Tables that are known to be zero are so again afterwards, behind what is used of them. */
START_TEST(zeroed)
{
	char path[40];
	struct batch t;
	int i;

	begin(&t, EXT4 " -J size=4 -N 20000 -E lazy_itable_init=0",
	      (struct bfo_batch_options) { 0 });
	for (i = 0; i < 4000; i++) {
		snprintf(path, sizeof(path), "/dir/f%d", i);
		want_ok(put(&t, path, 0, 0));
	}
	want_ok(bfo_batch_commit(t.b, NULL));
	want_eq(t.durable, 4000);
	want_ok(put(&t, "/one", 0, 0));
	want_ok(bfo_batch_commit(t.b, NULL));
	want_eq(copyjob_try("! dumpe2fs '%s' 2> /dev/null | grep '^Group [0-9]' | grep -v ITABLE_ZEROED",
			    IMAGE), 0);
	end(&t);
}
END_TEST

/* Values of attributes in inodes of their own go with the last entry that names them. */
START_TEST(values)
{
	const struct bfo_batch_xattr gone = { .name = "user.big" };
	const struct bfo_batch_attr attr = { .xattrs = &gone, .n_xattrs = 1 };
	const struct bfo_batch_attr owner = { .uid = 5, .set = BFO_BATCH_UID };
	struct batch t;

	begin(&t, EXT4 ",ea_inode,quota", (struct bfo_batch_options) { 0 });
	bfo_batch_close(t.b);
	want_eq(copyjob_try("seq 2000 > '%s.v'", IMAGE), 0);
	copyjob_try("debugfs -w -R 'ea_set -f %s.v /file user.big' '%s' 2> /dev/null", IMAGE);
	copyjob_try("debugfs -w -R 'ea_set -f %s.v /dir/one user.big' '%s' 2> /dev/null", IMAGE);
	copyjob_fsck(IMAGE, "-fy");		/* debugfs does not count quota */
	open_batch(&t, (struct bfo_batch_options) { 0 });
	want_ok(bfo_batch_set(t.b, "/file", &owner));
	want_ok(bfo_batch_commit(t.b, NULL));
	want_eq(copyjob_fsck(IMAGE, "-fn"), 0);
	want_ok(bfo_batch_remove(t.b, "/dir", BFO_BATCH_TREE));
	want_ok(bfo_batch_commit(t.b, NULL));
	want_eq(copyjob_fsck(IMAGE, "-fn"), 0);
	want_eq(copyjob_try("debugfs -R 'ea_get -f %s.w /file user.big' '%s' 2> /dev/null", IMAGE),
		0);
	want_eq(copyjob_try("cmp -n 4096 '%s.v' '%s.w'", IMAGE), 0);
	want_ok(bfo_batch_set(t.b, "/file", &attr));
	want_ok(bfo_batch_commit(t.b, NULL));
	end(&t);
}
END_TEST

START_TEST(no_journal)
{
	struct bfo_batch_options opt = { .is_not_atomic = 1 };
	struct batch t;

	begin(&t, "-t ext2 -b 1024", opt);
	want_ok(put(&t, "/x", 100000, 0));
	want_ok(bfo_batch_remove(t.b, "/dir", BFO_BATCH_TREE));
	want_ok(bfo_batch_commit(t.b, NULL));
	bfo_batch_close(t.b);
	opt = (struct bfo_batch_options) { .volume = t.image };
	want_err(bfo_batch_open(&t.ctx, &opt, &t.b), BFO_ET_NOT_JOURNALED);
	want(!t.b);
	end(&t);
}
END_TEST

/* A volume that is full refuses the operation, and takes what comes then. */
START_TEST(full)
{
	struct batch t;

	begin(&t, EXT4, (struct bfo_batch_options) { 0 });
	want_err(put(&t, "/huge", 60 << 20, 0), BFO_ET_NO_SPACE);
	want(!is_there(&t, "/huge"));
	want_ok(bfo_batch_remove(t.b, "/file", 0));
	want_ok(bfo_batch_commit(t.b, NULL));
	want_ok(put(&t, "/small", 100000, 0));
	want_ok(bfo_batch_commit(t.b, NULL));
	end(&t);
}
END_TEST

/* Name of a file with what debugfs says of where /large lies. */
static void list_blocks(const char *as)
{
	char format[200];

	snprintf(format, sizeof(format), "debugfs -R 'blocks /large' '%%s' > '%%s.%s' 2> /dev/null",
		 as);
	want_eq(copyjob_try(format, IMAGE), 0);
}

static void change_large(struct batch *t, uint64_t offset, size_t size, char c)
{
	char *data = unit_alloc(size);
	const struct bfo_batch_content content = { .data = data, .size = size };

	memset(data, c, size);
	if (c == 'J')
		memcpy(data, "\xc0\x3b\x39\x98", 4);	/* a journal's header */
	want_ok(bfo_batch_update(t->b, "/large", offset, &content, 0));
	free(data);
}

static void want_bytes(struct batch *t, uint64_t offset, const char *what)
{
	char buf[20];
	size_t got;

	want_ok(bfo_batch_pread(t->b, "/large", offset, buf, strlen(what), &got));
	want_eq(got, strlen(what));
	want_mem(buf, what, got);
}

/* A few small changes leave a large file where it lies; many get new blocks. */
START_TEST(in_place)
{
	struct batch t;
	int i;

	begin(&t, EXT4, (struct bfo_batch_options) { 0 });
	want_ok(put(&t, "/large", 12 << 20, 0));
	want_ok(bfo_batch_commit(t.b, NULL));
	list_blocks("before");
	change_large(&t, 5 * 4096 - 2, 5, 'a');
	change_large(&t, 5 * 4096, 1, 'b');
	change_large(&t, 9 << 20, 4096, 'J');
	want_bytes(&t, 5 * 4096 - 3, "paabaap");
	want_ok(bfo_batch_commit(t.b, NULL));
	list_blocks("after");
	want_eq(copyjob_try("cmp '%s.before' '%s.after'", IMAGE), 0);
	want_bytes(&t, 5 * 4096 - 3, "paabaap");
	want_bytes(&t, 9 << 20, "\xc0\x3b\x39\x98JJ");
	want_bytes(&t, (9 << 20) + 4094, "JJpp");
	for (i = 0; i < 100; i++)
		change_large(&t, i * 8192 + 100000, 10, 'c');
	want_ok(bfo_batch_truncate(t.b, "/large", 11 << 20));
	want_ok(bfo_batch_commit(t.b, NULL));
	list_blocks("after");
	want_eq(copyjob_try("cmp -s '%s.before' '%s.after'", IMAGE), 1);
	for (i = 0; i < 100; i++)
		want_bytes(&t, i * 8192 + 99999, "pccccccccccp");
	end(&t);
}
END_TEST

Suite *batch_write_suite(void)
{
	Suite *s = suite_create("batch_write");

	unit_case(s, "refusals", refusals, 0);
	unit_case(s, "flags", flags, 0);
	unit_case(s, "undone", undone, 0);
	unit_case(s, "seen", seen, 0);
	unit_case(s, "marks", marks, 0);
	unit_case(s, "journal", journal, 0);
	unit_case(s, "zeroed", zeroed, 0);
	unit_case(s, "values", values, 0);
	unit_case(s, "no_journal", no_journal, 0);
	unit_case(s, "full", full, 0);
	unit_case(s, "in_place", in_place, 0);
	return s;
}
