// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resolve.c - many paths, looked up in a filesystem that is not what it seems, by the indexes of
 * its directories, however short these are
 *
 * In an image as it was made, what the indexes lead to is what is found where directories are read
 * as a whole.
 */
#include <stdio.h>
#include <string.h>

#include "../fuzz.h"
#include "gather/resolve.h"
#include "volume/medium.h"

#define NAMES 40
#define PATHS (NAMES + 12)

static const char *const images[] = { "levels", "indexed", "ext4", "ext2", "inline", "bigalloc",
				      "values" };

static const char *const others[PATHS - NAMES] = {
	"/", "/dir/file", "/dir/sub/page.html", "/dir/sub/deep", "/dir/sub/deep/nothing", "/holes",
	"/indexed", "/lost+found/x", "//./dir/", "/dir/../large", "/target/x", "/large/x",
};

struct ways {
	struct bfo_resolved v[PATHS];
	errcode_t err;
};

static void look_up(struct bfo_context *ctx, struct bfo_volume *vol, const char *const *paths,
		    int by_index, struct ways *ways)
{
	struct bfo_reader reader;
	size_t i;

	memset(ways, 0, sizeof(*ways));
	ways->err = bfo_reader_init(&reader, ctx, vol, BFO_GAP_OF_DEVICE);
	if (by_index)
		reader.gap = reader.seek = 0;
	if (!ways->err)
		ways->err = bfo_resolve(&reader, paths, PATHS, ways->v);
	for (i = 0; i < PATHS && !ways->err; i++)
		bfo_resolved_check(ctx, "image", paths[i], &ways->v[i]);
	bfo_reader_free(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char names[NAMES][80];
	struct fuzz_input in = fuzz_input(data, size);
	struct fuzz_volume *v = fuzz_volume(images, 7, in.image, 0);
	struct bfo_medium medium = { .how.mode = in.options & 1 ? BFO_MEDIA_STOP : BFO_MEDIA_ZERO };
	const struct bfo_journal_use journal = { .ignore = 1 };
	const char *paths[PATHS];
	struct bfo_context ctx = { 0 };
	struct bfo_volume *vol;
	struct ways by_index, whole;
	size_t i;

	fuzz_steps(v, NULL, &in);
	for (i = 0; i < NAMES; i++) {
		snprintf(names[i], sizeof(names[i]),
			 "/indexed/a-name-that-is-long-enough-for-three-blocks-%zu", i * 71 % 2400);
		paths[i] = names[i];
	}
	memcpy(paths + NAMES, others, sizeof(others));
	if (bfo_medium_open(&medium, &ctx, v->path, &journal, &vol))
		return 0;
	look_up(&ctx, vol, paths, 1, &by_index);
	if (!in.n) {
		look_up(&ctx, vol, paths, 0, &whole);
		if (memcmp(&by_index, &whole, sizeof(whole)))
			fuzz_fail("by indexes other inodes are found");
	}
	bfo_volume_close(vol);
	bfo_medium_free(&medium);
	return 0;
}
