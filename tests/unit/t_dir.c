// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_dir.c - intake/dir: a tree from a directory of a mounted filesystem
 *
 * Each test makes a small directory in this run's folder, gathers it, and reads all of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <linux/fiemap.h>
#include <linux/fs.h>

#include "intake/dir.h"
#include "intake/intake.h"
#include "tree/access.h"
#include "unit.h"

static struct bfo_context ctx;
static struct bfo_tree tree;
static struct bfo_source *source;
static char *folder;

/* ---- the directory ---- */

static const char *path_of(const char *name)
{
	static char path[2][4096];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", folder, name);
	return path[turn];
}

/* The content of a file, from byte FROM on, is a function of its seed. */
static void fill(char *to, size_t len, uint64_t from, int seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		to[i] = (from + i) * 7 + (from + i) / 251 + seed;
}

static void make_file(const char *name, size_t size, int seed)
{
	char *data = unit_alloc(size + 1);
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC, 0644);

	fill(data, size, 0, seed);
	want(fd >= 0 && write(fd, data, size) == (ssize_t) size && !close(fd));
	free(data);
}

static void make_folder(void)
{
	memset(&ctx, 0, sizeof(ctx));
	memset(&tree, 0, sizeof(tree));
	folder = unit_path("dir");
	want(!mkdir(folder, 0755));
	make_file("small", 100, 1);
	make_file("empty", 0, 2);
	make_file("large", 300001, 3);
	want(!mkdir(path_of("sub"), 0750));
	make_file("sub/inner", 8192, 4);
	want(!link(path_of("small"), path_of("sub/again")));
	want(!symlink("small", path_of("short")));
	want(!symlink("sub/../sub/../sub/../sub/../sub/../sub/../sub/../sub/../sub/inner",
		      path_of("long")));
	want(!mkfifo(path_of("fifo"), 0600));
}

static void gather(const struct bfo_dir_options *more)
{
	struct bfo_dir_options opt = more ? *more : (struct bfo_dir_options) { 0 };

	opt.path = folder;
	want_ok(bfo_dir_open(&ctx, &opt, &source));
	want_ok(source->ops->gather(source, &tree, 0));
}

static void remove_folder(void)
{
	char command[4200];

	if (source)
		source->ops->close(source);
	source = NULL;
	bfo_tree_free(&tree);
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	want(!system(command));
	free(folder);
}

/* ---- looking at the tree ---- */

/* The row that NAME in directory DIR leads to, or BFO_NONE. */
static bfo_row find(bfo_row dir, const char *name)
{
	size_t i;

	for (i = 0; i < tree.names.n; i++) {
		const struct bfo_name *n = &tree.names.v[i];

		if (n->dir == dir && bfo_name_len(n) == strlen(name) &&
		    !memcmp(bfo_name_text(&tree, n), name, strlen(name)))
			return bfo_tree_find(&tree, bfo_name_number(&tree, n));
	}
	return BFO_NONE;
}

static size_t findings_of(enum bfo_finding_kind kind)
{
	size_t i, n = 0;

	for (i = 0; i < tree.findings.n; i++)
		n += tree.findings.v[i].kind == (uint32_t) kind;
	return n;
}

/* ---- reading all of it ---- */

/* Each row's content as it was read; gaps are 0xee. */
struct contents {
	char **data;
	int with_places;
	uint64_t taken;			/* blocks */
	const char *spoil;		/* this file is written to as soon as something was read */
};

static struct contents got;

static void *place(void *priv, const struct bfo_node *node, uint32_t at)
{
	(void) priv;
	return got.data[node->tag] + node->to + (size_t) at * tree.block_size;
}

static errcode_t take(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
		      const void *data)
{
	char *to = place(priv, node, at);

	if (got.with_places)
		want(data == to);
	else
		memcpy(to, data, (size_t) count * tree.block_size);
	got.taken += count;
	if (got.spoil && bfo_node_blk(node) < BFO_PLACE_MEMORY) {
		make_file(got.spoil, 300001, 8);
		got.spoil = NULL;
	}
	return 0;
}

