// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * members.c - the members of an archive, one after the other, from a process that parses it
 *
 *   archive ── fd ──> child: jail, parser ── pipe, frames ──> parent: what is in order ── pieces
 *
 * fork(2) without execve(2): the library has no program of its own that it could find on any
 * machine. The child has one thread, whatever the parent has, so no lock is ever given back that
 * another thread held just then.  It needs two: malloc's, which the C library makes usable in a
 * child, and iconv's, which is held only while a converter is opened.  It ends by the system call,
 * so that nothing of the parent's runs at its exit.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "base/text.h"
#include "intake/jail.h"
#include "intake/member_check.h"
#include "intake/members.h"

#define PIPE_BYTES (1 << 20)

/* ---- the process ---- */

/* Whatever the parent does about signals is its own affair. */
static void forget_signals(void)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };
	sigset_t none;
	int i;

	for (i = 1; i < NSIG; i++)
		sigaction(i, &plain, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void run_child(const struct bfo_parse *p, int out)
{
	struct bfo_frame_writer w = { .fd = out };
	int err;

	forget_signals();
	setpgid(0, 0);			/* of a terminal's Ctrl-C the parent alone hears */
	err = bfo_parse_prepare();
	if (!err)
		err = bfo_jail_enter(p->in, out);
	if (!err) {
		bfo_parse_run(p, out);
	} else {
		bfo_frame_put_error(&w, BFO_FRAME_CONFINED, 0, err, strerror(err));
		bfo_frame_flush(&w);
	}
	syscall(SYS_exit_group, 0);
}

errcode_t bfo_members_start(struct bfo_members *m, struct bfo_context *ctx, const char *name,
			    const struct bfo_parse *p)
{
	int ends[2], err;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC)) {
		err = errno;
		return bfo_fail(ctx, err, "reading %s", name);
	}
	fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES);
	pid = fork();
	if (!pid)
		run_child(p, ends[1]);
	err = errno;
	close(ends[1]);
	bfo_members_of(m, ctx, name, ends[0]);
	if (pid < 0) {
		bfo_members_stop(m);
		return bfo_fail(ctx, err, "beginning to read %s", name);
	}
	m->pid = pid;
	return 0;
}

void bfo_members_of(struct bfo_members *m, struct bfo_context *ctx, const char *name, int fd)
{
	*m = (struct bfo_members) { .name = name, .frames = { .fd = fd, .ctx = ctx } };
}

void bfo_members_from(struct bfo_members *m, struct bfo_context *ctx, const char *name,
		      errcode_t (*fill)(void *priv, bfo_chars *buf), void *priv)
{
	*m = (struct bfo_members) { .name = name,
				    .frames = { .fd = -1, .ctx = ctx, .is_bare = 1,
						.fill = fill, .priv = priv } };
}

