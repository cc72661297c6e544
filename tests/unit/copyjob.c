// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copyjob.c - a real copy, from images to images, step by step
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "copyjob.h"
#include "volume/open.h"

#define FILES 300
#define NOW 1000000000

static const char text[] = "/here\0copy\0source\0target";

/* ---- commands ---- */

static int run(const char *format, const char *a, const char *b)
{
	char command[2048] = "PATH=\"$PATH:/usr/sbin:/sbin\"; ";
	size_t used = strlen(command);
	int status;

	want((size_t) snprintf(command + used, sizeof(command) - used, format, a, b) <
	     sizeof(command) - used);
	status = system(command);
	if (!WIFEXITED(status))
		ck_abort_msg("failed: %s", command);
	return WEXITSTATUS(status);
}

void copyjob_shell(const char *format, const char *a, const char *b)
{
	if (run(format, a, b))
		ck_abort_msg("failed: %s, %s, %s", format, a, b);
}

int copyjob_try(const char *format, const char *name)
{
	char *path = unit_path(name);
	int status = run(format, path, path);

	free(path);
	return status;
}

int copyjob_fsck(const char *name, const char *how)
{
	char format[64];

	snprintf(format, sizeof(format), "e2fsck %s '%%s' > /dev/null 2>&1", how);
	return copyjob_try(format, name);
}

/*
 * debugfs exits 0 whatever happens, so it must have said nothing (copyjob.h); diff must have
 * compared.
 */
int copyjob_holds(const char *name, const char *tree)
{
	char format[1024], *from = unit_path(tree);
	int differs, status;

	want_eq(copyjob_try("rm -rf '%s.out'; mkdir '%s.out'", name), 0);
	want_eq(copyjob_try(COPYJOB_DUMP, name), 0);
	snprintf(format, sizeof(format), "diff -r --no-dereference '%s' '%%s.out' > '%%s.diff'",
		 from);
	status = copyjob_try(format, name);
	want(status == 0 || status == 1);
	differs = !copyjob_try("grep -vq '^Only in %s.out' '%s.diff'", name);
	free(from);
	return !differs;
}

uint8_t *copyjob_read(const char *name, size_t *size)
{
	char *path = unit_path(name);
	FILE *f = fopen(path, "r");
	struct stat st;
	uint8_t *data;

	want(f && !fstat(fileno(f), &st));
	*size = st.st_size;
	data = unit_alloc(*size);
	want(fread(data, 1, *size, f) == *size);
	fclose(f);
	free(path);
	return data;
}

/* ---- trees ---- */

static void write_file(const char *dir, const char *name, uint64_t size, struct chance *c)
{
	void *data = unit_alloc(size);
	char path[1024];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	want(f);
	chance_fill(c, data, size);
	want(fwrite(data, 1, size, f) == size);
	want(!fclose(f));
	free(data);
}

/* Every other block is a hole: extents that need a tree. */
static void make_holes(const char *dir, struct chance *c)
{
	uint8_t block[4096];
	char path[1024];
	int i;
	FILE *f;

	snprintf(path, sizeof(path), "%s/d2/holes", dir);
	f = fopen(path, "w");
	want(f);
	for (i = 0; i < 400; i++) {
		chance_fill(c, block, sizeof(block));
		want(!fseek(f, 2L * i * sizeof(block), SEEK_SET));
		want(fwrite(block, 1, sizeof(block), f) == sizeof(block));
	}
	want(!fclose(f));
}

