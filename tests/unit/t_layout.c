// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_layout.c - layout/: every measure against cases that were computed by hand
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2_fs.h>

#include "layout/picture.h"
#include "made.h"
#include "plan/names.h"

static int is_near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fabs(b);
}

/* ---- steps ---- */

static struct bfo_agreement agreement_of(const uint64_t *places, size_t n)
{
	struct bfo_steps s = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		want_ok(bfo_steps_add(&s, places[i]));
	return bfo_steps_end(&s);
}

START_TEST(compares_orders)
{
	static const uint64_t up[] = { 3, 5, 1ULL << 40, (1ULL << 40) + 1 };
	static const uint64_t down[] = { 9, 7, 2 };
	/* ranks 1 4 0 2 3: steps up, down, up, up; d = -1 -3 2 1 1, so 1 - 6 * 16 / 120 */
	static const uint64_t mixed[] = { 20, 90, 10, 30, 40 };
	static const uint64_t same[] = { 6, 6, 7 };
	struct bfo_agreement a = agreement_of(up, 4);

	want_eq(a.things, 4);
	want(a.ascending == 1 && a.correlation == 1);
	a = agreement_of(down, 3);
	want(a.ascending == 0 && a.correlation == -1);
	a = agreement_of(mixed, 5);
	want(is_near(a.ascending, 0.75) && is_near(a.correlation, 0.2));
	a = agreement_of(same, 3);
	want(is_near(a.ascending, 0.5));
	a = agreement_of(up, 1);
	want(a.things == 1 && isnan(a.ascending) && isnan(a.correlation));
}
END_TEST

/* ---- histogram ---- */

START_TEST(counts_by_powers_of_two)
{
	static const uint64_t sizes[] = { 1, 1, 2, 3, 4, 7, 8, 1ULL << 63 };
	struct bfo_histogram h = { .things = 0 };
	size_t i;

	for (i = 0; i < 8; i++)
		bfo_histogram_add(&h, sizes[i]);
	want_eq(h.things, 8);
	want_eq(h.total, (1ULL << 63) + 26);
	want_eq(h.largest, 1ULL << 63);
	want_eq(h.count[0], 2);
	want_eq(h.count[1], 2);
	want_eq(h.sum[1], 5);
	want_eq(h.count[2], 2);
	want_eq(h.sum[2], 11);
	want_eq(h.count[3], 1);
	want_eq(h.count[63], 1);
}
END_TEST

/* ---- cost ---- */

START_TEST(costs_what_the_models_say)
{
	double half = 60.0 / 7200 / 2;
	struct bfo_cost c = { .requests = 0 };

	bfo_cost_add(&c, 1000000, 160000000, 1);	/* wherever it is */
	want(is_near(bfo_cost_disk(&c), 1));
	want(is_near(bfo_cost_ssd(&c), 80e-6 + 0.32));
	want(is_near(bfo_cost_cloud(&c), 160.0 / 125));
	bfo_cost_add(&c, 161000000, 4096, 10);		/* goes on */
	want_eq(c.noncontiguous, 1);
	want_eq(c.distance, 0);
	want_eq(c.requests, 11);
	want_eq(c.end, 161040960);
	c = (struct bfo_cost) { .requests = 0 };
	bfo_cost_add(&c, 0, 4096, 1);
	bfo_cost_add(&c, 20096, 4096, 1);		/* 16000 forward: waits */
	want(is_near(c.seeks, 0.1e-3 + 0.1e-3));
	bfo_cost_add(&c, 8192, 4096, 1);		/* 16000 back: moves */
	want(is_near(c.seeks, 0.2e-3 + 0.8e-3 + 13.3e-3 * sqrt(16000e-12) + half));
	want_eq(c.noncontiguous, 3);
	want_eq(c.distance, 32000);
	c = (struct bfo_cost) { .requests = 0 };
	bfo_cost_add(&c, 0, 4096, 3000);
	want(is_near(bfo_cost_cloud(&c), 1));
	bfo_cost_add(&c, 0, (256 << 10) + 1, 1);	/* two operations */
	want(is_near(bfo_cost_cloud(&c), 3002.0 / 3000));
}
END_TEST

