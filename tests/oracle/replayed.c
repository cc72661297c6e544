// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * replayed IMAGE OUT - writes all blocks of IMAGE to OUT as the library shows them, journal
 * replayed; exit 1 and a message if it refuses.  To be compared with what debugfs's journal_run
 * makes of a copy, block by block.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "volume/open.h"

static int write_all(struct bfo_context *ctx, struct bfo_volume *vol, FILE *out)
{
	char *block = malloc(vol->block_size);
	uint64_t blk;
	int ok = !!block;

	for (blk = 0; blk < vol->blocks && ok; blk++)
		ok = !bfo_volume_read(ctx, vol, blk, 1, block) &&
		     fwrite(block, vol->block_size, 1, out) == 1;
	free(block);
	return ok;
}

int main(int argc, char **argv)
{
	const struct bfo_journal_use use = { 0 };
	struct bfo_context ctx = { 0 };
	struct bfo_volume *vol;
	FILE *out;
	errcode_t err;
	int ok;

	initialize_ext2_error_table();
	initialize_bfo_error_table();
	if (argc != 3)
		return 2;
	err = bfo_volume_open_source(&ctx, argv[1], 0, &use, NULL, NULL, NULL, &vol);
	if (err) {
		com_err("replayed", err, "while %s", ctx.what);
		return 1;
	}
	out = fopen(argv[2], "w");
	ok = out && write_all(&ctx, vol, out);
	if (out && fclose(out))
		ok = 0;
	bfo_volume_close(vol);
	return ok ? 0 : 2;
}
