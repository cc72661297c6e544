// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shim.c - an LD_PRELOAD library between the real e2bfo, or e2itree, and the kernel
 *
 * Counts what goes to one target and comes from it and from one source, logs writes and barriers,
 * and lets the Nth of something fail (log.h has the environment).  Files are known by device and
 * inode, so it does not matter who opened them or how.  sync_file_range() is no barrier, so that it
 * is not looked at.  An own function that is not in here but writes would go unseen: run.c compares
 * the file with what the log comes to.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "log.h"

#define SUPER_BYTES 1024	/* written as a whole or not at all, here as in cut.c */
#define SHRUNK 16

enum how { HOW_ERROR, HOW_SHORT, HOW_SHRINK, HOW_SIGNAL };

struct file {
	dev_t dev;
	ino_t ino;
	int known;
};

static struct file target, source;
static struct fault_counts *counts;
static int log_fd = -1, own, event = -1, how_errno, how_signal;
static uint64_t at, times;
static time_t ahead;
static int dreams;		/* sleep() does not wait */
static enum how how;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;	/* of writes, as they are logged */

#define REAL(name) ((__typeof__(&name)) real(#name))

static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* ---- beginning ---- */

static struct file identify(const char *variable)
{
	const char *path = getenv(variable);
	struct file f = { .known = 0 };
	struct stat st;

	if (!path || stat(path, &st))
		return f;
	f.known = 1;
	f.dev = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	f.ino = S_ISBLK(st.st_mode) ? 0 : st.st_ino;
	return f;
}

static int is(const struct file *f, int fd)
{
	struct stat st;

	if (!counts || !f->known || fstat(fd, &st))
		return 0;
	if (S_ISBLK(st.st_mode))
		return !f->ino && st.st_rdev == f->dev;
	return S_ISREG(st.st_mode) && st.st_dev == f->dev && st.st_ino == f->ino;
}

static void read_how(const char *text)
{
	how_errno = EIO;
	if (!strcmp(text, "ENOSPC"))
		how_errno = ENOSPC;
	else if (!strcmp(text, "short"))
		how = HOW_SHORT;
	else if (!strcmp(text, "shrink"))
		how = HOW_SHRINK;
	else if (!strcmp(text, "int") || !strcmp(text, "kill") || !strcmp(text, "stop"))
		how = HOW_SIGNAL;
	how_signal = !strcmp(text, "int") ? SIGINT : !strcmp(text, "stop") ? SIGSTOP : SIGKILL;
}

static void read_event(void)
{
	static const char *const names[] = FAULT_EVENT_NAMES;
	const char *wanted = getenv("FAULT_EVENT");
	int i;

	for (i = 0; wanted && i < FAULT_EVENTS; i++)
		if (!strcmp(wanted, names[i]))
			event = i;
	if (event < 0)
		return;
	at = strtoull(getenv("FAULT_AT"), NULL, 10);
	read_how(getenv("FAULT_HOW"));
	times = strtoull(getenv("FAULT_TIMES"), NULL, 10);
}

/* ---- whose code is it? ---- */

static struct range {
	uintptr_t begin, end;
} libraries[64];
static int n_libraries;

/* Notes where the libraries are whose failures are not e2bfo's. */
static int note_library(struct dl_phdr_info *info, size_t size, void *priv)
{
	const ElfW(Phdr) *p = info->dlpi_phdr;
	int i;

	(void) size, (void) priv;
	if (!strstr(info->dlpi_name, "/libext2fs.") && !strstr(info->dlpi_name, "/libblkid.") &&
	    !strstr(info->dlpi_name, "/libcom_err.") && !strstr(info->dlpi_name, "/libe2p.") &&
	    !strstr(info->dlpi_name, "/libgcrypt."))
		return 0;
	for (i = 0; i < info->dlpi_phnum && n_libraries < 64; i++)
		if (p[i].p_type == PT_LOAD && p[i].p_flags & PF_X)
			libraries[n_libraries++] = (struct range) { info->dlpi_addr + p[i].p_vaddr,
				info->dlpi_addr + p[i].p_vaddr + p[i].p_memsz };
	return 0;
}

