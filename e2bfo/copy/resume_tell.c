// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resume_tell.c - what e2bfo resume tells where it has copied nothing
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/result.h"
#include "cli/size.h"
#include "cli/timestamp.h"
#include "cli/words.h"
#include "e2bfo/commands.h"
#include "resume_tell.h"

/* With --dry-run a name that is missing is all that there can be left to do. */
int resume_tell_whole(const struct resume_options *o, const struct bfo_interrupted *in,
		      errcode_t err)
{
	const struct bfo_unfinished *u = &in->image;
	int status = err || (o->dry_run && !u->made) ? EXIT_FAILED : EXIT_KEPT;
	char when[32], done[1200];
	size_t used;

	interrupted_when(in->begun, when, sizeof(when));
	used = snprintf(done, sizeof(done), "the copy of %s had come to its end: all of it is "
			"there", when);
	if (u->made)
		snprintf(done + used, sizeof(done) - used, o->dry_run ?
			 ", in %.500s; 'e2bfo resume' gives it its name" :
			 ", and %.500s has got its name", u->made);
	return interrupted_tell(o, in, status, err, done);
}

/* ---- --dry-run ---- */

static void print_word(const char *word)
{
	char *quoted = words_quote(word);

	message_printf(" %s", quoted ? quoted : word);
	free(quoted);
}

static void print_command(const struct bfo_copy_options *said)
{
	size_t i;

	if (said->n_said) {
		printf("  command:  e2bfo");
		for (i = 0; i < said->n_said; i++)
			print_word(said->said[i]);
		putchar('\n');
	}
	if (said->directory)
		message_printf("  in:       %s\n", said->directory);
}

static uint64_t bytes_of(const struct bfo_interrupted *in, const struct bfo_copy *c,
			 uint64_t blocks)
{
	const struct bfo_volume *vol = in->volume ? in->volume : c->job.target;

	return vol ? blocks * vol->block_size : 0;
}

static void print_record(const struct resume_options *o, const struct bfo_interrupted *in,
			 const struct bfo_copy *c, errcode_t err)
{
	uint64_t all = in->record.stem_len, done = in->record.done;
	char when[32], a[32], b[32], token[BFO_STREAM_TOKEN_TEXT];

	interrupted_when(in->begun, when, sizeof(when));
	message_printf("%s: a copy was interrupted.\n", o->target);
	print_command(&in->saved.opt);
	printf("  begun:    %s\n", when);
	printf("  arrived:  %s of %s (%.0f %%)\n", size_text(bytes_of(in, c, done), a, sizeof(a)),
	       size_text(bytes_of(in, c, all), b, sizeof(b)), all ? 100.0 * done / all : 100);
	if (in->image.made)
		message_printf("  file:     %s, until it is complete\n", in->image.made);
	if (in->saved.opt.verify)
		printf("With --verify all of it is copied again.\n");
	if (bfo_interrupted_token(in, token)) {
		printf("  stream:   e2bfo send --resume %s SOURCE | e2bfo receive", token);
		print_word(o->target);
		putchar('\n');
	} else {
		puts(err ? "resume cannot go on with it as things are."
			 : "resume can go on with it.");
	}
}

static void json_record(struct json *j, const struct bfo_interrupted *in, const struct bfo_copy *c)
{
	const struct bfo_copy_options *said = &in->saved.opt;
	struct timestamp_day day = { 0 };
	char begun[TIMESTAMP_BYTES], token[BFO_STREAM_TOKEN_TEXT];

	timestamp_scripts(&day, in->begun, 0, begun);
	json_string(j, "begun", begun);
	json_string(j, "directory", said->directory);
	json_words(j, "arguments", said->said, said->n_said);
	json_number(j, "copied_bytes", bytes_of(in, c, in->record.done));
	json_number(j, "data_bytes", bytes_of(in, c, in->record.stem_len));
	json_string(j, "temporary", in->image.made);
	if (bfo_interrupted_token(in, token))
		json_string(j, "token", token);
}

int resume_tell_record(const struct resume_options *o, const struct bfo_interrupted *in,
		       const struct bfo_copy *c, errcode_t err)
{
	int status = err ? exit_status_of(err) : EXIT_KEPT;
	struct json j;

	if (!o->common.json && !o->common.quiet)
		print_record(o, in, c, err);
	fflush(stdout);
	if (err)
		com_err("e2bfo", err, "while %s", in->ctx->what);
	if (!o->common.json)
		return status;
	result_begin(&j, "e2bfo", o->command);
	json_string(&j, "source", c->opt.source);
	json_string(&j, "target", o->target);
	json_bool(&j, "dry_run", 1);
	result_status(&j, status, err, in->ctx->what);
	json_bool(&j, "complete", 0);
	json_bool(&j, "resumable", 1);
	json_record(&j, in, c);
	result_end(&j);
	return status;
}
