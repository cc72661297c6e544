// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * copy_report.c - what a copy tells people and scripts
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/text.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/result.h"
#include "cli/size.h"
#include "cli/words.h"
#include "plan/itrees.h"
#include "tree/path.h"
#include "e2bfo/damage.h"
#include "e2bfo/commands.h"
#include "e2bfo/dir_report.h"
#include "e2bfo/journals.h"
#include "e2bfo/medium_report.h"
#include "boot_report.h"
#include "clash_report.h"
#include "copy_report.h"
#include "evidence_report.h"
#include "export_report.h"
#include "remote_report.h"
#include "e2bfo/lists_report.h"
#include "e2bfo/manifest_report.h"
#include "e2bfo/order_report.h"

#define PATH_BYTES 8192
#define SHOWN_BYTES (4 * PATH_BYTES + 1)
#define SHOWN 10		/* things of one kind spelt out, unless --verbose */

/* With the directory that has the name, if it is about one. */
static struct damage damage_in(const struct report *r, const struct bfo_finding *f)
{
	struct damage d = damage_of(r->result.plan->tree, f);

	d.dir = f->len != BFO_NO_NAME ? f->dir : 0;
	return d;
}

static void print_finding(const struct report *r, const struct bfo_finding *f)
{
	const struct bfo_finding_row *row = &bfo_finding_table[f->kind];
	char path[PATH_BYTES], shown[SHOWN_BYTES], where[DAMAGE_WHERE];
	size_t len = bfo_tree_finding_path(r->result.plan->tree, f, path, sizeof(path));
	const struct damage d = damage_in(r, f);

	damage_where(&d, where, sizeof(where));
	message("%s: %s (inode %llu%s); %s",
		bfo_text_escape(path, len, shown, sizeof(shown)), row->text,
		(unsigned long long) d.ino, where, row->done);
}

static void print_findings(const struct report *r)
{
	const bfo_findings *found = &r->result.plan->tree->findings;
	size_t count[BFO_FOUND_KINDS] = { 0 }, i;

	for (i = 0; i < found->n; i++)
		if (count[found->v[i].kind]++ < SHOWN || r->common->verbose)
			print_finding(r, &found->v[i]);
	for (i = 0; i < BFO_FOUND_KINDS; i++)
		if (count[i] > SHOWN && !r->common->verbose)
			message("and %zu more: %s; %s (all with --verbose or --json)",
				count[i] - SHOWN, bfo_finding_table[i].text,
				bfo_finding_table[i].done);
}

/* Hard links that lead out of what is copied: no loss, but worth knowing. */
static void print_outside(const struct report *r)
{
	char path[PATH_BYTES], shown[SHOWN_BYTES];
	const struct bfo_plan *p = r->result.plan;
	size_t i, len;

	if (!p->links_outside.n)
		return;
	printf("%zu %s further hard links outside of what %s copied.\n", p->links_outside.n,
	       p->links_outside.n == 1 ? "file has" : "files have",
	       r->copy->opt.dry_run ? "is" : "was");
	for (i = 0; i < p->links_outside.n && r->common->verbose; i++) {
		const struct bfo_outside *o = &p->links_outside.v[i];

		len = bfo_tree_path(p->tree, o->row, path, sizeof(path));
		printf("  %s (inode %llu): %u of %u names\n",
		       bfo_text_escape(path, len, shown, sizeof(shown)),
		       (unsigned long long) bfo_tree_shown_ino(p->tree,
							       p->tree->inodes.v[o->row].ino),
		       o->copied, o->names);
	}
}

#define USED(vec) ((vec)->n * sizeof(*(vec)->v))

/*
 * What P7 of HACKING promises: inodes, names, extents, findings, sets of attributes, an order, and
 * the buffer between reading and writing.
 */
static uint64_t memory_of(const struct report *r)
{
	const struct bfo_tree *t = r->result.plan->tree;
	uint64_t batch = r->result.plan->stem_len * r->result.plan->target->block_size;

	return USED(&t->inodes) + USED(&t->names) + USED(&t->text) + USED(&t->segs) +
	       USED(&t->findings) + USED(&t->eas) + USED(&t->sets) + USED(&r->result.plan->order) +
	       (batch < r->common->memory ? batch : r->common->memory);
}

