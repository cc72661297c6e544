// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkfs_args.c - the command line of mke2fs(8) for a target alike to the source
 *
 * The source's properties come first, the user's arguments last, where they prevail: -O lists add up
 * and of other options mke2fs takes the last.  Of -E it takes the last too, so those lists are joined
 * here.  The user's words are read as mke2fs would read them: one that belongs to no option would be
 * taken for the device.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>
#include <e2p/e2p.h>

#include "base/bfo_err.h"
#include "base/text.h"
#include "volume/gate.h"
#include "mkfs_args.h"

#define SPARE 16		/* one inode in so many stays free, and so many more */
#define PLACE_BYTES 96		/* most that list_place() adds */

static void add(struct mkfs_args *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct mkfs_args *a, const char *fmt, ...)
{
	va_list ap;

	if (a->n + 1 >= MKFS_ARGS_MAX) {
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

void mkfs_args_free(struct mkfs_args *a)
{
	while (a->n)
		free(a->v[--a->n]);
}

static void add_features(const struct mkfs *m, struct mkfs_args *a)
{
	char list[1024] = "none";
	uint32_t mask[3];
	size_t used = 4;
	int type, bit;

	bfo_gate_target_features(m->source, mask);
	for (type = 0; type < 3; type++)
		for (bit = 0; bit < 32; bit++)
			if (mask[type] & 1U << bit && used < sizeof(list))
				used += snprintf(list + used, sizeof(list) - used, ",%s",
						 e2p_feature2string(type, 1U << bit));
	add(a, "-O");
	add(a, "%s", list);
}

static void add_behaviour(const struct ext2_super_block *sb, struct mkfs_args *a)
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
static void add_flex(const struct ext2_super_block *sb, struct mkfs_args *a)
{
	if (!sb->s_log_groups_per_flex || sb->s_log_groups_per_flex >= 31)
		return;
	add(a, "-G");
	add(a, "%u", 1U << sb->s_log_groups_per_flex);
}

/* Inodes for a filesystem of SIZE bytes. */
static uint64_t inode_count(const struct mkfs *m, uint64_t size)
{
	const struct ext2_super_block *sb = m->source->fs->super;
	uint64_t need = m->inodes + m->inodes / SPARE + SPARE + EXT2_FIRST_INODE(sb), ratio;
	double bytes = (double) m->source->blocks * m->source->block_size;

	if (m->same_count)
		return sb->s_inodes_count;
	ratio = m->generous ? size / bytes * sb->s_inodes_count : 0;
	if (ratio > need)
		need = ratio;
	return need < UINT32_MAX ? need : UINT32_MAX;
}

/* The options of mke2fs(8) 1.47, without those that do not make a filesystem (-n, -S, -V, -z). */
static const char mke2fs_options[] = "b:cd:e:g:i:jl:m:o:qr:s:t:vC:DE:FG:I:J:KL:M:N:O:R:T:U:";

/* What the user's arguments come to. */
struct user_args {
	char extended[512 + PLACE_BYTES];	/* all of -E, joined to what was there */
	int counts_inodes;		/* -N, -i, -T: they say how many inodes */
	int chooses_type;		/* -t, -T: they say which features */
	int chooses_flex;		/* so does -O of flex_bg, without which there must be no -G */
};

static int says_offset(const char *extended)
{
	const char *at = strstr(extended, "offset=");

	return at && (at == extended || at[-1] == ',');
}

/* Appends the user's words to A, option by option; -E apart. */
static errcode_t add_words(const struct mkfs *m, const wordexp_t *words, struct mkfs_args *a,
			   struct user_args *user)
{
	char **argv = calloc(words->we_wordc + 2, sizeof(*argv));
	size_t used = strlen(user->extended);
	errcode_t err = 0;
	int c;

	if (!argv)
		return bfo_fail(m->ctx, ENOMEM, "reading the arguments of --mkfs");
	argv[0] = "mke2fs";
	memcpy(argv + 1, words->we_wordv, words->we_wordc * sizeof(*argv));
	opterr = 0;
	optind = 0;
	while (!err && (c = getopt(words->we_wordc + 1, argv, mke2fs_options)) != -1) {
		if (c == '?')
			err = bfo_fail(m->ctx, EINVAL, "reading --mkfs=%s: -%c is no option, or "
				       "lacks its value, or makes no filesystem", m->args, optopt);
		else if (c == 'E')
			used += snprintf(user->extended + used, sizeof(user->extended) - used,
					 ",%s", optarg);
		else
			add(a, "-%c", c);
		if (!err && c != 'E' && optarg)
			add(a, "%s", optarg);
		user->counts_inodes |= c == 'N' || c == 'i' || c == 'T';
		user->chooses_type |= c == 't' || c == 'T';
		user->chooses_flex |= c == 'O' && (strstr(optarg, "flex_bg") ||
						   strstr(optarg, "none"));
		if (!err && used >= sizeof(user->extended) - PLACE_BYTES)
			err = bfo_fail(m->ctx, E2BIG, "reading --mkfs=%s", m->args);
		if (!err && c == 'E' && says_offset(optarg))
			err = bfo_fail(m->ctx, EINVAL, "reading --mkfs=%s: -E offset: name the "
				       "partition instead, TARGET?partition=N", m->args);
	}
	if (!err && optind <= (int) words->we_wordc)
		err = bfo_fail(m->ctx, EINVAL, "reading --mkfs=%s: '%s' belongs to no option",
			       m->args, argv[optind]);
	free(argv);
	return err;
}

/* Hands the value of each option C in ARGS to TAKE (NULL: none); returns how many there are. */
static int each_option(const char *args, int c, void (*take)(void *priv, const char *value), void *priv)
{
	wordexp_t words = { .we_offs = 1 };
	int found = 0, opt;

	if (!args || wordexp(args, &words, WRDE_NOCMD | WRDE_UNDEF | WRDE_DOOFFS))
		return 0;		/* add_user() will say so */
	words.we_wordv[0] = "mke2fs";
	opterr = 0;
	optind = 0;
	while ((opt = getopt(words.we_wordc + 1, words.we_wordv, mke2fs_options)) != -1)
		if (opt == c) {
			found++;
			if (take)
				take(priv, optarg);
		}
	words.we_wordv[0] = NULL;
	wordfree(&words);
	return found;
}

int mkfs_args_have(const char *args, int c)
{
	return each_option(args, c, NULL, NULL) > 0;
}

struct value {
	char *text;
	size_t size;
};

static void keep_value(void *priv, const char *value)
{
	struct value *v = priv;

	snprintf(v->text, v->size, "%s", value);
}

int mkfs_args_last(const char *args, int c, char *out, size_t size)
{
	struct value v = { .text = out, .size = size };

	return each_option(args, c, keep_value, &v) > 0;
}

static errcode_t add_user(const struct mkfs *m, struct mkfs_args *a, struct user_args *user)
{
	wordexp_t words = { 0 };
	errcode_t err;

	if (!m->args)
		return 0;
	if (wordexp(m->args, &words, WRDE_NOCMD | WRDE_UNDEF))
		return bfo_fail(m->ctx, EINVAL, "reading --mkfs=%s", m->args);
	err = add_words(m, &words, a, user);
	wordfree(&words);
	return err;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* What is taken over from the source; a block must not be smaller than a sector. */
static void add_source(const struct mkfs *m, struct mkfs_args *a)
{
	const struct ext2_super_block *sb = m->source->fs->super;

	add(a, "-b");
	add(a, "%u", larger(m->source->block_size, m->sector));
	if (ext2fs_has_feature_bigalloc(m->source->fs->super)) {
		add(a, "-C");
		add(a, "%u", larger(EXT2_CLUSTER_SIZE(sb), m->sector));
	}
	add(a, "-I");
	add(a, "%u", m->source->inode_size);
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
static void list_place(const struct mkfs_place *where, char *out)
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

errcode_t mkfs_args_build(const struct mkfs *m, const struct mkfs_place *where, struct mkfs_args *a)
{
	struct user_args user = { .extended = "hash_seed=" };
	struct mkfs_args said = { .n = 0 };
	errcode_t err;
	int i;

	bfo_text_uuid(hash_seed(m->source->fs->super), user.extended + strlen(user.extended));
	list_extended(m->source->fs->super, user.extended + strlen(user.extended));
	err = add_user(m, &said, &user);
	list_place(where, user.extended + strlen(user.extended));
	add(a, "mke2fs");
	add(a, "-q");
	add(a, "-F");
	if (!user.chooses_type)
		add_features(m, a);
	add_source(m, a);
	if (!user.chooses_type && !user.chooses_flex)
		add_flex(m->source->fs->super, a);
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
	mkfs_args_free(&said);
	if (!err && a->failed)
		err = bfo_fail(m->ctx, ENOMEM, "building mke2fs's command line");
	return err;
}

/* What the options say of the journal. */
enum { DROPS_JOURNAL = 1, IS_JOURNALLED = 2 };

static void read_features(void *said, const char *features)
{
	if (strstr(features, "^has_journal") ||
	    (strstr(features, "none") && !strstr(features, "has_journal")))
		*(int *) said |= DROPS_JOURNAL;
}

static void read_type(void *said, const char *type)
{
	if (!strncmp(type, "ext3", 4) || !strncmp(type, "ext4", 4))
		*(int *) said |= IS_JOURNALLED;
}

/* With -T alone, it is an ext2. */
int mkfs_args_waive_journal(const char *args)
{
	int said = 0;

	each_option(args, 'O', read_features, &said);
	each_option(args, 't', read_type, &said);
	if (said & DROPS_JOURNAL)
		return 1;
	return (mkfs_args_have(args, 't') || mkfs_args_have(args, 'T')) && !(said & IS_JOURNALLED);
}
