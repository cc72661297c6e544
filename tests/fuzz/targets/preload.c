// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * preload.c - a directory that is listed by a container of indexes, while that is damaged
 *
 * The container is right to begin with.  Steps change its bytes, cut it off, and list on, from
 * here or from somewhere else.  As long as no checksum is made right again, each name that comes is
 * the one that has to come there, whatever is damaged: what the index does not give any more, the
 * directory does.  With right checksums an index may say anything, and names at least are names.
 *
 *   head    1: checksums are made right
 *   steps   of 5 bytes: what, block, where (2), value
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>

#include "../fuzz.h"
#include "base/disk.h"
#include "e2itree/readdir/listing.h"
#include "e2itree/readdir/settings.h"
#include "itree/build.h"

#define BLOCK 1024U
#define NAMES 280U
#define LINKS 30U
#define MOST_BLOCKS 256U
#define SEED 99U
#define GENERATION 7U
#define STEP 5U

static uint8_t whole[MOST_BLOCKS * BLOCK], now[MOST_BLOCKS * BLOCK];
static uint32_t blocks;			/* of the container */
static int container, directory;
static char path[64];
static struct itree_dir index_dir;
static struct sorted truth;
static int sealed;

/* ---- what mounted_index.c would find ---- */

int mounted_index_open(struct mounted_index *x, int fd)
{
	struct index_state state = { .lastcheck = 5, .block_size = BLOCK,
				     .written.tv_sec = index_dir.ctime + 2,
				     .generation = GENERATION };

	*x = (struct mounted_index) { .fd = -1 };
	if (fstat(fd, &state.dir))
		fuzz_fail("fstat: %s", strerror(errno));
	x->reader = index_reader_open(container, &state);
	return !!x->reader;
}

void mounted_index_close(struct mounted_index *x)
{
	index_reader_close(x->reader);
	x->reader = NULL;
}

int mounted_index_is_current(const struct mounted_index *x, int fd)
{
	(void) x;
	(void) fd;
	return 1;
}

/* ---- the directory and its index ---- */

static void remove_directory(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", path);
	if (system(command))
		fprintf(stderr, "%s: not removed\n", path);
}

static void fill_directory(void)
{
	char name[256], to[300];
	uint32_t i;
	int fd;

	snprintf(path, sizeof(path), "%s/fuzz-preload.XXXXXX", access("/dev/shm", W_OK) ? "/tmp" :
		 "/dev/shm");
	if (!mkdtemp(path))
		fuzz_fail("mkdtemp: %s", strerror(errno));
	atexit(remove_directory);
	directory = open(path, O_RDONLY | O_DIRECTORY);
	for (i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "%u-%0*u", i * 7919 % NAMES, (int) (i * 31 % 240) + 1,
			 i);
		fd = openat(directory, name, O_CREAT | O_WRONLY, 0600);
		if (fd < 0)
			fuzz_fail("%s: %s", name, strerror(errno));
		close(fd);
		snprintf(to, sizeof(to), "link%u", i);
		if (i < LINKS && linkat(directory, name, directory, to, 0))
			fuzz_fail("%s: %s", to, strerror(errno));
		snprintf(to, sizeof(to), "more%u", i);
		if (i && i < LINKS && linkat(directory, "link0", directory, to, 0))
			fuzz_fail("%s: %s", to, strerror(errno));
	}
}

static errcode_t emit(void *priv, uint32_t blk, const void *block)
{
	(void) priv;
	if (blk + 2 >= MOST_BLOCKS)
		fuzz_fail("too many blocks");
	memcpy(whole + (blk + 2) * BLOCK, block, BLOCK);
	return 0;
}

/* Two names of each three share the hash: runs of equal keys. */
static itree_key key_of(const struct sorted_name *n)
{
	return itree_key_make(n->ino, n->len % 3 ? 2 : 2 * n->len + 4);
}

static int compare_keys(const void *pa, const void *pb)
{
	const struct itree_entry *a = pa, *b = pb;

	return (a->key > b->key) - (a->key < b->key);
}

static void build(void)
{
	struct itree_entry *entries = calloc(truth.n, sizeof(*entries));
	struct itree_builder b;
	struct sorted_name n;
	size_t i;

	if (!entries || itree_builder_init(&b, BLOCK, 100, SEED, emit, NULL))
		fuzz_fail("memory");
	for (i = 0; i < truth.n; i++) {
		sorted_get(&truth, i, &n);
		entries[i] = (struct itree_entry) { key_of(&n), n.name, n.len, 1 };
	}
	qsort(entries, truth.n, sizeof(*entries), compare_keys);
	itree_builder_begin(&b, index_dir.ino, GENERATION);
	for (i = 0; i < truth.n; i++)
		if (itree_builder_add(&b, &entries[i]))
			fuzz_fail("memory");
	if (itree_builder_end(&b, &index_dir))
		fuzz_fail("memory");
	itree_builder_free(&b);
	free(entries);
}

