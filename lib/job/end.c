// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * end.c - what a tree comes from
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/context.h"
#include "base/disk.h"
#include "device/spec.h"
#include "intake/archive.h"
#include "intake/dir.h"
#include "intake/intake.h"
#include "intake/stream_tree.h"
#include "job/end.h"

#define MAGIC_AT (1024 + offsetof(struct ext2_super_block, s_magic))

static errcode_t no_memory(struct bfo_context *ctx, const char *spec)
{
	return bfo_fail(ctx, ENOMEM, "looking at %s", spec);
}

/* SPEC without the word in front that says what it is, if that is WORD; else NULL. */
static const char *after(const char *spec, const char *word)
{
	size_t len = strlen(word);

	return strncmp(spec, word, len) ? NULL : spec + len;
}

/* Ends on other machines are ends of programs, which run others. */
static errcode_t check_here(struct bfo_context *ctx, const char *spec)
{
	return !after(spec, "ssh://") ? 0 :
	       bfo_fail(ctx, BFO_ET_OPTION, "opening %s: an end that is ssh://HOST/PATH is for "
			"e2bfo copy", spec);
}

static errcode_t take(struct bfo_context *ctx, const char *spec, const char *path,
		      enum bfo_end_kind kind, struct bfo_end *end)
{
	end->kind = kind;
	end->path = strdup(path);
	return end->path ? 0 : no_memory(ctx, spec);
}

static int has_superblock(int fd)
{
	uint16_t magic;

	return pread(fd, &magic, sizeof(magic), MAGIC_AT) == sizeof(magic) &&
	       le16(magic) == EXT2_SUPER_MAGIC;
}

static int begins_as_stream(int fd)
{
	char magic[BFO_STREAM_MAGIC_BYTES];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	       !memcmp(magic, BFO_STREAM_MAGIC, sizeof(magic));
}

const char *bfo_end_begins_as(int fd)
{
	if (begins_as_stream(fd))
		return "a stream";
	return bfo_archive_probe(fd) != BFO_ARCHIVE_NONE ? "an archive" : NULL;
}

/* What regular file PATH begins as.  One that cannot be read is a volume: its opening will tell. */
static errcode_t tell_file(struct bfo_context *ctx, const char *spec, const char *path,
			   struct bfo_end *end)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), is_archive, is_volume;
	int is_stream;

	if (fd < 0)
		return 0;
	is_stream = begins_as_stream(fd);
	is_archive = bfo_archive_probe(fd) != BFO_ARCHIVE_NONE;
	is_volume = has_superblock(fd);
	close(fd);
	if (is_archive && is_volume)
		return bfo_fail(ctx, EINVAL, "looking at %s: it begins as an archive and as a "
				"filesystem: say tar:%s or ext:%s", spec, spec, spec);
	if (is_stream && is_volume)
		return bfo_fail(ctx, EINVAL, "looking at %s: it begins as a stream and as a "
				"filesystem: say stream:%s or ext:%s", spec, spec, spec);
	if (is_stream)
		return take(ctx, spec, path, BFO_END_STREAM, end);
	return is_archive ? take(ctx, spec, path, BFO_END_ARCHIVE, end) : 0;
}

static errcode_t tell_path(struct bfo_context *ctx, const char *spec, const char *path,
			   struct bfo_end *end)
{
	struct stat st;

	if (stat(path, &st))
		return 0;
	if (S_ISDIR(st.st_mode))
		return take(ctx, spec, path, BFO_END_DIRECTORY, end);
	if (S_ISFIFO(st.st_mode))
		return take(ctx, spec, path, BFO_END_ARCHIVE, end);
	return S_ISREG(st.st_mode) ? tell_file(ctx, spec, path, end) : 0;
}

errcode_t bfo_end_tell(struct bfo_context *ctx, const char *spec, struct bfo_end *end)
{
	errcode_t err = check_here(ctx, spec);
	struct bfo_spec parts;

	*end = (struct bfo_end) { .kind = BFO_END_VOLUME };
	if (err)
		return err;
	if (after(spec, "dir:"))
		return take(ctx, spec, after(spec, "dir:"), BFO_END_DIRECTORY, end);
	if (after(spec, "tar:"))
		return take(ctx, spec, after(spec, "tar:"), BFO_END_ARCHIVE, end);
	if (after(spec, "stream:"))
		return take(ctx, spec, after(spec, "stream:"), BFO_END_STREAM, end);
	if (!strcmp(spec, "-"))
		return take(ctx, spec, spec, BFO_END_ARCHIVE, end);
	if (after(spec, "ext:"))
		return 0;
	if (bfo_spec_parse(spec, &parts))
		return no_memory(ctx, spec);
	if (!parts.is_tag && !parts.options)
		err = tell_path(ctx, spec, parts.path, end);
	bfo_spec_free(&parts);
	return err;
}

/* ---- as a target ---- */

static int ends_in(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len >= n && !strcmp(text + len - n, end);
}

/* What is called so may be an archive that is made, or is to be replaced. */
static int is_archive_name(const char *path)
{
	struct stat st;
	int fd, is_volume;

	if (!ends_in(path, ".tar") && !ends_in(path, ".tar.zst"))
		return 0;
	if (stat(path, &st))
		return 1;
	fd = S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	is_volume = fd >= 0 && has_superblock(fd);
	if (fd >= 0)
		close(fd);
	return S_ISREG(st.st_mode) && !is_volume;
}

static errcode_t tell_target_path(struct bfo_context *ctx, const char *spec, const char *path,
				  struct bfo_end *end)
{
	struct stat st;

