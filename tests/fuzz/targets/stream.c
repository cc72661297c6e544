// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream.c - streams, from anybody (streams.h)
 */
#include "../archived.h"
#include "../fuzz.h"
#include "../streams.h"
#include "intake/stream_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bfo_context ctx = { .what = "" };
	struct bfo_stream_options opt = { .name = "stream" };
	struct bfo_source *s;
	const uint8_t *made;
	size_t bytes;

	if (!size)
		return 0;
	made = fuzz_stream(data, size, &bytes);
	opt.fd = fuzz_archive_file(made, bytes);
	if (!bfo_stream_open(&ctx, &opt, &s))
		fuzz_source(s);
	else if (!*ctx.what)
		fuzz_fail("an error without a word");
	return 0;
}
