// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pax_read.c - our own archives, into frames
 *
 *   'g' format | [ ['x' records] header [map] data [ 'g' tail ]* | 'g' socket ]* |
 *	two blocks of zeros ... 10240
 *
 * What records say counts more than a header's fields, which have no room for all of it.  Bytes of
 * names are taken as they stand.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/stand_in.h"
#include "intake/member_check.h"
#include "intake/pax_map.h"
#include "intake/pax_member.h"
#include "intake/pax_read.h"
#include "intake/pax_records.h"
#include "intake/plain_tar.h"

#define BLOCK BFO_TAR_BLOCK
#define PADDED_TO 10240U		/* bytes, all of an archive */
#define PIECE (64U << 10)		/* of a header, read at once */
#define DATA_MOST (256U << 10)		/* of a DATA frame */
#define PIECE_MOST (960U << 10)		/* of what is behind the end of a file, at once */
#define ALL_MODES 07777U

#define FORMAT "E2BFO.format=1"
#define ANY_FORMAT "comment=E2BFO."

/* Fields of a header: where they are, and their bytes. */
#define NAME 0, 100
#define MODE 100, 8
#define UID 108, 8
#define GID 116, 8
#define SIZE 124, 12
#define MTIME 136, 12
#define SUM 148, 8
#define TYPE 156
#define TARGET 157, 100
#define MAGIC 257
#define MAJOR 329, 8
#define MINOR 337, 8
#define PREFIX 345, 155

#define LINK '1'			/* types */
#define EXTENDED 'x'
#define GLOBAL 'g'

struct reader {
	struct bfo_pax_bytes *b;
	const struct bfo_parse *p;
	struct bfo_frame_writer *w;
	uint64_t begin;			/* byte at which the member at hand begins */
	char head[BLOCK];
	bfo_chars text;			/* of an extended header, */
	uint64_t text_at;		/* the byte at which it begins */
	struct bfo_pax_records records;
	bfo_ranges map;
	char name[257];			/* prefix and name, if there is no record for that */
	/* of the member at hand, while its data are handed out */
	uint64_t done;			/* byte behind the part that came last */
	size_t unwritten;		/* these parts have come */
	int is_sent;			/* data are sent, not only where they are */
	struct bfo_pax_text piece;	/* of its tail: what has not come yet */
	uint64_t tail_left;		/* bytes of it, in this piece and in those to come */
};

/* ---- failures ---- */

/* What is wrong; IN_MEMBER: with the member that was handed out last. */
static errcode_t fail(struct reader *r, int in_member, const char *why)
{
	bfo_frame_put_error(r->w, BFO_FRAME_DAMAGED, in_member, r->begin, why);
	return BFO_ET_DAMAGED;
}

/* With the path of a member that was not yet handed out. */
static errcode_t fail_member(struct reader *r, const struct bfo_member *m, const char *why)
{
	char text[400];

	snprintf(text, sizeof(text), "%s (member %.*s)", why,
		 m->path_len < 100 ? (int) m->path_len : 100, m->path);
	bfo_frame_put_error(r->w, BFO_FRAME_DAMAGED, 0, r->begin, text);
	return BFO_ET_DAMAGED;
}

/* ERR of reading bytes: an end that comes too early is damage. */
static errcode_t check_read(struct reader *r, errcode_t err)
{
	if (err != BFO_ET_TRUNCATED)
		return err;
	bfo_frame_put_error(r->w, BFO_FRAME_DAMAGED, 0, r->b->at, "it ends here: it is truncated");
	return BFO_ET_DAMAGED;
}

/* ---- headers ---- */

static int is_zero(const char *data, size_t len)
{
	return !*data && !memcmp(data, data + 1, len - 1);
}

static int field(const char *head, size_t at, size_t len, uint64_t *value)
{
	return bfo_pax_field(head + at, len, value);
}

/* What is wrong with HEAD in itself, or NULL. */
static const char *wrong_header(const char *head)
{
	uint64_t stored, sum = 8 * ' ';
	size_t i;

	for (i = 0; i < BLOCK; i++)
		sum += i >= 148 && i < 156 ? 0 : (unsigned char) head[i];
	if (memcmp(head + MAGIC, "ustar\00000", 8))
		return "there is no header of a member where one should be";
	if (!field(head, SUM, &stored) || stored != sum)
		return "the checksum of a header is wrong";
	return NULL;
}