static int in_library(const void *code)
{
	uintptr_t where = (uintptr_t) code;
	int i;

	for (i = 0; i < n_libraries; i++)
		if (where >= libraries[i].begin && where < libraries[i].end)
			return 1;
	return 0;
}

/* The innermost frame that is not of libc's, or of this file, is to blame. */
static void on_crash(int sig)
{
	void *frames[32];
	int n = backtrace(frames, 32), i;
	Dl_info info;

	for (i = 1; i < n && !counts->crash; i++) {
		if (in_library(frames[i]))
			counts->crash = FAULT_CRASH_LIBRARY;
		else if (dladdr(frames[i], &info) && !strstr(info.dli_fname, "libc.so") &&
			 !strstr(info.dli_fname, "shim.so"))
			counts->crash = FAULT_CRASH_OWN;
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

static void watch_crashes(void)
{
	struct sigaction sa = { .sa_handler = on_crash, .sa_flags = SA_NODEFER };
	void *frame;

	backtrace(&frame, 1);		/* loads what it needs while there is memory */
	dl_iterate_phdr(note_library, NULL);
	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGABRT, &sa, NULL);
}

/*
 * A process that is forked without another program, as that which parses archives, may not even
 * look.
 */
static void stand_aside(void)
{
	counts = NULL;
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("FAULT_COUNTS");
	void *map;
	int fd;

	dreams = !!getenv("FAULT_AHEAD");
	ahead = dreams ? atoll(getenv("FAULT_AHEAD")) : 0;
	if (!path)
		return;
	fd = open(path, O_RDWR | O_CLOEXEC);
	map = fd < 0 ? MAP_FAILED : REAL(mmap)(NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
					       MAP_SHARED, fd, 0);
	if (fd < 0 || map == MAP_FAILED)
		_exit(98);
	close(fd);
	target = identify("FAULT_TARGET");
	source = identify("FAULT_SOURCE");
	own = !strcmp(program_invocation_short_name, "e2bfo") ||
	      !strcmp(program_invocation_short_name, "e2itree");
	read_event();
	if (getenv("FAULT_LOG"))
		log_fd = open(getenv("FAULT_LOG"), O_WRONLY | O_APPEND | O_CLOEXEC);
	if (own)
		watch_crashes();
	pthread_atfork(NULL, NULL, stand_aside);
	counts = map;			/* what comes from here on counts */
}

/* ---- failing ---- */

/* Counts; should this one fail? */
static int strikes(enum fault_event e)
{
	uint64_t n;

	if (!counts)
		return 0;
	n = __atomic_add_fetch(&counts->n[e], 1, __ATOMIC_SEQ_CST);
	if (own && e == FAULT_WRITE)
		__atomic_add_fetch(&counts->own_writes, 1, __ATOMIC_SEQ_CST);
	if ((int) e != event || n < at || (times && n >= at + times))
		return 0;
	if (__atomic_fetch_add(&counts->fired, 1, __ATOMIC_SEQ_CST) == 0) {
		counts->own_before = counts->own_writes;
		counts->needless = e == FAULT_FLUSH && counts->own_writes == counts->own_flushed;
	}
	if (!own)
		__atomic_add_fetch(&counts->fired_other, 1, __ATOMIC_SEQ_CST);
	return 1;
}

static void shrink(int fd)
{
	char path[64];
	struct stat st;

	/* a descriptor that reads cannot */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!fstat(fd, &st) && truncate(path, st.st_size / SHRUNK))
		_exit(98);
}

static void strike_signal(void)
{
	if (!own)
		kill(getppid(), how_signal);
	if (own || how_signal == SIGKILL)
		kill(getpid(), how_signal);
}

/*
 * Event E on FD; returns 1 if the call is to fail, with errno.  *BYTES, if there are some, becomes
 * less if only a part is to be done.
 */
