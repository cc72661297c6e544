// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * list_check.c - a tree against a manifest
 *
 * The list is read first, into one array that is sorted by path; names of the tree are looked up in
 * it, in whatever order they come.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/text.h"
#include "intake/manifest_read.h"
#include "job/list_check.h"

#define VALUE_BYTES 160U

struct line {
	struct bfo_manifest_entry entry;
	size_t path, target;		/* where these stand in `text` */
	int is_met;
};

struct checking {
	struct bfo_list_check *c;
	struct bfo_context *ctx;
	BFO_VEC(struct line) lines;
	bfo_chars text;
	unsigned int algorithms;	/* that the list has */
};

/* ---- the list ---- */

static errcode_t keep(bfo_chars *text, const char *bytes, size_t len, size_t *at)
{
	errcode_t err = bfo_vec_reserve(text, len + 1);

	if (err)
		return err;
	*at = text->n;
	memcpy(text->v + text->n, bytes, len);
	text->n += len;
	return 0;
}

static errcode_t take_entry(void *priv, const struct bfo_manifest_entry *e)
{
	struct checking *k = priv;
	struct line line = { .entry = *e };
	errcode_t err = keep(&k->text, e->path, e->path_len, &line.path);

	if (!err && e->has & BFO_HAS_TARGET)
		err = keep(&k->text, e->target, e->target_len, &line.target);
	k->algorithms |= e->sums.which;
	return err ? err : bfo_vec_push(&k->lines, line);
}

static int compare_bytes(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int d = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return d ? d : (a_len > b_len) - (a_len < b_len);
}

static int by_path(const void *a, const void *b)
{
	const struct bfo_manifest_entry *x = &((const struct line *) a)->entry;
	const struct bfo_manifest_entry *y = &((const struct line *) b)->entry;
	int d = compare_bytes(x->path, x->path_len, y->path, y->path_len);

	return d ? d : (x->line > y->line) - (x->line < y->line);
}

/* Once `text` does not move any more. */
static void sort_lines(struct checking *k)
{
	size_t i;

	for (i = 0; i < k->lines.n; i++) {
		struct line *line = &k->lines.v[i];

		line->entry.path = k->text.v + line->path;
		line->entry.target = k->text.v + line->target;
	}
	if (k->lines.n)
		qsort(k->lines.v, k->lines.n, sizeof(*k->lines.v), by_path);
}

