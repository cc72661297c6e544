/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tarmade.h - tar archives made by hand, and what becomes of them
 */
#ifndef UNIT_TARMADE_H
#define UNIT_TARMADE_H

#include "base/vec.h"
#include "intake/archive.h"
#include "tree/tree.h"

/* Appends a member of TYPE with mode 0644 and LEN bytes at DATA; LINK may be NULL. */
void tarmade_add(bfo_chars *tar, char type, const char *name, const char *link, const void *data,
		 size_t len);

/* Appends the extended header of the member that comes next: one record. */
void tarmade_pax(bfo_chars *tar, const char *key, const void *value, size_t len);

/* The same, with all records in one header: begin, record..., end. */
size_t tarmade_pax_record(char *out, const char *key, const void *value, size_t len);
void tarmade_pax_records(bfo_chars *tar, const char *records, size_t len);

/* Two blocks of zeros. */
void tarmade_end(bfo_chars *tar);

/* A file with these bytes. */
int tarmade_file(const void *data, size_t len);

/* An archive that was opened, and what it holds. */
struct tarview {
	struct bfo_context ctx;
	struct bfo_archive_options opt;
	struct bfo_source *source;
	struct bfo_tree tree;
	int fd;
};

/*
 * Opens and gathers what is in TAR, which is freed.  v->opt may be set before; the rest is zeroed.
 */
errcode_t tarview_open(struct tarview *v, bfo_chars *tar);
void tarview_close(struct tarview *v);

/* The row that PATH leads to, or BFO_NONE. */
bfo_row tarview_find(const struct tarview *v, const char *path);

/* All bytes of the file called PATH, holes as zeros; *LEN.  free() them. */
char *tarview_read(struct tarview *v, const char *path, size_t *len);

/* True if PATH is a file with exactly these bytes. */
int tarview_has(struct tarview *v, const char *path, const void *data, size_t len);

#endif
