// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge.c - a whole copy into a filesystem that is not what it seems
 *
 * A target that was clean is clean afterwards.
 */
#include "../fuzz.h"

static const char *const sources[] = { "small" };
static const char *const targets[] = { "ext4", "ext2", "inline", "bigalloc", "values", "indexed",
				       "atomic" };

static const char *const options[] = {
	"--allow-loss=all", "--keep-inodes", "--itree", "--json", "--to=/dir", "--to=/dir/sub",
	"--to=/indexed", "--dir-fill=100", "--trust", "--verify", NULL
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = fuzz_input(data, size);
	struct fuzz_volume *target = fuzz_volume(targets, 7, in.image, 1);
	struct fuzz_volume *source = fuzz_volume(sources, 1, in.other, 0);
	const char *const copy[] = { "copy", "--memory=1M", "-q", "--not-atomic", source->path,
				     target->path, NULL };
	int judged = fuzz_sample(data, size, 64), status;

	fuzz_steps(target, source, &in);
	if (judged)
		judged = fuzz_is_clean(target, 0);
	status = fuzz_program(copy, options, in.options, 1 << 0 | 1 << 1 | 1 << 8 | 1 << 16);
	if (judged && !fuzz_is_clean(target, 1))
		fuzz_fail("the target was clean and is damaged, exit status %d", status);
	return 0;
}
