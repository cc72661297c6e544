// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_extract.c - export/extract, export/dirs: made items onto a mounted filesystem
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
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <ext2fs/ext2_fs.h>

#include "base/disk.h"
#include "export/acl_xattr.h"
#include "export/folded.h"
#include "extractbed.h"

#define EXT4 "mke2fs -q -F -t ext4 -O ^has_journal"
#define XFS "mkfs.xfs -q"
#define TMPFS_BYTES (8U << 20)
#define N(nodes) (sizeof(nodes) / sizeof(*(nodes)))

static struct extractbed bed;

static struct extractbed_node root(void)
{
	return extractbed_node("", S_IFDIR | 0755, 1);
}

static void make_dir(void)
{
	want(!mkdir(bed.dir, 0751));
}

static void want_times(const struct extractbed_node *n, const char *name)
{
	const struct bfo_attrs *a = &n->item.attrs;
	struct stat st = extractbed_stat(&bed, name);

	want_eq(st.st_mtim.tv_sec, a->sec[BFO_MTIME]);
	want_eq(st.st_mtim.tv_nsec, a->nsec[BFO_MTIME]);
	want_eq(st.st_atim.tv_sec, a->sec[BFO_ATIME]);
	want_eq(st.st_atim.tv_nsec, a->nsec[BFO_ATIME]);
}

static void want_same(const struct extractbed_node *n, const char *name)
{
	const struct bfo_attrs *a = &n->item.attrs;
	struct stat st = extractbed_stat(&bed, name);

	want_times(n, name);
	want_eq(st.st_mode, S_ISLNK(a->mode) ? S_IFLNK | 0777U : a->mode);
	want_eq(st.st_uid, a->uid);
	want_eq(st.st_gid, a->gid);
}

static unsigned int flags_of(const char *name)
{
	int fd = open(extractbed_path(&bed, name), O_RDONLY | O_NONBLOCK), flags;

	want(fd >= 0 && !ioctl(fd, FS_IOC_GETFLAGS, &flags) && !close(fd));
	return flags;
}

static void want_xattr(const char *name, const char *attr, const void *value, ssize_t size)
{
	char found[1024];

	want_eq(lgetxattr(extractbed_path(&bed, name), attr, found, sizeof(found)), size);
	want_mem(found, value, size);
}

/* ---- all that an item has ---- */

static const uint8_t capability[20] = { 1, 0, 0, 2, 0, 4 };

/* rwx of the owner, r-x of user 5, of the group, and of the mask; nothing of others */
static const uint8_t acl[] = { 1, 0, 0, 0, 1, 0, 7, 0, 2, 0, 5, 0, 5, 0, 0, 0,
			       4, 0, 5, 0, 0x10, 0, 5, 0, 0x20, 0, 0, 0 };

static void add_xattr(struct extractbed_node *n, int index, const char *name, const void *value,
		      uint32_t size)
{
	struct bfo_xattr x = { .name_index = index, .name = name, .name_len = strlen(name),
			       .value = value, .size = size };

	want_ok(bfo_vec_push(&n->item.xattrs, x));
	bfo_xattrs_sort(&n->item.xattrs);
}

static void make_full(struct extractbed_node n[12])
{
	static const struct bfo_part parts[] = { { 1 << 20, 4096, 0 },
						 { 2 << 20, 1 << 20, 1 } };

	n[0] = root();
	n[1] = extractbed_node("a", S_IFDIR | S_ISGID | 0750, 2);
	n[1].item.attrs.flags = EXT2_NODUMP_FL | EXT2_APPEND_FL;
	add_xattr(&n[1], BFO_XATTR_ACL_DEFAULT, "", acl, sizeof(acl));
	n[2] = extractbed_node("a/blk", S_IFBLK | 0640, 3);
	n[2].item.attrs.major = 300;
	n[2].item.attrs.minor = 70000;
	n[3] = extractbed_node("a/fifo", S_IFIFO | 0604, 4);
	n[4] = extractbed_node("a/frozen", S_IFREG | 0444, 5);
	n[4].item.attrs.flags = EXT2_IMMUTABLE_FL;
	n[4].item.names = 2;
	n[5] = extractbed_node("a/holes", S_IFREG | S_ISUID | 0750, 6);
	n[5].item.attrs.size = (4 << 20) + 5;
	n[5].item.attrs.flags = EXT2_NOATIME_FL;
	n[5].item.parts = parts;
	n[5].item.n_parts = 2;
	n[5].data = unit_alloc(4096);
	memset((char *) n[5].data, 'x', 4096);
	n[5].offset = 1 << 20;
	n[5].len = 4096;
	add_xattr(&n[5], BFO_XATTR_USER, "colour", "red", 3);
	add_xattr(&n[5], BFO_XATTR_TRUSTED, "t", "", 0);
	add_xattr(&n[5], BFO_XATTR_SECURITY, "capability", capability, sizeof(capability));
	add_xattr(&n[5], BFO_XATTR_ACL_ACCESS, "", acl, sizeof(acl));
	n[6] = extractbed_node("a/link", S_IFLNK | 0777, 7);
	add_xattr(&n[6], BFO_XATTR_TRUSTED, "of-a-link", "yes", 3);
	n[7] = extractbed_node("a/sock", S_IFSOCK | 0700, 8);
	add_xattr(&n[7], BFO_XATTR_TRUSTED, "of-a-socket", "yes", 3);
	n[8] = extractbed_node("b", S_IFDIR | S_ISVTX | 0777, 9);
	n[9] = extractbed_link("b/again", &n[4]);
	n[10] = extractbed_file("c", "small", 10);
	n[10].item.attrs.flags = EXT2_IMMUTABLE_FL;
	n[11] = extractbed_node("z", S_IFDIR | 0555, 11);
	n[11].item.attrs.flags = EXT2_IMMUTABLE_FL;
}

