// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * manifest_read_mtree.c - mtree(5), whoever has written it
 *
 *   ./a/b KEYWORDS      a name with a slash: a path from the root on
 *   a KEYWORDS          another one: in the directory at hand, which it becomes if it is one
 *   ..                  the directory at hand is done
 *   /set KEYWORDS       what the entries that follow have unless they say otherwise
 *   /unset WORDS        not any longer
 *
 * A backslash at the end of a line continues it.  Keywords that are not known here mean nothing.
 * Modes may be symbolic, and devices those of other systems: then they are not known.  What
 * stands behind the dot of a time is a number of nanoseconds, also with fewer than nine digits, as
 * libarchive writes it; but a single 0 is what those write who know of none.
 */
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/text.h"
#include "intake/manifest_fields.h"
#include "intake/vis.h"

struct mtree {
	struct bfo_manifest_list *l;
	struct bfo_manifest_entry set;
	bfo_chars line;			/* with those that continue it */
	bfo_chars dir;			/* the directory at hand */
	BFO_VEC(size_t) outer;		/* lengths of `dir` above it */
};

struct word {
	const char *at;
	size_t len;
};

static int is(const struct word *w, const char *text)
{
	return w->len == strlen(text) && !memcmp(w->at, text, w->len);
}

/* Takes the next word, from *AT on; a '#' in front of one is a comment. */
static int next(const char **at, const char *end, struct word *w)
{
	while (*at < end && (**at == ' ' || **at == '\t'))
		(*at)++;
	w->at = *at;
	while (*at < end && **at != ' ' && **at != '\t')
		(*at)++;
	w->len = *at - w->at;
	return w->len && *w->at != '#';
}

static errcode_t next_line(struct mtree *m, int *is_end)
{
	size_t len, slashes = 0;
	errcode_t err;
	char *line;

	m->line.n = 0;
	do {
		err = bfo_manifest_line(m->l, &line, &len);
		if (err)
			return err;
		*is_end = !line;
		if (!line)
			return slashes & 1 ? bfo_text_in_damaged(&m->l->in, "ends early") : 0;
		for (slashes = 0; slashes < len && line[len - 1 - slashes] == '\\'; slashes++)
			;
		err = bfo_manifest_append(m->l, &m->line, line, len - (slashes & 1));
	} while (!err && (slashes & 1));
	return err;
}

/* ---- values: 0 if one is none ---- */

