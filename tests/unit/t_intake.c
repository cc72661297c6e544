// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_intake.c - intake/intake, base/shelf, gather/attrs: trees that come from no volume
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "intake/intake.h"
#include "tree/access.h"
#include "unit.h"

#define BS 1024U

static struct bfo_context ctx;
static struct bfo_tree tree;
static struct bfo_intake in;

static const struct bfo_source_ops ops = { .inodes = bfo_intake_inodes };

static void begin(void)
{
	memset(&ctx, 0, sizeof(ctx));
	memset(&tree, 0, sizeof(tree));
	memset(&in, 0, sizeof(in));
	in.source = (struct bfo_source) { .ops = &ops, .ctx = &ctx, .name = "a tree" };
	want_ok(bfo_intake_begin(&in, &tree, BS));
}

static void finish(void)
{
	bfo_intake_free(&in);
	bfo_tree_free(&tree);
}

static bfo_row add(uint16_t mode, uint64_t size)
{
	struct bfo_attrs a = { .mode = mode, .size = size };
	bfo_row row;

	want_ok(bfo_intake_inode(&in, &a, NULL, &row));
	return row;
}

static errcode_t refused(struct bfo_attrs a)
{
	bfo_row row;

	return bfo_intake_inode(&in, &a, NULL, &row);
}

/* Whatever attributes are written are read again. */
START_TEST(writes_what_it_reads)
{
	static const int64_t times[] = { 0, -1, INT32_MIN, INT32_MAX, 1LL << 31, 1LL << 32,
					 INT32_MIN + (4LL << 32) - 1, -86400 };
	struct ext2_inode_large raw;
	struct bfo_attrs a, b;
	struct chance c;
	int i, t;

	chance_init(&c, 3);
	for (i = 0; i < 200; i++) {
		memset(&a, 0, sizeof(a));
		a.mode = i & 1 ? S_IFREG | 0640 : S_IFBLK | 04755;
		a.size = chance_bits(&c);
		a.version = chance_bits(&c);
		a.uid = chance_bits(&c);
		a.gid = chance_bits(&c);
		a.project = chance_bits(&c);
		a.generation = chance_bits(&c);
		a.nlink = chance_below(&c, 65000);
		a.flags = EXT2_NODUMP_FL | EXT2_NOATIME_FL;
		a.has_crtime = 1;
		for (t = 0; t < BFO_TIMES; t++) {
			a.sec[t] = times[chance_below(&c, 8)];
			a.nsec[t] = chance_below(&c, 1000000000);
		}
		if (S_ISBLK(a.mode)) {
			a.major = chance_below(&c, i & 2 ? 256 : 4096);
			a.minor = chance_below(&c, i & 2 ? 256 : 1 << 20);
		}
		bfo_attrs_write(&a, &raw);
		bfo_attrs_read(&raw, sizeof(raw), &b);
		want(!memcmp(&a, &b, sizeof(a)));
	}
}
END_TEST

START_TEST(takes_the_nearest_time)
{
	struct bfo_attrs a = { .mode = S_IFREG, .sec = { INT64_MAX, INT64_MIN, 0, 0 } }, b;
	struct ext2_inode_large raw;

	bfo_attrs_write(&a, &raw);
	bfo_attrs_read(&raw, sizeof(raw), &b);
	want(b.sec[0] == INT32_MIN + (4LL << 32) - 1);
	want(b.sec[1] == INT32_MIN);
}
END_TEST

/* Links are names; of a directory, subdirectories. */
START_TEST(counts_links)
{
	bfo_row root, dir, file;

	begin();
	root = add(S_IFDIR | 0755, 4096);
	dir = add(S_IFDIR | 0700, 0);
	file = add(S_IFREG | 0600, 0);
	want_ok(bfo_intake_name(&in, root, dir, "d", 1));
	want_ok(bfo_intake_name(&in, root, file, "f", 1));
	want_ok(bfo_intake_name(&in, dir, file, "g", 1));
	want_ok(bfo_intake_end(&in));
	want_eq(tree.inodes.v[root].ino, EXT2_ROOT_INO);
	want_eq(tree.inodes.v[root].size, 0);
	want_eq(tree.inodes.v[root].links_read, 3);
	want_eq(tree.inodes.v[dir].links_read, 2);
	want_eq(tree.inodes.v[file].links_read, 2);
	want_eq(ext2fs_le16_to_cpu(bfo_intake_raw(&in, file)->i_links_count), 2);
	want_eq(bfo_tree_find(&tree, BFO_INTAKE_FIRST + 1), file);
	finish();
}
END_TEST

