// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_metadata_dir.c - intake/dir with intake/metadata_read: a directory, and what a text says of it
 *
 * Expectations are what stands in the tree.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "intake/dir.h"
#include "intake/intake.h"
#include "tree/access.h"
#include "metadatamade.h"
#include "unit.h"

static struct bfo_context ctx;
static struct bfo_tree tree;
static struct bfo_source *source;
static char *folder;

static void write_file(const char *name, const void *data, size_t len, off_t from)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	want(f && !fseeko(f, from, SEEK_SET) && fwrite(data, 1, len, f) == len && !fclose(f));
}

static void make_folder(void)
{
	char path[4096];

	memset(&tree, 0, sizeof(tree));
	memset(&ctx, 0, sizeof(ctx));
	source = NULL;
	folder = unit_path("dir");
	snprintf(path, sizeof(path), "%s/sub", folder);
	want(!mkdir(folder, 0755) && !mkdir(path, 0755));
	write_file("sub/file", "0123456789", 10, 0);
	write_file("holes", "x", 1, 40959);
	snprintf(path, sizeof(path), "%s/short", folder);
	want(!symlink("to", path));
	snprintf(path, sizeof(path), "%s/long", folder);
	want(!symlink("0123456789012345678901234567890123456789012345678901234567890123456789",
		      path));
}

static void remove_folder(void)
{
	char command[4200];

	if (source)
		source->ops->close(source);
	bfo_tree_free(&tree);
	snprintf(command, sizeof(command), "rm -rf '%s' '%s.metadata'", folder, folder);
	want(!system(command));
	free(folder);
}

/* Gathers the directory with metadata that have BODY. */
static errcode_t gather(const char *body)
{
	char file[4096], *text = metadata_whole(body);
	struct bfo_dir_options opt = { .path = folder, .metadata = file, .block_size = 4096 };
	FILE *f;

	snprintf(file, sizeof(file), "%s.metadata", folder);
	f = fopen(file, "w");
	want(f && fputs(text, f) >= 0 && !fclose(f));
	free(text);
	want_ok(bfo_dir_open(&ctx, &opt, &source));
	memset(file, 0, sizeof(file));
	return source->ops->gather(source, &tree, 0);
}

static bfo_row find(bfo_row dir, const char *name)
{
	size_t i;

	for (i = 0; i < tree.names.n; i++)
		if (tree.names.v[i].dir == dir && bfo_name_len(&tree.names.v[i]) == strlen(name) &&
		    !memcmp(bfo_name_text(&tree, &tree.names.v[i]), name, strlen(name)))
			return bfo_tree_find(&tree, bfo_name_number(&tree, &tree.names.v[i]));
	return BFO_NONE;
}

static struct bfo_attrs attrs_of(bfo_row row)
{
	struct bfo_attrs a;

	want(row != BFO_NONE);
	bfo_attrs_read(bfo_intake_raw((struct bfo_intake *) source, row),
		       sizeof(struct ext2_inode_large), &a);
	return a;
}