static errcode_t next_header(struct reader *r)
{
	const char *why;
	errcode_t err = check_read(r, bfo_pax_bytes_take(r->b, r->head, BLOCK));

	if (err || is_zero(r->head, BLOCK))
		return err;
	why = wrong_header(r->head);
	return why ? fail(r, 0, why) : 0;
}

static errcode_t skip_padding(struct reader *r, uint64_t len)
{
	char rest[BLOCK];

	return check_read(r, bfo_pax_bytes_take(r->b, rest, -len % BLOCK));
}

/* The text that the extended header at hand announces, as it comes. */
static errcode_t read_text(struct reader *r)
{
	uint64_t len, left;
	errcode_t err = 0;
	size_t some;

	if (!field(r->head, SIZE, &len) || !len || len > BFO_PAX_HEADER_MOST)
		return fail(r, 0, "an extended header has no valid size");
	r->text.n = 0;
	r->text_at = r->b->at;
	for (left = len; left && !err; left -= some) {
		some = left < PIECE ? left : PIECE;
		err = bfo_vec_reserve(&r->text, some);
		if (!err)
			err = check_read(r, bfo_pax_bytes_take(r->b, r->text.v + r->text.n, some));
		r->text.n += some;
	}
	return err ? err : skip_padding(r, len);
}

static errcode_t read_records(struct reader *r, struct bfo_pax_text text, enum bfo_pax_where where)
{
	errcode_t err = bfo_pax_records_read(&r->records, text, where);

	return err == BFO_ET_DAMAGED ? fail(r, 0, r->records.why) : err;
}

/* ---- members ---- */

/* LEN bytes at most, up to a zero byte. */
static struct bfo_pax_text string(struct reader *r, size_t at, size_t len)
{
	return (struct bfo_pax_text) { .v = r->head + at, .len = strnlen(r->head + at, len) };
}

static struct bfo_pax_text path_of(struct reader *r)
{
	struct bfo_pax_text prefix = string(r, PREFIX), name = string(r, NAME);
	int len;

	if (r->records.has & BFO_PAX_HAS_SPARSE)
		return r->records.sparse_name;
	if (r->records.has & BFO_PAX_HAS_PATH)
		return r->records.path;
	len = snprintf(r->name, sizeof(r->name), "%.*s%s%.*s", (int) prefix.len, prefix.v,
		       prefix.len ? "/" : "", (int) name.len, name.v);
	return (struct bfo_pax_text) { .v = r->name, .len = len };
}

/* 0: a member of that type is none of ours. */
static uint16_t type_of(char type)
{
	static const uint16_t types[] = { S_IFREG, S_IFREG, S_IFLNK, S_IFCHR, S_IFBLK, S_IFDIR,
					  S_IFIFO };

	return type >= '0' && type <= '6' ? types[type - '0'] : 0;
}

/* Fields that records can take the place of.  Of a hard link, whose these are is told elsewhere. */
static const char *take_large(struct reader *r, struct bfo_attrs *a, uint64_t *stored)
{
	uint32_t has = r->records.has;
	uint64_t n;

	*a = r->records.attrs;
	*stored = r->records.size;
	if (!(has & BFO_PAX_HAS_SIZE) && !field(r->head, SIZE, stored))
		return "no valid size";
	if (r->head[TYPE] == LINK)
		return NULL;
	if (!(has & BFO_PAX_HAS_UID)) {
		if (!field(r->head, UID, &n) || n > UINT32_MAX)
			return "no valid owner";
		a->uid = n;
	}
	if (!(has & BFO_PAX_HAS_GID)) {
		if (!field(r->head, GID, &n) || n > UINT32_MAX)
			return "no valid group";
		a->gid = n;
	}
	if (!(r->records.times & 1 << BFO_MTIME)) {
		if (!field(r->head, MTIME, &n))
			return "no valid time";
		a->sec[BFO_MTIME] = n;
	}
	return NULL;
}

