// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_extract_hostile.c - export/extract, export/dirs: items that nobody should make
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/mount.h>

#include "extractbed.h"

#define N(nodes) (sizeof(nodes) / sizeof(*(nodes)))

static struct extractbed bed;

/* ---- hostile items ---- */

static const char *const paths[] = {
	"..", "../x", "a/../../x", ".", "a/.", "/x", "/", "a//b", "a/",
};

/* Paths that are none. */
START_TEST(refuses_paths)
{
	struct extractbed_node n[2] = { extractbed_root(), extractbed_file(paths[_i], "evil", 2) };
	unsigned int hidden;
	size_t skipped;

	if (!extractbed_begin(&bed, NULL, EXTRACTBED_TMPFS_BYTES))
		return;
	extractbed_mkdir(&bed);
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
	struct extractbed_node n[3] = { extractbed_root(), extractbed_node("a", S_IFDIR | 0755, 2),
					extractbed_file("b/x", "", 3) };
	struct extractbed_node file = extractbed_file("a/f", "text", 4), link;

	if (!extractbed_begin(&bed, NULL, EXTRACTBED_TMPFS_BYTES))
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
	struct extractbed_node n[4] = { extractbed_root(), extractbed_node("a", S_IFDIR | 0755, 2),
					extractbed_file("a/x", "evil", 3),
					extractbed_file("a/y", "evil", 4) };
	struct bfo_outlet *o;
	unsigned int hidden;
	int i;

	if (!extractbed_begin(&bed, NULL, EXTRACTBED_TMPFS_BYTES))
		return;
	extractbed_mkdir(&bed);
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
	struct extractbed_node n[3] = { extractbed_root(), extractbed_node("a", S_IFDIR | 0755, 2),
					extractbed_file("a/x", "evil", 3) };
	const struct bfo_extract_clash *clashes;
	size_t skipped, count;

	if (!extractbed_begin(&bed, NULL, EXTRACTBED_TMPFS_BYTES))
		return;
	extractbed_mkdir(&bed);
	want(!mkdir(extractbed_path(&bed, "dir/a"), 0755));
	want(!mkdir(extractbed_path(&bed, "other"), 0755));
	/* of the same filesystem: only the mount tells */
	want(!mount(extractbed_path(&bed, "other"), extractbed_path(&bed, "dir/a"), NULL, MS_BIND,
		    NULL));
	want_ok(extractbed_open(&bed, NULL));
	want_ok(extractbed_look(&bed, n, 3, &skipped));
	clashes = bfo_extract_clashes(bed.outlet, &count);
	want_eq(count, 1);
	ck_assert_str_eq(clashes[0].word, "mount");
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
	struct extractbed_node n[2] = { extractbed_root(), extractbed_file("x", "x", 2) };

	if (!extractbed_begin(&bed, NULL, EXTRACTBED_TMPFS_BYTES))
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
	struct extractbed_node n[3] = { extractbed_root(),
					extractbed_node("suid", S_IFREG | 06755, 2),
					extractbed_node("time", S_IFREG | 0600, 3) };
	struct extractbed_node odd[3] = { extractbed_root(),
					  extractbed_node("type", 0644, 4), extractbed_root() };

	if (!extractbed_begin(&bed, NULL, EXTRACTBED_TMPFS_BYTES))
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

Suite *extract_hostile_suite(void)
{
	Suite *s = suite_create("extract_hostile");

	unit_case(s, "refuses_paths", refuses_paths, N(paths));
	unit_case(s, "refuses_disorder", refuses_disorder, 0);
	unit_case(s, "follows_no_link", follows_no_link, 3);
	unit_case(s, "enters_no_mount", enters_no_mount, 0);
	unit_case(s, "takes_links_to_the_directory", takes_links_to_the_directory, 0);
	unit_case(s, "doubts_attributes", doubts_attributes, 0);
	return s;
}
