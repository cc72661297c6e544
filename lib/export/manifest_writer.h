/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * manifest_writer.h - what the writers of the formats share; nobody else includes it
 */
#ifndef BFO_EXPORT_MANIFEST_WRITER_H
#define BFO_EXPORT_MANIFEST_WRITER_H

#include "export/manifest.h"
#include "export/sheet.h"

/* A format; functions that it does not need are NULL.  Errors stay in the sheet. */
struct bfo_manifest_writer {
	void (*begin)(struct bfo_sheet *s, const struct bfo_manifest_about *about);
	/* Returns 0 if the name cannot be written. */
	int (*put)(struct bfo_sheet *s, const struct bfo_item *item, const struct bfo_sums *sums);
	void (*end)(struct bfo_sheet *s);
	int has_trailer;
};

extern const struct bfo_manifest_writer bfo_manifest_mtree, bfo_manifest_sha256sum,
	bfo_manifest_hashdeep, bfo_manifest_dfxml, bfo_manifest_bodyfile;

/* Adds BEFORE, TEXT as messages show it, and the end of the line; TEXT may be cut. */
void bfo_manifest_put_comment(struct bfo_sheet *s, const char *before, const char *text,
			      size_t len);

/* The type of a mode as the Sleuth Kit has it: a letter, and a number; '-' and 0 if it is none. */
struct bfo_manifest_type {
	char letter;
	int number;
	const char *word;		/* as mtree has it; NULL: none */
};

struct bfo_manifest_type bfo_manifest_type_of(uint16_t mode);

#endif
