// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_pace.c - base/pace: no second has more than its limit; all that is read of a source counts, and
 * all that leaves as a stream
 *
 * Time is ours: it goes on when somebody waits.  What is read is what the kernel is asked for: the
 * program's own pread(2) and preadv(2) stand before those of the C library, also for libext2fs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/pace.h"
#include "bed.h"
#include "copyjob.h"
#include "gather/inode_scan.h"
#include "gather/name_scan.h"
#include "job/copy.h"
#include "volume/open.h"

#define BS 4096U
#define KIB 1024U

/* ---- time ---- */

struct our_time {
	double now;
	struct bfo_timer timer;
};

static double now(void *priv)
{
	return ((struct our_time *) priv)->now;
}

/* As nanosleep(2): not exactly so long, and now and then a signal comes. */
static void wait_for(void *priv, double seconds)
{
	struct our_time *t = priv;

	want(seconds > 0 && seconds <= 1.01);
	t->now += seconds * 1.001 + 1e-6;
}

static void begin_time(struct our_time *t)
{
	*t = (struct our_time) { .now = 12345, .timer = { now, wait_for, t } };
}

/* ---- the bucket ---- */

#define EVENTS 4000

static struct event {
	double when;
	uint64_t bytes;
} events[EVENTS];

/* The most that any second has, wherever it begins, of the first N events. */
static uint64_t most_in_a_second(size_t n)
{
	uint64_t most = 0, sum = 0;
	size_t from = 0, to;

	for (to = 0; to < n; to++) {
		sum += events[to].bytes;
		for (; events[from].when < events[to].when - 1; from++)
			sum -= events[from].bytes;
		if (sum > most)
			most = sum;
	}
	return most;
}

static const uint64_t limits[] = { BFO_PACE_LEAST, 1 << 20, 10000000, 1 << 30 };

/* Requests of all sizes, now at once, now after a rest of up to three seconds. */
START_TEST(no_second_has_more)
{
	uint64_t limit = limits[_i];
	struct our_time t;
	struct bfo_pace p;
	struct chance c;
	size_t i;

	begin_time(&t);
	chance_init(&c, 31 + _i);
	bfo_pace_init(&p, limit, &t.timer, NULL);
	want(p.burst >= BFO_PACE_BURST && p.burst <= limit / 2);
	for (i = 0; i < EVENTS; i++) {
		if (!chance_below(&c, 50))
			t.now += chance_below(&c, 3000) / 1000.0;
		events[i].bytes = chance_between(&c, 1, p.burst);
		bfo_pace_take(&p, events[i].bytes);
		events[i].when = t.now;
	}
	want(most_in_a_second(EVENTS) <= limit);
	want(most_in_a_second(EVENTS) > limit * 9 / 10);
}
END_TEST

/* Who always wants more gets what flows in: 31/32 of all but small limits. */
START_TEST(little_is_lost)
{
	struct our_time t;
	struct bfo_pace p;
	double begun;
	int i;

	begin_time(&t);
	bfo_pace_init(&p, 32 << 20, &t.timer, NULL);
	begun = t.now;
	for (i = 0; i < 310; i++)
		bfo_pace_take(&p, 1 << 20);
	want(t.now - begun > 309 / 31.0 && t.now - begun < 309 / 31.0 * 1.01);
}
END_TEST

/* More than fits at once comes, and is waited for afterwards. */
START_TEST(too_much_is_owed)
{
	struct our_time t;
	struct bfo_pace p;
	double begun;

	begin_time(&t);
	bfo_pace_init(&p, 32 << 20, &t.timer, NULL);
	begun = t.now;
	bfo_pace_take(&p, 32 << 20);
	want(t.now == begun);
	bfo_pace_take(&p, 1);
	want(t.now - begun >= 1.0 && t.now - begun < 1.01);
	bfo_pace_take(NULL, UINT64_MAX);
}
END_TEST

START_TEST(who_gives_up_waits_no_more)
{
	static volatile sig_atomic_t cancel;
	struct our_time t;
	struct bfo_pace p;
	double begun;

	begin_time(&t);
	cancel = 1;
	bfo_pace_init(&p, BFO_PACE_LEAST, &t.timer, &cancel);
	begun = t.now;
	bfo_pace_take(&p, 1 << 30);
	bfo_pace_take(&p, 1 << 30);
	want(t.now == begun);
}
END_TEST

/* ---- what is read ---- */

