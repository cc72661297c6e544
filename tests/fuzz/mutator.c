// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mutator.c - mutations of steps
 *
 * Steps are made, dropped, repeated, exchanged and changed as wholes; values that make a difference
 * are tried before any others.  Now and then the engine mutates the bytes, which knows what the
 * code compares them with.
 */
#include <string.h>

#include "fuzz.h"

static uint32_t state;

static uint32_t draw(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state % below;
}

/* What fields are made of: small numbers, sizes, limits, modes, flags. */
static uint32_t draw_value(void)
{
	static const uint32_t values[] = {
		0, 1, 2, 3, 4, 8, 11, 12, 13, 16, 28, 32, 0x7f, 0x80, 0xff, 0x100, 1012, 1023, 1024,
		1025, 0x7fff, 0x8000, 0x8001, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe,
		0xffffffff,
		0x1ed, 0x11ed, 0x21ed, 0x41ed, 0x61ed, 0x81ed, 0xa1ff, 0xc1ed,	/* modes */
		0x10, 0x800, 0x1000, 0x80000, 0x100000, 0x200000, 0x10000000, 0x40000000,
		0x280000, 0x10080000, 0xf30a, 0xea020000,
	};

	switch (draw(4)) {
	case 0:
		return draw(64);		/* an inode */
	case 1:
		return draw(512);		/* a block */
	case 2:
		return (draw(0x10000) << 16) | draw(0x10000);
	default:
		return values[draw(sizeof(values) / sizeof(*values))];
	}
}

static void draw_step(uint8_t *step)
{
	uint32_t value = draw_value();
	uint16_t which = draw(8) ? draw(64) : draw(1024);
	uint16_t nth = draw(4) ? draw(8) : draw(2) ? draw(512) : 0x8000 | draw(4);

	step[0] = draw(64) ? draw(fuzz_rows()) : 0xff;
	step[1] = draw(4) ? 0 : draw(4);
	step[1] |= draw(2) << 7;
	memcpy(step + 2, &which, sizeof(which));
	memcpy(step + 4, &nth, sizeof(nth));
	memcpy(step + 6, &value, sizeof(value));
}

/* Some part of the step becomes that of another one. */
static void change_step(uint8_t *step)
{
	static const uint8_t parts[][2] = { { 0, 1 }, { 1, 1 }, { 2, 2 }, { 4, 2 }, { 6, 4 } };
	const uint8_t *part = parts[draw(5)];
	uint8_t other[FUZZ_STEP];

	draw_step(other);
	memcpy(step + part[0], other + part[0], part[1]);
}

static void exchange(uint8_t *a, uint8_t *b)
{
	uint8_t step[FUZZ_STEP];

	memcpy(step, a, FUZZ_STEP);
	memmove(a, b, FUZZ_STEP);
	memcpy(b, step, FUZZ_STEP);
}

static size_t mutate_steps(uint8_t *steps, size_t n, size_t most)
{
	uint8_t *at = steps + (n ? draw(n) : 0) * FUZZ_STEP, *end = steps + n * FUZZ_STEP;

	switch (n ? draw(8) : 0) {
	case 0:
	case 1:
		if (n == most)
			break;
		memmove(at + FUZZ_STEP, at, end - at);
		draw_step(at);
		return n + 1;
	case 2:
		memmove(at, at + FUZZ_STEP, end - at - FUZZ_STEP);
		return n - 1;
	case 3:
		if (n == most)
			break;
		memcpy(end, at, FUZZ_STEP);
		change_step(end);
		return n + 1;
	case 4:
		exchange(at, steps + draw(n) * FUZZ_STEP);
		return n;
	}
	if (n)
		change_step(at);
	return n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	size_t n = size < FUZZ_HEAD ? 0 : (size - FUZZ_HEAD) / FUZZ_STEP;

	state = seed * 2654435761U | 1;
	if (most < FUZZ_HEAD + FUZZ_STEP || !draw(8))
		return LLVMFuzzerMutate(data, size, most);
	if (size < FUZZ_HEAD)
		memset(data + size, 0, FUZZ_HEAD - size);
	if (!draw(8))
		data[draw(FUZZ_HEAD)] = draw(256);
	n = mutate_steps(data + FUZZ_HEAD, n, (most - FUZZ_HEAD) / FUZZ_STEP);
	return FUZZ_HEAD + n * FUZZ_STEP;
}
