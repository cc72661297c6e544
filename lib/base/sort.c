// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sort.c - American flag sort over records that begin with their key
 *
 * A digit is one byte of the key.  Buckets below SMALL records are finished by insertion sort.
 * Digits that are equal in the whole bucket (the upper bytes of directory indexes, mostly) cost
 * one counting pass and no moves.  What comes in order, as batches of what was laid out in that
 * order do, costs one pass of comparisons; in any other order that ends at once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

#define SMALL 24
#define MAX_SIZE 64

struct sort {
	size_t size;
	unsigned int keys;
};

static uint32_t key_word(const uint8_t *rec, unsigned int word)
{
	uint32_t k;

	memcpy(&k, rec + 4 * word, 4);
	return k;
}

static unsigned int digit_of(const uint8_t *rec, unsigned int digit)
{
	return key_word(rec, digit / 4) >> (24 - 8 * (digit % 4)) & 255;
}

static int less(const struct sort *s, const uint8_t *a, const uint8_t *b)
{
	unsigned int w;

	for (w = 0; w < s->keys; w++)
		if (key_word(a, w) != key_word(b, w))
			return key_word(a, w) < key_word(b, w);
	return 0;
}

static void insertion_sort(const struct sort *s, uint8_t *base, size_t n)
{
	uint8_t tmp[MAX_SIZE];
	size_t i, j;

	for (i = 1; i < n; i++) {
		memcpy(tmp, base + i * s->size, s->size);
		for (j = i; j && less(s, tmp, base + (j - 1) * s->size); j--)
			memcpy(base + j * s->size, base + (j - 1) * s->size, s->size);
		memcpy(base + j * s->size, tmp, s->size);
	}
}

/* Moves every record into the bucket of its digit; `end` holds the buckets' ends. */
static void permute(const struct sort *s, uint8_t *base, unsigned int digit, size_t *next,
		    const size_t *end)
{
	uint8_t held[MAX_SIZE], tmp[MAX_SIZE];
	unsigned int b, d;

	for (b = 0; b < 256; b++)
		while (next[b] < end[b]) {
			memcpy(held, base + next[b] * s->size, s->size);
			while ((d = digit_of(held, digit)) != b) {
				uint8_t *slot = base + next[d]++ * s->size;

				memcpy(tmp, slot, s->size);
				memcpy(slot, held, s->size);
				memcpy(held, tmp, s->size);
			}
			memcpy(base + next[b]++ * s->size, held, s->size);
		}
}

static void flag_sort(const struct sort *s, uint8_t *base, size_t n, unsigned int digit)
{
	size_t count[256] = { 0 }, next[256], end[256], i, sum = 0;

	if (n < SMALL) {
		insertion_sort(s, base, n);
		return;
	}
	for (i = 0; i < n; i++)
		count[digit_of(base + i * s->size, digit)]++;
	for (i = 0; i < 256; i++) {
		next[i] = sum;
		sum += count[i];
		end[i] = sum;
	}
	if (count[digit_of(base, digit)] < n)
		permute(s, base, digit, next, end);
	if (++digit == 4 * s->keys)
		return;
	for (i = 0; i < 256; i++)
		if (count[i] > 1)
			flag_sort(s, base + (end[i] - count[i]) * s->size, count[i], digit);
}

static int is_sorted(const struct sort *s, const uint8_t *base, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++)
		if (less(s, base + i * s->size, base + (i - 1) * s->size))
			return 0;
	return 1;
}

void bfo_sort(void *base, size_t n, size_t size, unsigned int keys)
{
	struct sort s = { .size = size, .keys = keys };

	if (!is_sorted(&s, base, n))
		flag_sort(&s, base, n, 0);
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

	return (x > y) - (x < y);
}

void bfo_sort_numbers(uint32_t *v, size_t n)
{
	if (n)
		qsort(v, n, sizeof(*v), by_number);
}

size_t bfo_sort_unique(uint32_t *v, size_t n)
{
	size_t i, kept = 0;

	bfo_sort_numbers(v, n);
	for (i = 0; i < n; i++)
		if (!kept || v[kept - 1] != v[i])
			v[kept++] = v[i];
	return kept;
}
