// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_members.c - intake/members, frames, jail: what a process says, and what it may do
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "intake/jail.h"
#include "intake/members.h"
#include "tarmade.h"
#include "unit.h"

static struct bfo_context ctx;
static struct bfo_members m;

/* ---- frames ---- */

static const struct bfo_member_xattr xattrs[] = {
	{ .name = "user.a", .value = "1", .size = 1 }, { .name = "user.b", .value = "", .size = 0 },
};

static struct bfo_member a_member(void)
{
	struct bfo_member v = { .header = 512, .data = 1024, .times = 9, .path = "d/a",
				.path_len = 3, .target = "x", .target_len = 1, .xattrs = 2,
				.tells = BFO_TELLS_PROJECT | BFO_TELLS_HOLES,
				.attrs = { .mode = S_IFREG | 0600, .size = 100, .uid = 70000,
					   .gid = UINT32_MAX, .major = 7, .minor = 9, .flags = 64,
					   .version = UINT64_MAX - 1, .generation = 0x12345678,
					   .project = 0x87654321,
					   .sec = { -5, 1, 2, INT64_MIN },
					   .nsec = { 999999999, 0, 1, 2 } } };

	return v;
}

/* A member, a part that is not sent, one that is, one behind its end, the end. */
static size_t make(char **bytes)
{
	struct bfo_member v = a_member();
	struct bfo_frame_writer w = { .fd = memfd_create("frames", MFD_CLOEXEC) };
	size_t len;

	want_ok(bfo_frame_put_member(&w, &v, xattrs));
	want_ok(bfo_frame_put_extent(&w, 0, 10));
	want_ok(bfo_frame_put_data(&w, 90, "0123456789", 10));
	want_ok(bfo_frame_put_unwritten(&w, 4096, 8192));
	want_ok(bfo_frame_put_end(&w, 2048, 3072));
	want_ok(bfo_frame_flush(&w));
	len = lseek(w.fd, 0, SEEK_END);
	*bytes = unit_alloc(len);
	want(pread(w.fd, *bytes, len, 0) == (ssize_t) len);
	close(w.fd);
	bfo_vec_free(&w.buf);
	return len;
}

static void read_from(const char *bytes, size_t len)
{
	bfo_members_of(&m, &ctx, "x.tar", tarmade_file(bytes, len));
}

START_TEST(gives_what_was_put)
{
	struct bfo_member want_it = a_member();
	struct bfo_member_xattr x;
	struct bfo_piece p;
	const char *at;
	char *bytes;
	size_t len = make(&bytes), i;

	read_from(bytes, len);
	want_ok(bfo_members_next(&m, &p));
	want_eq(p.kind, BFO_PIECE_MEMBER);
	want_mem(&p.member->attrs, &want_it.attrs, sizeof(want_it.attrs));
	want_eq(p.member->header, 512);
	want_eq(p.member->data, 1024);
	want_eq(p.member->times, 9);
	want_eq(p.member->tells, BFO_TELLS_PROJECT | BFO_TELLS_HOLES);
	want(p.member->path_len == 3 && !memcmp(p.member->path, "d/a", 3));
	want(p.member->target_len == 1 && *p.member->target == 'x');
	at = p.member->first;
	for (i = 0; i < 2; i++) {
		want(bfo_member_next_xattr(p.member, &at, &x));
		want(!strcmp(x.name, xattrs[i].name) && x.size == xattrs[i].size &&
		     !memcmp(x.value, xattrs[i].value, x.size));
	}
	want(!bfo_member_next_xattr(p.member, &at, &x));
	want_ok(bfo_members_next(&m, &p));
	want(p.kind == BFO_PIECE_PART && p.at == 0 && p.len == 10 && !p.data);
	want_ok(bfo_members_next(&m, &p));
	want(p.kind == BFO_PIECE_PART && p.at == 90 && p.len == 10);
	want_mem(p.data, "0123456789", 10);
	want_ok(bfo_members_next(&m, &p));
	want(p.kind == BFO_PIECE_UNWRITTEN && p.at == 4096 && p.len == 8192);
	want_ok(bfo_members_next(&m, &p));
	want(p.kind == BFO_PIECE_END && p.at == 2048 && p.len == 3072);
	want_err(bfo_members_next(&m, &p), BFO_ET_DAMAGED);
	bfo_members_stop(&m);
	free(bytes);
}
END_TEST

