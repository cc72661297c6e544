// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_api.c - the public interface: contexts, structs of other sizes, copies, comparisons, files
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <ext2fs/ext2_err.h>

#include "apibed.h"

#define FILES 20
#define SIZE 5000
#define PART 1000

START_TEST(test_messages)
{
	e2bfo *c = e2bfo_new();

	ck_assert_str_eq(e2bfo_message(E2BFO_ERR_CANCELLED), "Cancelled");
	ck_assert_str_eq(e2bfo_message(ENOENT), strerror(ENOENT));
	ck_assert_str_eq(e2bfo_message(EXT2_ET_BAD_MAGIC), "Bad magic number in super-block");
	ck_assert_str_eq(e2bfo_message(987654321), "Unknown error");
	ck_assert_str_eq(e2bfo_message(-5), "Unknown error");
	ck_assert_str_eq(e2bfo_version(), PACKAGE_VERSION);
	want_eq(E2BFO_ERR_CANCELLED, BFO_ET_CANCELLED);
	want_call(&(struct apibed){ .c = c }, e2bfo_set_temp_dir(c, "/tmp"));
	e2bfo_free(c);
	e2bfo_free(NULL);
	e2bfo_fs_close(NULL);
}
END_TEST

/* What a program has that was compiled against an older or a newer header. */
START_TEST(test_sizes)
{
	struct {
		struct e2bfo_copy_options known;
		uint64_t more;
	} newer = { .known = { .size = sizeof(newer), .flags = E2BFO_COPY_DRY_RUN } };
	struct e2bfo_copy_options opt = { .size = 0, .flags = E2BFO_COPY_DRY_RUN };
	struct e2bfo_copy_report report = { .size = offsetof(struct e2bfo_copy_report, bytes),
					    .bytes = 12345 };
	struct apibed b;
	struct e2bfo_end from, to;

	apibed_open(&b);
	apibed_tree(&b, "sizes", FILES, SIZE);
	apibed_image(&b, "", "sizes.img");
	from = apibed_end(&b, E2BFO_DIRECTORY, "sizes");
	to = apibed_end(&b, E2BFO_VOLUME, "sizes.img");
	want_err(e2bfo_copy(b.c, &from, &to, &opt, NULL), EINVAL);
	want(strstr(e2bfo_what(b.c), "their size is not set"));
	opt.size = offsetof(struct e2bfo_copy_options, has_now);
	want_call(&b, e2bfo_copy(b.c, &from, &to, &opt, &report));
	want_eq(report.files, FILES + 2);
	want_eq(report.bytes, 12345);
	want_call(&b, e2bfo_copy(b.c, &from, &to, &newer.known, NULL));
	newer.more = 1;
	want_err(e2bfo_copy(b.c, &from, &to, &newer.known, NULL), EINVAL);
	opt.flags = 1U << 31;
	want_err(e2bfo_copy(b.c, &from, &to, &opt, NULL), EINVAL);
	from.kind = E2BFO_LIST;
	want_err(e2bfo_copy(b.c, &from, &to, NULL, NULL), EINVAL);
	from.kind = E2BFO_VOLUME;
	want_err(e2bfo_copy(b.c, &from, &to, NULL, NULL), EISDIR);
	from.spec = NULL;
	want_err(e2bfo_copy(b.c, &from, &to, NULL, NULL), EINVAL);
	apibed_close(&b);
}
END_TEST

/* ---- copies ---- */

