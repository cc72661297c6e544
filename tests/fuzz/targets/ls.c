// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ls.c - lists a filesystem that is not what it seems
 */
#include "../fuzz.h"

static const char *const images[] = { "ext4", "ext2", "inline", "bigalloc", "values", "indexed",
				      "journal" };

static const char *const options[] = {
	"-R", "-l", "-a", "-d", "--json", "-0", "--on-read-error=skip", "--ignore-journal",
	"--deleted", NULL
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = fuzz_input(data, size);
	struct fuzz_volume *v = fuzz_volume(images, 7, in.image, 0);
	const char *const ls[] = { "ls", v->path, NULL };

	fuzz_steps(v, NULL, &in);
	fuzz_program(ls, options, in.options, 1 << 0 | 1 << 1 | 1 << 8 | 1 << 16);
	return 0;
}