static void free_full(struct extractbed_node n[12])
{
	int i;

	free((void *) n[5].data);
	for (i = 0; i < 12; i++)
		bfo_vec_free(&n[i].item.xattrs);
}

static void want_full(const struct extractbed_node n[12])
{
	bfo_chars list = { 0 };
	struct stat st;
	char name[64];
	int i, fd;

	for (i = 1; i < 12; i++) {
		snprintf(name, sizeof(name), "dir/%s", n[i].item.path);
		if (i != 9)
			want_same(&n[i], name);
	}
	st = extractbed_stat(&bed, "dir/a/blk");
	want_eq(st.st_rdev, makedev(300, 70000));
	want_eq(extractbed_stat(&bed, "dir/b/again").st_ino,
		extractbed_stat(&bed, "dir/a/frozen").st_ino);
	st = extractbed_stat(&bed, "dir/a/holes");
	want_eq(st.st_size, (4 << 20) + 5);
	want(st.st_blocks * 512 >= (1 << 20) + 4096 && st.st_blocks * 512 < (1 << 20) + 65536);
	fd = open(extractbed_path(&bed, "dir/a/holes"), O_RDONLY);
	want_eq(lseek(fd, 0, SEEK_DATA), 1 << 20);
	want(pread(fd, name, 2, (1 << 20) + 4095) == 2 && !memcmp(name, "x", 2) && !close(fd));
	want_eq(readlink(extractbed_path(&bed, "dir/a/link"), name, sizeof(name)), 6);
	want_xattr("dir/a/holes", "user.colour", "red", 3);
	want_xattr("dir/a/holes", "trusted.t", "", 0);
	want_xattr("dir/a/holes", "security.capability", capability, sizeof(capability));
	want_xattr("dir/a/link", "trusted.of-a-link", "yes", 3);
	want_xattr("dir/a/sock", "trusted.of-a-socket", "yes", 3);
	want_ok(bfo_acl_to_xattr(acl, sizeof(acl), &list));
	want_xattr("dir/a/holes", "system.posix_acl_access", list.v, list.n);
	want_xattr("dir/a", "system.posix_acl_default", list.v, list.n);
	want_eq(lgetxattr(extractbed_path(&bed, "dir/a/fifo"), "system.posix_acl_access", NULL, 0),
		(uint64_t) -1);
	bfo_vec_free(&list);
}

static void want_flags(void)
{
	want_eq(flags_of("dir/a") & ~EXT4_EXTENTS_FL, EXT2_NODUMP_FL | EXT2_APPEND_FL);
	want_eq(flags_of("dir/a/holes") & ~EXT4_EXTENTS_FL, EXT2_NOATIME_FL);
	want_eq(flags_of("dir/b/again") & ~EXT4_EXTENTS_FL, EXT2_IMMUTABLE_FL);
	want_eq(flags_of("dir/c") & ~EXT4_EXTENTS_FL, EXT2_IMMUTABLE_FL);
	want_eq(flags_of("dir/z") & ~EXT4_EXTENTS_FL, EXT2_IMMUTABLE_FL);
}

/* Onto ext4, into a directory that exists, and one that does not. */
START_TEST(keeps_all)
{
	struct extractbed_node n[12];
	unsigned int hidden;
	size_t notes, i;
	const struct bfo_extract_note *note;

	if (!extractbed_begin(&bed, EXT4, 0))
		return;
	if (_i)
		make_dir();
	make_full(n);
	want_ok(extractbed_open(&bed, NULL));
	extractbed_all(&bed, n, 12);
	want_full(n);
	want_flags();
	if (!_i)
		want_same(&n[0], "dir");
	want_eq(extractbed_count(&bed, &hidden), 12);
	want_eq(hidden, 0);
	note = bfo_extract_notes(bed.outlet, &notes);
	for (i = 0; i < notes; i++)
		want(note[i].is_common);
	want_eq(extractbed_noted(&bed, "ctime"), _i ? 10 : 11);
	want_eq(extractbed_noted(&bed, "generation"), 0);
	free_full(n);
	extractbed_finish(&bed);
}
END_TEST

/* A tmpfs has no trusted attributes of links, no flags ... but what it has is kept. */
START_TEST(notes_what_tmpfs_lacks)
{
	struct extractbed_node n[3] = { root(), extractbed_file("a", "text", 2),
					extractbed_file("b", "", 3) };

	if (!extractbed_begin(&bed, NULL, TMPFS_BYTES))
		return;
	n[1].item.attrs.flags = EXT3_JOURNAL_DATA_FL | EXT2_NODUMP_FL;
	n[1].item.attrs.project = 7;
	n[1].item.attrs.generation = 5;
	add_xattr(&n[2], 9, "c", "context", 7);
	want_ok(extractbed_open(&bed, NULL));
	extractbed_all(&bed, n, 3);
	want_same(&n[1], "dir/a");
	extractbed_want(&bed, "dir/a", "text");
	want_eq(extractbed_noted(&bed, "flags"), 1);
	want_eq(extractbed_noted(&bed, "project"), 1);
	want_eq(extractbed_noted(&bed, "xattr"), 1);
	want_eq(extractbed_noted(&bed, "generation"), 1);
	bfo_vec_free(&n[2].item.xattrs);
	extractbed_finish(&bed);
}
END_TEST

