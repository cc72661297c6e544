// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * metadata_read.c - reader of a text that says all of a tree but its data
 *
 *   line ── checksum ── cut at blanks ── each word by its row of the table ──> callback
 *
 * Words become what they stand for in the line's own buffer, as that is never longer.  What is
 * written in one way only is taken in that way only.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/metadata_format.h"
#include "base/text.h"
#include "intake/manifest_fields.h"
#include "intake/metadata_read.h"
#include "intake/text_in.h"
#include "intake/xattr_names.h"

#define LINE_MOST (1U << 30)
#define NSEC_MOST ((1U << 30) - 1)	/* what an inode has room for */
#define VALUE_MOST (64U << 10)		/* bytes of an extended attribute: XATTR_SIZE_MAX */
#define NAME_MOST 255U
#define TARGET_MOST 4095U

/* A piece of the line. */
struct word {
	char *v;
	size_t n;
};

struct metadata_text {
	struct bfo_text_in in;
	struct bfo_metadata_line line;	/* at hand */
	uint32_t has;			/* of it: a bit for each row of fields[] */
	uint32_t crc;			/* of all lines so far */
};

/* ---- words ---- */

/* Takes what is before the first SEPARATOR off REST, and the separator; all of it, if none is. */
static struct word cut(struct word *rest, char separator)
{
	char *at = memchr(rest->v, separator, rest->n);
	struct word w = { rest->v, at ? (size_t) (at - rest->v) : rest->n };
	size_t gone = at ? w.n + 1 : w.n;

	rest->v += gone;
	rest->n -= gone;
	return w;
}

static int is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* W, in which \ooo stands for a byte, as these bytes.  Returns 0 if it cannot be so. */
static int unescape(struct word *w)
{
	size_t from, to = 0;

	for (from = 0; from < w->n; to++) {
		const char *c = w->v + from;

		if (*c != '\\') {
			if (*c <= ' ' || *c >= 0x7f)
				return 0;
			w->v[to] = *c;
			from++;
			continue;
		}
		if (w->n - from < 4 || c[1] > '3' || !is_octal(c[1]) || !is_octal(c[2]) ||
		    !is_octal(c[3]))
			return 0;
		w->v[to] = (c[1] - '0') << 6 | (c[2] - '0') << 3 | (c[3] - '0');
		from += 4;
	}
	w->n = to;
	return 1;
}

static int take_number(const struct word *w, unsigned int base, uint64_t most, uint64_t *value)
{
	return bfo_manifest_number(w->v, w->n, base, most, value);
}

static int take_number32(const struct word *w, uint32_t *value)
{
	uint64_t v = 0;
	int is_number = take_number(w, 10, UINT32_MAX, &v);

	*value = v;
	return is_number;
}

/* W, "." or "./PATH", as PATH, with a NUL behind it. */
static int take_path(struct word w, const char **path, size_t *len)
{
	struct word rest, name;

	if (!unescape(&w) || !w.n || w.v[0] != '.' || (w.n > 1 && (w.v[1] != '/' || w.n == 2)) ||
	    memchr(w.v, 0, w.n))
		return 0;
	rest = (struct word) { w.v + (w.n > 1 ? 2 : 1), w.n > 1 ? w.n - 2 : 0 };
	*path = rest.v;
	*len = rest.n;
	if (rest.n && rest.v[rest.n - 1] == '/')
		return 0;
	while (rest.n) {
		name = cut(&rest, '/');
		if (!name.n || name.n > NAME_MOST || (name.n <= 2 && !memcmp(name.v, "..", name.n)))
			return 0;
	}
	/* a blank stood there, or the end of the line */
	w.v[w.n] = 0;
	return 1;
}

/* ---- fields ---- */

static int take_type(struct metadata_text *m, struct word w)
{
	static const struct { char letter; uint16_t type; } types[] = {
		{ 'f', S_IFREG }, { 'd', S_IFDIR }, { 'l', S_IFLNK }, { 'c', S_IFCHR },
		{ 'b', S_IFBLK }, { 'p', S_IFIFO }, { 's', S_IFSOCK },
	};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(*types) && w.n == 1; i++) {
		if (types[i].letter == *w.v) {
			m->line.attrs.mode |= types[i].type;
			return 1;
		}
	}
	return 0;
}

