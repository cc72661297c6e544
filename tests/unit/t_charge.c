// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_charge.c - plan/charge: who is charged for a raw inode, what, and when it does not add up
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ext2fs/ext2fs.h>

#include "plan/charge.h"
#include "tree/access.h"
#include "quotamade.h"

/* A plan with two records, for a target with 256-byte inodes and a quota file of each type. */
struct bed {
	struct bfo_context ctx;
	struct bfo_tree tree;
	struct bfo_target target;
	struct bfo_plan plan;
};

static void bed_make(struct bed *b)
{
	struct bfo_quota_file files[BFO_QUOTA_FILES] = { 0 };
	struct bfo_inode file = { .ino = 20, .mode = S_IFREG, .state = BFO_INODE_PLACED };
	struct bfo_inode kept = { .ino = 21, .mode = S_IFDIR, .state = BFO_INODE_PLACED |
				  BFO_INODE_KEEP | BFO_INODE_EXISTS };
	struct bfo_quota q = { .bgrace = 5 };
	int type;

	memset(b, 0, sizeof(*b));
	b->tree.block_size = b->target.block_size = 4096;
	b->target.inode_size = 256;
	b->target.cluster_blocks = 1;
	b->target.has_huge_file = 1;
	bfo_plan_init(&b->plan, &b->ctx, &b->tree, &b->target);
	want_ok(bfo_rank_init(&b->tree.rank, 32));
	bfo_rank_add(&b->tree.rank, 20);
	bfo_rank_add(&b->tree.rank, 21);
	bfo_rank_seal(&b->tree.rank);
	want_ok(bfo_vec_push(&b->tree.inodes, file));
	want_ok(bfo_vec_push(&b->tree.inodes, kept));
	want_ok(bfo_vec_push(&q.entries, (struct bfo_quota_entry) { .id = 3, .inodes = 2,
			     .space = 10000 }));
	for (type = 0; type < BFO_QUOTA_TYPES; type++) {
		files[type].ino = 3 + type;
		files[type].generation = 30 + type;
		want_ok(bfo_quota_build(&q, type, &files[type].data, &files[type].size));
	}
	want_ok(bfo_charges_load(&b->plan, files));
	bfo_quota_files_free(files);
	bfo_quota_free(&q);
}

static void bed_free(struct bed *b)
{
	bfo_plan_free(&b->plan);
	bfo_tree_free(&b->tree);
}

/* What IDs have after everything was added. */
static struct bfo_quota_entry entry_of(struct bed *b, enum bfo_quota_type type, uint32_t id)
{
	struct bfo_charge_file *f = &b->plan.charges->files[type];
	size_t i;

	want_ok(bfo_quota_apply(&f->quota, &f->what));
	bfo_quota_use_free(&f->what);
	for (i = 0; i < f->quota.entries.n; i++)
		if (f->quota.entries.v[i].id == id)
			return f->quota.entries.v[i];
	return (struct bfo_quota_entry) { .id = id };
}

static void raw_make(struct ext2_inode_large *raw)
{
	memset(raw, 0, sizeof(*raw));
	raw->i_uid = 0x1111;
	raw->osd2.linux2.l_i_uid_high = 0x2222;
	raw->i_gid = 0x3333;
	raw->osd2.linux2.l_i_gid_high = 0x4444;
	raw->i_extra_isize = 32;
	raw->i_projid = 0x55556666;
	raw->i_blocks = 8;
}

START_TEST(owners_and_blocks)
{
	struct ext2_inode_large raw[2];
	struct bed b;

	bed_make(&b);
	raw_make(raw);
	want_ok(bfo_charges_add(&b.plan, 0, raw));
	raw->osd2.linux2.l_i_blocks_hi = 1;		/* sectors in 48 bits */
	want_ok(bfo_charges_add(&b.plan, 0, raw));
	raw->i_flags = EXT4_HUGE_FILE_FL;		/* blocks */
	want_ok(bfo_charges_add(&b.plan, 0, raw));
	raw->i_extra_isize = 28;			/* no room for a project */
	want_ok(bfo_charges_add(&b.plan, 0, raw));
	want_eq(entry_of(&b, BFO_QUOTA_USER, 0x22221111).inodes, 4);
	want_eq(entry_of(&b, BFO_QUOTA_USER, 0x22221111).space, 8 * 512 +
		((1ULL << 32) + 8) * 512 + 2 * ((1ULL << 32) + 8) * 4096);
	want_eq(entry_of(&b, BFO_QUOTA_GROUP, 0x44443333).inodes, 4);
	want_eq(entry_of(&b, BFO_QUOTA_PROJECT, 0x55556666).inodes, 3);
	want_eq(entry_of(&b, BFO_QUOTA_PROJECT, 0).inodes, 1);
	b.target.has_huge_file = 0;
	want_ok(bfo_charges_add(&b.plan, 0, raw));
	want_eq(entry_of(&b, BFO_QUOTA_PROJECT, 0).space, ((1ULL << 32) + 8) * 4096 + 8 * 512);
	bed_free(&b);
}
END_TEST

