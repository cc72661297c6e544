/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sort.h - linear-time sorting in place
 */
#ifndef BFO_BASE_SORT_H
#define BFO_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Sorts N records of SIZE bytes (a multiple of 8, at most 64) by KEYS words of 32 bits that stand
 * at byte 0 of every record, the first word being the most significant; each word in host order.
 * Not stable: records with equal keys end next to each other, in any but a deterministic order.
 *
 * American flag sort (McIlroy, Bostic, McIlroy: "Engineering Radix Sort", 1993): most significant
 * digit first, permuting in place, so no second array is needed (P7).
 */
void bfo_sort(void *base, size_t n, size_t size, unsigned int keys);

/*
 * Defines NAME, a comparator for qsort(3): records of TYPE ascend by the number FIELD.  Large
 * arrays take bfo_sort().
 */
#define BFO_SORT_BY(name, type, field) \
	static int name(const void *a, const void *b) \
	{ \
		const type *x = a, *y = b; \
	\
		return (x->field > y->field) - (x->field < y->field); \
	}

/* Sorts N numbers in place; V may be NULL if there are none. */
void bfo_sort_numbers(uint32_t *v, size_t n);

/* The same, and each stays once: how many these are. */
size_t bfo_sort_unique(uint32_t *v, size_t n);

#endif