/* ---- the reader ---- */

static void want_cost(const struct bfo_cost *c, uint64_t requests, uint64_t blocks,
		      uint64_t noncontiguous, uint64_t distance)
{
	want_eq(c->requests, requests);
	want_eq(c->bytes, blocks * 4096);
	want_eq(c->noncontiguous, noncontiguous);
	want_eq(c->distance, distance * 4096);
}

/* A read(2) is 4 blocks, so file blocks 0-3, 4-7 ... */
START_TEST(reads_files_as_a_kernel_does)
{
	struct bfo_file_reader r;
	struct made m;

	made_init(&m);
	made_file(&m, 12, 1000, 10);			/* 4 + 4 + 2 */
	made_inode(&m, 13, S_IFREG | 0644);
	made_seg(&m, 2000, 0, 3);			/* 3; 1 of the same read elsewhere; */
	made_seg(&m, 3000, 3, 2);			/* 1 of the next; hole; */
	made_seg(&m, 3003, 6, 1);			/* 1 that does not join; */
	made_seg(&m, 3010 | BFO_SEG_UNWRITTEN, 8, 5);	/* none */
	made_inode(&m, 14, S_IFREG | 0644);
	made_seg(&m, 5000, 1, 1);			/* around a hole, together on the disk: */
	made_seg(&m, 5001, 3, 1);			/* one */
	made_file(&m, 15, 6000, 8);			/* ends in its second block */
	m.tree.inodes.v[3].size = 4097;
	made_inode(&m, 16, S_IFLNK | 0777);
	made_seg(&m, 7000, 0, 1);
	made_seal(&m);
	want_ok(bfo_file_reader_init(&r, &m.tree, NULL, 16384));
	bfo_file_reader_read(&r, 0);
	want_cost(&r.data, 3, 10, 1, 0);
	bfo_file_reader_read(&r, 1);			/* 3 at 2000, 1 at 3000, 3001, 3003 */
	want_cost(&r.data, 7, 16, 4, 990 + 997 + 1);
	bfo_file_reader_read(&r, 2);
	want_cost(&r.data, 8, 18, 5, 990 + 997 + 1 + 1996);
	bfo_file_reader_read(&r, 3);
	want_cost(&r.data, 9, 20, 6, 990 + 997 + 1 + 1996 + 998);
	bfo_file_reader_read(&r, 4);
	want_eq(r.data.requests, 9);
	want_eq(r.all.requests, 9);
	bfo_file_reader_free(&r);
	made_free(&m);
}
END_TEST

/* 16 inodes a block, 2048 a group; the tables begin at blocks 100 and 228. */
START_TEST(reads_inodes_around)
{
	struct bfo_tables tables = { .group_inodes = 2048, .block_inodes = 16 };
	struct bfo_file_reader r;
	struct made m;

	made_init(&m);
	made_inode(&m, 1 + 16 * 2, S_IFIFO);		/* block 102: 100 to 132 */
	made_inode(&m, 1 + 16 * 27, S_IFIFO);		/* 127 */
	made_inode(&m, 1 + 16 * 33, S_IFIFO);		/* 133: the rest of 128 to 160 */
	made_inode(&m, 2049 + 16 * 8, S_IFIFO);		/* group 1, 236: 228 to 238, of 170 used */
	made_file(&m, 2049 + 16 * 9, 500, 1);		/* 237, map blocks 40 and 41 */
	made_seal(&m);
	want_ok(bfo_vec_push(&m.tree.map_blocks, (struct bfo_map_use) { .blk = 40,
			     .ino = 2049 + 16 * 9 }));
	want_ok(bfo_vec_push(&m.tree.map_blocks, (struct bfo_map_use) { .blk = 41,
			     .ino = 2049 + 16 * 9 }));
	want_ok(bfo_vec_push(&tables.groups, (struct bfo_table) { .blk = 100, .used = 2048 }));
	want_ok(bfo_vec_push(&tables.groups, (struct bfo_table) { .blk = 228, .used = 170 }));
	want_ok(bfo_file_reader_init(&r, &m.tree, &tables, 16384));
	bfo_file_reader_read(&r, 0);
	want_cost(&r.all, 1, 33, 1, 0);
	bfo_file_reader_read(&r, 1);
	want_eq(r.all.requests, 1);
	bfo_file_reader_read(&r, 2);
	want_cost(&r.all, 2, 33 + 28, 1, 0);
	bfo_file_reader_read(&r, 3);
	want_cost(&r.all, 3, 61 + 11, 2, 228 - 161);
	bfo_file_reader_read(&r, 4);
	want_cost(&r.all, 6, 72 + 3, 4, 67 + (239 - 40) + (500 - 42));
	want_cost(&r.data, 1, 1, 1, 0);
	bfo_file_reader_free(&r);
	bfo_tables_free(&tables);
	made_free(&m);
}
END_TEST

