// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_batch_model.c - random operations of a batch, and the same on a folder of this machine
 *
 * What the image holds in the end, as debugfs dumps it, is what the folder holds; e2fsck finds
 * nothing after every commit.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "copyjob.h"
#include "job/batch_write.h"
#include "job/pack.h"

#define OPERATIONS 160
#define PACKED_OPERATIONS 1500		/* E2BFO_MODEL_OPERATIONS may say more */
#define PATH_BYTES 700
#define NOW 1600000000

static const struct {
	const char *name, *options;
	int is_not_atomic;
} kinds[] = {
	{ "ext4", "-t ext4 -b 4096 -O ^orphan_file", 0 },
	{ "small", "-t ext4 -b 1024 -O ^orphan_file", 0 },
	{ "ext3", "-t ext3 -b 1024", 0 },
	{ "inline", "-t ext4 -b 4096 -O inline_data,^orphan_file", 0 },
	{ "bigalloc", "-t ext4 -b 4096 -C 16384 -O bigalloc,^orphan_file", 0 },
	{ "quota", "-t ext4 -b 4096 -O quota,^orphan_file", 0 },
	{ "ext2", "-t ext2 -b 1024", 1 },
};

#define KINDS ((int) (sizeof(kinds) / sizeof(*kinds)))

struct thing {
	char path[PATH_BYTES];	/* from "/" on */
	char kind;		/* 'd', 'f', 'l' */
};

struct model {
	struct bfo_context ctx;
	struct bfo_batch *b;
	struct chance c;
	char *folder;
	BFO_VEC(struct thing) things;
	unsigned int made;
};

/* The same path in the folder. */
static const char *real(const struct model *m, const char *path, char out[2 * PATH_BYTES])
{
	snprintf(out, 2 * PATH_BYTES, "%s%s", m->folder, path);
	return out;
}

static void note(struct model *m, const char *path, char kind)
{
	struct thing t = { .kind = kind };

	snprintf(t.path, sizeof(t.path), "%s", path);
	want_ok(bfo_vec_push(&m->things, t));
}

/* A random thing of a KIND among KINDS, or NULL. */
static struct thing *pick(struct model *m, const char *of)
{
	size_t i, at = m->things.n ? chance_below(&m->c, m->things.n) : 0;

	for (i = 0; i < m->things.n; i++, at = (at + 1) % m->things.n)
		if (strchr(of, m->things.v[at].kind))
			return &m->things.v[at];
	return NULL;
}

/* A new path in a random directory. */
static void new_path(struct model *m, char out[PATH_BYTES])
{
	struct thing *dir = chance_below(&m->c, 3) ? pick(m, "d") : NULL;
	unsigned int pad = chance_below(&m->c, 4) ? 3 : 40;

	if (dir && strlen(dir->path) > 300)
		dir = NULL;
	snprintf(out, PATH_BYTES, "%s/%0*u", dir ? dir->path : "", (int) pad, m->made++);
}

static uint64_t some_size(struct model *m)
{
	static const uint32_t sizes[] = { 0, 1, 59, 60, 61, 100, 150, 1023, 1024, 1025, 4095, 4096,
					  4097, 16384, 20000, 100000 };

	return sizes[chance_below(&m->c, sizeof(sizes) / sizeof(*sizes))];
}

/* SIZE random bytes go to byte OFFSET of both. */
static void put(struct model *m, const char *path, uint64_t offset, uint64_t size, int how)
{
	void *data = unit_alloc(size + 1);
	struct bfo_batch_content content = { .data = data, .size = size };
	char out[2 * PATH_BYTES];
	int fd = open(real(m, path, out), O_WRONLY | O_CREAT | (how == 'r' ? O_TRUNC : 0), 0644);

	chance_fill(&m->c, data, size);
	want(fd >= 0 && pwrite(fd, data, size, offset) == (ssize_t) size && !close(fd));
	if (how == 'c')
		want_ok(bfo_batch_create(m->b, path, NULL, &content, 0));
	else if (how == 'r')
		want_ok(bfo_batch_create(m->b, path, NULL, &content, BFO_BATCH_REPLACE));
	else if (how == 'a')
		want_ok(bfo_batch_append(m->b, path, &content, 0));
	else
		want_ok(bfo_batch_update(m->b, path, offset, &content, 0));
	free(data);
}