START_TEST(brings_attributes_back)
{
	bfo_xattrs set = { 0 };
	struct bfo_attrs a;
	bfo_row row;

	want_ok(gather(". type=d" ALL "\n./sub/file" FILE_ALL
		       " crtime=9.000000010 xattr.security.s=61\n./short type=l target=to" ALL "\n"
		       "./long type=l target=012345678901234567890123456789012345678901234567890123"
		       "4567890123456789" ALL "\n"));
	want_eq(source->unknown & ~BFO_UNKNOWN_XATTR, 0);
	a = attrs_of(0);
	want_eq(a.mode, S_IFDIR | 0644);
	want_eq(a.version, 8);
	row = find(find(0, "sub"), "file");
	a = attrs_of(row);
	want(a.mode == (S_IFREG | 0644) && a.uid == 1 && a.gid == 2 && a.project == 3 &&
	     a.size == 10 && a.generation == 7 && a.version == 8 && a.sec[BFO_MTIME] == 4 &&
	     a.sec[BFO_ATIME] == 5 && a.sec[BFO_CTIME] == 6 && a.has_crtime &&
	     a.sec[BFO_CRTIME] == 9 && a.nsec[BFO_CRTIME] == 10);
	want_eq(bfo_seg_count(&tree, &tree.inodes.v[row]), 1);
	want(tree.inodes.v[row].ea != BFO_NONE);
	want_ok(bfo_xattrs_unpack(&set, tree.sets.v + tree.eas.v[tree.inodes.v[row].ea].at,
				  tree.eas.v[tree.inodes.v[row].ea].bytes));
	want(set.n == 1 && set.v[0].name_index == BFO_XATTR_SECURITY && set.v[0].size == 1 &&
	     !memcmp(set.v[0].value, "a", 1));
	bfo_vec_free(&set);
	/* the target of a short link stands in its inode */
	row = find(0, "short");
	want_eq(attrs_of(row).version, 8);
	want(!memcmp(bfo_intake_target((struct bfo_intake *) source, row), "to", 3));
	want_eq(attrs_of(find(0, "long")).version, 8);
	/* what the file does not list */
	want_eq(attrs_of(find(0, "holes")).version, 0);
	want_eq(tree.names.v[0].hash, 0);
}
END_TEST

START_TEST(makes_what_is_missing)
{
	bfo_row row;

	want_ok(gather("./null type=c device=1,3" ALL "\n./sub/disk type=b device=7,300" ALL
		       "\n./sub/pipe type=p" ALL " xattr.trusted.t=62\n./socket type=s" ALL
		       "\n./link type=l target=nowhere" ALL "\n./again type=c device=1,3" ALL
		       " first=./null\n"));
	row = find(0, "null");
	want(attrs_of(row).mode == (S_IFCHR | 0644) && attrs_of(row).minor == 3);
	want_eq(find(0, "again"), row);
	want_eq(attrs_of(row).nlink, 2);
	row = find(find(0, "sub"), "disk");
	want(attrs_of(row).mode == (S_IFBLK | 0644) && attrs_of(row).minor == 300);
	row = find(find(0, "sub"), "pipe");
	want(attrs_of(row).mode == (S_IFIFO | 0644) && tree.inodes.v[row].ea != BFO_NONE);
	want_eq(attrs_of(find(0, "socket")).mode, S_IFSOCK | 0644);
	row = find(0, "link");
	want(!memcmp(bfo_intake_target((struct bfo_intake *) source, row), "nowhere", 7));
}
END_TEST

#define HOLES "./holes type=f size=40960" ALL

/* The segments of a file as "FIRST+LENGTH", with "u" behind those that are unwritten. */
static void want_segs(const char *lines, const char *expect)
{
	const struct bfo_inode *rec;
	char seen[1024] = "";
	size_t at = 0;
	uint32_t i;

	want_ok(gather(lines));
	rec = &tree.inodes.v[find(0, "holes")];
	for (i = 0; i < bfo_seg_count(&tree, rec); i++) {
		const struct bfo_seg *seg = bfo_seg_of(&tree, rec, i);

		at += snprintf(seen + at, sizeof(seen) - at, " %u+%u%s", seg->lblk, seg->len,
			       bfo_seg_unwritten(seg) ? "u" : "");
		want(at < sizeof(seen));
	}
	ck_assert_str_eq(seen, expect);
	/* those of others are still theirs */
	rec = &tree.inodes.v[find(find(0, "sub"), "file")];
	want_eq(bfo_seg_count(&tree, rec), 1);
	want_eq(bfo_seg_of(&tree, rec, 0)->len, 1);
}

static const struct {
	const char *lines, *segs;
} prealloc[] = {
	{ HOLES "\n", " 9+1" },
	{ HOLES " unwritten=0+8192\n", " 0+2u 9+1" },
	{ HOLES " unwritten=1+8191 unwritten=12288+8191\n", " 1+1u 3+1u 9+1" },
	{ HOLES " unwritten=0+4095\n", " 9+1" },
	/* only where there is a hole; behind the end, too */
	{ HOLES " unwritten=32768+16384\n", " 8+1u 9+1 10+2u" },
	{ HOLES " unwritten=40960+4096 unwritten=0+4096\n", " 0+1u 9+1 10+1u" },
	{ HOLES " unwritten=0+18446744073709551615\n", " 0+9u 9+1 10+4294967285u" },
	/* whatever stands there twice */
	{ HOLES " unwritten=0+8192 unwritten=4096+8192 unwritten=4096+4096\n" HOLES
	  " unwritten=0+4096\n", " 0+3u 9+1" },
	{ HOLES " unwritten=0+65536 unwritten=4096+4096 unwritten=45056+4096\n",
	  " 0+9u 9+1 10+6u" },
};

