/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * size.h - sizes and counts for people
 */
#ifndef CLI_SIZE_H
#define CLI_SIZE_H

#include <stddef.h>
#include <stdint.h>

/* Writes bytes as "1.3 GiB" into OUT, and returns it. */
const char *size_text(uint64_t bytes, char *out, size_t size);

/* Writes "3 files and 1 directory" into OUT, and returns it. */
const char *count_text(uint64_t files, uint64_t dirs, char *out, size_t size);

#endif