static void make(void)
{
	struct itree_header h = { .block_size = BLOCK, .seed = SEED, .lastcheck = 5, .trees = 1,
				  .catalogue = 1, .catalogue_blocks = 1 };
	struct raw_dots dots;
	struct raw_part part;
	struct stat st;

	fill_directory();
	raw_directory_read(directory, 0, SIZE_MAX, &truth, &dots, &part);
	if (part.err || fstat(directory, &st) || st.st_ino > UINT32_MAX)
		fuzz_fail("the directory cannot be listed");
	index_dir = (struct itree_dir) { .ino = st.st_ino, .generation = GENERATION, .first = 2,
		.ctime = st.st_ctim.tv_sec, .ctime_nsec = st.st_ctim.tv_nsec };
	build();
	blocks = h.blocks = index_dir.blocks + 2;
	itree_header_pack(&h, whole);
	itree_catalogue_pack(&h, &index_dir, 0, whole + BLOCK);
	container = memfd_create("container", MFD_CLOEXEC);
	if (container < 0)
		fuzz_fail("memfd: %s", strerror(errno));
}

/* ---- steps ---- */

static void write_blocks(const uint8_t *from, uint32_t first, uint32_t n)
{
	if (pwrite(container, from + first * BLOCK, n * BLOCK, first * BLOCK) !=
	    (ssize_t) (n * BLOCK))
		fuzz_fail("memfd: %s", strerror(errno));
}

static void seal(uint32_t blk)
{
	uint32_t seed = itree_tree_seed(SEED, index_dir.ino, GENERATION);
	struct itree_header h = { .block_size = BLOCK };
	struct itree_dir dirs[16];
	uint8_t *block = now + blk * BLOCK;
	uint32_t n;

	if (blk >= 2 && blk - 2 < index_dir.leaves)
		itree_leaf_seal(block, BLOCK, seed, blk - 2);
	else if (blk >= 2)
		itree_node_seal(block, BLOCK, seed, blk - 2);
	else if (blk == 1) {
		h = (struct itree_header) { .block_size = BLOCK, .seed = SEED, .trees = 1,
			.blocks = blocks, .catalogue = 1, .catalogue_blocks = 1 };
		if (!itree_catalogue_unpack(&h, 0, whole + BLOCK, dirs, &n)) {
			dirs[0].root = get_le32(block, 16 + 0x38);
			dirs[0].levels = get_le32(block, 16 + 0x1c);
			dirs[0].first = get_le32(block, 16 + 0x30);
			dirs[0].entries = get_le64(block, 16 + 0x28);
			itree_catalogue_pack(&h, dirs, 0, block);
		}
	}
}

static void change(const uint8_t *s)
{
	uint32_t blk = s[1] % blocks, at = get_le16(s, 2) % BLOCK;

	now[blk * BLOCK + at] = s[4];
	if (sealed)
		seal(blk);
	write_blocks(now, blk, 1);
}

static void restore(void)
{
	memcpy(now, whole, blocks * BLOCK);
	write_blocks(now, 0, blocks);
}

/* Where a listing is, by the truth: names that came, "." and ".." among them. */
struct place {
	size_t i;
	int64_t pos;
};

static void look(struct dirent *d, size_t i)
{
	struct sorted_name n = { .len = 0 };
	size_t len = strlen(d->d_name);

	if (!len || len > 255 || strchr(d->d_name, '/'))
		fuzz_fail("a name that is none");
	if (sealed)
		return;
	if (i < 2) {
		if (strcmp(d->d_name, i ? ".." : "."))
			fuzz_fail("%s comes in place of a dot", d->d_name);
		return;
	}
	if (i - 2 >= truth.n)
		fuzz_fail("%s comes behind all names", d->d_name);
	sorted_get(&truth, i - 2, &n);
	if (n.len != len || memcmp(n.name, d->d_name, len) || n.ino != d->d_ino ||
	    n.type != d->d_type)
		fuzz_fail("%s comes as name %zu in place of %.*s", d->d_name, i, n.len, n.name);
}

static void list(struct listing *l, struct place *p, size_t most)
{
	struct dirent *d;
	int err;

	for (; most && (d = listing_next(l, &err)); most--) {
		look(d, p->i++);
		p->pos = listing_tell(l);
	}
	if (most && err && !sealed)
		fuzz_fail("an error: %s", strerror(err));
	if (most && !err && !sealed && p->i != truth.n + 2)
		fuzz_fail("it ends after %zu of %zu names", p->i, truth.n + 2);
}

static void go_to(struct listing *l, struct place *at, const struct place *to)
{
	listing_seek(l, to->pos);
	*at = *to;
}

static void do_step(struct listing *l, const uint8_t *s, struct place *at, struct place *kept)
{
	switch (s[0] % 8) {
	case 0:
	case 1:
		change(s);
		break;
	case 2:
		if (ftruncate(container, s[1] % blocks * BLOCK + get_le16(s, 2) % BLOCK))
			fuzz_fail("memfd: %s", strerror(errno));
		break;
	case 3:
		list(l, at, get_le16(s, 2) % (truth.n + 5));
		break;
	case 4:
		kept[s[1] % 8] = *at;
		break;
	case 5:
		go_to(l, at, &kept[s[1] % 8]);
		break;
	case 6:
		restore();
		break;
	default:
		listing_rewind(l);
		*at = (struct place) { 0, 0 };
		memset(kept, 0, 8 * sizeof(*kept));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct place at = { 0, 0 }, kept[8] = { { 0, 0 } };
	struct listing l;
	size_t k;

	if (!size)
		return 0;
	if (!blocks)
		make();
	sealed = data[0] & 1;
	restore();
	listing_init(&l, directory);
	for (k = 1; k + STEP <= size; k += STEP)
		do_step(&l, data + k, &at, kept);
	if (sealed)
		list(&l, &at, 5000);
	else
		list(&l, &at, SIZE_MAX);
	listing_free(&l);
	return 0;
}