static int fails(enum fault_event e, int fd, size_t *bytes)
{
	if (!strikes(e))
		return 0;
	if (how == HOW_SHRINK)
		shrink(fd);
	else if (how == HOW_SIGNAL)
		strike_signal();
	else if (how == HOW_SHORT && bytes && (*bytes > SUPER_BYTES || e != FAULT_WRITE))
		*bytes /= 2;
	else {
		errno = how_errno;
		return 1;
	}
	return 0;
}

/* ---- writing ---- */

static void log_record(enum fault_kind kind, uint64_t offset, uint64_t bytes,
		       const void *data)
{
	struct fault_record r = { .kind = kind, .own = own, .offset = offset, .bytes = bytes };
	struct iovec iov[] = { { &r, sizeof(r) }, { (void *) data, data ? bytes : 0 } };

	if (log_fd >= 0 && REAL(writev)(log_fd, iov, 2) != (ssize_t) (sizeof(r) + iov[1].iov_len))
		_exit(98);
}

static ssize_t do_write(int fd, const void *buf, size_t bytes, off_t offset)
{
	ssize_t done = -1;

	if (fails(FAULT_WRITE, fd, &bytes))
		return -1;
	pthread_mutex_lock(&order);
	done = REAL(pwrite)(fd, buf, bytes, offset);
	if (done > 0)
		log_record(FAULT_LOG_WRITE, offset, done, buf);
	pthread_mutex_unlock(&order);
	return done;
}

ssize_t pwrite(int fd, const void *buf, size_t bytes, off_t offset)
{
	return is(&target, fd) ? do_write(fd, buf, bytes, offset)
			       : REAL(pwrite)(fd, buf, bytes, offset);
}

ssize_t pwrite64(int fd, const void *buf, size_t bytes, off_t offset)
{
	return pwrite(fd, buf, bytes, offset);
}

ssize_t write(int fd, const void *buf, size_t bytes)
{
	ssize_t done;
	off_t offset;

	if (!is(&target, fd))
		return REAL(write)(fd, buf, bytes);
	offset = lseek(fd, 0, SEEK_CUR);
	done = do_write(fd, buf, bytes, offset);
	if (done > 0)
		lseek(fd, offset + done, SEEK_SET);
	return done;
}

/* Nobody gathers writes to a target today; whoever begins to will be seen here. */
static void unseen(int fd)
{
	if (is(&target, fd))
		counts->unseen = 1;
}

ssize_t writev(int fd, const struct iovec *iov, int n)
{
	unseen(fd);
	return REAL(writev)(fd, iov, n);
}

ssize_t pwritev(int fd, const struct iovec *iov, int n, off_t offset)
{
	ssize_t done, sum = 0;
	int i;

	if (!is(&target, fd))
		return REAL(pwritev)(fd, iov, n, offset);
	for (i = 0; i < n; i++) {
		done = do_write(fd, iov[i].iov_base, iov[i].iov_len, offset + sum);
		if (done < 0)
			return sum ? sum : -1;
		sum += done;
		if (done < (ssize_t) iov[i].iov_len)
			break;
	}
	return sum;
}

ssize_t pwritev64(int fd, const struct iovec *iov, int n, off_t offset)
{
	return pwritev(fd, iov, n, offset);
}

int ftruncate(int fd, off_t size)
{
	unseen(fd);
	return REAL(ftruncate)(fd, size);
}

int ftruncate64(int fd, off_t size)
{
	return ftruncate(fd, size);
}

int fallocate(int fd, int mode, off_t offset, off_t bytes)
{
	int err;

	if (!is(&target, fd))
		return REAL(fallocate)(fd, mode, offset, bytes);
	if (fails(FAULT_WRITE, fd, NULL))
		return -1;
	pthread_mutex_lock(&order);
	err = REAL(fallocate)(fd, mode, offset, bytes);
	if (!err)
		log_record(FAULT_LOG_ZERO, offset, bytes, NULL);
	pthread_mutex_unlock(&order);
	return err;
}

int fallocate64(int fd, int mode, off_t offset, off_t bytes)
{
	return fallocate(fd, mode, offset, bytes);
}

/* ---- flushing: the barrier stands where the call ends ---- */

