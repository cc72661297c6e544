// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_extract.c - export/extract: what an item has, onto a mounted filesystem, and the text beside it
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <ext2fs/ext2_fs.h>

#include "export/extract_state.h"
#include "tree/acl.h"
#include "extractbed.h"
#include "xattrs.h"

static struct extractbed bed;

static void want_xattr(const char *name, const char *attr, const void *value, ssize_t size)
{
	char found[1024];

	want_eq(lgetxattr(extractbed_path(&bed, name), attr, found, sizeof(found)), size);
	want_mem(found, value, size);
}

/* ---- all that an item has ---- */

static const uint8_t capability[20] = { 1, 0, 0, 2, 0, 4 };

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

	n[0] = extractbed_root();
	n[1] = extractbed_node("a", S_IFDIR | S_ISGID | 0750, 2);
	n[1].item.attrs.flags = EXT2_NODUMP_FL | EXT2_APPEND_FL;
	add_xattr(&n[1], BFO_XATTR_ACL_DEFAULT, "", xattrs_acl, sizeof(xattrs_acl));
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
	add_xattr(&n[5], BFO_XATTR_ACL_ACCESS, "", xattrs_acl, sizeof(xattrs_acl));
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
			extractbed_want_same(&bed, &n[i], name);
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
	want_ok(bfo_acl_to_xattr(xattrs_acl, sizeof(xattrs_acl), &list));
	want_xattr("dir/a/holes", "system.posix_acl_access", list.v, list.n);
	want_xattr("dir/a", "system.posix_acl_default", list.v, list.n);
	want_eq(lgetxattr(extractbed_path(&bed, "dir/a/fifo"), "system.posix_acl_access", NULL, 0),
		(uint64_t) -1);
	bfo_vec_free(&list);
}

static void want_flags(void)
{
	want_eq(extractbed_flags(&bed, "dir/a") & ~EXT4_EXTENTS_FL, EXT2_NODUMP_FL | EXT2_APPEND_FL);
	want_eq(extractbed_flags(&bed, "dir/a/holes") & ~EXT4_EXTENTS_FL, EXT2_NOATIME_FL);
	want_eq(extractbed_flags(&bed, "dir/b/again") & ~EXT4_EXTENTS_FL, EXT2_IMMUTABLE_FL);
	want_eq(extractbed_flags(&bed, "dir/c") & ~EXT4_EXTENTS_FL, EXT2_IMMUTABLE_FL);
	want_eq(extractbed_flags(&bed, "dir/z") & ~EXT4_EXTENTS_FL, EXT2_IMMUTABLE_FL);
}

