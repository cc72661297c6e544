/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h - a volume in memory; its file is sparse where it holds zeroes
 */
#ifndef FAULT_IMAGE_H
#define FAULT_IMAGE_H

#include <stddef.h>
#include <stdint.h>

struct image {
	uint8_t *bytes;
	size_t size;
};

/* The content of a file, with a byte of zero behind it. */
struct image image_load(const char *path);

struct image image_copy(const struct image *i);

/* Writes PATH anew. */
void image_save(const struct image *i, const char *path);

/* Does the file PATH hold the same? */
int image_same(const struct image *i, const char *path);

void image_free(struct image *i);

#endif
