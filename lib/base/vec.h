/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vec.h - growing arrays of plain records
 *
 * BFO_VEC(type) is a struct of its own for each use: `v` the records, `n` how many there are,
 * `cap` how many fit.  A zeroed struct is an empty array; bfo_vec_free() leaves one behind.
 * Arrays grow by half: large ones are moved by mremap(2) inside realloc(3), so that untouched
 * pages cost nothing.
 */
#ifndef BFO_BASE_VEC_H
#define BFO_BASE_VEC_H

#include <stddef.h>
#include <stdint.h>
#include <et/com_err.h>

#define BFO_VEC(type) struct { type *v; size_t n, cap; }

typedef BFO_VEC(char) bfo_chars;

/* Makes room for `more` further records; returns 0, ENOMEM or BFO_ET_OVERFLOW. */
#define bfo_vec_reserve(vec, more) \
	bfo_vec_grow((void **) &(vec)->v, &(vec)->cap, (vec)->n, (more), sizeof(*(vec)->v))

/*
 * Appends one record (after making room); returns 0 or an error.  The record's expression sees
 * the array as it was before.
 */
#define bfo_vec_push(vec, ...) ({ \
	__typeof__(*(vec)->v) bfo_vec_item = (__VA_ARGS__); \
	errcode_t bfo_vec_err = bfo_vec_reserve(vec, 1); \
	if (!bfo_vec_err) \
		(vec)->v[(vec)->n++] = bfo_vec_item; \
	bfo_vec_err; })

/* Position of the first record whose FIELD is not below KEY; the array ascends by FIELD. */
#define bfo_vec_lower(vec, field, key) bfo_vec_lower_at(vec, .field, key)

/* The same of an array of numbers. */
#define bfo_vec_lower_number(vec, key) bfo_vec_lower_at(vec, , key)

#define bfo_vec_lower_at(vec, at, key) ({ \
	size_t bfo_lo = 0, bfo_hi = (vec)->n, bfo_mid; \
	while (bfo_lo < bfo_hi) { \
		bfo_mid = bfo_lo + (bfo_hi - bfo_lo) / 2; \
		if ((vec)->v[bfo_mid] at < (key)) \
			bfo_lo = bfo_mid + 1; \
		else \
			bfo_hi = bfo_mid; \
	} \
	bfo_lo; })

/*
 * The record at I, or behind the last one; NULL of an array that never had any (NULL + 0 is
 * undefined).
 */
#define bfo_vec_at(vec, i) ((vec)->v ? (vec)->v + (i) : NULL)

#define bfo_vec_free(vec) \
	bfo_vec_drop((void **) &(vec)->v, &(vec)->n, &(vec)->cap)

/* Many arrays that hardly grow any more: they keep what they need, as far as that is to be had. */
#define bfo_vec_trim(vec) \
	bfo_vec_shrink((void **) &(vec)->v, (vec)->n, &(vec)->cap, sizeof(*(vec)->v))

/* Bytes the array keeps allocated. */
#define bfo_vec_bytes(vec) ((vec)->cap * sizeof(*(vec)->v))

/* The functions behind the macros. */
errcode_t bfo_vec_grow(void **v, size_t *cap, size_t n, size_t more, size_t size);
void bfo_vec_drop(void **v, size_t *n, size_t *cap);
void bfo_vec_shrink(void **v, size_t n, size_t *cap, size_t size);

#endif
