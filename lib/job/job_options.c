// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * job_options.c - options of a copy, in a form that the record of a copy can hold
 *
 *   KEY=VALUE NUL KEY=VALUE NUL ...
 *
 * Only what is needed to make the same plan again, and what it is to be told with; what is said to
 * the command that resumes (memory, undo file) is not kept.  What is read is not trusted: it came
 * from a disk.
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/job_options.h"
#include "tree/finding.h"
#include "device/spec.h"

#define SAID_MOST 4096U		/* bytes of the command line that are kept */

enum type {
	FLAG,			/* int: 1 */
	NUMBER,			/* uint32_t, or an enum of as many values as the row says */
	LONG,			/* uint64_t */
	TEXT,			/* const char * */
	PATH,			/* the same, made absolute; "-" stays */
	VOLUME,			/* the same, of a volume */
};

#define AT(field) offsetof(struct bfo_copy_options, field)

static const struct row {
	const char *key;
	enum type type;
	size_t at;
	uint32_t most;		/* of NUMBER */
} rows[] = {
	{ "in", TEXT, AT(directory), 0 },
	{ "source", VOLUME, AT(source), 0 },
	{ "on-read-error", NUMBER, AT(medium.how.mode), BFO_MEDIA_SKIP },
	{ "mapfile", PATH, AT(medium.mapfile), 0 },
	{ "write-mapfile", PATH, AT(write_mapfile), 0 },
	{ "superblock", LONG, AT(medium.how.superblock), 0 },
	{ "block-size", NUMBER, AT(medium.how.block_size), 65536 },
	{ "ignore-journal", FLAG, AT(journal.ignore), 0 },
	{ "files-from", PATH, AT(files_from), 0 },
	{ "from0", FLAG, AT(from0), 0 },
	{ "allow-empty", FLAG, AT(allow_empty), 0 },
	{ "to", TEXT, AT(to), 0 },
	{ "trust", FLAG, AT(trust), 0 },
	{ "force", FLAG, AT(force), 0 },
	{ "formatted", FLAG, AT(was_formatted), 0 },
	{ "keep-inodes", FLAG, AT(keep_inodes), 0 },
	{ "unpack", FLAG, AT(unpack), 0 },
	{ "itree", FLAG, AT(itree), 0 },
	{ "over", NUMBER, AT(over), BFO_OVER_NEWER },
	{ "no-devices", FLAG, AT(no_devices), 0 },
	{ "no-suid", FLAG, AT(no_suid), 0 },
	{ "verify", FLAG, AT(verify), 0 },
	{ "evidence", FLAG, AT(evidence), 0 },
	{ "hash-source", FLAG, AT(hash_source), 0 },
	{ "dir-fill", NUMBER, AT(dir_fill), 100 },
	{ "direct", NUMBER, AT(direct), BFO_DIRECT_NEVER },
	{ "read-gap", LONG, AT(read_gap), 0 },
	{ "bwlimit", LONG, AT(bwlimit), 0 },
	{ "token", TEXT, AT(token), 0 },
	{ "cross-mounts", FLAG, AT(cross_mounts), 0 },
	{ "strip", NUMBER, AT(strip), 65535 },
	{ "hard-dereference", FLAG, AT(dereference), 0 },
	{ "metadata-in", PATH, AT(metadata_in), 0 },
	{ "owners", TEXT, AT(owners), 0 },
	{ "reproducible", FLAG, AT(is_reproducible), 0 },
	{ "epoch", FLAG, AT(has_epoch), 0 },
	{ "order-list", PATH, AT(order.list), 0 },
	{ "order-trace", PATH, AT(order.trace), 0 },
	{ "order-depth", NUMBER, AT(order.depth), BFO_ORDER_DEPTH_MOST },
	{ "order-support", NUMBER, AT(order.support), 100 },
	{ "order-window", NUMBER, AT(order.window), BFO_ORDER_WINDOW_MOST },
	{ "order-root", TEXT, AT(order.root), 0 },
	{ "order-mount", TEXT, AT(order.mount), 0 },
};

#define ROWS (sizeof(rows) / sizeof(*rows))

/* ---- saving ---- */

static errcode_t put(bfo_chars *out, const char *key, const char *value)
{
	size_t len = strlen(key) + strlen(value) + 2;
	errcode_t err = bfo_vec_reserve(out, len);

	if (err)
		return err;
	out->n += snprintf(out->v + out->n, len, "%s=%s", key, value) + 1;
	return 0;
}

static errcode_t put_number(bfo_chars *out, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return value ? put(out, key, text) : 0;
}

