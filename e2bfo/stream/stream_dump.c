// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream_dump.c - e2bfo stream --dump: what a stream is made of (intake/stream_survey.h)
 *
 * Nothing of it was checked but frames, one by one: all that is printed are numbers, words of our
 * own, and a name with its control characters escaped.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/input.h"
#include "base/text.h"
#include "cli/process.h"
#include "cli/result.h"
#include "gather/source.h"
#include "intake/stream_survey.h"
#include "e2bfo/commands.h"
#include "stream_command.h"

#define UUID_TEXT 37

struct dump {
	const struct stream_options *opt;
	struct bfo_stream_survey s;
	struct json j;
	int has_frames;			/* one was printed */
};

static const char *const kinds[BFO_STREAM_KINDS] = {
	[BFO_STREAM_OTHER] = "other", [BFO_STREAM_FACTS] = "FACTS", [BFO_STREAM_TREE] = "TREE",
	[BFO_STREAM_TREE_END] = "TREE_END", [BFO_STREAM_DATA] = "DATA", [BFO_STREAM_END] = "END",
	[BFO_STREAM_KEPT] = "KEPT", [BFO_STREAM_QUOTA] = "QUOTA",
};

/* What a tree does not tell, in the order of its bits. */
static const char *const untold[] = {
	"atime", "ctime", "crtime", "generation", "version", "flags", "project", "xattr", "holes",
	"link-atime",
};

#define UNTOLD (sizeof(untold) / sizeof(*untold))

static const char *kind_of(const struct bfo_stream_head *h)
{
	return kinds[h->kind <= BFO_STREAM_QUOTA ? h->kind : BFO_STREAM_OTHER];
}

/* ---- each frame ---- */

static void json_frame(struct json *j, uint64_t byte, const struct bfo_stream_head *h)
{
	json_open(j, NULL, '{');
	json_string(j, "kind", kind_of(h));
	json_number(j, "number", h->number);
	json_number(j, "byte", byte);
	json_number(j, "bytes", h->bytes);
	json_number(j, "stored", h->stored);
	json_bool(j, "packed", h->is_packed);
	json_number(j, "at", h->at);
	json_close(j, '}');
	putchar('\n');
}

static errcode_t met(void *priv, uint64_t byte, const struct bfo_stream_head *h)
{
	struct dump *d = priv;

	if (!d->opt->common.verbose)
		return 0;
	if (d->opt->common.json) {
		json_frame(&d->j, byte, h);
		return 0;
	}
	if (!d->has_frames)
		printf("%14s  %-8s %10s %10s %10s  %s\n", "byte", "kind", "number", "stored",
		       "unpacked", "begins with byte");
	d->has_frames = 1;
	printf("%14llu  %-8s %10u %10u %10u  %llu\n", (unsigned long long) byte, kind_of(h),
	       h->number, h->stored, h->bytes, (unsigned long long) h->at);
	return 0;
}

/* ---- for people ---- */

static void print_facts(const struct bfo_stream_facts *f)
{
	char text[4 * 16 + 1], uuid[UUID_TEXT];
	size_t i;

	printf("members:             %llu\n", (unsigned long long) f->members);
	printf("bytes of the tree:   %llu\n", (unsigned long long) f->tree);
	printf("parts of data:       %llu, from multiples of %u bytes on\n",
	       (unsigned long long) f->parts, f->block_size);
	printf("bytes of data:       %llu\n", (unsigned long long) f->data);
	printf("not told:           ");
	for (i = 0; i < UNTOLD; i++)
		if (f->unknown >> i & 1)
			printf(" %s", untold[i]);
	printf("%s\n", f->unknown ? "" : " -");
	printf("can be resumed:      %s\n", f->can_resume ? "yes" : "no");
	if (!f->has_super)
		return;
	printf("from a filesystem:   %s, \"%s\"\n", bfo_text_uuid(f->super.s_uuid, uuid),
	       bfo_text_escape((const char *) f->super.s_volume_name,
			       strnlen((const char *) f->super.s_volume_name, 16), text,
			       sizeof(text)));
}

static void print_kinds(const struct bfo_stream_survey *s)
{
	size_t i;

	printf("%-8s %10s %10s %14s %14s %14s %14s\n", "frames", "number", "packed", "from byte",
	       "to byte", "stored", "unpacked");
	for (i = 0; i < BFO_STREAM_KINDS; i++) {
		size_t kind = (i + 1) % BFO_STREAM_KINDS;	/* what is not known comes last */
		const struct bfo_stream_frames *k = &s->kinds[kind];

		if (k->n)
			printf("%-8s %10llu %10llu %14llu %14llu %14llu %14llu\n", kinds[kind],
			       (unsigned long long) k->n, (unsigned long long) k->packed,
			       (unsigned long long) k->first, (unsigned long long) k->end - 1,
			       (unsigned long long) k->stored, (unsigned long long) k->bytes);
	}
}