static uint64_t size_of(const struct model *m, const char *path)
{
	char out[2 * PATH_BYTES];
	struct stat st;

	want(!stat(real(m, path, out), &st));
	return st.st_size;
}

static void make(struct model *m)
{
	char path[PATH_BYTES], out[2 * PATH_BYTES];

	new_path(m, path);
	switch (chance_below(&m->c, 8)) {
	case 0:
	case 1:
		want(!mkdir(real(m, path, out), 0755));
		want_ok(bfo_batch_mkdir(m->b, path, NULL, 0));
		note(m, path, 'd');
		break;
	case 2:
		want(!symlink(path, real(m, path, out)));
		want_ok(bfo_batch_symlink(m->b, path, path, NULL, 0));
		note(m, path, 'l');
		break;
	default:
		put(m, path, 0, some_size(m), 'c');
		note(m, path, 'f');
	}
}

static void change(struct model *m)
{
	struct thing *t = pick(m, "f");
	char out[2 * PATH_BYTES];
	uint64_t size;

	if (!t)
		return;
	size = size_of(m, t->path);
	switch (chance_below(&m->c, 5)) {
	case 0:
		put(m, t->path, size, some_size(m), 'a');
		break;
	case 1:
		size = chance_below(&m->c, 2) ? size / 2 : size + some_size(m);
		want(!truncate(real(m, t->path, out), size));
		want_ok(bfo_batch_truncate(m->b, t->path, size));
		break;
	case 2:
		put(m, t->path, 0, some_size(m), 'r');
		break;
	default:
		size = chance_below(&m->c, 2) ? size / 2 : some_size(m);
		put(m, t->path, size, some_size(m), 'u');
	}
}

static int is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return !strncmp(path, dir, len) && (!path[len] || path[len] == '/');
}

static void take_away(struct model *m)
{
	struct thing *t = pick(m, chance_below(&m->c, 4) ? "fl" : "dfl");
	char out[2 * PATH_BYTES], command[2 * PATH_BYTES + 20], path[PATH_BYTES];
	size_t i, n = 0;

	if (!t)
		return;
	snprintf(path, sizeof(path), "%s", t->path);
	snprintf(command, sizeof(command), "rm -r '%s'", real(m, path, out));
	want(!system(command));
	want_ok(bfo_batch_remove(m->b, path, t->kind == 'd' ? BFO_BATCH_TREE : 0));
	for (i = 0; i < m->things.n; i++)
		if (!is_below(m->things.v[i].path, path))
			m->things.v[n++] = m->things.v[i];
	m->things.n = n;
}

static void move(struct model *m)
{
	struct thing *t = pick(m, "dfl");
	char from[PATH_BYTES], to[PATH_BYTES], rest[PATH_BYTES];
	char a[2 * PATH_BYTES], b[2 * PATH_BYTES];
	size_t i;

	new_path(m, to);
	if (!t || is_below(to, t->path) || strlen(to) > 340)
		return;
	snprintf(from, sizeof(from), "%s", t->path);
	if (t->kind == 'f' && chance_below(&m->c, 2)) {
		want(!link(real(m, from, a), real(m, to, b)));
		want_ok(bfo_batch_link(m->b, from, to, 0));
		note(m, to, 'f');
		return;
	}
	want(!rename(real(m, from, a), real(m, to, b)));
	want_ok(bfo_batch_rename(m->b, from, to, 0));
	for (i = 0; i < m->things.n; i++)
		if (is_below(m->things.v[i].path, from)) {
			snprintf(rest, sizeof(rest), "%s", m->things.v[i].path + strlen(from));
			snprintf(m->things.v[i].path, PATH_BYTES, "%.340s%.350s", to, rest);
		}
}

static void step(struct model *m)
{
	switch (chance_below(&m->c, 10)) {
	case 0 ... 3:
		make(m);
		break;
	case 4 ... 7:
		change(m);
		break;
	case 8:
		take_away(m);
		break;
	default:
		move(m);
	}
}

