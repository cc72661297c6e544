// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tar.c - an outlet that is a pax archive
 *
 *   'g' comment │ 'x' records │ header │ [map] data, padded │ 'x' ... │ 'g' socket │ ... │ zeroes
 *                                          [ │ 'g' tail ]*
 *
 * A member's header says how much data follow, so they have to be known before the first byte of
 * them comes: they are the parts of the item that are no holes, and what comes has to be those.
 *
 *   items, data ── put() ──> output ──> fd
 *                       `──> packed ──'
 *
 * What a file has behind its end, others would take for its data.  So it comes in pieces, each of
 * which is a global header: these pass over it.
 *
 * Python's tarfile takes a 'g' for damage that has no member behind it, and calls itself for each
 * of them that come in a row.  So the root, which comes first, is kept, and written once more where
 * one would be the last, or where there are many.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bfo_err.h"
#include "base/stand_in.h"
#include "base/text.h"
#include "export/output.h"
#include "export/packed.h"
#include "export/sparse_map.h"
#include "export/tar.h"
#include "export/tar_records.h"
#include "export/ustar.h"

#define RECORD_BYTES 10240U		/* an archive has a whole number of these */
#define LEVEL 3
#define EXTENDED_NAME "././@PaxHeader"
#define SPARSE_FOLDER "GNUSparseFile.0/"
#define FORMAT "E2BFO.format=1"
#define PATH_TEXT 256U
#define GLOBALS_IN_A_ROW 100U
#define PIECE (960U << 10)		/* bytes of a tail; some give up at a header of 1 MiB */

/* Data that the item that came last has to bring. */
struct awaited {
	struct bfo_sparse_map map;
	size_t range;			/* data are awaited of this one ... */
	uint64_t into;			/* ... from here on */
};

struct tar {
	struct bfo_outlet outlet;
	struct bfo_output out;
	struct bfo_packed *packed;	/* NULL: what is put goes to `out` */
	struct bfo_tar_notes notes;
	bfo_chars first_lost;		/* notes.first, with a NUL */
	int is_portable;
	unsigned int globals;		/* that came last, in a row: sockets, pieces */
	struct {
		struct bfo_pax pax;
		char header[BFO_USTAR_BYTES];
		int is_known;
	} root;
	/* of the member that came last */
	bfo_chars name;			/* as the archive has it */
	char target[BFO_STAND_IN_MOST];	/* what stands for that of an encrypted symbolic link */
	struct awaited body, tail;	/* data of the file, and what is behind its end */
	uint64_t body_end, tail_from;	/* bytes */
	bfo_chars piece;		/* of the tail, that was not yet put */
	/* room for what is being made */
	struct bfo_pax pax;
	bfo_chars text;
};

static const char zeroes[RECORD_BYTES];

static errcode_t put(struct tar *t, const void *data, size_t len)
{
	struct bfo_context *ctx = t->outlet.ctx;

	t->notes.bytes += len;
	return t->packed ? bfo_packed_write(ctx, t->packed, data, len)
			 : bfo_output_write(ctx, &t->out, data, len);
}

/* Zeroes up to a whole number of UNIT. */
static errcode_t pad(struct tar *t, size_t unit)
{
	return put(t, zeroes, (unit - t->notes.bytes % unit) % unit);
}

/* A failure at the current member. */
static errcode_t fail(struct tar *t, errcode_t err, const char *what)
{
	char text[PATH_TEXT];

	return bfo_fail(t->outlet.ctx, err, "writing %s of %s to %s", what,
			bfo_text_escape(t->name.v, t->name.n, text, sizeof(text)), t->out.name);
}

static errcode_t fail_memory(struct tar *t, errcode_t err)
{
	return bfo_fail(t->outlet.ctx, err, "writing %s", t->out.name);
}


/* Records, as the data of a member of TYPE: about the next one ('x'), or about all ('g'). */
static errcode_t put_records(struct tar *t, char type, const struct bfo_pax *pax)
{
	struct bfo_ustar h = {
		.name = EXTENDED_NAME, .name_len = strlen(EXTENDED_NAME), .type = type,
		.size = pax->text.n, .mode = 0644,
	};
	char header[BFO_USTAR_BYTES];
	errcode_t err;

	bfo_ustar_write(&h, header);
	err = put(t, header, sizeof(header));
	if (!err)
		err = put(t, pax->text.v, pax->text.n);
	return err ? err : pad(t, BFO_USTAR_BYTES);
}

static char type_of(const struct bfo_item *item)
{
	if (item->first)
		return '1';
	switch (item->attrs.mode & S_IFMT) {
	case S_IFREG:
		return '0';
	case S_IFLNK:
		return '2';
	case S_IFCHR:
		return '3';
	case S_IFBLK:
		return '4';
	case S_IFDIR:
		return '5';
	case S_IFIFO:
		return '6';
	}
	return 0;
}

static errcode_t append(bfo_chars *out, const char *text, size_t len)
{
	errcode_t err = bfo_vec_reserve(out, len);

	if (err)
		return err;
	memcpy(out->v + out->n, text, len);
	out->n += len;
	return 0;
}

/* Directories end with a slash; the root is the one before which there is a dot. */
static errcode_t set_name(struct tar *t, const struct bfo_item *item)
{
	errcode_t err;

	t->name.n = 0;
	err = item->path_len ? append(&t->name, item->path, item->path_len)
			     : append(&t->name, ".", 1);
	if (!err && S_ISDIR(item->attrs.mode))
		err = append(&t->name, "/", 1);
	return err ? fail_memory(t, err) : 0;
}

/* What the member M of TYPE has behind its header, and where data are awaited. */
static errcode_t set_data(struct tar *t, struct bfo_tar_member *m, char type)
{
	const struct bfo_item *item = m->item;
	uint64_t home = item->home_block_size;
	errcode_t err;

	t->body.range = t->tail.range = t->body.into = t->tail.into = 0;
	t->text.n = t->piece.n = 0;
	t->body_end = type == '0' ? item->attrs.size : 0;
	t->tail_from = home ? (t->body_end + home - 1) / home * home : t->body_end;
	if (item->attrs.flags & EXT4_ENCRYPT_FL)	/* of ciphertext all blocks are whole */
		t->body_end = t->tail_from;
	m->size = t->body_end;
	err = bfo_sparse_map_make(&t->body.map, item, 0, t->body_end);
	if (!err)
		err = bfo_sparse_map_make(&t->tail.map, item, t->tail_from,
					  type == '0' && home && item->attrs.flags & EXT4_VERITY_FL
						  ? UINT64_MAX : t->tail_from);
	m->is_sparse = t->body.map.has_holes;
	m->tail = &t->tail.map;
	if (!err && m->is_sparse)
		err = bfo_sparse_map_text(&t->body.map, t->body_end, &t->text);
	m->stored = t->text.n + t->body.map.bytes;
	return err ? fail_memory(t, err) : 0;
}

/* One that is sparse has a name by which it looks like what it is to old tars. */
static void make_header(const struct bfo_tar_member *m, char type, char *header)
{
	const struct bfo_attrs *a = &m->item->attrs;
	char sparse[sizeof(SPARSE_FOLDER) + 2 * BFO_USTAR_NAME + 255];
	struct bfo_ustar h = {
		.name = m->path, .name_len = m->path_len, .link = m->link, .link_len = m->link_len,
		.type = type, .size = m->stored, .mode = a->mode & 07777, .uid = a->uid,
		.gid = a->gid, .mtime = a->sec[BFO_MTIME], .major = a->major, .minor = a->minor,
	};

	if (m->is_sparse) {
		size_t room = sizeof(sparse) - strlen(SPARSE_FOLDER);

		h.name = memcpy(sparse, SPARSE_FOLDER, strlen(SPARSE_FOLDER));
		if (h.name_len > room)
			h.name_len = room;
		memcpy(sparse + strlen(SPARSE_FOLDER), m->path, h.name_len);
		h.name_len += strlen(SPARSE_FOLDER);
	}
	bfo_ustar_write(&h, header);
}

static errcode_t put_headers(struct tar *t, const struct bfo_pax *pax, const char *header)
{
	errcode_t err = pax->text.n ? put_records(t, 'x', pax) : 0;

	return err ? err : put(t, header, BFO_USTAR_BYTES);
}

static errcode_t keep_root(struct tar *t, const char *header)
{
	errcode_t err = append(&t->root.pax.text, t->pax.text.v, t->pax.text.n);

	memcpy(t->root.header, header, sizeof(t->root.header));
	t->root.is_known = 1;
	return err ? fail_memory(t, err) : 0;
}

static errcode_t repeat_root(struct tar *t)
{
	t->globals = 0;
	return t->root.is_known ? put_headers(t, &t->root.pax, t->root.header) : 0;
}

/* A global header with one record, which is not about all. */
static errcode_t put_global(struct tar *t, const char *key, const bfo_chars *value)
{
	struct bfo_pax all = { 0 };
	errcode_t err;

	bfo_pax_add(&all, key, value->v, value->n);
	err = all.err ? fail_memory(t, all.err) : 0;
	if (!err && t->globals == GLOBALS_IN_A_ROW)
		err = repeat_root(t);
	if (!err)
		err = put_records(t, 'g', &all);
	bfo_vec_free(&all.text);
	t->globals++;
	return err;
}

/* COUNT attributes of the current member are not in the archive. */
static errcode_t note_lost(struct tar *t, uint32_t count)
{
	errcode_t err = count && !t->notes.attributes
				? append(&t->first_lost, t->name.v, t->name.n) : 0;

	if (count && !t->notes.attributes && !err)
		err = append(&t->first_lost, "", 1);
	t->notes.attributes += count;
	return err ? fail_memory(t, err) : 0;
}

/* M, whose data, if it is a file, are known, is in the archive. */
static void count(struct tar *t, const struct bfo_tar_member *m)
{
	t->notes.members++;
	bfo_item_count(&t->notes.items, m->item);
	if (!m->item->first && S_ISREG(m->item->attrs.mode))
		t->notes.data += t->body.map.bytes + t->tail.map.bytes;
}

static errcode_t put_socket(struct tar *t, const struct bfo_tar_member *m)
{
	uint32_t lost;
	errcode_t err;

	if (t->is_portable) {
		t->notes.sockets++;
		return 0;
	}
	err = bfo_tar_socket_records(&t->pax, m, &lost);
	err = err ? fail_memory(t, err) : note_lost(t, lost);
	if (!err)
		err = put_global(t, "E2BFO.socket", &t->pax.text);
	if (!err)
		count(t, m);
	return err;
}

static errcode_t put_member(struct tar *t, struct bfo_tar_member *m)
{
	char type = type_of(m->item), header[BFO_USTAR_BYTES];
	uint32_t lost;
	errcode_t err;

	if (!type)
		return fail(t, BFO_ET_DAMAGED, "type");
	err = set_data(t, m, type);
	if (err)
		return err;
	err = bfo_tar_records(&t->pax, m, &lost);
	err = err ? fail_memory(t, err) : note_lost(t, lost);
	if (err)
		return err;
	make_header(m, type, header);
	err = put_headers(t, &t->pax, header);
	if (!err)
		err = put(t, t->text.v, t->text.n);
	if (!err && !m->item->path_len)
		err = keep_root(t, header);
	t->globals = 0;
	if (!err)
		count(t, m);
	return err;
}

static errcode_t tar_item(void *priv, const struct bfo_item *item)
{
	struct tar *t = priv;
	struct bfo_tar_member m = { .item = item, .is_portable = t->is_portable };
	errcode_t err = set_name(t, item);

	if (err)
		return err;
	m.path = t->name.v;
	m.path_len = t->name.n;
	if (item->first) {
		m.link = item->first;
		m.link_len = item->first_len;
	} else if (S_ISLNK(item->attrs.mode) && item->home_block_size) {
		m.link = t->target;
		m.link_len = bfo_stand_in(item->target, item->target_len, t->target);
	} else if (S_ISLNK(item->attrs.mode)) {
		m.link = item->target;
		m.link_len = item->target_len;
	}
	return S_ISSOCK(item->attrs.mode) ? put_socket(t, &m) : put_member(t, &m);
}

/* LEN bytes from OFFSET on have come: of one range, as ranges that touch are one. */
static errcode_t note_data(struct tar *t, struct awaited *a, uint64_t offset, uint64_t len)
{
	const struct bfo_sparse_range *r = bfo_vec_at(&a->map.ranges, a->range);

	if (a->range == a->map.ranges.n || offset != r->from + a->into || len > r->len - a->into)
		return fail(t, BFO_ET_CHANGED, "data");
	a->into += len;
	if (a->into == r->len) {
		a->range++;
		a->into = 0;
	}
	return 0;
}

/* All data of the file have come. */
static errcode_t end_body(struct tar *t)
{
	return t->body.range < t->body.map.ranges.n ? fail(t, BFO_ET_CHANGED, "data")
						    : pad(t, BFO_USTAR_BYTES);
}

static errcode_t put_piece(struct tar *t)
{
	errcode_t err = end_body(t);

	if (!err)
		err = put_global(t, "E2BFO.data", &t->piece);
	t->piece.n = 0;
	return err;
}

/* What is behind the end of the file: in pieces of one length, but the last. */
static errcode_t put_tail(struct tar *t, const char *data, size_t len)
{
	errcode_t err = 0;
	size_t n;

	for (; len && !err; data += n, len -= n) {
		n = len < PIECE - t->piece.n ? len : PIECE - t->piece.n;
		err = append(&t->piece, data, n);
		if (err)
			return fail_memory(t, err);
		if (t->piece.n == PIECE)
			err = put_piece(t);
	}
	return err;
}

/* The first of LEN bytes from OFFSET on that lie on one side of what parts a file from its tail. */
static size_t side(const struct tar *t, uint64_t offset, size_t len)
{
	uint64_t end = offset < t->body_end ? t->body_end : t->tail_from;

	return offset < end && len > end - offset ? end - offset : len;
}

/* (Behind the end, in its block, there is nothing.) */
static errcode_t tar_data(void *priv, uint64_t offset, const void *data, size_t len)
{
	struct tar *t = priv;
	const char *at = data;
	errcode_t err = 0;
	size_t n;

	for (; len && !err; offset += n, at += n, len -= n) {
		n = side(t, offset, len);
		if (offset >= t->body_end && offset < t->tail_from)
			continue;
		err = note_data(t, offset < t->body_end ? &t->body : &t->tail, offset, n);
		if (!err)
			err = offset < t->body_end ? put(t, at, n) : put_tail(t, at, n);
	}
	return err;
}

static errcode_t tar_done(void *priv)
{
	struct tar *t = priv;

	if (t->tail.range < t->tail.map.ranges.n)
		return fail(t, BFO_ET_CHANGED, "data");
	return t->piece.n ? put_piece(t) : end_body(t);
}

/* Nothing stands behind what is below a directory. */
static errcode_t tar_leave(void *priv, const struct bfo_item *item)
{
	(void) priv;
	(void) item;
	return 0;
}

static errcode_t tar_end(void *priv)
{
	struct tar *t = priv;
	errcode_t err = t->globals ? repeat_root(t) : 0;

	if (!err)
		err = put(t, zeroes, 2 * BFO_USTAR_BYTES);
	if (!err)
		err = pad(t, RECORD_BYTES);
	if (!err && t->packed)
		err = bfo_packed_end(t->outlet.ctx, t->packed);
	return err ? err : bfo_output_end(t->outlet.ctx, &t->out);
}

/* The first record says whose keys these are.  It is a comment: of other keys tars complain. */
static errcode_t begin(struct tar *t)
{
	if (t->is_portable)
		return 0;
	bfo_pax_add(&t->pax, "comment", FORMAT, strlen(FORMAT));
	return t->pax.err ? fail_memory(t, t->pax.err) : put_records(t, 'g', &t->pax);
}

errcode_t bfo_tar_open(struct bfo_context *ctx, const struct bfo_tar_options *opt,
		       struct bfo_outlet **outlet)
{
	struct tar *t = calloc(1, sizeof(*t));
	errcode_t err;

	*outlet = NULL;
	if (!t)
		return bfo_fail(ctx, ENOMEM, "writing %s", opt->name);
	t->outlet = (struct bfo_outlet) {
		.item = tar_item, .data = tar_data, .done = tar_done, .leave = tar_leave,
		.end = tar_end, .priv = t, .ctx = ctx,
	};
	t->is_portable = opt->is_portable;
	err = bfo_output_open(&t->out, opt->fd, opt->name);
	if (err)
		err = fail_memory(t, err);
	else if (opt->is_packed)
		err = bfo_packed_open(ctx, &t->out, opt->level ? opt->level : LEVEL, opt->threads,
				      &t->packed);
	if (!err)
		err = begin(t);
	if (err)
		bfo_tar_close(&t->outlet);
	else
		*outlet = &t->outlet;
	return err;
}

struct bfo_tar_notes bfo_tar_notes(const struct bfo_outlet *outlet)
{
	const struct tar *t = outlet->priv;
	struct bfo_tar_notes notes = t->notes;

	notes.written = t->out.written;
	notes.first = t->first_lost.v;
	return notes;
}

void bfo_tar_close(struct bfo_outlet *outlet)
{
	struct tar *t = outlet ? outlet->priv : NULL;

	if (!t)
		return;
	bfo_packed_free(t->packed);
	bfo_output_free(&t->out);
	bfo_sparse_map_free(&t->body.map);
	bfo_sparse_map_free(&t->tail.map);
	bfo_vec_free(&t->piece);
	bfo_vec_free(&t->first_lost);
	bfo_vec_free(&t->root.pax.text);
	bfo_vec_free(&t->pax.text);
	bfo_vec_free(&t->text);
	bfo_vec_free(&t->name);
	free(t);
}
