// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace_text.c - traces of accesses as texts: who accessed which path
 *
 * One function per format takes a line apart.  Lines of fatrace, logs and paths speak for
 * themselves; those of strace (strace_text.c) need what earlier ones of the same process said
 * (processes.c).
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "mine/processes.h"
#include "mine/strace_text.h"
#include "mine/trace_text.h"

struct bfo_trace_text {
	enum bfo_trace_format format;
	struct bfo_path cwd;
	struct bfo_path path;			/* of the access that is handed out */
	struct bfo_strace_line parsed;
	struct bfo_processes processes;
};

/* A word or field of a line. */
struct word {
	const char *p;
	size_t len;
};

errcode_t bfo_trace_text_open(struct bfo_trace_text **out, enum bfo_trace_format format,
			      const char *cwd)
{
	struct bfo_trace_text *t = calloc(1, sizeof(*t));

	if (!t)
		return ENOMEM;
	t->format = format;
	bfo_path_join(&t->cwd, "", 0, cwd, strlen(cwd));
	*out = t;
	return 0;
}

void bfo_trace_text_close(struct bfo_trace_text *t)
{
	if (!t)
		return;
	bfo_processes_free(&t->processes);
	free(t);
}

/* The access of STREAM to PATH, relative to BASE. */
static int hand_out(struct bfo_trace_text *t, const struct bfo_path *base, struct word path,
		    struct word stream, struct bfo_trace_access *out)
{
	if (!bfo_path_join(&t->path, base->text, base->len, path.p, path.len))
		return 0;
	*out = (struct bfo_trace_access) {
		.path = t->path.text, .len = t->path.len,
		.stream = stream.p, .stream_len = stream.len,
	};
	return 1;
}

static struct word path_word(const struct bfo_path *path)
{
	return (struct word) { path->text, path->len };
}

/* Where a process is. */
static const struct bfo_path *cwd_of(const struct bfo_trace_text *t, const struct bfo_process *p)
{
	return p && p->cwd && p->cwd->len ? p->cwd : &t->cwd;
}

/* A call's path in full, in t->path; none if that cannot be known. */
static void complete_path(struct bfo_trace_text *t, const struct bfo_process *p)
{
	const struct bfo_strace_line *l = &t->parsed;
	const struct bfo_path *base = l->from_cwd && !l->base.len ? cwd_of(t, p) : &l->base;

	bfo_path_join(&t->path, base->text, base->len, l->path.text, l->path.len);
}

/* A child begins where its parent is. */
static void note_fork(struct bfo_trace_text *t, const struct bfo_process *parent)
{
	const struct bfo_strace_line *l = &t->parsed;
	struct bfo_process *child;

	if (!parent || !parent->cwd || !l->child_len)
		return;
	t->path = *parent->cwd;			/* the parent may have to make room */
	child = bfo_processes_get(&t->processes, l->child, l->child_len);
	if (child)
		bfo_process_set(&child->cwd, &t->path);
}

/* A call of KIND, with t->path, has succeeded. */
static int finish_call(struct bfo_trace_text *t, int kind, struct bfo_process *p,
		       struct bfo_trace_access *out)
{
	const struct bfo_strace_line *l = &t->parsed;
	struct word stream = { l->process, l->process_len };

	if (kind == BFO_STRACE_FORKS) {
		note_fork(t, p);
	} else if (kind == BFO_STRACE_CHDIR && t->path.len) {
		p = bfo_processes_get(&t->processes, stream.p, stream.len);
		if (p)
			bfo_process_set(&p->cwd, &t->path);
	} else if (kind == BFO_STRACE_READS) {
		return hand_out(t, &t->cwd, path_word(l->result.len ? &l->result : &t->path),
				stream, out);
	}
	return 0;
}

static int strace_line(struct bfo_trace_text *t, const char *line, size_t len,
		       struct bfo_trace_access *out)
{
	struct bfo_strace_line *l = &t->parsed;
	struct bfo_process *p;
	int kind;

