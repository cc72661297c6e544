// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * change.c - a batch of changes in a filesystem that is not what it seems
 *
 * What operations say does not matter; a target that was clean is clean afterwards.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "job/batch_write.h"

#include "../fuzz.h"

#define NOW 1000000000

static const char *const targets[] = { "ext4", "ext2", "inline", "bigalloc", "values", "kept",
				       "atomic" };

static const char *const files[] = { "/dir/file", "/large", "/holes", "/empty", "/hard",
				     "/dir/sub/page.html" };

#define FILES (sizeof(files) / sizeof(*files))

static const char bytes[9000];

/* Names come and go. */
static void names(struct bfo_batch *b, uint16_t options)
{
	static const char *const dirs[] = { "", "/dir", "/indexed", "/dir/sub/deep", "/new" };
	const struct bfo_batch_content c = { .data = bytes, .size = options & 1 ? 3000 : 30 };
	char path[80];
	size_t i, k;

	bfo_batch_mkdir(b, "/new/er", NULL, BFO_BATCH_PARENTS);
	for (i = 0; i < sizeof(dirs) / sizeof(*dirs); i++)
		for (k = 0; k < 12; k++) {
			snprintf(path, sizeof(path), "%s/some-name-that-is-long-%zu", dirs[i], k);
			bfo_batch_create(b, path, NULL, &c, 0);
		}
	bfo_batch_symlink(b, "/dir/link", "target", NULL, 0);
	bfo_batch_link(b, "/hard", "/dir/sub/harder", 0);
	bfo_batch_rename(b, "/dir/sub", "/indexed/sub", 0);
	bfo_batch_rename(b, "/short", "/long", BFO_BATCH_REPLACE);
}

static void contents(struct bfo_batch *b)
{
	const struct bfo_batch_content c = { .data = bytes, .size = sizeof(bytes) };
	const struct bfo_batch_content little = { .data = bytes, .size = 10 };
	char buf[3000];
	size_t got, i;

	for (i = 0; i < FILES; i++) {
		bfo_batch_pread(b, files[i], 10, buf, sizeof(buf), &got);
		bfo_batch_append(b, files[i], i % 2 ? &c : &little, 0);
		bfo_batch_update(b, files[i], 1500, i % 3 ? &little : &c, 0);
	}
	bfo_batch_truncate(b, "/large", 7000);
	bfo_batch_truncate(b, "/holes", 100);
	bfo_batch_create(b, "/empty", NULL, &little, BFO_BATCH_REPLACE);
}

static void attributes(struct bfo_batch *b)
{
	const struct bfo_batch_xattr list[] = { { "user.small", "another", 7 },
						{ "user.medium", bytes, 400 },
						{ "user.gone", NULL, 0 } };
	const struct bfo_batch_attr a = { .set = BFO_BATCH_MODE | BFO_BATCH_UID | BFO_BATCH_PROJECT,
					  .mode = 0640, .uid = 7, .project = 9, .xattrs = list,
					  .n_xattrs = 3 };
	const struct bfo_batch_xattr large[] = { { "user.large", bytes, sizeof(bytes) } };
	const struct bfo_batch_attr c = { .xattrs = large, .n_xattrs = 1 };
	size_t i;

	for (i = 0; i < FILES; i++)
		bfo_batch_set(b, files[i], &a);
	for (i = 0; i < FILES; i++)
		bfo_batch_set(b, files[i], &c);		/* where values may have inodes */
	bfo_batch_set(b, "/dir", &a);
}

static void removals(struct bfo_batch *b)
{
	bfo_batch_remove(b, "/dir/file", 0);
	bfo_batch_remove(b, "/pipe", 0);
	bfo_batch_remove(b, "/dir", BFO_BATCH_TREE);
	bfo_batch_remove(b, "/indexed", BFO_BATCH_TREE);
	bfo_batch_remove(b, "/large", 0);
}

static void change(const char *path, uint16_t options)
{
	const struct bfo_batch_options opt = { .volume = path, .now = NOW, .is_not_atomic = 1,
					       .is_forced = options & 32, .memory = 1 << 20 };
	struct bfo_context ctx = { 0 };
	struct bfo_batch *b;

	if (bfo_batch_open(&ctx, &opt, &b))
		return;
	if (!(options & 2))
		names(b, options);
	if (options & 64)
		bfo_batch_commit(b, NULL);
	if (!(options & 4))
		contents(b);
	if (!(options & 8))
		attributes(b);
	if (options & 128)
		bfo_batch_commit(b, NULL);
	if (!(options & 16))
		removals(b);
	bfo_batch_commit(b, NULL);
	bfo_batch_close(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = fuzz_input(data, size);
	struct fuzz_volume *target = fuzz_volume(targets, 7, in.image, 1);
	int judged = fuzz_sample(data, size, 64);

	fuzz_steps(target, NULL, &in);
	if (judged)
		judged = fuzz_is_clean(target, 0);
	change(target->path, in.options);
	if (judged && !fuzz_is_clean(target, 1))
		fuzz_fail("the target was clean and is damaged");
	return 0;
}
