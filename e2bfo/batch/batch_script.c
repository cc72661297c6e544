// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * batch_script.c - a script, line by line, into a batch
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "intake/text_in.h"
#include "batch_script.h"

/* True if the next line, or the end, can be had without waiting for somebody. */
static int is_at_hand(const struct bfo_text_in *in)
{
	struct pollfd p = { .fd = in->fd, .events = POLLIN };

	return (in->at < in->filled && memchr(in->buf + in->at, '\n', in->filled - in->at)) ||
	       poll(&p, 1, 0) != 0;
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
		if (!is_at_hand(in))
			err = bfo_batch_idle(r->b);
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
	int fd = r->opt->script ? open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO;
	struct script s = { .why = "" };
	struct bfo_text_in in;
	errcode_t err;

	if (fd < 0)
		return bfo_fail(&r->ctx, errno, "opening %s", name);
	err = bfo_text_in_open(&in, &r->ctx, fd, name);
	if (!err)
		err = do_lines(r, &s, &in);
	bfo_text_in_close(&in);
	script_free(&s);
	if (r->opt->script)
		close(fd);
	return err;
}