/* Fields that only a header has. */
static const char *take_small(struct reader *r, struct bfo_attrs *a)
{
	uint64_t mode, major = 0, minor = 0;

	if (!field(r->head, MODE, &mode) || mode > ALL_MODES || !type_of(r->head[TYPE]))
		return "no valid type or mode";
	a->mode = mode | type_of(r->head[TYPE]);
	if (!S_ISCHR(a->mode) && !S_ISBLK(a->mode))
		return NULL;
	if (!field(r->head, MAJOR, &major) || !field(r->head, MINOR, &minor) ||
	    major > UINT32_MAX || minor > UINT32_MAX)
		return "no valid number of a device";
	a->major = major;
	a->minor = minor;
	return NULL;
}

static void set_names(struct bfo_member *m, const struct bfo_pax_text *path,
		      const struct bfo_pax_text *target)
{
	m->path = path->v;
	m->path_len = path->len;
	m->target = target->v;
	m->target_len = target->len;
}

static errcode_t put_member(struct reader *r, struct bfo_member *m, int is_link)
{
	m->header = r->begin;
	m->data = r->b->at;
	m->is_link = is_link;
	m->xattrs = r->records.xattrs.n;
	m->times = is_link ? 0 : r->records.times | 1 << BFO_MTIME;
	return bfo_frame_put_member(r->w, m, r->records.xattrs.v);
}

/* ---- data ---- */

static errcode_t put_data(struct reader *r, uint64_t at, uint64_t len)
{
	errcode_t err = 0;
	const void *data;
	size_t some;

	if (!r->is_sent) {
		err = bfo_frame_put_extent(r->w, at, len);
		return err ? err : check_read(r, bfo_pax_bytes_skip(r->b, len));
	}
	for (; len && !err; at += some, len -= some) {
		some = 0;
		err = check_read(r, bfo_pax_bytes_some(r->b, len < DATA_MOST ? len : DATA_MOST,
						       &data, &some));
		if (!err)
			err = bfo_frame_put_data(r->w, at, data, some);
	}
	return err;
}

/* Part X comes next. */
static errcode_t begin_part(struct reader *r, struct bfo_range x)
{
	if (x.start < r->done)
		return fail(r, 1, "it has data where nothing was written");
	r->done = x.start + x.len;
	return 0;
}

/* What was never written, and begins before byte END. */
static errcode_t put_unwritten(struct reader *r, uint64_t end)
{
	const bfo_ranges *unwritten = &r->records.unwritten;
	errcode_t err = 0;

	for (; r->unwritten < unwritten->n && !err; r->unwritten++) {
		struct bfo_range x = unwritten->v[r->unwritten];

		if (x.start >= end)
			break;
		err = begin_part(r, x);
		if (!err)
			err = bfo_frame_put_unwritten(r->w, x.start, x.len);
	}
	return err;
}

/* The root, which may stand between global headers for others' sake (e2bfo-tar(5)). */
static errcode_t pass_root(struct reader *r)
{
	uint64_t size = 1;
	errcode_t err = 0;

	if (r->head[TYPE] == EXTENDED) {
		err = read_text(r);
		if (!err)
			err = next_header(r);
	}
	if (!err && (r->head[TYPE] != '5' || strcmp(r->head, "./") ||
		     !field(r->head, SIZE, &size) || size))
		err = fail(r, 1, "data behind its end are missing");
	return err ? err : next_header(r);
}

/* The next piece of a tail. */
static errcode_t read_piece(struct reader *r)
{
	uint64_t len = r->tail_left < PIECE_MOST ? r->tail_left : PIECE_MOST;
	struct bfo_pax_record rec;
	struct bfo_pax_text text;
	errcode_t err = next_header(r);

	while (!err && r->head[TYPE] != GLOBAL)
		err = pass_root(r);
	if (!err)
		err = read_text(r);
	if (err)
		return err;
	text = (struct bfo_pax_text) { .v = r->text.v, .len = r->text.n };
	if (!bfo_pax_record_next(&text, &rec) || text.len ||
	    !bfo_pax_text_is(&rec.key, "E2BFO.data") || rec.value.len != len)
		return fail(r, 1, "a piece of the data behind its end is damaged");
	r->piece = rec.value;
	return 0;
}

