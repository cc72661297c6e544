/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * archived.h - archives that are opened, gathered and read, whatever they are
 */
#ifndef FUZZ_ARCHIVED_H
#define FUZZ_ARCHIVED_H

#include "intake/archive.h"

/* A file with SIZE bytes at DATA: one descriptor, over and over. */
int fuzz_archive_file(const uint8_t *data, size_t size);

/*
 * Opens what is in OPT, and if it can be gathered, looks whether it is a tree, and reads all of it,
 * forward and then backward.
 */
void fuzz_archive(const struct bfo_archive_options *opt);

/* The same of S, which is open, and closed afterwards. */
void fuzz_source(struct bfo_source *s);

#endif
