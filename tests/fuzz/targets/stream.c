// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream.c - streams, from anybody (streams.h); all of them are surveyed, too
 *
 * The first byte has two bits more: 16, 32: data that are damaged become holes, or their files go.
 */
#include "../archived.h"
#include "../fuzz.h"
#include "../streams.h"
#include "intake/stream_survey.h"
#include "intake/stream_tree.h"

/* What is counted is in order, whatever was counted. */
static void survey(int fd, size_t bytes)
{
	struct bfo_context ctx = { .what = "" };
	struct bfo_stream_survey s;
	errcode_t err = bfo_stream_survey(&ctx, "stream", fd, NULL, NULL, &s);
	uint64_t stored = 0;
	size_t i;

	if (err && !*ctx.what)
		fuzz_fail("an error without a word");
	for (i = 0; i < BFO_STREAM_KINDS; i++) {
		const struct bfo_stream_frames *k = &s.kinds[i];

		if (k->packed > k->n || k->first > k->end || k->end > bytes)
			fuzz_fail("frames of kind %zu are miscounted", i);
		stored += k->n * BFO_STREAM_HEAD + k->stored;
	}
	if (s.has_facts && BFO_STREAM_PREAMBLE + stored != s.byte)
		fuzz_fail("frames do not add up");
}

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
	opt.damaged = *data & 16 ? BFO_MEDIA_ZERO : *data & 32 ? BFO_MEDIA_SKIP : BFO_MEDIA_STOP;
	survey(opt.fd, bytes);
	if (!bfo_stream_open(&ctx, &opt, &s))
		fuzz_source(s);
	else if (!*ctx.what)
		fuzz_fail("an error without a word");
	return 0;
}