/* The signal that has ended it, or 0. */
static int reap(struct bfo_members *m, int is_forced)
{
	int status = 0;
	pid_t got = 0;

	if (!m->pid)
		return 0;
	if (is_forced)
		kill(m->pid, SIGKILL);
	do
		got = waitpid(m->pid, &status, 0);
	while (got < 0 && errno == EINTR);
	m->pid = 0;
	return got > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void bfo_members_stop(struct bfo_members *m)
{
	reap(m, 1);
	if (m->name && m->frames.fd >= 0)
		close(m->frames.fd);
	bfo_frames_free(&m->frames);
	*m = (struct bfo_members) { .pid = 0 };
}

/* ---- failures ---- */

errcode_t bfo_members_fail(struct bfo_members *m, errcode_t code, const char *why)
{
	if (!m->count)
		return bfo_fail(m->frames.ctx, code,
				"reading the first member of %s, at byte %llu: %s", m->name,
				(unsigned long long) m->byte, why);
	return bfo_fail(m->frames.ctx, code, "reading member %s at byte %llu of %s: %s", m->path,
			(unsigned long long) m->byte, m->name, why);
}

static errcode_t fail_behind(struct bfo_members *m, uint64_t byte, const char *why)
{
	return bfo_fail(m->frames.ctx, BFO_ET_DAMAGED,
			"reading what follows member %s, at byte %llu of %s: %s", m->path,
			(unsigned long long) byte, m->name, why);
}

/* What the process has to say about the archive. */
static errcode_t take_error(struct bfo_members *m, const struct bfo_frame *f)
{
	struct bfo_context *ctx = m->frames.ctx;
	char text[BFO_MEMBER_TEXT];

	bfo_text_escape(f->data, f->len, text, sizeof(text));
	switch (f->error) {
	case BFO_FRAME_NO_ARCHIVE:
		return bfo_fail(ctx, BFO_ET_NOT_ARCHIVE, "reading %s", m->name);
	case BFO_FRAME_STREAM:
		return bfo_fail(ctx, BFO_ET_NOT_ARCHIVE, "reading %s: it is a stream; 'stream:' "
				"before its name says so", m->name);
	case BFO_FRAME_NO_MEMORY:
		return bfo_fail(ctx, ENOMEM, "reading %s", m->name);
	case BFO_FRAME_CONFINED:
		return bfo_fail(ctx, EPERM, "confining the process that reads %s: %s", m->name,
				text);
	case BFO_FRAME_IO:
		return bfo_fail(ctx, EIO, "reading %s: %s", m->name, text);
	default:
		break;
	}
	m->byte = f->at;
	if (f->in_member || !m->count)
		return bfo_members_fail(m, BFO_ET_DAMAGED, text);
	return fail_behind(m, f->at, text);
}

/* Frames have ended too early, or are damaged: WHY, NULL if it just went away. */
static errcode_t broken(struct bfo_members *m, errcode_t err, const char *why)
{
	struct bfo_context *ctx = m->frames.ctx;
	int number;

	if (m->frames.has_failed)
		return err;
	if (err != BFO_ET_DAMAGED)
		return bfo_fail(ctx, err, "reading %s", m->name);
	number = reap(m, why != NULL);
	if (number && !why)
		return bfo_fail(ctx, BFO_ET_DAMAGED,
				"reading %s behind member %s: the process that parses it was ended "
				"by signal %d (%s)", m->name, m->path, number, strsignal(number));
	why = why ? why : "its parser is gone";
	return m->frames.is_bare && m->count ? fail_behind(m, m->frames.done, why)
					     : bfo_members_fail(m, BFO_ET_DAMAGED, why);
}

/* ---- what is in order ---- */

/* It began at byte BEGIN of what frames there are; those of an archive say where they come from. */
static errcode_t take_member(struct bfo_members *m, struct bfo_piece *piece, uint64_t begin)
{
	const struct bfo_member *v = &piece->frame.member;
	const char *why;

	m->count++;
	m->end = v->data_end;
	m->done = 0;
	m->byte = m->frames.is_bare ? begin : v->header;
	bfo_text_escape(v->path, v->path_len, m->path, sizeof(m->path));
	piece->kind = BFO_PIECE_MEMBER;
	piece->member = v;
	why = bfo_member_check(v);
	return why ? bfo_members_fail(m, BFO_ET_DAMAGED, why) : 0;
}

/* A piece of KIND that ends before byte END of the member, and begins behind all others. */
static errcode_t take_part(struct bfo_members *m, struct bfo_piece *piece, enum bfo_piece_kind kind,
			   uint64_t end)
{
	if (!m->count)
		return bfo_members_fail(m, BFO_ET_DAMAGED, "data of no member");
	if (!piece->len || piece->at < m->done || piece->at > end || piece->len > end - piece->at)
		return bfo_members_fail(m, BFO_ET_DAMAGED, "data are out of order");
	m->done = piece->at + piece->len;
	piece->kind = kind;
	return 0;
}

errcode_t bfo_members_next(struct bfo_members *m, struct bfo_piece *piece)
{
	const uint64_t begin = m->frames.done;
	const char *why;
	errcode_t err;

	if (m->ended)
		return bfo_members_fail(m, BFO_ET_DAMAGED, "nothing more comes");
	err = bfo_frames_next(&m->frames, &piece->frame, &why);
	if (err)
		return broken(m, err, why);
	piece->at = piece->frame.at;
	piece->len = piece->frame.len;
	piece->place = piece->frame.byte;
	piece->data = piece->frame.data;
	switch (piece->frame.kind) {
	case BFO_FRAME_MEMBER:
		return take_member(m, piece, begin);
	case BFO_FRAME_EXTENT:
	case BFO_FRAME_DATA:
	case BFO_FRAME_PLACE:
		return take_part(m, piece, BFO_PIECE_PART, m->end);
	case BFO_FRAME_UNWRITTEN:
		return take_part(m, piece, BFO_PIECE_UNWRITTEN, INT64_MAX);
	case BFO_FRAME_END:
		piece->kind = BFO_PIECE_END;
		m->ended = 1;
		return 0;
	default:
		m->ended = 1;
		return take_error(m, &piece->frame);
	}
}

errcode_t bfo_members_walk(struct bfo_members *m, const struct bfo_members_sink *sink)
{
	struct bfo_piece piece = { .kind = BFO_PIECE_MEMBER };
	errcode_t err = 0;

	while (!err && !m->ended) {
		err = bfo_members_next(m, &piece);
		if (err)
			break;
		if (piece.kind == BFO_PIECE_MEMBER)
			err = sink->member(sink->priv, piece.member);
		else if (piece.kind == BFO_PIECE_PART)
			err = sink->part(sink->priv, &piece);
		else if (piece.kind == BFO_PIECE_UNWRITTEN)
			err = sink->unwritten(sink->priv, piece.at, piece.len);
		else
			err = sink->end(sink->priv, piece.at, piece.len);
	}
	return err;
}