	bfo_strace_text_parse(line, len, l);
	p = bfo_processes_find(&t->processes, l->process, l->process_len);
	t->path.len = 0;
	if (l->kind == BFO_STRACE_EXIT && p)
		bfo_process_clear(p);
	if (l->kind == BFO_STRACE_CALL || l->kind == BFO_STRACE_BEGUN)
		complete_path(t, p);
	if (l->kind == BFO_STRACE_CALL && !l->failed)
		return finish_call(t, l->call, p, out);
	if (l->kind == BFO_STRACE_BEGUN) {
		if (l->call != BFO_STRACE_IGNORE && !p)
			p = bfo_processes_get(&t->processes, l->process, l->process_len);
		if (p)
			p->pending = l->call;
		if (p && l->call != BFO_STRACE_IGNORE)
			bfo_process_set(&p->call, &t->path);
	}
	if (l->kind != BFO_STRACE_ENDED || !p || !p->call)
		return 0;
	t->path = *p->call;
	kind = p->pending;
	p->pending = BFO_STRACE_IGNORE;
	return l->failed ? 0 : finish_call(t, kind, p, out);
}

/* "NAME(123): RO /path", maybe with a time before it and [uid:gid] after the process. */
static int parse_fatrace(const char *line, size_t len, struct word *process, struct word *types,
			 struct word *path)
{
	const char *end = line + len, *p;

	for (p = line; p < end; p++) {
		if (*p != '(')
			continue;
		for (process->p = ++p; p < end && isdigit((unsigned char) *p); )
			p++;
		process->len = p - process->p;
		if (process->len && p < end && *p == ')')
			break;
		p--;
	}
	if (p == end)
		return 0;
	p = memchr(p, ' ', end - p);
	if (p && p + 1 < end && p[1] == '[')
		p = memchr(p + 1, ' ', end - p - 1);
	if (!p || p[-1] != ':')
		return 0;
	for (types->p = ++p; p < end && *p && strchr("CROWD+<>", *p); )
		p++;
	types->len = p - types->p;
	while (p < end && *p == ' ')
		p++;
	*path = (struct word) { p, end - p };
	return types->len && path->len && *p == '/' && p[-1] == ' ';
}

static int fatrace_line(struct bfo_trace_text *t, const char *line, size_t len,
			struct bfo_trace_access *out)
{
	struct word process, types, path;

	if (!parse_fatrace(line, len, &process, &types, &path))
		return 0;
	if (!memchr(types.p, 'R', types.len) && !memchr(types.p, 'O', types.len))
		return 0;
	return hand_out(t, &t->cwd, path, process, out);
}

/* The word of LINE that ends at END or at its first byte C; *LINE goes behind it. */
static int next_word(const char **line, const char *end, char c, struct word *word)
{
	const char *p = memchr(*line, c, end - *line);

	if (!p)
		return 0;
	*word = (struct word) { *line, p - *line };
	*line = p + 1;
	return 1;
}

/* CLIENT IDENT USER [TIME] "METHOD PATH PROTOCOL" STATUS ... */
static int parse_log(const char *line, size_t len, struct word *client, struct word *method,
		     struct word *path, struct word *status)
{
	const char *end = line + len;
	struct word rest;

	if (!next_word(&line, end, ' ', client) || !client->len ||
	    !next_word(&line, end, '[', &rest) || !next_word(&line, end, ']', &rest) ||
	    end - line < 2 || memcmp(line, " \"", 2))
		return 0;
	line += 2;
	if (!next_word(&line, end, '"', &rest))
		return 0;
	*status = (struct word) { line + 1, 3 };
	if (end - line < 4 || line[0] != ' ' || !isdigit((unsigned char) line[1]))
		return 0;
	line = rest.p;
	end = rest.p + rest.len;
	if (!next_word(&line, end, ' ', method))
		return 0;
	if (!next_word(&line, end, ' ', path))		/* HTTP/0.9 has no protocol */
		*path = (struct word) { line, end - line };
	return 1;
}

/* Cuts what does not belong to the path: "http://host", query, fragment. */
static void cut_url(struct word *path)
{
	const char *slash;
	size_t i;

	if (path->len > 7 && (!strncasecmp(path->p, "http://", 7) ||
			      !strncasecmp(path->p, "https:/", 7))) {
		slash = memchr(path->p + 8, '/', path->len - 8);
		path->len = slash ? path->p + path->len - slash : 0;
		path->p = slash;
	}
	for (i = 0; i < path->len && path->p[i] != '?' && path->p[i] != '#'; i++)
		;
	path->len = i;
}

static int log_line(struct bfo_trace_text *t, const char *line, size_t len,
		    struct bfo_trace_access *out)
{
	struct word client, method, path, status;
	struct bfo_path decoded;