/* Files of many sizes in directories, one bigger than a buffer of the pipe, links of both kinds. */
static void make_large_tree(const char *dir)
{
	char name[64], path[1024], link_text[200];
	struct chance c;
	int i;

	chance_init(&c, 900);
	copyjob_shell("mkdir -p '%s/d0' '%s/d1/deep'", dir, dir);
	copyjob_shell("mkdir -p '%s/d2' '%s/empty'", dir, dir);
	for (i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "%s/a file with a long name, number %d",
			 i % 4 == 3 ? "d1/deep" : i % 4 == 2 ? "d2" : i % 4 ? "d1" : "d0", i);
		write_file(dir, name, i % 10 ? chance_below(&c, 60000) : chance_below(&c, 400000),
			   &c);
	}
	write_file(dir, "d0/big", 11 * MIB + 123, &c);
	write_file(dir, "none", 0, &c);
	make_holes(dir, &c);
	copyjob_shell("truncate -s 3M '%s/d0/sparse' && echo end >> '%s/d0/sparse'", dir, dir);
	copyjob_shell("ln '%s/d0/big' '%s/d2/linked'", dir, dir);
	memset(link_text, 'x', sizeof(link_text) - 1);
	link_text[sizeof(link_text) - 1] = 0;
	snprintf(path, sizeof(path), "%s/long", dir);
	want(!symlink(link_text, path));
}


static void make_small_tree(const char *dir)
{
	struct chance c;
	char name[32];
	int i;

	chance_init(&c, 902);
	copyjob_shell("mkdir -p '%s/d1/deep' '%s/fresh'", dir, dir);
	for (i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "%s/file %d", i % 2 ? "d1/deep" : "fresh", i);
		write_file(dir, name, chance_below(&c, 9000), &c);
	}
}

/* What the busy targets hold. */
static void make_other_tree(const char *dir)
{
	struct chance c;

	chance_init(&c, 901);
	copyjob_shell("mkdir -p '%s/d1/deep' '%s/theirs.d'", dir, dir);
	write_file(dir, "d1/deep/other", 70000, &c);
	write_file(dir, "theirs", 2500, &c);
}

/* ---- images ---- */

/* SHAPE: words for mke2fs, which counts no quota of what it copies: e2fsck does. */
static const struct {
	const char *name, *shape;
	int busy;
} targets[TARGET_KINDS] = {
	[TARGET_EMPTY] = { "target.empty", "-t ext4 -b 4096", 0 },
	[TARGET_BUSY] = { "target.busy", "-t ext4 -b 4096", 1 },
	[TARGET_QUOTA] = { "target.quota", "-t ext4 -b 4096 -O quota,project", 1 },
	[TARGET_EXT3] = { "target.ext3", "-t ext3 -b 1024", 1 },
	[TARGET_BIGALLOC] = { "target.bigalloc", "-t ext4 -b 4096 -O bigalloc -C 16384", 1 },
	[TARGET_PLAIN_EMPTY] = { "target.plain0", "-t ext4 -b 4096 -O ^has_journal", 0 },
	[TARGET_PLAIN] = { "target.plain1", "-t ext4 -b 4096 -O ^has_journal", 1 },
	[TARGET_EXT2] = { "target.ext2", "-t ext2 -b 4096", 1 },
};

static const char *const sources[SOURCE_KINDS] = {
	[SOURCE_LARGE] = "source.large", [SOURCE_SMALL] = "source.small",
};

const char *copyjob_image(enum copyjob_target kind)
{
	return targets[kind].name;
}

static void make_image(const char *image, const char *dir, const char *shape, int number)
{
	char *path = unit_path(image), *from = unit_path(dir), format[600];

	snprintf(format, sizeof(format), "mke2fs -q -F %s -N 2048 "
		 "-U 7ea56b7b-33c6-4cd3-9f4d-c3a4b4b3a0%02d -E lazy_itable_init=1,"
		 "hash_seed=7ea56b7b-33c6-4cd3-9f4d-c3a4b4b3a0%02d -d '%%s' '%%s' 64M "
		 "> /dev/null 2>&1", shape, number, number);
	copyjob_shell(format, from, path);
	copyjob_shell("e2fsck -fy '%s' > /dev/null 2>&1 %s || [ $? = 1 ]", path, "");
	free(path);
	free(from);
}