/* A directory, an image, an archive by descriptors, a directory: all the same. */
START_TEST(test_ends)
{
	struct e2bfo_copy_options mkfs = { .size = sizeof(mkfs), .flags = E2BFO_COPY_MKFS,
					   .image_size = E2BFO_SIZE_MIN, .environment = environ };
	struct e2bfo_copy_report report = { .size = sizeof(report) };
	struct e2bfo_verify_report differ = { .size = sizeof(differ) };
	struct apibed b;
	struct e2bfo_end dir, image, tar, back;

	apibed_open(&b);
	apibed_tree(&b, "ends", FILES, SIZE);
	dir = apibed_end(&b, E2BFO_DIRECTORY, "ends");
	image = apibed_end(&b, E2BFO_VOLUME, "ends.img");
	back = apibed_end(&b, E2BFO_DIRECTORY, "ends.back");
	tar = (struct e2bfo_end) { .size = sizeof(tar), .kind = E2BFO_ARCHIVE,
				   .flags = E2BFO_END_FD };
	want_call(&b, e2bfo_copy(b.c, &dir, &image, &mkfs, &report));
	want_eq(report.files, FILES + 2);
	want_eq(report.is_complete, 1);
	want(!report.state);
	tar.fd = open(apibed_path(&b, "ends.tar"), O_RDWR | O_CREAT | O_EXCL, 0600);
	want(tar.fd >= 0);
	want_call(&b, e2bfo_copy(b.c, &image, &tar, NULL, &report));
	want_eq(lseek(tar.fd, 0, SEEK_SET), 0);
	want_call(&b, e2bfo_copy(b.c, &tar, &back, NULL, &report));
	want_eq(report.files, FILES + 2);
	want_call(&b, e2bfo_verify(b.c, &image, &back, NULL, &differ));
	want_eq(differ.files, FILES + 2);
	want_eq(lseek(tar.fd, 0, SEEK_SET), 0);
	want_call(&b, e2bfo_verify(b.c, &dir, &tar,
				   &(struct e2bfo_verify_options){
					   .size = sizeof(struct e2bfo_verify_options),
					   .ignore = "atime,ctime,holes" }, &differ));
	want_eq(differ.differences, 0);
	close(tar.fd);
	apibed_close(&b);
}
END_TEST

/* What is in the way is told, each name; nothing is written. */
START_TEST(test_clash)
{
	struct e2bfo_copy_report report = { .size = sizeof(report) };
	struct apibed b;
	struct e2bfo_end dir, image;

	apibed_open(&b);
	apibed_tree(&b, "clash", 2, SIZE);
	apibed_image(&b, "clash", "clash.img");
	dir = apibed_end(&b, E2BFO_DIRECTORY, "clash");
	image = apibed_end(&b, E2BFO_ANY, "clash.img");
	want_err(e2bfo_copy(b.c, &dir, &image, NULL, &report), E2BFO_ERR_CLASH);
	ck_assert_str_eq(b.last, "clash");
	want_eq(b.findings, 5);		/* all but the directories */
	want_eq(report.findings, 5);
	ck_assert_str_eq(report.state, "as-before");
	want(!report.is_complete);
	want(!report.is_resumable);
	want_call(&b, e2bfo_resume(b.c, image.spec, NULL, &report));
	want(report.is_complete);	/* the copy that has made it */
	want_err(e2bfo_abort(b.c, image.spec, NULL), E2BFO_ERR_NO_RECORD);
	apibed_close(&b);
}
END_TEST

/* The files of an image stay where they are not older, or give way. */
START_TEST(test_replaced)
{
	struct e2bfo_copy_options opt = { .size = sizeof(opt), .flags = E2BFO_COPY_IF_NEWER };
	struct e2bfo_copy_report report = { .size = sizeof(report) };
	struct apibed b;
	struct e2bfo_end dir, image;

	apibed_open(&b);
	apibed_tree(&b, "replaced", 2, SIZE);
	apibed_image(&b, "replaced", "replaced.img");
	dir = apibed_end(&b, E2BFO_DIRECTORY, "replaced");
	image = apibed_end(&b, E2BFO_ANY, "replaced.img");
	want_call(&b, e2bfo_copy(b.c, &dir, &image, &opt, &report));
	want_eq(report.skipped, 5);
	want_eq(report.replaced, 0);
	opt.flags = E2BFO_COPY_OVERWRITE;
	want_call(&b, e2bfo_copy(b.c, &dir, &image, &opt, &report));
	want_eq(report.skipped, 0);
	want_eq(report.replaced, 5);
	apibed_close(&b);
}
END_TEST

