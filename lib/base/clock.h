/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock.h - how much time has passed
 */
#ifndef BFO_BASE_CLOCK_H
#define BFO_BASE_CLOCK_H

/* Seconds of a clock that only goes forward. */
double bfo_clock(void);

#endif
