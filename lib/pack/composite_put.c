// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * composite_put.c - composite files: header and table, written
 *
 * The table grows with the members; the header comes last, as it has the table's checksum.
 */
#include <assert.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/disk.h"
#include "pack/composite.h"

#define AT_CRC (BFO_COMPOSITE_HEAD - 4)
#define COMMON_HEAD 8U
#define MEMBER_HEAD 32U
#define XATTR_HEAD 5U

/* Room for LEN bytes is there. */
static void *grow(bfo_chars *t, size_t len)
{
	void *at = t->v + t->n;

	memset(at, 0, len);
	t->n += len;
	return at;
}

static int same_time(const struct bfo_composite_time *a, const struct bfo_composite_time *b)
{
	return a->sec == b->sec && a->nsec == b->nsec;
}

/* The fields of A that are not those of COMMON. */
static uint16_t differing(const struct bfo_composite_attrs *a,
			  const struct bfo_composite_attrs *common)
{
	uint16_t fields = a->fields & ~common->fields;
	int i;

	if (a->mode != common->mode)
		fields |= BFO_COMPOSITE_MODE;
	for (i = 0; i < BFO_COMPOSITE_TIMES; i++)
		if (!same_time(&a->time[i], &common->time[i]))
			fields |= BFO_COMPOSITE_ATIME << i;
	if (a->version != common->version)
		fields |= BFO_COMPOSITE_VERSION;
	if (a->generation != common->generation)
		fields |= BFO_COMPOSITE_GENERATION;
	return fields & a->fields;
}

static void put_fields(bfo_chars *t, uint16_t fields, const struct bfo_composite_attrs *a)
{
	void *at;
	int i;

	if (fields & BFO_COMPOSITE_MODE)
		put_le16(grow(t, 2), 0, a->mode);
	for (i = 0; i < BFO_COMPOSITE_TIMES; i++)
		if (fields & BFO_COMPOSITE_ATIME << i) {
			at = grow(t, 12);
			put_le64(at, 0, a->time[i].sec);
			put_le32(at, 8, a->time[i].nsec);
		}
	if (fields & BFO_COMPOSITE_VERSION)
		put_le64(grow(t, 8), 0, a->version);
	if (fields & BFO_COMPOSITE_GENERATION)
		put_le32(grow(t, 4), 0, a->generation);
}

errcode_t bfo_composite_begin(struct bfo_composite_writer *w,
			      const struct bfo_composite_attrs *common, uint32_t next)
{
	errcode_t err;

	*w = (struct bfo_composite_writer) { .common = *common };
	w->common.fields &= BFO_COMPOSITE_ALL | BFO_COMPOSITE_CRTIME;
	assert((w->common.fields | BFO_COMPOSITE_CRTIME) ==
	       (BFO_COMPOSITE_ALL | BFO_COMPOSITE_CRTIME));
	w->head = (struct bfo_composite_head) { .major = BFO_COMPOSITE_MAJOR, .next = next,
						.table_at = BFO_COMPOSITE_HEAD };
	err = bfo_vec_reserve(&w->table, BFO_COMPOSITE_RECORD_MOST);
	if (err)
		return err;
	grow(&w->table, COMMON_HEAD);
	put_fields(&w->table, w->common.fields, &w->common);
	put_le32(w->table.v, 0, w->table.n);
	put_le16(w->table.v, 4, w->common.fields);
	return 0;
}

uint64_t bfo_composite_name_bytes(uint32_t len)
{
	return 1ULL + len;
}

uint64_t bfo_composite_xattr_bytes(uint32_t name_len, uint32_t len)
{
	return (uint64_t) XATTR_HEAD + name_len + len;
}

static uint64_t bytes_most(const struct bfo_composite_new *m)
{
	uint64_t bytes = BFO_COMPOSITE_RECORD_MOST;
	uint32_t i;

	for (i = 0; i < m->n_names; i++)
		bytes += bfo_composite_name_bytes(m->names[i].len);
	for (i = 0; i < m->n_xattrs; i++)
		bytes += bfo_composite_xattr_bytes(m->xattrs[i].name_len, m->xattrs[i].len);
	return bytes;
}

