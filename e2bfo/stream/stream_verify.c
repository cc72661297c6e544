// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream_verify.c - e2bfo stream --verify and --salvage: job (job/stream_check.h), report
 */
#include <stdio.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/text.h"
#include "cli/message.h"
#include "cli/process.h"
#include "cli/result.h"
#include "cli/size.h"
#include "job/stream_check.h"
#include "tree/path.h"
#include "e2bfo/commands.h"
#include "e2bfo/damage.h"
#include "stream_command.h"

#define TOLD 10U			/* places, unless all are wanted */
#define PATH_BYTES 8192
#define SHOWN_BYTES (4 * PATH_BYTES + 1)

struct report {
	const struct stream_options *opt;
	const struct bfo_stream_check *c;
	int is_known;			/* its tree is whole, so that there is something to tell */
	errcode_t err;
	const char *what;
	int status;
};

static const struct bfo_source *source_of(const struct report *r)
{
	return r->c->browse.source;
}

static int is_salvage(const struct report *r)
{
	return r->opt->action == STREAM_SALVAGE;
}

/* ---- for people ---- */

static void tell_error(const struct report *r)
{
	com_err("e2bfo", r->err, "while %s", r->what);
	if (is_salvage(r) && (r->err == BFO_ET_STREAM_DAMAGED || r->err == BFO_ET_STREAM_CUT))
		message("%s: names and attributes are not whole: nothing can be taken out",
			r->opt->name);
}

static void tell_places(const struct report *r)
{
	const struct bfo_stream_damage *d = bfo_stream_damage(source_of(r));
	size_t i, n = r->opt->common.verbose ? d->spots.n : TOLD;

	for (i = 0; i < d->spots.n && i < n; i++)
		message("%s: at byte %llu: %s", r->opt->name,
			(unsigned long long) d->spots.v[i].byte, d->spots.v[i].why);
	if (d->n > i)
		message("%s: and %llu more places%s", r->opt->name,
			(unsigned long long) (d->n - i), d->n == d->spots.n ?
			" (all with --verbose or --json)" : "");
}

static void tell_behind(const struct report *r)
{
	if (r->c->behind && !r->opt->common.quiet)
		message("%s: %llu bytes follow the end of the stream, and are not read",
			r->opt->name, (unsigned long long) r->c->behind);
}

static void print_hole(const struct report *r, const struct bfo_finding *f, bfo_row row)
{
	const struct bfo_tree *t = &r->c->browse.tree;
	const struct damage d = damage_of(t, f);
	char path[PATH_BYTES], shown[SHOWN_BYTES];
	size_t len = bfo_tree_path(t, row, path, sizeof(path));

	printf("%s: bytes %llu to %llu of %llu are missing\n",
	       bfo_text_escape(path, len, shown, sizeof(shown)), (unsigned long long) d.from,
	       (unsigned long long) d.to - 1, (unsigned long long) t->inodes.v[row].size);
}

static void print_holes(const struct report *r)
{
	const bfo_findings *found = &r->c->browse.tree.findings;
	bfo_row row;
	size_t i;

	for (i = 0; i < found->n; i++)
		if (bfo_stream_check_is_hole(r->c, &found->v[i], &row))
			print_hole(r, &found->v[i], row);
}

static void print_amounts(const struct report *r)
{
	const struct bfo_stream_facts *f = bfo_stream_facts(source_of(r));
	char text[32];

	printf("%llu member%s, %s of data in %llu frame%s", (unsigned long long) f->members,
	       f->members == 1 ? "" : "s", size_text(f->data, text, sizeof(text)),
	       (unsigned long long) r->c->frames, r->c->frames == 1 ? "" : "s");
}

static void print_missing(const struct report *r)
{
	const struct bfo_stream_damage *d = bfo_stream_damage(source_of(r));
	char text[32];

	printf("Frames that are not whole: %llu, %s; files that lack data: %llu of %llu.\n",
	       (unsigned long long) r->c->lost,
	       size_text(d->lost_bytes, text, sizeof(text)),
	       (unsigned long long) r->c->damaged, (unsigned long long) r->c->files);
	if (!is_salvage(r))
		printf("'e2bfo stream --salvage' names them.\n");
	else
		printf("'e2bfo copy --on-read-error=zero' takes out all files, with zeroes for "
		       "what is missing;\n'--on-read-error=skip' those that lack nothing.\n");
}