/* NAME as it means the same in every directory. */
static errcode_t put_path(bfo_chars *out, const char *key, const char *name, const char *directory)
{
	char *path = NULL;
	errcode_t err;

	if (*name == '/' || !strcmp(name, "-") || !directory)
		return put(out, key, name);
	if (asprintf(&path, "%s/%s", directory, name) < 0)
		return ENOMEM;
	err = put(out, key, path);
	free(path);
	return err;
}

static errcode_t put_volume(bfo_chars *out, const char *key, const char *spec)
{
	char *path = bfo_spec_absolute(spec);
	errcode_t err = path ? put(out, key, path) : ENOMEM;

	free(path);
	return err;
}

static errcode_t put_row(bfo_chars *out, const struct row *row, const struct bfo_copy_options *opt)
{
	const void *at = (const char *) opt + row->at;
	const char *text = NULL;

	if (row->type >= TEXT)
		memcpy(&text, at, sizeof(text));
	switch (row->type) {
	case FLAG:
		return put_number(out, row->key, !!*(const int *) at);
	case NUMBER:
		return put_number(out, row->key, *(const uint32_t *) at);
	case LONG:
		return put_number(out, row->key, *(const uint64_t *) at);
	case PATH:
		return text ? put_path(out, row->key, text, opt->directory) : 0;
	case VOLUME:
		return text ? put_volume(out, row->key, text) : 0;
	default:
		return text ? put(out, row->key, text) : 0;
	}
}

/* Words, as numbers may mean something else in another version. */
static errcode_t put_losses(bfo_chars *out, uint64_t losses)
{
	errcode_t err = 0;
	int kind;

	if (losses == UINT64_MAX)
		return put(out, "allow-loss", "all");
	for (kind = 0; kind < BFO_FOUND_KINDS && !err; kind++)
		if (losses & 1ULL << kind)
			err = put(out, "allow-loss", bfo_finding_table[kind].word);
	return err;
}

static errcode_t put_names(bfo_chars *out, const struct bfo_copy_options *opt)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < opt->n_from && !err; i++)
		err = put(out, "from", opt->from[i]);
	for (i = 0; i < opt->n_exclude && !err; i++)
		err = opt->exclude[i].is_file ?
		      put_path(out, "exclude-from", opt->exclude[i].text, opt->directory) :
		      put(out, "exclude", opt->exclude[i].text);
	for (i = 0; i < opt->journal.n_devices && !err; i++)
		err = put_volume(out, "journal", opt->journal.devices[i]);
	for (i = 0; i < opt->order.n && !err; i++)
		err = put(out, "order", bfo_order_word(opt->order.policies[i]));
	return err;
}

/* Nothing depends on them: they are left out if they are long. */
static errcode_t put_said(bfo_chars *out, const struct bfo_copy_options *opt)
{
	errcode_t err = 0;
	size_t i, bytes = 0;

	for (i = 0; i < opt->n_said; i++)
		bytes += strlen(opt->said[i]) + 1;
	for (i = 0; i < opt->n_said && bytes <= SAID_MOST && !err; i++)
		err = put(out, "said", opt->said[i]);
	return err;
}

errcode_t bfo_options_save(const struct bfo_copy_options *opt, bfo_chars *text)
{
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < ROWS && !err; i++)
		err = put_row(text, &rows[i], opt);
	if (!err)
		err = put_losses(text, opt->losses);
	if (!err)
		err = put_names(text, opt);
	if (!err && opt->mkfs)
		err = put(text, "formatted", "1");
	if (!err && opt->mkfs && opt->size)
		err = put(text, "makes-file", "1");
	return err ? err : put_said(text, opt);
}

/* ---- loading ---- */

static int read_number(const char *text, uint64_t most, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *value <= most;
}

/* As put_path() writes it, where it knows the directory. */
static int is_path(const char *value)
{
	return *value == '/' || !strcmp(value, "-");
}

static int take_row(struct bfo_copy_options *opt, const struct row *row, char *value)
{
	char *at = (char *) opt + row->at;
	uint64_t number;

	if (row->type == PATH && !is_path(value))
		return 0;
	if (row->type >= TEXT) {
		memcpy(at, &value, sizeof(value));
		return 1;
	}
	if (!read_number(value, row->type == FLAG ? 1 : row->type == LONG ? UINT64_MAX : row->most,
			 &number))
		return 0;
	if (row->type == LONG)
		*(uint64_t *) at = number;
	else
		*(uint32_t *) at = number;
	return 1;
}