static int type_of(struct bfo_manifest_entry *e, const struct word *v)
{
	static const struct {
		const char *word;
		uint32_t type;
	} rows[] = {
		{ "file", S_IFREG }, { "dir", S_IFDIR }, { "link", S_IFLNK }, { "char", S_IFCHR },
		{ "block", S_IFBLK }, { "fifo", S_IFIFO }, { "socket", S_IFSOCK },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (is(v, rows[i].word)) {
			e->type = rows[i].type;
			e->has |= BFO_HAS_TYPE;
			return 1;
		}
	return 0;
}

static int mode_of(struct bfo_manifest_entry *e, const struct word *v)
{
	if (!v->len || *v->at < '0' || *v->at > '9') {
		e->has &= ~BFO_HAS_MODE;
		return v->len != 0;
	}
	return bfo_manifest_number32(v->at, v->len, 8, 07777, &e->mode, &e->has, BFO_HAS_MODE);
}

static int uid_of(struct bfo_manifest_entry *e, const struct word *v)
{
	return bfo_manifest_number32(v->at, v->len, 10, UINT32_MAX, &e->uid, &e->has, BFO_HAS_UID);
}

static int gid_of(struct bfo_manifest_entry *e, const struct word *v)
{
	return bfo_manifest_number32(v->at, v->len, 10, UINT32_MAX, &e->gid, &e->has, BFO_HAS_GID);
}

static int nlink_of(struct bfo_manifest_entry *e, const struct word *v)
{
	return bfo_manifest_number32(v->at, v->len, 10, UINT32_MAX, &e->nlink, &e->has,
				     BFO_HAS_NLINK);
}

static int size_of(struct bfo_manifest_entry *e, const struct word *v)
{
	e->has |= BFO_HAS_SIZE;
	return bfo_manifest_number(v->at, v->len, 10, UINT64_MAX, &e->size);
}

static int time_of(struct bfo_manifest_entry *e, const struct word *v)
{
	const char *at = v->at, *end = at + v->len, *dot;
	int is_negative = v->len && *at == '-';
	uint64_t sec, nsec = 0;

	at += is_negative;
	dot = memchr(at, '.', end - at);
	if (!bfo_manifest_number(at, (dot ? dot : end) - at, 10, INT64_MAX, &sec) ||
	    (dot && !bfo_manifest_number(dot + 1, end - dot - 1, 10, 999999999, &nsec)))
		return 0;
	e->sec = is_negative ? -(int64_t) sec : (int64_t) sec;
	e->nsec = nsec;
	e->has = (e->has & ~BFO_HAS_NSEC) | BFO_HAS_SEC;
	if (dot && (nsec || end - dot > 2))
		e->has |= BFO_HAS_NSEC;
	return 1;
}

static int is_native(const char *at, size_t len)
{
	return (len == 6 && !memcmp(at, "native", 6)) || (len == 5 && !memcmp(at, "linux", 5));
}

/* A dev_t, as a number. */
static int device_number(struct bfo_manifest_entry *e, const struct word *v)
{
	uint64_t dev = 0;
	size_t i;

	if (v->len > 2 && v->len <= 18 && !memcmp(v->at, "0x", 2)) {
		for (i = 2; i < v->len; i++) {
			int digit = bfo_text_hex(v->at[i]);

			if (digit < 0)
				return 0;
			dev = dev << 4 | digit;
		}
	} else if (!bfo_manifest_number(v->at, v->len, 10, UINT64_MAX, &dev)) {
		return 0;
	}
	e->major = major(dev);
	e->minor = minor(dev);
	e->has |= BFO_HAS_DEVICE;
	return 1;
}

/* "native,MAJOR,MINOR", or a number. */
static int device_of(struct bfo_manifest_entry *e, const struct word *v)
{
	const char *end = v->at + v->len, *major_at, *minor_at;
	unsigned int has = 0;

	major_at = memchr(v->at, ',', v->len);
	if (!major_at)
		return device_number(e, v);
	e->has &= ~BFO_HAS_DEVICE;
	if (!is_native(v->at, major_at - v->at))
		return 1;
	major_at++;
	minor_at = memchr(major_at, ',', end - major_at);
	if (!minor_at)
		return 0;
	if (!bfo_manifest_number32(major_at, minor_at - major_at, 10, UINT32_MAX, &e->major, &has,
				   BFO_HAS_DEVICE))
		return 0;
	minor_at++;
	return bfo_manifest_number32(minor_at, end - minor_at, 10, UINT32_MAX, &e->minor, &e->has,
				     BFO_HAS_DEVICE);
}

static int sha256_of(struct bfo_manifest_entry *e, const struct word *v)
{
	return bfo_manifest_sum(v->at, v->len, BFO_SUM_SHA256, &e->sums);
}

static int md5_of(struct bfo_manifest_entry *e, const struct word *v)
{
	return bfo_manifest_sum(v->at, v->len, BFO_SUM_MD5, &e->sums);
}

static const struct {
	const char *word;
	int (*value)(struct bfo_manifest_entry *e, const struct word *v);
	unsigned int has, sums;		/* what /unset takes away */
} keywords[] = {
	{ "type", type_of, BFO_HAS_TYPE, 0 },
	{ "mode", mode_of, BFO_HAS_MODE, 0 },
	{ "uid", uid_of, BFO_HAS_UID, 0 },
	{ "gid", gid_of, BFO_HAS_GID, 0 },
	{ "nlink", nlink_of, BFO_HAS_NLINK, 0 },
	{ "size", size_of, BFO_HAS_SIZE, 0 },
	{ "time", time_of, BFO_HAS_SEC | BFO_HAS_NSEC, 0 },
	{ "device", device_of, BFO_HAS_DEVICE, 0 },
	{ "sha256", sha256_of, 0, BFO_SUM_SHA256 },
	{ "sha256digest", sha256_of, 0, BFO_SUM_SHA256 },
	{ "md5", md5_of, 0, BFO_SUM_MD5 },
	{ "md5digest", md5_of, 0, BFO_SUM_MD5 },
};

#define KEYWORDS (sizeof(keywords) / sizeof(keywords[0]))

/* ---- lines ---- */

static errcode_t decode(struct mtree *m, const struct word *w, bfo_chars *out)
{
	const char *at = w->at, *end = at + w->len;
	errcode_t err = 0;
	char byte;
	int c;

	out->n = 0;
	while (!err && at < end) {
		c = bfo_vis_next(&at, end);
		if (c <= 0)
			return bfo_text_in_damaged(&m->l->in, "no such escape");
		byte = c;
		err = bfo_manifest_append(m->l, out, &byte, 1);
	}
	return err;
}

/* "link=" belongs to one entry: /set cannot say it. */
static errcode_t take_keyword(struct mtree *m, const struct word *w, struct bfo_manifest_entry *e)
{
	const char *equals = memchr(w->at, '=', w->len), *end = w->at + w->len;
	struct word key = { w->at, equals ? (size_t) (equals - w->at) : w->len };
	struct word value = { equals ? equals + 1 : end, equals ? end - equals - 1 : 0 };
	size_t i;

	if (is(&key, "link") && e == &m->l->e) {
		e->has |= BFO_HAS_TARGET;
		return decode(m, &value, &m->l->target);
	}
	for (i = 0; i < KEYWORDS; i++)
		if (is(&key, keywords[i].word))
			return keywords[i].value(e, &value) ? 0 :
				bfo_text_in_damaged(&m->l->in, "no such value");
	return 0;
}

static errcode_t take_keywords(struct mtree *m, const char *at, const char *end,
			       struct bfo_manifest_entry *e)
{
	errcode_t err = 0;
	struct word w;

	while (!err && next(&at, end, &w))
		err = take_keyword(m, &w, e);
	return err;
}

static void unset(struct mtree *m, const char *at, const char *end)
{
	struct word w;
	size_t i;

	while (next(&at, end, &w))
		for (i = 0; i < KEYWORDS; i++)
			if (is(&w, keywords[i].word) || is(&w, "all")) {
				m->set.has &= ~keywords[i].has;
				m->set.sums.which &= ~keywords[i].sums;
			}
}

static errcode_t leave(struct mtree *m)
{
	if (!m->outer.n)
		return bfo_text_in_damaged(&m->l->in, "\"..\" leads outside");
	m->dir.n = m->outer.v[--m->outer.n];
	return 0;
}

static errcode_t enter(struct mtree *m)
{
	errcode_t err = bfo_vec_push(&m->outer, m->dir.n);

	if (err)
		return bfo_text_in_failed(&m->l->in, err);
	m->dir.n = 0;
	return bfo_manifest_append(m->l, &m->dir, m->l->path.v, m->l->path.n);
}

static errcode_t take_entry(struct mtree *m, const struct word *name, const char *at,
			    const char *end)
{
	struct bfo_manifest_list *l = m->l;
	errcode_t err;
	int is_path;

	l->e = m->set;
	l->target.n = l->path.n = 0;
	err = decode(m, name, &l->name);
	if (err)
		return err;
	is_path = memchr(l->name.v, '/', l->name.n) != NULL;
	if (!is_path)
		err = bfo_manifest_append(l, &l->path, m->dir.v, m->dir.n);
	if (!err)
		err = bfo_manifest_join(l, l->name.v, l->name.n);
	if (!err)
		err = take_keywords(m, at, end, &l->e);
	if (!err && !is_path && (l->e.has & BFO_HAS_TYPE) && l->e.type == S_IFDIR)
		err = enter(m);
	return err ? err : bfo_manifest_give(l);
}

static errcode_t take_line(struct mtree *m)
{
	const char *at = m->line.v, *end = at + m->line.n;
	struct word w;

	if (!next(&at, end, &w))
		return 0;
	if (is(&w, "/set"))
		return take_keywords(m, at, end, &m->set);
	if (is(&w, "/unset"))
		unset(m, at, end);
	else if (is(&w, ".."))
		return leave(m);
	else
		return take_entry(m, &w, at, end);
	return 0;
}

errcode_t bfo_manifest_read_mtree(struct bfo_manifest_list *l)
{
	struct mtree m = { .l = l };
	errcode_t err;
	int is_end;

	for (;;) {
		err = next_line(&m, &is_end);
		if (err || is_end)
			break;
		err = take_line(&m);
		if (err)
			break;
	}
	bfo_vec_free(&m.line);
	bfo_vec_free(&m.dir);
	bfo_vec_free(&m.outer);
	return err;
}