/* What member V, put into frames, is to who is told of it: a reason, or "". */
static const char *judged(const struct bfo_member *v)
{
	struct bfo_frame_writer w = { .fd = memfd_create("frames", MFD_CLOEXEC) };
	struct bfo_piece p;
	errcode_t err;

	want_ok(bfo_frame_put_member(&w, v, NULL));
	want_ok(bfo_frame_flush(&w));
	lseek(w.fd, 0, SEEK_SET);
	*ctx.what = 0;
	bfo_members_of(&m, &ctx, "x.tar", w.fd);
	err = bfo_members_next(&m, &p);
	want(!err == !*ctx.what && (!err || err == BFO_ET_DAMAGED));
	bfo_members_stop(&m);
	bfo_vec_free(&w.buf);
	return ctx.what;
}

#define CIPHER "0123456789abcdef"
#define STAND_IN "encrypted.MDEyMzQ1Njc4OWFiY2RlZg"

static const struct {
	struct bfo_member v;
	const char *why;
} features[] = {
	{{ .attrs = { .mode = S_IFDIR, .flags = EXT4_CASEFOLD_FL }, .encoding = 1 }, "" },
	{{ .attrs = { .mode = S_IFDIR, .flags = EXT4_CASEFOLD_FL }}, "its encoding" },
	{{ .attrs = { .mode = S_IFDIR }, .encoding = 1 }, "its encoding" },
	{{ .attrs = { .mode = S_IFREG, .flags = EXT4_CASEFOLD_FL }, .encoding = 1 },
	 "no directory" },
	{{ .attrs = { .mode = S_IFREG, .flags = EXT4_VERITY_FL, .size = 9 },
	   .home_block_size = 1024, .data_end = 65536 + 1024 }, "" },
	{{ .attrs = { .mode = S_IFREG, .flags = EXT4_VERITY_FL, .size = 9 },
	   .home_block_size = 1024, .data_end = 65536 + 1 }, "behind its end" },
	{{ .attrs = { .mode = S_IFREG, .flags = EXT4_VERITY_FL }}, "its blocks" },
	{{ .attrs = { .mode = S_IFREG, .size = 9 }, .data_end = 1024 }, "behind its end" },
	{{ .attrs = { .mode = S_IFREG, .flags = EXT4_ENCRYPT_FL, .size = 9 },
	   .home_block_size = 1024, .data_end = 1024, .secret = CIPHER, .secret_len = 16,
	   .path = STAND_IN }, "" },
	{{ .attrs = { .mode = S_IFREG, .flags = EXT4_ENCRYPT_FL, .size = 9 },
	   .home_block_size = 1024 }, "no whole blocks" },
	{{ .attrs = { .mode = S_IFREG, .flags = EXT4_ENCRYPT_FL, .size = 9 },
	   .home_block_size = 1024, .data_end = 2048 }, "behind its end" },
	{{ .attrs = { .mode = S_IFDIR, .flags = EXT4_ENCRYPT_FL }, .home_block_size = 512 },
	 "that there is not" },
	{{ .attrs = { .mode = S_IFIFO, .flags = EXT4_ENCRYPT_FL }, .home_block_size = 1024 },
	 "nothing that can be" },
	{{ .attrs = { .mode = S_IFLNK, .flags = EXT4_ENCRYPT_FL }, .home_block_size = 1024,
	   .target = "\4\0\0abc", .target_len = 6 }, "" },
	{{ .attrs = { .mode = S_IFLNK, .flags = EXT4_ENCRYPT_FL }, .home_block_size = 1024,
	   .target = "\5\0\0abc", .target_len = 6 }, "no ciphertext" },
	{{ .attrs = { .mode = S_IFREG }, .secret = CIPHER, .secret_len = 16 },
	 "does not stand" },
	{{ .attrs = { .mode = S_IFREG }, .secret = CIPHER, .secret_len = 15 },
	 "no encrypted directory" },
	{{ .attrs = { .mode = S_IFREG }, .has_hashes = 1 }, "hashes of a name" },
};

START_TEST(features_are_told_whole)
{
	struct bfo_member v = features[_i].v;

	if (!v.path)
		v.path = "d/x";
	v.path_len = strlen(v.path);
	v.tells = BFO_TELLS_ALL;
	if (*features[_i].why)
		want(strstr(judged(&v), features[_i].why));
	else
		want(!*judged(&v));
	v.tells = 0;			/* nobody but our own archives tells of any of it */
	want(*judged(&v) || !(v.home_block_size || v.encoding || v.secret_len || v.has_hashes ||
			      v.data_end));
}
END_TEST

/* Pieces that come from BYTES before an error; all of them without. */
static unsigned int pieces_of(const char *bytes, size_t len)
{
	struct bfo_piece p = { .kind = BFO_PIECE_MEMBER };
	unsigned int n = 0;
	errcode_t err = 0;

	read_from(bytes, len);
	while (p.kind != BFO_PIECE_END) {
		err = bfo_members_next(&m, &p);
		if (err)
			break;
		n++;
	}
	want(!err || err == BFO_ET_DAMAGED);
	bfo_members_stop(&m);
	return n;
}