static void print(const struct report *r)
{
	const uint8_t *all = bfo_stream_end_digest(source_of(r));
	uint32_t first = bfo_stream_preamble(source_of(r))->first;
	char text[STREAM_DIGEST_TEXT];

	if (is_salvage(r))
		print_holes(r);
	if (r->opt->common.quiet)
		return;
	printf("%s: %s: ", r->opt->name, bfo_stream_check_is_whole(r->c) ? "whole" :
	       bfo_stream_damage(source_of(r))->n ? "damaged" : "the end of one that broke");
	print_amounts(r);
	printf(".\n");
	if (first)
		printf("It goes on with frame %u; what was before came in another one.\n", first);
	if (r->c->lost && bfo_stream_damage(source_of(r))->lost)
		print_missing(r);
	printf("SHA-256 of the tree: %s\n",
	       stream_digest_text(bfo_stream_digest(source_of(r)), text));
	if (all)
		printf("SHA-256 of all:      %s\n", stream_digest_text(all, text));
}

/* ---- for scripts ---- */

static void json_digest(struct json *j, const char *name, const uint8_t *digest)
{
	char text[STREAM_DIGEST_TEXT];

	json_string(j, name, digest ? stream_digest_text(digest, text) : NULL);
}

static void json_places(struct json *j, const struct bfo_stream_damage *d)
{
	size_t i;

	json_number(j, "damaged", d->n);
	json_open(j, "damage", '[');
	for (i = 0; i < d->spots.n; i++) {
		json_open(j, NULL, '{');
		json_number(j, "byte", d->spots.v[i].byte);
		json_string(j, "why", d->spots.v[i].why);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_holes(const struct report *r, struct json *j)
{
	const struct bfo_tree *t = &r->c->browse.tree;
	char path[PATH_BYTES];
	bfo_row row;
	size_t i;

	json_number(j, "files", r->c->files);
	json_number(j, "files_with_holes", r->c->damaged);
	json_open(j, "holes", '[');
	for (i = 0; i < t->findings.n; i++) {
		const struct damage d = damage_of(t, &t->findings.v[i]);

		if (!bfo_stream_check_is_hole(r->c, &t->findings.v[i], &row))
			continue;
		json_open(j, NULL, '{');
		json_bytes(j, "path", path, bfo_tree_path(t, row, path, sizeof(path)));
		json_number(j, "from", d.from);
		json_number(j, "to", d.to);
		json_number(j, "size", t->inodes.v[row].size);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_known(const struct report *r, struct json *j)
{
	const struct bfo_source *s = source_of(r);
	const struct bfo_stream_facts *f = bfo_stream_facts(s);

	json_number(j, "members", f->members);
	json_number(j, "data_bytes", f->data);
	json_number(j, "first_frame", bfo_stream_preamble(s)->first);
	json_number(j, "frames", r->c->frames);
	json_number(j, "frames_missing", r->c->lost);
	json_number(j, "bytes_missing", bfo_stream_damage(s)->lost_bytes);
	json_places(j, bfo_stream_damage(s));
	json_number(j, "bytes_behind", r->c->behind);
	json_digest(j, "tree_sha256", bfo_stream_digest(s));
	json_digest(j, "sha256", bfo_stream_end_digest(s));
	if (is_salvage(r))
		json_holes(r, j);
}

static void json(const struct report *r)
{
	struct json j;

	result_begin(&j, "e2bfo", "stream");
	json_string(&j, "source", r->opt->name);
	json_string(&j, "action", is_salvage(r) ? "salvage" : "verify");
	json_bool(&j, "whole", !r->err && bfo_stream_check_is_whole(r->c));
	if (r->is_known)
		json_known(r, &j);
	result_status(&j, r->status, r->err, r->what);
	result_end(&j);
}

/* ---- the command ---- */

/* What was asked for by --salvage is found also where it is not much. */
static int status_of(const struct report *r)
{
	if (r->err)
		return exit_status_of(r->err);
	if (bfo_stream_check_is_whole(r->c))
		return EXIT_KEPT;
	return is_salvage(r) || !bfo_stream_damage(source_of(r))->n ? EXIT_FINDINGS : EXIT_FAILED;
}

int stream_verify(const struct stream_options *opt, struct bfo_context *ctx, struct bar *bar)
{
	struct bfo_stream_check c;
	struct report r = { .opt = opt, .c = &c };

	r.err = bfo_stream_check(&c, ctx, opt->path, STDIN_FILENO,
				 opt->action == STREAM_SALVAGE);
	progress_wipe(bar);
	r.what = ctx->what;
	r.is_known = !r.err;
	r.status = status_of(&r);
	if (r.err) {
		tell_error(&r);
	} else {
		tell_places(&r);
		tell_behind(&r);
	}
	if (opt->common.json)
		json(&r);
	else if (!r.err)
		print(&r);
	bfo_stream_check_free(&c);
	return r.status;
}