/* Onto ext4, into a directory that exists, and one that does not. */
START_TEST(keeps_all)
{
	struct extractbed_node n[12];
	unsigned int hidden;
	size_t notes, i;
	const struct bfo_extract_note *note;

	if (!extractbed_begin(&bed, EXTRACTBED_EXT4, 0))
		return;
	if (_i)
		extractbed_mkdir(&bed);
	make_full(n);
	want_ok(extractbed_open(&bed, NULL));
	extractbed_all(&bed, n, 12);
	want_full(n);
	want_flags();
	if (!_i)
		extractbed_want_same(&bed, &n[0], "dir");
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
	struct extractbed_node n[3] = { extractbed_root(), extractbed_file("a", "text", 2),
					extractbed_file("b", "", 3) };

	if (!extractbed_begin(&bed, NULL, EXTRACTBED_TMPFS_BYTES))
		return;
	n[1].item.attrs.flags = EXT3_JOURNAL_DATA_FL | EXT2_NODUMP_FL;
	n[1].item.attrs.project = 7;
	n[1].item.attrs.generation = 5;
	add_xattr(&n[2], 9, "c", "context", 7);
	want_ok(extractbed_open(&bed, NULL));
	extractbed_all(&bed, n, 3);
	extractbed_want_same(&bed, &n[1], "dir/a");
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
	struct extractbed_node n[4] = { extractbed_root(),
					extractbed_node("chr", S_IFCHR | 0600, 2),
					extractbed_node("dir", S_IFDIR | S_ISGID | 0755, 3),
					extractbed_node("f", S_IFREG | S_ISUID | S_ISGID | 0755, 4) };

	if (!extractbed_begin(&bed, EXTRACTBED_EXT4, 0))
		return;
	add_xattr(&n[3], BFO_XATTR_USER, "a", "1", 1);
	add_xattr(&n[3], BFO_XATTR_USER, "bb", "1", 1);
	add_xattr(&n[3], BFO_XATTR_TRUSTED, "a", "1", 1);
	add_xattr(&n[3], BFO_XATTR_SECURITY, "capability", capability, sizeof(capability));
	want_ok(extractbed_open(&bed, &opt));
	extractbed_all(&bed, n, 4);
	want(!extractbed_exists(&bed, "dir/chr"));
	extractbed_want_same(&bed, &n[2], "dir/dir");
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
	struct extractbed_node n[5] = { extractbed_root(),
					extractbed_node("blk", S_IFBLK | 0640, 2),
					extractbed_node("fifo", S_IFIFO | 0640, 3),
					extractbed_node("suid", S_IFREG | S_ISUID | 0755, 4),
					extractbed_root() };
	char *folder;

	if (!extractbed_begin(&bed, EXTRACTBED_EXT4, 0))
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
	extractbed_want_times(&bed, &n[3], "dir/suid");
	want_eq(extractbed_stat(&bed, "dir/suid").st_mode, S_IFREG | 0755);
	want_eq(extractbed_stat(&bed, "dir/suid").st_uid, 4711);
	want_xattr("dir/suid", "user.a", "1", 1);
	want_eq(extractbed_flags(&bed, "dir/suid") & ~EXT4_EXTENTS_FL, EXT2_NODUMP_FL);
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

/* A name that a run has drawn for directory DIR. */
static const char *drawn_in(const char *dir)
{
	static char name[64];
	int at = open(extractbed_path(&bed, dir), O_PATH);
	uint32_t seed;

	want(at >= 0 && !bfo_extract_seed(at, &seed) && !close(at));
	snprintf(name, sizeof(name), "%s/", dir);
	want(!bfo_extract_hidden_draw(seed, name + strlen(name)));
	return name;
}

/* A run that is killed before its end. */
static void leave_behind(struct extractbed_node *n, size_t count)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		want_ok(extractbed_open(&bed, NULL));
		want_ok(extractbed_put(&bed, n, count));
		_exit(0);
	}
	want(pid > 0 && waitpid(pid, &status, 0) == pid && !status);
}

/* Runs that were killed: all of theirs goes, immutable or not, and nothing else. */
START_TEST(aborts)
{
	struct bfo_extract_left left;
	struct extractbed_node n[12];
	unsigned int hidden;

	if (!extractbed_begin(&bed, EXTRACTBED_EXT4, 0))
		return;
	make_full(n);
	want(!mkdir(extractbed_path(&bed, "keep"), 0755));
	extractbed_write(&bed, "keep/.e2bfo-abcde", "one letter less");
	extractbed_write(&bed, "keep/.e2bfo-abcd_f", "no letter");
	extractbed_write(&bed, drawn_in("keep"), "ours");
	want(!mkdir(extractbed_path(&bed, "keep/mnt"), 0755));
	want(!mkdir(extractbed_path(&bed, drawn_in("keep")), 0));
	want(!symlink("..", extractbed_path(&bed, "keep/loop")));
	want(!mount("tmpfs", extractbed_path(&bed, "keep/mnt"), "tmpfs", 0, NULL));
	extractbed_write(&bed, drawn_in("keep/mnt"), "elsewhere");
	leave_behind(n, 12);
	extractbed_count(&bed, &hidden);
	want_eq(hidden, 6);
	want_ok(bfo_extract_abort(&bed.ctx, bed.mount, &left));
	want_eq(left.removed, 3);
	want_eq(left.alike, 0);
	extractbed_count(&bed, &hidden);
	want_eq(hidden, 3);
	free_full(n);
	want(!umount(extractbed_path(&bed, "keep/mnt")));
	extractbed_finish(&bed);
}
END_TEST