static void print(const struct dump *d)
{
	const struct bfo_stream_survey *s = &d->s;
	char text[STREAM_DIGEST_TEXT];

	if (s->has_preamble) {
		printf("version:             %u.%u\n", s->preamble.major, s->preamble.minor);
		printf("features:            %#x may be ignored, %#x to be told, %#x needed\n",
		       s->preamble.compat, s->preamble.warn, s->preamble.incompat);
		printf("first frame of data: %u\n", s->preamble.first);
	}
	if (s->has_facts)
		print_facts(&s->facts);
	if (s->has_tree)
		printf("SHA-256 of the tree: %s\n", stream_digest_text(s->tree, text));
	if (s->has_digest)
		printf("SHA-256 of all:      %s\n", stream_digest_text(s->digest, text));
	if (s->has_facts)
		print_kinds(s);
	printf("%s byte %llu\n", s->has_digest ? "ends before" : "could be read to",
	       (unsigned long long) s->byte);
}

/* ---- for scripts ---- */

static void json_header(struct json *j, const struct bfo_stream_survey *s)
{
	json_open(j, "header", '{');
	json_number(j, "major", s->preamble.major);
	json_number(j, "minor", s->preamble.minor);
	json_number(j, "features_ignored", s->preamble.compat);
	json_number(j, "features_told", s->preamble.warn);
	json_number(j, "features_needed", s->preamble.incompat);
	json_number(j, "first_frame", s->preamble.first);
	json_close(j, '}');
}

static void json_facts(struct json *j, const struct bfo_stream_facts *f)
{
	char uuid[UUID_TEXT];
	size_t i;

	json_open(j, "facts", '{');
	json_number(j, "members", f->members);
	json_number(j, "tree_bytes", f->tree);
	json_number(j, "parts", f->parts);
	json_number(j, "data_bytes", f->data);
	json_number(j, "block_size", f->block_size);
	json_open(j, "not_told", '[');
	for (i = 0; i < UNTOLD; i++)
		if (f->unknown >> i & 1)
			json_string(j, NULL, untold[i]);
	json_close(j, ']');
	json_bool(j, "can_resume", f->can_resume);
	json_string(j, "uuid", f->has_super ? bfo_text_uuid(f->super.s_uuid, uuid) : NULL);
	json_bytes(j, "label", f->has_super ? (const char *) f->super.s_volume_name : NULL,
		   strnlen((const char *) f->super.s_volume_name, 16));
	json_close(j, '}');
}

static void json_kinds(struct json *j, const struct bfo_stream_survey *s)
{
	size_t i;

	json_open(j, "kinds", '[');
	for (i = 0; i < BFO_STREAM_KINDS; i++) {
		const struct bfo_stream_frames *k = &s->kinds[i];

		if (!k->n)
			continue;
		json_open(j, NULL, '{');
		json_string(j, "kind", kinds[i]);
		json_number(j, "frames", k->n);
		json_number(j, "packed", k->packed);
		json_number(j, "from", k->first);
		json_number(j, "to", k->end);
		json_number(j, "stored", k->stored);
		json_number(j, "bytes", k->bytes);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_end(struct dump *d, errcode_t err, const char *what, int status)
{
	const struct bfo_stream_survey *s = &d->s;
	char text[STREAM_DIGEST_TEXT];
	struct json *j = &d->j;

	if (d->opt->common.verbose)
		json_close(j, ']');
	if (s->has_preamble)
		json_header(j, s);
	if (s->has_facts)
		json_facts(j, &s->facts);
	json_kinds(j, s);
	json_string(j, "tree_sha256", s->has_tree ? stream_digest_text(s->tree, text) : NULL);
	json_string(j, "sha256", s->has_digest ? stream_digest_text(s->digest, text) : NULL);
	json_number(j, "read_bytes", s->byte);
	result_status(j, status, err, what);
	result_end(j);
}

static void json_begin(struct dump *d)
{
	result_begin(&d->j, "e2bfo", "stream");
	json_string(&d->j, "source", d->opt->name);
	json_string(&d->j, "action", "dump");
	if (d->opt->common.verbose)
		json_open(&d->j, "frames", '[');
}

/* ---- the command ---- */

static errcode_t survey(struct dump *d, struct bfo_context *ctx)
{
	const int is_stdin = !strcmp(d->opt->path, "-");
	int fd = STDIN_FILENO;
	errcode_t err = is_stdin ? 0 : bfo_input_open(ctx, d->opt->path, 0, &fd);

	if (err)
		return bfo_fail(ctx, err, "opening %s", d->opt->name);
	err = bfo_stream_survey(ctx, is_stdin ? "standard input" : d->opt->path, fd, met, d,
				&d->s);
	if (!is_stdin)
		close(fd);
	return err;
}

int stream_dump(const struct stream_options *opt, struct bfo_context *ctx, struct bar *bar)
{
	struct dump d = { .opt = opt };
	int status = EXIT_KEPT;
	errcode_t err;

	if (opt->common.json)
		json_begin(&d);
	err = survey(&d, ctx);
	progress_wipe(bar);
	if (err)
		status = exit_status_of(err);
	if (opt->common.json)
		json_end(&d, err, ctx->what, status);
	else
		print(&d);
	fflush(stdout);
	if (err)
		com_err("e2bfo", err, "while %s", ctx->what);
	return status;
}