/* The frame that byte AT of BYTES belongs to. */
static unsigned int frame_of(const char *bytes, size_t at)
{
	size_t next = 0;
	unsigned int n = 0;

	for (;; n++) {
		uint32_t len;

		memcpy(&len, bytes + next + 4, sizeof(len));
		next += 16 + len;
		if (at < next)
			return n;
	}
}

START_TEST(sees_what_is_cut_or_flipped)
{
	char *bytes;
	size_t len = make(&bytes), i;
	int bit;

	want_eq(pieces_of(bytes, len), 5);
	for (i = 0; i < len; i++) {
		want_eq(pieces_of(bytes, i), frame_of(bytes, i));
		for (bit = 0; bit < 8; bit++) {
			unsigned int frame = frame_of(bytes, i);

			bytes[i] ^= 1 << bit;
			want_eq(pieces_of(bytes, len), frame);
			bytes[i] ^= 1 << bit;
		}
	}
	free(bytes);
}
END_TEST

/* Of what W has collected, N pieces are taken; then it is empty. */
static void want_pieces(struct bfo_frame_writer *w, unsigned int n)
{
	want_eq(pieces_of(w->buf.v, w->buf.n), n);
	w->buf.n = 0;
}

/* The checksums are right, but what is said cannot be. */
START_TEST(sees_what_is_out_of_order)
{
	struct bfo_frame_writer w = { .fd = -1 };
	struct bfo_member v = a_member();

	v.xattrs = 0;
	want_ok(bfo_frame_put_data(&w, 0, "x", 1));
	want_pieces(&w, 0);
	want_ok(bfo_frame_put_member(&w, &v, NULL));
	want_ok(bfo_frame_put_extent(&w, 50, 10));
	want_ok(bfo_frame_put_extent(&w, 59, 10));
	want_pieces(&w, 2);
	want_ok(bfo_frame_put_member(&w, &v, NULL));
	want_ok(bfo_frame_put_extent(&w, 99, 2));
	want_pieces(&w, 1);
	want_ok(bfo_frame_put_member(&w, &v, NULL));
	want_ok(bfo_frame_put_extent(&w, 7, UINT64_MAX));
	want_pieces(&w, 1);
	want_ok(bfo_frame_put_member(&w, &v, NULL));
	want_ok(bfo_frame_put_data(&w, 0, "", 0));
	want_pieces(&w, 1);
	want_ok(bfo_frame_put_unwritten(&w, 0, 512));
	want_pieces(&w, 0);
	want_ok(bfo_frame_put_member(&w, &v, NULL));
	want_ok(bfo_frame_put_unwritten(&w, 0, 50));
	want_ok(bfo_frame_put_extent(&w, 49, 10));
	want_pieces(&w, 2);
	want_ok(bfo_frame_put_member(&w, &v, NULL));
	want_ok(bfo_frame_put_unwritten(&w, INT64_MAX, 1));
	want_pieces(&w, 1);
	v.path = "a\0b";
	want_ok(bfo_frame_put_member(&w, &v, NULL));
	want_pieces(&w, 0);
	v = a_member();
	v.attrs.nsec[2] = 1000000000;
	want_ok(bfo_frame_put_member(&w, &v, xattrs));
	want_pieces(&w, 0);
	bfo_vec_free(&w.buf);
}
END_TEST

/* ---- the process ---- */

static int ends[2];

/* A process that waits for bytes of an archive. */
static void start_waiting(void)
{
	static struct bfo_parse p;

	want(!pipe2(ends, O_CLOEXEC));
	p = (struct bfo_parse) { .in = ends[0], .tar = 1, .data = BFO_PARSE_ALL };
	want_ok(bfo_members_start(&m, &ctx, "x.tar", &p));
}

static void stop_waiting(void)
{
	bfo_members_stop(&m);
	close(ends[0]);
	close(ends[1]);
}

START_TEST(says_that_its_process_was_killed)
{
	struct bfo_piece p;

	start_waiting();
	want(!kill(m.pid, SIGKILL));
	want_err(bfo_members_next(&m, &p), BFO_ET_DAMAGED);
	want(strstr(ctx.what, "was ended by signal 9"));
	stop_waiting();
}
END_TEST

START_TEST(can_be_cancelled)
{
	volatile sig_atomic_t cancel = 1;
	struct bfo_piece p;
	pid_t pid;

	start_waiting();
	ctx.cancel = &cancel;
	want_err(bfo_members_next(&m, &p), BFO_ET_CANCELLED);
	ctx.cancel = NULL;
	pid = m.pid;
	stop_waiting();
	want(kill(pid, 0) && errno == ESRCH);
}
END_TEST