static int take_policy(struct bfo_order_options *o, const char *word)
{
	unsigned int policy;
	size_t i;

	for (policy = 0; policy < BFO_ORDER_POLICIES; policy++)
		if (!strcmp(word, bfo_order_word(policy)))
			break;
	for (i = 0; i < o->n; i++)
		if (o->policies[i] == policy)
			return 0;
	if (policy == BFO_ORDER_POLICIES)
		return 0;
	o->policies[o->n++] = policy;
	return 1;
}

/* Arrays of strings: as many places as there are strings in all, one after the other in words[]. */
struct arrays {
	const char **from, **journals, **said;
};

static int take_name(struct bfo_saved_options *s, struct arrays *a, const char *key, char *value)
{
	struct bfo_copy_options *opt = &s->opt;
	int is_file = !strcmp(key, "exclude-from");

	if (!strcmp(key, "from"))
		a->from[opt->n_from++] = value;
	else if (!strcmp(key, "journal"))
		a->journals[opt->journal.n_devices++] = value;
	else if (!strcmp(key, "said"))
		a->said[opt->n_said++] = value;
	else if (is_file && !is_path(value))
		return 0;
	else if (is_file || !strcmp(key, "exclude"))
		s->exclude[opt->n_exclude++] = (struct bfo_exclude) { value, is_file };
	else if (!strcmp(key, "allow-loss"))
		return !bfo_losses_read(value, &opt->losses);
	else if (!strcmp(key, "order"))
		return take_policy(&opt->order, value);
	else if (!strcmp(key, "makes-file"))
		return s->makes_file = !strcmp(value, "1");
	else
		return 0;
	return 1;
}

static int take(struct bfo_saved_options *s, struct arrays *a, char *setting)
{
	char *value = strchr(setting, '=');
	size_t i;

	if (!value)
		return 0;
	*value++ = 0;
	for (i = 0; i < ROWS; i++)
		if (!strcmp(setting, rows[i].key))
			return take_row(&s->opt, &rows[i], value);
	return take_name(s, a, setting, value);
}

static int are_names(const struct bfo_copy_options *opt)
{
	size_t i;

	for (i = 0; i < opt->n_from; i++)
		if (!*opt->from[i])
			return 0;
	for (i = 0; i < opt->n_exclude; i++)
		if (!opt->exclude[i].text[strspn(opt->exclude[i].text, "/")])
			return 0;
	return (!opt->directory || *opt->directory == '/') && opt->source && *opt->source &&
	       opt->to && *opt->to && opt->n_from;
}

static int is_order(const struct bfo_order_options *o)
{
	int lists = 0, traces = 0;
	size_t i;

	for (i = 0; i < o->n; i++) {
		lists += o->policies[i] == BFO_ORDER_LIST;
		traces += o->policies[i] == BFO_ORDER_TRACE;
	}
	return lists == !!o->list && traces == !!o->trace && (!o->root || *o->root == '/') &&
	       (!o->mount || *o->mount == '/');
}

/* What no caller says. */
static int is_sound(const struct bfo_copy_options *opt)
{
	const struct bfo_media_options *how = &opt->medium.how;

	return are_names(opt) && is_order(&opt->order) && (!opt->dir_fill || opt->dir_fill >= 10) &&
	       how->superblock <= UINT32_MAX && !(how->block_size & (how->block_size - 1)) &&
	       (!how->block_size || how->block_size >= 1024) && opt->read_gap <= UINT32_MAX &&
	       !(opt->hash_source && opt->medium.mapfile);
}

errcode_t bfo_options_load(const char *text, size_t len, struct bfo_saved_options *s)
{
	struct arrays a;
	size_t i, n = 0;
	char *at;

	*s = (struct bfo_saved_options) { .text = malloc(len + 1) };
	if (!s->text)
		return ENOMEM;
	memcpy(s->text, text, len);
	s->text[len] = 0;
	for (i = 0; i < len; i++)
		n += !text[i];
	if (!len || text[len - 1])
		return EINVAL;
	s->words = calloc(3 * n + 1, sizeof(*s->words));
	s->exclude = calloc(n + 1, sizeof(*s->exclude));
	if (!s->words || !s->exclude)
		return ENOMEM;
	a = (struct arrays) { s->words, s->words + n, s->words + 2 * n };
	s->opt.from = a.from;
	s->opt.journal.devices = a.journals;
	s->opt.said = a.said;
	s->opt.exclude = s->exclude;
	for (at = s->text; at < s->text + len; at += n) {
		n = strlen(at) + 1;
		if (!take(s, &a, at))
			return EINVAL;
	}
	return is_sound(&s->opt) ? 0 : EINVAL;
}

void bfo_saved_options_free(struct bfo_saved_options *s)
{
	free(s->text);
	free(s->words);
	free(s->exclude);
	*s = (struct bfo_saved_options) { .text = NULL };
}
