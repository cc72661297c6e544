// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report.c - what people and scripts are told
 *
 * -C: "PASS DONE TOTAL DEVICE", a line each, as e2fsck(8) writes them.
 */
#include <stdio.h>
#include <string.h>

#include "base/bfo_err.h"
#include "cli/json.h"
#include "e2itree.h"
#include "problem.h"
#include "report.h"

static void on_completion(void *priv, const struct bfo_progress *p)
{
	struct job *j = priv;

	if (p->total && dprintf(j->opt.completion, "%d %llu %llu %s\n", j->pass,
				(unsigned long long) p->done, (unsigned long long) p->total,
				j->opt.device) < 0)
		j->ctx.progress = NULL;		/* nobody listens any more */
}

void report_attach(struct job *j)
{
	progress_attach(&j->bar, &j->ctx, j->opt.quiet ? PROGRESS_NONE : j->opt.progress);
	if (j->opt.completion > 0) {
		j->ctx.progress = on_completion;
		j->ctx.priv = j;
	}
}

static void print_json(const struct job *j, errcode_t err)
{
	struct json out = { .out = stdout };
	size_t i;

	json_open(&out, NULL, '{');
	json_string(&out, "device", j->opt.device);
	json_open(&out, "problems", '[');
	for (i = 0; i < j->told.n; i++) {
		json_open(&out, NULL, '{');
		json_string(&out, "problem", problem_word(j->told.v[i].code));
		if (j->told.v[i].ino)
			json_number(&out, "inode", j->told.v[i].ino);
		json_bool(&out, "fixed", j->told.v[i].fixed && (!err && j->status & EXIT_CHANGED));
		json_close(&out, '}');
	}
	json_close(&out, ']');
	json_number(&out, "kept", j->kept);
	json_number(&out, "built", j->built);
	json_number(&out, "dropped", j->dropped);
	json_number(&out, "names", j->all_names);
	json_number(&out, "blocks", j->itrees.header.blocks);
	json_number(&out, "write_requests", j->stats.write_requests);
	json_number(&out, "write_blocks", j->stats.write_blocks);
	if (err) {
		json_string(&out, "error", error_message(err));
		json_string(&out, "while", j->ctx.what);
	}
	json_number(&out, "status", j->status);
	json_close(&out, '}');
	putchar('\n');
}

static void print_summary(const struct job *j)
{
	unsigned long long left = j->kept + j->built;

	if (j->opt.remove) {
		printf("%s: %s\n", j->opt.device, j->removed ? "indexes removed" :
		       j->status & EXIT_LEFT ? "has indexes" : "has no indexes");
		return;
	}
	printf("%s: %llu trees with %llu names: %llu right, %llu %s, %llu dropped\n", j->opt.device,
	       left, (unsigned long long) j->all_names, (unsigned long long) j->kept,
	       (unsigned long long) j->built, "built", (unsigned long long) j->dropped);
	if (j->opt.verbose && j->status & EXIT_CHANGED)
		printf("%u blocks in /" ITREE_NAME ", %llu written in %llu requests\n",
		       j->itrees.header.blocks, (unsigned long long) j->stats.write_blocks,
		       (unsigned long long) j->stats.write_requests);
}

int report_end(struct job *j, errcode_t err)
{
	progress_wipe(&j->bar);
	if (err)
		j->status |= err == BFO_ET_CANCELLED ? EXIT_CANCELED : EXIT_FAILED;
	if (j->opt.json && !j->opt.list)
		print_json(j, err);
	if (err)
		fprintf(stderr, "e2itree: %s while %s\n", error_message(err),
			*j->ctx.what ? j->ctx.what : "working");
	else if (!j->opt.json && !j->opt.quiet && !j->opt.list && !j->opt.dump)
		print_summary(j);
	return j->status;
}
