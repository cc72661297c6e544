// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_script.c - a script, line by line, into a batch
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/input.h"
#include "intake/text_in.h"
#include "batch_script.h"

static int has_line(const struct bfo_text_in *in)
{
	return in->at < in->filled && memchr(in->buf + in->at, '\n', in->filled - in->at);
}

/*
 * Waits for something to be read, for as long as nothing else is to be done: seconds that were
 * asked for have passed, or a signal came (also before this began).
 */
static void wait_for_more(const struct batch_run *r, struct pollfd *p)
{
	double seconds = r->opt->batch.mark_seconds, whole = 0;
	int has_limit = seconds > 0 && e2bfo_batch_waiting(r->b);
	struct timespec limit;
	sigset_t stops, were;

	limit.tv_nsec = (long) (modf(seconds, &whole) * 1e9);
	limit.tv_sec = (time_t) whole;
	sigemptyset(&stops);
	sigaddset(&stops, SIGINT);
	sigaddset(&stops, SIGTERM);
	sigaddset(&stops, SIGHUP);
	sigprocmask(SIG_BLOCK, &stops, &were);
	if (!bfo_cancelled(&r->ctx))
		ppoll(p, 1, has_limit ? &limit : NULL, &were);
	sigprocmask(SIG_SETMASK, &were, NULL);
}

/* Until a line, or the end, can be had without waiting for somebody, the marks are looked at. */
static errcode_t idle(struct batch_run *r, const struct bfo_text_in *in)
{
	struct pollfd p = { .fd = in->fd, .events = POLLIN };
	errcode_t err = 0;

	while (!err && !has_line(in) && poll(&p, 1, 0) <= 0) {
		err = batch_told(r, e2bfo_batch_idle(r->b));
		if (!err)
			wait_for_more(r, &p);
		if (bfo_cancelled(&r->ctx))
			return bfo_fail(&r->ctx, BFO_ET_CANCELLED, "waiting for a line");
	}
	return err;
}

static errcode_t do_line(struct batch_run *r, struct script *s, const char *line, size_t len)
{
	struct script_op op;
	errcode_t err = script_line(s, line, len, &op);

	if (err == EINVAL)
		return bfo_fail(&r->ctx, BFO_ET_SCRIPT, "reading it: %s", s->why);
	return err ? err : batch_apply(r, &op);
}

static errcode_t do_lines(struct batch_run *r, struct script *s, struct bfo_text_in *in)
{
	errcode_t err = 0;
	char *line;
	size_t len;

	while (!err) {
		err = idle(r, in);
		if (!err)
			err = bfo_text_in_line(in, &line, &len);
		if (err || !line)
			break;
		r->lines.line = in->line;
		err = bfo_cancelled(&r->ctx)
		      ? bfo_fail(&r->ctx, BFO_ET_CANCELLED, "reading the script")
		      : do_line(r, s, line, len);
		r->is_broken = err != 0;
	}
	return err;
}

errcode_t batch_script(struct batch_run *r)
{
	const char *name = r->opt->script ? r->opt->script : "standard input";
	struct script s = { .why = "" };
	struct bfo_text_in in;
	int fd = STDIN_FILENO;
	errcode_t err = r->opt->script ? bfo_input_open(&r->ctx, name, 0, &fd) : 0;

	if (err)
		return bfo_fail(&r->ctx, err, "opening %s", name);
	err = bfo_text_in_open(&in, &r->ctx, fd, name);
	if (!err)
		err = do_lines(r, &s, &in);
	bfo_text_in_close(&in);
	script_free(&s);
	if (r->opt->script)
		close(fd);
	return err;
}
