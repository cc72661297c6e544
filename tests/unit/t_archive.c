// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_archive.c - intake/archive, catalog, plain_tar, second_pass, parse: trees from archives
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "gather/attrs.h"
#include "intake/intake.h"
#include "intake/parse.h"
#include "tarmade.h"
#include "tree/xattr.h"
#include "tree/access.h"
#include "unit.h"

static struct tarview v;
static bfo_chars tar;

static void add(char type, const char *name, const char *data)
{
	tarmade_add(&tar, type, name, type == '1' || type == '2' ? data : NULL, data,
		    data && type != '1' && type != '2' ? strlen(data) : 0);
}

static void open_ok(void)
{
	errcode_t err;

	tarmade_end(&tar);
	err = tarview_open(&v, &tar);
	if (err)
		ck_abort_msg("%s while %s", error_message(err), v.ctx.what);
}

/* Refused, with all of WORDS in the message. */
static void refused_as(const char *words, errcode_t code)
{
	tarmade_end(&tar);
	want_err(tarview_open(&v, &tar), code);
	if (!strstr(v.ctx.what, words))
		ck_abort_msg("no \"%s\" in \"%s\"", words, v.ctx.what);
	tarview_close(&v);
}

static void refused(const char *words)
{
	refused_as(words, BFO_ET_DAMAGED);
}

static struct bfo_attrs attrs(const char *path)
{
	bfo_row row = tarview_find(&v, path);
	struct bfo_attrs a;

	want(row != BFO_NONE);
	bfo_attrs_read(bfo_intake_raw((struct bfo_intake *) v.source, row),
		       v.source->inode_size, &a);
	return a;
}

static int has(const char *path, const char *text)
{
	return tarview_has(&v, path, text, strlen(text));
}

static int is_there(const char *path)
{
	return tarview_find(&v, path) != BFO_NONE;
}

/* ---- names ---- */

/* In a locale with UTF-8, libarchive would make one name of two, and change where links lead. */
START_TEST(takes_names_as_they_stand)
{
	static const char nfd[] = "e\xcc\x81", nfc[] = "\xc3\xa9", latin[] = "caf\xe9";
	static const char surrogates[] = "\xed\xa0\xbd\xed\xb8\x80";

	want(setlocale(LC_ALL, "C.UTF-8") != NULL);
	tarmade_pax(&tar, "path", nfd, strlen(nfd));
	add('0', "x", "decomposed");
	tarmade_pax(&tar, "path", nfc, strlen(nfc));
	add('0', "x", "composed");
	tarmade_pax(&tar, "path", latin, strlen(latin));
	add('0', "x", "latin");
	tarmade_pax(&tar, "path", surrogates, strlen(surrogates));
	add('0', "x", "surrogates");
	tarmade_pax(&tar, "linkpath", nfd, strlen(nfd));
	add('2', "link", "x");
	open_ok();
	want(has(nfd, "decomposed"));
	want(has(nfc, "composed"));
	want(has(latin, "latin"));
	want(has(surrogates, "surrogates"));
	want_eq(attrs("link").size, strlen(nfd));
	want_mem(bfo_intake_raw((struct bfo_intake *) v.source, tarview_find(&v, "link"))->i_block,
		 nfd, strlen(nfd));
	tarview_close(&v);
}
END_TEST

START_TEST(takes_paths_apart)
{
	add('0', "/abs//olute", "a");
	add('0', "./dot/./x", "b");
	add('5', "late/", NULL);
	open_ok();
	want(has("abs/olute", "a"));
	want(has("dot/x", "b"));
	want(S_ISDIR(attrs("late").mode));
	want_eq(attrs("late").mode & 07777, 0755);
	/* implied */
	want_eq(attrs("abs").mode, S_IFDIR | 0755);
	want_eq(attrs("abs").uid, 0);
	want_eq(attrs("abs").sec[BFO_MTIME], 7);
	want_eq(attrs("abs").sec[BFO_CRTIME], 7);
	want_eq(attrs("").mode, S_IFDIR | 0755);
	want_eq(attrs("abs/olute").uid, 1000);
	want_eq(attrs("abs/olute").gid, 100);
	want_eq(attrs("abs/olute").sec[BFO_MTIME], 1000000000);
	want_eq(attrs("abs/olute").sec[BFO_CTIME], 1000000000);
	tarview_close(&v);
}
END_TEST

START_TEST(takes_the_root)
{
	add('0', "x", "a");
	add('5', "./", NULL);
	open_ok();
	want_eq(attrs("").uid, 1000);
	want_eq(v.tree.inodes.n, 2);
	tarview_close(&v);
	add('0', ".", "a");
	refused("the root is no directory");
}
END_TEST