/* ---- walks ---- */

/*
 *   /        c (20, dir), a (30), b (25), again (20), bad (40)
 *   /c       z (22), y (30: second name), x (21)
 */
static void make_tree(struct made *m)
{
	made_init(m);
	made_inode(m, EXT2_ROOT_INO, S_IFDIR | 0755);
	made_seg(m, 50, 0, 1);
	made_inode(m, 20, S_IFDIR | 0755);
	made_seg(m, 51, 0, 2);
	made_file(m, 21, 300, 4);
	made_inode(m, 22, S_IFREG | 0644);
	made_seg(m, 200, 0, 2);
	made_seg(m, 210, 2, 2);
	made_inode(m, 25, S_IFLNK | 0777);
	made_file(m, 30, 100, 4);
	m->tree.inodes.v[m->tree.inodes.n - 1].links_read = 2;
	made_file(m, 40, 900, 4);
	m->tree.inodes.v[m->tree.inodes.n - 1].state = BFO_INODE_BAD;
	made_seal(m);
	made_name(m, EXT2_ROOT_INO, "c", 20);
	made_name(m, EXT2_ROOT_INO, "a", 30);
	made_name(m, EXT2_ROOT_INO, "b", 25);
	made_name(m, EXT2_ROOT_INO, "again", 20);
	made_name(m, EXT2_ROOT_INO, "bad", 40);
	made_name(m, 20, "z", 22);
	made_name(m, 20, "y", 30);
	made_name(m, 20, "x", 21);
}

/* Directories without an index are listed as their names stand, here in the order above. */
static void list_by_place(struct made *m, struct bfo_tables *tables)
{
	size_t i;

	m->target.has_dir_index = 0;
	want_ok(bfo_tables_add_dirs(tables, &m->tree));
	for (i = 0; i < m->tree.names.n; i++) {
		m->tree.names.v[i].hash = i / 3;
		m->tree.names.v[i].minor = i;
	}
	want_ok(bfo_names_resolve(&m->tree));
	bfo_names_list(&m->tree, &m->target);
}

static void want_walk(struct made *m, enum bfo_walk_order order, const uint32_t *inos, size_t n)
{
	bfo_rows out = { 0 };
	uint32_t root = 0;
	size_t i;

	want_ok(bfo_walk(&m->tree, &root, 1, order, &out));
	want_eq(out.n, n);
	for (i = 0; i < n; i++)
		want_eq(m->tree.inodes.v[out.v[i]].ino, inos[i]);
	bfo_vec_free(&out);
}

START_TEST(walks_in_three_orders)
{
	static const uint32_t readdir[] = { 2, 20, 22, 30, 21, 25 };
	static const uint32_t name[] = { 2, 30, 20, 21, 22, 25 };	/* a, again: 20 */
	static const bfo_row row[] = { 2, 20, 21, 22, 30, 25 };
	struct bfo_tables tables = { .group_inodes = 0 };
	struct made m;

	make_tree(&m);
	list_by_place(&m, &tables);
	want_walk(&m, BFO_WALK_NAME, name, 6);
	want_walk(&m, BFO_WALK_INODE, row, 6);
	want_eq(made_found(&m, BFO_FOUND_DIR_TWICE), 0);
	want(!(made_rec(&m, 21)->state & BFO_INODE_PLACED));
	want_walk(&m, BFO_WALK_READDIR, readdir, 6);
	want_eq(made_found(&m, BFO_FOUND_DIR_TWICE), 1);
	want(made_rec(&m, 21)->state & BFO_INODE_PLACED);
	want(made_rec(&m, 40)->state & BFO_INODE_MET);
	bfo_tables_free(&tables);
	made_free(&m);
}
END_TEST