#define FLUSH(name)							\
int name(int fd)							\
{									\
	int err;							\
									\
	if (!is(&target, fd))						\
		return REAL(name)(fd);					\
	if (fails(FAULT_FLUSH, fd, NULL))				\
		return -1;						\
	pthread_mutex_lock(&order);					\
	err = REAL(name)(fd);						\
	if (!err)							\
		counts->own_flushed = counts->own_writes;		\
	if (!err)							\
		log_record(FAULT_LOG_BARRIER, 0, 0, NULL);		\
	pthread_mutex_unlock(&order);					\
	return err;							\
}

FLUSH(fsync)
FLUSH(fdatasync)

/* ---- reading ---- */

static int read_fails(int fd, size_t *bytes)
{
	if (is(&target, fd))
		return fails(FAULT_READ_TARGET, fd, bytes);
	return is(&source, fd) && fails(FAULT_READ_SOURCE, fd, bytes);
}

ssize_t read(int fd, void *buf, size_t bytes)
{
	return read_fails(fd, &bytes) ? -1 : REAL(read)(fd, buf, bytes);
}

ssize_t pread(int fd, void *buf, size_t bytes, off_t offset)
{
	return read_fails(fd, &bytes) ? -1 : REAL(pread)(fd, buf, bytes, offset);
}

ssize_t pread64(int fd, void *buf, size_t bytes, off_t offset)
{
	return pread(fd, buf, bytes, offset);
}

ssize_t preadv(int fd, const struct iovec *iov, int n, off_t offset)
{
	size_t part = n ? iov->iov_len : 0;

	if (read_fails(fd, &part))
		return -1;
	if (n && part < iov->iov_len)
		return REAL(pread)(fd, iov->iov_base, part, offset);
	return REAL(preadv)(fd, iov, n, offset);
}

ssize_t preadv64(int fd, const struct iovec *iov, int n, off_t offset)
{
	return preadv(fd, iov, n, offset);
}

/* ---- time ---- */

int clock_gettime(clockid_t clock, struct timespec *t)
{
	int err = REAL(clock_gettime)(clock, t);

	if (!err && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		t->tv_sec += ahead;
	return err;
}

int gettimeofday(struct timeval *t, void *zone)
{
	int err = REAL(gettimeofday)(t, zone);

	t->tv_sec += ahead;
	return err;
}

time_t time(time_t *now)
{
	time_t t = REAL(time)(NULL) + ahead;

	if (now)
		*now = t;
	return t;
}

unsigned int sleep(unsigned int seconds)
{
	if (!dreams)
		return REAL(sleep)(seconds);
	ahead += seconds;
	return 0;
}

/* ---- memory ---- */

#define CALLER __builtin_return_address(0)

static int out_of_memory(const void *caller)
{
	if (!own || !strikes(in_library(caller) ? FAULT_ALLOC_LIBRARY : FAULT_ALLOC))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t bytes)
{
	return out_of_memory(CALLER) ? NULL : REAL(malloc)(bytes);
}

void *calloc(size_t n, size_t bytes)
{
	return out_of_memory(CALLER) ? NULL : REAL(calloc)(n, bytes);
}

void *realloc(void *old, size_t bytes)
{
	return out_of_memory(CALLER) ? NULL : REAL(realloc)(old, bytes);
}

int posix_memalign(void **out, size_t align, size_t bytes)
{
	return out_of_memory(CALLER) ? ENOMEM : REAL(posix_memalign)(out, align, bytes);
}

void *aligned_alloc(size_t align, size_t bytes)
{
	return out_of_memory(CALLER) ? NULL : REAL(aligned_alloc)(align, bytes);
}

void *mmap(void *where, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	if (flags & MAP_ANONYMOUS && out_of_memory(CALLER))
		return MAP_FAILED;
	return REAL(mmap)(where, bytes, prot, flags, fd, offset);
}

void *mmap64(void *where, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	if (flags & MAP_ANONYMOUS && out_of_memory(CALLER))
		return MAP_FAILED;
	return REAL(mmap)(where, bytes, prot, flags, fd, offset);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	return out_of_memory(CALLER) ? EAGAIN : REAL(pthread_create)(thread, attr, start, arg);
}
