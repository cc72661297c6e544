// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image.h"
#include "tool.h"

#define PIECE 4096

struct image image_load(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct image i;
	struct stat st;
	ssize_t got;
	size_t at;

	if (fd < 0 || fstat(fd, &st))
		err(2, "%s", path);
	i.size = st.st_size;
	i.bytes = must(malloc(i.size + 1));
	for (at = 0; at < i.size; at += got) {
		got = read(fd, i.bytes + at, i.size - at);
		if (got <= 0)
			err(2, "reading %s", path);
	}
	i.bytes[i.size] = 0;
	close(fd);
	return i;
}

struct image image_copy(const struct image *i)
{
	struct image copy = { must(malloc(i->size + 1)), i->size };

	memcpy(copy.bytes, i->bytes, i->size + 1);
	return copy;
}

static size_t piece(const struct image *i, size_t at)
{
	return i->size - at < PIECE ? i->size - at : PIECE;
}

static int is_zero(const uint8_t *p, size_t n)
{
	return !n || (!*p && !memcmp(p, p + 1, n - 1));
}

void image_save(const struct image *i, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	size_t at, end;

	if (fd < 0 || ftruncate(fd, i->size))
		err(2, "%s", path);
	for (at = 0; at < i->size; at = end) {
		end = at + piece(i, at);
		if (is_zero(i->bytes + at, end - at))
			continue;
		while (end < i->size && !is_zero(i->bytes + end, piece(i, end)))
			end += piece(i, end);
		if (pwrite(fd, i->bytes + at, end - at, at) != (ssize_t) (end - at))
			err(2, "writing %s", path);
	}
	if (close(fd))
		err(2, "writing %s", path);
}

int image_same(const struct image *i, const char *path)
{
	struct image other = image_load(path);
	int same = i->size == other.size && !memcmp(i->bytes, other.bytes, i->size);

	image_free(&other);
	return same;
}

void image_free(struct image *i)
{
	free(i->bytes);
	i->bytes = NULL;
}