/* Names with one hash come as they stand: the first, then the last to the second. */
START_TEST(lists_by_hash_where_a_kernel_does)
{
	struct bfo_listing l;
	struct made m;
	uint32_t i;

	made_init(&m);
	made_inode(&m, EXT2_ROOT_INO, S_IFDIR | 0755);
	made_seg(&m, 50, 0, 1);
	for (i = 0; i < 50; i++)
		made_file(&m, 20 + i, 0, 0);
	made_seal(&m);
	for (i = 0; i < 50; i++) {
		char name[8] = { 'a' + i / 10, '0' + i % 10 };

		made_name(&m, EXT2_ROOT_INO, name, 20 + i);
		m.tree.names.v[i].hash = 100 - i;
	}
	want_ok(bfo_names_resolve(&m.tree));
	bfo_names_list(&m.tree, &m.target);
	for (i = 1; i < 50; i++)
		want(m.tree.names.v[i].hash >= m.tree.names.v[i - 1].hash);
	want(m.tree.names.v[0].hash > 100);
	made_rec(&m, EXT2_ROOT_INO)->size = 8192;	/* two blocks, no index: as it stands */
	for (i = 0; i < 50; i++) {
		m.tree.names.v[i].hash = i < 10 ? 7 : 6;
		m.tree.names.v[i].minor = i < 3 ? 0 : 1 + i;
		m.tree.names.v[i].at = (m.tree.names.v[i].at & 0xffff) | (uint64_t) (50 - i) << 16;
	}
	bfo_names_list(&m.tree, &m.target);
	want_eq(m.tree.names.v[0].minor, 11);
	want_eq(m.tree.names.v[39].minor, 50);
	want_eq(m.tree.names.v[40].at >> 16, 48);	/* the three that tie, by their place */
	want_eq(m.tree.names.v[42].at >> 16, 50);
	l = bfo_listing_begin(&m.tree, made_rec(&m, EXT2_ROOT_INO));
	l.next = 40;
	want_eq(bfo_listing_next(&m.tree, &l), 40);
	want_eq(bfo_listing_next(&m.tree, &l), 42);
	want_eq(bfo_listing_next(&m.tree, &l), 41);
	want_eq(bfo_listing_next(&m.tree, &l), 43);
	made_free(&m);
}
END_TEST

/* ---- all of it ---- */

static void begin(struct made *m, struct bfo_tables *tables, struct bfo_layout *l)
{
	uint32_t root = 0;

	make_tree(m);
	*tables = (struct bfo_tables) { .group_inodes = 4096, .block_inodes = 16 };
	list_by_place(m, tables);
	want_ok(bfo_vec_push(&tables->groups, (struct bfo_table) { .blk = 10, .used = 64 }));
	*l = (struct bfo_layout) { .t = &m->tree, .tables = tables, .read_bytes = 131072 };
	want_ok(bfo_layout_measure(l, &root, 1));
}

static void end(struct made *m, struct bfo_tables *tables, struct bfo_layout *l)
{
	bfo_layout_free(l);
	bfo_tables_free(tables);
	made_free(m);
}

