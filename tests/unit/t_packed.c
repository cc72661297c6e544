// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_packed.c - export/output, export/packed: bytes on their way to a file descriptor
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include "export/packed.h"
#include "unit.h"

#define BYTES (3 * BFO_PACKED_CHUNK + 12345)

/* Text that is worth compressing, but not the same everywhere. */
static char *made(size_t bytes)
{
	char *data = unit_alloc(bytes);
	struct chance c;
	size_t i;

	chance_init(&c, 11);
	for (i = 0; i < bytes; i++)
		data[i] = 'a' + chance_below(&c, 4);
	return data;
}

/* All that FD, a file, has; free() it. */
static char *content(int fd, size_t *len)
{
	struct stat st;
	char *data;

	want(!fstat(fd, &st));
	*len = st.st_size;
	data = unit_alloc(*len + 1);
	want_eq(pread(fd, data, *len, 0), *len);
	return data;
}

/* Pieces of all sizes, small ones and ones larger than the buffer, by chance. */
static errcode_t give(struct bfo_context *ctx, struct bfo_output *o, struct bfo_packed *p,
		      const char *data, size_t bytes)
{
	errcode_t err = 0;
	struct chance c;
	size_t at = 0;

	chance_init(&c, 12);
	while (!err && at < bytes) {
		size_t n = chance_below(&c, 1U << chance_between(&c, 1, 22));

		if (n > bytes - at)
			n = bytes - at;
		err = p ? bfo_packed_write(ctx, p, data + at, n)
			: bfo_output_write(ctx, o, data + at, n);
		at += n;
	}
	if (!err && p)
		err = bfo_packed_end(ctx, p);
	return err ? err : bfo_output_end(ctx, o);
}

START_TEST(output_keeps_the_order)
{
	int fd = memfd_create("output", 0);
	struct bfo_context ctx = { 0 };
	struct bfo_output o;
	char *data = made(BYTES), *got;
	size_t len;

	want_ok(bfo_output_open(&o, fd, "file"));
	want_ok(give(&ctx, &o, NULL, data, BYTES));
	want_eq(o.written, BYTES);
	bfo_output_free(&o);
	got = content(fd, &len);
	want_eq(len, BYTES);
	want_mem(got, data, BYTES);
	free(got);
	free(data);
	close(fd);
}
END_TEST

static char *packed(const char *data, size_t bytes, int level, unsigned int threads, size_t *len)
{
	int fd = memfd_create("packed", 0);
	struct bfo_context ctx = { 0 };
	struct bfo_packed *p;
	struct bfo_output o;
	char *got;

	want_ok(bfo_output_open(&o, fd, "file"));
	want_ok(bfo_packed_open(&ctx, &o, level, threads, &p));
	want_ok(give(&ctx, &o, p, data, bytes));
	bfo_packed_free(p);
	got = content(fd, len);
	want_eq(o.written, *len);
	bfo_output_free(&o);
	close(fd);
	return got;
}

START_TEST(frames_do_not_depend_on_threads)
{
	static const unsigned int threads[] = { 2, 3, 8, 0 };
	char *data = made(BYTES), *one, *other;
	size_t len, len_other, i;

	one = packed(data, BYTES, 1, 1, &len);
	for (i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		other = packed(data, BYTES, 1, threads[i], &len_other);
		want_eq(len_other, len);
		want_mem(other, one, len);
		free(other);
	}
	other = packed(data, BYTES, 6, 2, &len_other);
	want(len_other != len || memcmp(other, one, len));
	free(other);
	free(one);
	free(data);
}
END_TEST

/* _i: bytes beyond two whole chunks */
START_TEST(each_chunk_is_a_frame)
{
	size_t bytes = 2 * BFO_PACKED_CHUNK + _i, len, at = 0, done = 0;
	char *data = made(bytes), *got = packed(data, bytes, 1, 2, &len);
	char *raw = unit_alloc(BFO_PACKED_CHUNK);

	while (at < len) {
		size_t frame = ZSTD_findFrameCompressedSize(got + at, len - at);
		size_t size = bytes - done < BFO_PACKED_CHUNK ? bytes - done : BFO_PACKED_CHUNK;

		want(!ZSTD_isError(frame));
		want_eq(ZSTD_getFrameContentSize(got + at, len - at), size);
		want(got[at + 4] & 4);			/* there is a checksum */
		want_eq(ZSTD_decompress(raw, BFO_PACKED_CHUNK, got + at, frame), size);
		want_mem(raw, data + done, size);
		at += frame;
		done += size;
	}
	want_eq(done, bytes);
	free(raw);
	free(got);
	free(data);
}
END_TEST

START_TEST(nothing_becomes_nothing)
{
	size_t len;

	free(packed("", 0, 3, 2, &len));
	want_eq(len, 0);
}
END_TEST

static void ignore(int number)
{
	(void) number;
}

/*
 * Reads the pipe FDS in small pieces, in another process, which signals us after each; it exits
 * with 0 if these are BYTES of DATA.
 */
static pid_t reader(const int fds[2], const char *data, size_t bytes)
{
	pid_t parent = getpid(), pid = fork();
	char piece[5000];
	size_t at = 0;
	ssize_t n;

	want(pid >= 0);
	if (pid)
		return pid;
	close(fds[1]);
	while ((n = read(fds[0], piece, sizeof(piece))) > 0) {
		if (at + n > bytes || memcmp(data + at, piece, n))
			_exit(1);
		at += n;
		kill(parent, SIGUSR1);
	}
	_exit(n < 0 || at != bytes);
}

