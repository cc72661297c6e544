// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tarwriter: writes the archive of a tree that exists only as text
 *
 *   tarwriter [-p] [-z] [-l LEVEL] [-t THREADS] < ITEMS > ARCHIVE
 *
 * -p: portable.  -z: compressed.  Each line of ITEMS is one, in tree order, by words KEY=VALUE;
 * texts are hexadecimal, what is not said is 0:
 *
 *   path= first= target=                   texts; with `first` it is a hard link
 *   mode= flags=                           octal, hexadecimal
 *   uid= gid= size= major= minor= generation= version= project=
 *   mtime= atime= ctime= crtime=           SECONDS:NANOSECONDS; without crtime it has no birth time
 *   part=FROM:LENGTH:UNWRITTEN             ascending
 *   xattr=INDEX:NAME:VALUE                 as ext4 stores them
 *
 * Byte N of every file is 1 + N modulo 251.  What was noted goes to standard error.
 */
#include <err.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "export/tar.h"

#define PATTERN 251U
#define PIECE (1U << 20)

static struct bfo_context ctx;
static char pattern[PIECE + PATTERN];

static struct {
	struct bfo_item item;
	BFO_VEC(struct bfo_part) parts;
	BFO_VEC(char *) texts;			/* to be freed */
} line;

static void check(errcode_t error)
{
	if (error)
		errx(1, "%s while %s", error_message(error), ctx.what);
}

/* Bytes of hexadecimal TEXT, with a NUL behind them. */
static char *unhex(const char *text, size_t *len)
{
	size_t n = strcspn(text, ": \n") / 2, i;
	char *out = malloc(n + 1);

	if (!out || bfo_vec_push(&line.texts, out))
		errx(2, "memory");
	for (i = 0; i < n; i++) {
		char digits[] = { text[2 * i], text[2 * i + 1], 0 };

		out[i] = strtoul(digits, NULL, 16);
	}
	out[n] = 0;
	*len = n;
	return out;
}

static void add_xattr(const char *value)
{
	struct bfo_xattr x = { .name_index = strtoul(value, NULL, 10) };
	size_t len;

	value = strchr(value, ':') + 1;
	x.name = unhex(value, &len);
	x.name_len = len;
	value = strchr(value, ':') + 1;
	x.value = unhex(value, &len);
	x.size = len;
	if (bfo_vec_push(&line.item.xattrs, x))
		errx(2, "memory");
}

static void add_part(const char *value)
{
	struct bfo_part part = { 0 };

	if (sscanf(value, "%" SCNu64 ":%" SCNu64 ":%d", &part.from, &part.len,
		   &part.is_unwritten) != 3 || bfo_vec_push(&line.parts, part))
		errx(2, "part: %s", value);
}

static int set_text(const char *key, const char *value)
{
	struct bfo_item *item = &line.item;

	if (!strcmp(key, "path"))
		item->path = unhex(value, &item->path_len);
	else if (!strcmp(key, "first"))
		item->first = unhex(value, &item->first_len);
	else if (!strcmp(key, "target"))
		item->target = unhex(value, &item->target_len);
	else if (!strcmp(key, "part"))
		add_part(value);
	else if (!strcmp(key, "xattr"))
		add_xattr(value);
	else
		return 0;
	return 1;
}

static int set_time(const char *key, const char *value)
{
	static const char *const keys[] = { "mtime", "atime", "ctime", "crtime" };
	struct bfo_attrs *a = &line.item.attrs;
	int i;

	for (i = 0; i < BFO_TIMES && strcmp(key, keys[i]); i++)
		;
	if (i == BFO_TIMES)
		return 0;
	a->has_crtime |= i == BFO_CRTIME;
	return sscanf(value, "%" SCNd64 ":%" SCNu32, &a->sec[i], &a->nsec[i]) == 2;
}

static int set_number(const char *key, const char *value)
{
	struct bfo_attrs *a = &line.item.attrs;
	const struct {
		const char *key;
		uint32_t *number;
		int base;
	} numbers[] = {
		{ "uid", &a->uid, 10 }, { "gid", &a->gid, 10 }, { "project", &a->project, 10 },
		{ "major", &a->major, 10 }, { "minor", &a->minor, 10 },
		{ "generation", &a->generation, 10 }, { "flags", &a->flags, 16 },
	};
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!strcmp(key, numbers[i].key)) {
			*numbers[i].number = strtoul(value, NULL, numbers[i].base);
			return 1;
		}
	if (!strcmp(key, "size"))
		a->size = strtoull(value, NULL, 10);
	else if (!strcmp(key, "version"))
		a->version = strtoull(value, NULL, 10);
	else if (!strcmp(key, "mode"))
		a->mode = strtoul(value, NULL, 8);
	else
		return 0;
	return 1;
}

static void read_line(char *text)
{
	char *word, *value;

	memset(&line.item, 0, sizeof(line.item));
	line.parts.n = 0;
	for (word = strtok(text, " \n"); word; word = strtok(NULL, " \n")) {
		value = strchr(word, '=');
		if (!value)
			errx(2, "no value: %s", word);
		*value++ = 0;
		if (!set_text(word, value) && !set_time(word, value) && !set_number(word, value))
			errx(2, "unknown: %s=%s", word, value);
	}
	line.item.parts = line.parts.v;
	line.item.n_parts = line.parts.n;
}

static void give_part(struct bfo_outlet *out, const struct bfo_part *part)
{
	uint64_t at = part->from, end = part->from + part->len, size = line.item.attrs.size;

	while (!part->is_unwritten && at < end && at < size) {
		size_t len = end - at < PIECE ? end - at : PIECE;

		if (len > size - at)
			len = size - at;
		check(out->data(out->priv, at, pattern + at % PATTERN, len));
		at += len;
	}
}

static void give_item(struct bfo_outlet *out)
{
	size_t i;

	check(out->item(out->priv, &line.item));
	if (!S_ISREG(line.item.attrs.mode) || line.item.first)
		return;
	for (i = 0; i < line.parts.n; i++)
		give_part(out, &line.parts.v[i]);
	check(out->done(out->priv));
}

static void free_line(void)
{
	while (line.texts.n)
		free(line.texts.v[--line.texts.n]);
	bfo_vec_free(&line.item.xattrs);
}

int main(int argc, char **argv)
{
	struct bfo_tar_options opt = { .fd = STDOUT_FILENO, .name = "standard output" };
	struct bfo_outlet *out;
	struct bfo_tar_notes notes;
	char *text = NULL;
	size_t room = 0, i;
	int c;

	while ((c = getopt(argc, argv, "pzl:t:")) != -1) {
		if (c == 'p')
			opt.is_portable = 1;
		else if (c == 'z')
			opt.is_packed = 1;
		else if (c == 'l')
			opt.level = atoi(optarg);
		else if (c == 't')
			opt.threads = atoi(optarg);
		else
			return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	for (i = 0; i < sizeof(pattern); i++)
		pattern[i] = 1 + i % PATTERN;
	check(bfo_tar_open(&ctx, &opt, &out));
	while (getline(&text, &room, stdin) > 0) {
		read_line(text);
		give_item(out);
		free_line();
	}
	check(out->end(out->priv));
	notes = bfo_tar_notes(out);
	bfo_tar_close(out);
	fprintf(stderr, "members %" PRIu64 " bytes %" PRIu64 " written %" PRIu64 " sockets %"
		PRIu64 "\n", notes.members, notes.bytes, notes.written, notes.sockets);
	bfo_vec_free(&line.parts);
	bfo_vec_free(&line.texts);
	free(text);
	return 0;
}