/* What is not wanted stays away, and is counted. */
START_TEST(leaves_out)
{
	static const char *const patterns[] = { "user.b*", "trusted.*" };
	struct bfo_extract_options opt = { .no_devices = 1, .no_suid = 1, .no_xattrs = patterns,
					   .n_no_xattrs = 2 };
	struct extractbed_node n[4] = { root(), extractbed_node("chr", S_IFCHR | 0600, 2),
					extractbed_node("dir", S_IFDIR | S_ISGID | 0755, 3),
					extractbed_node("f", S_IFREG | S_ISUID | S_ISGID | 0755, 4) };

	if (!extractbed_begin(&bed, EXT4, 0))
		return;
	add_xattr(&n[3], BFO_XATTR_USER, "a", "1", 1);
	add_xattr(&n[3], BFO_XATTR_USER, "bb", "1", 1);
	add_xattr(&n[3], BFO_XATTR_TRUSTED, "a", "1", 1);
	add_xattr(&n[3], BFO_XATTR_SECURITY, "capability", capability, sizeof(capability));
	want_ok(extractbed_open(&bed, &opt));
	extractbed_all(&bed, n, 4);
	want(!extractbed_exists(&bed, "dir/chr"));
	want_same(&n[2], "dir/dir");
	want_eq(extractbed_stat(&bed, "dir/f").st_mode, S_IFREG | 0755);
	want_xattr("dir/f", "user.a", "1", 1);
	want_eq(llistxattr(extractbed_path(&bed, "dir/f"), NULL, 0), sizeof("user.a"));
	want_eq(extractbed_noted(&bed, "no-devices"), 1);
	want_eq(extractbed_noted(&bed, "no-suid"), 1);
	want_eq(extractbed_noted(&bed, "no-capabilities"), 1);
	want_eq(extractbed_noted(&bed, "no-xattrs"), 2);
	want_eq(extractbed_noted(&bed, "set-id"), 0);
	bfo_vec_free(&n[3].item.xattrs);
	extractbed_finish(&bed);
}
END_TEST

/* Nobody in particular keeps what is possible; nothing of others gets a set-id bit. */
START_TEST(works_without_rights)
{
	struct extractbed_node n[5] = { root(), extractbed_node("blk", S_IFBLK | 0640, 2),
					extractbed_node("fifo", S_IFIFO | 0640, 3),
					extractbed_node("suid", S_IFREG | S_ISUID | 0755, 4), root() };
	char *folder;

	if (!extractbed_begin(&bed, EXT4, 0))
		return;
	n[1].item.names = 2;
	n[3].item.attrs.flags = EXT2_IMMUTABLE_FL | EXT2_NODUMP_FL;
	add_xattr(&n[3], BFO_XATTR_USER, "a", "1", 1);
	add_xattr(&n[3], BFO_XATTR_TRUSTED, "a", "1", 1);
	add_xattr(&n[3], BFO_XATTR_SECURITY, "capability", capability, sizeof(capability));
	n[4] = extractbed_link("too", &n[1]);
	folder = unit_path(".");
	want(!chmod(folder, 0711) && !chmod(bed.mount, 0777));
	free(folder);
	want(!seteuid(4711));
	want_ok(extractbed_open(&bed, NULL));
	extractbed_all(&bed, n, 5);
	want(!extractbed_exists(&bed, "dir/blk") && !extractbed_exists(&bed, "dir/too"));
	want_times(&n[3], "dir/suid");
	want_eq(extractbed_stat(&bed, "dir/suid").st_mode, S_IFREG | 0755);
	want_eq(extractbed_stat(&bed, "dir/suid").st_uid, 4711);
	want_xattr("dir/suid", "user.a", "1", 1);
	want_eq(flags_of("dir/suid") & ~EXT4_EXTENTS_FL, EXT2_NODUMP_FL);
	want_eq(extractbed_noted(&bed, "device"), 1);
	want_eq(extractbed_noted(&bed, "link"), 1);
	want_eq(extractbed_noted(&bed, "owner"), 3);
	want_eq(extractbed_noted(&bed, "set-id"), 1);
	want_eq(extractbed_noted(&bed, "xattr"), 1);
	want_eq(extractbed_noted(&bed, "capability"), 1);
	want_eq(extractbed_noted(&bed, "immutable"), 1);
	want_eq(extractbed_noted(&bed, "flags"), 0);
	extractbed_close(&bed);
	want(!seteuid(0));
	bfo_vec_free(&n[3].item.xattrs);
	extractbed_finish(&bed);
}
END_TEST

/* ---- names that exist ---- */