/* Bytes of files: moved, or arrived before there was a plan. */
static uint64_t data_of(const struct report *r)
{
	const struct bfo_plan *p = r->result.plan;

	return (p->data_blocks + p->kept_blocks) * p->target->block_size;
}

/* Copied ones: a container of indexes is made. */
static unsigned long long files_of(const struct bfo_plan *p)
{
	return p->files - (p->itrees && !p->itrees->ino);
}

static void print_indexed(const struct report *r)
{
	if (r->result.indexed)
		printf("%s by inode number: %llu director%s.\n",
		       r->result.stats ? "Indexed" : "To be indexed",
		       (unsigned long long) r->result.indexed,
		       r->result.indexed == 1 ? "y" : "ies");
}

static void print_resumed(const struct report *r)
{
	char a[32];

	if (r->copy->resumed)
		printf("Of that, %s had arrived before the interruption.\n",
		       size_text(r->copy->resumed, a, sizeof(a)));
}

/* The size of the target follows from the plan. */
static int makes_smallest(const struct report *r)
{
	return r->copy->opt.size == BFO_SIZE_MIN;
}

/* What is said of each target alike. */
static void print_source(const struct report *r)
{
	evidence_print_whole(r->copy->opt.source, &r->copy->whole);
	if (r->result.plan->skipped)
		printf("Names that exist, and stay as they are: %llu.\n",
		       (unsigned long long) r->result.plan->skipped);
	print_outside(r);
	journals_print(r->copy->opt.source, r->copy->job.source, &r->copy->job.tree);
	dir_print(r->copy->opt.source, &r->copy->end);
}

static void print_requests(const struct report *r)
{
	printf("  read:   %llu requests, %llu blocks\n",
	       (unsigned long long) r->result.stats->read_requests,
	       (unsigned long long) r->result.stats->read_blocks);
}

/* What is to be copied, to whatever target. */
static void print_plan_head(const struct report *r)
{
	const struct bfo_plan *p = r->result.plan;
	char a[32];

	message_printf("Plan: copy %s to %s on %s\n", r->copy->opt.from[0], r->copy->opt.to,
		       r->copy->opt.target);
	if (r->copy->opt.n_from > 1)
		printf("  and %zu further paths\n", r->copy->opt.n_from - 1);
	printf("  files:        %llu\n", files_of(p));
	printf("  directories:  %llu\n", (unsigned long long) p->dirs);
	printf("  extents:      %llu\n", (unsigned long long) p->extents);
	printf("  data:         %s\n", size_text(data_of(r), a, sizeof(a)));
}

static void print_plan(const struct report *r)
{
	const struct bfo_plan *p = r->result.plan;
	uint64_t free = bfo_ranges_total(&p->target->free_blocks);
	uint64_t need = bfo_plan_need(p);
	char a[32], b[32];

	print_plan_head(r);
	printf("  blocks:       %llu of %llu free, in %zu run%s\n", (unsigned long long) need,
	       (unsigned long long) free, p->stem.n, p->stem.n == 1 ? "" : "s");
	printf("  inodes:       %u of %llu free\n", p->new_inodes,
	       (unsigned long long) bfo_ranges_total(&p->target->free_inodes));
	printf("  memory:       %s\n", size_text(memory_of(r), a, sizeof(a)));
	if (r->copy->smallest)
		printf("  smallest new target that fits: %llu bytes (%s)\n",
		       (unsigned long long) r->copy->smallest,
		       size_text(r->copy->smallest, b, sizeof(b)));
	if (makes_smallest(r) && r->copy->size != r->copy->smallest)
		printf("  size of the new target: %llu bytes (%s)\n",
		       (unsigned long long) r->copy->size,
		       size_text(r->copy->size, b, sizeof(b)));
	if (free - need < p->target->reserved_blocks)
		printf("  This takes blocks that are reserved for root.\n");
	print_resumed(r);
	export_print_replaced(r->copy, p->replaced);
	print_indexed(r);
	export_print_notes(r->copy);
	order_print(r->copy, 1, r->common->verbose);
	print_source(r);
	printf("Nothing was written.\n");
}

