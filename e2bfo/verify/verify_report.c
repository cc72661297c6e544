// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * verify_report.c - what a comparison tells people and scripts
 *
 *   PATH: KIND VALUE-IN-A, other VALUE-IN-B
 *
 * Differences are told when they are found: there may be more of them than there is memory.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cli/message.h"
#include "cli/result.h"
#include "cli/size.h"
#include "cli/timestamp.h"
#include "e2bfo/damage.h"
#include "e2bfo/dir_report.h"
#include "e2bfo/e2bfo.h"
#include "e2bfo/journals.h"
#include "verify_report.h"

#define PATH_BYTES 8192
#define SHOWN_BYTES (4 * PATH_BYTES + 1)
#define VALUE_BYTES (PATH_BYTES + 64)	/* a path, or a short text */
#define CUT 64				/* of values, on a terminal */
#define SURE 15				/* bytes that fit however they are escaped */
#define SHOWN 10			/* differences of one kind, unless --verbose */

static const char *type_text(uint16_t mode)
{
	static const char *const types[16] = {
		[S_IFREG >> 12] = "file", [S_IFDIR >> 12] = "directory",
		[S_IFLNK >> 12] = "symlink", [S_IFCHR >> 12] = "character device",
		[S_IFBLK >> 12] = "block device", [S_IFIFO >> 12] = "fifo",
		[S_IFSOCK >> 12] = "socket",
	};

	return types[mode >> 12] ? types[mode >> 12] : "unknown";
}

static void time_text(const struct verify_report *r, const struct bfo_attrs *attrs,
		      enum bfo_time which, char *out)
{
	struct timestamp_day day = { 0 };

	if (r->opt->common.json)
		timestamp_scripts(&day, attrs->sec[which], attrs->nsec[which], out);
	else
		timestamp_people(&day, attrs->sec[which], attrs->nsec[which], out);
}

/* One attribute of an inode. */
static void attr_text(const struct verify_report *r, enum bfo_diff_kind kind,
		      const struct bfo_attrs *attrs, char *out, size_t size)
{
	unsigned long long number = 0;

	switch (kind) {
	case BFO_DIFF_TYPE:
		snprintf(out, size, "%s", type_text(attrs->mode));
		return;
	case BFO_DIFF_MODE:
		snprintf(out, size, "%04o", attrs->mode & 07777);
		return;
	case BFO_DIFF_FLAGS:
		snprintf(out, size, "0x%x", attrs->flags);
		return;
	case BFO_DIFF_DEVICE:
		snprintf(out, size, "%u:%u", attrs->major, attrs->minor);
		return;
	case BFO_DIFF_UID:		number = attrs->uid; break;
	case BFO_DIFF_GID:		number = attrs->gid; break;
	case BFO_DIFF_SIZE:		number = attrs->size; break;
	case BFO_DIFF_NLINK:		number = attrs->nlink; break;
	case BFO_DIFF_GENERATION:	number = attrs->generation; break;
	case BFO_DIFF_VERSION:		number = attrs->version; break;
	case BFO_DIFF_PROJECT:		number = attrs->project; break;
	default:
		time_text(r, attrs, kind - BFO_DIFF_MTIME, out);
		return;
	}
	snprintf(out, size, "%llu", number);
}

/* Hash and minor hash of a name. */
static size_t hash_text(const uint8_t *h, char *out, size_t size)
{
	return snprintf(out, size, "%02x%02x%02x%02x.%02x%02x%02x%02x", h[3], h[2], h[1], h[0],
			h[7], h[6], h[5], h[4]);
}