START_TEST(refuses_paths)
{
	char name[300];

	add('0', "a/../b", "x");
	refused("member a/../b at byte 0 of x.tar: a path with \"..\"");
	add('0', "ok", "x");
	add('2', "s", "/etc");
	add('0', "s/passwd", "x");
	refused("member s/passwd at byte 1536 of x.tar: it lies below what is no directory");
	memset(name, 'n', sizeof(name));
	tarmade_pax(&tar, "path", name, 256);
	add('0', "x", "x");
	refused("a name of more than 255 bytes");
	tarmade_pax(&tar, "path", name, 255);
	add('0', "x", "x");
	open_ok();
	tarview_close(&v);
}
END_TEST

/* As tar(1) does it. */
START_TEST(strips_components)
{
	v.opt.strip = 1;
	add('5', "top/", NULL);
	add('0', "top/a", "a");
	add('0', "./b", "b");
	add('0', "gone", "c");
	add('1', "top/h", "top/a");
	open_ok();
	want(has("a", "a"));
	want(has("b", "b"));
	want(has("h", "a"));
	want_eq(v.tree.inodes.n, 3);
	tarview_close(&v);
}
END_TEST

/* ---- members that come again ---- */

START_TEST(lets_later_members_win)
{
	add('0', "a", "first");
	add('0', "b/c", "old");
	add('0', "d", "file");
	add('1', "kept", "a");
	add('0', "a", "second, longer");
	add('0', "b", "no directory any more");
	add('5', "d", NULL);
	add('0', "d/e", "in it");
	open_ok();
	want(has("a", "second, longer"));
	want(has("kept", "first"));
	want(has("b", "no directory any more"));
	want(!is_there("b/c"));
	want(has("d/e", "in it"));
	/* root, a, kept, b, d, d/e */
	want_eq(v.tree.inodes.n, 6);
	want_eq(v.tree.names.n, 5);
	want_eq(v.tree.segs.n, 4);
	want_eq(v.tree.inodes.v[5].ino, BFO_INTAKE_FIRST + 4);
	want_eq(v.tree.inodes.v[0].links_read, 3);
	tarview_close(&v);
}
END_TEST

START_TEST(merges_directories)
{
	add('0', "d/x", "x");
	add('5', "d", NULL);
	add('0', "d/y", "y");
	open_ok();
	want(has("d/x", "x"));
	want(has("d/y", "y"));
	want_eq(attrs("d").uid, 1000);
	want_eq(v.tree.inodes.n, 4);
	tarview_close(&v);
}
END_TEST

/* ---- links ---- */

START_TEST(takes_links)
{
	add('1', "before", "a");
	add('1', "chain", "before");
	add('1', "far/away", "chain");
	add('0', "a", "data");
	add('1', "behind", "./a");
	add('2', "sym", "nowhere");
	add('1', "symlink", "sym");
	open_ok();
	want(has("before", "data"));
	want(has("far/away", "data"));
	want(has("behind", "data"));
	want_eq(tarview_find(&v, "a"), tarview_find(&v, "chain"));
	want_eq(v.tree.inodes.v[tarview_find(&v, "a")].links_read, 5);
	want_eq(tarview_find(&v, "sym"), tarview_find(&v, "symlink"));
	tarview_close(&v);
}
END_TEST

START_TEST(refuses_links)
{
	add('1', "a", "nowhere");
	refused("called a is a hard link to nowhere, and that is no file");
	add('1', "a", "b");
	add('1', "b", "a");
	refused("called a is a hard link to b");
	add('1', "self", "self");
	refused("called self is a hard link to self");
	add('5', "d", NULL);
	add('1', "a", "d");
	refused("a hard link to a directory");
	add('1', "a", "d");
	add('5', "d", NULL);
	refused("called a is a hard link to d");
	add('1', "a", "./");
	refused("a hard link to a directory");
}
END_TEST

/* Nobody asks for what a later member has replaced. */
START_TEST(forgets_replaced_links)
{
	add('1', "a", "nowhere");
	add('0', "a", "data");
	add('1', "d/b", "nowhere");
	add('0', "d", "data");
	open_ok();
	want(has("a", "data"));
	want_eq(v.tree.inodes.n, 3);
	tarview_close(&v);
}
END_TEST