/* Two nodes for each segment of two blocks or more, so that some adjoin. */
static void list_nodes(bfo_order_list *list)
{
	size_t i, s, bs = tree.block_size;

	for (i = 0; i < tree.inodes.n; i++) {
		const struct bfo_inode *rec = &tree.inodes.v[i];

		got.data[i] = unit_alloc(rec->size + 2 * bs);
		memset(got.data[i], 0xee, rec->size + 2 * bs);
		for (s = 0; s < bfo_seg_count(&tree, rec); s++) {
			const struct bfo_seg *seg = bfo_seg_of(&tree, rec, s);
			uint32_t half = seg->len / 2;

			if (bfo_seg_unwritten(seg))
				continue;
			if (half)
				want_ok(bfo_vec_push(list, bfo_node_make(seg->blk, half, i,
								    seg->lblk * bs)));
			want_ok(bfo_vec_push(list, bfo_node_make(seg->blk + half, seg->len - half,
					     i, (seg->lblk + half) * bs)));
		}
	}
	bfo_order_list_sort(list);
}

static errcode_t read_spoiling(int with_places, const char *spoil)
{
	struct bfo_sink sink = { .take = take, .place = with_places ? place : NULL };
	bfo_order_list list = { 0 };
	errcode_t err;

	got = (struct contents) { .with_places = with_places, .spoil = spoil };
	got.data = unit_alloc(tree.inodes.n * sizeof(*got.data));
	list_nodes(&list);
	err = source->ops->read(source, list.v, list.n, &sink);
	if (!err)
		want_eq(got.taken, bfo_order_list_blocks(&list));
	bfo_vec_free(&list);
	return err;
}

static errcode_t read_all(int with_places)
{
	return read_spoiling(with_places, NULL);
}

static void drop_contents(void)
{
	size_t i;

	for (i = 0; i < tree.inodes.n; i++)
		free(got.data[i]);
	free(got.data);
}

/* ROW was read as SIZE bytes of SEED, and zeroes behind them up to the end of their block. */
static void want_content(bfo_row row, size_t size, int seed)
{
	size_t bs = tree.block_size, end = (size + bs - 1) / bs * bs;
	char *data = unit_alloc(end + 1);

	fill(data, size, 0, seed);
	want_mem(got.data[row], data, end);
	want_eq((uint8_t) got.data[row][end], 0xee);
	free(data);
}

/* ---- tests ---- */

START_TEST(gathers_what_is_there)
{
	const struct bfo_inode *v;
	struct stat st;
	bfo_row sub;

	make_folder();
	gather(NULL);
	v = tree.inodes.v;
	want_eq(tree.inodes.n, 9);
	want_eq(tree.names.n, 9);
	want_eq(tree.findings.n, 0);
	want(S_ISDIR(v[0].mode));
	sub = find(0, "sub");
	want_eq(v[sub].mode, S_IFDIR | 0750);
	want_eq(find(0, "small"), find(sub, "again"));
	want_eq(v[find(0, "small")].links_read, 2);
	want_eq(v[find(0, "small")].size, 100);
	want_eq(bfo_seg_count(&tree, &v[find(0, "empty")]), 0);
	want_eq(bfo_seg_count(&tree, &v[find(0, "large")]), 1);
	want_eq(v[find(0, "fifo")].mode, S_IFIFO | 0600);
	want_eq(v[find(0, "short")].state, BFO_INODE_FAST);
	want_eq(bfo_seg_count(&tree, &v[find(0, "long")]), 1);
	want(!stat(path_of("large"), &st));
	want_eq(bfo_intake_raw((struct bfo_intake *) source, find(0, "large"))->i_mtime,
		st.st_mtim.tv_sec);
	want(source->unknown & BFO_UNKNOWN_VERSION);
	want(!(source->unknown & BFO_UNKNOWN_HOLES));
	remove_folder();
}
END_TEST

START_TEST(reads_what_was_gathered)
{
	bfo_row sub, link;

	make_folder();
	gather(NULL);
	sub = find(0, "sub");
	want_ok(read_all(_i));
	want_content(find(0, "small"), 100, 1);
	want_content(find(0, "large"), 300001, 3);
	want_content(find(sub, "inner"), 8192, 4);
	link = find(0, "long");
	want_mem(got.data[link], "sub/../sub/../", 14);
	want_eq(got.data[link][tree.inodes.v[link].size], 0);
	want_eq(tree.findings.n, 0);
	want_ok(source->ops->settle(source));
	drop_contents();
	remove_folder();
}
END_TEST

/*
 * Holes are no segments, whatever was preallocated is, and only data are read.  (With what it has
 * behind its end, the file has as many blocks as if it had no hole.)
 */