START_TEST(brings_preallocation_back)
{
	want_segs(prealloc[_i].lines, prealloc[_i].segs);
}
END_TEST

static const struct {
	const char *lines;
	errcode_t err;
	const char *what;
} refused[] = {
	{ "./sub/file type=f size=11" ALL "\n", BFO_ET_CHANGED,
	  "line 2 of M to /sub/file: it has another size now" },
	{ "./sub/file type=d" ALL "\n", BFO_ET_CHANGED,
	  "line 2 of M to /sub/file: it has another type now" },
	{ "./short type=l target=ti" ALL "\n", BFO_ET_CHANGED,
	  "line 2 of M to /short: it leads elsewhere now" },
	{ "./short type=l target=to/" ALL "\n", BFO_ET_CHANGED,
	  "line 2 of M to /short: it leads elsewhere now" },
	{ ". type=d" ALL "\n./sub/none" FILE_ALL "\n", BFO_ET_NO_PATH,
	  "line 3 of M to /sub/none: it is missing" },
	{ "./none type=d" ALL "\n", BFO_ET_NO_PATH, "line 2 of M to /none: it is missing" },
	{ "./none/pipe type=p" ALL "\n", BFO_ET_NO_PATH,
	  "line 2 of M to /none/pipe: it is missing" },
	{ "./short/pipe type=p" ALL "\n", BFO_ET_NO_PATH,
	  "line 2 of M to /short/pipe: it is missing" },
	{ ". type=p" ALL "\n", BFO_ET_CHANGED, "line 2 of M to /: it has another type now" },
	{ "./null type=c device=4096,3" ALL "\n", BFO_ET_DAMAGED,
	  "a device has no valid number (line 2 of M)" },
	{ "./null type=x\n", BFO_ET_DAMAGED, "line 2 of M: no such value" },
};

START_TEST(refuses_what_was_changed)
{
	char what[4096], *m, *end = what;

	want_err(gather(refused[_i].lines), refused[_i].err);
	/* the file is M */
	for (m = ctx.what; *m; m++) {
		if (!strncmp(m, folder, strlen(folder)) &&
		    !strncmp(m + strlen(folder), ".metadata", 9)) {
			*end++ = 'M';
			m += strlen(folder) + 8;
		} else {
			*end++ = *m;
		}
	}
	*end = 0;
	if (!strstr(what, refused[_i].what))
		ck_abort_msg("%s instead of %s", what, refused[_i].what);
}
END_TEST

START_TEST(has_to_be_there)
{
	struct bfo_dir_options opt = { .path = folder, .metadata = "/nonexistent" };

	want_err(bfo_dir_open(&ctx, &opt, &source), ENOENT);
	source = NULL;
	ck_assert_str_eq(ctx.what, "opening /nonexistent");
}
END_TEST

static void dir_case(Suite *suite, const char *name, const TTest *test, int count)
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, make_folder, remove_folder);
	if (count)
		tcase_add_loop_test(tc, test, 0, count);
	else
		tcase_add_test(tc, test);
	suite_add_tcase(suite, tc);
}

#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))

Suite *metadata_dir_suite(void)
{
	Suite *s = suite_create("metadata_dir");

	dir_case(s, "brings attributes back", brings_attributes_back, 0);
	dir_case(s, "makes what is missing", makes_what_is_missing, 0);
	dir_case(s, "brings preallocation back", brings_preallocation_back, COUNT(prealloc));
	dir_case(s, "refuses what was changed", refuses_what_was_changed, COUNT(refused));
	dir_case(s, "has to be there", has_to_be_there, 0);
	return s;
}