/* pax: such a link has the data of the file, which all its names show. */
START_TEST(takes_data_of_links)
{
	tarmade_pax(&tar, "mtime", "5", 1);
	add('0', "a", "old");
	tarmade_add(&tar, '1', "b", "a", "new data", 8);
	open_ok();
	want(has("a", "new data"));
	want(has("b", "new data"));
	want_eq(v.tree.inodes.n, 2);
	tarview_close(&v);
}
END_TEST

/* ---- attributes ---- */

START_TEST(takes_times)
{
	char records[256];
	size_t n;

	n = tarmade_pax_record(records, "mtime", "-1.5", 4);
	n += tarmade_pax_record(records + n, "atime", "2000000000.123456789", 20);
	n += tarmade_pax_record(records + n, "ctime", "9000000000.000000001", 20);
	n += tarmade_pax_record(records + n, "LIBARCHIVE.creationtime", "3000000000.5", 12);
	tarmade_pax_records(&tar, records, n);
	add('0', "a", "x");
	add('0', "plain", "x");
	tarmade_pax(&tar, "mtime", "99999999999", 11);
	add('0', "never", "x");
	open_ok();
	want_eq(attrs("a").sec[BFO_MTIME], -2);
	want_eq(attrs("a").nsec[BFO_MTIME], 500000000);
	want_eq(attrs("a").nsec[BFO_ATIME], 123456789);
	want_eq(attrs("a").sec[BFO_CTIME], 9000000000);
	want_eq(attrs("a").sec[BFO_CRTIME], 3000000000);
	want_eq(attrs("a").nsec[BFO_CRTIME], 500000000);
	want_eq(v.source->unknown & (BFO_UNKNOWN_ATIME | BFO_UNKNOWN_CRTIME), 0);
	want_eq(v.tree.findings.n, 1);
	want_eq(v.tree.findings.v[0].kind, BFO_FOUND_TIME);
	tarview_close(&v);
	add('0', "plain", "x");
	open_ok();
	want_eq(v.source->unknown & (BFO_UNKNOWN_ATIME | BFO_UNKNOWN_CRTIME),
		BFO_UNKNOWN_ATIME | BFO_UNKNOWN_CRTIME);
	tarview_close(&v);
}
END_TEST

static void set_of(const char *path, bfo_xattrs *set)
{
	uint32_t ea = v.tree.inodes.v[tarview_find(&v, path)].ea;

	want(ea != BFO_NONE);
	set->n = 0;
	want_ok(bfo_xattrs_unpack(set, v.tree.sets.v + v.tree.eas.v[ea].at,
				  v.tree.eas.v[ea].bytes));
}

static int has_xattr(const bfo_xattrs *set, const char *name, const char *value)
{
	char full[BFO_XATTR_NAME_MAX];
	size_t i, len;

	for (i = 0; i < set->n; i++) {
		len = bfo_xattr_name(&set->v[i], full);
		if (len == strlen(name) && !memcmp(full, name, len) &&
		    set->v[i].size == strlen(value) &&
		    !memcmp(set->v[i].value, value, set->v[i].size))
			return 1;
	}
	return 0;
}

/* Names are encoded by GNU tar and by libarchive, which has each attribute twice. */
START_TEST(takes_xattrs)
{
	char records[1024];
	bfo_xattrs set = { 0 };
	size_t n;

	n = tarmade_pax_record(records, "SCHILY.xattr.user.a%20b%3Dc%25", "1", 1);
	n += tarmade_pax_record(records + n, "LIBARCHIVE.xattr.user.a%20b%3Dc%25", "MQ", 2);
	n += tarmade_pax_record(records + n, "LIBARCHIVE.xattr.user.x%2520y", "Mg", 2);
	n += tarmade_pax_record(records + n, "SCHILY.xattr.user.x%2520y", "2", 1);
	tarmade_pax_records(&tar, records, n);
	add('0', "libarchive", "x");
	n = tarmade_pax_record(records, "SCHILY.xattr.user.p%25q", "3", 1);
	n += tarmade_pax_record(records + n, "SCHILY.xattr.user.100%", "4", 1);
	n += tarmade_pax_record(records + n, "SCHILY.xattr.gnu.translator", "5", 1);
	n += tarmade_pax_record(records + n, "RHT.security.selinux", "label", 5);
	tarmade_pax_records(&tar, records, n);
	add('0', "gnu", "x");
	open_ok();
	set_of("libarchive", &set);
	want_eq(set.n, 2);
	want(has_xattr(&set, "user.a b=c%", "1"));
	want(has_xattr(&set, "user.x%20y", "2"));
	set_of("gnu", &set);
	want_eq(set.n, 3);
	want(has_xattr(&set, "user.p%q", "3"));
	want(has_xattr(&set, "user.100%", "4"));
	want(has_xattr(&set, "security.selinux", "label"));
	want_eq(v.tree.findings.n, 1);
	want_eq(v.tree.findings.v[0].kind, BFO_FOUND_XATTR_NAME);
	want_eq(v.tree.findings.v[0].ino, v.tree.inodes.v[tarview_find(&v, "gnu")].ino);
	bfo_vec_free(&set);
	tarview_close(&v);
}
END_TEST

