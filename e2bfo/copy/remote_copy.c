// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * remote_copy.c - e2bfo copy, of which one end is on another machine
 *
 *   here: the job of e2bfo send     ══ stream ══>  there: e2bfo receive ── answers ──> here
 *   here: the job of e2bfo receive  <══ stream ══  there: e2bfo send    ── answers ──> here
 *
 * When the connection breaks, the receiver keeps what it has, and the token of that.  It is here,
 * or e2bfo resume --dry-run asks for it there.  Nothing that was answered is believed: a token that
 * is not of this tree is refused by the sender (export/send.h), before any data.
 *
 * A directory that is sent has another tree at the next attempt.  So what it was at the first one
 * is kept (job/send_state.h), in a file without a name.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/clock.h"
#include "base/temporary.h"
#include "cli/error_word.h"
#include "cli/message.h"
#include "job/send_state.h"
#include "e2bfo/commands.h"
#include "copying.h"
#include "remote_copy.h"
#include "remote_report.h"

#define PAUSE_MOST 30		/* seconds */
#define ASKED_MOST 10		/* times, while the receiver still has its target */

struct remote_copy {
	struct remote_options o;
	struct copying c;
	struct remote_run there;	/* the other side of the copy, */
	struct remote_run asked;	/* and what it says of it between attempts */
	struct remote_command command;
	struct remote_told told;
	char token[BFO_STREAM_TOKEN_TEXT];	/* with which it goes on; "": as it was begun, */
	const char *said;		/* with the token of the command line, or NULL */
	char state[32];			/* where a directory is kept as it was, if it is */
	unsigned int pauses;		/* so far */
	double begun;
};

/* ---- the other side ---- */

/* Runs COMMAND there, with the options that it has been given if it is a copy. */
static int call(struct remote_copy *r, struct remote_run *run, enum remote_role role,
		const char *const *command, size_t n)
{
	const int is_copy = role != REMOTE_ANSWERS;
	const char *const end[] = { "--", r->o.spec.end };
	remote_words words = { .v = NULL };
	errcode_t err = bfo_vec_reserve(&words, n + r->o.far_words.n + 2);
	size_t i;

	for (i = 0; !err && i < n; i++)
		words.v[words.n++] = command[i];
	for (i = 0; !err && is_copy && i < r->o.far_words.n; i++)
		words.v[words.n++] = r->o.far_words.v[i];
	for (i = 0; !err && i < 2; i++)
		words.v[words.n++] = end[i];
	if (!err)
		err = remote_command_make(&r->command, &r->o.rsh, &r->o.spec, &r->o.program,
					  words.v, words.n);
	bfo_vec_free(&words);
	run->host = r->o.spec.host;
	run->bar = &r->c.bar;
	run->cancel = r->c.ctx.cancel;
	return err ? err : remote_run(run, role, r->command.v.v);
}

static int call_copy(struct remote_copy *r)
{
	static const char *const receive[] = { "receive", "--json", "--progress=json" };
	static const char *const send[] = { "send", "--json", "--progress=none" };

	return r->o.sends ? call(r, &r->there, REMOTE_RECEIVES, receive, 3)
			  : call(r, &r->there, REMOTE_SENDS, send, 3);
}

/* ---- what a directory was ---- */

/* It may have to be sent once more, to who can go on, and nobody has said where to keep it. */
static int has_to_be_kept(const struct remote_copy *r)
{
	const struct bfo_copy_options *opt = &r->o.near.job;

	return r->o.sends && r->o.retries && !r->o.dry_run && !opt->state && !opt->token &&
	       bfo_send_state_fits(opt) && strncmp(r->o.spec.end, "dir:", 4);
}

