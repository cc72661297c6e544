// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unit.c - chance, memory and scratch files of the unit tests
 *
 * Chance is splitmix64 (Steele, Lea, Flood 2014): one word of state, so that every test begins
 * its own sequence.  The folder for files is made before the first test and removed after the
 * last by main(); check runs each test in a process of its own, which only uses it.
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#define TIMEOUT 30		/* seconds for one test; CK_TIMEOUT_MULTIPLIER stretches it */

static char folder[256];

void chance_init(struct chance *c, uint64_t seed)
{
	const char *other = getenv("UNIT_SEED");

	c->state = seed + (other ? strtoull(other, NULL, 0) << 20 : 0);
}

uint64_t chance_bits(struct chance *c)
{
	uint64_t z = c->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

uint32_t chance_below(struct chance *c, uint32_t n)
{
	return (chance_bits(c) >> 32) * n >> 32;
}

uint32_t chance_between(struct chance *c, uint32_t lo, uint32_t hi)
{
	return lo + chance_below(c, hi - lo + 1);
}

void chance_fill(struct chance *c, void *buf, size_t len)
{
	uint8_t *p = buf;
	uint64_t bits;

	for (; len >= sizeof(bits); p += sizeof(bits), len -= sizeof(bits)) {
		bits = chance_bits(c);
		memcpy(p, &bits, sizeof(bits));
	}
	bits = chance_bits(c);
	memcpy(p, &bits, len);
}

void *unit_alloc(size_t bytes)
{
	void *p = calloc(bytes ? bytes : 1, 1);

	want(p);
	return p;
}

void *unit_copy(const void *data, size_t bytes)
{
	void *p = unit_alloc(bytes);

	if (bytes)
		memcpy(p, data, bytes);
	return p;
}

void unit_case(Suite *suite, const char *name, const TTest *test, int count)
{
	TCase *tc = tcase_create(name);

	tcase_set_timeout(tc, TIMEOUT);
	if (count)
		tcase_add_loop_test(tc, test, 0, count);
	else
		tcase_add_test(tc, test);
	suite_add_tcase(suite, tc);
}

char *unit_path(const char *name)
{
	char *path = NULL;

	want(asprintf(&path, "%s/%s", folder, name) > 0);
	return path;
}

void unit_folder_make(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(folder, sizeof(folder), "%s/e2bfo-unit.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(folder)) {
		perror(folder);
		exit(2);
	}
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void) st;
	(void) type;
	(void) ftw;
	return remove(path);
}

void unit_folder_remove(void)
{
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