START_TEST(takes_acls)
{
	static const char text[] = "user::rw-,user:fred:rwx:1000,group::r--,mask::rwx,other::r--";
	static const char names[] = "user::rw-,user:fred:rwx,group::r--,mask::rwx,other::r--";
	static const char large[] = "user::rw-,user::rwx:4000000000,group::r--,mask::rwx,other::r--";
	static const uint8_t disk[] = { 1, 0, 0, 0, 1, 0, 6, 0, 2, 0, 7, 0, 0xe8, 3, 0, 0,
					4, 0, 4, 0, 16, 0, 7, 0, 32, 0, 4, 0 };
	bfo_xattrs set = { 0 };

	tarmade_pax(&tar, "SCHILY.acl.access", text, strlen(text));
	add('0', "a", "x");
	tarmade_pax(&tar, "SCHILY.acl.access", names, strlen(names));
	add('0', "lost", "x");
	tarmade_pax(&tar, "SCHILY.acl.access", large, strlen(large));
	add('0', "large", "x");
	open_ok();
	set_of("a", &set);
	want_eq(attrs("a").mode, S_IFREG | 0674);	/* the mask */
	want_eq(attrs("lost").mode, S_IFREG | 0644);
	want_eq(v.tree.inodes.v[tarview_find(&v, "large")].ea, BFO_NONE);
	want_eq(set.n, 1);
	want_eq(set.v[0].name_index, BFO_XATTR_ACL_ACCESS);
	want_eq(set.v[0].name_len, 0);
	want_eq(set.v[0].size, sizeof(disk));
	want_mem(set.v[0].value, disk, sizeof(disk));
	want_eq(v.tree.inodes.v[tarview_find(&v, "lost")].ea, BFO_NONE);
	want_eq(v.tree.findings.n, 2);
	want_eq(v.tree.findings.v[0].kind, BFO_FOUND_XATTR_NAME);
	bfo_vec_free(&set);
	tarview_close(&v);
}
END_TEST

START_TEST(takes_special_files)
{
	add('3', "chr", NULL);
	add('4', "blk", NULL);
	add('6', "fifo", NULL);
	tarmade_pax(&tar, "SCHILY.fflags", "nodump,schg", 11);
	add('0', "flags", "x");
	open_ok();
	want_eq(attrs("chr").mode, S_IFCHR | 0644);
	want_eq(attrs("chr").major, 7);
	want_eq(attrs("blk").minor, 9);
	want_eq(attrs("fifo").mode, S_IFIFO | 0644);
	want_eq(attrs("flags").flags, EXT2_NODUMP_FL | EXT2_IMMUTABLE_FL);
	want_eq(v.source->unknown & BFO_UNKNOWN_FLAGS, 0);
	tarview_close(&v);
}
END_TEST

/* ---- data ---- */

/* What follows data in their last block is zeros, whatever the archive has there. */
START_TEST(clears_tails)
{
	char page[5000];
	size_t i;

	memset(page, 'p', sizeof(page));
	for (i = 0; i < 4; i++) {
		char name[] = { 'a' + i, 0 };

		tarmade_add(&tar, '0', name, NULL, page, 5000 - i * 700);
		memset(tar.v + tar.n - (512 - (5000 - i * 700) % 512), 'g',
		       512 - (5000 - i * 700) % 512);
	}
	open_ok();
	want_eq(v.source->access, BFO_READ_ANYWHERE);
	want_eq(v.source->block_size, 512);
	want(tarview_has(&v, "d", page, 5000 - 2100));
	want(tarview_has(&v, "a", page, 5000));
	want(tarview_has(&v, "b", page, 4300));
	tarview_close(&v);
}
END_TEST

static errcode_t count(void *priv, const struct bfo_node *node, uint32_t at, uint32_t n,
		       const void *data)
{
	const char *bytes = data;

	want(!at && n == 1 && bytes[0] == 'd' && bytes[1] == (char) node->tag && !bytes[2]);
	++*(size_t *) priv;
	return 0;
}

static void *into_own_place(void *priv, const struct bfo_node *node, uint32_t at)
{
	static char room[3000][512];

	(void) priv, (void) at;
	return room[node->to];
}

