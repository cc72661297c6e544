/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xml_time.h - times as XML Schema has them.  Pure functions.
 */
#ifndef BFO_INTAKE_XML_TIME_H
#define BFO_INTAKE_XML_TIME_H

#include <stddef.h>
#include <stdint.h>

/*
 * LEN bytes, an xs:dateTime: YYYY-MM-DDThh:mm:ss, a fraction, and Z or +hh:mm; UTC without either.
 * Digits of the fraction behind the ninth are dropped.  Returns 0 if it is none.
 */
int bfo_xml_time(const char *at, size_t len, int64_t *sec, uint32_t *nsec, int *has_fraction);

#endif
