/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_survey.h - which frames a stream has, as far as it can be read
 *
 * Each frame is checked by itself (stream_in.h); what is in the tree is not looked at.  It goes
 * forward once, so a pipe will do.
 */
#ifndef BFO_INTAKE_STREAM_SURVEY_H
#define BFO_INTAKE_STREAM_SURVEY_H

#include "base/context.h"
#include "wire/stream.h"

/* Of kinds: one that is not known; how many there are. */
enum { BFO_STREAM_OTHER, BFO_STREAM_KINDS = BFO_STREAM_QUOTA + 1 };

/* Frames of one kind. */
struct bfo_stream_frames {
	uint64_t n, packed;		/* frames; those of them that zstd has packed */
	uint64_t first, end;		/* bytes of the stream: of the first, behind the last */
	uint64_t bytes, stored;		/* unpacked, and as they stand there */
};

struct bfo_stream_survey {
	int has_preamble, has_facts, has_tree, has_digest;	/* these were there */
	struct bfo_stream_preamble preamble;
	struct bfo_stream_facts facts;
	struct bfo_stream_frames kinds[BFO_STREAM_KINDS];
	uint8_t tree[BFO_STREAM_DIGEST];	/* what it says that the digest of its tree is, */
	uint8_t digest[BFO_STREAM_DIGEST];	/* and that of all */
	uint64_t byte;			/* to which it came */
};

/* Frame H begins at BYTE.  A non-zero return ends the survey, and is returned. */
typedef errcode_t (*bfo_stream_met)(void *priv, uint64_t byte, const struct bfo_stream_head *h);

/*
 * Reads FD, for messages NAME, from where it is to the end of the stream, or to what is damaged:
 * *S is what was seen, also where an error is returned, which is one of stream_in.h.  MET is told
 * each frame behind FACTS, and may be NULL.
 */
errcode_t bfo_stream_survey(struct bfo_context *ctx, const char *name, int fd, bfo_stream_met met,
			    void *priv, struct bfo_stream_survey *s);

#endif