static void print_done(const struct report *r)
{
	const struct bfo_plan *p = r->result.plan;
	uint64_t bytes = data_of(r);
	uint64_t now = bytes > r->copy->resumed ? bytes - r->copy->resumed : 0;
	char a[80], b[32];

	printf("Copied %s, %s, in %.1f s (%.0f MB/s).\n",
	       count_text(files_of(p), p->dirs, a, sizeof(a)), size_text(bytes, b, sizeof(b)),
	       r->seconds, now / 1e6 / r->seconds);
	print_resumed(r);
	if (r->result.named)
		message_printf("%s has got its name, %s.\n", r->result.named, r->copy->opt.target);
	boot_print(r->copy);
	if (bfo_ranges_total(&p->target->free_blocks) - bfo_plan_need(p) <
	    p->target->reserved_blocks)
		printf("Blocks that are reserved for root were used.\n");
	export_print_replaced(r->copy, p->replaced);
	print_indexed(r);
	export_print_notes(r->copy);
	print_source(r);
	if (!r->common->verbose)
		return;
	order_print(r->copy, 0, 0);
	printf("  target: %zu runs of blocks, %llu extents, %zu extent trees\n", p->stem.n,
	       (unsigned long long) p->extents, p->trees.n);
	print_requests(r);
	printf("  wrote:  %llu requests, %llu blocks\n",
	       (unsigned long long) r->result.stats->write_requests,
	       (unsigned long long) r->result.stats->write_blocks);
}

/* What the side there has told of the target; NULL: the target is here. */
static const struct remote_report *there(const struct report *r)
{
	return r->remote && r->remote->options->sends ? &r->remote->there->report : NULL;
}

/* A copy to what is no volume. */
static void print_export(const struct report *r)
{
	const struct bfo_plan *p = r->result.plan;
	uint64_t bytes = data_of(r);
	char a[80], b[32];

	if (r->copy->opt.dry_run)
		print_plan_head(r);
	else
		printf("%s %s, %s, in %.1f s (%.0f MB/s).\n", there(r) ? "Sent" : "Copied",
		       count_text(files_of(p), p->dirs, a, sizeof(a)),
		       size_text(bytes, b, sizeof(b)), r->seconds, bytes / 1e6 / r->seconds);
	if (r->remote)
		remote_print(r->remote);
	export_print(r->copy);
	print_source(r);
	if (r->copy->opt.dry_run)
		printf("Nothing was written.\n");
	else if (r->common->verbose)
		print_requests(r);
}

static void json_plan(struct json *j, const struct report *r)
{
	const struct bfo_plan *p = r->result.plan;

	json_open(j, "plan", '{');
	json_number(j, "files", files_of(p));
	json_number(j, "directories", p->dirs);
	json_number(j, "indexed", r->result.indexed);
	json_number(j, "extents", p->extents);
	json_number(j, "data_bytes", data_of(r));
	json_number(j, "skipped", p->skipped);
	json_number(j, "memory_bytes", memory_of(r));
	if (bfo_copy_exports(r->copy)) {
		json_close(j, '}');
		return;
	}
	json_number(j, "replaced", p->replaced);
	json_number(j, "blocks_needed", bfo_plan_need(p));
	json_number(j, "blocks_free", bfo_ranges_total(&p->target->free_blocks));
	json_number(j, "blocks_reserved", p->target->reserved_blocks);
	json_number(j, "block_size", p->target->block_size);
	json_number(j, "inodes_needed", p->new_inodes);
	json_number(j, "inodes_free", bfo_ranges_total(&p->target->free_inodes));
	json_number(j, "runs", p->stem.n);
	if (r->copy->smallest)
		json_number(j, "smallest_target_bytes", r->copy->smallest);
	if (makes_smallest(r))
		json_number(j, "target_bytes", r->copy->size);
	json_close(j, '}');
}

static void json_finding(struct json *j, const struct report *r, const struct bfo_finding *f)
{
	const struct damage d = damage_in(r, f);
	char path[PATH_BYTES];

	json_open(j, NULL, '{');
	json_string(j, "kind", bfo_finding_table[f->kind].word);
	json_bytes(j, "path", path,
		   bfo_tree_finding_path(r->result.plan->tree, f, path, sizeof(path)));
	damage_json(j, &d);
	json_close(j, '}');
}

