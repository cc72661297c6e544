// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy-two.c - copies all of one filesystem into another, both unmounted: an example on libe2bfo
 *
 *	copy-two SOURCE TARGET
 */
#include <stdio.h>
#include <time.h>

#include "base/bfo_err.h"
#include "job/copy.h"

int main(int argc, char **argv)
{
	static const char *const all[] = { "/" };
	struct bfo_context ctx = { .what = "" };
	struct bfo_copy copy;
	errcode_t err;
	int status;

	if (argc != 3)
		return 16;
	initialize_ext2_error_table();
	initialize_bfo_error_table();
	err = bfo_copy_open(&copy, &ctx,
			    &(struct bfo_copy_options){ .source = argv[1],
							.from = all,
							.n_from = 1,
							.read_gap = BFO_GAP_OF_DEVICE,
							.target = argv[2],
							.to = "/",
							.memory = 64 << 20,
							.now = time(NULL) });
	if (!err)
		err = bfo_copy_plan(&copy);
	if (!err)
		err = bfo_copy_commit(&copy);
	if (err)
		com_err("copy-two", err, "while %s", ctx.what);
	status = err ? 8 : copy.job.tree.findings.n ? 1 : 0;
	bfo_copy_close(&copy);
	return status;
}