START_TEST(knows_holes)
{
	uint32_t i, written = 0, unwritten = 0;
	const struct bfo_inode *rec;
	char page[4096];
	int fd, can;

	make_folder();
	fd = open(path_of("holes"), O_RDWR | O_CREAT, 0644);
	fill(page, sizeof(page), 1 << 20, 9);
	want(pwrite(fd, page, sizeof(page), 1 << 20) == sizeof(page));
	want(!ftruncate(fd, 2 << 20));
	can = !fallocate(fd, FALLOC_FL_KEEP_SIZE, 2 << 20, 2 << 20) &&
	      !fallocate(fd, 0, 512 << 10, 64 << 10);
	close(fd);
	gather(NULL);
	rec = &tree.inodes.v[find(0, "holes")];
	want_eq(rec->size, 2 << 20);
	for (i = 0; i < bfo_seg_count(&tree, rec); i++) {
		if (bfo_seg_unwritten(bfo_seg_of(&tree, rec, i)))
			unwritten += bfo_seg_of(&tree, rec, i)->len;
		else
			written += bfo_seg_of(&tree, rec, i)->len;
	}
	want_eq(written * tree.block_size, 4096);
	want(!unwritten || (can && unwritten * tree.block_size == (2 << 20) + (64 << 10)));
	want_ok(read_all(1));
	want_mem(got.data[find(0, "holes")] + (1 << 20), page, sizeof(page));
	drop_contents();
	remove_folder();
}
END_TEST

/* What is in the page cache only in part comes from both. */
START_TEST(reads_what_is_half_cached)
{
	int fd;

	make_folder();
	fd = open(path_of("large"), O_RDONLY);
	want(!fsync(fd));
	want(!posix_fadvise(fd, 128 << 10, 0, POSIX_FADV_DONTNEED));
	close(fd);
	gather(NULL);
	want_ok(read_all(1));
	want_content(find(0, "large"), 300001, 3);
	want_eq(tree.findings.n, 0);
	drop_contents();
	remove_folder();
}
END_TEST

/* What was written into preallocated room, and is in memory only, is data. */
START_TEST(keeps_what_is_not_written_back)
{
	bfo_row row;
	int fd;

	make_folder();
	fd = open(path_of("dirty"), O_RDWR | O_CREAT, 0644);
	posix_fallocate(fd, 0, 1 << 20);
	close(fd);
	fd = open(path_of("dirty"), O_RDWR);
	want(!syncfs(fd));
	want(pwrite(fd, "unsaved", 7, (300 << 10) + 1000) == 7);
	gather(NULL);
	row = find(0, "dirty");
	want_ok(read_all(1));
	want_mem(got.data[row] + (300 << 10) + 1000, "unsaved", 7);
	close(fd);
	drop_contents();
	remove_folder();
}
END_TEST

/* A file that changes, shrinks, goes away, or becomes something else: one finding, no error. */
START_TEST(notices_changes)
{
	bfo_row row;

	make_folder();
	gather(NULL);
	row = find(0, "large");
	switch (_i) {
	case 0:
		make_file("large", 300001, 8);
		break;
	case 1:
		make_file("large", 5000, 3);
		break;
	case 2:
		want(!unlink(path_of("large")));
		break;
	case 3:
		want(!unlink(path_of("large")));
		want(!mkfifo(path_of("large"), 0600));
		break;
	case 4:
		want(!unlink(path_of("large")));
		want(!symlink("small", path_of("large")));
		break;
	case 5:			/* the same times and size, but another file */
		make_file("other", 300001, 8);
		want(!rename(path_of("other"), path_of("large")));
		break;
	}
	want_ok(read_all(1));
	want_eq(findings_of(BFO_FOUND_CHANGED), 1);
	want_eq(tree.findings.v[tree.findings.n - 1].ino, tree.inodes.v[row].ino);
	if (_i == 0)
		want_content(row, 300001, 8);
	if (_i >= 2)
		want(!got.data[row][0] && !got.data[row][tree.inodes.v[row].size - 1]);
	drop_contents();
	want_ok(read_all(0));		/* it is said once */
	want_eq(findings_of(BFO_FOUND_CHANGED), 1);
	drop_contents();
	remove_folder();
}
END_TEST