/* What SIDE has, in bytes as they are; its length.  NULL: it has none. */
static size_t value_of(const struct verify_report *r, const struct bfo_diff *d, int side,
		       char *buf, const char **out)
{
	size_t len;

	*out = d->kind == BFO_DIFF_CRTIME && !d->attrs[side]->has_crtime ? NULL : buf;
	if (!*out)
		return 0;
	if (d->kind == BFO_DIFF_SYMLINK || d->kind == BFO_DIFF_XATTR) {
		*out = d->value[side].data;
		return d->value[side].len;
	}
	if (d->kind == BFO_DIFF_HASH)
		return hash_text(d->value[side].data, buf, VALUE_BYTES);
	if (d->kind == BFO_DIFF_LINKS && d->first[side] == BFO_NONE)
		return snprintf(buf, VALUE_BYTES, "with no name before");
	if (d->kind == BFO_DIFF_LINKS) {
		len = snprintf(buf, VALUE_BYTES, "with ");
		return len + bfo_compare_path(r->compare, d->first[side], NULL, buf + len,
					      PATH_BYTES);
	}
	attr_text(r, d->kind, d->attrs[side], buf, VALUE_BYTES);
	return strlen(buf);
}

static size_t path_of(const struct verify_report *r, const struct bfo_diff *d, char *path)
{
	int is_named = d->kind == BFO_DIFF_MISSING || d->kind == BFO_DIFF_EXTRA ||
		       d->kind == BFO_DIFF_HASH;

	return bfo_compare_path(r->compare, d->pair, is_named ? &d->name : NULL, path, PATH_BYTES);
}

/* True for those that have a value on both sides; the others are an offset, or only a name. */
static int has_values(const struct bfo_diff *d)
{
	return d->kind != BFO_DIFF_MISSING && d->kind != BFO_DIFF_EXTRA &&
	       d->kind != BFO_DIFF_DATA && d->kind != BFO_DIFF_HOLES;
}

/* ---- for people ---- */

static void print_value(const struct verify_report *r, const struct bfo_diff *d, int side)
{
	char buf[VALUE_BYTES], shown[SHOWN_BYTES];
	int quoted = d->kind == BFO_DIFF_SYMLINK || d->kind == BFO_DIFF_XATTR;
	const char *value;
	size_t len = value_of(r, d, side, buf, &value);

	if (!value) {
		fputs("none", stdout);
		return;
	}
	bfo_text_escape(value, len, shown, quoted && !r->opt->common.verbose ? CUT : sizeof(shown));
	printf(quoted ? "\"%s\"" : "%s", shown);
	if (quoted && len > SURE)
		printf(" (%zu bytes)", len);
}