/* What exists keeps what it is; what is new does not inherit anything. */
START_TEST(merges)
{
	struct extractbed_node n[6] = { root(), extractbed_node("old", S_IFDIR | 0700, 2),
					extractbed_file("old/file", "new", 3),
					extractbed_node("old/sub", S_IFDIR | 0711, 4),
					extractbed_file("old/sub/x", "x", 5),
					extractbed_node("old/tube", S_IFIFO | 0600, 6) };
	bfo_chars list = { 0 };
	struct stat st;
	int i, flags = FS_NODUMP_FL, fd;

	if (!extractbed_begin(&bed, EXT4, 0))
		return;
	make_dir();
	want(!mkdir(extractbed_path(&bed, "dir/old"), 0755));
	want(!chmod(extractbed_path(&bed, "dir/old"), S_ISGID | 0755));
	want(!chown(extractbed_path(&bed, "dir/old"), 77, 78));
	want_ok(bfo_acl_to_xattr(acl, sizeof(acl), &list));
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
		want_same(&n[i], name);
		want_eq(llistxattr(extractbed_path(&bed, name), NULL, 0), 0);
		if (i < 5)
			want_eq(flags_of(name) & FS_NODUMP_FL, 0);
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
	struct extractbed_node n[6] = { root(), extractbed_node("d", S_IFDIR | 0755, 2),
					extractbed_file("d/x", "x", 3),
					extractbed_file("f", "f", 4),
					extractbed_node("sub", S_IFDIR | 0755, 5),
					extractbed_file("sub/y", "y", 6) };

	if (system("command -v mkfs.xfs > /dev/null") || !extractbed_begin(&bed, XFS, 0))
		return;
	make_dir();
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

	make_dir();
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
		enum bfo_extract_over over;
		size_t skipped, clashes;
	} rows[] = { { BFO_EXTRACT_CLASH, 0, 5 }, { BFO_EXTRACT_OVERWRITE, 0, 3 },
		     { BFO_EXTRACT_SKIP, 2, 3 }, { BFO_EXTRACT_NEWER, 1, 3 } };
	struct bfo_extract_options opt = { .over = rows[_i].over };
	struct extractbed_node n[8] = { root(), extractbed_file("d", "no directory", 3),
					extractbed_file("early", "new", 2),
					extractbed_node("file", S_IFDIR | 0755, 5),
					extractbed_file("file/below", "", 6),
					extractbed_file("late", "new", 4),
					extractbed_node("link", S_IFDIR | 0755, 7),
					extractbed_file("zzz", "", 8) };
	const char *const *clashes;
	size_t skipped, count;
	unsigned int hidden;

	if (!extractbed_begin(&bed, NULL, TMPFS_BYTES))
		return;
	make_old();
	want_ok(extractbed_open(&bed, &opt));
	want_ok(extractbed_look(&bed, n, N(n), &skipped));
	clashes = bfo_extract_clashes(bed.outlet, &count);
	want_eq(skipped, rows[_i].skipped);
	want_eq(count, rows[_i].clashes);
	ck_assert_str_eq(clashes[0], "d");
	ck_assert_str_eq(clashes[count - 1], "link");
	want_err(extractbed_put(&bed, n, N(n)), BFO_ET_CLASH);
	extractbed_close(&bed);
	want_eq(extractbed_count(&bed, &hidden), 6);
	want_eq(hidden, 0);
	extractbed_finish(&bed);
}
END_TEST

START_TEST(replaces)
{
	struct bfo_extract_options opt = { .over = _i ? BFO_EXTRACT_NEWER : BFO_EXTRACT_OVERWRITE };
	struct extractbed_node n[4] = { root(), extractbed_file("early", "new", 2),
					extractbed_file("file", "new", 3),
					extractbed_node("link", S_IFLNK | 0777, 4) };

	if (!extractbed_begin(&bed, NULL, TMPFS_BYTES))
		return;
	make_old();
	n[2].item.attrs.sec[BFO_MTIME] = n[3].item.attrs.sec[BFO_MTIME] = 1LL << 33;
	want_ok(extractbed_open(&bed, &opt));
	extractbed_all(&bed, n, 4);
	extractbed_want(&bed, "dir/early", "new");
	extractbed_want(&bed, "dir/file", "new");
	extractbed_want(&bed, "dir/late", "old");
	want_same(&n[3], "dir/link");
	extractbed_finish(&bed);
}
END_TEST

