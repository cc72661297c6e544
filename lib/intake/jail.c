// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jail.c - a process that gives up what it may
 *
 * Three walls, of which each would do: it has no descriptors but two; it is nobody, without
 * capabilities, and no program that it executes could be more; the kernel ends it if it asks for
 * something else than to read, to write, for memory or the time.
 *
 * The filter is a program for the kernel's packet filter, which sees a struct seccomp_data: a row
 * of comparisons that jump to the last instruction, which allows, or to the last but one, which
 * ends the process.  Memory that can be executed is asked for by no parser.
 */
#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "intake/jail.h"

#define NOBODY 65534U

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__i386__)
#define ARCHITECTURE AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__arm__)
#define ARCHITECTURE AUDIT_ARCH_ARM
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__)
#define ARCHITECTURE AUDIT_ARCH_PPC64LE
#elif defined(__loongarch64)
#define ARCHITECTURE AUDIT_ARCH_LOONGARCH64
#else
#error "jail.c does not know the AUDIT_ARCH_ of this processor: see linux/audit.h"
#endif

/* Whatever these are given, they reach nothing new. */
static const int allowed[] = {
	SYS_read, SYS_pread64, SYS_write, SYS_lseek, SYS_munmap, SYS_mremap, SYS_brk, SYS_madvise,
	SYS_futex, SYS_clock_gettime, SYS_sched_yield, SYS_rt_sigreturn, SYS_restart_syscall,
	SYS_exit, SYS_exit_group,
	SYS_sysinfo,		/* qsort(3), to know how much memory there is */
#ifdef SYS__llseek
	SYS__llseek,
#endif
#ifdef SYS_clock_gettime64
	SYS_clock_gettime64, SYS_futex_time64,
#endif
};

/* These have a protection as their third argument. */
static const int protected[] = {
#ifdef SYS_mmap
	SYS_mmap,
#endif
#ifdef SYS_mmap2
	SYS_mmap2,
#endif
	SYS_mprotect,
};

#define ALLOWED (sizeof(allowed) / sizeof(*allowed))
#define PROTECTED (sizeof(protected) / sizeof(*protected))
#define COUNT (3 + ALLOWED + PROTECTED + 5)

static struct sock_filter load(size_t offset)
{
	return (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset);
}

/* From instruction AT: goes to YES if the word that was loaded is VALUE, else on. */
static struct sock_filter jump_to(unsigned int yes, unsigned int at, uint32_t value)
{
	return (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes - at - 1, 0);
}

static int filter_calls(void)
{
	enum { allow = COUNT - 1, end = COUNT - 2, look = COUNT - 4 };
	struct sock_filter code[COUNT];
	struct sock_fprog program = { .len = COUNT, .filter = code };
	unsigned int n = 0, i;

	code[n++] = load(offsetof(struct seccomp_data, arch));
	code[n] = (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 0,
						end - n - 1);
	n++;
	code[n++] = load(offsetof(struct seccomp_data, nr));
	for (i = 0; i < ALLOWED; i++, n++)
		code[n] = jump_to(allow, n, allowed[i]);
	for (i = 0; i < PROTECTED; i++, n++)
		code[n] = jump_to(look, n, protected[i]);
	code[n] = (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	/* the low half of an argument comes first: hosts are little-endian */
	code[look] = load(offsetof(struct seccomp_data, args[2]));
	code[look + 1] = (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1);
	code[end] = (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	code[allow] = (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? errno : 0;
}

static int close_others(unsigned int in, unsigned int out)
{
	unsigned int low = in < out ? in : out, high = in < out ? out : in;

	if ((low && close_range(0, low - 1, 0)) ||
	    (high - low > 1 && close_range(low + 1, high - 1, 0)) || close_range(high + 1, ~0U, 0))
		return errno;
	return 0;
}

/*
 * The system calls themselves: the C library's functions would ask all threads, of which this
 * process knows from the one that made it.  A user namespace may not have these numbers; there root
 * is nobody already.
 */
static int drop_rights(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { { 0 } };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return errno;
	if (!geteuid()) {
		if (syscall(SYS_setgroups, 0, NULL) && errno != EPERM)
			return errno;
		if (syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY) && errno != EINVAL)
			return errno;
		if (syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY) && errno != EINVAL)
			return errno;
	}
	if (syscall(SYS_capset, &head, none))
		return errno;
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ? errno : 0;
}

int bfo_jail_enter(int in, int out)
{
	struct rlimit none = { 0, 0 };
	int err = close_others(in, out);

	if (!err && setrlimit(RLIMIT_CORE, &none))
		err = errno;
	if (!err)
		err = drop_rights();
	return err ? err : filter_calls();
}