static errcode_t read_list(struct checking *k)
{
	const struct bfo_list_check_options *opt = &k->c->opt;
	struct bfo_manifest_reader reader = { .entry = take_entry, .priv = k };
	int is_stdin = !strcmp(opt->list, "-");
	errcode_t err;
	int fd;

	if (opt->format == BFO_MANIFEST_BODYFILE)
		return bfo_fail(k->ctx, BFO_ET_OPTION, "opening %s: a bodyfile is written, not "
				"read",
				opt->list);
	fd = is_stdin ? STDIN_FILENO : open(opt->list, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return bfo_fail(k->ctx, errno, "opening %s", opt->list);
	err = bfo_manifest_read(k->ctx, opt->format, fd, is_stdin ? "standard input" : opt->list,
				&reader, NULL);
	if (!is_stdin)
		close(fd);
	if (!err && !k->lines.n)
		err = bfo_fail(k->ctx, BFO_ET_EMPTY_LIST, "reading %s", opt->list);
	sort_lines(k);
	return err;
}

static struct line *find_line(struct checking *k, const char *path, size_t len)
{
	size_t low = 0, high = k->lines.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct bfo_manifest_entry *e = &k->lines.v[mid].entry;

		if (compare_bytes(e->path, e->path_len, path, len) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == k->lines.n || compare_bytes(k->lines.v[low].entry.path,
					       k->lines.v[low].entry.path_len, path, len))
		return NULL;
	return &k->lines.v[low];
}

/* ---- differences ---- */

static void tell(struct checking *k, const struct bfo_list_check_diff *diff)
{
	if (k->c->opt.ignore & BFO_DIFF_BIT(diff->kind))
		return;
	k->c->differences++;
	k->c->opt.found(k->c->opt.priv, diff);
}

static void tell_values(struct checking *k, const struct bfo_item *item, enum bfo_diff_kind kind,
			const char *a, const char *b)
{
	tell(k, &(struct bfo_list_check_diff) { .kind = kind, .path = item->path,
					   .path_len = item->path_len,
					   .value = { { a, strlen(a) }, { b, strlen(b) } } });
}

/* PATH is on one side only. */
static void tell_lonely(struct checking *k, enum bfo_diff_kind kind, const char *path, size_t len)
{
	tell(k, &(struct bfo_list_check_diff) { .kind = kind, .path = path, .path_len = len });
}

static void compare_numbers(struct checking *k, const struct bfo_item *item,
			    enum bfo_diff_kind kind, const char *fmt, uint64_t a, uint64_t b)
{
	char text[2][VALUE_BYTES];

	if (a == b)
		return;
	snprintf(text[0], VALUE_BYTES, fmt, (unsigned long long) a);
	snprintf(text[1], VALUE_BYTES, fmt, (unsigned long long) b);
	tell_values(k, item, kind, text[0], text[1]);
}

static void compare_device(struct checking *k, const struct bfo_item *item,
			   const struct bfo_manifest_entry *e)
{
	const struct bfo_attrs *a = &item->attrs;
	char text[2][VALUE_BYTES];

	if (a->major == e->major && a->minor == e->minor)
		return;
	snprintf(text[0], VALUE_BYTES, "%u:%u", a->major, a->minor);
	snprintf(text[1], VALUE_BYTES, "%u:%u", e->major, e->minor);
	tell_values(k, item, BFO_DIFF_DEVICE, text[0], text[1]);
}

static void compare_time(struct checking *k, const struct bfo_item *item,
			 const struct bfo_manifest_entry *e)
{
	int64_t sec = item->attrs.sec[BFO_MTIME];
	uint32_t nsec = e->has & BFO_HAS_NSEC ? item->attrs.nsec[BFO_MTIME] : 0;
	char text[2][VALUE_BYTES];

	if (!(e->has & (BFO_HAS_SEC | BFO_HAS_NSEC)) || (sec == e->sec && nsec == e->nsec))
		return;
	snprintf(text[0], VALUE_BYTES, "%lld.%09u", (long long) sec, nsec);
	snprintf(text[1], VALUE_BYTES, "%lld.%09u", (long long) e->sec, e->nsec);
	tell_values(k, item, BFO_DIFF_MTIME, text[0], text[1]);
}

static void compare_sum(struct checking *k, const struct bfo_item *item, const uint8_t *a,
			const uint8_t *b, size_t n)
{
	char text[2][VALUE_BYTES] = { "", "" };

	if (!memcmp(a, b, n))
		return;
	bfo_text_put_hex(a, n, text[0]);
	bfo_text_put_hex(b, n, text[1]);
	tell_values(k, item, BFO_DIFF_DATA, text[0], text[1]);
}

/* One of them is enough: of SHA-256, if the list has it. */
static void compare_sums(struct checking *k, const struct bfo_item *item,
			 const struct bfo_manifest_entry *e)
{
	const struct bfo_sums *sums = bfo_manifests_sums_of(&k->c->copy.manifests, item->row);
	unsigned int both = sums ? sums->which & e->sums.which : 0;

	if (!S_ISREG(item->attrs.mode) || !both)
		return;
	if (!item->first)
		k->c->bytes += item->attrs.size;
	if (both & BFO_SUM_SHA256)
		compare_sum(k, item, sums->sha256, e->sums.sha256, BFO_SHA256_BYTES);
	else
		compare_sum(k, item, sums->md5, e->sums.md5, BFO_MD5_BYTES);
}

static void compare_target(struct checking *k, const struct bfo_item *item,
			   const struct bfo_manifest_entry *e)
{
	if (!S_ISLNK(item->attrs.mode) || !(e->has & BFO_HAS_TARGET) ||
	    !compare_bytes(item->target, item->target_len, e->target, e->target_len))
		return;
	tell(k, &(struct bfo_list_check_diff) { .kind = BFO_DIFF_SYMLINK, .path = item->path,
					   .path_len = item->path_len,
					   .value = { { item->target, item->target_len },
						      { e->target, e->target_len } } });
}

static void compare_item(struct checking *k, const struct bfo_item *item,
			 const struct bfo_manifest_entry *e)
{
	const struct bfo_attrs *a = &item->attrs;

	if (e->has & BFO_HAS_TYPE && (a->mode & S_IFMT) != e->type) {
		tell_values(k, item, BFO_DIFF_TYPE, bfo_attrs_type_word(a->mode),
			    bfo_attrs_type_word(e->type));
		return;
	}
	if (e->has & BFO_HAS_MODE)
		compare_numbers(k, item, BFO_DIFF_MODE, "%04llo", a->mode & 07777, e->mode);
	if (e->has & BFO_HAS_UID)
		compare_numbers(k, item, BFO_DIFF_UID, "%llu", a->uid, e->uid);
	if (e->has & BFO_HAS_GID)
		compare_numbers(k, item, BFO_DIFF_GID, "%llu", a->gid, e->gid);
	/* a list of a part counts the names that are in it */
	if (e->has & BFO_HAS_NLINK && !S_ISDIR(a->mode) && e->nlink != item->names)
		compare_numbers(k, item, BFO_DIFF_NLINK, "%llu", a->nlink, e->nlink);
	if (e->has & BFO_HAS_SIZE && S_ISREG(a->mode))
		compare_numbers(k, item, BFO_DIFF_SIZE, "%llu", a->size, e->size);
	if (e->has & BFO_HAS_DEVICE && (S_ISCHR(a->mode) || S_ISBLK(a->mode)))
		compare_device(k, item, e);
	compare_time(k, item, e);
	compare_target(k, item, e);
	compare_sums(k, item, e);
}

/* ---- both ---- */

/* Formats that list regular files, and nothing else. */
static int lists_files_alone(enum bfo_manifest_format format)
{
	return format == BFO_MANIFEST_SHA256SUM || format == BFO_MANIFEST_HASHDEEP;
}

/* What any maker of lists leaves out, or any volume has: as verify has it. */
static int is_left_out(const char *path, size_t len)
{
	static const char lost[] = "lost+found";

	return !len || (len == sizeof(lost) - 1 && !memcmp(path, lost, len));
}

static void check_item(struct checking *k, const struct bfo_item *item)
{
	struct line *line = find_line(k, item->path, item->path_len);

	if (!line && (is_left_out(item->path, item->path_len) ||
		      (lists_files_alone(k->c->opt.format) && !S_ISREG(item->attrs.mode))))
		return;
	k->c->dirs += S_ISDIR(item->attrs.mode);
	k->c->files += !S_ISDIR(item->attrs.mode);
	if (line)
		line->is_met = 1;
	if (line)
		compare_item(k, item, &line->entry);
	else
		tell_lonely(k, BFO_DIFF_MISSING, item->path, item->path_len);
}

/* For the walk over the tree. */
static errcode_t take_item(void *priv, const struct bfo_item *item)
{
	check_item(priv, item);
	return 0;
}

static void tell_extra(struct checking *k)
{
	size_t i;

	for (i = 0; i < k->lines.n; i++) {
		const struct bfo_manifest_entry *e = &k->lines.v[i].entry;

		if (!k->lines.v[i].is_met && !is_left_out(e->path, e->path_len))
			tell_lonely(k, BFO_DIFF_EXTRA, e->path, e->path_len);
	}
}

errcode_t bfo_list_check_run(struct bfo_list_check *check, struct bfo_context *ctx,
			const struct bfo_list_check_options *opt)
{
	struct checking k = { .c = check, .ctx = ctx };
	errcode_t err;

	*check = (struct bfo_list_check) { .copy = { .ctx = ctx }, .opt = *opt };
	err = read_list(&k);
	if (opt->ignore & BFO_DIFF_BIT(BFO_DIFF_DATA))
		k.algorithms = 0;
	if (!err)
		err = bfo_copy_read_all(&check->copy, ctx, &opt->copy, k.algorithms);
	if (!err)
		err = bfo_items_walk(&check->copy.items, take_item, &k);
	if (!err)
		tell_extra(&k);
	bfo_vec_free(&k.lines);
	bfo_vec_free(&k.text);
	return err;
}

void bfo_list_check_close(struct bfo_list_check *check)
{
	bfo_copy_close(&check->copy);
}
