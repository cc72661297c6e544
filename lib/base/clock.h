/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.h - how much time has passed
 */
#ifndef BFO_BASE_CLOCK_H
#define BFO_BASE_CLOCK_H

/* Seconds of a clock that only goes forward. */
double bfo_clock(void);

/* Seconds that the calling thread has had a processor. */
double bfo_thread_clock(void);

/* Whose time it is: that of the machine, or, in tests, one that goes as they want. */
struct bfo_timer {
	double (*now)(void *priv);			/* as bfo_clock() */
	void (*wait)(void *priv, double seconds);	/* a signal may end it early */
	void *priv;
};

extern const struct bfo_timer bfo_real_time;

#endif
