// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * verify_report.c - what a comparison tells people and scripts
 *
 *   PATH: KIND VALUE-IN-A, other VALUE-IN-B
 *
 * Differences are told when they are found: there may be more of them than there is memory.
 */
#include <stdio.h>

#include "base/text.h"
#include "cli/message.h"
#include "cli/result.h"
#include "cli/size.h"
#include "gather/source.h"
#include "e2bfo/damage.h"
#include "e2bfo/dir_report.h"
#include "e2bfo/commands.h"
#include "e2bfo/journals.h"
#include "verify_report.h"

#define SHOWN_BYTES (4 * VERIFY_PATH_BYTES + 1)
#define CUT 64				/* of values, on a terminal */
#define SURE 15				/* bytes that fit however they are escaped */
#define SHOWN 10			/* differences of one kind, unless --verbose */

/* ---- differences ---- */

static void print_value(const struct verify_report *r, const struct verify_told *d, int side)
{
	int quoted = d->kind == BFO_DIFF_SYMLINK || d->kind == BFO_DIFF_XATTR;
	const struct bfo_bytes *value = &d->value[side];
	char shown[SHOWN_BYTES];

	if (!value->data) {
		fputs("none", stdout);
		return;
	}
	bfo_text_escape(value->data, value->len, shown,
			quoted && !r->opt->common.verbose ? CUT : sizeof(shown));
	printf(quoted ? "\"%s\"" : "%s", shown);
	if (quoted && value->len > SURE)
		printf(" (%zu bytes)", value->len);
}

static void print_diff(const struct verify_report *r, const struct verify_told *d)
{
	char shown[SHOWN_BYTES];

	printf("%s: %s", bfo_text_escape(d->path.data, d->path.len, shown, sizeof(shown)),
	       bfo_diff_words[d->kind]);
	if (d->name.data)
		printf(" %s", bfo_text_escape(d->name.data, d->name.len, shown, sizeof(shown)));
	if (d->has_values) {
		putchar(' ');
		print_value(r, d, 0);
		fputs(", other ", stdout);
		print_value(r, d, 1);
		if (d->offset > SURE)
			printf(", from byte %llu on", (unsigned long long) d->offset);
	} else if (d->kind == BFO_DIFF_MISSING || d->kind == BFO_DIFF_EXTRA) {
		message_printf(", only in %s", r->opt->volume[d->kind == BFO_DIFF_EXTRA]);
	} else {
		printf(" differ%s from byte %llu on", d->kind == BFO_DIFF_DATA ? "s" : "",
		       (unsigned long long) d->offset);
	}
	putchar('\n');
}

static void json_diff(struct verify_report *r, const struct verify_told *d)
{
	static const char *const ino[2] = { "inode", "other_inode" };
	static const char *const values[2] = { "value", "other" };
	int side;

	json_open(&r->json, NULL, '{');
	json_string(&r->json, "kind", bfo_diff_words[d->kind]);
	json_bytes(&r->json, "path", d->path.data, d->path.len);
	for (side = 0; side < 2; side++)
		if (d->ino[side])
			json_number(&r->json, ino[side], d->ino[side]);
	if (d->name.data)
		json_bytes(&r->json, "name", d->name.data, d->name.len);
	for (side = 0; side < 2 && d->has_values; side++)
		json_bytes(&r->json, values[side], d->value[side].data, d->value[side].len);
	if (!d->has_values && (d->kind == BFO_DIFF_DATA || d->kind == BFO_DIFF_HOLES))
		json_number(&r->json, "offset", d->offset);
	json_close(&r->json, '}');
}

void verify_report_begin(struct verify_report *r)
{
	struct json *j = &r->json;

	if (!r->opt->common.json)
		return;
	result_begin(j, "e2bfo", "verify");
	json_string(j, "a", r->opt->volume[0]);
	json_string(j, "b", r->opt->volume[1]);
	json_string(j, "from", r->opt->path[0]);
	json_string(j, "to", r->opt->path[1]);
	json_open(j, "differences", '[');
}

void verify_report_diff(struct verify_report *r, const struct verify_told *d)
{
	int is_shown = r->count[d->kind]++ < SHOWN || r->opt->common.verbose;

	if (r->opt->common.json) {
		json_diff(r, d);
	} else if (is_shown) {
		progress_wipe(&r->bar);
		print_diff(r, d);
	}
}

/* ---- damage ---- */

static void json_damage(struct verify_report *r, int side, const struct damage *d,
			const char *path, size_t len)
{
	json_open(&r->json, NULL, '{');
	json_string(&r->json, "kind", bfo_finding_table[d->kind].word);
	json_string(&r->json, "volume", side ? "b" : "a");
	json_bytes(&r->json, "path", path, len);
	damage_json(&r->json, d);
	json_close(&r->json, '}');
}