	if (!parse_log(line, len, &client, &method, &path, &status))
		return 0;
	if (!(method.len == 3 && !memcmp(method.p, "GET", 3)) &&
	    !(method.len == 4 && !memcmp(method.p, "HEAD", 4)))
		return 0;
	if (status.p[0] != '2' && memcmp(status.p, "304", 3))
		return 0;
	cut_url(&path);
	if (!path.len || path.p[0] != '/' || path.len > sizeof(decoded.text))
		return 0;
	decoded.len = bfo_path_percent(decoded.text, path.p, path.len);
	if (!hand_out(t, &t->cwd, path_word(&decoded), client, out))
		return 0;
	out->folder = decoded.text[decoded.len - 1] == '/';
	return 1;
}

/* Cuts the word before the next GAP off LINE.  Returns 0 if there is none, or nothing behind it. */
static int cut_field(struct word *line, char gap, struct word *field)
{
	const char *p = memchr(line->p, gap, line->len), *end = line->p + line->len;

	if (!p)
		return 0;
	*field = (struct word) { line->p, p - line->p };
	while (p < end && *p == gap && (p == field->p + field->len || gap == ' '))
		p++;
	*line = (struct word) { p, end - p };
	return field->len && line->len;
}

static int is_time(struct word w)
{
	return memchr(w.p, '.', w.len) || memchr(w.p, ':', w.len);
}

static int path_line(struct bfo_trace_text *t, const char *line, size_t len,
		     struct bfo_trace_access *out)
{
	char gap = memchr(line, '\t', len) ? '\t' : ' ';
	struct word stream = { "0", 1 }, rest = { line, len }, fields[2];
	int n = 0;

	while (rest.len && rest.p[0] != '/' && n < 2 && cut_field(&rest, gap, &fields[n]))
		n++;
	if (gap == ' ' && (!rest.len || rest.p[0] != '/')) {
		rest = (struct word) { line, len };	/* a relative path, with blanks */
		n = 0;
	}
	if (n == 2 || (n == 1 && !is_time(fields[0])))
		stream = fields[n - 1];
	if (!hand_out(t, &t->cwd, rest, stream, out))
		return 0;
	out->is_guess = rest.p[0] != '/';
	return 1;
}

int bfo_trace_text_line(struct bfo_trace_text *t, const char *line, size_t len,
			struct bfo_trace_access *out)
{
	if (len && line[len - 1] == '\n')
		len--;
	if (!len || len > BFO_TRACE_LINE)
		return 0;
	switch (t->format) {
	case BFO_TRACE_STRACE:
		return strace_line(t, line, len, out);
	case BFO_TRACE_FATRACE:
		return fatrace_line(t, line, len, out);
	case BFO_TRACE_LOG:
		return log_line(t, line, len, out);
	default:
		return path_line(t, line, len, out);
	}
}

uint32_t bfo_trace_text_stream(const struct bfo_trace_access *a)
{
	return bfo_crc32c(~0U, a->stream, a->stream_len);
}

static enum bfo_trace_format format_of(const char *line, size_t len)
{
	struct word a, b, c, d;
	struct bfo_strace_line l;

	if (parse_log(line, len, &a, &b, &c, &d))
		return BFO_TRACE_LOG;
	if (parse_fatrace(line, len, &a, &b, &c))
		return BFO_TRACE_FATRACE;
	bfo_strace_text_parse(line, len, &l);
	return l.kind == BFO_STRACE_OTHER ? BFO_TRACE_PATHS : BFO_TRACE_STRACE;
}

enum bfo_trace_format bfo_trace_text_detect(const char *text, size_t len)
{
	const char *end = text + len, *newline;
	enum bfo_trace_format best = BFO_TRACE_PATHS, f;
	uint32_t votes[BFO_TRACE_LOG + 1] = { 0 };
	int lines;

	for (lines = 0; lines < 100 && text < end; lines++) {
		newline = memchr(text, '\n', end - text);
		len = (newline ? newline : end) - text;
		if (len && len <= BFO_TRACE_LINE)
			votes[format_of(text, len)]++;
		text = newline ? newline + 1 : end;
	}
	for (f = BFO_TRACE_STRACE; f <= BFO_TRACE_LOG; f++)
		if (votes[f] > votes[best])
			best = f;
	return best;
}
