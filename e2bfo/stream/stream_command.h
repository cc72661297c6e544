/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream_command.h - what the parts of `e2bfo stream` share
 */
#ifndef E2BFO_STREAM_STREAM_COMMAND_H
#define E2BFO_STREAM_STREAM_COMMAND_H

#include "base/context.h"
#include "cli/json.h"
#include "stream_options.h"
#include "wire/stream.h"

/* Each does what OPT says; an exit status. */
int stream_verify(const struct stream_options *opt, struct bfo_context *ctx, struct bar *bar);
int stream_dump(const struct stream_options *opt, struct bfo_context *ctx, struct bar *bar);

/* A digest in letters. */
#define STREAM_DIGEST_TEXT (2 * BFO_STREAM_DIGEST + 1)

const char *stream_digest_text(const uint8_t *digest, char text[STREAM_DIGEST_TEXT]);

#endif
