/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * same_attrs.h - attributes of a member of a composite file, compared: not by what writes them
 */
#ifndef E2BFO_TESTS_SAME_ATTRS_H
#define E2BFO_TESTS_SAME_ATTRS_H

#include "pack/composite.h"

static inline int same_attrs(const struct bfo_composite_attrs *a,
			     const struct bfo_composite_attrs *b)
{
	int i, same = a->fields == b->fields && a->mode == b->mode && a->version == b->version &&
		      a->generation == b->generation;

	for (i = 0; i < BFO_COMPOSITE_TIMES; i++)
		same &= a->time[i].sec == b->time[i].sec && a->time[i].nsec == b->time[i].nsec;
	return same;
}

#endif
