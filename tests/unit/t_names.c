// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_names.c - plan/names: hashes as the kernel has them, sorting, doubles, findings
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "made.h"
#include "plan/names.h"
#include "tree/access.h"

#define ROOT EXT2_ROOT_INO

/* Hashes NAME alone; returns the hash. */
static uint32_t hash_of(const struct bfo_target *t, const char *name, uint32_t *minor)
{
	struct bfo_name n = { .at = strlen(name) };

	bfo_name_hash(t, 0, name, &n);
	*minor = n.minor;
	return n.hash;
}

/* Versions 0 to 2 take bytes as signed, 3 to 5 as unsigned. */
START_TEST(hashes_as_libext2fs_does)
{
	uint32_t hash, minor, got, got_minor;
	char name[256];
	struct made m;
	struct chance c;
	size_t len, i;

	chance_init(&c, 8000 + _i);
	made_init(&m);
	m.target.hash_version = _i;
	for (len = 1; len < 256; len++) {
		for (i = 0; i < len; i++)
			name[i] = chance_between(&c, 1, 255);
		name[len] = 0;
		want_ok(ext2fs_dirhash2(_i, name, len, NULL, 0, m.target.hash_seed, &hash,
					&minor));
		got = hash_of(&m.target, name, &got_minor);
		want_eq(got, hash);
		want_eq(got_minor, minor);
	}
	made_free(&m);
}
END_TEST

/*
 * The hash 0xfffffffe marks the end of a directory; a kernel moves the names that have it down by
 * two (ext4fs_dirhash()).  These do, by the legacy hash and by half MD4 with made.c's seed; found
 * by trying.
 */
START_TEST(folds_the_last_hash)
{
	static const struct { int version; const char *name; } last[] = {
		{ EXT2_HASH_LEGACY, "65fe6f09" }, { EXT2_HASH_LEGACY, "902e161a2" },
		{ EXT2_HASH_HALF_MD4, "0bdaa518" }, { EXT2_HASH_HALF_MD4, "abb28b5c" },
	};
	uint32_t hash, minor;
	struct made m;
	size_t i;

	made_init(&m);
	for (i = 0; i < sizeof(last) / sizeof(last[0]); i++) {
		m.target.hash_version = last[i].version;
		want_ok(ext2fs_dirhash2(last[i].version, last[i].name, strlen(last[i].name), NULL,
					0, m.target.hash_seed, &hash, &minor));
		want_eq(hash & ~2U, 0xfffffffc);
		want_eq(hash_of(&m.target, last[i].name, &minor), 0xfffffffc);
	}
	made_free(&m);
}
END_TEST

/* Sorted by directory, hash, minor, bytes; every directory has its slice, no other. */
START_TEST(sorts_and_slices)
{
	uint32_t dirs = 50, i, len;
	struct bfo_tree *t;
	uint8_t name[200];
	struct chance c;
	struct bfo_slice s;
	struct made m;
	size_t sum = 0;

	chance_init(&c, 8100 + _i);
	made_init(&m);
	t = &m.tree;
	made_inode(&m, ROOT, S_IFDIR | 0755);
	for (i = 0; i < dirs; i++)
		made_inode(&m, 20 + i, S_IFDIR | 0755);
	made_file(&m, 1000, 50, 10);
	made_seal(&m);
	for (i = 0; i < 3000; i++) {		/* directory 20 stays empty */
		len = snprintf((char *) name, sizeof(name), "%u", i);
		chance_fill(&c, name + len, 20);
		made_name_bytes(&m, 21 + chance_below(&c, dirs - 1), name, len + 20, 1000);
	}
	if (_i)
		m.target.hash_version = 99;	/* none: all hashes are 0, all names ties */
	want_ok(bfo_names_sort(t, &m.target));
	want_eq(t->names.n, 3000);
	for (i = 1; i < t->names.n; i++) {
		const struct bfo_name *a = &t->names.v[i - 1], *b = &t->names.v[i];
		uint32_t shorter = bfo_name_len(a) < bfo_name_len(b) ? bfo_name_len(a) :
				   bfo_name_len(b);

		want(a->dir <= b->dir);
		if (a->dir != b->dir)
			continue;
		want(a->hash <= b->hash);
		want(a->hash < b->hash || a->minor <= b->minor);
		if (a->hash == b->hash && a->minor == b->minor)
			want(memcmp(bfo_name_text(t, a), bfo_name_text(t, b), shorter) <= 0);
	}
	for (i = 0; i < t->inodes.n - 1; i++)
		for (s = bfo_dir_names(t, &t->inodes.v[i]); s.first < s.end; s.first++, sum++)
			want_eq(t->names.v[s.first].dir, i);
	want_eq(sum, t->names.n);
	want_eq(made_count(&m, 1), 0);
	want_eq(bfo_seg_count(t, made_rec(&m, 1000)), 1);	/* a file keeps its segments */
	made_free(&m);
}
END_TEST

/* The only finding of KIND; in directory DIR, about NAME leading to INO. */
static void want_finding(struct made *m, enum bfo_finding_kind kind, uint32_t dir, uint32_t ino,
			 const char *name)
{
	const struct bfo_finding *f = NULL;
	size_t i;

	want_eq(made_found(m, kind), 1);
	for (i = 0; i < m->tree.findings.n; i++)
		if (m->tree.findings.v[i].kind == kind)
			f = &m->tree.findings.v[i];
	want(f && f->dir == dir && f->ino == ino && f->len == strlen(name));
	want_mem(m->tree.text.v + f->text, name, f->len);
}

