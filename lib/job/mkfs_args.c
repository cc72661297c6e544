// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkfs_args.c - the command line of mke2fs(8) for a target alike to the source
 *
 * The source's properties come first, the user's arguments last, where they prevail: -O lists add
 * up and of other options mke2fs takes the last.  Of -E it takes the last too, so those lists are
 * joined here.  The user's words are read as mke2fs would read them: one that belongs to no option
 * would be taken for the device.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/text.h"
#include "volume/gate.h"
#include "job/mkfs_args.h"
#include "job/mkfs_words.h"

#define FIRST_INODES 11		/* the filesystem's own, and lost+found */
#define SPARE 16		/* one inode in so many stays free, and so many more */
#define CLUSTER_BLOCKS 16	/* of a cluster, where mke2fs is told no size */
#define PLACE_BYTES 96		/* most that list_place() adds */

static void add(struct bfo_mkfs_args *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add(struct bfo_mkfs_args *a, const char *fmt, ...)
{
	va_list ap;

	if (a->n + 1 >= BFO_MKFS_ARGS_MAX) {
		a->failed = 1;
		return;
	}
	va_start(ap, fmt);
	if (vasprintf(&a->v[a->n], fmt, ap) < 0)
		a->failed = 1;
	else
		a->n++;
	va_end(ap);
}

void bfo_mkfs_args_free(struct bfo_mkfs_args *a)
{
	while (a->n)
		free(a->v[--a->n]);
}

static void add_features(const struct bfo_mkfs *m, struct bfo_mkfs_args *a)
{
	char list[1024];
	uint32_t mask[3];

	bfo_gate_target_features(&m->like, mask);
	add(a, "-O");
	if (bfo_gate_name_features(mask, ",", list, sizeof(list)))
		add(a, "none,%s", list);
	else
		add(a, "none");
}

static void add_behaviour(const struct ext2_super_block *sb, struct bfo_mkfs_args *a)
{
	static const char *const errors[] = { NULL, "continue", "remount-ro", "panic" };
	double reserved = 100.0 * ext2fs_r_blocks_count((struct ext2_super_block *) sb) /
			  ext2fs_blocks_count((struct ext2_super_block *) sb);

	add(a, "-m");
	add(a, "%.4f", reserved > 50 ? 50 : reserved);
	if (sb->s_errors >= 1 && sb->s_errors <= 3) {
		add(a, "-e");
		add(a, "%s", errors[sb->s_errors]);
	}
	if (sb->s_volume_name[0]) {
		add(a, "-L");
		add(a, "%.16s", sb->s_volume_name);
	}
}

/* How many groups keep their tables together. */
static void add_flex(const struct ext2_super_block *sb, struct bfo_mkfs_args *a)
{
	if (!sb->s_log_groups_per_flex || sb->s_log_groups_per_flex >= 31)
		return;
	add(a, "-G");
	add(a, "%u", 1U << sb->s_log_groups_per_flex);
}

/* A value of option C in bytes, or else DEFAULTS. */
static uint64_t asked_bytes(const struct bfo_mkfs *m, int c, uint64_t defaults)
{
	char asked[32];
	uint64_t bytes;

	return bfo_mkfs_words_last(m->words, c, asked, sizeof(asked)) &&
	       bfo_text_size(asked, &bytes) && bytes ? bytes : defaults;
}

/* Of a cluster: a group has no more inodes than clusters. */
static uint64_t cluster_bytes(const struct bfo_mkfs *m)
{
	uint64_t bytes = EXT2_CLUSTER_SIZE(&m->like);

	if (bfo_mkfs_words_name_feature(m->words, "bigalloc"))
		bytes = CLUSTER_BLOCKS * asked_bytes(m, 'b', EXT2_BLOCK_SIZE(&m->like));
	return asked_bytes(m, 'C', bytes);
}

/* As many inodes for SIZE bytes as the source has for its own. */
static uint64_t inode_share(const struct bfo_mkfs *m, uint64_t size)
{
	struct ext2_super_block sb = m->like;
	double bytes = (double) ext2fs_blocks_count(&sb) * EXT2_BLOCK_SIZE(&sb);
	double share = size / bytes * sb.s_inodes_count, most = size / cluster_bytes(m);

	return share < most ? share : most;
}

/* Inodes for a filesystem of SIZE bytes. */
static uint64_t inode_count(const struct bfo_mkfs *m, uint64_t size)
{
	const struct ext2_super_block *sb = &m->like;
	uint64_t need = m->inodes + m->inodes / SPARE + SPARE + EXT2_FIRST_INODE(sb), share;

	if (m->same_count)
		return sb->s_inodes_count;
	if (m->count)
		return m->count;
	if (m->is_counted)
		return m->inodes + FIRST_INODES + m->more.n + m->inodes / 100 * m->more.percent +
		       m->inodes % 100 * m->more.percent / 100;
	share = m->generous ? inode_share(m, size) : 0;
	if (share > need)
		need = share;
	return need < UINT32_MAX ? need : UINT32_MAX;
}

/* What the user's arguments come to. */
struct user_args {
	char extended[512 + PLACE_BYTES];	/* all of -E, joined to what was there */
	int counts_inodes;		/* -N, -i, -T: they say how many inodes */
	int chooses_type;		/* -t, -T: they say which features */
	/* so does -O of flex_bg, without which there must be no -G */
	int chooses_flex;
};

static int says_offset(const char *extended)
{
	const char *at = strstr(extended, "offset=");

	return at && (at == extended || at[-1] == ',');
}

/* Appends what stands in W to A, option by option; -E apart. */
static errcode_t add_option(const struct bfo_mkfs *m, const struct bfo_mkfs_words *w, int c,
			    struct bfo_mkfs_args *a, struct user_args *user)
{
	size_t used = strlen(user->extended);

	if (c == '?')
		return bfo_fail(m->ctx, BFO_ET_OPTION, "reading --mkfs=%s: -%c is no option, or "
				"lacks its value, or makes no filesystem", m->args, w->bad);
	user->counts_inodes |= c == 'N' || c == 'i' || c == 'T';
	user->chooses_type |= c == 't' || c == 'T';
	user->chooses_flex |= c == 'O' && (strstr(w->value, "flex_bg") || strstr(w->value, "none"));
	if (c != 'E') {
		add(a, "-%c", c);
		if (w->value)
			add(a, "%s", w->value);
		return 0;
	}
	used += snprintf(user->extended + used, sizeof(user->extended) - used, ",%s", w->value);
	if (used >= sizeof(user->extended) - PLACE_BYTES)
		return bfo_fail(m->ctx, BFO_ET_OPTION, "reading --mkfs=%s: -E is too long",
				m->args);
	if (says_offset(w->value))
		return bfo_fail(m->ctx, BFO_ET_OPTION, "reading --mkfs=%s: -E offset: name the "
				"partition instead, TARGET?partition=N", m->args);
	return 0;
}

static errcode_t add_user(const struct bfo_mkfs *m, struct bfo_mkfs_args *a, struct user_args *user)
{
	struct bfo_mkfs_words w = { .words = m->words };
	errcode_t err = 0;
	int c;

	if (m->args && !m->words)
		return bfo_fail(m->ctx, BFO_ET_OPTION, "reading --mkfs=%s", m->args);
	while (!err && (c = bfo_mkfs_words_next(&w)))
		err = add_option(m, &w, c, a, user);
	if (!err && w.operand)
		err = bfo_fail(m->ctx, BFO_ET_OPTION, "reading --mkfs=%s: '%s' belongs to no "
			       "option", m->args, w.operand);
	return err;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* What is taken over from the source; a block must not be smaller than a sector. */
static void add_source(const struct bfo_mkfs *m, struct bfo_mkfs_args *a)
{
	const struct ext2_super_block *sb = &m->like;

	add(a, "-b");
	add(a, "%u", larger(EXT2_BLOCK_SIZE(sb), m->sector));
	if (ext2fs_has_feature_bigalloc((struct ext2_super_block *) sb)) {
		add(a, "-C");
		add(a, "%u", larger(EXT2_CLUSTER_SIZE(sb), m->sector));
	}
	add(a, "-I");
	add(a, "%u", EXT2_INODE_SIZE(sb));
	add(a, "-U");
	add(a, "%s", m->uuid);
	add_behaviour(sb, a);
}

/* Which quota files: a list for -E. */
static void list_quotas(const struct ext2_super_block *sb, char *out)
{
	const struct { uint32_t ino; const char *name; } types[] = {
		{ sb->s_usr_quota_inum, "usrquota" }, { sb->s_grp_quota_inum, "grpquota" },
		{ sb->s_prj_quota_inum, "prjquota" },
	};
	const char *before = ",quotatype=";
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (!types[i].ino)
			continue;
		out += sprintf(out, "%s%s", before, types[i].name);
		before = ":";
	}
}

/* What features need to know: more for the list of -E. */
static void list_extended(struct ext2_super_block *sb, char *out)
{
	*out = 0;
	if (ext2fs_has_feature_mmp(sb) &&
	    sb->s_mmp_update_interval <= EXT4_MMP_MAX_UPDATE_INTERVAL)
		out += sprintf(out, ",mmp_update_interval=%u", sb->s_mmp_update_interval);
	if (ext2fs_has_feature_quota(sb))
		list_quotas(sb, out);
}

/* Where: the place's own words for -E come last, where they prevail. */
static void list_place(const struct bfo_mkfs_place *where, char *out)
{
	if (where->is_scratch)
		out += sprintf(out, ",lazy_itable_init=1,lazy_journal_init=1,nodiscard");
	if (where->is_part)
		out += sprintf(out, ",offset=%llu", (unsigned long long) where->offset);
}

/* In KiB, in whole pages, as mke2fs does of its own accord where a device ends. */
static uint64_t size_to_say(uint64_t size)
{
	uint64_t page = sysconf(_SC_PAGESIZE);

	return size / page * page >> 10;
}

/* The source's, or its UUID if it has none: mke2fs would draw another one each time. */
static const uint8_t *hash_seed(const struct ext2_super_block *sb)
{
	static const uint8_t none[sizeof(sb->s_hash_seed)];

	return memcmp(sb->s_hash_seed, none, sizeof(none)) ? (const uint8_t *) sb->s_hash_seed
							    : sb->s_uuid;
}

errcode_t bfo_mkfs_args_build(const struct bfo_mkfs *m, const struct bfo_mkfs_place *where,
			      struct bfo_mkfs_args *a)
{
	struct user_args user = { .extended = "hash_seed=" };
	struct bfo_mkfs_args said = { .n = 0 };
	errcode_t err;
	int i;

	bfo_text_uuid(hash_seed(&m->like), user.extended + strlen(user.extended));
	list_extended((struct ext2_super_block *) &m->like, user.extended + strlen(user.extended));
	err = add_user(m, &said, &user);
	list_place(where, user.extended + strlen(user.extended));
	add(a, "mke2fs");
	add(a, "-q");
	add(a, "-F");
	if (!user.chooses_type)
		add_features(m, a);
	add_source(m, a);
	if (!user.chooses_type && !user.chooses_flex)
		add_flex(&m->like, a);
	for (i = 0; i < said.n; i++)
		add(a, "%s", said.v[i]);
	if (!user.counts_inodes) {
		add(a, "-N");
		add(a, "%llu", (unsigned long long) inode_count(m, where->size));
	}
	add(a, "-E");
	add(a, "%s", user.extended);
	add(a, "--");
	add(a, "%s", where->path);
	if (where->is_part)
		add(a, "%lluk", (unsigned long long) size_to_say(where->size));
	a->failed |= said.failed;
	bfo_mkfs_args_free(&said);
	if (!err && a->failed)
		err = bfo_fail(m->ctx, ENOMEM, "building mke2fs's command line");
	return err;
}
