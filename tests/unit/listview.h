/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listview.h - what a list of files says, as text
 *
 * A line is "LINE:PATH", and fields by letters: y type, m mode, u, g, s size, t time, > target, n
 * names, d device; the first 8 digits of S a SHA-256, M an MD5.
 */
#ifndef UNIT_LISTVIEW_H
#define UNIT_LISTVIEW_H

#include "intake/manifest_read.h"

/* Lines of the list that was read last. */
extern char listview_seen[];

/* Adds one; for bfo_manifest_read(). */
errcode_t listview_note(void *priv, const struct bfo_manifest_entry *e);

/* Reads LEN bytes of TEXT as a list "x". */
errcode_t listview_read(struct bfo_context *ctx, enum bfo_manifest_format format,
			const char *text, size_t len, struct bfo_manifest_seen *found);

#endif