START_TEST(measures_a_volume)
{
	struct bfo_tables tables;
	struct bfo_layout l;
	struct made m;

	begin(&m, &tables, &l);
	want_eq(l.pieces.files, 3);
	want_eq(l.directories, 2);
	want_eq(l.others, 1);
	want_eq(l.pieces.contiguous, 2);
	want_eq(l.pieces.blocks, 12);
	want_eq(l.pieces.fragments.total, 4);
	want_eq(l.pieces.fragments.count[1], 1);
	want_eq(l.n_worst, 1);
	want_eq(m.tree.inodes.v[l.worst[0].row].ino, 22);
	want_eq(l.worst[0].fragments, 2);
	want_eq(l.worst[0].blocks, 4);
	want_eq(l.fill.room, 3 * 4096);
	want_eq(l.fill.used, 24 + 12 * 4 + 16 + 24 + 12 * 3);	/* "again" takes 16 */
	want_eq(l.inodes.things, 5);		/* 2 20 22 21 25; 30 has two names */
	want(is_near(l.inodes.ascending, 0.75));
	want(is_near(l.inodes.correlation, 0.9));
	want_eq(l.data.things, 2);		/* 21 at 300, 22 at 200 */
	want(l.data.ascending == 0 && l.data.correlation == -1);
	/* 22: 200-201, 210-211; 30: 100-103; 21: 300-303 */
	want_cost(&l.cost_data[BFO_WALK_READDIR], 4, 12, 4, 8 + 112 + 196);
	/* 30, 21, 22 */
	want_cost(&l.cost_data[BFO_WALK_NAME], 4, 12, 4, 196 + 104 + 8);
	/* 21, 22, 30 */
	want_cost(&l.cost_data[BFO_WALK_INODE], 4, 12, 4, 104 + 8 + 112);
	/* inode table 10-14, directory 50, 51 and 52, and the data */
	want_cost(&l.cost_all[BFO_WALK_READDIR], 8, 20, 6, 35 + 147 + 8 + 112 + 196);
	end(&m, &tables, &l);
}
END_TEST

START_TEST(measures_a_directory)
{
	struct bfo_layout_dir d;
	struct bfo_tables tables;
	struct bfo_layout l;
	struct made m;

	begin(&m, &tables, &l);
	want_ok(bfo_layout_measure_dir(&l, bfo_tree_find(&m.tree, 20), &d));
	want_eq(d.names, 3);
	want_eq(d.pieces.files, 2);
	want_eq(d.pieces.contiguous, 1);
	want_eq(d.pieces.fragments.total, 3);
	want_eq(d.fill.room, 8192);
	want_eq(d.fill.used, 24 + 36);
	want_eq(d.inodes.things, 2);
	want(d.inodes.ascending == 0 && d.data.ascending == 0);
	want_cost(&d.cost[BFO_WALK_READDIR], 3, 8, 3, 8 + 88);
	want_cost(&d.cost[BFO_WALK_INODE], 3, 8, 3, 104 + 8);
	want_cost(&d.cost[BFO_WALK_NAME], 3, 8, 3, 104 + 8);
	end(&m, &tables, &l);
}
END_TEST

/* More files in pieces than are kept: those in most, each once. */
START_TEST(keeps_the_worst)
{
	struct bfo_tables tables = { .group_inodes = 4096, .block_inodes = 16 };
	struct bfo_layout l;
	uint32_t i, k, root = 0;
	struct made m;

	made_init(&m);
	made_inode(&m, EXT2_ROOT_INO, S_IFDIR | 0755);
	for (i = 0; i < 40; i++) {
		made_inode(&m, 20 + i, S_IFREG | 0644);
		for (k = 0; k <= i * 7 % 40; k++)		/* 1 to 40 pieces */
			made_seg(&m, 1000 + i * 100 + 2 * k, k, 1);
	}
	made_seal(&m);
	for (i = 0; i < 40; i++) {
		char name[8] = { 'a' + i / 10, '0' + i % 10 };

		made_name(&m, EXT2_ROOT_INO, name, 20 + i);
	}
	list_by_place(&m, &tables);
	want_ok(bfo_vec_push(&tables.groups, (struct bfo_table) { .blk = 10, .used = 64 }));
	l = (struct bfo_layout) { .t = &m.tree, .tables = &tables, .read_bytes = 4096 };
	want_ok(bfo_layout_measure(&l, &root, 1));
	want_eq(l.n_worst, BFO_LAYOUT_WORST);
	for (i = 0; i < BFO_LAYOUT_WORST; i++)
		want_eq(l.worst[i].fragments, 40 - i);
	end(&m, &tables, &l);
}
END_TEST