/* What changes after it was opened is noticed, too: all files here are open at once. */
START_TEST(notices_changes_behind_its_back)
{
	make_folder();
	gather(NULL);
	want_ok(read_spoiling(1, "large"));
	want_eq(findings_of(BFO_FOUND_CHANGED), 1);
	want_eq(tree.findings.v[0].ino, tree.inodes.v[find(0, "large")].ino);
	drop_contents();
	remove_folder();
}
END_TEST

/* Who moves a directory away, and puts another there, does not lead us astray. */
START_TEST(stays_in_its_directories)
{
	bfo_row row;

	make_folder();
	gather(NULL);
	row = find(find(0, "sub"), "inner");
	want(!rename(path_of("sub"), path_of("moved")));
	want(!mkdir(path_of("sub"), 0750));
	make_file("sub/inner", 8192, 8);
	want_ok(read_all(1));
	want_content(row, 8192, 4);
	want_eq(tree.findings.n, 0);
	drop_contents();
	remove_folder();
}
END_TEST

/*
 * The same with so few descriptors that directories have to be opened again, and not all files can
 * be open at once.
 */
START_TEST(gets_by_with_few_descriptors)
{
	struct rlimit limit, few;
	char name[32];
	bfo_row row;
	int i;

	make_folder();
	for (i = 0; i < 64; i++) {
		snprintf(name, sizeof(name), "dir-%d", i);
		want(!mkdir(path_of(name), 0755));
		strcat(name, "/file");
		make_file(name, 1000, i);
	}
	want(!getrlimit(RLIMIT_NOFILE, &limit));
	few = limit;
	few.rlim_cur = 24;
	want(!setrlimit(RLIMIT_NOFILE, &few));
	gather(NULL);
	row = find(find(0, "sub"), "inner");
	want(!rename(path_of("sub"), path_of("moved")));
	want(!mkdir(path_of("sub"), 0750));
	make_file("sub/inner", 8192, 4);
	want_ok(read_all(1));
	want(!setrlimit(RLIMIT_NOFILE, &limit));
	want_eq(tree.findings.n, 1);
	want_eq(tree.findings.v[0].ino, tree.inodes.v[row].ino);
	want(!got.data[row][1]);
	for (i = 0; i < 64; i++) {
		snprintf(name, sizeof(name), "dir-%d", i);
		want_content(find(find(0, name), "file"), 1000, i);
	}
	drop_contents();
	remove_folder();
}
END_TEST

/* Where NAME begins on its device; 0: nobody tells. */
static uint64_t physical(const char *name)
{
	struct {
		struct fiemap head;
		struct fiemap_extent first;
	} q = { .head = { .fm_length = FIEMAP_MAX_OFFSET, .fm_extent_count = 1,
			  .fm_flags = FIEMAP_FLAG_SYNC } };
	int fd = open(path_of(name), O_RDONLY), told = !ioctl(fd, FS_IOC_FIEMAP, &q);

	close(fd);
	return told && q.head.fm_mapped_extents ? q.first.fe_physical : 0;
}

/* Places are in the order of the disk; where that is not told, of inode numbers. */
START_TEST(places_files_as_they_lie)
{
	uint64_t key[40], place[40];
	struct stat st;
	char name[8];
	int i, j;

	make_folder();
	for (i = 39; i >= 0; i--) {
		snprintf(name, sizeof(name), "f%d", i);
		make_file(name, 5000, i);
	}
	for (i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		key[i] = physical(name);
		want(!stat(path_of(name), &st));
		if (!key[i])
			key[i] = st.st_ino;
	}
	gather(NULL);
	for (i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		place[i] = bfo_seg_of(&tree, &tree.inodes.v[find(0, name)], 0)->blk;
		for (j = 0; j < i; j++)
			want((place[i] < place[j]) == (key[i] < key[j]));
	}
	remove_folder();
}
END_TEST