/* Many names at once: a directory gets an index, and nodes of it. */
static void crowd(struct model *m)
{
	char path[PATH_BYTES];
	int i;

	new_path(m, path);
	want(!mkdir(real(m, path, (char[2 * PATH_BYTES]) { 0 }), 0755));
	want_ok(bfo_batch_mkdir(m->b, path, NULL, 0));
	for (i = 0; i < 300; i++) {
		char name[PATH_BYTES + 20];

		snprintf(name, sizeof(name), "%.300s/crowded%d", path, i);
		put(m, name, 0, i % 3, 'c');
	}
}

/* What the image has before: a directory with an index, a file whose extents need a tree. */
static void make_base(struct model *m)
{
	static const char *const files[] = { "/base/name1", "/base/name77", "/base/name250",
					     "/base/numbers", "/base/holes" };
	size_t i;

	copyjob_shell("mkdir '%s/base'; cd '%s/base'; for i in $(seq 250); do echo $i > name$i; "
		      "done; seq 20000 > numbers; for i in $(seq 0 20 4000); do echo $i; "
		      "dd if=numbers of=holes bs=1k count=9 seek=$i conv=notrunc 2> /dev/null; "
		      "done > /dev/null", m->folder, m->folder);
	note(m, "/base", 'd');
	for (i = 0; i < sizeof(files) / sizeof(*files); i++)
		note(m, files[i], 'f');
}

/*
 * debugfs dumps at least 60 bytes of a file in its inode: what stands behind its end there has to
 * be zero, and goes.
 */
static void cut_inline(const struct model *m)
{
	char format[3 * PATH_BYTES];

	snprintf(format, sizeof(format), "cd '%%s.out' && find '%s' -type f -size -60c -printf "
		 "'%%%%s %%%%P\\n' | while read size path; do [ -z \"$(tail -c +$((size + 1)) $path | "
		 "tr -d '\\000')\" ] && truncate -s $size $path || exit 1; done", m->folder);
	want_eq(copyjob_try(format, "batch.img"), 0);
}

/* Is all that the image has, but for lost+found, in the folder, and the other way round? */
static void want_same(const struct model *m, int is_inline)
{
	char format[3 * PATH_BYTES];

	want_eq(copyjob_try("rm -rf '%s.out'; mkdir '%s.out'", "batch.img"), 0);
	want_eq(copyjob_try(COPYJOB_DUMP, "batch.img"), 0);
	if (is_inline)
		cut_inline(m);
	snprintf(format, sizeof(format), "diff -r --no-dereference -x lost+found '%s' '%%s.out' "
		 "> '%%s.diff' 2>&1", m->folder);
	want_eq(copyjob_try(format, "batch.img"), 0);
}

START_TEST(folder)
{
	struct model m = { .folder = unit_path("batch.folder") };
	char *image = unit_path("batch.img"), command[PATH_BYTES];
	const struct bfo_batch_options opt = { .volume = image, .now = NOW,
					       .is_not_atomic = kinds[_i].is_not_atomic };
	int i, every;

	copyjob_shell("rm -rf '%s' '%s'", m.folder, image);
	chance_init(&m.c, 4200 + _i);
	every = chance_between(&m.c, 5, 90);
	want(!mkdir(m.folder, 0755));
	make_base(&m);
	snprintf(command, sizeof(command), "mke2fs -q -F %s -d '%%s' '%%s' 64M > /dev/null",
		 kinds[_i].options);
	copyjob_shell(command, m.folder, image);
	copyjob_fsck("batch.img", "-fy");	/* mke2fs -d does not count quota */
	want_ok(bfo_batch_open(&m.ctx, &opt, &m.b));
	for (i = 0; i < OPERATIONS; i++) {
		if (i == OPERATIONS / 2)
			crowd(&m);
		step(&m);
		if (i % every)
			continue;
		want_ok(bfo_batch_commit(m.b, NULL));
		want_eq(copyjob_fsck("batch.img", "-fn"), 0);
	}
	want_ok(bfo_batch_commit(m.b, NULL));
	bfo_batch_close(m.b);
	want_eq(copyjob_fsck("batch.img", "-fn"), 0);
	want_same(&m, strstr(kinds[_i].options, "inline_data") != NULL);
	bfo_vec_free(&m.things);
	free(m.folder);
	free(image);
}
END_TEST