static void debugfs(const char *image, const char *request)
{
	char *path = unit_path(image), command[1024];

	snprintf(command, sizeof(command), "debugfs -w -R '%s' '%%s' > /dev/null 2>&1 %%s",
		 request);
	copyjob_shell(command, path, "");
	free(path);
}

/* What mke2fs -d does not make: an attribute block, unwritten blocks. */
static void add_by_hand(const char *image)
{
	char request[600], *value = unit_path("tree.other/theirs");

	snprintf(request, sizeof(request), "ea_set -f \"%s\" none user.big", value);
	debugfs(image, request);
	debugfs(image, "fallocate none 3 900");
	debugfs(image, "fallocate /d0/big 5000 5003");
	free(value);
}

static void make_trees(void)
{
	char *large = unit_path("tree.large"), *small = unit_path("tree.small");
	char *other = unit_path("tree.other"), *none = unit_path("tree.none");

	copyjob_shell("mkdir -p '%s' '%s'", large, none);
	make_large_tree(large);
	make_small_tree(small);
	make_other_tree(other);
	free(large);
	free(small);
	free(other);
	free(none);
}

static void make_images(void)
{
	char *last = unit_path("made");
	int i;

	if (access(last, F_OK)) {
		make_trees();
		make_image(sources[SOURCE_LARGE], "tree.large", "-t ext4 -b 4096", 1);
		make_image(sources[SOURCE_SMALL], "tree.small", "-t ext4 -b 4096", 2);
		add_by_hand(sources[SOURCE_LARGE]);
		for (i = 0; i < TARGET_KINDS; i++)
			make_image(targets[i].name, targets[i].busy ? "tree.other" : "tree.none",
				   targets[i].shape, 10 + i);
		copyjob_shell("> '%s' %s", last, "");
	}
	free(last);
}

/* ---- the copy ---- */

void copyjob_open_image(struct copyjob *j, enum copyjob_source source, const char *image,
			int atomic, const char *copy)
{
	char *from, *before, *to;

	memset(j, 0, sizeof(*j));
	make_images();
	from = unit_path(sources[source]);
	before = unit_path(image);
	to = unit_path(copy);
	copyjob_shell("cp --sparse=always '%s' '%s'", before, to);
	j->job.ctx = &j->ctx;
	j->job.config = (struct bfo_job_config) { .memory = 64 * MIB, .text = text,
		.text_bytes = sizeof(text) };
	j->job.is_atomic = atomic;
	want_ok(bfo_volume_open(&j->ctx, from, BFO_OPEN_SOURCE, io_log_manager, &j->job.source));
	want_ok(bfo_volume_open(&j->ctx, to, BFO_OPEN_TARGET, io_log_manager, &j->job.target));
	j->source_name = io_log_name(from);
	j->target_name = io_log_name(to);
	free(from);
	free(before);
	free(to);
}

void copyjob_open(struct copyjob *j, enum copyjob_source source, enum copyjob_target kind,
		  const char *copy)
{
	copyjob_open_image(j, source, targets[kind].name, copyjob_is_atomic(kind), copy);
}

void copyjob_plan(struct copyjob *j)
{
	static const char *const from[] = { "/" };
	const bfo_findings *found = &j->job.tree.findings;
	size_t i;

	j->job.config.from = from;
	j->job.config.n_from = 1;
	j->job.config.to = "/";
	j->job.config.now = NOW;
	j->job.config.losses = UINT64_MAX;	/* what ext2 cannot hold */
	want_ok(bfo_job_gather(&j->job));
	want_ok(bfo_job_decide(&j->job, j->job.target));
	want_ok(bfo_job_place(&j->job, j->job.target));
	for (i = 0; i < found->n; i++)
		want(bfo_finding_table[found->v[i].kind].is_loss);
}

errcode_t copyjob_commit(struct copyjob *j)
{
	return bfo_job_commit(&j->job);
}

void copyjob_close(struct copyjob *j)
{
	bfo_job_close(&j->job);
}
