// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_extract_names.c - export/extract: names that exist, that fold, that are many
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/xattr.h>

#include "export/extract_state.h"
#include "tree/acl.h"
#include "extractbed.h"
#include "xattrs.h"

#define N(nodes) (sizeof(nodes) / sizeof(*(nodes)))

static struct extractbed bed;

/* ---- names that exist ---- */

/* What exists keeps what it is; what is new does not inherit anything. */
START_TEST(merges)
{
	struct extractbed_node n[6] = { extractbed_root(),
					extractbed_node("old", S_IFDIR | 0700, 2),
					extractbed_file("old/file", "new", 3),
					extractbed_node("old/sub", S_IFDIR | 0711, 4),
					extractbed_file("old/sub/x", "x", 5),
					extractbed_node("old/tube", S_IFIFO | 0600, 6) };
	bfo_chars list = { 0 };
	struct stat st;
	int i, flags = FS_NODUMP_FL, fd;

	if (!extractbed_begin(&bed, EXTRACTBED_EXT4, 0))
		return;
	extractbed_mkdir(&bed);
	want(!mkdir(extractbed_path(&bed, "dir/old"), 0755));
	want(!chmod(extractbed_path(&bed, "dir/old"), S_ISGID | 0755));
	want(!chown(extractbed_path(&bed, "dir/old"), 77, 78));
	want_ok(bfo_acl_to_xattr(xattrs_acl, sizeof(xattrs_acl), &list));
	want(!setxattr(extractbed_path(&bed, "dir/old"), "system.posix_acl_default", list.v,
		       list.n, 0));
	fd = open(extractbed_path(&bed, "dir/old"), O_RDONLY);
	want(!ioctl(fd, FS_IOC_SETFLAGS, &flags) && !close(fd));
	want_ok(extractbed_open(&bed, NULL));
	extractbed_all(&bed, n, 6);
	st = extractbed_stat(&bed, "dir/old");
	want_eq(st.st_mode, S_IFDIR | S_ISGID | 0755);
	want_eq(st.st_uid, 77);
	for (i = 2; i < 6; i++) {
		char name[64];

		snprintf(name, sizeof(name), "dir/%s", n[i].item.path);
		extractbed_want_same(&bed, &n[i], name);
		want_eq(llistxattr(extractbed_path(&bed, name), NULL, 0), 0);
		if (i < 5)
			want_eq(extractbed_flags(&bed, name) & FS_NODUMP_FL, 0);
	}
	bfo_vec_free(&list);
	extractbed_finish(&bed);
}
END_TEST

static unsigned int project_of(const char *name)
{
	int fd = open(extractbed_path(&bed, name), O_RDONLY);
	struct fsxattr fsx;

	want(fd >= 0 && !ioctl(fd, FS_IOC_FSGETXATTR, &fsx) && !close(fd));
	return fsx.fsx_projid;
}

static void inherit_project(const char *name, unsigned int project)
{
	int fd = open(extractbed_path(&bed, name), O_RDONLY);
	struct fsxattr fsx;

	want(fd >= 0 && !ioctl(fd, FS_IOC_FSGETXATTR, &fsx));
	fsx.fsx_projid = project;
	fsx.fsx_xflags |= FS_XFLAG_PROJINHERIT;
	want(!ioctl(fd, FS_IOC_FSSETXATTR, &fsx) && !close(fd));
}

/* A directory whose project is inherited takes nothing else, and yet each item gets its own. */
START_TEST(keeps_projects)
{
	struct extractbed_node n[6] = { extractbed_root(), extractbed_node("d", S_IFDIR | 0755, 2),
					extractbed_file("d/x", "x", 3),
					extractbed_file("f", "f", 4),
					extractbed_node("sub", S_IFDIR | 0755, 5),
					extractbed_file("sub/y", "y", 6) };

	if (system("command -v mkfs.xfs > /dev/null") || !extractbed_begin(&bed, EXTRACTBED_XFS, 0))
		return;
	extractbed_mkdir(&bed);
	inherit_project("dir", 7);
	n[2].item.attrs.project = 8;
	n[3].item.attrs.project = 9;
	n[4].item.attrs.project = 10;
	want_ok(extractbed_open(&bed, NULL));
	extractbed_all(&bed, n, 6);
	want_eq(project_of("dir"), 7);
	want_eq(project_of("dir/d"), 0);
	want_eq(project_of("dir/d/x"), 8);
	want_eq(project_of("dir/f"), 9);
	want_eq(project_of("dir/sub"), 10);
	want_eq(project_of("dir/sub/y"), 0);
	want_eq(extractbed_noted(&bed, "project"), 0);
	extractbed_finish(&bed);
}
END_TEST

