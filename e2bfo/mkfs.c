// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkfs.c - formatting a target alike to the source, with mke2fs(8)
 *
 * The source's properties come first on mke2fs's command line, the user's arguments last, where
 * they prevail: -O lists add up and of other options mke2fs takes the last.  Of -E it takes the
 * last too, so those lists are joined here.  The user's words are read as mke2fs would read them:
 * one that belongs to no option would be taken for the device.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>
#include <linux/fs.h>
#include <e2p/e2p.h>

#include "base/bfo_err.h"
#include "volume/gate.h"
#include "volume/probe.h"
#include "mkfs.h"

#define MAX_ARGS 128
#define SPARE 16		/* one inode in so many stays free, and so many more */

/* A command line under construction; the strings are its own. */
struct args {
	char *v[MAX_ARGS];
	int n;
	int failed;
};

static void add(struct args *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct args *a, const char *fmt, ...)
{
	va_list ap;

	if (a->n + 1 >= MAX_ARGS) {
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

static void args_free(struct args *a)
{
	while (a->n)
		free(a->v[--a->n]);
}

static void uuid_text(const void *uuid, char *out)
{
	const uint8_t *u = uuid;
	int i, at = 0;

	for (i = 0; i < 16; i++)
		at += sprintf(out + at, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			      u[i]);
}

errcode_t mkfs_init(struct mkfs *m, struct bfo_context *ctx, const struct bfo_volume *source,
		    const char *args, int64_t now)
{
	uint8_t u[16];

	memset(m, 0, sizeof(*m));
	m->ctx = ctx;
	m->source = source;
	m->args = args;
	if (getrandom(u, sizeof(u), 0) != sizeof(u))
		return bfo_fail(ctx, errno, "drawing a UUID");
	u[6] = (u[6] & 0x0f) | 0x40;
	u[8] = (u[8] & 0x3f) | 0x80;
	uuid_text(u, m->uuid);
	snprintf(m->now, sizeof(m->now), "%lld", (long long) now);
	return 0;
}

void mkfs_keep_uuid(struct mkfs *m)
{
	uuid_text(m->source->fs->super->s_uuid, m->uuid);
}

static void add_features(const struct mkfs *m, struct args *a)
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

static void add_behaviour(const struct ext2_super_block *sb, struct args *a)
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
static void add_flex(const struct ext2_super_block *sb, struct args *a)
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
	char extended[512];		/* all of -E, joined to what was there */
	int counts_inodes;		/* -N, -i, -T: they say how many inodes */
	int chooses_type;		/* -t, -T: they say which features */
	int chooses_flex;		/* so does -O of flex_bg, without which there must be no -G */
};

/* Appends the user's words to A, option by option; -E apart. */
static errcode_t add_words(const struct mkfs *m, const wordexp_t *words, struct args *a,
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
		if (!err && used >= sizeof(user->extended))
			err = bfo_fail(m->ctx, E2BIG, "reading --mkfs=%s", m->args);
	}
	if (!err && optind <= (int) words->we_wordc)
		err = bfo_fail(m->ctx, EINVAL, "reading --mkfs=%s: '%s' belongs to no option",
			       m->args, argv[optind]);
	free(argv);
	return err;
}

/* Is there an option C in ARGS, with a value that IS says yes to (NULL: any)? */
static int have_option(const char *args, int c, int (*is)(const char *value))
{
	wordexp_t words = { .we_offs = 1 };
	int found = 0, opt;

	if (wordexp(args, &words, WRDE_NOCMD | WRDE_UNDEF | WRDE_DOOFFS))
		return 0;		/* add_user() will say so */
	words.we_wordv[0] = "mke2fs";
	opterr = 0;
	optind = 0;
	while ((opt = getopt(words.we_wordc + 1, words.we_wordv, mke2fs_options)) != -1)
		found |= opt == c && (!is || is(optarg));
	words.we_wordv[0] = NULL;
	wordfree(&words);
	return found;
}

int mkfs_args_have(const char *args, int c)
{
	return have_option(args, c, NULL);
}

