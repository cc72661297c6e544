/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pax_text.h - what stands in headers of pax archives: records, numbers, times
 *
 *   record    "LENGTH KEY=VALUE\n", LENGTH in decimal digits, of all of it
 *   time      [-]SECONDS[.FRACTION], at most 9 digits behind the point; -0.8 is 0.8 s before 1970
 *
 * Source: POSIX, pax(1).  Pure functions.  Those that read something return 1, or 0 if it is none,
 * or too large.
 */
#ifndef BFO_INTAKE_PAX_TEXT_H
#define BFO_INTAKE_PAX_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* LEN bytes at V, any bytes. */
struct bfo_pax_text {
	char *v;
	size_t len;
};

struct bfo_pax_record {
	struct bfo_pax_text key, value;
};

/* The record that REST begins with, which it does no more then.  The key is not empty. */
int bfo_pax_record_next(struct bfo_pax_text *rest, struct bfo_pax_record *r);

/* What stands before the next SEPARATOR, or the end; *MORE: there is one, and REST follows it. */
struct bfo_pax_text bfo_pax_text_cut(struct bfo_pax_text *rest, char separator, int *more);

int bfo_pax_text_is(const struct bfo_pax_text *t, const char *word);

/* Digits to BASE, 16 at most, and nothing else, up to MOST. */
int bfo_pax_number(const struct bfo_pax_text *t, unsigned int base, uint64_t most, uint64_t *value);

int bfo_pax_time(const struct bfo_pax_text *t, int64_t *sec, uint32_t *nsec);

/* A field of a header, LEN bytes at V: octal digits, behind them spaces and zero bytes alone. */
int bfo_pax_field(const char *v, size_t len, uint64_t *value);

#endif
