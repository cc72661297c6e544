/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread.h - threads of our own, that no signal of the program's interrupts
 */
#ifndef BFO_BASE_THREAD_H
#define BFO_BASE_THREAD_H

#include <pthread.h>

/*
 * A thread that runs MAIN with ARG, with all signals blocked but those of its own faults: others
 * are for the threads that the program knows.  Returns 0 or the error of pthread_create(3); then
 * *THREAD is not to be used.
 */
int bfo_thread_start(pthread_t *thread, void *(*main)(void *arg), void *arg);

#endif