/* Equal sets of attributes are one, in whatever order they come. */
START_TEST(keeps_sets_once)
{
	struct bfo_xattr one = { .name_index = BFO_XATTR_USER, .name = "b", .name_len = 1,
				 .value = "1", .size = 1 }, two = one;
	struct bfo_attrs a = { .mode = S_IFDIR | 0755 };
	bfo_xattrs set = { 0 };
	bfo_row row;
	int i;

	begin();
	two.name = "a";
	for (i = 0; i < 2; i++) {
		set.n = 0;
		want_ok(bfo_vec_push(&set, i ? one : two));
		want_ok(bfo_vec_push(&set, i ? two : one));
		want_ok(bfo_intake_inode(&in, &a, &set, &row));
	}
	want_ok(bfo_intake_end(&in));
	want_eq(tree.eas.n, 1);
	want_eq(tree.inodes.v[0].ea, 0);
	want_eq(tree.inodes.v[1].ea, 0);
	bfo_vec_free(&set);
	finish();
}
END_TEST

START_TEST(refuses_what_cannot_be)
{
	bfo_row root, file;

	begin();
	want_err(refused((struct bfo_attrs) { .mode = S_IFREG }), BFO_ET_NOT_DIR);
	root = add(S_IFDIR | 0755, 0);
	want_err(refused((struct bfo_attrs) { .mode = 0 }), BFO_ET_DAMAGED);
	want_err(refused((struct bfo_attrs) { .mode = S_IFLNK }), BFO_ET_DAMAGED);
	want_err(refused((struct bfo_attrs) { .mode = S_IFLNK, .size = 4096 }), BFO_ET_DAMAGED);
	want_err(refused((struct bfo_attrs) { .mode = S_IFCHR, .major = 4096 }), BFO_ET_DAMAGED);
	want_err(refused((struct bfo_attrs) { .mode = S_IFREG, .size = 1ULL << 62 }),
		 BFO_ET_DAMAGED);
	file = add(S_IFREG | 0600, 4 * BS);
	want_ok(bfo_intake_segment(&in, 7, 1, 2, 0));
	want_err(bfo_intake_segment(&in, 9, 2, 1, 0), BFO_ET_DAMAGED);
	want_err(bfo_intake_segment(&in, 9, 4, 1, 0), BFO_ET_DAMAGED);
	want_err(bfo_intake_segment(&in, 9, 3, 0, 0), BFO_ET_DAMAGED);
	want_err(bfo_intake_segment(&in, 9, UINT32_MAX, 1, 1), BFO_ET_DAMAGED);
	want_ok(bfo_intake_segment(&in, 9, 3, 1, 0));		/* goes on */
	want_eq(bfo_seg_count(&tree, &tree.inodes.v[file]), 1);
	want_ok(bfo_intake_segment(&in, 90, 4, 100, 1));	/* behind the end, unwritten */
	want_eq(bfo_seg_count(&tree, &tree.inodes.v[file]), 2);
	want_err(bfo_intake_name(&in, root, file, "", 0), BFO_ET_DAMAGED);
	want_err(bfo_intake_name(&in, root, file, ".", 1), BFO_ET_DAMAGED);
	want_err(bfo_intake_name(&in, root, file, "..", 2), BFO_ET_DAMAGED);
	want_err(bfo_intake_name(&in, root, file, "a/b", 3), BFO_ET_DAMAGED);
	want_err(bfo_intake_name(&in, root, file, "a\0b", 3), BFO_ET_DAMAGED);
	want_err(bfo_intake_name(&in, file, file, "a", 1), BFO_ET_DAMAGED);
	want_ok(bfo_intake_name(&in, root, file, "..a", 3));
	finish();
}
END_TEST

static errcode_t count(void *priv, const struct bfo_node *node, uint32_t at, uint32_t n,
		       const void *data)
{
	(void) at;
	*(uint64_t *) priv += n + node->tag + *(const uint8_t *) data;
	return 0;
}