	if (ends_in(path, "/") || (!stat(path, &st) && S_ISDIR(st.st_mode)))
		return take(ctx, spec, path, BFO_END_DIRECTORY, end);
	return is_archive_name(path) ? take(ctx, spec, path, BFO_END_ARCHIVE, end) : 0;
}

errcode_t bfo_end_tell_target(struct bfo_context *ctx, const char *spec, struct bfo_end *end)
{
	errcode_t err = check_here(ctx, spec);
	struct bfo_spec parts;

	*end = (struct bfo_end) { .kind = BFO_END_VOLUME };
	if (err)
		return err;
	if (!strcmp(spec, "dir:") || !strcmp(spec, "tar:") || !strcmp(spec, "stream:"))
		return bfo_fail(ctx, BFO_ET_OPTION, "opening %s: it names nothing", spec);
	if (after(spec, "dir:"))
		return take(ctx, spec, after(spec, "dir:"), BFO_END_DIRECTORY, end);
	if (after(spec, "tar:"))
		return take(ctx, spec, after(spec, "tar:"), BFO_END_ARCHIVE, end);
	if (after(spec, "stream:"))
		return take(ctx, spec, after(spec, "stream:"), BFO_END_STREAM, end);
	if (!strcmp(spec, "-"))
		return bfo_fail(ctx, BFO_ET_OPTION, "opening -: an archive goes to standard output "
				"as tar:-");
	if (after(spec, "ext:") || after(spec, "file:"))
		return 0;
	if (bfo_spec_parse(spec, &parts))
		return no_memory(ctx, spec);
	if (!parts.is_tag && !parts.options)
		err = tell_target_path(ctx, spec, parts.path, end);
	bfo_spec_free(&parts);
	return err;
}

void bfo_end_free(struct bfo_end *end)
{
	free(end->path);
	*end = (struct bfo_end) { .path = NULL };
}

errcode_t bfo_end_check(struct bfo_context *ctx, const char *name, unsigned int kinds,
			const struct bfo_end_options *how)
{
	const unsigned int dir = 1U << BFO_END_DIRECTORY, archive = 1U << BFO_END_ARCHIVE;
	const unsigned int stream = 1U << BFO_END_STREAM;
	const struct { int is_asked; unsigned int kinds; const char *text; } rows[] = {
		{ how->cross_mounts, dir, "--cross-mounts is for directories" },
		{ !!how->strip, archive | stream, "--strip-components is for archives" },
		{ !!how->metadata_in, dir, "--metadata-in is for directories" },
		{ how->dereference, dir | archive | stream,
		  "--hard-dereference is for directories and archives" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].is_asked && !(kinds & rows[i].kinds))
			return bfo_fail(ctx, BFO_ET_OPTION, "opening %s: %s", name, rows[i].text);
	return 0;
}

static errcode_t open_directory(struct bfo_context *ctx, const struct bfo_end *end,
				const struct bfo_end_options *how, struct bfo_source **source)
{
	struct bfo_dir_options opt = { .path = end->path, .cross_mounts = how->cross_mounts,
				       .zeroes = how->on_read_error == BFO_MEDIA_ZERO,
				       .block_size = how->block_size,
				       .metadata = how->metadata_in, .kept = how->kept,
				       .job = how->job };
	struct stat st;

	if (how->left_out && !stat(how->left_out, &st) && S_ISREG(st.st_mode)) {
		opt.skip_dev = st.st_dev;
		opt.skip_ino = st.st_ino;
	}
	return bfo_dir_open(ctx, &opt, source);
}

static errcode_t open_archive(struct bfo_context *ctx, const struct bfo_end *end,
			      const struct bfo_end_options *how, struct bfo_source **source)
{
	int is_open = !strcmp(end->path, "-");
	const char *open_name = how->in == STDIN_FILENO ? "standard input" : "the archive";
	struct bfo_archive_options opt = { .path = is_open ? NULL : end->path, .fd = how->in,
					   .name = is_open ? open_name : end->path,
					   .strip = how->strip, .now = how->now,
					   .spool = how->spool, .arrives = how->arrives };

	return bfo_archive_open(ctx, &opt, source);
}

static errcode_t open_stream(struct bfo_context *ctx, const struct bfo_end *end,
			     const struct bfo_end_options *how, struct bfo_source **source)
{
	int is_open = !strcmp(end->path, "-");
	const char *open_name = how->in == STDIN_FILENO ? "standard input" : "the stream";
	struct bfo_stream_options opt = { .path = is_open ? NULL : end->path, .fd = how->in,
					  .name = is_open ? open_name : end->path,
					  .strip = how->strip, .now = how->now,
					  .spool = how->spool, .damaged = how->on_read_error };

	return bfo_stream_open(ctx, &opt, source);
}

errcode_t bfo_end_open(struct bfo_context *ctx, struct bfo_end *end,
		       const struct bfo_end_options *how, struct bfo_source **source)
{
	errcode_t err = end->kind == BFO_END_DIRECTORY ? open_directory(ctx, end, how, source) :
			end->kind == BFO_END_STREAM ? open_stream(ctx, end, how, source) :
						      open_archive(ctx, end, how, source);

	if (!err && how->dereference)
		bfo_intake_dereference(*source);
	end->source = err ? NULL : *source;
	return err;
}

struct bfo_dir_notes bfo_end_notes(const struct bfo_end *end)
{
	if (end->kind != BFO_END_DIRECTORY || !end->source)
		return (struct bfo_dir_notes) { .mounts = 0 };
	return bfo_dir_notes(end->source);
}