/* A name that appears after the look is not replaced, nor is one that was changed. */
START_TEST(replaces_nothing_else)
{
	struct bfo_extract_options opt = { .over = BFO_EXTRACT_OVERWRITE };
	struct extractbed_node n[2] = { root(), extractbed_file(_i ? "file" : "sudden", "new", 2) };
	unsigned int hidden;

	if (!extractbed_begin(&bed, NULL, TMPFS_BYTES))
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
	struct extractbed_node n[3] = { root(), extractbed_node("d", S_IFDIR | 0755, 2),
					extractbed_file("d/Name", "", 3) };
	char command[1200];

	if (!extractbed_begin(&bed, NULL, TMPFS_BYTES))
		return;
	make_dir();
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

/* ---- hostile items ---- */

static const char *const paths[] = {
	"..", "../x", "a/../../x", ".", "a/.", "/x", "/", "a//b", "a/", ".e2bfo-abcDE1",
	"a/.e2bfo-000000/b", ".e2bfo-zzzzzz/x",
};

/* Paths that are none. */
START_TEST(refuses_paths)
{
	struct extractbed_node n[2] = { root(), extractbed_file(paths[_i], "evil", 2) };
	unsigned int hidden;
	size_t skipped;

	if (!extractbed_begin(&bed, NULL, TMPFS_BYTES))
		return;
	make_dir();
	want(!mkdir(extractbed_path(&bed, "dir/a"), 0755));
	want_ok(extractbed_open(&bed, NULL));
	want_err(extractbed_look(&bed, n, 2, &skipped), BFO_ET_DAMAGED);
	want_err(extractbed_put(&bed, n, 2), BFO_ET_DAMAGED);
	n[1] = extractbed_file("a/fine", "", 2);
	n[1].item.names = 2;
	n[1].item.first = paths[_i];
	want_err(extractbed_look(&bed, n, 2, &skipped), BFO_ET_DAMAGED);
	extractbed_close(&bed);
	want_eq(extractbed_count(&bed, &hidden), 2);
	extractbed_finish(&bed);
}
END_TEST

/* Items that are not where they should be. */
START_TEST(refuses_disorder)
{
	struct extractbed_node n[3] = { root(), extractbed_node("a", S_IFDIR | 0755, 2),
					extractbed_file("b/x", "", 3) };
	struct extractbed_node file = extractbed_file("a/f", "text", 4), link;

	if (!extractbed_begin(&bed, NULL, TMPFS_BYTES))
		return;
	want_ok(extractbed_open(&bed, NULL));
	want_err(extractbed_put(&bed, &n[1], 1), BFO_ET_DAMAGED);
	want_err(extractbed_put(&bed, n, 3), BFO_ET_DAMAGED);
	want_err(bed.outlet->item(bed.outlet->priv, &n[0].item), BFO_ET_DAMAGED);
	want_err(bed.outlet->data(bed.outlet->priv, 0, "x", 1), BFO_ET_DAMAGED);
	extractbed_close(&bed);
	file.item.names = 2;
	link = extractbed_link("a/g", &file);
	link.item.row = 99;
	want_ok(extractbed_open(&bed, NULL));
	want_ok(bed.outlet->item(bed.outlet->priv, &n[0].item));
	want_ok(bed.outlet->item(bed.outlet->priv, &n[1].item));
	want_err(bed.outlet->leave(bed.outlet->priv, &n[0].item), BFO_ET_DAMAGED);
	file.item.path_len = link.item.path_len = link.item.first_len = 3;
	want_err(bed.outlet->item(bed.outlet->priv, &link.item), BFO_ET_DAMAGED);
	want_ok(bed.outlet->item(bed.outlet->priv, &file.item));
	want_err(bed.outlet->data(bed.outlet->priv, 3, "xx", 2), BFO_ET_DAMAGED);
	want_err(bed.outlet->leave(bed.outlet->priv, &n[1].item), BFO_ET_DAMAGED);
	want_err(bed.outlet->end(bed.outlet->priv), BFO_ET_DAMAGED);
	extractbed_finish(&bed);
}
END_TEST

/* A directory that becomes a link to another place, before and while something is made in it. */
START_TEST(follows_no_link)
{
	struct extractbed_node n[4] = { root(), extractbed_node("a", S_IFDIR | 0755, 2),
					extractbed_file("a/x", "evil", 3),
					extractbed_file("a/y", "evil", 4) };
	struct bfo_outlet *o;
	unsigned int hidden;
	int i;

	if (!extractbed_begin(&bed, NULL, TMPFS_BYTES))
		return;
	make_dir();
	want(!mkdir(extractbed_path(&bed, "dir/a"), 0755));
	want(!mkdir(extractbed_path(&bed, "outside"), 0755));
	want_ok(extractbed_open(&bed, NULL));
	o = bed.outlet;
	for (i = 0; i < 4; i++)
		n[i].item.path_len = strlen(n[i].item.path);
	want_ok(o->item(o->priv, &n[0].item));
	for (i = 1; i < 4; i++) {
		if (i - 1 == _i) {
			want(!rename(extractbed_path(&bed, "dir/a"), extractbed_path(&bed, "gone")));
			want(!symlink("../outside", extractbed_path(&bed, "dir/a")));
		}
		if (!_i && i == 1) {
			want_err(o->item(o->priv, &n[1].item), BFO_ET_CLASH);
			break;
		}
		want_ok(o->item(o->priv, &n[i].item));
		if (i > 1)
			want_ok(o->done(o->priv));
	}
	if (_i) {
		want_ok(o->leave(o->priv, &n[1].item));
		want_err(o->end(o->priv), BFO_ET_CHANGED);
	}
	extractbed_close(&bed);
	want(!extractbed_exists(&bed, "outside/x") && !extractbed_exists(&bed, "outside/y"));
	want(!extractbed_exists(&bed, "gone/x") && !extractbed_exists(&bed, "gone/y"));
	want_eq(extractbed_count(&bed, &hidden) - hidden, 4);
	extractbed_finish(&bed);
}
END_TEST

START_TEST(enters_no_mount)
{
	struct extractbed_node n[3] = { root(), extractbed_node("a", S_IFDIR | 0755, 2),
					extractbed_file("a/x", "evil", 3) };
	size_t skipped;

	if (!extractbed_begin(&bed, NULL, TMPFS_BYTES))
		return;
	make_dir();
	want(!mkdir(extractbed_path(&bed, "dir/a"), 0755));
	want(!mkdir(extractbed_path(&bed, "other"), 0755));
	/* of the same filesystem: only the mount tells */
	want(!mount(extractbed_path(&bed, "other"), extractbed_path(&bed, "dir/a"), NULL, MS_BIND,
		    NULL));
	want_ok(extractbed_open(&bed, NULL));
	want_err(extractbed_look(&bed, n, 3, &skipped), EXDEV);
	want_err(extractbed_put(&bed, n, 3), EXDEV);
	extractbed_close(&bed);
	want(!umount(extractbed_path(&bed, "dir/a")));
	want(!extractbed_exists(&bed, "other/x") && !extractbed_exists(&bed, "dir/a/x"));
	extractbed_finish(&bed);
}
END_TEST

/* The directory itself may be reached by a link; one that leads nowhere makes nothing. */
START_TEST(takes_links_to_the_directory)
{
	struct extractbed_node n[2] = { root(), extractbed_file("x", "x", 2) };

	if (!extractbed_begin(&bed, NULL, TMPFS_BYTES))
		return;
	want(!symlink("real", bed.dir));
	want_err(extractbed_open(&bed, NULL), ENOENT);
	want(!mkdir(extractbed_path(&bed, "real"), 0755));
	want_ok(extractbed_open(&bed, NULL));
	extractbed_all(&bed, n, 2);
	extractbed_want(&bed, "real/x", "x");
	extractbed_finish(&bed);
}
END_TEST

/* Attributes that no kernel would have given. */
START_TEST(doubts_attributes)
{
	struct extractbed_node n[3] = { root(), extractbed_node("suid", S_IFREG | 06755, 2),
					extractbed_node("time", S_IFREG | 0600, 3) };
	struct extractbed_node odd[3] = { root(), extractbed_node("type", 0644, 4), root() };

	if (!extractbed_begin(&bed, NULL, TMPFS_BYTES))
		return;
	n[1].item.attrs.uid = UINT32_MAX;
	n[2].item.attrs.nsec[BFO_MTIME] = UTIME_NOW;
	want_ok(extractbed_open(&bed, NULL));
	extractbed_all(&bed, n, 3);
	want_eq(extractbed_stat(&bed, "dir/suid").st_mode, S_IFREG | 0755);
	want_eq(extractbed_noted(&bed, "owner"), 1);
	want_eq(extractbed_noted(&bed, "set-id"), 1);
	want_eq(extractbed_stat(&bed, "dir/time").st_mtim.tv_sec, n[2].item.attrs.sec[BFO_MTIME]);
	want_eq(extractbed_noted(&bed, "time"), 1);
	extractbed_close(&bed);
	want_ok(extractbed_open(&bed, NULL));
	want_err(extractbed_put(&bed, odd, 2), BFO_ET_DAMAGED);
	extractbed_close(&bed);
	odd[1] = extractbed_node("link", S_IFLNK | 0777, 5);
	odd[1].item.target = "";
	want_ok(extractbed_open(&bed, NULL));
	want_err(extractbed_put(&bed, odd, 2), BFO_ET_DAMAGED);
	extractbed_finish(&bed);
}
END_TEST

/* ---- casefolded directories ---- */

static errcode_t note_met(void *priv, const char *name, size_t len)
{
	snprintf((char *) priv + strlen(priv), 64, "%.*s ", (int) len, name);
	return 0;
}

/* Names that are one are found in each directory by itself. */
START_TEST(tells_folded_names)
{
	static const char *const outer[] = { "a", "stra\xc3\x9f""e", "Z" }, *const more[] = { "z", "b" };
	static const char *const inner[] = { "A", "STRASSE", "x", "\xff", "\xfe" };
	struct bfo_folded f = { 0 };
	struct bfo_folded_mark mark[2];
	char met[256] = "";
	size_t i;

	mark[0] = bfo_folded_mark(&f);
	for (i = 0; i < N(outer); i++)
		want_ok(bfo_folded_add(&f, outer[i], strlen(outer[i])));
	mark[1] = bfo_folded_mark(&f);
	for (i = 0; i < N(inner); i++)
		want_ok(bfo_folded_add(&f, inner[i], strlen(inner[i])));
	want_ok(bfo_folded_judge(&f, mark[1], note_met, met));
	ck_assert_str_eq(met, "");
	for (i = 0; i < N(more); i++)
		want_ok(bfo_folded_add(&f, more[i], strlen(more[i])));
	want_ok(bfo_folded_add(&f, inner[1], strlen(inner[1])));
	want_ok(bfo_folded_judge(&f, mark[0], note_met, met));
	want(strstr(met, "z ") && strstr(met, "STRASSE ") && strlen(met) == 10);
	want_eq(f.names.n, 0);
	bfo_folded_free(&f);
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
	uint64_t removed;
	unsigned int i;

	if (!extractbed_begin(&bed, NULL, 64U << 20))
		return;
	make_dir();
	want(!setrlimit(RLIMIT_NOFILE, &limit));
	n[0] = root();
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
	want_times(&n[1], "dir/d");
	want_times(&n[2], "dir/d/d");
	want(!rename(extractbed_path(&bed, "dir/d"), extractbed_path(&bed, "dir/.e2bfo-abcdef")));
	want_ok(bfo_extract_abort(&bed.ctx, bed.mount, &removed));
	want_eq(removed, 1);
	want(!extractbed_exists(&bed, "dir/.e2bfo-abcdef") && !rmdir(bed.dir));
	free(n);
	free(text);
	extractbed_finish(&bed);
}
END_TEST

/* A further name reaches the first one: hidden, in what is hidden, long since visible. */
START_TEST(links_anywhere)
{
	struct extractbed_node n[7] = { root(), extractbed_node("a", S_IFDIR | 0755, 2),
					extractbed_file("a/f", "in", 3), root(),
					extractbed_file("g", "top", 4), root(), root() };
	struct stat st;
	char *big = NULL;

	if (!extractbed_begin(&bed, NULL, 128U << 20))
		return;
	n[2].item.names = n[4].item.names = 2;
	n[3] = extractbed_link("a/h", &n[2]);
	n[5] = extractbed_link("h", &n[4]);
	n[6] = extractbed_link("z", &n[2]);
	if (_i)
		make_dir();
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
	struct extractbed_node n[4] = { root(), extractbed_node("a", S_IFDIR | 0755, 2),
					extractbed_file("a/small", "text", 3),
					extractbed_node("a/large", S_IFREG | 0644, 4) };
	struct bfo_part part = { 0, 4 << 20, 1 };
	unsigned int hidden;

	if (!extractbed_begin(&bed, NULL, 1 << 20))
		return;
	if (_i & 1)
		make_dir();
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

/* Runs that were killed: all of theirs goes, immutable or not, and nothing else. */
START_TEST(aborts)
{
	struct extractbed_node n[12];
	unsigned int hidden;
	uint64_t removed;
	char *image;

	if (!extractbed_begin(&bed, EXT4, 0))
		return;
	make_full(n);
	want(!mkdir(extractbed_path(&bed, "keep"), 0755));
	extractbed_write(&bed, "keep/.e2bfo-abcde", "one letter less");
	extractbed_write(&bed, "keep/.e2bfo-abcd_f", "no letter");
	extractbed_write(&bed, "keep/.e2bfo-abcdef", "ours");
	want(!mkdir(extractbed_path(&bed, "keep/mnt"), 0755));
	want(!mkdir(extractbed_path(&bed, "keep/.e2bfo-Dir123"), 0));
	want(!symlink("..", extractbed_path(&bed, "keep/loop")));
	want(!mount("tmpfs", extractbed_path(&bed, "keep/mnt"), "tmpfs", 0, NULL));
	extractbed_write(&bed, "keep/mnt/.e2bfo-abcdef", "elsewhere");
	want_ok(extractbed_open(&bed, NULL));
	want_ok(extractbed_put(&bed, n, 12));
	extractbed_count(&bed, &hidden);
	want_eq(hidden, 6);
	want_ok(bfo_extract_abort(&bed.ctx, bed.mount, &removed));
	want_eq(removed, 3);
	extractbed_count(&bed, &hidden);
	want_eq(hidden, 3);
	extractbed_want(&bed, "keep/mnt/.e2bfo-abcdef", "elsewhere");
	image = unit_path("none");
	want_err(bfo_extract_abort(&bed.ctx, image, &removed), ENOENT);
	free(image);
	free_full(n);
	want(!umount(extractbed_path(&bed, "keep/mnt")));
	extractbed_finish(&bed);
}
END_TEST

/* ---- the text beside it ---- */

/* All that can be said, and what has to be escaped; the checksum is another program's. */
static const char metadata[] =
	"e2bfo-metadata 1\n"
	". type=d mode=0755 uid=1001 gid=2001 project=0 mtime=1000000010.123456790 "
	"atime=1000000011.123456790 ctime=1000000012.123456790 "
	"crtime=1000000013.123456790 generation=0 version=0 flags=0x0\n"
	"./a\\040b type=f mode=4007 uid=1 gid=2 project=3 size=4 mtime=-2.500000000 "
	"atime=6.000000000 ctime=7.000000001 generation=4 version=5 flags=0x80 "
	"xattr.user.k\\0751=00ab unwritten=4096+8192\n"
	"./c\\075\\134\\012 type=c mode=0600 uid=1003 gid=2003 project=0 "
	"mtime=1000000030.123456792 atime=1000000031.123456792 "
	"ctime=1000000032.123456792 crtime=1000000033.123456792 generation=0 version=0 "
	"flags=0x0 device=9,10\n"
	"./\\377 type=l mode=0777 uid=1004 gid=2004 project=0 "
	"mtime=1000000040.123456793 atime=1000000041.123456793 "
	"ctime=1000000042.123456793 crtime=1000000043.123456793 generation=0 version=0 "
	"flags=0x0 target=to\\040here\n"
	"./z type=f mode=4007 uid=1 gid=2 project=3 size=4 mtime=-2.500000000 "
	"atime=6.000000000 ctime=7.000000001 generation=4 version=5 flags=0x80 "
	"first=./a\\040b xattr.user.k\\0751=00ab unwritten=4096+8192\n"
	"end 6 ba4c5913\n";

START_TEST(writes_metadata)
{
	char *path = unit_path("metadata"), *text = unit_alloc(4096);
	struct bfo_extract_options opt = { .metadata_out = path };
	struct extractbed_node n[5] = { root(), extractbed_file("a b", "text", 2),
					extractbed_node("c=\\\n", S_IFCHR | 0600, 3),
					extractbed_node("\xff", S_IFLNK | 0777, 4), root() };
	struct bfo_part parts[] = { { 0, 4, 0 }, { 4096, 8192, 1 } };
	FILE *f;

	if (!extractbed_begin(&bed, NULL, TMPFS_BYTES))
		return;
	n[1].item.attrs = (struct bfo_attrs) {
		.mode = S_IFREG | S_ISUID | 07, .size = 4, .uid = 1, .gid = 2, .project = 3,
		.generation = 4, .version = 5, .flags = 0x80, .sec = { -2, 6, 7, 8 },
		.nsec = { 500000000, 0, 1 } };
	n[1].item.names = 2;
	n[1].item.parts = parts;
	n[1].item.n_parts = 2;
	add_xattr(&n[1], BFO_XATTR_USER, "k=1", "\x00\xab", 2);
	n[2].item.attrs.major = 9;
	n[2].item.attrs.minor = 10;
	n[3].item.target = "to here";
	n[4] = extractbed_link("z", &n[1]);
	want_ok(extractbed_open(&bed, &opt));
	want(access(path, F_OK));
	extractbed_all(&bed, n, 5);
	extractbed_close(&bed);
	f = fopen(path, "r");
	want(f && fread(text, 1, 4095, f) > 0 && !fclose(f));
	ck_assert_str_eq(text, metadata);
	want(!unlink(path));
	bfo_vec_free(&n[1].item.xattrs);
	free(path);
	free(text);
	extractbed_finish(&bed);
}
END_TEST

/* Without an end there is no file. */
START_TEST(forgets_metadata)
{
	char *path = unit_path("no-metadata"), command[512];
	struct bfo_extract_options opt = { .metadata_out = path };
	struct extractbed_node n[1] = { root() };

	if (!extractbed_begin(&bed, NULL, TMPFS_BYTES))
		return;
	want_ok(extractbed_open(&bed, &opt));
	want_ok(extractbed_put(&bed, n, 1));
	extractbed_close(&bed);
	snprintf(command, sizeof(command), "! ls %s* 2> /dev/null", path);
	want(!system(command));
	free(path);
	extractbed_finish(&bed);
}
END_TEST

START_TEST(refuses_lists_that_are_none)
{
	bfo_chars out = { 0 };
	size_t len;

	for (len = 0; len < sizeof(acl); len++)
		if (bfo_acl_to_xattr(acl, len, &out))
			want_eq(out.n, 0);
		else
			out.n = 0;
	want_ok(bfo_acl_to_xattr(acl, sizeof(acl), &out));
	want_eq(out.n, 4 + 5 * 8);
	want_eq(get_le32(out.v, 4 + 4), UINT32_MAX);
	want_eq(get_le32(out.v, 4 + 8 + 4), 5);
	want_err(bfo_acl_to_xattr(acl, 3, &out), BFO_ET_DAMAGED);
	want_err(bfo_acl_to_xattr(acl, sizeof(acl) - 1, &out), BFO_ET_DAMAGED);
	want_err(bfo_acl_to_xattr(acl, 12, &out), BFO_ET_DAMAGED);
	bfo_vec_free(&out);
}
END_TEST

Suite *extract_suite(void)
{
	Suite *s = suite_create("extract");

	unit_case(s, "keeps_all", keeps_all, 2);
	unit_case(s, "notes_what_tmpfs_lacks", notes_what_tmpfs_lacks, 0);
	unit_case(s, "leaves_out", leaves_out, 0);
	unit_case(s, "works_without_rights", works_without_rights, 0);
	unit_case(s, "merges", merges, 0);
	unit_case(s, "keeps_projects", keeps_projects, 0);
	unit_case(s, "finds_clashes", finds_clashes, 4);
	unit_case(s, "replaces", replaces, 2);
	unit_case(s, "replaces_nothing_else", replaces_nothing_else, 2);
	unit_case(s, "tells_names_that_fold", tells_names_that_fold, 0);
	unit_case(s, "refuses_paths", refuses_paths, N(paths));
	unit_case(s, "refuses_disorder", refuses_disorder, 0);
	unit_case(s, "follows_no_link", follows_no_link, 3);
	unit_case(s, "enters_no_mount", enters_no_mount, 0);
	unit_case(s, "takes_links_to_the_directory", takes_links_to_the_directory, 0);
	unit_case(s, "doubts_attributes", doubts_attributes, 0);
	unit_case(s, "tells_folded_names", tells_folded_names, 0);
	unit_case(s, "goes_deep", goes_deep, 0);
	unit_case(s, "links_anywhere", links_anywhere, 3);
	unit_case(s, "gives_up_without_room", gives_up_without_room, 4);
	unit_case(s, "refuses_what_cannot_be_written", refuses_what_cannot_be_written, 0);
	unit_case(s, "aborts", aborts, 0);
	unit_case(s, "writes_metadata", writes_metadata, 0);
	unit_case(s, "forgets_metadata", forgets_metadata, 0);
	unit_case(s, "refuses_lists_that_are_none", refuses_lists_that_are_none, 0);
	return s;
}