static int take_mode(struct metadata_text *m, struct word w)
{
	uint64_t mode = 0;
	int is_number = take_number(&w, 8, 07777, &mode);

	m->line.attrs.mode |= mode;
	return is_number;
}

static int take_uid(struct metadata_text *m, struct word w)
{
	return take_number32(&w, &m->line.attrs.uid);
}

static int take_gid(struct metadata_text *m, struct word w)
{
	return take_number32(&w, &m->line.attrs.gid);
}

static int take_project(struct metadata_text *m, struct word w)
{
	return take_number32(&w, &m->line.attrs.project);
}

static int take_generation(struct metadata_text *m, struct word w)
{
	return take_number32(&w, &m->line.attrs.generation);
}

static int take_version(struct metadata_text *m, struct word w)
{
	return take_number(&w, 10, UINT64_MAX, &m->line.attrs.version);
}

static int take_size(struct metadata_text *m, struct word w)
{
	return take_number(&w, 10, INT64_MAX, &m->line.attrs.size);
}

static int take_flags(struct metadata_text *m, struct word w)
{
	uint32_t flags = 0;
	size_t i;

	if (w.n < 3 || w.n > 10 || memcmp(w.v, "0x", 2))
		return 0;
	for (i = 2; i < w.n; i++) {
		if (bfo_text_hex(w.v[i]) < 0)
			return 0;
		flags = flags << 4 | bfo_text_hex(w.v[i]);
	}
	m->line.attrs.flags = flags;
	return 1;
}

static int take_device(struct metadata_text *m, struct word w)
{
	struct word major = cut(&w, ',');

	return take_number32(&major, &m->line.attrs.major) &&
	       take_number32(&w, &m->line.attrs.minor);
}

/* Seconds, rounded down, and what is to be added to them. */
static int take_time(struct metadata_text *m, struct word w, enum bfo_time which)
{
	struct bfo_attrs *a = &m->line.attrs;
	struct word sec = cut(&w, '.');
	int is_negative = sec.n && *sec.v == '-';
	uint64_t value, nsec;

	sec.v += is_negative;
	sec.n -= is_negative;
	if (w.n < 9 || !take_number(&sec, 10, INT64_MAX, &value) ||
	    !take_number(&w, 10, NSEC_MOST, &nsec))
		return 0;
	a->sec[which] = is_negative ? -(int64_t) value : (int64_t) value;
	a->nsec[which] = nsec;
	return bfo_time_is_possible(a->sec[which]);
}

static int take_mtime(struct metadata_text *m, struct word w)
{
	return take_time(m, w, BFO_MTIME);
}

static int take_atime(struct metadata_text *m, struct word w)
{
	return take_time(m, w, BFO_ATIME);
}

static int take_ctime(struct metadata_text *m, struct word w)
{
	return take_time(m, w, BFO_CTIME);
}

static int take_crtime(struct metadata_text *m, struct word w)
{
	m->line.attrs.has_crtime = 1;
	return take_time(m, w, BFO_CRTIME);
}

static int take_target(struct metadata_text *m, struct word w)
{
	if (!unescape(&w) || !w.n || w.n > TARGET_MOST || memchr(w.v, 0, w.n))
		return 0;
	m->line.target = w.v;
	m->line.target_len = m->line.attrs.size = w.n;
	return 1;
}

static int take_first(struct metadata_text *m, struct word w)
{
	return take_path(w, &m->line.first, &m->line.first_len) && m->line.first_len;
}

#define REG (1U << (S_IFREG >> 12))
#define DIR (1U << (S_IFDIR >> 12))
#define LNK (1U << (S_IFLNK >> 12))
#define DEV (1U << (S_IFCHR >> 12) | 1U << (S_IFBLK >> 12))
#define ALL 0xffffU

