// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy.c - a whole copy from a filesystem that is not what it seems
 *
 * Whatever the source is, the target is clean afterwards; and if all was kept, verify finds so.
 * The upper half of the byte that chooses the target says how many of 64 parts of the source are
 * there, in the first of which lies what it has: an image that ends too early, within a block; 0:
 * all.
 */
#include "../fuzz.h"

static const char *const sources[] = { "ext4", "ext2", "inline", "bigalloc", "values", "journal" };
static const char *const targets[] = { "plain", "plain2", "ample", "atomic" };

#define ELSEWHERE 0xf000		/* options that copy less, or to another place */

static const char *const options[] = {
	"--allow-loss=all", "--keep-inodes", "--verify", "--itree", "--order=source", "--order=name",
	"--order=refs", "--json", "--read-gap=0", "--dir-fill=100", "--on-read-error=zero",
	"--on-read-error=skip", "--from=/dir", "--to=/new/deep", "--exclude=*a*", "--ignore-journal",
	NULL
};

/* The source's path; it is less than PARTS / 64 of it, if that is not 0. */
static const char *source_path(const struct fuzz_volume *v, unsigned int parts)
{
	return parts ? fuzz_file(v->at, v->size / 64 * parts - 300) : v->path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = fuzz_input(data, size);
	struct fuzz_volume *source = fuzz_volume(sources, 6, in.image, 0);
	struct fuzz_volume *target = fuzz_volume(targets, 4, in.other % 16, 1);
	const char *copy[] = { "copy", "--memory=1M", "-q", NULL, target->path, NULL };
	const char *verify[] = { "verify", "--memory=1M", NULL, target->path, NULL };
	int status;

	fuzz_steps(source, NULL, &in);
	copy[3] = verify[2] = source_path(source, in.other / 16);
	status = fuzz_program(copy, options, in.options, 1 << 0 | 1 << 1 | 1 << 8 | 1 << 16);
	if (status == 16)
		return 0;
	if (!status && !(in.options & ELSEWHERE) && fuzz_sample(data, size, 8))
		fuzz_program(verify, NULL, 0, 1 << 0);
	if (fuzz_sample(data, size, 64) && !fuzz_is_clean(target, 1))
		fuzz_fail("the target is damaged, exit status %d", status);
	return 0;
}