static int cancel_at_data(void *priv, const struct e2bfo_progress *p)
{
	(void) priv;
	return p->stage == E2BFO_STAGE_DATA && p->done;
}

/* Cancelled when there are data on the target: goes on, or not. */
START_TEST(test_interrupted)
{
	struct e2bfo_copy_options opt = { .size = sizeof(opt), .memory = 1 << 20 };
	struct e2bfo_resume_options dry = { .size = sizeof(dry), .flags = E2BFO_COPY_DRY_RUN };
	struct e2bfo_copy_report report = { .size = sizeof(report) };
	struct e2bfo_verify_report differ = { .size = sizeof(differ) };
	const char *tree = _i ? "given-up" : "resumed";
	const char *from_name = _i ? "given-up.from" : "resumed.from";
	const char *to_name = _i ? "given-up.to" : "resumed.to";
	struct e2bfo_end from, to;
	struct apibed b;

	apibed_open(&b);
	apibed_tree(&b, tree, 60, 100000);
	apibed_image(&b, tree, from_name);
	apibed_image(&b, "", to_name);
	from = apibed_end(&b, E2BFO_VOLUME, from_name);
	to = apibed_end(&b, E2BFO_VOLUME, to_name);
	e2bfo_on_progress(b.c, cancel_at_data, NULL);
	want_err(e2bfo_copy(b.c, &from, &to, &opt, &report), E2BFO_ERR_CANCELLED);
	e2bfo_on_progress(b.c, NULL, NULL);
	want(report.is_resumable);
	ck_assert_str_eq(report.state, "resumable");
	if (_i) {
		want_call(&b, e2bfo_abort(b.c, to.spec, NULL));
	} else {
		want_call(&b, e2bfo_resume(b.c, to.spec, &dry, &report));
		want(!report.is_complete);
		want_call(&b, e2bfo_resume(b.c, to.spec, NULL, &report));
		want(report.is_complete);
	}
	want_err(e2bfo_abort(b.c, to.spec, NULL), E2BFO_ERR_NO_RECORD);
	want_call(&b, e2bfo_verify(b.c, &from, &to, NULL, &differ));
	want_eq(!differ.differences, !_i);
	apibed_close(&b);
}
END_TEST

/* A request that comes between two calls ends the next one, and no other. */
START_TEST(test_cancel)
{
	struct e2bfo_copy_report report = { .size = sizeof(report) };
	struct apibed b;
	struct e2bfo_end dir, image;

	apibed_open(&b);
	apibed_tree(&b, "cancel", 2, SIZE);
	apibed_image(&b, "", "cancel.img");
	dir = apibed_end(&b, E2BFO_DIRECTORY, "cancel");
	image = apibed_end(&b, E2BFO_VOLUME, "cancel.img");
	e2bfo_cancel(b.c);
	want_err(e2bfo_copy(b.c, &dir, &image, NULL, &report), E2BFO_ERR_CANCELLED);
	ck_assert_str_eq(report.state, "as-before");
	want_call(&b, e2bfo_copy(b.c, &dir, &image, NULL, &report));
	want(report.is_complete);
	apibed_close(&b);
}
END_TEST

/* ---- comparisons ---- */

struct differences {
	int n, stop_at;
	char kinds[256];
};

static int take_diff(void *priv, const struct e2bfo_diff *d)
{
	struct differences *all = priv;
	size_t len = strlen(all->kinds);

	snprintf(all->kinds + len, sizeof(all->kinds) - len, "%s %.*s;", d->kind,
		 (int) d->path_len, d->path);
	return ++all->n == all->stop_at;
}