static struct {
	dev_t dev;
	ino_t ino;
	uint64_t bytes, largest;
} counted;

static void count(int fd, size_t bytes)
{
	struct stat st;

	if (!counted.ino || fstat(fd, &st) || st.st_dev != counted.dev || st.st_ino != counted.ino)
		return;
	counted.bytes += bytes;
	if (bytes > counted.largest)
		counted.largest = bytes;
}

ssize_t pread(int fd, void *buf, size_t n, off_t at)
{
	count(fd, n);
	return syscall(SYS_pread64, fd, buf, n, at);
}

ssize_t preadv(int fd, const struct iovec *iov, int n, off_t at)
{
	size_t bytes = 0;
	int i;

	for (i = 0; i < n; i++)
		bytes += iov[i].iov_len;
	count(fd, bytes);
	return syscall(SYS_preadv, fd, iov, n, (long) at, 0L);
}

static void count_reads_of(const char *path)
{
	struct stat st;

	memset(&counted, 0, sizeof(counted));
	if (!path)
		return;
	want(!stat(path, &st));
	counted.dev = st.st_dev;
	counted.ino = st.st_ino;
}

/* A pace that counts and never waits: what was taken is what it lacks. */
static void begin_counting(struct our_time *t, struct bfo_pace *p, uint64_t limit)
{
	static const volatile sig_atomic_t cancel = 1;

	begin_time(t);
	bfo_pace_init(p, limit, &t->timer, &cancel);
}

static uint64_t taken(const struct bfo_pace *p)
{
	return p->burst - p->have;
}

enum { MERGED, PLACED, DIRECT, REGIONS, WAYS };

/* Near and far nodes, small and larger than a request may be; regions that are fetched. */
static void read_some(struct bed *b, int way, struct bfo_regions *regions)
{
	static const struct { uint64_t blk; uint32_t len; } nodes[] = {
		{ 10, 3 }, { 14, 1 }, { 20, 60 }, { 200, 1500 }, { 1800, 2 }, { 1803, 5 },
		{ 3000, 1 }, { 4000, 1 },
	};
	struct bfo_cache cache = { .source = &b->source, .r = &b->r, .regions = *regions,
				   .is_foretold = way == DIRECT };
	size_t i;

	bed_again(b, 16 * BS, way != MERGED);
	for (i = 0; i < sizeof(nodes) / sizeof(*nodes); i++)
		bed_add(b, nodes[i].blk, nodes[i].len, 1);
	want_ok(bed_read(b, &cache, way == REGIONS));
	bed_want_all(b);
}

/* However the batch reader reads, all of it counts, and nothing is asked for that is too much. */
START_TEST(the_reader_keeps_to_it)
{
	struct bfo_regions regions;
	struct our_time t;
	struct bfo_pace p;
	struct bed b;

	begin_counting(&t, &p, 8 << 20);
	bed_open(&b, BS, 6000, 0, NULL);
	want_ok(bfo_regions_init(&regions, b.vol, 64));
	bfo_regions_add(&regions, 0, 5000);
	b.vol->device.pace = &p;
	bfo_direct_choose(&b.vol->device, _i == DIRECT ? BFO_DIRECT_ALWAYS : BFO_DIRECT_NEVER);
	count_reads_of(b.path);
	read_some(&b, _i, &regions);
	want_eq(counted.bytes, taken(&p));
	want(counted.bytes >= 1573 * BS);
	want(counted.largest <= p.burst && counted.largest == 256 * KIB);
	want_eq(counted.bytes, b.r.blocks * BS);
	count_reads_of(NULL);
	bfo_regions_free(&regions);
	bed_close(&b);
}
END_TEST

/* Gathering, and what libext2fs reads by itself once the volume is open. */
START_TEST(gathering_keeps_to_it)
{
	struct bfo_context ctx = { 0 };
	struct bfo_tree tree = { 0 };
	struct bfo_reader reader;
	struct bfo_volume *vol;
	struct copyjob j;
	struct our_time t;
	struct bfo_pace p;
	uint64_t before;
	char *path;

	copyjob_open(&j, SOURCE_LARGE, TARGET_EMPTY, "pace.target");
	copyjob_close(&j);
	path = unit_path("source.large");
	begin_counting(&t, &p, BFO_PACE_LEAST);
	ctx.pace = &p;
	want_ok(bfo_volume_open(&ctx, path, BFO_OPEN_SOURCE, NULL, &vol));
	before = taken(&p);
	want(before >= 1024 + BS);
	count_reads_of(path);
	want_ok(bfo_reader_init(&reader, &ctx, vol, BFO_GAP_OF_DEVICE));
	want_ok(bfo_inode_scan(&reader, &tree));
	want_ok(bfo_name_scan(&reader, &tree));
	want_ok(ext2fs_read_bitmaps(vol->fs));
	want(counted.bytes > 100 * KIB);
	want_eq(counted.bytes, taken(&p) - before);
	want(counted.largest <= p.burst);
	count_reads_of(NULL);
	bfo_tree_free(&tree);
	bfo_reader_free(&reader);
	bfo_volume_close(vol);
	free(path);
}
END_TEST

