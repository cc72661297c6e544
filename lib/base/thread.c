// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thread.c - threads of our own, that no signal of the program's interrupts
 */
#include <signal.h>

#include "base/thread.h"

int bfo_thread_start(pthread_t *thread, void *(*main)(void *arg), void *arg)
{
	sigset_t others, before;
	int err;

	sigfillset(&others);
	sigdelset(&others, SIGBUS);
	sigdelset(&others, SIGFPE);
	sigdelset(&others, SIGILL);
	sigdelset(&others, SIGSEGV);
	pthread_sigmask(SIG_SETMASK, &others, &before);
	err = pthread_create(thread, NULL, main, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}