/* More small files than one request takes, with a header between each two. */
START_TEST(reads_many_files_at_once)
{
	struct bfo_sink sink = { .take = count, .place = _i ? into_own_place : NULL };
	bfo_order_list nodes = { 0 };
	char name[16], data[2] = "d";
	size_t i, n = 0;

	for (i = 0; i < 3000; i++) {
		data[1] = i % 100 + 1;
		snprintf(name, sizeof(name), "%zu", i);
		tarmade_add(&tar, '0', name, NULL, data, 2);
	}
	open_ok();
	for (i = 0; i < 3000; i++)
		want_ok(bfo_vec_push(&nodes, bfo_node_make(v.tree.segs.v[i].blk, 1, i % 100 + 1,
							   i)));
	sink.priv = &n;
	want_ok(v.source->ops->read(v.source, nodes.v, nodes.n, &sink));
	want_eq(n, 3000);
	want(v.source->requests < 10);
	bfo_vec_free(&nodes);
	tarview_close(&v);
}
END_TEST

/* Maps and data of GNU tar's sparse files, as it writes them into pax archives. */
static void add_sparse(const char *name, const char *map, const char *size, const char *data,
		       size_t len)
{
	char records[512], *body = unit_alloc(512 + len);
	size_t n;

	n = tarmade_pax_record(records, "GNU.sparse.major", "1", 1);
	n += tarmade_pax_record(records + n, "GNU.sparse.minor", "0", 1);
	n += tarmade_pax_record(records + n, "GNU.sparse.name", name, strlen(name));
	n += tarmade_pax_record(records + n, "GNU.sparse.realsize", size, strlen(size));
	tarmade_pax_records(&tar, records, n);
	memcpy(body, map, strlen(map));
	memcpy(body + 512, data, len);
	tarmade_add(&tar, '0', "GNUSparseFile", NULL, body, 512 + len);
	free(body);
}

static void check_sparse(const char *name, size_t first, size_t second, size_t size,
			 const char *data, size_t len)
{
	char *whole = unit_alloc(size);

	memcpy(whole + first, data, len);
	memcpy(whole + second, data + len, len);
	want(tarview_has(&v, name, whole, size));
	free(whole);
}

START_TEST(reads_sparse_files)
{
	char data[2048];
	struct chance c;

	chance_init(&c, 1);
	chance_fill(&c, data, sizeof(data));
	add_sparse("even", "3\n4096\n1024\n10240\n1024\n20480\n0\n", "20480", data, 2048);
	add_sparse("odd", "3\n1000\n700\n2000\n700\n9999\n0\n", "9999", data, 1400);
	add_sparse("hole", "1\n1048576\n0\n", "1048576", data, 0);
	add('0', "behind", "data");
	open_ok();
	want_eq(bfo_seg_count(&v.tree, &v.tree.inodes.v[tarview_find(&v, "even")]), 2);
	check_sparse("even", 4096, 10240, 20480, data, 1024);
	check_sparse("odd", 1000, 2000, 9999, data, 700);
	want_eq(bfo_seg_count(&v.tree, &v.tree.inodes.v[tarview_find(&v, "hole")]), 0);
	want_eq(v.tree.inodes.v[tarview_find(&v, "hole")].size, 1048576);
	want(has("behind", "data"));
	tarview_close(&v);
}
END_TEST

/* Data that no map tells of: before another member, and before the end. */
START_TEST(refuses_data_behind_the_map)
{
	char data[1400] = "data";

	add_sparse("short", "1\n0\n512\n", "1400", data, 1400);
	add('0', "behind", "data");
	refused("has more data than its map says");
	tar.n = 0;
	add_sparse("short", "1\n0\n512\n", "1400", data, 1400);
	refused("has more data than its map says");
	tar.n = 0;
	add_sparse("whole", "1\n0\n1400\n", "1400", data, 1400);
	open_ok();
	tarview_close(&v);
}
END_TEST

