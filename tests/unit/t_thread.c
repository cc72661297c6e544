// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_thread.c - base/thread: signals go to the program's threads
 */
#include <signal.h>

#include "base/thread.h"
#include "unit.h"

static void *note_mask(void *arg)
{
	pthread_sigmask(SIG_SETMASK, NULL, arg);
	return NULL;
}

START_TEST(signals_are_for_others)
{
	sigset_t mine, theirs;
	pthread_t thread;

	want_ok(bfo_thread_start(&thread, note_mask, &theirs));
	want_ok(pthread_join(thread, NULL));
	want(sigismember(&theirs, SIGINT) == 1);
	want(sigismember(&theirs, SIGUSR1) == 1);
	want(!sigismember(&theirs, SIGSEGV));
	pthread_sigmask(SIG_SETMASK, NULL, &mine);
	want(!sigismember(&mine, SIGINT));
}
END_TEST

Suite *thread_suite(void)
{
	Suite *s = suite_create("thread");

	unit_case(s, "signals_are_for_others", signals_are_for_others, 0);
	return s;
}
