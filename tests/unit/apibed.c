// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * apibed.c - a context of the public interface, and images to try it on
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apibed.h"

#define IMAGE_BYTES (16 << 20)

extern char **environ;

static int on_finding(void *priv, const struct e2bfo_finding *f)
{
	struct apibed *b = priv;

	want_eq(f->size, sizeof(*f));
	b->findings++;
	snprintf(b->last, sizeof(b->last), "%s", f->kind);
	return 0;
}

static void on_line(void *priv, const char *line)
{
	struct apibed *b = priv;

	want(*line);
	b->lines++;
}

void apibed_open(struct apibed *b)
{
	memset(b, 0, sizeof(*b));
	b->c = e2bfo_new();
	want(b->c);
	e2bfo_on_finding(b->c, on_finding, b);
	e2bfo_on_line(b->c, on_line, b);
}

void apibed_close(struct apibed *b)
{
	e2bfo_free(b->c);
	while (b->n)
		free(b->path[--b->n]);
}

const char *apibed_path(struct apibed *b, const char *name)
{
	want(b->n < APIBED_TEXTS);
	b->path[b->n] = unit_path(name);
	return b->path[b->n++];
}

static void write_file(const char *folder, const char *name, size_t size)
{
	char path[4096];
	size_t i;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	want(f);
	for (i = 0; i < size; i++)
		putc('a' + (i * 7 + size) % 26, f);
	want(!fclose(f));
}

void apibed_tree(struct apibed *b, const char *name, int files, size_t size)
{
	char *folder = unit_path(name), text[4096], other[4096];
	int i;

	(void) b;
	want(!mkdir(folder, 0755));
	for (i = 0; i < files; i++) {
		snprintf(text, sizeof(text), "file-%d", i);
		write_file(folder, text, size);
	}
	snprintf(text, sizeof(text), "%s/below", folder);
	want(!mkdir(text, 0750));
	write_file(text, "deep", 3);
	snprintf(text, sizeof(text), "%s/link", folder);
	want(!symlink("below/deep", text));
	snprintf(text, sizeof(text), "%s/below/deep", folder);
	snprintf(other, sizeof(other), "%s/again", folder);
	want(!link(text, other));
	free(folder);
}

struct e2bfo_end apibed_end(struct apibed *b, enum e2bfo_kind kind, const char *name)
{
	return (struct e2bfo_end) { .size = sizeof(struct e2bfo_end), .kind = kind,
				    .spec = apibed_path(b, name) };
}

void apibed_image(struct apibed *b, const char *tree, const char *name)
{
	struct e2bfo_end from, to = apibed_end(b, E2BFO_VOLUME, name);
	struct e2bfo_copy_options opt = { .size = sizeof(opt), .flags = E2BFO_COPY_MKFS,
					  .image_size = IMAGE_BYTES, .environment = environ };
	char *empty = unit_path("empty");

	if (!*tree)
		mkdir(empty, 0755);
	free(empty);
	from = apibed_end(b, E2BFO_DIRECTORY, *tree ? tree : "empty");
	want_call(b, e2bfo_copy(b->c, &from, &to, &opt, NULL));
}
