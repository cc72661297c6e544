// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mkflat - fill one flat directory with many small files, fresh or aged
 *
 *	mkflat DIRECTORY COUNT SIZE [fresh|random|churned|aged] [SEED]
 *
 * Makes the flat data sets of the benchmark: COUNT files of SIZE bytes in DIRECTORY, which must
 * exist and is to be empty.
 *
 *	fresh	created in the order of their names
 *	random	created in a random order
 *	churned	random; then a random fifth is erased, and as many new files take their inodes
 *		and their places in the directory
 *	aged	random, and scattered over the disk, as a mail spool or a cache becomes:
 *
 *	wave 1	f f f f f f OOO f f f f f f OOOOO	5/4 COUNT files f; another puts a larger O
 *						of 2 to 8 blocks after every sixth
 *	erase	f   f   f f     f f f   f f OOOOO	a third of f, half of O, at random
 *	wave 2	new files, some in the holes		until COUNT files are there
 *	end	f   f   f f     f f f   f f		all the larger files are erased
 *
 * Each wave is synced before the next, so that freed blocks can be used again. All choices come
 * from SEED and the process stays on one CPU; on a filesystem mounted with nodelalloc, which
 * gives out blocks in the order of the writes, the layout follows from the arguments.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 4096, OTHER_EVERY = 6, OTHER_MIN = 2, OTHER_MAX = 8 };

struct flat {
	uint64_t random;	/* state of the generator */
	uint32_t *order;	/* numbers of all files ever created, in order of creation */
	uint32_t total;
	uint32_t made;		/* how many of them exist or existed */
	uint32_t live;		/* how many exist */
	size_t size;
	char *data;
	uint32_t others;	/* how many files the second writer made */
	char *other_gone;	/* which of them are erased */
};

static void die(const char *what)
{
	fprintf(stderr, "mkflat: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void sync_here(void)
{
	int fd = open(".", O_RDONLY | O_DIRECTORY);

	if (fd < 0 || syncfs(fd) || close(fd))
		die("syncing");
}

static void *allocate(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (!p)
		die("allocating");
	return p;
}

/* xorshift64*: small, seeded, the same on every machine */
static uint64_t next_random(struct flat *f)
{
	f->random ^= f->random >> 12;
	f->random ^= f->random << 25;
	f->random ^= f->random >> 27;
	return f->random * 0x2545F4914F6CDD1DULL;
}

static uint32_t random_below(struct flat *f, uint32_t bound)
{
	return (uint32_t)((next_random(f) >> 32) % bound);
}

static void fill_order(struct flat *f, int shuffled)
{
	uint32_t i, j, t;

	for (i = 0; i < f->total; i++)
		f->order[i] = i;
	for (i = f->total; shuffled && i > 1; i--) {
		j = random_below(f, i);
		t = f->order[i - 1];
		f->order[i - 1] = f->order[j];
		f->order[j] = t;
	}
}

static void file_name(char *name, size_t size, uint32_t number)
{
	snprintf(name, size, "file-%07u.dat", number);
}

static void other_name(char *name, size_t size, uint32_t number)
{
	snprintf(name, size, "second-writer-%07u.dat", number);
}

static void write_all(int fd, const char *data, size_t size)
{
	ssize_t n;

	for (; size; data += n, size -= (size_t)n) {
		n = write(fd, data, size);
		if (n < 0)
			die("write");
	}
}

static void create(const char *name, const char *data, size_t size)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL, 0644);

	if (fd < 0)
		die(name);
	write_all(fd, data, size);
	if (close(fd))
		die(name);
}

static void create_next(struct flat *f)
{
	uint64_t stamp = next_random(f);
	char name[32];

	if (f->size >= sizeof(stamp))
		memcpy(f->data, &stamp, sizeof(stamp));
	file_name(name, sizeof(name), f->order[f->made]);
	create(name, f->data, f->size);
	f->made++;
	f->live++;
}

static void create_other(struct flat *f)
{
	static const char zeros[BLOCK * OTHER_MAX];
	size_t blocks = OTHER_MIN + random_below(f, OTHER_MAX - OTHER_MIN + 1);
	char name[32];

	other_name(name, sizeof(name), f->others);
	create(name, zeros, blocks * BLOCK);
	f->others++;
}

static void wave(struct flat *f, uint32_t files)
{
	uint32_t i;

	for (i = 0; i < files; i++) {
		create_next(f);
		if (i % OTHER_EVERY == 0)
			create_other(f);
	}
	sync_here();
}

static void erase(const char *name)
{
	if (unlink(name))
		die(name);
}

/* Erases each file with a chance of one in ODDS. */
static void erase_some(struct flat *f, uint32_t odds)
{
	uint32_t i;
	char name[32];

	for (i = 0; i < f->made; i++) {
		if (random_below(f, odds))
			continue;
		file_name(name, sizeof(name), f->order[i]);
		erase(name);
		f->live--;
	}
}

/* Erases those of the second writer's files that are left: each with a chance of one in ODDS. */
static void erase_others(struct flat *f, uint32_t odds)
{
	uint32_t i;
	char name[32];

	for (i = 0; i < f->others; i++) {
		if (f->other_gone[i] || random_below(f, odds))
			continue;
		other_name(name, sizeof(name), i);
		erase(name);
		f->other_gone[i] = 1;
	}
}

static void make_aged(struct flat *f, uint32_t count)
{
	wave(f, count / 4 * 5);
	erase_some(f, 3);
	erase_others(f, 2);
	sync_here();
	wave(f, count - f->live);
	erase_others(f, 1);
}

static void make_plain(struct flat *f, uint32_t count)
{
	while (f->live < count)
		create_next(f);
}

static void make_churned(struct flat *f, uint32_t count)
{
	make_plain(f, count);
	sync_here();
	erase_some(f, 5);
	sync_here();
	make_plain(f, count);
}

/* One CPU: ext4 keeps a block preallocation for each. Not being allowed to is no reason to stop. */
static void stay_on_one_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		perror("mkflat: sched_setaffinity");
}

static void prepare(struct flat *f, uint32_t count, const char *how)
{
	int once = !strcmp(how, "fresh") || !strcmp(how, "random");
	size_t i;

	f->total = once ? count : count * 2;
	f->order = allocate(f->total, sizeof(*f->order));
	f->data = allocate(f->size, 1);
	f->other_gone = allocate(f->total / OTHER_EVERY + 2, 1);
	fill_order(f, strcmp(how, "fresh"));
	for (i = 0; i < f->size; i++)
		f->data[i] = (char)next_random(f);
}

int main(int argc, char **argv)
{
	const char *how = argc > 4 ? argv[4] : "fresh";
	struct flat f = { 0 };
	uint32_t count;

	if (argc < 4) {
		fprintf(stderr,
			"usage: mkflat DIRECTORY COUNT SIZE [fresh|random|churned|aged] "
			"[SEED]\n");
		return 2;
	}
	if (chdir(argv[1]))
		die(argv[1]);
	count = (uint32_t)strtoul(argv[2], NULL, 10);
	f.size = strtoul(argv[3], NULL, 10);
	f.random = argc > 5 ? strtoull(argv[5], NULL, 10) : 0;
	f.random = f.random ? f.random : 20190520;
	stay_on_one_cpu();
	prepare(&f, count, how);
	if (!strcmp(how, "aged"))
		make_aged(&f, count);
	else if (!strcmp(how, "churned"))
		make_churned(&f, count);
	else
		make_plain(&f, count);
	sync_here();
	free(f.other_gone);
	free(f.data);
	free(f.order);
	return 0;
}