/* Makes the file for it, if the source is one. */
static errcode_t prepare_state(struct remote_copy *r)
{
	struct bfo_context *ctx = &r->c.ctx;
	struct bfo_copy_options *opt = &r->o.near.job;
	struct bfo_end end;
	errcode_t err;
	int is_dir;

	if (!has_to_be_kept(r))
		return 0;
	err = bfo_end_tell(ctx, opt->source, &end);
	is_dir = !err && end.kind == BFO_END_DIRECTORY;
	bfo_end_free(&end);
	if (!is_dir)
		return 0;		/* opening it will tell */
	err = bfo_temporary_unnamed(bfo_temporary_folder(ctx), &opt->state_fd);
	if (err) {
		opt->state_fd = 0;
		return bfo_fail(ctx, err, "making a temporary file in %s",
				bfo_temporary_folder(ctx));
	}
	snprintf(r->state, sizeof(r->state), "/proc/self/fd/%d", opt->state_fd);
	opt->state = r->state;
	return 0;
}

/* It begins again: what was kept for the attempt before is of no use, and is made anew. */
static void forget_state(struct remote_copy *r)
{
	const struct bfo_copy_options *opt = &r->o.near.job;

	if (r->o.sends && !*r->token && !r->said && opt->state && !opt->state_fd)
		unlink(opt->state);
}

static void close_state(struct remote_copy *r)
{
	if (r->o.near.job.state_fd)
		close(r->o.near.job.state_fd);
}

/* ---- an attempt ---- */

/* Both sides, to their ends.  Returns the error of the side here. */
static errcode_t run_sides(struct remote_copy *r)
{
	errcode_t err, lost;

	if (r->o.sends)
		r->o.near.job.out = r->there.data;
	else
		r->o.near.job.in = r->there.data;
	r->o.near.job.token = *r->token && r->o.sends ? r->token : r->said;
	err = copying_do(&r->c, &r->o.near);
	if (err && !remote_is_consequence(&r->told, err))
		remote_hush(&r->there);
	remote_hang_up(&r->there);
	lost = remote_wait(&r->there, &r->c.ctx);
	if (err && bfo_cancelled(&r->c.ctx))
		return bfo_fail(&r->c.ctx, BFO_ET_CANCELLED, "copying");
	return err || !lost ? err : bfo_fail(&r->c.ctx, lost, "reading what %s answers",
					     r->o.spec.host);
}

static errcode_t attempt(struct remote_copy *r)
{
	errcode_t err;

	copying_begin(&r->c, "copy", &r->o.near.common);
	bfo_what_clear(&r->c.ctx);
	if (r->told.attempts)
		r->c.begun = r->begun;
	r->begun = r->c.begun;
	r->told.attempts++;
	err = r->told.attempts == 1 ? prepare_state(r) : 0;
	r->c.copy.opt = r->o.near.job;
	if (err) {
		r->told.outcome = REMOTE_HERE;
		return err;
	}
	err = call_copy(r);
	if (err) {
		r->told.outcome = REMOTE_HERE;
		return bfo_fail(&r->c.ctx, err, "running %s", r->o.rsh.v.v[0]);
	}
	err = run_sides(r);
	r->told.outcome = remote_judge(&r->told, err);
	return err;
}

/* ---- the next one ---- */

/* What is sent can be read once more. */
static int can_repeat(const struct remote_copy *r)
{
	const struct bfo_copy *copy = &r->c.copy;
	struct stat st;

	if (!r->o.sends || copy->job.source || copy->end.kind == BFO_END_DIRECTORY)
		return 1;
	return copy->end.path && strcmp(copy->end.path, "-") && !stat(copy->end.path, &st) &&
	       S_ISREG(st.st_mode);
}

/* 0 seconds, 1, 2, 4 ...; returns 0 if somebody wants it to stop. */
static int pause_between(struct remote_copy *r)
{
	const struct bfo_timer *timer = bfo_timer_of(&r->c.ctx);
	double seconds = !r->pauses ? 0 : r->pauses > 5 ? PAUSE_MOST : 1 << (r->pauses - 1);
	double until = timer->now(timer->priv) + seconds;

	r->pauses++;
	while (!bfo_cancelled(&r->c.ctx) && timer->now(timer->priv) < until)
		timer->wait(timer->priv, until - timer->now(timer->priv));
	return !bfo_cancelled(&r->c.ctx);
}

/* Asks what the receiver has.  Returns 0 if no answer came. */
static int ask(struct remote_copy *r)
{
	static const char *const resume[] = { "resume", "--dry-run", "--json" };

	if (call(r, &r->asked, REMOTE_ANSWERS, resume, 3))
		return 0;
	remote_hush_e2bfo(&r->asked);
	return !remote_wait(&r->asked, &r->c.ctx) && r->asked.report.is_there &&
	       !strcmp(r->asked.report.command, "resume");
}

