// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * archive.c - archives of any kind, parsed in this process: libarchive, frames, tree, both ways to
 * read
 *
 * The first byte: what it is said to be (0: as it looks), and components to strip.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../archived.h"
#include "../fuzz.h"

/* All frames go to a file first. */
static errcode_t begin(struct bfo_members *m, struct bfo_context *ctx, const char *name,
		       const struct bfo_parse *p)
{
	int fd = memfd_create("frames", MFD_CLOEXEC);

	if (fd < 0)
		fuzz_fail("memfd: %s", strerror(errno));
	bfo_parse_run(p, fd);
	lseek(fd, 0, SEEK_SET);
	bfo_members_of(m, ctx, name, fd);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bfo_archive_options opt = { .name = "archive", .begin = begin };

	if (!size)
		return 0;
	opt.kind = *data % 3;
	opt.strip = *data / 3 % 3;
	opt.fd = fuzz_archive_file(data + 1, size - 1);
	fuzz_archive(&opt);
	return 0;
}