/* More than blocks of 512 bytes can count: then it is addressed in another way. */
START_TEST(reads_large_files)
{
	char data[1400];
	const struct bfo_inode *rec;
	struct chance c;

	chance_init(&c, 1);
	chance_fill(&c, data, sizeof(data));
	add('0', "before", "data");
	add_sparse("large", "3\n1000\n700\n3000000000000\n700\n3000000001000\n0\n", "3000000001000",
		   data, 1400);
	add_sparse("odd", "3\n1000\n700\n2000\n700\n9999\n0\n", "9999", data, 1400);
	add('0', "behind", "more data");
	open_ok();
	want_eq(v.source->access, BFO_READ_ANYWHERE);
	want_eq(v.source->block_size, 4096);
	rec = &v.tree.inodes.v[tarview_find(&v, "large")];
	want_eq(rec->size, 3000000001000);
	want_eq(bfo_seg_count(&v.tree, rec), 2);
	want_eq(bfo_seg_of(&v.tree, rec, 0)->lblk, 0);
	want_eq(bfo_seg_of(&v.tree, rec, 1)->lblk, 3000000000000 / 4096);
	want(has("before", "data"));
	want(has("behind", "more data"));
	check_sparse("odd", 1000, 2000, 9999, data, 700);
	tarview_close(&v);
}
END_TEST

static void compress(void)
{
	bfo_chars out = { 0 };

	want_ok(bfo_vec_reserve(&out, ZSTD_compressBound(tar.n)));
	out.n = ZSTD_compress(out.v, out.cap, tar.v, tar.n, 1);
	want(!ZSTD_isError(out.n));
	bfo_vec_free(&tar);
	tar = out;
}

static void open_compressed(void)
{
	tarmade_end(&tar);
	compress();
	want_ok(tarview_open(&v, &tar));
	want_eq(v.source->access, BFO_READ_ASCENDING);
}

/* Small contents are in memory; others come forward, or, if they have to, once more. */
START_TEST(reads_what_is_compressed)
{
	char data[200000];
	struct chance c;

	chance_init(&c, 1);
	chance_fill(&c, data, sizeof(data));
	tarmade_add(&tar, '0', "large", NULL, data, sizeof(data));
	tarmade_add(&tar, '0', "small", NULL, data, 160);
	add_sparse("odd", "3\n1000\n700\n2000\n700\n9999\n0\n", "9999", data, 1400);
	tarmade_add(&tar, '0', "not small", NULL, data, 161);
	add_sparse("hole", "1\n100\n0\n", "100", data, 0);
	tarmade_add(&tar, '0', "last", NULL, data, 8192);
	open_compressed();
	want(tarview_has(&v, "large", data, sizeof(data)));
	check_sparse("odd", 1000, 2000, 9999, data, 700);
	want(tarview_has(&v, "last", data, 8192));
	want(tarview_has(&v, "small", data, 160));
	want_eq(bfo_seg_count(&v.tree, &v.tree.inodes.v[tarview_find(&v, "hole")]), 0);
	/* backwards */
	want(tarview_has(&v, "not small", data, 161));
	want(tarview_has(&v, "large", data, sizeof(data)));
	want_ok(v.source->ops->settle(v.source));
	tarview_close(&v);
}
END_TEST

static errcode_t drop(void *priv, const struct bfo_node *node, uint32_t at, uint32_t count,
		      const void *data)
{
	(void) priv, (void) node, (void) at, (void) count, (void) data;
	return 0;
}

static errcode_t read_last(const char *path)
{
	const struct bfo_inode *rec = &v.tree.inodes.v[tarview_find(&v, path)];
	const struct bfo_seg *g = bfo_seg_of(&v.tree, rec, 0);
	struct bfo_node node = bfo_node_make(bfo_seg_blk(g), g->len, 0, 0);
	struct bfo_sink sink = { .take = drop };

	return v.source->ops->read(v.source, &node, 1, &sink);
}

static void add_two(const char *second, size_t size)
{
	char data[5000] = { 0 };

	tarmade_add(&tar, '0', "first", NULL, data, 5000);
	tarmade_add(&tar, '0', second, NULL, data, size);
	tarmade_end(&tar);
	compress();
}

/* Between the two passes somebody writes another archive. */
START_TEST(sees_that_it_changed)
{
	static const struct { const char *name; size_t size; } others[] = {
		{ "other", 5000 }, { "second", 4000 }, { "second", 100 }, { "second", 5000 },
	};
	errcode_t err;

	add_two("second", 5000);
	want_ok(tarview_open(&v, &tar));
	add_two(others[_i].name, others[_i].size);
	want(!ftruncate(v.fd, 0) && pwrite(v.fd, tar.v, tar.n, 0) == (ssize_t) tar.n);
	err = read_last("second");
	want_eq(err, _i < 3 ? BFO_ET_CHANGED : 0);
	want_err(v.source->ops->settle(v.source), BFO_ET_CHANGED);
	bfo_vec_free(&tar);
	tarview_close(&v);
}
END_TEST

/* ---- damage ---- */