START_TEST(test_verify)
{
	struct differences all = { .n = 0 };
	struct e2bfo_verify_options opt = { .size = sizeof(opt), .diff = take_diff, .priv = &all,
					    .ignore = "atime,mtime,ctime" };
	struct e2bfo_verify_report report = { .size = sizeof(report) };
	struct apibed b;
	struct e2bfo_end dir, image, list;
	int i;

	apibed_open(&b);
	apibed_tree(&b, "verify", 3, SIZE);
	apibed_image(&b, "verify", "verify.img");
	dir = apibed_end(&b, E2BFO_DIRECTORY, "verify");
	image = apibed_end(&b, E2BFO_VOLUME, "verify.img");
	want(!truncate(apibed_path(&b, "verify/file-1"), SIZE - 1));
	want(!unlink(apibed_path(&b, "verify/file-2")));
	want_call(&b, e2bfo_verify(b.c, &image, &dir, &opt, &report));
	want_eq(report.differences, 2);
	ck_assert_str_eq(all.kinds, "missing /file-2;size /file-1;");
	for (i = 1; i <= 2; i++) {	/* the last one, too; and no call after it */
		all = (struct differences) { .stop_at = i };
		want_err(e2bfo_verify(b.c, &image, &dir, &opt, &report), E2BFO_ERR_CANCELLED);
		all = (struct differences) { .stop_at = 0 };
		want_call(&b, e2bfo_verify(b.c, &image, &dir, &opt, &report));
	}
	opt.ignore = "atime,nonsense";
	want_err(e2bfo_verify(b.c, &image, &dir, &opt, &report), EINVAL);
	want(strstr(e2bfo_what(b.c), "'nonsense' is no kind"));
	list = (struct e2bfo_end) { .size = sizeof(list), .kind = E2BFO_LIST, .spec = "no-format" };
	want_err(e2bfo_verify(b.c, &image, &list, NULL, &report), EINVAL);
	apibed_close(&b);
}
END_TEST

/* ---- files ---- */

struct listed {
	uint32_t inos[FILES + 2];	/* of files */
	int entries, files, dirs;
	uint32_t ino;			/* of "deep" */
	uint64_t bytes;
};

static int take_entry(void *priv, const struct e2bfo_entry *e)
{
	struct listed *l = priv;

	want_eq(e->size, sizeof(*e));
	l->entries++;
	if (S_ISREG(e->mode))
		l->inos[l->files] = e->ino;
	l->files += S_ISREG(e->mode);
	l->dirs += S_ISDIR(e->mode);
	l->bytes += S_ISREG(e->mode) ? e->bytes : 0;
	if (e->name_len == 4 && !memcmp(e->name, "deep", 4)) {
		want_eq(e->links, 2);
		want(e->dir_len == 6 && !memcmp(e->dir, "/below", 6));
		l->ino = e->ino;
	}
	if (S_ISLNK(e->mode))
		want(e->target_len == 10 && !memcmp(e->target, "below/deep", 10));
	return 0;
}

struct stats {
	int n, missing;
	uint32_t last;			/* inode number */
};

static int take_stat(void *priv, const struct e2bfo_entry *e)
{
	static const uint64_t sizes[] = { SIZE, 0, 0, SIZE, 3 };
	struct stats *s = priv;

	s->missing += !!e->err;
	if (e->err) {
		want_eq(e->err, E2BFO_ERR_NO_PATH);
		want_eq(e->index, 1);
		want(strstr(e->what, "/nowhere"));
		return 0;
	}
	want(e->ino > s->last);
	want(S_ISDIR(e->mode) || e->bytes == sizes[e->index]);
	s->last = e->ino;
	return ++s->n == 5;
}

struct pieces {
	int n, refused, files;
	uint64_t bytes;
	int stop_at;
};

static int take_piece(void *priv, const struct e2bfo_piece *p)
{
	uint64_t size = p->bytes == PART ? SIZE : p->bytes;
	const char *data = p->data;
	struct pieces *all = priv;
	size_t i;

	all->n++;
	all->bytes += p->len;
	all->refused += !!p->err;
	all->files += p->is_last && !p->err;
	for (i = 0; i < p->len; i++)
		want(data[i] == (char) ('a' + ((p->offset + i) * 7 + size) % 26));
	return all->n == all->stop_at;
}

