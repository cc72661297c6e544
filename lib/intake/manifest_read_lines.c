// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * manifest_read_lines.c - what sha256sum(1), md5sum(1) and hashdeep(1) write
 *
 *   DIGEST  NAME            or " *" before the name, of what was read as binary
 *   SHA256 (NAME) = DIGEST  and MD5 (NAME) = DIGEST, as --tag and BSD have it
 *
 * A backslash in front of a line of the first two says that in the name \\, \n and \r stand for a
 * backslash, a newline and a carriage return.
 *
 * hashdeep's lines have the columns that the head of the list says, the name last: it may have
 * commas.  Digests by other algorithms are passed over.
 */
#include <string.h>

#include "intake/manifest_fields.h"

#define MAGIC "%%%% HASHDEEP-1.0"
#define MARKS "%%%% "
#define COLUMNS 16U

static int begins(const char *line, size_t len, const char *with)
{
	return len >= strlen(with) && !memcmp(line, with, strlen(with));
}

/* A name, whose entry has its digests. */
static errcode_t give(struct bfo_manifest_list *l, const char *name, size_t len)
{
	errcode_t err;

	l->path.n = 0;
	err = bfo_manifest_join(l, name, len);
	if (!err && !l->path.n)
		err = bfo_text_in_damaged(&l->in, "no name");
	return err ? err : bfo_manifest_give(l);
}

/* ---- sha256sum, md5sum ---- */

/* Decodes a name where it stands.  Returns its length, or 0: that is none. */
static size_t decode(char *name, size_t len)
{
	size_t n = 0, i;

	for (i = 0; i < len; i++) {
		char c = name[i];

		if (c == '\\') {
			c = i + 1 < len ? name[++i] : 0;
			c = c == 'n' ? '\n' : c == 'r' ? '\r' : c == '\\' ? '\\' : 0;
			if (!c)
				return 0;
		}
		name[n++] = c;
	}
	return n;
}

/* Cuts NAME out of "ALGORITHM (NAME) = DIGEST". */
static int take_tagged(struct bfo_manifest_list *l, char **line, size_t *len)
{
	int is_md5 = begins(*line, *len, "MD5 (");
	size_t digits = is_md5 ? 2 * BFO_MD5_BYTES : 2 * BFO_SHA256_BYTES;
	size_t before = is_md5 ? 5 : 8;
	char *middle;

	if ((!is_md5 && !begins(*line, *len, "SHA256 (")) || *len < before + 4 + digits)
		return 0;
	middle = *line + *len - digits - 4;
	if (memcmp(middle, ") = ", 4) ||
	    !bfo_manifest_sum(middle + 4, digits, is_md5 ? BFO_SUM_MD5 : BFO_SUM_SHA256,
			      &l->e.sums))
		return 0;
	*line += before;
	*len = middle - *line;
	return 1;
}

/* Cuts NAME out of "DIGEST  NAME". */
static int take_plain(struct bfo_manifest_list *l, char **line, size_t *len)
{
	char *space = memchr(*line, ' ', *len);
	size_t digits = space ? space - *line : 0;

	if (!bfo_manifest_sum(*line, digits, digits == 2 * BFO_MD5_BYTES ? BFO_SUM_MD5 :
			      BFO_SUM_SHA256, &l->e.sums))
		return 0;
	if (*len < digits + 2 || (space[1] != ' ' && space[1] != '*'))
		return 0;
	*line += digits + 2;
	*len -= digits + 2;
	return 1;
}

static errcode_t take_sha256sum(struct bfo_manifest_list *l, char *line, size_t len)
{
	int is_escaped = len && *line == '\\';

	line += is_escaped;
	len -= is_escaped;
	if (!take_tagged(l, &line, &len) && !take_plain(l, &line, &len))
		return bfo_text_in_damaged(&l->in, "neither a SHA-256 nor an MD5, and a name");
	if (is_escaped) {
		len = decode(line, len);
		if (!len)
			return bfo_text_in_damaged(&l->in, "no such escape");
	}
	return give(l, line, len);
}