/* What /proc says of the process, once it is confined. */
static void read_status(char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", (int) m.pid);
	do {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t got = read(fd, text, size - 1);

		close(fd);
		want(got > 0);
		text[got] = 0;
		sched_yield();
	} while (!strstr(text, "\nSeccomp:\t2"));
}

START_TEST(has_no_rights)
{
	char text[8192];

	start_waiting();
	read_status(text, sizeof(text));
	want(strstr(text, "\nNoNewPrivs:\t1"));
	want(strstr(text, "\nCapEff:\t0000000000000000"));
	want(strstr(text, "\nCapPrm:\t0000000000000000"));
	if (!geteuid()) {
		want(strstr(text, "\nUid:\t65534\t65534\t65534\t65534"));
		want(strstr(text, "\nGid:\t65534\t65534\t65534\t65534"));
		want(strstr(text, "\nGroups:\t \n") || strstr(text, "\nGroups:\t\n"));
	}
	stop_waiting();
}
END_TEST

/* ---- what is left of it ---- */

static void do_open(int fd) { (void) fd; syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY, 0); }
static void do_socket(int fd) { (void) fd; syscall(SYS_socket, AF_INET, SOCK_STREAM, 0); }
static void do_clone(int fd) { (void) fd; syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }
static void do_exec(int fd) { (void) fd; syscall(SYS_execve, "/bin/true", NULL, NULL); }
static void do_kill(int fd) { (void) fd; syscall(SYS_kill, 1, 0); }
static void do_ioctl(int fd) { syscall(SYS_ioctl, fd, 0, 0); }
static void do_fcntl(int fd) { syscall(SYS_fcntl, fd, F_GETFL); }
static void do_unlink(int fd) { (void) fd; syscall(SYS_unlinkat, AT_FDCWD, "/nowhere", 0); }
static void do_prctl(int fd) { (void) fd; syscall(SYS_prctl, 0, 0, 0, 0, 0); }

static void do_code(int fd)
{
	(void) fd;
	mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void do_protect(int fd)
{
	void *v = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void) fd;
	mprotect(v, 4096, PROT_READ | PROT_EXEC);
}

static void (*const forbidden[])(int fd) = {
	do_open, do_socket, do_clone, do_exec, do_kill, do_ioctl, do_fcntl, do_unlink, do_prctl,
	do_code, do_protect,
};

#define FORBIDDEN (sizeof(forbidden) / sizeof(*forbidden))

/* A child enters the jail, and does DO_IT: its status. */
static int status_of(void (*do_it)(int fd))
{
	int in = tarmade_file("x", 1), out = tarmade_file("", 0), status;
	pid_t pid = fork();

	if (!pid) {
		if (!bfo_jail_enter(in, out))
			do_it(in);
		syscall(SYS_exit_group, 7);
	}
	want(pid > 0 && waitpid(pid, &status, 0) == pid);
	close(in);
	close(out);
	return status;
}

START_TEST(ends_who_asks_for_more)
{
	int status = status_of(forbidden[_i]);

	want(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
}
END_TEST

/* Reads, and asks for memory and the time; other descriptors are closed. */
static void do_what_is_left(int in)
{
	struct timespec now;
	char byte = 0;
	void *v;

	if (syscall(SYS_pread64, in, &byte, 1, 0) != 1 || byte != 'x')
		return;
	v = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (v == MAP_FAILED || munmap(v, 1 << 20) || syscall(SYS_clock_gettime, 0, &now))
		return;
	if (write(STDERR_FILENO, "x", 1) != -1 || errno != EBADF)
		return;
	syscall(SYS_exit_group, 0);
}

START_TEST(leaves_what_is_needed)
{
	want_eq(status_of(do_what_is_left), 0);
}
END_TEST

Suite *members_suite(void)
{
	Suite *s = suite_create("members");

	unit_case(s, "features_are_told_whole", features_are_told_whole,
		  sizeof(features) / sizeof(*features));
	unit_case(s, "gives_what_was_put", gives_what_was_put, 0);
	unit_case(s, "sees_what_is_cut_or_flipped", sees_what_is_cut_or_flipped, 0);
	unit_case(s, "sees_what_is_out_of_order", sees_what_is_out_of_order, 0);
	unit_case(s, "ends_who_asks_for_more", ends_who_asks_for_more, FORBIDDEN);
	unit_case(s, "leaves_what_is_needed", leaves_what_is_needed, 0);
	if (!bfo_parse_is_built())
		return s;
	unit_case(s, "says_that_its_process_was_killed", says_that_its_process_was_killed, 0);
	unit_case(s, "can_be_cancelled", can_be_cancelled, 0);
	unit_case(s, "has_no_rights", has_no_rights, 0);
	return s;
}