START_TEST(names_what_is_truncated)
{
	char data[3000] = { 0 };

	tarmade_add(&tar, '0', "first", NULL, data, 3000);
	tarmade_add(&tar, '0', "second", NULL, data, 3000);
	tar.n -= 1024;
	want_err(tarview_open(&v, &tar), BFO_ET_DAMAGED);
	want(strstr(v.ctx.what, "member second at byte 3584 of x.tar: the archive ends"));
	tarview_close(&v);
	tarmade_add(&tar, '0', "first", NULL, data, 3000);
	want_err(tarview_open(&v, &tar), BFO_ET_DAMAGED);
	want(strstr(v.ctx.what, "member first, at byte 3584 of x.tar: there is no end mark"));
	tarview_close(&v);
}
END_TEST

START_TEST(names_what_is_damaged)
{
	add('0', "first", "x");
	add('0', "second", "x");
	tar.v[1024] ^= 1;
	refused("what follows member first, at byte ");
	add('0', "first", "x");
	tarmade_pax(&tar, "size", "nonsense", 8);
	tar.v[1024 + 512] = 'x';	/* the length of the record */
	add('0', "second", "x");
	refused("second");
	tarmade_add(&tar, '0', "first", NULL, NULL, 0);
	add_sparse("map", "2\n0\n512\n512\n512\n", "1024", "x", 1);
	refused("member map at byte 512 of x.tar: the archive ends within its data");
	add_sparse("map", "2\n0\n512\n512\n512\n", "1024", "x", 1);
	add('0', "behind", "x");
	refused("member behind at byte 2560 of x.tar: it begins within the data of the member before");
}
END_TEST

START_TEST(checks_to_the_last_byte)
{
	char data[1000000];
	struct chance c;
	int i;

	chance_init(&c, 1);
	chance_fill(&c, data, sizeof(data));
	tarmade_add(&tar, '0', "first", NULL, data, sizeof(data));
	for (i = 0; i < 2048; i++)	/* nobody has to look that far for the end of the archive */
		tarmade_end(&tar);
	{
		ZSTD_CCtx *z = ZSTD_createCCtx();
		bfo_chars out = { 0 };

		ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
		want_ok(bfo_vec_reserve(&out, ZSTD_compressBound(tar.n)));
		out.n = ZSTD_compress2(z, out.v, out.cap, tar.v, tar.n);
		ZSTD_freeCCtx(z);
		bfo_vec_free(&tar);
		tar = out;
	}
	tar.v[tar.n / 2] ^= 1;
	want_err(tarview_open(&v, &tar), BFO_ET_DAMAGED);
	want(strstr(v.ctx.what, "member first"));
	tarview_close(&v);
}
END_TEST

START_TEST(refuses_what_is_no_archive)
{
	int ends[2];

	want_ok(bfo_vec_reserve(&tar, 1024));
	memset(tar.v, 'x', 1024);
	tar.n = 1024;
	want_err(tarview_open(&v, &tar), BFO_ET_NOT_ARCHIVE);
	tarview_close(&v);
	want_ok(bfo_vec_reserve(&tar, 1024));
	memset(tar.v, 'x', 1024);
	tar.n = 1024;
	compress();
	want_err(tarview_open(&v, &tar), BFO_ET_NOT_ARCHIVE);
	tarview_close(&v);
	want(!pipe(ends));
	v.opt.fd = ends[0];
	v.opt.name = "a pipe";
	want_err(bfo_archive_open(&v.ctx, &v.opt, &v.source), ESPIPE);
	close(ends[1]);
	v.opt.spool = 1;
	want_err(bfo_archive_open(&v.ctx, &v.opt, &v.source), BFO_ET_NOT_ARCHIVE);
	close(ends[0]);
	memset(&v, 0, sizeof(v));
}
END_TEST

START_TEST(takes_what_a_pipe_gives)
{
	int ends[2];

	add('0', "a", "data");
	tarmade_end(&tar);
	want(!pipe(ends));
	want(write(ends[1], tar.v, tar.n) == (ssize_t) tar.n);
	close(ends[1]);
	bfo_vec_free(&tar);
	v.opt = (struct bfo_archive_options) { .fd = ends[0], .name = "a pipe", .spool = 1 };
	v.ctx.temp_dir = getenv("TMPDIR");
	want_ok(bfo_archive_open(&v.ctx, &v.opt, &v.source));
	v.fd = ends[0];
	want_ok(v.source->ops->gather(v.source, &v.tree, 0));
	want(has("a", "data"));
	want_ok(v.source->ops->settle(v.source));
	tarview_close(&v);
}
END_TEST

/* ---- what it is ---- */