/* ---- what is sent ---- */

#define SENT_CHUNKS 30U			/* of 1 MiB, which zstd makes small */
#define SENT_PERIOD (32 * KIB)

static struct {
	struct our_time t;
	int fd;
	uint64_t seen;
	size_t n;
} sent;

/* What has left since somebody looked last, left now: only waiting takes time. */
static void look_at_sent(void)
{
	struct stat st;

	want(!fstat(sent.fd, &st) && sent.n < EVENTS);
	events[sent.n++] = (struct event) { sent.t.now, st.st_size - sent.seen };
	sent.seen = st.st_size;
}

static void wait_and_look(void *priv, double seconds)
{
	look_at_sent();
	wait_for(priv, seconds);
}

/* A folder with a file of which each frame is smaller than what is worth a write of its own. */
static char *make_compressible(void)
{
	char *dir = unit_path("pace.sent"), path[1024];
	uint8_t *piece = unit_alloc(SENT_PERIOD);
	struct chance c;
	uint32_t i;
	FILE *f;

	chance_init(&c, 77);
	copyjob_shell("mkdir '%s' %s", dir, "");
	snprintf(path, sizeof(path), "%s/file", dir);
	f = fopen(path, "w");
	want(f);
	for (i = 0; i < SENT_CHUNKS * KIB * KIB / SENT_PERIOD; i++) {
		if (!(i % (KIB * KIB / SENT_PERIOD)))
			chance_fill(&c, piece, SENT_PERIOD);
		want(fwrite(piece, 1, SENT_PERIOD, f) == SENT_PERIOD);
	}
	want(!fclose(f));
	free(piece);
	return dir;
}

START_TEST(a_stream_keeps_to_it_as_it_leaves)
{
	static const char *const from[] = { "/" };
	struct bfo_context ctx = { .timer = &sent.t.timer };
	char *dir = make_compressible(), *file = unit_path("pace.stream");
	struct bfo_copy_options opt = { .source = dir, .target = "stream:-", .from = from,
					.n_from = 1, .to = "/", .memory = 64 * MIB,
					.compress = "1", .bwlimit = BFO_PACE_LEAST };
	struct bfo_copy copy;

	begin_time(&sent.t);
	sent.t.timer.wait = wait_and_look;
	opt.out = sent.fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	want_ok(bfo_copy_open(&copy, &ctx, &opt));
	want_ok(bfo_copy_plan(&copy));
	want_ok(bfo_copy_commit(&copy));
	bfo_copy_close(&copy);
	look_at_sent();
	want(sent.seen > 4 * BFO_PACE_LEAST && sent.seen < SENT_CHUNKS * 64 * KIB);
	want(most_in_a_second(sent.n) <= BFO_PACE_LEAST);
	want(most_in_a_second(sent.n) > BFO_PACE_LEAST * 3 / 4);
	close(sent.fd);
	free(file);
	free(dir);
}
END_TEST

Suite *pace_suite(void)
{
	Suite *s = suite_create("pace");

	unit_case(s, "no_second_has_more", no_second_has_more, 4);
	unit_case(s, "little_is_lost", little_is_lost, 0);
	unit_case(s, "too_much_is_owed", too_much_is_owed, 0);
	unit_case(s, "who_gives_up_waits_no_more", who_gives_up_waits_no_more, 0);
	unit_case(s, "the_reader_keeps_to_it", the_reader_keeps_to_it, WAYS);
	unit_case(s, "gathering_keeps_to_it", gathering_keeps_to_it, 0);
	unit_case(s, "a_stream_keeps_to_it_as_it_leaves", a_stream_keeps_to_it_as_it_leaves, 0);
	return s;
}
