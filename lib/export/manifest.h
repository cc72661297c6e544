/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * manifest.h - writers of lists of files with their digests
 *
 *   open ── put* ── end ── close
 *
 * Formats: e2bfo-manifest(5).  Items come in any order in which a directory comes before what is in
 * it, each name once; the lines have the same order, so the same tree gives the same bytes (P6).
 */
#ifndef BFO_EXPORT_MANIFEST_H
#define BFO_EXPORT_MANIFEST_H

#include "base/context.h"
#include "base/hasher.h"
#include "base/manifest_format.h"
#include "export/outlet.h"
#include "export/sheet.h"

/* What it is a list of.  Copied when opened. */
struct bfo_manifest_about {
	const char *source;		/* its name, any bytes; NULL: none */
	int64_t made, mounted, written, checked;	/* seconds since 1970; 0: not known */
	uint32_t block_size;		/* bytes; 0: it has none */
};

struct bfo_manifest;

/*
 * Begins a list that is written to FD, the caller's, whose NAME is for messages.  Returns ENOMEM,
 * errno's of writing, or those of bfo_hasher_open(): formats with a trailer want a digest.
 */
errcode_t bfo_manifest_open(struct bfo_context *ctx, enum bfo_manifest_format format, int fd,
			    const char *name, const struct bfo_manifest_about *about,
			    struct bfo_manifest **m);

/*
 * Adds ITEM, a hard link as any other name.  SUMS: of a regular file, at least what
 * bfo_manifest_sums() says (but for bodyfile); NULL: it is none, or its contents could not be read.
 */
errcode_t bfo_manifest_put(struct bfo_manifest *m, const struct bfo_item *item,
			   const struct bfo_sums *sums);

/* Names that the format has no way to write; they are not in the list. */
uint64_t bfo_manifest_left_out(const struct bfo_manifest *m);

/* Ends the list, and writes all of it; to make it durable is up to the caller. */
errcode_t bfo_manifest_end(struct bfo_manifest *m);

/* Forgets it, ended or not; NULL is fine. */
void bfo_manifest_close(struct bfo_manifest *m);

/* A line of a bodyfile about inode INO, which has no name: "<INO> (deleted)". */
void bfo_manifest_put_deleted(struct bfo_sheet *s, uint32_t ino, const struct bfo_attrs *a);

#endif