/* Part X, which is behind the end of the file. */
static errcode_t put_tail_part(struct reader *r, struct bfo_range x)
{
	errcode_t err = 0;
	size_t some;

	for (; x.len && !err; x.start += some, x.len -= some) {
		if (!r->piece.len)
			err = read_piece(r);
		if (err)
			return err;
		some = r->piece.len < x.len ? r->piece.len : x.len;
		if (r->is_sent && some > DATA_MOST)
			some = DATA_MOST;
		err = r->is_sent ? bfo_frame_put_data(r->w, x.start, r->piece.v, some)
				 : bfo_frame_put_place(r->w, x.start, some,
						       r->text_at + (r->piece.v - r->text.v));
		r->piece.v += some;
		r->piece.len -= some;
		r->tail_left -= some;
	}
	return err;
}

static errcode_t put_tail(struct reader *r)
{
	const bfo_ranges *tail = &r->records.tail;
	errcode_t err = 0;
	size_t i;

	for (i = 0; i < tail->n; i++)
		r->tail_left += tail->v[i].len;
	for (i = 0; i < tail->n && !err; i++) {
		err = put_unwritten(r, tail->v[i].start);
		if (!err)
			err = begin_part(r, tail->v[i]);
		if (!err)
			err = put_tail_part(r, tail->v[i]);
	}
	return err ? err : put_unwritten(r, UINT64_MAX);
}

/* Parts of data, and what was never written, in the order in which they lie in the file M. */
static errcode_t put_parts(struct reader *r, const struct bfo_member *m, uint64_t stored)
{
	const bfo_ranges *map = &r->map;
	errcode_t err = 0;
	size_t i;

	r->is_sent = r->p->data == BFO_PARSE_ALL ||
		     (r->p->data == BFO_PARSE_EXTENTS && m->data_end <= r->p->small);
	r->done = r->unwritten = r->tail_left = r->piece.len = 0;
	for (i = 0; i < map->n && !err; i++) {
		err = put_unwritten(r, map->v[i].start);
		if (!err)
			err = begin_part(r, map->v[i]);
		if (!err)
			err = put_data(r, map->v[i].start, map->v[i].len);
	}
	if (!err)
		err = skip_padding(r, stored);
	return err ? err : put_tail(r);
}

/* The map of the file M, of which STORED bytes stand in the archive. */
static errcode_t read_map(struct reader *r, struct bfo_member *m, uint64_t stored)
{
	const char *why;
	errcode_t err;

	r->map.n = 0;
	if (!(r->records.has & BFO_PAX_HAS_SPARSE))
		return bfo_ranges_append(&r->map, 0, stored);
	err = bfo_pax_map_read(r->b, bfo_member_body_end(m), stored, &r->map, &why);
	return err == BFO_ET_DAMAGED ? fail_member(r, m, why) : check_read(r, err);
}

/* The member whose header was just read, and whose records are known. */
static errcode_t read_member(struct reader *r)
{
	struct bfo_pax_text path = path_of(r), target = string(r, TARGET);
	struct bfo_member m = { .is_link = r->head[TYPE] == LINK };
	char stand_in[BFO_STAND_IN_MOST];
	const char *why;
	uint64_t stored;
	errcode_t err;

	if (r->records.has & BFO_PAX_HAS_TARGET)
		target = r->records.target;
	set_names(&m, &path, &target);
	if (r->records.has & BFO_PAX_HAS_CIPHER)
		bfo_stand_in(r->records.cipher.v, r->records.cipher.n, stand_in);
	if (r->records.has & BFO_PAX_HAS_CIPHER && !bfo_pax_text_is(&target, stand_in))
		return fail_member(r, &m, "a target that does not stand for the one that is said");
	why = take_large(r, &m.attrs, &stored);
	if (!why)
		why = take_small(r, &m.attrs);
	m.attrs.size = r->records.has & BFO_PAX_HAS_SPARSE ? r->records.real_size : stored;
	bfo_pax_member_tell(&r->records, &m);
	if (!why)
		why = bfo_pax_member_check(&r->records, &m, stored);
	if (why)
		return fail_member(r, &m, why);
	err = read_map(r, &m, stored);
	if (!err)
		err = put_member(r, &m, m.is_link);
	return err ? err : put_parts(r, &m, stored);
}

static errcode_t read_extended(struct reader *r)
{
	errcode_t err = read_text(r);

	if (!err)
		err = read_records(r, (struct bfo_pax_text) { .v = r->text.v, .len = r->text.n },
				   BFO_PAX_FILE);
	if (!err)
		err = next_header(r);
	if (!err && !type_of(r->head[TYPE]))
		err = fail(r, 0, "no member follows an extended header");
	return err ? err : read_member(r);
}