static void make_old(void)
{
	struct timespec times[2] = { { .tv_sec = 1000000041 }, { .tv_sec = 1000000041 } };

	extractbed_mkdir(&bed);
	extractbed_write(&bed, "dir/early", "old");
	extractbed_write(&bed, "dir/late", "old");
	want(!mkdir(extractbed_path(&bed, "dir/d"), 0755));
	extractbed_write(&bed, "dir/file", "old");
	want(!symlink("d", extractbed_path(&bed, "dir/link")));
	want(!utimensat(-1, extractbed_path(&bed, "dir/late"), times, 0));
	times[1].tv_sec = 1000000019;
	want(!utimensat(-1, extractbed_path(&bed, "dir/early"), times, 0));
}

/* Of a kind that is another's every name is a clash, of the same kind it depends. */
START_TEST(finds_clashes)
{
	static const struct {
		enum bfo_over over;
		size_t skipped, clashes;
	} rows[] = { { BFO_OVER_CLASH, 0, 5 }, { BFO_OVER_REPLACE, 0, 3 },
		     { BFO_OVER_SKIP, 2, 3 }, { BFO_OVER_NEWER, 1, 3 } };
	struct bfo_extract_options opt = { .over = rows[_i].over };
	struct extractbed_node n[8] = { extractbed_root(), extractbed_file("d", "no directory", 3),
					extractbed_file("early", "new", 2),
					extractbed_node("file", S_IFDIR | 0755, 5),
					extractbed_file("file/below", "", 6),
					extractbed_file("late", "new", 4),
					extractbed_node("link", S_IFDIR | 0755, 7),
					extractbed_file("zzz", "", 8) };
	const struct bfo_extract_clash *clashes;
	size_t skipped, count;
	unsigned int hidden;

	if (!extractbed_begin(&bed, NULL, EXTRACTBED_TMPFS_BYTES))
		return;
	make_old();
	want_ok(extractbed_open(&bed, &opt));
	want_ok(extractbed_look(&bed, n, N(n), &skipped));
	clashes = bfo_extract_clashes(bed.outlet, &count);
	want_eq(skipped, rows[_i].skipped);
	want_eq(count, rows[_i].clashes);
	ck_assert_str_eq(clashes[0].path, "d");
	ck_assert_str_eq(clashes[0].word, "directory");
	ck_assert_str_eq(clashes[count - 1].path, "link");
	ck_assert_str_eq(clashes[count - 1].word, "no-directory");
	want_err(extractbed_put(&bed, n, N(n)), BFO_ET_CLASH);
	extractbed_close(&bed);
	want_eq(extractbed_count(&bed, &hidden), 6);
	want_eq(hidden, 0);
	extractbed_finish(&bed);
}
END_TEST

START_TEST(replaces)
{
	struct bfo_extract_options opt = { .over = _i ? BFO_OVER_NEWER : BFO_OVER_REPLACE };
	struct extractbed_node n[4] = { extractbed_root(), extractbed_file("early", "new", 2),
					extractbed_file("file", "new", 3),
					extractbed_node("link", S_IFLNK | 0777, 4) };

	if (!extractbed_begin(&bed, NULL, EXTRACTBED_TMPFS_BYTES))
		return;
	make_old();
	n[2].item.attrs.sec[BFO_MTIME] = n[3].item.attrs.sec[BFO_MTIME] = 1LL << 33;
	want_ok(extractbed_open(&bed, &opt));
	extractbed_all(&bed, n, 4);
	extractbed_want(&bed, "dir/early", "new");
	extractbed_want(&bed, "dir/file", "new");
	extractbed_want(&bed, "dir/late", "old");
	extractbed_want_same(&bed, &n[3], "dir/link");
	extractbed_finish(&bed);
}
END_TEST

/* A name that appears after the look is not replaced, nor is one that was changed. */
START_TEST(replaces_nothing_else)
{
	struct bfo_extract_options opt = { .over = BFO_OVER_REPLACE };
	struct extractbed_node n[2] = { extractbed_root(),
					extractbed_file(_i ? "file" : "sudden", "new", 2) };
	unsigned int hidden;

	if (!extractbed_begin(&bed, NULL, EXTRACTBED_TMPFS_BYTES))
		return;
	make_old();
	want_ok(extractbed_open(&bed, &opt));
	want_ok(extractbed_put(&bed, n, 2));
	extractbed_write(&bed, "dir/other", "theirs");
	want(!rename(extractbed_path(&bed, "dir/other"),
		     extractbed_path(&bed, _i ? "dir/file" : "dir/sudden")));
	want_err(bed.outlet->end(bed.outlet->priv), BFO_ET_CLASH);
	extractbed_close(&bed);
	extractbed_want(&bed, _i ? "dir/file" : "dir/sudden", "theirs");
	extractbed_count(&bed, &hidden);
	want_eq(hidden, 0);
	extractbed_finish(&bed);
}
END_TEST