/* The pipe takes a little at a time, and says so (_i) or lets us wait, whom signals wake up. */
START_TEST(short_and_interrupted_writes_go_on)
{
	struct sigaction action = { .sa_handler = ignore };
	size_t bytes = BFO_PACKED_CHUNK / 2 + 77;
	char *data = made(bytes);
	struct bfo_context ctx = { 0 };
	struct bfo_output o;
	int fds[2], status;
	pid_t pid;

	want(!sigaction(SIGUSR1, &action, NULL));
	want(!pipe2(fds, O_CLOEXEC));
	want(fcntl(fds[1], F_SETPIPE_SZ, 4096) > 0);
	want(!fcntl(fds[1], F_SETFL, _i ? O_NONBLOCK : 0));
	pid = reader(fds, data, bytes);
	close(fds[0]);
	want_ok(bfo_output_open(&o, fds[1], "pipe"));
	want_ok(give(&ctx, &o, NULL, data, bytes));
	want_eq(o.written, bytes);
	bfo_output_free(&o);
	close(fds[1]);
	while (waitpid(pid, &status, 0) < 0)
		want_eq(errno, EINTR);
	want_eq(status, 0);
	free(data);
}
END_TEST

static volatile int *interrupted;

static void interrupt(int number)
{
	(void) number;
	++*interrupted;
}

/* The pipe is full, and stays so until we were interrupted many times: nothing is ever written. */
START_TEST(interrupted_before_the_first_byte)
{
	struct sigaction action = { .sa_handler = interrupt };
	struct bfo_context ctx = { 0 };
	char *data = made(65536);
	struct bfo_output o;
	int fds[2], status;
	pid_t parent = getpid(), pid;

	interrupted = mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			   -1, 0);
	want(interrupted != MAP_FAILED);
	want(!sigaction(SIGUSR1, &action, NULL));
	want(!pipe2(fds, O_CLOEXEC));
	want_eq(fcntl(fds[1], F_SETPIPE_SZ, 65536), 65536);
	want_eq(write(fds[1], data, 65536), 65536);
	pid = fork();
	want(pid >= 0);
	if (!pid) {
		while (*interrupted < 200 && !kill(parent, SIGUSR1))
			sched_yield();
		_exit(read(fds[0], data, 65536) != 65536);
	}
	want_ok(bfo_output_open(&o, fds[1], "pipe"));
	want_ok(give(&ctx, &o, NULL, data, 65536));
	want_eq(o.written, 65536);
	while (waitpid(pid, &status, 0) < 0)
		want_eq(errno, EINTR);
	want_eq(status, 0);
	bfo_output_free(&o);
	close(fds[0]);
	close(fds[1]);
	free(data);
}
END_TEST

START_TEST(who_is_to_stop_does)
{
	volatile sig_atomic_t cancel = 1;
	struct bfo_context ctx = { .cancel = &cancel };
	char *data = made(1 << 20);
	struct bfo_output o;
	int fds[2];

	want(!pipe2(fds, O_NONBLOCK));
	want_ok(bfo_output_open(&o, fds[1], "pipe"));
	want_err(bfo_output_write(&ctx, &o, data, 1 << 20), BFO_ET_CANCELLED);
	ck_assert_str_eq(ctx.what, "writing pipe");
	want(o.written);
	bfo_output_free(&o);
	close(fds[0]);
	close(fds[1]);
	free(data);
}
END_TEST

/* Where nobody can write: without and with threads, which are left with work to do. */
START_TEST(errors_come_back)
{
	static const struct {
		const char *path;
		int flags, err;
	} files[] = {
		{ "/dev/full", O_WRONLY, ENOSPC }, { "/dev/null", O_RDONLY, EBADF },
	};
	int fd = open(files[_i % 2].path, files[_i % 2].flags);
	char *data = made(BYTES);
	struct bfo_context ctx = { 0 };
	struct bfo_packed *p = NULL;
	struct bfo_output o;

	want_ok(bfo_output_open(&o, fd, "what is full"));
	if (_i / 2)
		want_ok(bfo_packed_open(&ctx, &o, 1, _i, &p));
	want_err(give(&ctx, &o, p, data, BYTES), files[_i % 2].err);
	ck_assert_str_eq(ctx.what, "writing what is full");
	want_eq(o.written, 0);
	bfo_packed_free(p);
	bfo_output_free(&o);
	close(fd);
	free(data);
}
END_TEST

Suite *packed_suite(void)
{
	Suite *s = suite_create("packed");

	unit_case(s, "output_keeps_the_order", output_keeps_the_order, 0);
	unit_case(s, "frames_do_not_depend_on_threads", frames_do_not_depend_on_threads, 0);
	unit_case(s, "each_chunk_is_a_frame", each_chunk_is_a_frame, 2);
	unit_case(s, "nothing_becomes_nothing", nothing_becomes_nothing, 0);
	unit_case(s, "short_and_interrupted_writes_go_on", short_and_interrupted_writes_go_on, 2);
	unit_case(s, "interrupted_before_the_first_byte", interrupted_before_the_first_byte, 0);
	unit_case(s, "who_is_to_stop_does", who_is_to_stop_does, 0);
	unit_case(s, "errors_come_back", errors_come_back, 4);
	return s;
}
