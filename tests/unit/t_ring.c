// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_ring.c - base/ring: what comes out is what went in, whoever is the faster one
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ring.h"
#include "unit.h"

#define SIZE 5000U		/* bytes of a ring: no power of two, so that its end moves */
#define BYTES (3U << 20)	/* at most that go through it */

struct bed {
	struct bfo_context ctx;
	volatile sig_atomic_t cancel;
	struct bfo_ring ring;
	int pipe[2];
	uint64_t seed;
};

static void begin(struct bed *b, size_t size)
{
	memset(b, 0, sizeof(*b));
	b->ctx.cancel = &b->cancel;
	want(!pipe2(b->pipe, O_CLOEXEC));
	want_ok(bfo_ring_start(&b->ring, &b->ctx, b->pipe[0], size));
}

static void end(struct bed *b)
{
	bfo_ring_stop(&b->ring);
	bfo_ring_stop(&b->ring);		/* once more is nothing */
	close(b->pipe[0]);
	if (b->pipe[1] >= 0)
		close(b->pipe[1]);
}

static void put(int fd, const char *data, size_t len)
{
	ssize_t n;

	for (; len; data += n, len -= n) {
		n = write(fd, data, len);
		want(n > 0);
	}
}

/* The same bytes on both sides. */
static char *made(void)
{
	char *data = unit_alloc(BYTES);
	struct chance c;

	chance_init(&c, 9500);
	chance_fill(&c, data, BYTES);
	return data;
}

static void *write_all(void *arg)
{
	struct bed *b = arg;
	char *data = made();
	struct chance c;
	size_t at, n;

	chance_init(&c, b->seed);
	for (at = 0; at < BYTES; at += n) {
		n = chance_between(&c, 1, 2 * SIZE);
		n = n < BYTES - at ? n : BYTES - at;
		put(b->pipe[1], data + at, n);
	}
	close(b->pipe[1]);
	free(data);
	return NULL;
}

/* Pieces of all lengths, through a ring that is full, empty, and neither. */
START_TEST(gives_what_it_got)
{
	static const size_t sizes[] = { 64, 1000, SIZE, 4 * SIZE };
	char *expected = made(), *got = unit_alloc(BYTES + 1);
	pthread_t writer;
	struct chance c;
	struct bed b;
	size_t at = 0;
	ssize_t n;

	begin(&b, sizes[_i]);
	b.seed = 9510 + _i;
	chance_init(&c, 9520 + _i);
	want(!pthread_create(&writer, NULL, write_all, &b));
	do {
		uint32_t len = chance_between(&c, 1, 2 * SIZE);

		len = len < BYTES + 1 - at ? len : BYTES + 1 - at;
		n = bfo_ring_take(&b.ring, got + at, len);
		want(n >= 0 && n <= len);
		at += n;
	} while (n);
	want_eq(at, BYTES);
	want_mem(got, expected, BYTES);
	want_eq(bfo_ring_take(&b.ring, got, 1), 0);	/* and stays so */
	want(!pthread_join(writer, NULL));
	b.pipe[1] = -1;
	end(&b);
	free(expected);
	free(got);
}
END_TEST

/* True once the ring is full, and stays so. */
static int is_full(struct bed *b)
{
	int full;

	pthread_mutex_lock(&b->ring.lock);
	full = b->ring.put - b->ring.taken == b->ring.size;
	pthread_mutex_unlock(&b->ring.lock);
	return full;
}

/* Bytes of DATA that go into the pipe until that is full, and the ring, too. */
static size_t put_most(struct bed *b, const char *data)
{
	size_t at = 0;
	ssize_t n;

	want(!fcntl(b->pipe[1], F_SETFL, O_NONBLOCK));
	for (;;) {
		int full = is_full(b);

		n = write(b->pipe[1], data + at, 1000);
		want(n > 0 || errno == EAGAIN);
		if (n < 0 && full)
			return at;
		if (n < 0)
			sched_yield();
		else
			at += n;
		want(at + 1000 <= BYTES);
	}
}

/* It reads ahead while nobody takes, as far as there is room, and nothing is lost. */
START_TEST(reads_ahead)
{
	char *data = made(), *got = unit_alloc(BYTES);
	size_t size = 1 << 20, sent, at;
	struct bed b;
	ssize_t n;

	begin(&b, size);
	sent = put_most(&b, data);
	want(sent > size && sent <= size + fcntl(b.pipe[1], F_GETPIPE_SZ));
	close(b.pipe[1]);
	b.pipe[1] = -1;
	for (at = 0; (n = bfo_ring_take(&b.ring, got + at, BYTES - at)) > 0; at += n)
		;
	want_eq(n, 0);
	want_eq(at, sent);
	want_mem(got, data, sent);
	end(&b);
	free(data);
	free(got);
}
END_TEST

/* It can be stopped when it is full, when nothing comes, and when nothing will. */
START_TEST(stops)
{
	char *data = made(), byte;
	struct bed b;

	begin(&b, SIZE);
	if (_i == 0)
		want(put_most(&b, data) > SIZE);
	if (_i == 2) {
		close(b.pipe[1]);
		b.pipe[1] = -1;
		want_eq(bfo_ring_take(&b.ring, &byte, 1), 0);
	}
	end(&b);
	free(data);
}
END_TEST

/* Whoever waits for bytes learns that nobody wants them. */
START_TEST(can_be_cancelled)
{
	struct bed b;
	char got[8];

	begin(&b, SIZE);
	put(b.pipe[1], "abc", 3);
	want_eq(bfo_ring_take(&b.ring, got, 2), 2);
	want_eq(bfo_ring_take(&b.ring, got + 2, 6), 1);
	want_mem(got, "abc", 3);
	__atomic_store_n(&b.cancel, 1, __ATOMIC_RELAXED);
	want(bfo_ring_take(&b.ring, got, 1) == -ECANCELED);
	end(&b);
}
END_TEST

START_TEST(tells_what_failed)
{
	struct bfo_context ctx = { .cancel = NULL };
	struct bfo_ring r = { .bytes = NULL };
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char byte;

	bfo_ring_stop(&r);
	want(fd >= 0);
	want_ok(bfo_ring_start(&r, &ctx, fd, SIZE));
	want(bfo_ring_take(&r, &byte, 1) == -EISDIR);
	bfo_ring_stop(&r);
	close(fd);
}
END_TEST

Suite *ring_suite(void)
{
	Suite *s = suite_create("ring");

	unit_case(s, "gives_what_it_got", gives_what_it_got, 4);
	unit_case(s, "reads_ahead", reads_ahead, 0);
	unit_case(s, "stops", stops, 3);
	unit_case(s, "can_be_cancelled", can_be_cancelled, 0);
	unit_case(s, "tells_what_failed", tells_what_failed, 0);
	return s;
}