static void start(struct made *m)
{
	made_init(m);
	made_inode(m, ROOT, S_IFDIR | 0755);
	made_inode(m, 20, S_IFDIR | 0755);
	made_inode(m, 21, S_IFDIR | 0755);
	made_file(m, 22, 0, 0);
	made_inode(m, 23, S_IFLNK | 0777);
	made_seal(m);
	bfo_plan_init(&m->plan, &m->ctx, &m->tree, &m->target);
	m->planned = 1;
}

static uint32_t count(const struct made *m, uint32_t dir)
{
	return made_count(m, bfo_tree_find(&m->tree, dir));
}

/* Names become records; types are those of the inodes, whatever the directory said. */
START_TEST(resolves)
{
	struct made m;
	size_t i;

	start(&m);
	made_name(&m, 20, "link", 23);
	m.tree.names.v[0].at = (m.tree.names.v[0].at & ~0xff00ULL) | EXT2_FT_CHRDEV << 8;
	made_name(&m, 20, "file", 22);
	made_name(&m, ROOT, "dir", 20);
	want_ok(bfo_plan_names(&m.plan));
	want(m.tree.resolved);
	for (i = 0; i < 3; i++) {
		const struct bfo_name *n = &m.tree.names.v[i];
		bfo_row row = bfo_name_row(&m.tree, n);

		want_eq(bfo_name_type(n), row == 4 ? EXT2_FT_SYMLINK : row == 3 ?
			EXT2_FT_REG_FILE : EXT2_FT_DIR);
		want_eq(m.tree.inodes.v[row].name, i);
	}
	want_eq(m.tree.findings.n, 0);
	made_free(&m);
}
END_TEST

START_TEST(drops_names_without_inode)
{
	struct made m;

	start(&m);
	made_name(&m, 20, "good", 22);
	made_name(&m, 20, "lost", 999);
	want_ok(bfo_plan_names(&m.plan));
	want_finding(&m, BFO_FOUND_NAME_INODE, 20, 999, "lost");
	want_eq(count(&m, 20), 1);
	want_eq(m.tree.names.n, 1);
	made_free(&m);

	start(&m);
	made_name(&m, 20, "up", ROOT);
	want_ok(bfo_plan_names(&m.plan));
	want_finding(&m, BFO_FOUND_NAME_INODE, 20, ROOT, "up");
	want_eq(count(&m, 20), 0);
	made_free(&m);
}
END_TEST

/* Of equal names in a directory the first on disk stays; a name that leads nowhere is none. */
START_TEST(drops_doubles)
{
	struct made m;

	start(&m);
	made_name(&m, 20, "lonely", 22);
	made_name(&m, 20, "twice", 999);
	made_name(&m, 20, "twice", 22);
	made_name(&m, 20, "twice", 23);
	made_name(&m, 21, "twice", 22);
	made_name(&m, 20, "twic", 22);
	want_ok(bfo_plan_names(&m.plan));
	want_finding(&m, BFO_FOUND_NAME_DUPLICATE, 20, 23, "twice");
	want_finding(&m, BFO_FOUND_NAME_INODE, 20, 999, "twice");
	want_eq(count(&m, 20), 3);
	want_eq(count(&m, 21), 1);
	made_free(&m);
}
END_TEST

/* Findings about names when the arena of names has no byte left: nothing moves under them. */
START_TEST(finds_with_a_full_arena)
{
	char name[200];
	struct made m;
	uint32_t i;

	start(&m);
	for (i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "%0150u", i % 250);
		made_name(&m, 20, name, i < 250 ? 22 : 23);
	}
	made_name(&m, 20, "nowhere", 999);
	m.tree.text.v = realloc(m.tree.text.v, m.tree.text.n);
	want(m.tree.text.v);
	m.tree.text.cap = m.tree.text.n;
	want_ok(bfo_plan_names(&m.plan));
	want_eq(made_found(&m, BFO_FOUND_NAME_DUPLICATE), 250);
	want_finding(&m, BFO_FOUND_NAME_INODE, 20, 999, "nowhere");
	for (i = 0; i < m.tree.findings.n; i++) {
		const struct bfo_finding *f = &m.tree.findings.v[i];

		want(f->kind == BFO_FOUND_NAME_INODE || f->len == 150);
		want(f->text + f->len <= m.tree.text.n);
	}
	made_free(&m);
}
END_TEST

START_TEST(knows_types)
{
	want_eq(bfo_dirent_type(S_IFREG | 0644), EXT2_FT_REG_FILE);
	want_eq(bfo_dirent_type(S_IFDIR | 01777), EXT2_FT_DIR);
	want_eq(bfo_dirent_type(S_IFCHR), EXT2_FT_CHRDEV);
	want_eq(bfo_dirent_type(S_IFBLK), EXT2_FT_BLKDEV);
	want_eq(bfo_dirent_type(S_IFIFO), EXT2_FT_FIFO);
	want_eq(bfo_dirent_type(S_IFSOCK), EXT2_FT_SOCK);
	want_eq(bfo_dirent_type(S_IFLNK | 0777), EXT2_FT_SYMLINK);
	want_eq(bfo_dirent_type(0), EXT2_FT_UNKNOWN);
}
END_TEST

Suite *names_suite(void)
{
	Suite *s = suite_create("names");

	unit_case(s, "hashes_as_libext2fs_does", hashes_as_libext2fs_does, 6);
	unit_case(s, "folds_the_last_hash", folds_the_last_hash, 0);
	unit_case(s, "sorts_and_slices", sorts_and_slices, 2);
	unit_case(s, "resolves", resolves, 0);
	unit_case(s, "drops_names_without_inode", drops_names_without_inode, 0);
	unit_case(s, "drops_doubles", drops_doubles, 0);
	unit_case(s, "finds_with_a_full_arena", finds_with_a_full_arena, 0);
	unit_case(s, "knows_types", knows_types, 0);
	return s;
}