/* ---- directories that are packed ---- */

/* All directories are packed, or brought up to date; or nothing is packed any more. */
static void pack(struct model *m, const char *image, int is_not_atomic, int how)
{
	static const char *const all[] = { "/" };
	static const struct bfo_pack_sink sink;
	const struct bfo_pack_options opt = {
		.batch = { .volume = image, .now = NOW, .is_not_atomic = is_not_atomic },
		.paths = all, .n_paths = 1, .is_recursive = 1, .is_update = how == 'u',
		.max_size = 16384, .pack_size = 65536,
	};
	struct bfo_pack_result result;

	bfo_batch_close(m->b);
	want_ok(how == 'x' ? bfo_unpack(&m->ctx, &opt, &sink, &result) :
		bfo_pack(&m->ctx, &opt, &sink, &result));
	want_ok(bfo_batch_open(&m->ctx, &opt.batch, &m->b));
}

/* A file reads as the folder's does, before any commit. */
static void look(struct model *m)
{
	struct thing *t = pick(m, "f");
	char out[2 * PATH_BYTES], *is, *was;
	struct bfo_batch_stat st;
	uint64_t size;
	size_t got;
	int fd;

	if (!t)
		return;
	size = size_of(m, t->path);
	want_ok(bfo_batch_stat(m->b, t->path, &st));
	want_eq(st.size, size);
	is = unit_alloc(size + 1);
	was = unit_alloc(size + 1);
	want_ok(bfo_batch_pread(m->b, t->path, 0, is, size, &got));
	want_eq(got, size);
	fd = open(real(m, t->path, out), O_RDONLY);
	want(fd >= 0 && read(fd, was, size) == (ssize_t) size && !close(fd));
	want_mem(is, was, size);
	free(is);
	free(was);
}

START_TEST(packed)
{
	struct model m = { .folder = unit_path("batch.folder") };
	char *image = unit_path("batch.img"), command[PATH_BYTES];
	const struct bfo_batch_options opt = { .volume = image, .now = NOW,
					       .is_not_atomic = kinds[_i].is_not_atomic };
	const char *more = getenv("E2BFO_MODEL_OPERATIONS");
	int i, n = more ? atoi(more) : PACKED_OPERATIONS;

	copyjob_shell("rm -rf '%s' '%s'", m.folder, image);
	chance_init(&m.c, 2900 + _i);
	want(!mkdir(m.folder, 0755));
	make_base(&m);
	snprintf(command, sizeof(command), "mke2fs -q -F %s -d '%%s' '%%s' 256M > /dev/null",
		 kinds[_i].options);
	copyjob_shell(command, m.folder, image);
	copyjob_fsck("batch.img", "-fy");
	want_ok(bfo_batch_open(&m.ctx, &opt, &m.b));
	pack(&m, image, opt.is_not_atomic, 'p');
	for (i = 1; i <= n; i++) {
		step(&m);
		if (chance_below(&m.c, 4) == 0)
			look(&m);
		if (m.things.n > 400)
			take_away(&m);
		if (chance_below(&m.c, 40))
			continue;
		want_ok(bfo_batch_commit(m.b, NULL));
		if (chance_below(&m.c, 2))
			pack(&m, image, opt.is_not_atomic, chance_below(&m.c, 5) ? 'u' : 'p');
		if (!more || i > n - 200)
			want_eq(copyjob_fsck("batch.img", "-fn"), 0);
	}
	want_ok(bfo_batch_commit(m.b, NULL));
	pack(&m, image, opt.is_not_atomic, 'x');
	bfo_batch_close(m.b);
	want_eq(copyjob_fsck("batch.img", "-fn"), 0);
	want_same(&m, strstr(kinds[_i].options, "inline_data") != NULL);
	bfo_vec_free(&m.things);
	free(m.folder);
	free(image);
}
END_TEST

Suite *batch_model_suite(void)
{
	Suite *s = suite_create("batch_model");

	unit_case(s, "folder", folder, KINDS);
	unit_case(s, "packed", packed, KINDS);
	return s;
}
