// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record.c - a target whose record of an interrupted copy is not what it seems
 *
 * Everything looks at it, as "resume -n" does; one in eight of those that find one gives the copy
 * up, goes on with it, or copies once more.  If only the record's own blocks were changed, the
 * target is clean after what was done.
 */
#include <string.h>

#include "../fuzz.h"
#include "commit/look.h"

#define BLOCK 1024U		/* of the images */

static const char *const sources[] = { "small" };
static const char *const targets[] = { "stopped-early", "stopped-late", "stopped3", "stopped-groups" };

enum { ABORT, RESUME, TRY, COPY, WAYS };

/* What is there, as far as nobody writes. */
static enum bfo_left_state look(const struct fuzz_volume *v)
{
	struct bfo_context ctx = { 0 };
	struct bfo_left left;

	bfo_left_look(&ctx, v->path, &left);
	bfo_left_free(&left);
	return left.state;
}

/* Is V as it was made but for the record's blocks?  (A record has some of the first twelve.) */
static int is_record_alone(const struct fuzz_volume *v, uint32_t ino)
{
	const uint8_t *own[12];
	size_t at, i;

	for (i = 0; i < 12; i++)
		own[i] = fuzz_file_block(v, ino, i);
	for (at = 0; at < v->size; at += BLOCK) {
		if (!memcmp(v->at + at, v->base + at, BLOCK))
			continue;
		for (i = 0; i < 12 && own[i] != v->at + at; i++)
			;
		if (i == 12)
			return 0;
	}
	return 1;
}

static int run(const struct fuzz_volume *source, const struct fuzz_volume *target, int way)
{
	const char *words[WAYS][7] = {
		[ABORT] = { "abort", "-q", target->path },
		[RESUME] = { "resume", "-q", "--memory=1M", "--source", source->path, target->path },
		[TRY] = { "resume", "-n", "--memory=1M", "--source", source->path, target->path },
		[COPY] = { "copy", "-q", "--memory=1M", source->path, target->path },
	};

	return fuzz_program(words[way], NULL, 0, 1 << 0 | 1 << 1 | 1 << 8 | 1 << 16);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = fuzz_input(data, size);
	struct fuzz_volume *source = fuzz_volume(sources, 1, 0, 0);
	struct fuzz_volume *target = fuzz_volume(targets, 4, in.image, 1);
	int way = in.options % WAYS, alone, status;

	fuzz_steps(target, NULL, &in);
	if (!fuzz_sample(data, size, look(target) == BFO_LEFT_RECORD ? 8 : 64))
		return 0;
	alone = is_record_alone(target, fuzz_orphan(target));
	status = run(source, target, way);
	if (alone && way != TRY && status <= 1 && fuzz_sample(data, size, 32) &&
	    !fuzz_is_clean(target, 1))
		fuzz_fail("the target is damaged, exit status %d", status);
	return 0;
}