errcode_t bfo_manifest_read_sha256sum(struct bfo_manifest_list *l)
{
	errcode_t err;
	size_t len;
	char *line;

	for (;;) {
		err = bfo_manifest_line(l, &line, &len);
		if (err || !line)
			return err;
		err = take_sha256sum(l, line, len);
		if (err)
			return err;
	}
}

/* ---- hashdeep ---- */

struct columns {
	size_t n;			/* without the name; 0: not known yet */
	/* an enum bfo_algorithm; 0: the size, or what is passed over */
	unsigned int sum[COLUMNS];
};

/* Takes what stands before a comma; returns 0 if there is none. */
static int cut(char **line, size_t *len, char **field, size_t *field_len)
{
	char *comma = memchr(*line, ',', *len);

	if (!comma)
		return 0;
	*field = *line;
	*field_len = comma - *line;
	*len -= *field_len + 1;
	*line = comma + 1;
	return 1;
}

static unsigned int sum_of(const char *word, size_t len)
{
	static const struct {
		const char *word;
		unsigned int sum;
	} rows[] = {
		{ "md5", BFO_SUM_MD5 }, { "sha256", BFO_SUM_SHA256 }, { "sha-256", BFO_SUM_SHA256 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (len == strlen(rows[i].word) && !memcmp(word, rows[i].word, len))
			return rows[i].sum;
	return 0;
}

static errcode_t take_columns(struct bfo_manifest_list *l, struct columns *c, char *line,
			      size_t len)
{
	size_t field_len;
	char *field;

	for (c->n = 0; c->n < COLUMNS && cut(&line, &len, &field, &field_len); c->n++) {
		if (!c->n && (field_len != 4 || memcmp(field, "size", 4)))
			break;
		c->sum[c->n] = sum_of(field, field_len);
	}
	if (!c->n || len != 8 || memcmp(line, "filename", 8))
		return bfo_text_in_damaged(&l->in, "no such columns");
	return 0;
}

static errcode_t take_hashdeep(struct bfo_manifest_list *l, const struct columns *c, char *line,
			       size_t len)
{
	size_t field_len, i;
	char *field;

	for (i = 0; i < c->n; i++) {
		if (!cut(&line, &len, &field, &field_len))
			return bfo_text_in_damaged(&l->in, "too few columns");
		if (c->sum[i] && !bfo_manifest_sum(field, field_len, c->sum[i], &l->e.sums))
			return bfo_text_in_damaged(&l->in, "no such digest");
		if (!i && !bfo_manifest_number(field, field_len, 10, UINT64_MAX, &l->e.size))
			return bfo_text_in_damaged(&l->in, "no size");
	}
	l->e.has = BFO_HAS_SIZE;
	return give(l, line, len);
}

/* (Lists may stand behind each other: a head may come at any time.) */
errcode_t bfo_manifest_read_hashdeep(struct bfo_manifest_list *l)
{
	struct columns c = { 0 };
	int is_head = 0;
	errcode_t err;
	size_t len;
	char *line;

	for (;;) {
		err = bfo_manifest_line(l, &line, &len);
		if (err || !line)
			break;
		if (len == sizeof(MAGIC) - 1 && begins(line, len, MAGIC)) {
			is_head = 1;
			continue;
		}
		if (is_head && begins(line, len, MARKS))
			err = take_columns(l, &c, line + strlen(MARKS), len - strlen(MARKS));
		else if (!is_head && c.n)
			err = take_hashdeep(l, &c, line, len);
		else
			err = bfo_text_in_damaged(&l->in, "not a list of hashdeep");
		is_head = 0;
		if (err)
			break;
	}
	if (!err && !c.n)
		err = bfo_text_in_damaged(&l->in, "not a list of hashdeep");
	return err;
}