/* What a run has left goes; what only looks so stays, as does what was copied from elsewhere. */
START_TEST(aborts_nothing_else)
{
	struct extractbed_node n[5] = { extractbed_root(),
					extractbed_node(".e2bfo-abcdef", S_IFDIR | 0755, 2),
					extractbed_file(".e2bfo-abcdef/.e2bfo-ABC123", "in", 3),
					extractbed_file(".e2bfo-zzzzzz", "beside", 4),
					extractbed_file("zz", "", 5) };
	struct bfo_extract_left left;
	unsigned int hidden;

	if (!extractbed_begin(&bed, NULL, EXTRACTBED_TMPFS_BYTES))
		return;
	if (_i)
		extractbed_mkdir(&bed);
	want_ok(extractbed_open(&bed, NULL));
	extractbed_all(&bed, n, 4);
	/* not while a run is at work, here or below */
	want_err(bfo_extract_abort(&bed.ctx, bed.mount, &left), EBUSY);
	extractbed_close(&bed);
	extractbed_write(&bed, drawn_in("dir"), "");
	n[1] = n[4];
	leave_behind(n, 2);
	want_ok(bfo_extract_abort(&bed.ctx, bed.dir, &left));
	want_eq(left.removed, 2);
	want_eq(left.alike, 3);
	extractbed_count(&bed, &hidden);
	want_eq(hidden, 3);
	extractbed_want(&bed, "dir/.e2bfo-zzzzzz", "beside");
	extractbed_want(&bed, "dir/.e2bfo-abcdef/.e2bfo-ABC123", "in");
	extractbed_finish(&bed);
}
END_TEST

/* Of a directory that was to be made, and is not there, the rest lies in the one above it. */
START_TEST(aborts_above)
{
	struct extractbed_node n[2] = { extractbed_root(), extractbed_file("x", "", 2) };
	struct bfo_extract_left left;
	unsigned int hidden;

	if (!extractbed_begin(&bed, NULL, EXTRACTBED_TMPFS_BYTES))
		return;
	want(!mkdir(extractbed_path(&bed, ".e2bfo-abcdef"), 0755));
	extractbed_write(&bed, drawn_in(".e2bfo-abcdef"), "of a run below, which is none of it");
	leave_behind(n, 2);
	want_ok(bfo_extract_abort(&bed.ctx, bed.dir, &left));
	want_eq(left.removed, 1);
	want_eq(left.alike, 1);
	want_eq(extractbed_count(&bed, &hidden), 2);
	want_eq(hidden, 2);
	want_err(bfo_extract_abort(&bed.ctx, extractbed_path(&bed, "no/where/"), &left), ENOENT);
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
	struct extractbed_node n[5] = { extractbed_root(), extractbed_file("a b", "text", 2),
					extractbed_node("c=\\\n", S_IFCHR | 0600, 3),
					extractbed_node("\xff", S_IFLNK | 0777, 4),
					extractbed_root() };
	struct bfo_part parts[] = { { 0, 4, 0 }, { 4096, 8192, 1 } };
	FILE *f;

	if (!extractbed_begin(&bed, NULL, EXTRACTBED_TMPFS_BYTES))
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
	struct extractbed_node n[1] = { extractbed_root() };

	if (!extractbed_begin(&bed, NULL, EXTRACTBED_TMPFS_BYTES))
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

Suite *extract_suite(void)
{
	Suite *s = suite_create("extract");

	unit_case(s, "keeps_all", keeps_all, 2);
	unit_case(s, "notes_what_tmpfs_lacks", notes_what_tmpfs_lacks, 0);
	unit_case(s, "leaves_out", leaves_out, 0);
	unit_case(s, "works_without_rights", works_without_rights, 0);
	unit_case(s, "aborts", aborts, 0);
	unit_case(s, "aborts_nothing_else", aborts_nothing_else, 2);
	unit_case(s, "aborts_above", aborts_above, 0);
	unit_case(s, "writes_metadata", writes_metadata, 0);
	unit_case(s, "forgets_metadata", forgets_metadata, 0);
	return s;
}
