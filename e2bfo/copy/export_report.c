// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export_report.c - what a copy to a directory or an archive tells besides
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/message.h"
#include "cli/size.h"
#include "export/extract.h"
#include "export_report.h"

#define SHOWN 10		/* names spelt out */
#define SHOWN_BYTES 4096U

static const struct bfo_extract_note *notes_of(const struct bfo_copy *copy, size_t *n)
{
	*n = 0;
	if (copy->goal.kind != BFO_END_DIRECTORY || !copy->outlet)
		return NULL;
	return bfo_extract_notes(copy->outlet, n);
}

/* It could have been kept, and was wanted. */
static int is_loss(const struct bfo_extract_note *note)
{
	return !note->is_common && !note->is_asked;
}

int export_loses(const struct bfo_copy *copy)
{
	size_t i, n;
	const struct bfo_extract_note *notes = notes_of(copy, &n);

	for (i = 0; i < n; i++)
		if (is_loss(&notes[i]))
			return 1;
	return copy->tar.sockets || copy->tar.attributes;
}

void export_warn(const struct bfo_copy *copy)
{
	size_t i, n;
	const struct bfo_extract_note *notes = notes_of(copy, &n);
	char shown[SHOWN_BYTES];

	for (i = 0; i < n; i++)
		if (is_loss(&notes[i]))
			message("%s: %s%s", bfo_text_escape(notes[i].first, strlen(notes[i].first),
							    shown, sizeof(shown)),
				notes[i].text, notes[i].count > 1 ? "; so it is with others" : "");
	if (copy->tar.attributes)
		message("%s: attributes that no archive can hold: %llu in all; not copied",
			copy->tar.first ? bfo_text_escape(copy->tar.first, strlen(copy->tar.first),
							  shown, sizeof(shown)) : "",
			(unsigned long long) copy->tar.attributes);
	if (copy->tar.sockets)
		message("sockets, which a portable archive cannot hold: %llu; not copied",
			(unsigned long long) copy->tar.sockets);
}

static void print_kind(const char **before, uint64_t n, const char *one, const char *many)
{
	if (!n)
		return;
	printf("%s%llu %s", *before, (unsigned long long) n, n == 1 ? one : many);
	*before = ", ";
}

static void print_archive(const struct bfo_tar_notes *tar)
{
	const struct bfo_tar_counts *n = &tar->counts;
	const char *before = ": ";
	char a[32], b[32];

	printf("The archive has %llu member%s", (unsigned long long) tar->members,
	       tar->members == 1 ? "" : "s");
	print_kind(&before, n->files, "file", "files");
	print_kind(&before, n->dirs, "directory", "directories");
	print_kind(&before, n->links, "hard link", "hard links");
	print_kind(&before, n->symlinks, "symbolic link", "symbolic links");
	print_kind(&before, n->devices, "device", "devices");
	print_kind(&before, n->fifos, "fifo", "fifos");
	print_kind(&before, n->sockets, "socket", "sockets");
	printf("; %s of data, %s in all.\n", size_text(n->data, a, sizeof(a)),
	       size_text(tar->written, b, sizeof(b)));
}

void export_print(const struct bfo_copy *copy)
{
	size_t i, n;
	const struct bfo_extract_note *notes = notes_of(copy, &n);

	for (i = 0; i < n; i++)
		printf("%s: %llu%s\n", notes[i].text, (unsigned long long) notes[i].count,
		       notes[i].is_common ? " (no mounted filesystem takes it)" : "");
	if (copy->tar.members)
		print_archive(&copy->tar);
}

static void json_notes(struct json *j, const struct bfo_copy *copy)
{
	size_t i, n;
	const struct bfo_extract_note *notes = notes_of(copy, &n);

	json_open(j, "not_taken", '[');
	for (i = 0; i < n; i++) {
		json_open(j, NULL, '{');
		json_string(j, "kind", notes[i].word);
		json_bool(j, "by_any", notes[i].is_common);
		json_number(j, "count", notes[i].count);
		if (notes[i].first)
			json_bytes(j, "first", notes[i].first, strlen(notes[i].first));
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_counts(struct json *j, const struct bfo_tar_counts *n)
{
	json_number(j, "files", n->files);
	json_number(j, "directories", n->dirs);
	json_number(j, "hard_links", n->links);
	json_number(j, "symlinks", n->symlinks);
	json_number(j, "devices", n->devices);
	json_number(j, "fifos", n->fifos);
	json_number(j, "sockets", n->sockets);
	json_number(j, "data_bytes", n->data);
}

void export_json(struct json *j, const struct bfo_copy *copy)
{
	if (copy->goal.kind == BFO_END_DIRECTORY)
		json_notes(j, copy);
	if (copy->goal.kind != BFO_END_ARCHIVE)
		return;
	json_open(j, "archive", '{');
	json_number(j, "members", copy->tar.members);
	json_counts(j, &copy->tar.counts);
	json_number(j, "raw_bytes", copy->tar.bytes);
	json_number(j, "bytes", copy->tar.written);
	json_number(j, "sockets_left_out", copy->tar.sockets);
	json_number(j, "attributes_left_out", copy->tar.attributes);
	json_close(j, '}');
}

void export_clashes(const struct bfo_copy *copy, int all)
{
	size_t i, n = 0;
	const char *const *paths = copy->outlet ? bfo_extract_clashes(copy->outlet, &n) : NULL;
	char shown[SHOWN_BYTES];

	for (i = 0; i < n && (i < SHOWN || all); i++)
		message("exists already: %s",
			bfo_text_escape(paths[i], strlen(paths[i]), shown, sizeof(shown)));
	if (i < n)
		message("and %zu more (all with --verbose or --json)", n - i);
}

static const char *get_clash(void *priv, size_t i, size_t *len)
{
	const char *const *paths = priv;

	*len = strlen(paths[i]);
	return paths[i];
}

void export_json_clashes(struct json *j, const struct bfo_copy *copy)
{
	size_t n = 0;
	const char *const *paths = copy->outlet && copy->goal.kind == BFO_END_DIRECTORY ?
				   bfo_extract_clashes(copy->outlet, &n) : NULL;

	json_strings(j, "clashes", n, get_clash, (void *) paths);
}