static errcode_t add_user(const struct mkfs *m, struct args *a, struct user_args *user)
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

/* What is taken over from the source. */
static void add_source(const struct mkfs *m, struct args *a)
{
	const struct ext2_super_block *sb = m->source->fs->super;

	add(a, "-b");
	add(a, "%u", m->source->block_size);
	if (ext2fs_has_feature_bigalloc(m->source->fs->super)) {
		add(a, "-C");
		add(a, "%llu", (unsigned long long) EXT2_CLUSTER_SIZE(sb));
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

/* The command line for SIZE bytes. */
static errcode_t build(const struct mkfs *m, uint64_t size, int scratch, struct args *a)
{
	struct user_args user = { .extended = "hash_seed=" };
	struct args said = { .n = 0 };
	errcode_t err;
	int i;

	uuid_text(m->source->fs->super->s_hash_seed, user.extended + strlen(user.extended));
	list_extended(m->source->fs->super, user.extended + strlen(user.extended));
	if (scratch)
		strcat(user.extended, ",lazy_itable_init=1,lazy_journal_init=1,nodiscard");
	err = add_user(m, &said, &user);
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
		add(a, "%llu", (unsigned long long) inode_count(m, size));
	}
	add(a, "-E");
	add(a, "%s", user.extended);
	a->failed |= said.failed;
	args_free(&said);
	if (!err && a->failed)
		err = bfo_fail(m->ctx, ENOMEM, "building mke2fs's command line");
	return err;
}

/* In the child: never returns. */
static void become(const struct mkfs *m, struct args *a)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s:/usr/sbin:/sbin", getenv("PATH") ? getenv("PATH") : "");
	if (setenv("PATH", path, 1) || setenv("E2FSPROGS_FAKE_TIME", m->now, 1))
		_exit(127);		/* for want of memory */
	signal(SIGINT, SIG_IGN);	/* of a terminal: the parent decides, afterwards */
	dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
	if (m->silent)
		dup2(STDOUT_FILENO, STDERR_FILENO);
	a->v[a->n] = NULL;
	execvp("mke2fs", a->v);
	fprintf(stderr, "e2bfo: mke2fs: %s\n", strerror(errno));
	_exit(127);
}

static errcode_t spawn(const struct mkfs *m, struct args *a, const char *what)
{
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	if (!pid)
		become(m, a);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return bfo_fail(m->ctx, errno, "running mke2fs on %s", what);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return bfo_fail(m->ctx, BFO_ET_MKFS, "formatting %s", what);
	if (bfo_cancelled(m->ctx))
		return bfo_fail(m->ctx, BFO_ET_CANCELLED, "formatting %s", what);
	return 0;
}

errcode_t mkfs_size_of(struct bfo_context *ctx, const char *path, uint64_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		err = errno;
	else if (!S_ISBLK(st.st_mode))
		*size = st.st_size;
	else if (ioctl(fd, BLKGETSIZE64, size))
		err = errno;
	if (fd >= 0)
		close(fd);
	return err ? bfo_fail(ctx, err, "looking at %s", path) : 0;
}

errcode_t mkfs_run(const struct mkfs *m, const char *path, int scratch)
{
	struct args a = { .n = 0 };
	uint64_t size;
	errcode_t err;

	err = mkfs_size_of(m->ctx, path, &size);
	if (!err)
		err = build(m, size, scratch, &a);
	if (!err) {
		add(&a, "%s", path);
		err = spawn(m, &a, scratch ? "a scratch file like the target" : path);
	}
	args_free(&a);
	return err;
}

static int drops_journal(const char *features)
{
	return strstr(features, "^has_journal") ||
	       (strstr(features, "none") && !strstr(features, "has_journal"));
}

static int is_journalled(const char *type)
{
	return !strncmp(type, "ext3", 4) || !strncmp(type, "ext4", 4);
}

/* Do the user's arguments say that there need not be a journal? With -T alone, it is an ext2. */
static int waives_journal(const char *args)
{
	if (have_option(args, 'O', drops_journal))
		return 1;
	return (mkfs_args_have(args, 't') || mkfs_args_have(args, 'T')) &&
	       !have_option(args, 't', is_journalled);
}