static int is_busy(const struct remote_report *report)
{
	return error_code_of(report->code) == BFO_ET_BUSY;
}

/*
 * Finds out how a copy to there goes on: r->token.  Returns 0 if it does not, and then the outcome
 * may be another one.  ALL: the receiver may have got all.  If it had, and that cannot be known,
 * what is sent once more finds it there, and changes nothing.
 */
static int prepare_sender(struct remote_copy *r, int all)
{
	const struct remote_report *report = &r->asked.report;
	int i, answered;

	strcpy(r->token, r->there.report.token);
	if (*r->token || !strncmp(r->o.spec.end, "dir:", 4))
		return 1;
	for (i = 0; i < ASKED_MOST; i++) {
		if (i && !pause_between(r))
			return 0;
		answered = ask(r);
		if (answered && !is_busy(report))
			break;
		if (!answered && ++r->told.attempts > r->o.retries)
			return 0;
	}
	strcpy(r->token, report->token);
	if (all && !*r->token && report->is_complete) {
		r->told.outcome = REMOTE_DONE;
		r->told.is_lost = 1;
	}
	return i < ASKED_MOST && !r->told.is_lost;
}

static int prepare_receiver(struct remote_copy *r)
{
	*r->token = 0;
	return !bfo_copy_token(&r->c.copy, r->token) ||
	       !remote_options_add(&r->o, "resume", r->token);
}

/* After an attempt that ended with ERR: will there be another one? */
static int goes_on(struct remote_copy *r, errcode_t err)
{
	if (r->told.outcome != REMOTE_BROKEN || r->told.attempts > r->o.retries || !can_repeat(r))
		return 0;
	progress_wipe(&r->c.bar);
	message("the connection to %s broke; connecting again (%u of %u)", r->o.spec.host,
		r->told.attempts, r->o.retries);
	if (!pause_between(r) || !(r->o.sends ? prepare_sender(r, !err) : prepare_receiver(r)))
		return 0;
	message(*r->token ? "it goes on where it came to" : "it begins again");
	forget_state(r);
	return 1;
}

/* ---- the whole ---- */

/* What the report calls the end there, where the job knows a stream. */
static void name_end(struct remote_copy *r)
{
	struct bfo_copy_options *opt = &r->c.copy.opt;

	if (r->o.sends)
		opt->target = r->o.name;
	else
		opt->source = r->o.name;
	if (!r->o.sends)
		return;
	opt->to = r->o.to;
	opt->dry_run = r->o.dry_run;
}

static int run(struct remote_copy *r)
{
	errcode_t err;
	int status;

	signal(SIGPIPE, SIG_IGN);	/* that the other side is gone is an error like others */
	r->told.options = &r->o;
	r->told.there = &r->there;
	r->said = r->o.near.job.token;
	for (;;) {
		err = attempt(r);
		if (!goes_on(r, err))
			break;
		copying_close(&r->c);
	}
	if (r->told.outcome != REMOTE_DONE)
		err = remote_error(&r->told, &r->c.ctx, err);
	else if (r->there.status > EXIT_FINDINGS)
		r->told.is_lost = 1;
	name_end(r);
	r->c.remote = &r->told;
	status = copying_finish(&r->c, err);
	copying_close(&r->c);
	close_state(r);
	return status;
}

int remote_copy(int argc, char **argv, int *is_remote)
{
	struct remote_copy r = { .begun = 0 };
	int status = remote_options_read(&r.o, argc, argv, is_remote);

	if (status < 0 && *is_remote)
		status = argument_check("copy", &r.o.near.common);
	if (status < 0 && *is_remote && !r.o.sends)
		status = copying_give_way(&r.o.near.job);
	if (status < 0 && *is_remote)
		status = run(&r);
	remote_report_free(&r.there.report);
	remote_report_free(&r.asked.report);
	remote_command_free(&r.command);
	remote_options_free(&r.o);
	return status;
}