/* ---- global headers ---- */

/* A socket, or a further name of one: all of it stands in TEXT. */
static errcode_t read_socket(struct reader *r, struct bfo_pax_text text)
{
	struct bfo_pax_records *v = &r->records;
	struct bfo_member m = { .is_link = 0 };
	uint32_t needs = BFO_PAX_HAS_PATH | BFO_PAX_HAS_MODE | BFO_PAX_HAS_UID | BFO_PAX_HAS_GID;
	const char *why;
	errcode_t err = read_records(r, text, BFO_PAX_SOCKET);

	if (err)
		return err;
	set_names(&m, &v->path, &v->target);
	m.attrs = v->attrs;
	m.is_link = m.target_len > 0;
	m.attrs.mode = (m.is_link ? S_IFREG : S_IFSOCK) | (v->mode & ALL_MODES);
	bfo_pax_member_tell(v, &m);
	why = bfo_pax_member_check(v, &m, 0);
	if (!why && !m.is_link && ((v->has & needs) != needs || !(v->times & 1 << BFO_MTIME) ||
				   (v->mode & ~ALL_MODES && (v->mode & S_IFMT) != S_IFSOCK)))
		why = "a socket without its attributes";
	return why ? fail_member(r, &m, why) : put_member(r, &m, m.is_link);
}

static errcode_t read_global(struct reader *r)
{
	struct bfo_pax_text text;
	struct bfo_pax_record rec;
	errcode_t err = read_text(r);

	if (err)
		return err;
	text = (struct bfo_pax_text) { .v = r->text.v, .len = r->text.n };
	if (!bfo_pax_record_next(&text, &rec) || text.len)
		return fail(r, 0, "a global header is damaged");
	if (bfo_pax_text_is(&rec.key, "E2BFO.socket"))
		return read_socket(r, rec.value);
	if (r->begin)
		return fail(r, 0, "a global header that means nothing here");
	return bfo_pax_text_is(&rec.key, "comment") && bfo_pax_text_is(&rec.value, FORMAT) ? 0 :
	       fail(r, 0, "it has a format that is not known, perhaps a later one");
}

/* ---- all of it ---- */

/* Behind the first block of zeros.  Checksums of what is compressed come last. */
static errcode_t read_end(struct reader *r)
{
	uint64_t end;
	errcode_t err;

	do {
		err = check_read(r, bfo_pax_bytes_take(r->b, r->head, BLOCK));
		if (!err && !is_zero(r->head, BLOCK))
			err = fail(r, 0, "its end mark is damaged");
	} while (!err && r->b->at % PADDED_TO);
	end = r->b->at;
	if (!err && r->p->filters)
		err = bfo_pax_bytes_drain(r->b);
	return err ? err : bfo_frame_put_end(r->w, r->begin, end);
}

errcode_t bfo_pax_read(struct bfo_pax_bytes *b, const struct bfo_parse *p,
		       struct bfo_frame_writer *w)
{
	struct reader r = { .b = b, .p = p, .w = w };
	int is_end = 0;
	errcode_t err = 0;

	while (!err && !is_end) {
		bfo_pax_records_clear(&r.records);
		r.begin = b->at;
		err = next_header(&r);
		if (err)
			break;
		is_end = is_zero(r.head, BLOCK);
		if (is_end)
			err = read_end(&r);
		else if (r.head[TYPE] == GLOBAL)
			err = read_global(&r);
		else if (r.head[TYPE] == EXTENDED)
			err = read_extended(&r);
		else
			err = read_member(&r);
	}
	bfo_pax_records_free(&r.records);
	bfo_vec_free(&r.text);
	bfo_vec_free(&r.map);
	return err;
}

/* Of any format: none but this reader could tell what is wrong with it. */
int bfo_pax_is_ours(const char *data)
{
	struct bfo_pax_text text = { .v = (char *) data + BLOCK, .len = BLOCK };
	int more;

	if (wrong_header(data) || data[TYPE] != GLOBAL)
		return 0;
	bfo_pax_text_cut(&text, ' ', &more);
	return text.len > strlen(ANY_FORMAT) && !memcmp(text.v, ANY_FORMAT, strlen(ANY_FORMAT));
}