START_TEST(keeps_attributes)
{
	static const char acl[] = "\2\0\0\0" "\1\0\6\0\377\377\377\377" "\2\0\4\0\7\0\0\0"
				  "\4\0\4\0\377\377\377\377" "\20\0\4\0\377\377\377\377"
				  "\40\0\4\0\377\377\377\377";
	static const char stored[] = "\1\0\0\0" "\1\0\6\0" "\2\0\4\0\7\0\0\0" "\4\0\4\0" "\20\0\4\0"
				     "\40\0\4\0";
	bfo_xattrs set = { 0 };
	const struct bfo_ea *ea;
	uint32_t index;

	make_folder();
	want(!setxattr(path_of("small"), "user.colour", "red", 3, 0));
	want(!setxattr(path_of("small"), "system.posix_acl_access", acl, sizeof(acl) - 1, 0));
	gather(NULL);
	index = tree.inodes.v[find(0, "small")].ea;
	want(index != BFO_NONE);
	ea = &tree.eas.v[index];
	want_ok(bfo_xattrs_unpack(&set, tree.sets.v + ea->at, ea->bytes));
	want_eq(set.n, 2);
	want_eq(set.v[0].name_index, BFO_XATTR_USER);
	want_mem(set.v[0].value, "red", 3);
	want_eq(set.v[1].name_index, BFO_XATTR_ACL_ACCESS);
	want_eq(set.v[1].size, sizeof(stored) - 1);
	want_mem(set.v[1].value, stored, sizeof(stored) - 1);
	want_eq(tree.inodes.v[find(0, "empty")].ea, BFO_NONE);
	bfo_vec_free(&set);
	remove_folder();
}
END_TEST

START_TEST(leaves_out_what_it_is_told)
{
	struct bfo_dir_options opt = { 0 };
	struct stat st;

	make_folder();
	want(!stat(path_of("small"), &st));
	opt.skip_dev = st.st_dev;
	opt.skip_ino = st.st_ino;
	gather(&opt);
	want_eq(bfo_dir_notes(source).skipped, 2);
	want_eq(find(0, "small"), BFO_NONE);
	want_eq(find(find(0, "sub"), "again"), BFO_NONE);
	want_eq(tree.inodes.n, 8);
	remove_folder();
}
END_TEST

/* Deeper than descriptors and paths reach; nothing is opened by a path. */
START_TEST(goes_deep)
{
	int i, at, below, depth = 1500;
	bfo_row row = 0;

	make_folder();
	at = open(folder, O_RDONLY | O_DIRECTORY);
	for (i = 0; i < depth; i++) {
		want(!mkdirat(at, "deeper", 0755));
		below = openat(at, "deeper", O_RDONLY | O_DIRECTORY);
		want(below >= 0);
		close(at);
		at = below;
	}
	below = openat(at, "last", O_WRONLY | O_CREAT, 0644);
	want(write(below, "treasure", 8) == 8);
	close(below);
	close(at);
	gather(NULL);
	want_eq(tree.inodes.n, 9 + depth + 1);
	for (i = 0; i < depth; i++)
		row = find(row, "deeper");
	row = find(row, "last");
	want_ok(read_all(1));
	want_mem(got.data[row], "treasure", 9);
	want_eq(tree.findings.n, 0);
	drop_contents();
	remove_folder();
}
END_TEST

START_TEST(refuses_what_is_no_directory)
{
	struct bfo_dir_options opt = { 0 };
	char *file;

	make_folder();
	file = strdup(path_of("small"));
	opt.path = file;
	want_err(bfo_dir_open(&ctx, &opt, &source), BFO_ET_NOT_DIR);
	opt.path = "/nonexistent";
	want_err(bfo_dir_open(&ctx, &opt, &source), ENOENT);
	free(file);
	remove_folder();
}
END_TEST

Suite *dir_suite(void)
{
	Suite *s = suite_create("dir");

	unit_case(s, "gathers_what_is_there", gathers_what_is_there, 0);
	unit_case(s, "reads_what_was_gathered", reads_what_was_gathered, 2);
	unit_case(s, "knows_holes", knows_holes, 0);
	unit_case(s, "reads_what_is_half_cached", reads_what_is_half_cached, 0);
	unit_case(s, "keeps_what_is_not_written_back", keeps_what_is_not_written_back, 0);
	unit_case(s, "notices_changes", notices_changes, 6);
	unit_case(s, "notices_changes_behind_its_back", notices_changes_behind_its_back, 0);
	unit_case(s, "stays_in_its_directories", stays_in_its_directories, 0);
	unit_case(s, "gets_by_with_few_descriptors", gets_by_with_few_descriptors, 0);
	unit_case(s, "places_files_as_they_lie", places_files_as_they_lie, 0);
	unit_case(s, "keeps_attributes", keeps_attributes, 0);
	unit_case(s, "leaves_out_what_it_is_told", leaves_out_what_it_is_told, 0);
	unit_case(s, "goes_deep", goes_deep, 0);
	unit_case(s, "refuses_what_is_no_directory", refuses_what_is_no_directory, 0);
	return s;
}