/* What follows an inode of 128 bytes is another inode. */
START_TEST(small_inodes_have_no_project)
{
	struct ext2_inode_large whole, *raw;
	struct bfo_quota_use *who;
	struct bed b;
	size_t i;

	bed_make(&b);
	raw_make(&whole);
	raw = unit_alloc(256);
	memcpy(raw, &whole, sizeof(whole));
	who = &b.plan.charges->files[BFO_QUOTA_PROJECT].who;
	want_ok(bfo_charges_note(&b.plan, 20, raw, 128));
	want_eq(who->charges.n, 1);
	want_eq(who->charges.v[0].id, 0);
	want_ok(bfo_charges_note(&b.plan, 20, raw, 256));
	want_eq(who->charges.n, 2);
	want_eq(who->charges.v[1].id, 0x55556666);
	want_ok(bfo_charges_note(&b.plan, 21, raw, 256));	/* keeps the target's owner */
	want_ok(bfo_charges_note(&b.plan, 22, raw, 256));	/* is not copied */
	for (i = 0; i < who->charges.n; i++)
		want_eq(who->charges.v[i].inodes, 1);
	free(raw);
	bed_free(&b);
}
END_TEST

START_TEST(gives_back)
{
	struct ext2_inode_large raw;
	struct bed b;

	bed_make(&b);
	memset(&raw, 0, sizeof(raw));
	raw.i_uid = 3;
	raw.i_blocks = 16;
	bfo_charges_give_back(&b.plan, 1, &raw);
	want_eq(entry_of(&b, BFO_QUOTA_USER, 3).inodes, 1);
	want_eq(entry_of(&b, BFO_QUOTA_USER, 3).space, 10000 - 8192);
	want_eq(entry_of(&b, BFO_QUOTA_GROUP, 3).inodes, 2);
	bfo_charges_give_back(&b.plan, 1, &raw);		/* never below nothing */
	want_eq(entry_of(&b, BFO_QUOTA_USER, 3).inodes, 0);
	want_eq(entry_of(&b, BFO_QUOTA_USER, 3).space, 0);
	bed_free(&b);
}
END_TEST

/* The record, the zeroes behind the content, and content for which there is no room. */
START_TEST(builds_what_was_sized)
{
	struct ext2_inode_large raw;
	struct bfo_charge_file *f;
	struct bfo_inode *rec;
	struct bed b;
	uint8_t *data;
	uint32_t id;
	size_t i;

	bed_make(&b);
	raw_make(&raw);
	want_ok(bfo_charges_note(&b.plan, 20, &raw, 256));
	want_ok(bfo_charges_size(&b.plan));
	f = &b.plan.charges->files[BFO_QUOTA_GROUP];
	rec = &b.tree.inodes.v[f->row];
	want(bfo_inode_is_renewed(rec));
	want_eq(rec->new_ino, 4);
	want_eq(rec->generation, 31);
	want_eq(rec->size, 9 * BLOCK);		/* header, root, 2 * 3 levels, data */
	want_eq(bfo_seg_of(&b.tree, rec, 0)->len, 3);
	want_ok(bfo_charges_build(&b.plan, f, (void **) &data));	/* nobody was charged */
	want_eq(quota_get(data + 20, 4), 6);
	for (i = 6 * BLOCK; i < 12 * BLOCK; i++)
		want_eq(data[i], 0);
	free(data);
	for (id = 0; id < 5; id++) {
		raw.osd2.linux2.l_i_gid_high = id;
		want_ok(bfo_charges_add(&b.plan, 0, &raw));
	}
	want_err(bfo_charges_build(&b.plan, f, (void **) &data), BFO_ET_UNHEALTHY);
	want(!data);
	bed_free(&b);
}
END_TEST

Suite *charge_suite(void)
{
	Suite *s = suite_create("charge");

	unit_case(s, "owners_and_blocks", owners_and_blocks, 0);
	unit_case(s, "small_inodes_have_no_project", small_inodes_have_no_project, 0);
	unit_case(s, "gives_back", gives_back, 0);
	unit_case(s, "builds_what_was_sized", builds_what_was_sized, 0);
	return s;
}