START_TEST(test_files)
{
	const char *paths[] = { "/file-0", "/nowhere", "/below", "/file-1", "/again" };
	struct e2bfo_read read = { .size = sizeof(read), .paths = paths, .n_paths = 5,
				   .n_inos = 1 };
	struct listed l = { .entries = 0 };
	struct stats st = { .n = 0 };
	struct pieces all = { .n = 0 };
	struct e2bfo_end image;
	struct apibed b;
	e2bfo_fs *fs;

	apibed_open(&b);
	apibed_tree(&b, "files", FILES, SIZE);
	apibed_image(&b, "files", "files.img");
	image = apibed_end(&b, E2BFO_VOLUME, "files.img");
	want_call(&b, e2bfo_fs_open(b.c, &image, &fs));
	want_call(&b, e2bfo_list(fs, "/", E2BFO_LIST_RECURSIVE, take_entry, &l));
	want_eq(l.files, FILES + 2);
	want_eq(l.dirs, 2);		/* and lost+found */
	want_eq(l.bytes, FILES * SIZE + 6);
	want_err(e2bfo_list(fs, "/nowhere", 0, take_entry, &l), E2BFO_ERR_NO_PATH);
	want_call(&b, e2bfo_stat(fs, paths, 5, take_stat, &st));
	want_eq(st.n, 4);
	want_eq(st.missing, 1);
	read.inos = &l.ino;
	want_call(&b, e2bfo_batch_read(fs, &read, take_piece, &all));
	want_eq(all.refused, 2);
	want_eq(all.files, 4);
	want_eq(all.bytes, 2 * SIZE + 6);
	all = (struct pieces) { .stop_at = 2 };
	want_err(e2bfo_batch_read(fs, &read, take_piece, &all), E2BFO_ERR_CANCELLED);
	want_eq(all.n, 2);
	read.paths = &paths[1];		/* refused alone: all others have come */
	read.n_paths = 1;
	read.n_inos = 0;
	all = (struct pieces) { .stop_at = 1 };
	want_err(e2bfo_batch_read(fs, &read, take_piece, &all), E2BFO_ERR_CANCELLED);
	read.paths = paths;
	read.n_paths = 5;
	read.n_inos = 1;
	all = (struct pieces) { .stop_at = 0 };
	read.length = PART;
	want_call(&b, e2bfo_batch_read(fs, &read, take_piece, &all));
	want_eq(all.bytes, 2 * PART + 6);
	/* what does not fit any more waits for the next round: each is one piece */
	all = (struct pieces) { .stop_at = 0 };
	read = (struct e2bfo_read) { .size = sizeof(read), .inos = l.inos, .n_inos = FILES + 2,
				     .memory = 2 * SIZE - 100 };
	want_call(&b, e2bfo_batch_read(fs, &read, take_piece, &all));
	want_eq(all.files, FILES + 2);
	want_eq(all.n, FILES + 2);
	e2bfo_fs_close(fs);
	image.spec = "/no/such/image";
	want_err(e2bfo_fs_open(b.c, &image, &fs), ENOENT);
	want(!fs);
	apibed_close(&b);
}
END_TEST

Suite *api_suite(void)
{
	Suite *suite = suite_create("api");

	unit_case(suite, "messages", test_messages, 0);
	unit_case(suite, "structs of other sizes", test_sizes, 0);
	unit_case(suite, "any end", test_ends, 0);
	unit_case(suite, "clashes", test_clash, 0);
	unit_case(suite, "replaced", test_replaced, 0);
	unit_case(suite, "interrupted, resumed, given up", test_interrupted, 2);
	unit_case(suite, "cancelled", test_cancel, 0);
	unit_case(suite, "comparisons", test_verify, 0);
	unit_case(suite, "files", test_files, 0);
	return suite;
}
