// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * text_in.c - a text that somebody else has written, byte by byte or line by line
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bfo_err.h"
#include "intake/text_in.h"

#define BUFFER_BYTES (64U << 10)

errcode_t bfo_text_in_open(struct bfo_text_in *t, struct bfo_context *ctx, int fd,
			   const char *name)
{
	*t = (struct bfo_text_in) { .ctx = ctx, .fd = fd,
				    .name = name, .ended = 1, .most = BFO_TEXT_MOST,
				    .buf = malloc(BUFFER_BYTES) };
	return t->buf ? 0 : bfo_text_in_failed(t, ENOMEM);
}

/* Returns 0 if nothing more comes. */
static int fill(struct bfo_text_in *t)
{
	ssize_t n;

	do {
		n = read(t->fd, t->buf, BUFFER_BYTES);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		t->err = bfo_text_in_failed(t, errno);
	else if (bfo_cancelled(t->ctx))
		t->err = bfo_text_in_failed(t, BFO_ET_CANCELLED);
	t->at = 0;
	t->filled = t->err ? 0 : n;
	return t->filled != 0;
}

int bfo_text_in_byte(struct bfo_text_in *t)
{
	unsigned char c;

	if (t->err || (t->at == t->filled && !fill(t)))
		return -1;
	c = t->buf[t->at++];
	t->line += t->ended;
	t->ended = c == '\n';
	return c;
}

/* Appends what the buffer has of a line. */
static errcode_t take(struct bfo_text_in *t)
{
	const char *from = t->buf + t->at, *end = memchr(from, '\n', t->filled - t->at);
	size_t n = end ? end + 1 - from : t->buf + t->filled - from;
	errcode_t err;

	t->line += t->ended;
	t->ended = end != NULL;
	if (n > t->most - t->text.n)
		return bfo_text_in_damaged(t, "too long");
	if (memchr(from, 0, n))
		return bfo_text_in_damaged(t, "a zero byte");
	err = bfo_vec_reserve(&t->text, n);
	if (err)
		return bfo_text_in_failed(t, err);
	memcpy(t->text.v + t->text.n, from, n);
	t->text.n += n;
	t->at += n;
	return 0;
}

errcode_t bfo_text_in_line(struct bfo_text_in *t, char **line, size_t *len)
{
	errcode_t err = 0;
	size_t n;

	*line = NULL;
	t->text.n = 0;
	do {
		if (t->at == t->filled && !fill(t))
			break;
		err = take(t);
	} while (!err && !t->ended);
	if (err || t->err || !t->text.n)
		return err ? err : t->err;
	n = t->text.n;
	if (t->text.v[n - 1] == '\n')
		n--;
	if (n && t->text.v[n - 1] == '\r')
		n--;
	*line = t->text.v;
	*len = n;
	return 0;
}

errcode_t bfo_text_in_damaged(struct bfo_text_in *t, const char *why)
{
	return bfo_fail(t->ctx, BFO_ET_DAMAGED, "reading line %llu of %s: %s",
			(unsigned long long) t->line, t->name, why);
}

errcode_t bfo_text_in_failed(struct bfo_text_in *t, errcode_t err)
{
	return bfo_fail(t->ctx, err, "reading %s", t->name);
}

void bfo_text_in_close(struct bfo_text_in *t)
{
	bfo_vec_free(&t->text);
	free(t->buf);
	t->buf = NULL;
}
