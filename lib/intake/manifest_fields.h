/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * manifest_fields.h - what readers of the formats share: a list being read, and its fields
 */
#ifndef BFO_INTAKE_MANIFEST_FIELDS_H
#define BFO_INTAKE_MANIFEST_FIELDS_H

#include "intake/manifest_read.h"
#include "intake/text_in.h"

struct bfo_manifest_list {
	struct bfo_text_in in;
	const struct bfo_manifest_reader *reader;
	struct bfo_manifest_seen seen;
	struct bfo_hasher hasher;	/* of lines since the last trailer; closed: of none */
	struct bfo_manifest_entry e;	/* the entry at hand */
	bfo_chars name, path, target;	/* what it points to */
};

/* Readers of a whole list. */
errcode_t bfo_manifest_read_mtree(struct bfo_manifest_list *l);
errcode_t bfo_manifest_read_sha256sum(struct bfo_manifest_list *l);
errcode_t bfo_manifest_read_hashdeep(struct bfo_manifest_list *l);
errcode_t bfo_manifest_read_dfxml(struct bfo_manifest_list *l);

/*
 * The next line that is not a comment; blanks in front of '#' are none.  Trailers are compared.
 * *LINE is NULL at the end.
 */
errcode_t bfo_manifest_line(struct bfo_manifest_list *l, char **line, size_t *len);

/* Appends LEN bytes to CHARS, up to BFO_TEXT_MOST in all. */
errcode_t bfo_manifest_append(struct bfo_manifest_list *l, bfo_chars *chars, const char *text,
			      size_t len);

/*
 * Appends the path TEXT to l->path, made plain: as struct bfo_manifest_entry has it.  Leading
 * slashes mean nothing.
 */
errcode_t bfo_manifest_join(struct bfo_manifest_list *l, const char *text, size_t len);

/* Gives the entry, which has l->path and, if it has one, l->target, to the reader; clears it. */
errcode_t bfo_manifest_give(struct bfo_manifest_list *l);

/* LEN digits of BASE, 8 or 10, up to MOST.  Returns 0 if they are none. */
int bfo_manifest_number(const char *text, size_t len, unsigned int base, uint64_t most,
			uint64_t *value);

/* The same into 32 bits of an entry, which has FIELD then. */
int bfo_manifest_number32(const char *text, size_t len, unsigned int base, uint32_t most,
			  uint32_t *value, unsigned int *has, unsigned int field);

/* LEN digits as digest WHICH of SUMS.  Returns 0 if they are none. */
int bfo_manifest_sum(const char *text, size_t len, enum bfo_algorithm which, struct bfo_sums *sums);

#endif