/* A filesystem that takes two names for one says EEXIST where nothing can be. */
START_TEST(tells_names_that_fold)
{
	struct extractbed_node n[3] = { extractbed_root(), extractbed_node("d", S_IFDIR | 0755, 2),
					extractbed_file("d/Name", "", 3) };
	char command[1200];

	if (!extractbed_begin(&bed, NULL, EXTRACTBED_TMPFS_BYTES))
		return;
	extractbed_mkdir(&bed);
	want_ok(extractbed_open(&bed, NULL));
	n[0].item.path_len = 0;
	n[1].item.path_len = 1;
	n[2].item.path_len = 6;
	want_ok(bed.outlet->item(bed.outlet->priv, &n[0].item));
	want_ok(bed.outlet->item(bed.outlet->priv, &n[1].item));
	snprintf(command, sizeof(command), "for d in %s/.e2bfo-*; do : > $d/Name; done",
		 bed.dir);
	want(!system(command));
	want_err(bed.outlet->item(bed.outlet->priv, &n[2].item), BFO_ET_CLASH);
	want(strstr(bed.ctx.what, "\"d/Name\"") && strstr(bed.ctx.what, "another name"));
	extractbed_finish(&bed);
}
END_TEST

/* ---- depth, links, room ---- */

#define DEEP 5000U

static errcode_t put_deep(struct extractbed_node *n, char *text)
{
	const struct bfo_outlet *o = bed.outlet;
	errcode_t err = 0;
	unsigned int i;

	/* a path ends where its text does */
	for (i = 0; i <= DEEP && !err; i++) {
		char kept = text[n[i].item.path_len];

		text[n[i].item.path_len] = 0;
		err = o->item(o->priv, &n[i].item);
		text[n[i].item.path_len] = kept;
	}
	for (; i-- && !err; )
		err = o->leave(o->priv, &n[i].item);
	return err;
}

/* Few descriptors are enough, whether all of it is new or nothing. */
START_TEST(goes_deep)
{
	char *text = unit_alloc(2 * DEEP + 2);
	struct extractbed_node *n = unit_alloc((DEEP + 1) * sizeof(*n));
	struct rlimit limit = { .rlim_cur = 512, .rlim_max = 512 };
	char hidden[BFO_EXTRACT_HIDDEN], name[64];
	struct bfo_extract_left left;
	unsigned int i;
	uint32_t seed;
	int at;

	if (!extractbed_begin(&bed, NULL, 64U << 20))
		return;
	extractbed_mkdir(&bed);
	want(!setrlimit(RLIMIT_NOFILE, &limit));
	n[0] = extractbed_root();
	for (i = 1; i <= DEEP; i++) {
		memcpy(text + 2 * i - 2, "d/", 2);
		n[i] = extractbed_node(text, S_IFDIR | 0755, i);
		n[i].item.path_len = 2 * i - 1;
	}
	for (i = 0; i < 2; i++) {
		want_ok(extractbed_open(&bed, NULL));
		want_ok(put_deep(n, text));
		want_ok(bed.outlet->end(bed.outlet->priv));
		extractbed_close(&bed);
	}
	extractbed_want_times(&bed, &n[1], "dir/d");
	extractbed_want_times(&bed, &n[2], "dir/d/d");
	at = open(bed.dir, O_PATH);
	want(at >= 0 && !bfo_extract_seed(at, &seed) && !close(at));
	want(!bfo_extract_hidden_draw(seed, hidden));
	snprintf(name, sizeof(name), "dir/%s", hidden);
	want(!rename(extractbed_path(&bed, "dir/d"), extractbed_path(&bed, name)));
	want_ok(bfo_extract_abort(&bed.ctx, bed.mount, &left));
	want_eq(left.removed, 1);
	want(!extractbed_exists(&bed, name) && !rmdir(bed.dir));
	free(n);
	free(text);
	extractbed_finish(&bed);
}
END_TEST

