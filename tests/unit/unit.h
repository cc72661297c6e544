/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit.h - what the unit tests share: judgements, chance, cases
 *
 * check's own assertions leave a mark at every success, which is too slow inside loops over
 * every block or name; those here speak up only when they fail.
 */
#ifndef UNIT_UNIT_H
#define UNIT_UNIT_H

#include <check.h>
#include <stddef.h>
#include <stdint.h>
#include <et/com_err.h>

#include "base/bfo_err.h"

#define want(cond) \
	do { \
		if (!(cond)) \
			ck_abort_msg("%s", "not true: " #cond); \
	} while (0)

#define want_eq(a, b) \
	do { \
		uint64_t want_a = (a), want_b = (b); \
		if (want_a != want_b) \
			ck_abort_msg("%s is %llu, %s is %llu", #a, (unsigned long long) want_a, \
				     #b, (unsigned long long) want_b); \
	} while (0)

#define want_ok(expr) \
	do { \
		errcode_t want_err = (expr); \
		if (want_err) \
			ck_abort_msg("%s: %s", #expr, error_message(want_err)); \
	} while (0)

#define want_err(expr, code) \
	do { \
		errcode_t want_got = (expr); \
		if (want_got != (errcode_t) (code)) \
			ck_abort_msg("%s: \"%s\" instead of %s", #expr, \
				     want_got ? error_message(want_got) : "no error", #code); \
	} while (0)

#define want_mem(a, b, len) want(!memcmp(a, b, len))

/* Same numbers in every run; UNIT_SEED in the environment gives others. */
struct chance {
	uint64_t state;
};

void chance_init(struct chance *c, uint64_t seed);
uint64_t chance_bits(struct chance *c);
uint32_t chance_below(struct chance *c, uint32_t n);			/* 0 .. n - 1 */
uint32_t chance_between(struct chance *c, uint32_t lo, uint32_t hi);	/* both included */
void chance_fill(struct chance *c, void *buf, size_t len);

/* Memory, or the test fails. */
void *unit_alloc(size_t bytes);			/* zeroed */
void *unit_copy(const void *data, size_t bytes);

/* Adds TEST to SUITE as a case of its own; loops COUNT times over _i if COUNT is not 0. */
void unit_case(Suite *suite, const char *name, const TTest *test, int count);

/* A path in this run's folder, which is gone when the program ends; free() it. */
char *unit_path(const char *name);
void unit_folder_make(void);
void unit_folder_remove(void);

#endif
