// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resume_tell.c - what e2bfo resume tells where it has copied nothing
 */
#include <stdio.h>
#include <string.h>

#include "base/bfo_err.h"
#include "cli/message.h"
#include "cli/result.h"
#include "cli/size.h"
#include "cli/timestamp.h"
#include "e2bfo/e2bfo.h"
#include "resume_tell.h"

int resume_tell_none(const struct interrupted *r, errcode_t err, const char *what)
{
	return interrupted_tell(r, EXIT_FAILED, err, what, 0, NULL);
}

/* With --dry-run a name that is missing is all that there can be left to do. */
int resume_tell_whole(const struct interrupted *r, errcode_t err, const char *what, int64_t begun)
{
	const struct unfinished *u = &r->image;
	int status = err || (r->dry_run && !u->made) ? EXIT_FAILED : EXIT_KEPT;
	char when[32], done[1200];
	size_t used;

	interrupted_when(begun, when, sizeof(when));
	used = snprintf(done, sizeof(done), "the copy of %s had come to its end: all of it is "
			"there", when);
	if (u->made)
		snprintf(done + used, sizeof(done) - used, r->dry_run ?
			 ", in %.500s; 'e2bfo resume' gives it its name" :
			 ", and %.500s has got its name", u->made);
	return interrupted_tell(r, status, err, what, 1, done);
}

/* ---- --dry-run ---- */

/* As a shell would take it. */
static void print_word(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "+,-./:=@_%";
	int n;

	putchar(' ');
	if (*word && !word[strspn(word, plain)]) {
		fputs(word, stdout);
		return;
	}
	for (; *word; word += n + (word[n] == '\'')) {
		n = strcspn(word, "'");
		message_printf(word[n] ? "'%.*s'\\'" : "'%.*s'", n, word);
	}
}

static void print_command(const struct recorded *said)
{
	int i;

	printf("  command:  e2bfo");
	for (i = 1; i < said->n; i++)
		print_word(said->words[i]);
	putchar('\n');
	message_printf("  in:       %s\n", said->words[0]);
}

static void print_record(const struct interrupted *r, const struct copy *c, errcode_t err)
{
	uint64_t bs = c->job.target->block_size, all = r->record.stem_len;
	char when[32], a[32], b[32];

	interrupted_when(r->record.now, when, sizeof(when));
	message_printf("%s: a copy was interrupted.\n", r->target);
	if (r->said.n)
		print_command(&r->said);
	printf("  begun:    %s\n", when);
	printf("  arrived:  %s of %s (%.0f %%)\n", size_text(r->record.done * bs, a, sizeof(a)),
	       size_text(all * bs, b, sizeof(b)), all ? 100.0 * r->record.done / all : 100);
	if (r->image.made)
		message_printf("  file:     %s, until it is complete\n", r->image.made);
	if (c->opt.verify)
		printf("With --verify all of it is copied again.\n");
	puts(err ? "resume cannot go on with it as things are." : "resume can go on with it.");
}

static void json_record(struct json *j, const struct interrupted *r, const struct copy *c)
{
	uint64_t bs = c->job.target->block_size;
	struct timestamp_day day = { 0 };
	char begun[TIMESTAMP_BYTES];

	timestamp_scripts(&day, r->record.now, 0, begun);
	json_string(j, "begun", begun);
	json_string(j, "directory", r->said.n ? r->said.words[0] : NULL);
	json_words(j, "arguments", (const char *const *) r->said.words + 1,
		   r->said.n ? r->said.n - 1 : 0);
	json_number(j, "copied_bytes", r->record.done * bs);
	json_number(j, "data_bytes", r->record.stem_len * bs);
	json_string(j, "temporary", r->image.made);
}

int resume_tell_record(const struct interrupted *r, const struct copy *c, errcode_t err)
{
	int status = !err ? EXIT_KEPT : err == BFO_ET_CANCELLED ? EXIT_CANCELLED : EXIT_FAILED;
	struct json j;

	if (!r->common.json && !r->common.quiet)
		print_record(r, c, err);
	fflush(stdout);
	if (err)
		com_err("e2bfo", err, "while %s", c->ctx.what);
	if (!r->common.json)
		return status;
	result_begin(&j, "e2bfo", r->command);
	json_string(&j, "source", r->said.n ? c->opt.source : NULL);
	json_string(&j, "target", r->target);
	json_bool(&j, "dry_run", 1);
	result_status(&j, status, err, c->ctx.what);
	json_bool(&j, "complete", 0);
	json_bool(&j, "resumable", 1);
	json_record(&j, r, c);
	result_end(&j);
	return status;
}