/* mke2fs leaves the journal out, with a mere warning, if there is little room. */
static int has_lost_journal(const struct mkfs *m, struct ext2_super_block *sb)
{
	return ext2fs_has_feature_journal(m->source->fs->super) &&
	       !ext2fs_has_feature_journal(sb) &&
	       !(m->args && waives_journal(m->args));
}

errcode_t mkfs_open(const struct mkfs *m, const char *path, int how, struct bfo_volume **vol)
{
	const struct ext2_super_block *from = m->source->fs->super;
	const uint32_t hash_flags = EXT2_FLAGS_SIGNED_HASH | EXT2_FLAGS_UNSIGNED_HASH;
	struct ext2_super_block *sb;
	errcode_t err;

	err = bfo_volume_open(m->ctx, path, how | BFO_OPEN_TARGET, NULL, vol);
	if (err)
		return err;
	sb = (*vol)->fs->super;
	if (has_lost_journal(m, sb)) {
		bfo_volume_close(*vol);
		*vol = NULL;
		return bfo_fail(m->ctx, BFO_ET_TOO_SMALL, "formatting the target: no room for a "
				"journal, which the source has (--mkfs='-O ^has_journal' does "
				"without)");
	}
	if (from->s_def_hash_version <= EXT2_HASH_TEA)
		sb->s_def_hash_version = from->s_def_hash_version;
	sb->s_flags = (sb->s_flags & ~hash_flags) | (from->s_flags & hash_flags);
	sb->s_default_mount_opts = from->s_default_mount_opts;
	memcpy(sb->s_mount_opts, from->s_mount_opts, sizeof(sb->s_mount_opts));
	return 0;
}

errcode_t mkfs_scratch(const struct mkfs *m, uint64_t size, struct bfo_volume **vol)
{
	const char *tmp = getenv("TMPDIR");
	char path[PATH_MAX];
	errcode_t err = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/e2bfo-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return bfo_fail(m->ctx, errno, "making a scratch file %s", path);
	if (ftruncate(fd, size))
		err = bfo_fail(m->ctx, errno, "making a scratch file %s of %llu bytes", path,
			       (unsigned long long) size);
	close(fd);
	if (!err)
		err = mkfs_run(m, path, 1);
	if (!err)
		err = mkfs_open(m, path, BFO_OPEN_SCRATCH, vol);
	unlink(path);
	return err;
}

errcode_t mkfs_check_empty(struct bfo_context *ctx, const char *path)
{
	struct bfo_probe p;
	errcode_t err = bfo_probe_read(ctx, path, 0, 0, &p);

	if (!err && *p.text)
		err = bfo_fail(ctx, EEXIST, "formatting %s: it holds %s (--force formats it all the "
			       "same)", path, p.text);
	return err;
}

errcode_t mkfs_create(struct bfo_context *ctx, const char *path, uint64_t size, char **made)
{
	mode_t mask = umask(0);
	int fd, err;

	umask(mask);
	if (asprintf(made, "%s.XXXXXX", path) < 0) {
		*made = NULL;
		return bfo_fail(ctx, ENOMEM, "making image file %s", path);
	}
	fd = mkostemp(*made, O_CLOEXEC);
	err = fd < 0 || fchmod(fd, 0666 & ~mask) || ftruncate(fd, size) ? errno : 0;
	if (fd >= 0)
		close(fd);
	if (!err)
		return 0;
	if (fd >= 0)
		unlink(*made);
	return bfo_fail(ctx, err, "making image file %s of %llu bytes", path,
			(unsigned long long) size);
}

errcode_t mkfs_publish(struct bfo_context *ctx, const char *made, const char *path, int force)
{
	if (force ? rename(made, path) : link(made, path))
		return bfo_fail(ctx, errno, "giving image file %s its name%s", path,
				errno == EEXIST ? " (--force replaces it)" : "");
	if (!force)
		unlink(made);
	return 0;
}
