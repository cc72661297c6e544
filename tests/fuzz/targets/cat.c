// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cat.c - writes files of a filesystem that is not what it seems: of each so much, as a changed
 * size may be enormous
 */
#include "../fuzz.h"

static const char *const images[] = { "ext4", "ext2", "inline", "bigalloc", "values", "indexed",
				      "journal" };

static const char *const options[] = {
	"--batch", "-0", "--memory=1M", "--on-read-error=zero", "--ignore-journal", "--inode=13",
	"--inode=20", NULL
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = fuzz_input(data, size);
	struct fuzz_volume *v = fuzz_volume(images, 7, in.image, 0);
	const char *const cat[] = { "cat", in.image & 64 ? "--range=0:100000" : "--range=700:100000",
				    v->path, "/dir/file", "/large", "/holes",
				    "/dir/sub/page.html", "/indexed", NULL };

	fuzz_steps(v, NULL, &in);
	fuzz_program(cat, options, in.options, 1 << 0 | 1 << 1 | 1 << 8 | 1 << 16);
	return 0;
}