static void put_xattr(bfo_chars *t, const struct bfo_composite_xattr *x)
{
	uint8_t *at = grow(t, bfo_composite_xattr_bytes(x->name_len, x->len));

	at[0] = x->name_len;
	put_le32(at, 1, x->len);
	memcpy(at + XATTR_HEAD, x->name, x->name_len);
	if (x->len)
		memcpy(at + XATTR_HEAD + x->name_len, x->value, x->len);
}

static void put_record(struct bfo_composite_writer *w, const struct bfo_composite_new *m)
{
	uint16_t fields = differing(&m->attrs, &w->common);
	size_t from = w->table.n;
	uint8_t *at = grow(&w->table, MEMBER_HEAD);
	uint32_t i;

	if (m->n_xattrs)
		fields |= BFO_COMPOSITE_XATTRS;
	put_le32(at, 4, m->number);
	put_le64(at, 8, w->head.table_at);
	put_le64(at, 16, m->bytes);
	put_le32(at, 24, m->crc);
	put_le16(at, 28, fields);
	put_le16(at, 30, m->n_names);
	put_fields(&w->table, fields, &m->attrs);
	for (i = 0; i < m->n_names; i++) {
		at = grow(&w->table, bfo_composite_name_bytes(m->names[i].len));
		at[0] = m->names[i].len;
		memcpy(at + 1, m->names[i].name, m->names[i].len);
	}
	if (m->n_xattrs)
		put_le16(grow(&w->table, 2), 0, m->n_xattrs);
	for (i = 0; i < m->n_xattrs; i++)
		put_xattr(&w->table, &m->xattrs[i]);
	put_le32(w->table.v, from, w->table.n - from);
}

errcode_t bfo_composite_add(struct bfo_composite_writer *w, const struct bfo_composite_new *m)
{
	uint64_t most = bytes_most(m);
	errcode_t err;

	assert(m->number && m->number < w->head.next && m->bytes <= BFO_COMPOSITE_CONTENT_MOST);
	assert(m->n_names && m->n_names <= BFO_COMPOSITE_NAMES_MOST);
	/* of a birth that only the others have, there is no telling */
	assert(!(w->common.fields & ~m->attrs.fields));
	if (m->n_xattrs > UINT16_MAX || w->table.n + most > BFO_COMPOSITE_TABLE_MOST)
		return BFO_ET_OVERFLOW;
	err = bfo_vec_reserve(&w->table, most);
	if (err)
		return err;
	put_record(w, m);
	w->head.table_at += m->bytes;
	w->head.members++;
	w->head.names += m->n_names;
	return 0;
}

void bfo_composite_end(struct bfo_composite_writer *w, uint8_t head[BFO_COMPOSITE_HEAD])
{
	struct bfo_composite_head *h = &w->head;

	h->table_bytes = w->table.n;
	h->table_crc = bfo_composite_crc(BFO_COMPOSITE_SEED, w->table.v, w->table.n);
	h->bytes = h->table_at + h->table_bytes;
	memset(head, 0, BFO_COMPOSITE_HEAD);
	memcpy(head, BFO_COMPOSITE_MAGIC, BFO_COMPOSITE_MAGIC_BYTES);
	put_le16(head, 8, h->major);
	put_le16(head, 10, h->minor);
	put_le32(head, 12, h->compat);
	put_le32(head, 16, h->warn);
	put_le32(head, 20, h->incompat);
	put_le64(head, 24, h->bytes);
	put_le64(head, 32, h->table_at);
	put_le32(head, 40, h->table_bytes);
	put_le32(head, 44, h->table_crc);
	put_le32(head, 48, h->members);
	put_le32(head, 52, h->names);
	put_le32(head, 56, h->next);
	put_le32(head, AT_CRC, bfo_composite_crc(BFO_COMPOSITE_SEED, head, AT_CRC));
}

void bfo_composite_writer_free(struct bfo_composite_writer *w)
{
	bfo_vec_free(&w->table);
}