/* What is in memory comes out of reads, the rest is left; short links stand in the inode. */
START_TEST(reads_memory)
{
	char text[3 * BS];
	uint64_t sum = 0;
	struct bfo_sink sink = { .take = count, .priv = &sum };
	bfo_order_list nodes = { 0 };
	bfo_row link;
	size_t n;

	begin();
	memset(text, 'x', sizeof(text));
	add(S_IFDIR | 0755, 0);
	link = add(S_IFLNK | 0777, 59);
	want_ok(bfo_intake_content(&in, text, 59));
	want_eq(tree.inodes.v[link].state, BFO_INODE_FAST);
	want_mem(bfo_intake_raw(&in, link)->i_block, text, 59);
	link = add(S_IFLNK | 0777, 60);
	want_err(bfo_intake_content(&in, text, 59), BFO_ET_DAMAGED);
	want_ok(bfo_intake_content(&in, text, 60));
	want_eq(bfo_seg_blk(bfo_seg_of(&tree, &tree.inodes.v[link], 0)), BFO_PLACE_MEMORY);
	add(S_IFREG | 0600, sizeof(text));
	want_ok(bfo_intake_content(&in, text, sizeof(text)));
	want_eq(tree.segs.v[1].blk, BFO_PLACE_MEMORY + 1);
	want_ok(bfo_vec_push(&nodes, bfo_node_make(5, 1, 0, 0)));
	want_ok(bfo_vec_push(&nodes, bfo_node_make(BFO_PLACE_MEMORY, 1, 0, 0)));
	want_ok(bfo_vec_push(&nodes, bfo_node_make(BFO_PLACE_MEMORY + 2, 2, 0, 0)));
	n = nodes.n;
	want_ok(bfo_intake_read_memory(&in, nodes.v, &n, &sink));
	want_eq(n, 1);
	want_eq(sum, 1 + 'x' + 2 + 'x');
	bfo_vec_free(&nodes);
	finish();
}
END_TEST

/* Above its limit the shelf is a file; nothing is lost on the way. */
START_TEST(shelf_moves_out)
{
	struct bfo_shelf s;
	uint64_t *place;
	size_t i, n = 3 << 17;

	bfo_shelf_init(&s, sizeof(*place), 1 << 20, getenv("TMPDIR"));
	for (i = 0; i < n; i++) {
		want_ok(bfo_shelf_add(&s, (void **) &place));
		want_eq(*place, 0);
		*place = i * 7;
	}
	want(s.fd >= 0);
	for (i = 0; i < n; i++)
		want_eq(*(uint64_t *) bfo_shelf_at(&s, i), i * 7);
	bfo_shelf_free(&s);
}
END_TEST

/* Each further name gets a file of its own, with all that the first has. */
START_TEST(dereferences)
{
	bfo_row root, dir, file, row;
	uint32_t i;

	begin();
	bfo_intake_dereference(&in.source);
	root = add(S_IFDIR | 0755, 0);
	dir = add(S_IFDIR | 0700, 0);
	file = add(S_IFREG | 0600, BS);
	want_ok(bfo_intake_segment(&in, 7, 0, 1, 0));
	bfo_intake_raw(&in, file)->i_uid = ext2fs_cpu_to_le16(5);
	want_ok(bfo_intake_name(&in, root, dir, "d", 1));
	for (i = 0; i < 300; i++)
		want_ok(bfo_intake_name(&in, i & 1 ? dir : root, file,
					(char[2]) { i / 2 + 48, i % 2 + 48 }, 2));
	want_ok(bfo_intake_end(&in));
	want_eq(tree.inodes.n, 302);
	want_eq(in.shelf.n, 302);
	for (row = file; row < 302; row++) {
		want_eq(tree.inodes.v[row].ino, BFO_INTAKE_FIRST + row - 1);
		want_eq(tree.inodes.v[row].links_read, 1);
		want_eq(bfo_seg_blk(bfo_seg_of(&tree, &tree.inodes.v[row], 0)), 7);
		want_eq(ext2fs_le16_to_cpu(bfo_intake_raw(&in, row)->i_uid), 5);
	}
	for (i = 1; i < 301; i++)
		want_eq(bfo_tree_find(&tree, bfo_name_number(&tree, &tree.names.v[i])),
			file + i - 1);
	finish();
}
END_TEST

Suite *intake_suite(void)
{
	Suite *s = suite_create("intake");

	unit_case(s, "writes_what_it_reads", writes_what_it_reads, 0);
	unit_case(s, "takes_the_nearest_time", takes_the_nearest_time, 0);
	unit_case(s, "counts_links", counts_links, 0);
	unit_case(s, "dereferences", dereferences, 0);
	unit_case(s, "keeps_sets_once", keeps_sets_once, 0);
	unit_case(s, "refuses_what_cannot_be", refuses_what_cannot_be, 0);
	unit_case(s, "reads_memory", reads_memory, 0);
	unit_case(s, "shelf_moves_out", shelf_moves_out, 0);
	return s;
}