static void print_diff(const struct verify_report *r, const struct bfo_diff *d)
{
	char path[PATH_BYTES], shown[SHOWN_BYTES];

	printf("%s: %s", bfo_text_escape(path, path_of(r, d, path), shown, sizeof(shown)),
	       bfo_diff_words[d->kind]);
	if (d->kind == BFO_DIFF_XATTR)
		printf(" %s", bfo_text_escape(d->name.data, d->name.len, shown, sizeof(shown)));
	if (has_values(d)) {
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

static void print_end(const struct verify_report *r, double seconds)
{
	const struct bfo_compare *c = r->compare;
	char count[80], bytes[32];
	int kind;

	for (kind = 0; kind < BFO_DIFF_KINDS; kind++)
		if (r->count[kind] > SHOWN && !r->opt->common.verbose)
			printf("and %llu more: %s (all with --verbose or --json)\n",
			       (unsigned long long) r->count[kind] - SHOWN, bfo_diff_words[kind]);
	if (r->opt->common.quiet)
		return;
	printf("Compared %s, %s, in %.1f s: ", count_text(c->files, c->dirs, count, sizeof(count)),
	       size_text(c->bytes, bytes, sizeof(bytes)), seconds);
	if (r->damage > r->unread)
		printf("%llu damaged, ", (unsigned long long) (r->damage - r->unread));
	if (r->unread)
		printf("%llu unreadable (%s of data not compared), ",
		       (unsigned long long) r->unread, size_text(c->missed, bytes, sizeof(bytes)));
	if (c->differences)
		printf("%llu difference%s.\n", (unsigned long long) c->differences,
		       c->differences == 1 ? "" : "s");
	else
		puts(r->damage ? "no further difference." : "equal.");
	for (kind = 0; kind < 2; kind++) {
		journals_print(r->opt->volume[kind], r->volume[kind], c->tree[kind]);
		dir_print(r->opt->volume[kind], &r->end[kind]);
	}
	if (!r->opt->common.verbose)
		return;
	for (kind = 0; kind < 2; kind++)
		message_printf("  read from %s: %llu requests, %llu blocks\n", r->opt->volume[kind],
			       (unsigned long long) bfo_source_requests(c->source[kind]),
			       (unsigned long long) bfo_source_blocks(c->source[kind]));
}

/* ---- for scripts ---- */

static void json_diff(struct verify_report *r, const struct bfo_diff *d)
{
	static const char *const ino[2] = { "inode", "other_inode" };
	static const char *const values[2] = { "value", "other" };
	char buf[VALUE_BYTES];
	const char *value;
	size_t len;
	int side;

	json_open(&r->json, NULL, '{');
	json_string(&r->json, "kind", bfo_diff_words[d->kind]);
	json_bytes(&r->json, "path", buf, path_of(r, d, buf));
	for (side = 0; side < 2; side++)
		if (d->ino[side])
			json_number(&r->json, ino[side], d->ino[side]);
	if (d->kind == BFO_DIFF_XATTR)
		json_bytes(&r->json, "name", d->name.data, d->name.len);
	for (side = 0; side < 2 && has_values(d); side++) {
		len = value_of(r, d, side, buf, &value);
		json_bytes(&r->json, values[side], value, len);
	}
	if (d->kind == BFO_DIFF_DATA || d->kind == BFO_DIFF_HOLES)
		json_number(&r->json, "offset", d->offset);
	json_close(&r->json, '}');
}

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

static void json_end(struct verify_report *r, errcode_t err, const char *what, int status)
{
	struct json *j = &r->json;

	journals_json(j, "journal_a", r->volume[0], r->compare->tree[0]);
	journals_json(j, "journal_b", r->volume[1], r->compare->tree[1]);
	medium_json(j, "medium_a", r->volume[0]);
	medium_json(j, "medium_b", r->volume[1]);
	dir_json(j, "directory_a", &r->end[0]);
	dir_json(j, "directory_b", &r->end[1]);
	json_number(j, "files", r->compare->files);
	json_number(j, "directories", r->compare->dirs);
	json_number(j, "bytes", r->compare->bytes);
	json_number(j, "missed_bytes", r->compare->missed);
	result_status(j, status, err, what);
	result_end(j);
}

/* ---- both ---- */

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

void verify_report_diff(void *priv, const struct bfo_diff *diff)
{
	struct verify_report *r = priv;
	int is_shown = r->count[diff->kind]++ < SHOWN || r->opt->common.verbose;

	if (r->opt->common.json) {
		json_diff(r, diff);
	} else if (is_shown) {
		progress_wipe(r->bar);
		print_diff(r, diff);
	}
}

void verify_report_damage(struct verify_report *r)
{
	char path[PATH_BYTES];
	struct damage d;
	size_t i, len;
	int side;

	if (r->opt->common.json) {
		json_close(&r->json, ']');
		json_open(&r->json, "damage", '[');
	}
	for (side = 0; side < 2; side++) {
		const bfo_findings *found = &r->compare->tree[side]->findings;

		for (i = 0; i < found->n; i++) {
			len = bfo_compare_finding_path(r->compare, side, &found->v[i], path,
						       sizeof(path));
			if (!len)
				continue;
			d = damage_of(r->compare->tree[side], &found->v[i]);
			if (r->opt->common.json)
				json_damage(r, side, &d, path, len);
			r->unread += bfo_finding_is_unread(d.kind);
			if (r->damage++ < SHOWN || r->opt->common.verbose)
				damage_tell(r->opt->volume[side], path, len, &d);
		}
	}
	if (r->opt->common.json)
		json_close(&r->json, ']');
	if (r->damage > SHOWN && !r->opt->common.verbose)
		message("and %llu more that is damaged or cannot be read (all with --verbose or "
			"--json)",
			(unsigned long long) r->damage - SHOWN);
}

void verify_report_end(struct verify_report *r, errcode_t err, const char *what, int status,
		       double seconds)
{
	if (err)
		com_err("e2bfo", err, "while %s", what);
	if (r->opt->common.json)
		json_end(r, err, what, status);
	else if (!err)
		print_end(r, seconds);
}