static void json_findings(struct json *j, const struct report *r)
{
	size_t i;

	json_open(j, "not_kept", '[');
	for (i = 0; r->result.plan && i < r->result.plan->tree->findings.n; i++)
		json_finding(j, r, &r->result.plan->tree->findings.v[i]);
	json_close(j, ']');
}

static void json_outside(struct json *j, const struct report *r)
{
	char path[PATH_BYTES];
	size_t i;

	json_open(j, "links_outside", '[');
	for (i = 0; r->result.plan && i < r->result.plan->links_outside.n; i++) {
		const struct bfo_outside *o = &r->result.plan->links_outside.v[i];
		const struct bfo_tree *tree = r->result.plan->tree;

		json_open(j, NULL, '{');
		json_bytes(j, "path", path,
			   bfo_tree_path(tree, o->row, path, sizeof(path)));
		json_number(j, "inode", bfo_tree_shown_ino(tree, tree->inodes.v[o->row].ino));
		json_number(j, "names", o->names);
		json_number(j, "copied", o->copied);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_shortage(struct json *j, const struct report *r)
{
	if (r->err != BFO_ET_NO_SPACE && r->err != BFO_ET_NO_INODES)
		return;
	json_open(j, "shortage", '{');
	json_number(j, "needed", r->result.plan->shortage.needed);
	json_number(j, "free", r->result.plan->shortage.free);
	json_close(j, '}');
}

static int is_complete_there(const struct report *r)
{
	return !there(r) || there(r)->is_complete || r->remote->is_lost;
}

/* Something is left there, and what it would go on with was kept for this command alone. */
static int is_forgotten(const struct report *r)
{
	return there(r) && r->copy->opt.state_fd &&
	       (there(r)->is_resumable || !there(r)->is_there);
}

static int is_resumable(const struct report *r)
{
	if (there(r))
		return there(r)->is_resumable && !is_forgotten(r);
	return r->err &&
	       (r->result.kept ? r->result.kept_fate : r->result.fate) == BFO_FATE_RECORDED;
}

/* TOKEN: that of the copy, which failed, and of this tree, whoever says it; 0: it has none. */
static int token_of(const struct report *r, char token[BFO_STREAM_TOKEN_TEXT])
{
	struct bfo_stream_token t;

	if (!there(r))
		return bfo_copy_token(r->copy, token);
	strcpy(token, there(r)->token);
	return bfo_stream_get_token(token, &t) &&
	       !memcmp(t.tree, r->copy->sent.tree, sizeof(t.tree));
}

static void print_json(const struct report *r)
{
	char token[BFO_STREAM_TOKEN_TEXT];
	struct json j;

	result_begin(&j, "e2bfo", r->command);
	json_string(&j, "source", r->copy->opt.source);
	json_string(&j, "target", r->copy->opt.target);
	json_bool(&j, "dry_run", r->copy->opt.dry_run);
	result_status(&j, r->status, r->err, r->what);
	json_string(&j, "target_state", !r->err ? NULL : !there(r) ? bfo_fate_word(r->result.fate) :
		    *there(r)->state ? there(r)->state : NULL);
	json_bool(&j, "complete", r->result.written && is_complete_there(r));
	if (there(r) && !there(r)->is_there)
		json_string(&j, "resumable", NULL);	/* nobody has said */
	else
		json_bool(&j, "resumable", is_resumable(r));
	json_string(&j, "temporary", r->result.kept);
	if (r->err && !is_forgotten(r) && token_of(r, token))
		json_string(&j, "token", token);
	if (r->remote)
		remote_json(&j, r->remote);
	if (r->result.plan)
		json_shortage(&j, r);
	if (r->result.plan && r->result.placed)
		json_plan(&j, r);
	json_findings(&j, r);
	clash_json(&j, r->copy);
	json_outside(&j, r);
	boot_json(&j, r->copy);
	lists_json(&j, &r->copy->lists, &r->copy->opt);
	if (r->result.plan && r->result.placed && r->copy->opt.order.n)
		order_json(&j, r->copy, r->copy->opt.dry_run);
	journals_json(&j, "journal", r->copy->job.source, &r->copy->job.tree);
	medium_json(&j, "medium", r->copy->job.source);
	dir_json(&j, "directory", &r->copy->end);
	export_json(&j, r->copy);
	manifest_json(&j, &r->copy->manifests);
	evidence_json(&j, &r->copy->evidence);
	evidence_json_whole(&j, &r->copy->whole);
	if (r->result.stats) {
		json_open(&j, "io", '{');
		json_number(&j, "read_requests", r->result.stats->read_requests);
		json_number(&j, "read_blocks", r->result.stats->read_blocks);
		json_number(&j, "write_requests", r->result.stats->write_requests);
		json_number(&j, "write_blocks", r->result.stats->write_blocks);
		if (r->copy->resumed)
			json_number(&j, "resumed_bytes", r->copy->resumed);
		json_close(&j, '}');
	}
	result_end(&j);
}

/* Of a stream, how it goes on is told by its token. */
static void tell_fate(const struct report *r)
{
	const int formatted = r->result.formatted;
	char token[BFO_STREAM_TOKEN_TEXT];

	message("%s %s", r->copy->opt.target,
		r->result.fate != BFO_FATE_RECORDED || !token_of(r, token) ?
		bfo_fate_text(r->result.fate, formatted) : formatted ?
		"has been formatted, and keeps what has arrived; 'e2bfo abort' leaves it empty" :
		"is as it was before, and keeps what has arrived; 'e2bfo abort' (or a mount, or "
		"e2fsck -p) gives that up");
}

static void tell_kept(const struct report *r)
{
	char text[3 * PATH_MAX], token[BFO_STREAM_TOKEN_TEXT];

	if (r->result.kept_fate == BFO_FATE_RECORDED && token_of(r, token))
		message("%s has what has arrived; 'e2bfo abort %s' removes it", r->result.kept,
			r->copy->opt.target);
	else
		message("%s %s", r->result.kept,
			bfo_fate_image_text(r->result.kept_fate, r->copy->opt.target, text,
					    sizeof(text)));
}

/* How the sender goes on, with TOKEN, in a line that can be copied. */
static void tell_command(const struct report *r, const char *token)
{
	const struct bfo_copy_options *opt = &r->copy->opt;
	char *source = words_quote(opt->source), *target = words_quote(opt->target);
	char *state = opt->state ? words_quote(opt->state) : NULL;

	if (r->remote)
		message("to go on: e2bfo copy --resume %s%s%s %s %s", token,
			state ? " --state " : "", state ? state : "", source ? source : "SOURCE",
			target ? target : "TARGET");
	else
		message("to go on: e2bfo send --resume %s SOURCE | e2bfo receive %s", token,
			target ? target : "TARGET");
	free(source);
	free(target);
	free(state);
}

static void tell_token(const struct report *r)
{
	char token[BFO_STREAM_TOKEN_TEXT];

	if (is_forgotten(r))
		message("this copy of a directory cannot be resumed, as it had no --state FILE; "
			"'e2bfo abort' there gives up what has arrived");
	else if (token_of(r, token))
		tell_command(r, token);
	else if (r->copy->end.kind == BFO_END_STREAM && r->result.tell_fate &&
		 r->copy->end.source && bfo_copy_comes_once(r->copy))
		message("this stream cannot be resumed: send it again from the beginning");
}

void report_print(const struct report *r)
{
	if (r->result.plan)
		print_findings(r);
	export_warn(r->copy);
	manifest_warn(&r->copy->manifests);
	if (r->err && !(r->remote && remote_has_said(r->remote)))
		com_err("e2bfo", r->err, "while %s", r->what);
	if (r->err && r->remote)
		remote_tell_version(r->remote);
	else if (r->remote)
		remote_tell(r->remote);
	if (r->err && r->result.tell_fate && !there(r))
		tell_fate(r);
	if (r->err && r->result.kept)
		tell_kept(r);
	if (r->err)
		tell_token(r);
	if (r->common->json) {
		print_json(r);
		return;
	}
	if (r->err || !r->result.plan)
		return;
	if (r->common->quiet)
		return;
	if (bfo_copy_exports(r->copy))
		print_export(r);
	else if (r->copy->opt.dry_run)
		print_plan(r);
	else
		print_done(r);
}
