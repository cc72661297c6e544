// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * export_report.c - what a copy tells besides: to a directory or an archive, most of it
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

/* (Of a volume, what the plan has left out.) */
static const struct bfo_extract_note *notes_of(const struct bfo_copy *copy, size_t *n)
{
	static struct bfo_extract_note left[BFO_EXTRACT_LEFT];
	const struct bfo_plan *plan = &copy->job.plan;

	*n = 0;
	if (copy->goal.kind == BFO_END_VOLUME && bfo_job_has_plan(&copy->job)) {
		*n = bfo_extract_left_out(plan->devices_left, plan->disarmed,
					  copy->job.tree.disarmed, left);
		return left;
	}
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

/* What a directory or an archive gets, by kinds. */
struct kind {
	const char *word, *one, *many;
	uint64_t count;
};

#define KINDS 7

/* What a directory gets, and how much else happens there. */
static int counts_of(const struct bfo_copy *copy, struct bfo_extract_counts *counts)
{
	if (copy->goal.kind != BFO_END_DIRECTORY || !copy->outlet)
		return 0;
	*counts = bfo_extract_counts(copy->outlet, copy->opt.dry_run);
	return 1;
}

static void list_kinds(const struct bfo_item_counts *c, struct kind kinds[KINDS])
{
	const struct kind all[KINDS] = {
		{ "files", "file", "files", c->files },
		{ "directories", "directory", "directories", c->directories },
		{ "symlinks", "symbolic link", "symbolic links", c->symlinks },
		{ "devices", "device", "devices", c->devices },
		{ "fifos", "fifo", "fifos", c->fifos },
		{ "sockets", "socket", "sockets", c->sockets },
		{ "hard_links", "further hard link", "further hard links", c->links },
	};

	memcpy(kinds, all, sizeof(all));
}

/* Behind what stands in front of them; returns how many there are. */
static int print_kinds(const struct bfo_item_counts *c, const char *before)
{
	struct kind kinds[KINDS];
	int i, shown = 0;

	list_kinds(c, kinds);
	for (i = 0; i < KINDS; i++)
		if (kinds[i].count)
			printf("%s %llu %s", shown++ ? "," : before,
			       (unsigned long long) kinds[i].count,
			       kinds[i].count == 1 ? kinds[i].one : kinds[i].many);
	return shown;
}

static void json_kinds(struct json *j, const struct bfo_item_counts *c)
{
	struct kind kinds[KINDS];
	int i;

	list_kinds(c, kinds);
	for (i = 0; i < KINDS; i++)
		json_number(j, kinds[i].word, kinds[i].count);
}

void export_print_replaced(const struct bfo_copy *copy, uint64_t names)
{
	if (names)
		printf("Names whose files %s replaced: %llu.\n",
		       copy->opt.dry_run ? "are to be" : "were", (unsigned long long) names);
}

static void print_counts(const struct bfo_copy *copy)
{
	struct bfo_extract_counts c;

	if (!counts_of(copy, &c))
		return;
	printf(copy->opt.dry_run ? "To be made:" : "Made:");
	puts(print_kinds(&c.items, "") ? "." : " nothing.");
	export_print_replaced(copy, c.replaced);
}

static void print_archive(const struct bfo_tar_notes *tar)
{
	char a[32], b[32];

	printf("The archive has %llu member%s", (unsigned long long) tar->members,
	       tar->members == 1 ? "" : "s");
	print_kinds(&tar->items, ":");
	printf("; %s of data, %s in all.\n", size_text(tar->data, a, sizeof(a)),
	       size_text(tar->written, b, sizeof(b)));
}

void export_print_notes(const struct bfo_copy *copy)
{
	size_t i, n;
	const struct bfo_extract_note *notes = notes_of(copy, &n);

	for (i = 0; i < n; i++)
		printf("%s: %llu%s\n", notes[i].text, (unsigned long long) notes[i].count,
		       notes[i].is_common ? " (no mounted filesystem takes it)" : "");
}

void export_print(const struct bfo_copy *copy)
{
	char a[32];

	print_counts(copy);
	export_print_notes(copy);
	if (copy->sent.members && copy->written)
		printf("The stream has %llu members, %s.\n",
		       (unsigned long long) copy->sent.members,
		       size_text(copy->sent.written, a, sizeof(a)));
	if (copy->tar.members)
		print_archive(&copy->tar);
}

/* Once it is known: after a failure it is not. */
static void json_counts(struct json *j, const struct bfo_copy *copy)
{
	struct bfo_extract_counts c;

	if ((!copy->written && !copy->opt.dry_run) || !counts_of(copy, &c))
		return;
	json_open(j, "made", '{');
	json_kinds(j, &c.items);
	json_number(j, "replaced", c.replaced);
	json_number(j, "directories_that_existed", c.merged);
	json_close(j, '}');
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

static void json_stream(struct json *j, const struct bfo_copy *copy)
{
	const struct bfo_send_notes *sent = &copy->sent;
	char digest[2 * BFO_STREAM_DIGEST + 1];
	size_t i;

	for (i = 0; i < BFO_STREAM_DIGEST; i++)
		snprintf(digest + 2 * i, 3, "%02x", sent->digest[i]);
	json_open(j, "stream", '{');
	json_number(j, "members", sent->members);
	json_number(j, "raw_bytes", sent->data);
	json_number(j, "bytes", sent->written);
	json_number(j, "attributes_left_out", sent->lost);
	json_string(j, "sha256", copy->written ? digest : NULL);
	json_close(j, '}');
}

void export_json(struct json *j, const struct bfo_copy *copy)
{
	if (copy->goal.kind == BFO_END_DIRECTORY)
		json_counts(j, copy);
	if (copy->goal.kind == BFO_END_DIRECTORY || copy->opt.no_devices || copy->opt.no_suid)
		json_notes(j, copy);
	if (copy->goal.kind == BFO_END_STREAM)
		json_stream(j, copy);
	if (copy->goal.kind != BFO_END_ARCHIVE)
		return;
	json_open(j, "archive", '{');
	json_number(j, "members", copy->tar.members);
	json_kinds(j, &copy->tar.items);
	json_number(j, "data_bytes", copy->tar.data);
	json_number(j, "raw_bytes", copy->tar.bytes);
	json_number(j, "bytes", copy->tar.written);
	json_number(j, "sockets_left_out", copy->tar.sockets);
	json_number(j, "attributes_left_out", copy->tar.attributes);
	json_close(j, '}');
}
