// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pack_report.c - what came of `e2bfo pack` and `e2bfo unpack`
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bfo_err.h"
#include "cli/message.h"
#include "cli/result.h"
#include "cli/size.h"
#include "commit/fate.h"
#include "e2bfo/commands.h"
#include "pack_report.h"

static errcode_t note_path(struct pack_run *r, const char *path, size_t *at)
{
	size_t len = strlen(path) + 1;
	errcode_t err = bfo_vec_reserve(&r->text, len);

	if (err)
		return err;
	*at = r->text.n;
	memcpy(r->text.v + r->text.n, path, len);
	r->text.n += len;
	return 0;
}

errcode_t pack_report_composite(void *priv, const struct bfo_pack_composite *x)
{
	struct pack_run *r = priv;
	struct pack_line line = { .members = x->members, .names = x->names, .bytes = x->bytes };
	errcode_t err = note_path(r, x->path, &line.at);

	return err ? err : bfo_vec_push(&r->composites, line);
}

errcode_t pack_report_left(void *priv, const char *path, enum bfo_pack_reason why)
{
	struct pack_run *r = priv;
	struct pack_line line = { .why = why };
	errcode_t err = note_path(r, path, &line.at);

	return err ? err : bfo_vec_push(&r->left, line);
}

/* ---- for people ---- */

static int is_pack(const struct pack_run *r)
{
	return *r->opt->command == 'p';
}

static const char *path_of(const struct pack_run *r, const struct pack_line *line)
{
	return r->text.v + line->at;
}

static void print_left(const struct pack_run *r)
{
	uint64_t large = r->result.left[BFO_PACK_LARGE], alone = r->result.left[BFO_PACK_ALONE];
	uint64_t none = r->result.left[BFO_PACK_NO_GROUP];
	size_t i;

	for (i = 0; i < r->left.n; i++)
		message_printf("%s: not packed: %s\n", path_of(r, &r->left.v[i]),
			       bfo_pack_reasons[r->left.v[i].why].text);
	if (r->left.n + large + alone + none)
		message_printf("Not packed: %zu (named above), larger than --max-size: %" PRIu64
			       ", alone: %" PRIu64 ", in no group: %" PRIu64 "\n", r->left.n,
			       large, alone, none);
	if (r->result.unpacked + r->result.removed)
		message_printf("Members that %s files: %" PRIu64 ", composite files that %s: %"
			       PRIu64 "\n", r->opt->job.is_dry ? "would become" : "became",
			       r->result.unpacked, r->opt->job.is_dry ? "would go" : "went",
			       r->result.removed);
}

static void print_text(const struct pack_run *r)
{
	static const char *const done[2][2] = {
		{ "unpacked", "packed" }, { "would unpack", "would pack" },
	};
	const struct bfo_pack_result *x = &r->result;
	char bytes[64];
	size_t i;

	for (i = 0; i < r->composites.n && r->opt->common.verbose; i++)
		message_printf("%s: members: %" PRIu64 " (%s)\n",
			       path_of(r, &r->composites.v[i]), r->composites.v[i].members,
			       size_text(r->composites.v[i].bytes, bytes, sizeof(bytes)));
	if (is_pack(r))
		print_left(r);
	size_text(x->bytes, bytes, sizeof(bytes));
	message_printf("%s: %s %" PRIu64 " file%s %s %" PRIu64 " composite file%s, %s\n",
		       r->opt->job.batch.volume, done[r->opt->job.is_dry][is_pack(r)],
		       x->members, x->members == 1 ? "" : "s", is_pack(r) ? "into" : "out of",
		       x->composites, x->composites == 1 ? "" : "s", bytes);
}

static void tell_error(const struct pack_run *r, errcode_t err)
{
	static const enum bfo_fate fates[] = {
		BFO_FATE_REPLAY, BFO_FATE_WAITING, BFO_FATE_UNCLEAN, BFO_FATE_DONE,
	};
	size_t i;

	com_err("e2bfo", err, "while %s", *r->ctx.what ? r->ctx.what : "writing");
	for (i = 0; r->result.fate && i < sizeof(fates) / sizeof(*fates); i++)
		if (!strcmp(r->result.fate, bfo_fate_word(fates[i]))) {
			message("%s %s", r->opt->job.batch.volume, bfo_fate_text(fates[i], 0));
			return;
		}
	message("%s: nothing was changed", r->opt->job.batch.volume);
}

/* ---- for scripts ---- */

static void print_composites(const struct pack_run *r, struct json *j)
{
	size_t i;

	json_open(j, "composites", '[');
	for (i = 0; i < r->composites.n; i++) {
		const struct pack_line *x = &r->composites.v[i];

		json_open(j, NULL, '{');
		json_string(j, "path", path_of(r, x));
		json_number(j, "members", x->members);
		json_number(j, "names", x->names);
		json_number(j, "bytes", x->bytes);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void print_reasons(const struct pack_run *r, struct json *j)
{
	size_t i;

	json_open(j, "not_packed", '{');
	for (i = 0; i < BFO_PACK_REASONS; i++)
		json_number(j, bfo_pack_reasons[i].word, r->result.left[i]);
	json_close(j, '}');
	json_open(j, "left_out", '[');
	for (i = 0; i < r->left.n; i++) {
		json_open(j, NULL, '{');
		json_string(j, "path", path_of(r, &r->left.v[i]));
		json_string(j, "reason", bfo_pack_reasons[r->left.v[i].why].word);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void print_json(const struct pack_run *r, errcode_t err, int status)
{
	const struct bfo_pack_result *x = &r->result;
	struct json j;

	result_begin(&j, "e2bfo", r->opt->command);
	result_status(&j, status, err, *r->ctx.what ? r->ctx.what : "writing");
	json_string(&j, "target", r->opt->job.batch.volume);
	json_string(&j, "target_state", x->fate);
	json_bool(&j, "dry_run", r->opt->job.is_dry);
	json_number(&j, "directories", x->directories);
	json_number(&j, "members", x->members);
	json_number(&j, "names", x->names);
	json_number(&j, "bytes", x->bytes);
	if (is_pack(r)) {
		json_number(&j, "removed", x->removed);
		json_number(&j, "unpacked", x->unpacked);
	}
	print_composites(r, &j);
	if (is_pack(r))
		print_reasons(r, &j);
	result_end(&j);
}

int pack_report(const struct pack_run *r, errcode_t err)
{
	int status = err ? exit_status_of(err) : EXIT_KEPT;

	if (err)
		tell_error(r, err);
	if (r->opt->common.json)
		print_json(r, err, status);
	else if (!err && !r->opt->common.quiet)
		print_text(r);
	return status;
}

void pack_report_free(struct pack_run *r)
{
	bfo_vec_free(&r->text);
	bfo_vec_free(&r->composites);
	bfo_vec_free(&r->left);
}
