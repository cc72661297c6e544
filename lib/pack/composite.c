// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * composite.c - composite files: header and table, read as somebody may have made them up
 *
 *   table ── cursor ── record ── fields, names, attributes
 *                 `- every step asks whether there is so much: what is not there is damage
 *
 * All records are looked at when the table is opened, so that whoever asks for one later has
 * nothing to check.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <ext2fs/ext2_fs.h>

#include "base/bfo_err.h"
#include "base/crc32c.h"
#include "base/disk.h"
#include "base/sort.h"
#include "pack/composite.h"

#define AT_CRC (BFO_COMPOSITE_HEAD - 4)
#define COMMON_HEAD 8U
#define MEMBER_HEAD 32U
#define TIME_BYTES 12U
#define XATTR_HEAD 5U
#define NAME_MOST 255U
#define PERMISSIONS 0777U
#define SECOND 1000000000U		/* nanoseconds */

/* What of a record is not read yet. */
struct cursor {
	const uint8_t *at;
	size_t left;
};

uint32_t bfo_composite_crc(uint32_t crc, const void *data, size_t len)
{
	return bfo_crc32c(crc, data, len);
}

/* ---- header ---- */

int bfo_composite_may_be(uint16_t mode, uint32_t flags, uint64_t size)
{
	const uint32_t secret = EXT4_ENCRYPT_FL | EXT4_VERITY_FL | EXT4_EA_INODE_FL;

	return S_ISREG(mode) && flags & EXT2_IMMUTABLE_FL && !(flags & secret) &&
	       size >= BFO_COMPOSITE_HEAD;
}

int bfo_composite_is_one(const void *bytes, size_t len)
{
	return len >= BFO_COMPOSITE_HEAD &&
	       !memcmp(bytes, BFO_COMPOSITE_MAGIC, BFO_COMPOSITE_MAGIC_BYTES);
}

static const char *check_head(const struct bfo_composite_head *h, uint64_t file_bytes)
{
	if (h->bytes != file_bytes)
		return "the file does not have the size that its header says";
	if (h->table_bytes > BFO_COMPOSITE_TABLE_MOST || h->table_at < BFO_COMPOSITE_HEAD ||
	    h->table_at > file_bytes || h->table_bytes != file_bytes - h->table_at)
		return "its table is not where its header says";
	return NULL;
}

const char *bfo_composite_get_head(const void *bytes, uint64_t file_bytes,
				   struct bfo_composite_head *h, int *is_new)
{
	*is_new = 0;
	*h = (struct bfo_composite_head) {
		.major = get_le16(bytes, 8), .minor = get_le16(bytes, 10),
		.compat = get_le32(bytes, 12), .warn = get_le32(bytes, 16),
		.incompat = get_le32(bytes, 20), .bytes = get_le64(bytes, 24),
		.table_at = get_le64(bytes, 32), .table_bytes = get_le32(bytes, 40),
		.table_crc = get_le32(bytes, 44), .members = get_le32(bytes, 48),
		.names = get_le32(bytes, 52), .next = get_le32(bytes, 56),
	};
	if (!bfo_composite_is_one(bytes, BFO_COMPOSITE_HEAD))
		return "it is no composite file";
	if (bfo_composite_crc(BFO_COMPOSITE_SEED, bytes, AT_CRC) != get_le32(bytes, AT_CRC))
		return "the checksum of its header is wrong";
	*is_new = h->major != BFO_COMPOSITE_MAJOR || h->incompat & ~BFO_COMPOSITE_KNOWN_INCOMPAT;
	if (*is_new)
		return "a newer version has written it, with what is not known here";
	return check_head(h, file_bytes);
}

/* ---- records ---- */

/* The next LEN bytes; NULL: there are not so many. */
static const uint8_t *take(struct cursor *c, size_t len)
{
	const uint8_t *at = c->at;

	if (len > c->left)
		return NULL;
	c->at += len;
	c->left -= len;
	return at;
}

/* A record: its length stands at its beginning, of at least HEAD bytes. */
static const uint8_t *take_record(struct cursor *c, size_t head, struct cursor *record)
{
	const uint8_t *at = c->at;
	uint32_t len;

	if (c->left < head)
		return NULL;
	len = get_le32(at, 0);
	if (len < head || !take(c, len))
		return NULL;
	*record = (struct cursor) { .at = at + head, .left = len - head };
	return at;
}

static const char *get_time(struct cursor *c, struct bfo_composite_time *t)
{
	const uint8_t *at = take(c, TIME_BYTES);

	if (!at)
		return "a record is too short";
	*t = (struct bfo_composite_time) { .sec = get_le64(at, 0), .nsec = get_le32(at, 8) };
	return t->nsec < SECOND ? NULL : "a time is none";
}

/* Those of FIELDS, over what A has already. */
static const char *get_fields(struct cursor *c, uint16_t fields, struct bfo_composite_attrs *a)
{
	const char *why = NULL;
	const uint8_t *at;
	int i;

	if (fields & ~(BFO_COMPOSITE_ALL | BFO_COMPOSITE_CRTIME | BFO_COMPOSITE_XATTRS))
		return "a record has fields that there are not";
	a->fields |= fields;
	if (fields & BFO_COMPOSITE_MODE) {
		at = take(c, 2);
		a->mode = at ? get_le16(at, 0) : UINT16_MAX;
		if (a->mode & ~PERMISSIONS)
			return at ? "a member is more than a file without set-id bits"
				  : "a record is too short";
	}
	for (i = 0; i < BFO_COMPOSITE_TIMES && !why; i++)
		if (fields & BFO_COMPOSITE_ATIME << i)
			why = get_time(c, &a->time[i]);
	if (!why && fields & BFO_COMPOSITE_VERSION) {
		at = take(c, 8);
		a->version = at ? get_le64(at, 0) : 0;
		why = at ? NULL : "a record is too short";
	}
	if (!why && fields & BFO_COMPOSITE_GENERATION) {
		at = take(c, 4);
		a->generation = at ? get_le32(at, 0) : 0;
		why = at ? NULL : "a record is too short";
	}
	return why;
}

static const char *check_name(const char *name, uint32_t len)
{
	if (!len || memchr(name, '/', len) || memchr(name, 0, len))
		return "a name is none";
	return len <= 2 && !memcmp(name, "..", len) ? "a name is one of a directory itself" : NULL;
}

static const char *get_names(struct cursor *c, uint32_t n)
{
	const char *why = NULL;
	const uint8_t *len, *name;

	if (!n || n > BFO_COMPOSITE_NAMES_MOST)
		return "a member has no name, or too many";
	while (n-- && !why) {
		len = take(c, 1);
		name = len ? take(c, *len) : NULL;
		why = name ? check_name((const char *) name, *len) : "a record is too short";
	}
	return why;
}

static const char *check_xattr(const struct bfo_composite_xattr *x)
{
	static const char user[] = "user.";
	const size_t len = sizeof(user) - 1;

	if (x->name_len <= len || memcmp(x->name, user, len) || memchr(x->name, 0, x->name_len))
		return "an attribute is none that any user may set";
	return x->len > BFO_COMPOSITE_VALUE_MOST ? "an attribute is too large" : NULL;
}

static int same_xattr(const struct bfo_composite_xattr *a, const struct bfo_composite_xattr *b)
{
	return a->name_len == b->name_len && !memcmp(a->name, b->name, a->name_len);
}

void bfo_composite_next_xattr(const uint8_t **at, struct bfo_composite_xattr *x)
{
	*x = (struct bfo_composite_xattr) { .name = (const char *) *at + XATTR_HEAD,
					    .name_len = **at, .len = get_le32(*at, 1) };
	x->value = x->name + x->name_len;
	*at += XATTR_HEAD + x->name_len + (size_t) x->len;
}

/* N attributes, ascending as bytes, so that none comes twice. */
static const char *get_xattrs(struct cursor *c, uint32_t n)
{
	struct bfo_composite_xattr x, last = { .name_len = 0 };
	const char *why = NULL;
	const uint8_t *at, *head;
	uint32_t i, most;
	int order;

	for (i = 0; i < n && !why; i++, last = x) {
		head = at = take(c, XATTR_HEAD);
		if (!head || !take(c, head[0]) || !take(c, get_le32(head, 1)))
			return "a record is too short";
		bfo_composite_next_xattr(&at, &x);
		why = check_xattr(&x);
		most = x.name_len < last.name_len ? x.name_len : last.name_len;
		order = last.name_len ? memcmp(last.name, x.name, most) : -1;
		if (!why && (order > 0 || (!order && last.name_len >= x.name_len)))
			why = same_xattr(&last, &x) ? "a member has an attribute twice"
						    : "attributes are out of order";
	}
	return why;
}

/* The member whose record begins at AT and goes on in REST. */
static const char *get_member(const uint8_t *at, struct cursor *rest,
			      const struct bfo_composite_attrs *common,
			      struct bfo_composite_member *m)
{
	const uint16_t fields = get_le16(at, 28);
	const uint8_t *count;
	const char *why;

	*m = (struct bfo_composite_member) {
		.number = get_le32(at, 4), .at = get_le64(at, 8), .bytes = get_le64(at, 16),
		.crc = get_le32(at, 24), .names = get_le16(at, 30), .attrs = *common,
	};
	why = get_fields(rest, fields, &m->attrs);
	m->attrs.fields &= ~BFO_COMPOSITE_XATTRS;
	m->first_name = rest->at;
	if (!why)
		why = get_names(rest, m->names);
	if (!why && fields & BFO_COMPOSITE_XATTRS) {
		count = take(rest, 2);
		m->xattrs = count ? get_le16(count, 0) : 0;
		m->first_xattr = rest->at;
		why = count ? get_xattrs(rest, m->xattrs) : "a record is too short";
	}
	return why || !rest->left ? why : "a record is too long";
}

void bfo_composite_member(const struct bfo_composite *c, size_t i, struct bfo_composite_member *m)
{
	const uint8_t *at = c->table + c->places.v[i];
	struct cursor rest = { .at = at + MEMBER_HEAD, .left = get_le32(at, 0) - MEMBER_HEAD };

	get_member(at, &rest, &c->common, m);
}

void bfo_composite_next_name(const uint8_t **at, struct bfo_composite_name *name)
{
	*name = (struct bfo_composite_name) { .name = (const char *) *at + 1, .len = **at };
	*at += 1 + name->len;
}

/* ---- the table ---- */

/* Contents come one behind the other, and end before the table. */
static const char *check_member(const struct bfo_composite *c, const struct bfo_composite_member *m,
				uint64_t *end)
{
	if (m->bytes > BFO_COMPOSITE_CONTENT_MOST)
		return "a member is too large";
	if (m->at < *end)
		return "contents overlap";
	if (m->at > c->head.table_at || m->bytes > c->head.table_at - m->at)
		return "a content lies behind all contents";
	*end = m->at + m->bytes;
	return m->number && m->number < c->head.next ? NULL : "a member has a number that is free";
}

static errcode_t note_names(struct bfo_composite *c, const struct bfo_composite_member *m)
{
	const uint8_t *at = m->first_name;
	struct bfo_composite_name name;
	errcode_t err = bfo_vec_reserve(&c->names, m->names);
	uint32_t i;

	for (i = 0; i < m->names && !err; i++) {
		c->names.v[c->names.n++] = (struct bfo_composite_place) { .name = at,
						.member = c->places.n - 1 };
		bfo_composite_next_name(&at, &name);
	}
	return err;
}

static errcode_t damaged(struct bfo_composite *c, const char *why)
{
	c->why = why;
	return why ? BFO_ET_DAMAGED : 0;
}

static errcode_t get_common(struct bfo_composite *c, struct cursor *table)
{
	struct cursor rest;
	const uint8_t *at = take_record(table, COMMON_HEAD, &rest);
	const char *why = at ? get_fields(&rest, get_le16(at, 4), &c->common)
			     : "its table is too short";

	if (!why && (c->common.fields & ~BFO_COMPOSITE_CRTIME) != BFO_COMPOSITE_ALL)
		why = "its first record lacks fields";
	if (!why && rest.left)
		why = "a record is too long";
	return damaged(c, why);
}

static errcode_t get_members(struct bfo_composite *c, struct cursor *table)
{
	uint64_t end = BFO_COMPOSITE_HEAD;
	struct bfo_composite_member m;
	struct cursor rest;
	const uint8_t *at;
	errcode_t err = 0;

	while (table->left && !err) {
		at = take_record(table, MEMBER_HEAD, &rest);
		if (!at)
			return damaged(c, "its table is cut");
		err = damaged(c, get_member(at, &rest, &c->common, &m));
		if (!err)
			err = damaged(c, check_member(c, &m, &end));
		if (!err)
			err = bfo_vec_push(&c->places, at - c->table);
		if (!err)
			err = note_names(c, &m);
	}
	return err;
}

static int compare_bytes(const uint8_t *a, uint32_t a_len, const uint8_t *b, uint32_t b_len)
{
	int order = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return order ? order : (a_len > b_len) - (a_len < b_len);
}

static int by_name(const void *pa, const void *pb)
{
	const struct bfo_composite_place *a = pa, *b = pb;

	return compare_bytes(a->name + 1, *a->name, b->name + 1, *b->name);
}

/* No name, and no number, is there twice. */
static errcode_t check_twice(struct bfo_composite *c)
{
	BFO_VEC(uint32_t) numbers = { 0 };
	errcode_t err = bfo_vec_reserve(&numbers, c->places.n);
	size_t i;

	if (err)
		return err;
	for (i = 0; i < c->places.n; i++)
		numbers.v[numbers.n++] = get_le32(c->table, c->places.v[i] + 4);
	bfo_sort_numbers(numbers.v, numbers.n);
	for (i = 1; i < numbers.n && !err; i++)
		if (numbers.v[i] == numbers.v[i - 1])
			err = damaged(c, "two members have the same number");
	bfo_vec_free(&numbers);
	if (c->names.n)
		qsort(c->names.v, c->names.n, sizeof(*c->names.v), by_name);
	for (i = 1; i < c->names.n && !err; i++)
		if (!by_name(&c->names.v[i - 1], &c->names.v[i]))
			err = damaged(c, "a name is there twice");
	return err;
}

errcode_t bfo_composite_open(struct bfo_composite *c, const struct bfo_composite_head *head,
			     const void *table)
{
	struct cursor at = { .at = table, .left = head->table_bytes };
	errcode_t err = 0;

	*c = (struct bfo_composite) { .head = *head, .table = table };
	if (bfo_composite_crc(BFO_COMPOSITE_SEED, table, at.left) != head->table_crc)
		return damaged(c, "the checksum of its table is wrong");
	err = get_common(c, &at);
	if (!err)
		err = get_members(c, &at);
	if (!err && (c->places.n != head->members || c->names.n != head->names))
		err = damaged(c, "its table does not have what its header says");
	return err ? err : check_twice(c);
}

errcode_t bfo_composite_load(struct bfo_composite *c, uint64_t file_bytes, bfo_composite_read get,
			     void *priv, uint8_t **table)
{
	uint8_t bytes[BFO_COMPOSITE_HEAD];
	struct bfo_composite_head head;
	int is_new = 0;
	errcode_t err;

	*c = (struct bfo_composite) { .table = NULL };
	*table = NULL;
	if (file_bytes < sizeof(bytes))
		return damaged(c, "it is no composite file");
	err = get(priv, 0, bytes, sizeof(bytes));
	if (err)
		return err;
	c->why = bfo_composite_get_head(bytes, file_bytes, &head, &is_new);
	if (c->why)
		return is_new ? BFO_ET_FEATURE : BFO_ET_DAMAGED;
	*table = malloc((size_t) head.table_bytes + 1);
	if (!*table)
		return ENOMEM;
	err = get(priv, head.table_at, *table, head.table_bytes);
	return err ? err : bfo_composite_open(c, &head, *table);
}

void bfo_composite_free(struct bfo_composite *c)
{
	bfo_vec_free(&c->places);
	bfo_vec_free(&c->names);
}

int bfo_composite_find(const struct bfo_composite *c, const char *name, uint32_t len, size_t *i)
{
	size_t lo = 0, hi = c->names.n, mid;
	int order;

	while (lo < hi) {
		const uint8_t *at = c->names.v[mid = lo + (hi - lo) / 2].name;

		order = compare_bytes(at + 1, *at, (const uint8_t *) name, len);
		if (!order) {
			*i = c->names.v[mid].member;
			return 1;
		}
		if (order < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return 0;
}
