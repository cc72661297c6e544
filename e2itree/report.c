// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report.c - what people and scripts are told
 *
 * -C: "PASS DONE TOTAL DEVICE", a line each, as e2fsck(8) writes them.
 */
#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "cli/result.h"
#include "e2itree.h"
#include "problem.h"
#include "report.h"

/* A pass may read an inode or two besides: that is not its progress. */
static int is_progress(int pass, enum bfo_stage stage)
{
	switch (stage) {
	case BFO_STAGE_BITMAPS:
		return 1;
	case BFO_STAGE_INODES:
		return pass == 1;
	case BFO_STAGE_NAMES:
		return pass == 2;
	case BFO_STAGE_INDEX:
		return pass == 3 || pass == 4;
	case BFO_STAGE_CHECK_INDEX:
		return pass == 1 || pass == 5;
	default:
		return pass == 4;
	}
}

static void on_progress(void *priv, const struct bfo_progress *p)
{
	struct job *j = priv;

	if (!is_progress(j->pass, p->stage))
		return;
	j->draw(&j->bar, p);
	if (j->opt.completion <= 0 || !p->total)
		return;
	if (dprintf(j->opt.completion, "%d %llu %llu %s\n", j->pass, (unsigned long long) p->done,
		    (unsigned long long) p->total, j->opt.device) < 0)
		j->opt.completion = -1;		/* nobody listens any more */
}

void report_attach(struct job *j)
{
	progress_attach(&j->bar, &j->ctx, &j->opt.progress, j->opt.quiet);
	j->draw = j->ctx.progress;
	j->ctx.progress = on_progress;
	j->ctx.priv = j;
}

static void json_problems(struct json *out, const struct job *j, errcode_t err)
{
	size_t i;

	json_open(out, "problems", '[');
	for (i = 0; i < j->told.n; i++) {
		json_open(out, NULL, '{');
		json_string(out, "problem", problem_word(j->told.v[i].code));
		if (j->told.v[i].ino)
			json_number(out, "inode", j->told.v[i].ino);
		if (j->told.v[i].path)
			json_string(out, "path", j->told.v[i].path);
		if (j->told.v[i].moving)
			json_bool(out, "moving", 1);
		json_bool(out, "fixed", j->told.v[i].fixed && (!err && j->status & EXIT_CHANGED));
		json_close(out, '}');
	}
	json_close(out, ']');
}

static void json_work(struct json *out, const struct job *j, errcode_t err)
{
	json_problems(out, j, err);
	if (j->opt.remove)
		json_bool(out, "removed", j->removed);
	json_number(out, "kept", j->kept);
	json_number(out, "built", j->built);
	json_number(out, "changed", j->changed);
	json_number(out, "dropped", j->dropped);
	json_number(out, "names", j->all_names);
	json_number(out, "blocks", j->blocks);
	json_number(out, "write_requests", j->written.requests);
	json_number(out, "write_blocks", j->written.blocks);
	json_number(out, "names_came", j->came);
	json_number(out, "names_went", j->went);
	json_number(out, "cost_in_place", j->cost_in_place);
	json_number(out, "cost_anew", j->cost_anew);
	json_string(out, "target_state", err ? bfo_fate_word(j->fate) : NULL);
}

static int is_moving(const struct job *j)
{
	return j->vol && j->vol->users.moving && !j->opt.online;
}

static const char *command_of(const struct job *j)
{
	if (j->opt.list)
		return "list";
	return j->opt.remove ? "remove" : j->opt.online ? "online" : "check";
}

static void print_json(const struct job *j, errcode_t err)
{
	struct json out;

	result_begin(&out, "e2itree", command_of(j));
	json_string(&out, "device", j->opt.device);
	if (is_moving(j))
		json_number(&out, "moving", j->moving);
	if (j->opt.list)
		list_json(j, &out, !err);
	else
		json_work(&out, j, err);
	result_status(&out, j->status, err, *j->ctx.what ? j->ctx.what : "working");
	result_end(&out);
}

static void print_removed(const struct job *j)
{
	message_printf("%s: %s\n", j->opt.device, j->removed ? "indexes removed" :
		       j->status & EXIT_LEFT ? "has indexes, which would be removed" :
		       "has no indexes");
}

static void print_changes(const struct job *j)
{
	uint64_t all = j->kept + j->built + j->changed;

	printf("%llu index%s with %llu names: ", (unsigned long long) all, all == 1 ? "" : "es",
	       (unsigned long long) j->all_names);
	if (j->changed)
		printf("%llu changed in place", (unsigned long long) j->changed);
	else
		printf("%llu built", (unsigned long long) j->built);
	printf(", %llu kept; %llu dropped", (unsigned long long) j->kept,
	       (unsigned long long) j->dropped);
}

static void print_summary(const struct job *j)
{
	unsigned long long kept = j->kept;

	message_printf("%s: ", j->opt.device);
	if (j->status & EXIT_CHANGED)
		print_changes(j);
	else if (kept)
		printf("%llu index%s with %llu names up to date", kept, kept == 1 ? "" : "es",
		       (unsigned long long) j->all_names);
	else if (!j->left && !j->unbuilt)
		printf("no directory needs an index");
	else
		printf(j->has_old ? "no index is up to date" : "no indexes yet");
	if (j->unbuilt)
		printf("; %llu director%s to be indexed%s", (unsigned long long) j->unbuilt,
		       j->unbuilt == 1 ? "y" : "ies",
		       j->opt.answer == ANSWER_NO ? " (e2itree -p does it)" : "");
	if (j->left)
		printf("; %llu problem%s left", (unsigned long long) j->left,
		       j->left == 1 ? "" : "s");
	putchar('\n');
	if (j->opt.verbose && j->status & EXIT_CHANGED)
		printf("%u blocks in /" ITREE_NAME ", %llu written in %llu requests\n", j->blocks,
		       (unsigned long long) j->written.blocks,
		       (unsigned long long) j->written.requests);
}

int report_end(struct job *j, errcode_t err)
{
	progress_wipe(&j->bar);
	if (!(j->status & EXIT_CHANGED))
		j->built = j->dropped = 0;	/* it stayed with the decision */
	if (err)
		j->status |= exit_status_of(err);
	if (j->opt.json)
		print_json(j, err);
	if (is_moving(j))
		message_moving(j->opt.device);
	fflush(stdout);			/* in a log, the reason of the end is at its end */
	if (err)
		message("%s while %s", error_message(err), *j->ctx.what ? j->ctx.what : "working");
	if (err && j->writing)
		message("%s %s", j->opt.device, bfo_fate_text(j->fate, 0));
	if (!err && !j->opt.json && !j->opt.quiet && !j->opt.list && !j->opt.dump)
		(j->opt.remove ? print_removed : print_summary)(j);
	return j->status;
}