START_TEST(knows_archives)
{
	static const struct { enum bfo_archive_kind kind; size_t len; const char *bytes; } of[] = {
		{ BFO_ARCHIVE_CPIO, 6, "070701" }, { BFO_ARCHIVE_CPIO, 6, "070707" },
		{ BFO_ARCHIVE_NONE, 6, "070700" }, { BFO_ARCHIVE_NONE, 5, "070701" },
		{ BFO_ARCHIVE_COMPRESSED, 3, "\x1f\x8b\x08" },
		{ BFO_ARCHIVE_COMPRESSED, 6, "\xfd" "7zXZ\0" },
		{ BFO_ARCHIVE_COMPRESSED, 4, "\x28\xb5\x2f\xfd" },
		{ BFO_ARCHIVE_COMPRESSED, 8, "\x50\x2a\x4d\x18\4\0\0\0" },
		{ BFO_ARCHIVE_COMPRESSED, 10, "BZh9\x31\x41\x59\x26\x53\x59" },
		{ BFO_ARCHIVE_NONE, 10, "BZh9 text." },
		{ BFO_ARCHIVE_COMPRESSED, 4, "\x04\x22\x4d\x18" }, { BFO_ARCHIVE_NONE, 0, "" },
	};
	char zeros[BFO_ARCHIVE_PROBE_BYTES] = { 0 };
	size_t i;

	for (i = 0; i < sizeof(of) / sizeof(*of); i++)
		want_eq(bfo_archive_look(of[i].bytes, of[i].len), of[i].kind);
	want_eq(bfo_archive_look(zeros, sizeof(zeros)), BFO_ARCHIVE_NONE);
	add('0', "a", "x");
	want_eq(bfo_archive_look(tar.v, 512), BFO_ARCHIVE_TAR);
	want_eq(bfo_archive_look(tar.v, 511), BFO_ARCHIVE_NONE);
	tar.v[0]++;
	want_eq(bfo_archive_look(tar.v, 512), BFO_ARCHIVE_NONE);
	bfo_vec_free(&tar);
}
END_TEST

START_TEST(says_what_is_not_built)
{
	add('0', "a", "x");
	refused_as("opening x.tar", BFO_ET_NO_LIBARCHIVE);
}
END_TEST

static void add_cases(Suite *s)
{
	unit_case(s, "takes_names_as_they_stand", takes_names_as_they_stand, 0);
	unit_case(s, "takes_paths_apart", takes_paths_apart, 0);
	unit_case(s, "takes_the_root", takes_the_root, 0);
	unit_case(s, "refuses_paths", refuses_paths, 0);
	unit_case(s, "strips_components", strips_components, 0);
	unit_case(s, "lets_later_members_win", lets_later_members_win, 0);
	unit_case(s, "merges_directories", merges_directories, 0);
	unit_case(s, "takes_links", takes_links, 0);
	unit_case(s, "refuses_links", refuses_links, 0);
	unit_case(s, "forgets_replaced_links", forgets_replaced_links, 0);
	unit_case(s, "takes_data_of_links", takes_data_of_links, 0);
	unit_case(s, "takes_times", takes_times, 0);
	unit_case(s, "takes_xattrs", takes_xattrs, 0);
	unit_case(s, "takes_acls", takes_acls, 0);
	unit_case(s, "takes_special_files", takes_special_files, 0);
	unit_case(s, "clears_tails", clears_tails, 0);
	unit_case(s, "reads_many_files_at_once", reads_many_files_at_once, 2);
	unit_case(s, "reads_sparse_files", reads_sparse_files, 0);
	unit_case(s, "refuses_data_behind_the_map", refuses_data_behind_the_map, 0);
	unit_case(s, "reads_large_files", reads_large_files, 0);
	unit_case(s, "reads_what_is_compressed", reads_what_is_compressed, 0);
	unit_case(s, "sees_that_it_changed", sees_that_it_changed, 4);
	unit_case(s, "names_what_is_truncated", names_what_is_truncated, 0);
	unit_case(s, "names_what_is_damaged", names_what_is_damaged, 0);
	unit_case(s, "checks_to_the_last_byte", checks_to_the_last_byte, 0);
	unit_case(s, "refuses_what_is_no_archive", refuses_what_is_no_archive, 0);
	unit_case(s, "takes_what_a_pipe_gives", takes_what_a_pipe_gives, 0);
}

Suite *archive_suite(void)
{
	Suite *s = suite_create("archive");

	unit_case(s, "knows_archives", knows_archives, 0);
	if (bfo_parse_is_built())
		add_cases(s);
	else
		unit_case(s, "says_what_is_not_built", says_what_is_not_built, 0);
	return s;
}
