// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * journal.c - a source as its journal would leave it
 */
#include "../fuzz.h"
#include "volume/open.h"

static const char *const images[] = { "journal", "journal3", "atomic" };

/* Reads all that the journal may have put something over. */
static void read_all(struct bfo_context *ctx, struct bfo_volume *vol)
{
	char block[EXT2_MAX_BLOCK_SIZE];
	uint64_t blk;

	for (blk = 0; blk < vol->blocks && blk < 2048; blk++)
		bfo_volume_read(ctx, vol, blk, 1, block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = fuzz_input(data, size);
	struct fuzz_volume *v = fuzz_volume(images, 3, in.image, 0);
	struct bfo_context ctx = { 0 };
	struct bfo_volume *vol;

	fuzz_steps(v, NULL, &in);
	if (!bfo_volume_open_source(&ctx, v->path, 0, NULL, NULL, NULL, NULL, &vol)) {
		read_all(&ctx, vol);
		bfo_volume_close(vol);
	}
	return 0;
}