/* ---- pictures ---- */

START_TEST(plots_points)
{
	struct bfo_plot *p = unit_alloc(sizeof(*p));
	uint32_t last = BFO_PLOT_SIDE - 1;
	struct bfo_tables tables;
	struct bfo_layout l;
	struct made m;

	begin(&m, &tables, &l);
	bfo_plot_inodes(&l, p);			/* 2 20 22 30 21 25 */
	want_eq(p->points, 6);
	want(p->x_min == 0 && p->x_max == 5 && p->y_min == 2 && p->y_max == 30);
	want_eq(p->cell[0][0], 1);
	want_eq(p->cell[last][(uint32_t) (3 / 5.0 * last + 0.5)], 1);
	want_eq(p->most, 1);
	bfo_plot_data(&l, p);			/* 22: 200, 30: 100, 21: 300 */
	want_eq(p->points, 3);
	want(p->x_min == 21 && p->x_max == 30 && p->y_min == 100 && p->y_max == 300);
	want_eq(p->cell[last][0], 1);
	want_eq(p->cell[0][last], 1);
	end(&m, &tables, &l);
	free(p);
}
END_TEST

/* 8200 blocks: 3 a cell. */
START_TEST(maps_blocks)
{
	struct bfo_block_map *map = unit_alloc(sizeof(*map));
	bfo_ranges unused = { 0 };
	struct bfo_tables tables;
	struct bfo_layout l;
	struct made m;

	begin(&m, &tables, &l);
	want_ok(bfo_ranges_append(&unused, 304, 7896));
	bfo_block_map(&l, &unused, 8200, map);
	want_eq(map->cell_blocks, 3);
	want_eq(map->cells, 2734);
	want_eq(map->cell[0][BFO_USE_OTHER], 3);
	want_eq(map->cell[16][BFO_USE_DIRECTORY], 1);		/* 50 */
	want_eq(map->cell[16][BFO_USE_OTHER], 2);
	want_eq(map->cell[17][BFO_USE_DIRECTORY], 2);		/* 51 and 52 */
	want_eq(map->cell[33][BFO_USE_CONTIGUOUS], 2);		/* 100 and 101 of 99 to 101 */
	want_eq(map->cell[70][BFO_USE_FRAGMENTED], 2);		/* 210 and 211 of 210 to 212 */
	want_eq(map->cell[101][BFO_USE_CONTIGUOUS], 1);		/* 303; 304 and 305 are free */
	want_eq(map->cell[101][BFO_USE_FREE], 2);
	want_eq(map->cell[2733][BFO_USE_FREE], 1);		/* 8199 */
	want_eq(map->cell[2733][BFO_USE_OTHER], 0);
	want_eq(map->cell[300][BFO_USE_OTHER], 0);		/* the damaged file is nobody's */
	bfo_vec_free(&unused);
	end(&m, &tables, &l);
	free(map);
}
END_TEST

Suite *layout_suite(void)
{
	Suite *s = suite_create("layout");

	unit_case(s, "compares_orders", compares_orders, 0);
	unit_case(s, "counts_by_powers_of_two", counts_by_powers_of_two, 0);
	unit_case(s, "costs_what_the_models_say", costs_what_the_models_say, 0);
	unit_case(s, "reads_files_as_a_kernel_does", reads_files_as_a_kernel_does, 0);
	unit_case(s, "reads_inodes_around", reads_inodes_around, 0);
	unit_case(s, "walks_in_three_orders", walks_in_three_orders, 0);
	unit_case(s, "lists_by_hash_where_a_kernel_does", lists_by_hash_where_a_kernel_does, 0);
	unit_case(s, "measures_a_volume", measures_a_volume, 0);
	unit_case(s, "measures_a_directory", measures_a_directory, 0);
	unit_case(s, "keeps_the_worst", keeps_the_worst, 0);
	unit_case(s, "plots_points", plots_points, 0);
	unit_case(s, "maps_blocks", maps_blocks, 0);
	return s;
}