static void tell_damage_of(struct verify_report *r, int side, const struct bfo_tree *t)
{
	char path[VERIFY_PATH_BYTES];
	struct damage d;
	size_t i, len;

	for (i = 0; i < t->findings.n; i++) {
		len = r->finding_path(r->priv, side, &t->findings.v[i], path, sizeof(path));
		if (!len)
			continue;
		d = damage_of(t, &t->findings.v[i]);
		if (r->opt->common.json)
			json_damage(r, side, &d, path, len);
		r->unread += bfo_finding_is_unread(d.kind);
		if (r->damage++ < SHOWN || r->opt->common.verbose)
			damage_tell(r->opt->volume[side], path, len, &d);
	}
}

static void tell_damage(struct verify_report *r, const struct verify_side side[2])
{
	int i;

	if (r->opt->common.json) {
		json_close(&r->json, ']');
		json_open(&r->json, "damage", '[');
	}
	for (i = 0; i < 2; i++)
		if (side[i].tree)
			tell_damage_of(r, i, side[i].tree);
	if (r->opt->common.json)
		json_close(&r->json, ']');
	if (r->damage > SHOWN && !r->opt->common.verbose)
		message("and %llu more that is damaged or cannot be read (all with --verbose or "
			"--json)",
			(unsigned long long) r->damage - SHOWN);
}

/* ---- the end ---- */

static void print_amounts(const struct verify_report *r, const struct verify_amounts *a,
			  double seconds)
{
	char count[80], bytes[32];

	printf("Compared %s, %s, in %.1f s: ", count_text(a->files, a->dirs, count, sizeof(count)),
	       size_text(a->bytes, bytes, sizeof(bytes)), seconds);
	if (r->damage > r->unread)
		printf("%llu damaged, ", (unsigned long long) (r->damage - r->unread));
	if (r->unread && a->missed)
		printf("%llu unreadable (%s of data not compared), ",
		       (unsigned long long) r->unread, size_text(a->missed, bytes, sizeof(bytes)));
	else if (r->unread)
		printf("%llu unreadable, ", (unsigned long long) r->unread);
	if (a->differences)
		printf("%llu difference%s.\n", (unsigned long long) a->differences,
		       a->differences == 1 ? "" : "s");
	else
		puts(r->damage ? "no further difference." : a->equal);
}

static void print_end(const struct verify_report *r, const struct verify_side side[2],
		      const struct verify_amounts *a, double seconds)
{
	int kind, i;

	for (kind = 0; kind < BFO_DIFF_KINDS; kind++)
		if (r->count[kind] > SHOWN && !r->opt->common.verbose)
			printf("and %llu more: %s (all with --verbose or --json)\n",
			       (unsigned long long) r->count[kind] - SHOWN, bfo_diff_words[kind]);
	if (r->opt->common.quiet)
		return;
	print_amounts(r, a, seconds);
	for (i = 0; i < 2 && side[i].tree; i++) {
		journals_print(r->opt->volume[i], side[i].volume, side[i].tree);
		dir_print(r->opt->volume[i], side[i].end);
	}
	for (i = 0; i < 2 && side[i].source && r->opt->common.verbose; i++)
		message_printf("  read from %s: %llu requests, %llu blocks\n", r->opt->volume[i],
			       (unsigned long long) bfo_source_requests(side[i].source),
			       (unsigned long long) bfo_source_blocks(side[i].source));
}

static void json_end(struct verify_report *r, const struct verify_side side[2],
		     const struct verify_amounts *a, errcode_t err, const char *what, int status)
{
	static const char *const journal[2] = { "journal_a", "journal_b" };
	static const char *const medium[2] = { "medium_a", "medium_b" };
	static const char *const directory[2] = { "directory_a", "directory_b" };
	struct json *j = &r->json;
	int i;

	for (i = 0; i < 2 && side[i].tree; i++)
		journals_json(j, journal[i], side[i].volume, side[i].tree);
	for (i = 0; i < 2 && side[i].tree; i++)
		medium_json(j, medium[i], side[i].volume);
	for (i = 0; i < 2 && side[i].tree; i++)
		dir_json(j, directory[i], side[i].end);
	json_number(j, "files", a->files);
	json_number(j, "directories", a->dirs);
	json_number(j, "bytes", a->bytes);
	json_number(j, "missed_bytes", a->missed);
	result_status(j, status, err, what);
	result_end(j);
}

int verify_report_end(struct verify_report *r, const struct verify_side side[2],
		      const struct verify_amounts *amounts, errcode_t err, const char *what,
		      double seconds)
{
	int status = EXIT_KEPT, i;

	progress_wipe(&r->bar);
	tell_damage(r, side);
	if (err)
		status = exit_status_of(err);
	else if (r->damage)
		status = EXIT_FAILED;
	else if (amounts->differences)
		status = EXIT_FINDINGS;
	if (err)
		com_err("e2bfo", err, "while %s", what);
	if (r->opt->common.json)
		json_end(r, side, amounts, err, what, status);
	else if (!err)
		print_end(r, side, amounts, seconds);
	for (i = 0; i < 2; i++) {
		journals_warn(r->opt->volume[i], side[i].volume);
		medium_warn(r->opt->volume[i], side[i].volume);
	}
	return status;
}