/* Fields that stand once in a line, at most. */
static const struct {
	const char *key;
	int (*take)(struct metadata_text *m, struct word value);
	uint32_t types;			/* that can have it: a bit each */
	int is_needed;			/* by these */
} fields[] = {
	{ "type", take_type, ALL, 1 }, { "mode", take_mode, ALL, 1 },
	{ "uid", take_uid, ALL, 1 }, { "gid", take_gid, ALL, 1 },
	{ "project", take_project, ALL, 1 }, { "size", take_size, REG, 1 },
	{ "mtime", take_mtime, ALL, 1 }, { "atime", take_atime, ALL, 1 },
	{ "ctime", take_ctime, ALL, 1 }, { "crtime", take_crtime, ALL, 0 },
	{ "generation", take_generation, ALL, 1 }, { "version", take_version, ALL, 1 },
	{ "flags", take_flags, ALL, 1 }, { "device", take_device, DEV, 1 },
	{ "target", take_target, LNK, 1 }, { "first", take_first, ALL & ~DIR, 0 },
};

#define FIELDS (sizeof(fields) / sizeof(*fields))

/* ---- what can stand in a line more than once ---- */

static errcode_t wrong(struct metadata_text *m)
{
	return bfo_text_in_damaged(&m->in, "no such value");
}

static errcode_t add_xattr(struct metadata_text *m, struct word name, struct word value)
{
	struct bfo_xattr x = { .value = value.v, .size = value.n / 2 };
	errcode_t err;

	if (!unescape(&name) || !bfo_xattr_read_name(name.v, name.n, &x) || bfo_xattr_is_data(&x))
		return bfo_text_in_damaged(&m->in, "no such extended attribute");
	if (value.n % 2 || x.size > VALUE_MOST || !bfo_text_get_hex(value.v, value.v, x.size))
		return wrong(m);
	err = bfo_vec_push(&m->line.xattrs, x);
	return err ? bfo_text_in_failed(&m->in, err) : 0;
}

static errcode_t add_unwritten(struct metadata_text *m, struct word value)
{
	struct word from = cut(&value, '+');
	struct bfo_range r;
	errcode_t err;

	if (!take_number(&from, 10, UINT64_MAX, &r.start) ||
	    !take_number(&value, 10, UINT64_MAX - r.start, &r.len) || !r.len)
		return wrong(m);
	err = bfo_vec_push(&m->line.unwritten, r);
	return err ? bfo_text_in_failed(&m->in, err) : 0;
}

/* ---- lines ---- */

static errcode_t take_field(struct metadata_text *m, struct word value)
{
	static const char xattr[] = "xattr.";
	const size_t prefix = sizeof(xattr) - 1;
	struct word key;
	size_t i;

	if (!memchr(value.v, '=', value.n))
		return bfo_text_in_damaged(&m->in, "no such field");
	key = cut(&value, '=');
	if (key.n > prefix && !memcmp(key.v, xattr, prefix))
		return add_xattr(m, (struct word) { key.v + prefix, key.n - prefix }, value);
	if (key.n == strlen("unwritten") && !memcmp(key.v, "unwritten", key.n))
		return add_unwritten(m, value);
	for (i = 0; i < FIELDS; i++)
		if (key.n == strlen(fields[i].key) && !memcmp(key.v, fields[i].key, key.n))
			break;
	if (i == FIELDS)
		return bfo_text_in_damaged(&m->in, "no such field");
	if (m->has & 1U << i)
		return bfo_text_in_damaged(&m->in, "a field stands twice");
	m->has |= 1U << i;
	return fields[i].take(m, value) ? 0 : wrong(m);
}

/* A line has what those of its type have, and nothing else. */
static errcode_t check_fields(struct metadata_text *m)
{
	uint32_t type = 1U << ((m->line.attrs.mode & S_IFMT) >> 12);
	size_t i;

	for (i = 0; i < FIELDS; i++) {
		int is_there = !!(m->has & 1U << i);

		if (is_there && !(fields[i].types & type))
			return bfo_text_in_damaged(&m->in, "a field that its type does not have");
		if (!is_there && fields[i].is_needed && fields[i].types & type)
			return bfo_text_in_damaged(&m->in, "a field is missing");
	}
	if (m->line.unwritten.n && type != REG)
		return bfo_text_in_damaged(&m->in, "a field that its type does not have");
	return 0;
}