/* A further name reaches the first one: hidden, in what is hidden, long since visible. */
START_TEST(links_anywhere)
{
	struct extractbed_node n[7] = { extractbed_root(), extractbed_node("a", S_IFDIR | 0755, 2),
					extractbed_file("a/f", "in", 3), extractbed_root(),
					extractbed_file("g", "top", 4),
					extractbed_root(), extractbed_root() };
	struct stat st;
	char *big = NULL;

	if (!extractbed_begin(&bed, NULL, 128U << 20))
		return;
	n[2].item.names = n[4].item.names = 2;
	n[3] = extractbed_link("a/h", &n[2]);
	n[5] = extractbed_link("h", &n[4]);
	n[6] = extractbed_link("z", &n[2]);
	if (_i)
		extractbed_mkdir(&bed);
	if (_i == 2) {			/* so much that tops get their names before the end */
		big = unit_alloc(65 << 20);
		n[4].data = big;
		n[4].len = n[4].item.attrs.size = 65 << 20;
	}
	want_ok(extractbed_open(&bed, NULL));
	want_ok(extractbed_put(&bed, n, 7));
	want_eq(extractbed_exists(&bed, "dir/g"), _i == 2);
	want(!extractbed_exists(&bed, "dir/z"));
	want_ok(bed.outlet->end(bed.outlet->priv));
	st = extractbed_stat(&bed, "dir/z");
	want_eq(st.st_nlink, 3);
	want_eq(st.st_ino, extractbed_stat(&bed, "dir/a/f").st_ino);
	want_eq(extractbed_stat(&bed, "dir/h").st_ino, extractbed_stat(&bed, "dir/g").st_ino);
	free(big);
	extractbed_finish(&bed);
}
END_TEST

/* A full filesystem: an error, and nothing is left. */
START_TEST(gives_up_without_room)
{
	struct extractbed_node n[4] = { extractbed_root(), extractbed_node("a", S_IFDIR | 0755, 2),
					extractbed_file("a/small", "text", 3),
					extractbed_node("a/large", S_IFREG | 0644, 4) };
	struct bfo_part part = { 0, 4 << 20, 1 };
	unsigned int hidden;

	if (!extractbed_begin(&bed, NULL, 1 << 20))
		return;
	if (_i & 1)
		extractbed_mkdir(&bed);
	if (_i & 2) {
		n[3].item.parts = &part;
		n[3].item.n_parts = 1;
	} else {
		n[3].data = unit_alloc(4 << 20);
		n[3].len = 4 << 20;
	}
	n[3].item.attrs.size = 4 << 20;
	want_ok(extractbed_open(&bed, NULL));
	want_err(extractbed_put(&bed, n, 4), ENOSPC);
	want(strstr(bed.ctx.what, "a/large"));
	extractbed_count(&bed, &hidden);
	want_eq(hidden, 1);
	extractbed_close(&bed);
	want_eq(extractbed_count(&bed, &hidden), _i & 1);
	free((void *) n[3].data);
	extractbed_finish(&bed);
}
END_TEST

START_TEST(refuses_what_cannot_be_written)
{
	struct bfo_extract_options opt = { .path = "/nowhere/at/all" };

	if (!extractbed_begin(&bed, NULL, 1 << 20))
		return;
	want_err(bfo_extract_open(&bed.ctx, &opt, &bed.outlet), ENOENT);
	extractbed_write(&bed, "dir", "");
	want_err(extractbed_open(&bed, NULL), ENOTDIR);
	want(!unlink(bed.dir));
	want(!mount(NULL, bed.mount, NULL, MS_REMOUNT | MS_RDONLY, NULL));
	want_err(extractbed_open(&bed, NULL), EROFS);
	extractbed_finish(&bed);
}
END_TEST
Suite *extract_names_suite(void)
{
	Suite *s = suite_create("extract_names");

	unit_case(s, "merges", merges, 0);
	unit_case(s, "keeps_projects", keeps_projects, 0);
	unit_case(s, "finds_clashes", finds_clashes, 4);
	unit_case(s, "replaces", replaces, 2);
	unit_case(s, "replaces_nothing_else", replaces_nothing_else, 2);
	unit_case(s, "tells_names_that_fold", tells_names_that_fold, 0);
	unit_case(s, "goes_deep", goes_deep, 0);
	unit_case(s, "links_anywhere", links_anywhere, 3);
	unit_case(s, "gives_up_without_room", gives_up_without_room, 4);
	unit_case(s, "refuses_what_cannot_be_written", refuses_what_cannot_be_written, 0);
	return s;
}
