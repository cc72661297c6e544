// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * itree.c - checks and rebuilds indexes, with the container, the directories or all else damaged
 *
 * A filesystem that was clean is clean afterwards, and then a second run has nothing to do.
 */
#include "../fuzz.h"

static const char *const images[] = { "indexed", "ext4", "ext2", "inline", "bigalloc" };
static const char *const modes[] = { "-p", "-n", "-l", "-r", "-y", "-d/indexed" };

static const char *const options[] = { "-m1", "--json", "-v", "-m0", "--trust", "-f", NULL };

#define ONE_OF(in) ((in).options >> 8)
#define ALL_EXITS (0xffULL << 0 | 1ULL << 8 | 0xfULL << 9 | 1ULL << 16)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = fuzz_input(data, size);
	struct fuzz_volume *v = fuzz_volume(images, 5, in.image, 1);
	const char *const itree[] = { modes[ONE_OF(in) % 6], "--memory=8M", v->path, NULL };
	const char *const again[] = { "-n", "-q", v->path, NULL };
	int judged = fuzz_sample(data, size, 64), status;

	fuzz_steps(v, NULL, &in);
	if (judged)
		judged = fuzz_is_clean(v, 0);
	status = fuzz_program(itree, options, in.options & 0xff, ALL_EXITS);
	if (judged && !fuzz_is_clean(v, 1))
		fuzz_fail("it was clean and is damaged, exit status %d", status);
	if (judged && status == 1 && !(ONE_OF(in) % 6))
		fuzz_program(again, NULL, 0, 1 << 0);
	return 0;
}