static errcode_t take_line(struct metadata_text *m, struct word rest,
			   const struct bfo_metadata_reader *reader)
{
	bfo_xattrs xattrs = m->line.xattrs;
	bfo_ranges unwritten = m->line.unwritten;
	struct word path = cut(&rest, ' ');
	errcode_t err = 0;

	xattrs.n = unwritten.n = 0;
	m->line = (struct bfo_metadata_line) { .xattrs = xattrs, .unwritten = unwritten,
					       .line = m->in.line };
	m->has = 0;
	while (rest.n && !err)
		err = take_field(m, cut(&rest, ' '));
	if (!err)
		err = check_fields(m);
	if (!err && !take_path(path, &m->line.path, &m->line.path_len))
		err = bfo_text_in_damaged(&m->in, "no such path");
	return err ? err : reader->line(reader->priv, &m->line);
}

/* The next line, without its end, added to the checksum; an error if there is none. */
static errcode_t next_line(struct metadata_text *m, struct word *w, uint32_t *crc_before)
{
	errcode_t err = bfo_text_in_line(&m->in, &w->v, &w->n);

	if (err)
		return err;
	if (!w->v)
		return bfo_text_in_damaged(&m->in, "the text ends early");
	if (w->n + 1 != m->in.text.n)
		return bfo_text_in_damaged(&m->in, "it has not the end of a line");
	*crc_before = m->crc;
	m->crc = bfo_crc32c(m->crc, m->in.text.v, m->in.text.n);
	return 0;
}

static errcode_t take_header(struct metadata_text *m)
{
	static const char word[] = BFO_METADATA_WORD " ";
	char version[16];
	struct word w;
	uint32_t crc;
	errcode_t err = next_line(m, &w, &crc);

	if (err)
		return err;
	if (w.n < sizeof(word) - 1 || memcmp(w.v, word, sizeof(word) - 1))
		return bfo_text_in_damaged(&m->in, "it does not begin with " BFO_METADATA_WORD);
	w.v += sizeof(word) - 1;
	w.n -= sizeof(word) - 1;
	snprintf(version, sizeof(version), "%d", BFO_METADATA_VERSION);
	return w.n == strlen(version) && !memcmp(w.v, version, w.n) ? 0 :
	       bfo_text_in_damaged(&m->in, "another version of the format");
}

/* W, the last line, where CRC is of those before it. */
static errcode_t take_trailer(struct metadata_text *m, struct word w, uint32_t crc)
{
	char is[64];
	errcode_t err;

	snprintf(is, sizeof(is), "end %" PRIu64 " %08" PRIx32, m->in.line - 1, ~crc);
	if (w.n != strlen(is) || memcmp(w.v, is, w.n))
		return bfo_text_in_damaged(&m->in, "count or checksum of the lines above is wrong");
	err = bfo_text_in_line(&m->in, &w.v, &w.n);
	return err || !w.v ? err : bfo_text_in_damaged(&m->in, "it stands behind the end");
}

static errcode_t read_all(struct metadata_text *m, const struct bfo_metadata_reader *reader)
{
	errcode_t err = take_header(m);
	uint32_t crc;
	struct word w;

	while (!err) {
		err = next_line(m, &w, &crc);
		if (!err && w.n >= 4 && !memcmp(w.v, "end ", 4))
			return take_trailer(m, w, crc);
		if (!err)
			err = take_line(m, w, reader);
	}
	return err;
}

errcode_t bfo_metadata_read(struct bfo_context *ctx, int fd, const char *name,
			    const struct bfo_metadata_reader *reader)
{
	struct metadata_text m = { .crc = UINT32_MAX };
	errcode_t err = bfo_text_in_open(&m.in, ctx, fd, name);

	m.in.most = LINE_MOST;
	if (!err)
		err = read_all(&m, reader);
	bfo_vec_free(&m.line.xattrs);
	bfo_vec_free(&m.line.unwritten);
	bfo_text_in_close(&m.in);
	return err;
}
