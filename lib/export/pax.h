/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pax.h - records of pax archives: "LENGTH KEY=VALUE\n", one behind the other
 *
 * Source of the format: pax in POSIX.1-2017, "pax Extended Header".  Pure functions.
 */
#ifndef BFO_EXPORT_PAX_H
#define BFO_EXPORT_PAX_H

#include "base/vec.h"

/* Records in the making.  A zeroed one is empty. */
struct bfo_pax {
	bfo_chars text;
	errcode_t err;			/* of the first that failed; those after it did nothing */
};

/* Appends a record whose value is LEN bytes, any bytes.  KEY has neither '=' nor NUL. */
void bfo_pax_add(struct bfo_pax *pax, const char *key, const void *value, size_t len);

/* The same; the value is a decimal number. */
void bfo_pax_add_number(struct bfo_pax *pax, const char *key, uint64_t value);

/*
 * The same; the value is a time in seconds since 1970, with 9 digits behind the point unless these
 * are 0.  Before 1970, too, it is the number that is meant: SEC -1 and NSEC 200000000 are
 * "-0.800000000".  What NSEC has beyond a second is carried.
 */
void bfo_pax_add_time(struct bfo_pax *pax, const char *key, int64_t sec, uint32_t nsec);

/* Makes it empty, and takes back its error. */
void bfo_pax_clear(struct bfo_pax *pax);

/* True for UTF-8 as RFC 3629 has it: shortest forms, no surrogates. */
int bfo_pax_is_utf8(const void *text, size_t len);

#endif
