/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metadata.h - a text that says all of a tree but its data: what no mounted filesystem takes
 *
 *   open ── put* ── end ── close
 *
 * Format: e2bfo-metadata(5).  The file has its name once it is complete; before, and after a
 * failure, there is nothing by that name, or what was there before.
 *
 * Errors: errno's, whose circumstances are in the context.
 */
#ifndef BFO_EXPORT_METADATA_H
#define BFO_EXPORT_METADATA_H

#include "base/context.h"
#include "export/outlet.h"

struct bfo_metadata;

/* Of the file that will be called PATH, and is made with the first item.  EEXIST. */
errcode_t bfo_metadata_open(struct bfo_context *ctx, const char *path, struct bfo_metadata **out);

/* Adds ITEM, with what is not known to `look`. */
errcode_t bfo_metadata_put(struct bfo_context *ctx, struct bfo_metadata *m,
			   const struct bfo_item *item);

/* Nothing more comes: it is made durable and gets its name, unless something has that by now. */
errcode_t bfo_metadata_end(struct bfo_context *ctx, struct bfo_metadata *m);

/* Forgets it, ended or not; NULL is fine. */
void bfo_metadata_close(struct bfo_metadata *m);

#endif
