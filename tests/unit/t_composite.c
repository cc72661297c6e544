// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * t_composite.c - pack/composite: what is written comes back; what somebody made up does not
 *
 * A table is damaged by changing bytes of a sound one, whose checksums are made right again: so
 * each refusal is of what was changed.
 */
#include <stdlib.h>
#include <string.h>

#include "../same_attrs.h"
#include "base/disk.h"
#include "pack/composite.h"
#include "unit.h"

#define TABLE_MOST 4096U
#define RECORD 70U			/* where the first member's record begins, the second's */
#define SECOND 112U

/* A composite file in memory: its header, and its table; no contents. */
struct made {
	struct bfo_composite_writer w;
	uint8_t head[BFO_COMPOSITE_HEAD], table[TABLE_MOST];
	struct bfo_composite c;
};

static struct bfo_composite_attrs attrs_of(uint32_t i)
{
	struct bfo_composite_attrs a = { .fields = BFO_COMPOSITE_ALL | BFO_COMPOSITE_CRTIME,
					 .mode = 0644, .version = 1ULL << 33, .generation = 77 };
	uint32_t t;

	for (t = 0; t < BFO_COMPOSITE_TIMES; t++)
		a.time[t] = (struct bfo_composite_time) { -5 + (int64_t) t, 999999999 - t };
	if (i & 1)
		a.mode = 0755;
	if (i & 2)
		a.time[1].nsec = i;
	if (i & 4)
		a.version = i, a.generation = i;
	if (i & 8)
		a.time[3].sec = 1LL << 33;
	return a;
}

static const struct bfo_composite_name names[] = { { "file", 4 }, { "link", 4 }, { "b", 1 } };
static const struct bfo_composite_xattr xattrs[] = {
	{ .name = "user.a", .name_len = 6, .value = "", .len = 0 },
	{ .name = "user.ab", .name_len = 7, .value = "value", .len = 5 },
};

/* Two members: one with two names, and one with attributes. */
static void make(struct made *m)
{
	struct bfo_composite_attrs common = attrs_of(0);

	memset(m, 0, sizeof(*m));
	want_ok(bfo_composite_begin(&m->w, &common, 9));
	want_ok(bfo_composite_add(&m->w, &(struct bfo_composite_new) { .number = 8, .bytes = 10,
		.crc = 5, .attrs = common, .names = names, .n_names = 2 }));
	want_ok(bfo_composite_add(&m->w, &(struct bfo_composite_new) { .number = 3, .bytes = 20,
		.attrs = attrs_of(7), .names = names + 2, .n_names = 1, .xattrs = xattrs,
		.n_xattrs = 2 }));
	bfo_composite_end(&m->w, m->head);
	want(m->w.table.n <= TABLE_MOST);
	memcpy(m->table, m->w.table.v, m->w.table.n);
	bfo_composite_writer_free(&m->w);
}

/* Checksums fit what they are of. */
static void seal(struct made *m)
{
	put_le32(m->head, 44, bfo_composite_crc(UINT32_MAX, m->table, get_le32(m->head, 40)));
	put_le32(m->head, 124, bfo_composite_crc(UINT32_MAX, m->head, 124));
}

static errcode_t read_made(void *priv, uint64_t at, void *to, size_t len)
{
	const struct made *m = priv;

	if (at)
		want_eq(at, get_le64(m->head, 32));
	memcpy(to, at ? m->table : m->head, len);
	return 0;
}

/* NULL, or what is damaged. */
static const char *look(struct made *m)
{
	uint64_t size = get_le64(m->head, 32) + get_le32(m->head, 40);
	errcode_t err;
	uint8_t *table;
	const char *why;

	err = bfo_composite_load(&m->c, size, read_made, m, &table);
	why = m->c.why;
	if (err != BFO_ET_FEATURE)
		want(err == (why ? BFO_ET_DAMAGED : 0));
	bfo_composite_free(&m->c);
	free(table);
	return why;
}

START_TEST(what_is_written_comes_back)
{
	struct bfo_composite_attrs common = attrs_of(0), attrs;
	struct bfo_composite_writer w;
	struct bfo_composite_head h;
	struct bfo_composite_member got;
	struct bfo_composite_name name;
	struct bfo_composite c;
	uint8_t head[BFO_COMPOSITE_HEAD];
	const uint8_t *at;
	uint64_t end = BFO_COMPOSITE_HEAD;
	size_t found;
	char text[16];
	int is_new;
	uint32_t i;

	want_ok(bfo_composite_begin(&w, &common, 5001));
	for (i = 0; i < 5000; i++) {
		name = (struct bfo_composite_name) { text, sprintf(text, "%u", i * 7919 % 5000) };
		attrs = attrs_of(i);
		want_ok(bfo_composite_add(&w, &(struct bfo_composite_new) { .number = 5000 - i,
			.bytes = i * 3, .crc = ~i, .attrs = attrs, .names = &name, .n_names = 1,
			.xattrs = xattrs, .n_xattrs = i % 3 }));
	}
	bfo_composite_end(&w, head);
	want(!bfo_composite_get_head(head, w.head.bytes, &h, &is_new) && !is_new);
	want_ok(bfo_composite_open(&c, &h, w.table.v));
	want_eq(c.places.n, 5000);
	for (i = 0; i < 5000; i++, end += got.bytes) {
		bfo_composite_member(&c, i, &got);
		attrs = attrs_of(i);
		want(got.number == 5000 - i && got.at == end && got.bytes == i * 3 &&
		     got.crc == ~i && got.names == 1 && got.xattrs == i % 3);
		want(same_attrs(&got.attrs, &attrs));
		at = got.first_name;
		bfo_composite_next_name(&at, &name);
		want(bfo_composite_find(&c, name.name, name.len, &found) && found == i);
	}
	want(!bfo_composite_find(&c, "5000", 4, &found));
	want(!bfo_composite_find(&c, "", 0, &found));
	want_eq(end + w.table.n, w.head.bytes);
	bfo_composite_free(&c);
	bfo_composite_writer_free(&w);
}
END_TEST

START_TEST(names_and_attributes_come_back)
{
	struct bfo_composite_member got;
	struct bfo_composite_xattr x;
	struct bfo_composite_name name;
	struct bfo_composite_head h;
	const uint8_t *at;
	struct made m;
	int is_new, i;

	make(&m);
	want(!bfo_composite_get_head(m.head, get_le64(m.head, 24), &h, &is_new));
	want_ok(bfo_composite_open(&m.c, &h, m.table));
	bfo_composite_member(&m.c, 0, &got);
	want_eq(got.names, 2);
	at = got.first_name;
	for (i = 0; i < 2; i++) {
		bfo_composite_next_name(&at, &name);
		want(name.len == names[i].len && !memcmp(name.name, names[i].name, name.len));
	}
	bfo_composite_member(&m.c, 1, &got);
	want_eq(got.xattrs, 2);
	at = got.first_xattr;
	for (i = 0; i < 2; i++) {
		bfo_composite_next_xattr(&at, &x);
		want(x.name_len == xattrs[i].name_len && x.len == xattrs[i].len &&
		     !memcmp(x.name, xattrs[i].name, x.name_len) &&
		     !memcmp(x.value, xattrs[i].value, x.len));
	}
	bfo_composite_free(&m.c);
}
END_TEST

/* Where e2pack(5) says that it is. */
START_TEST(every_byte_has_its_place)
{
	static const uint8_t first[] = {	/* the common record, and most of the first one */
		70, 0, 0, 0, 0x7f, 0, 0, 0, 0xa4, 1,
		0xfb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xc9, 0x9a, 0x3b,
	};
	struct made m;

	make(&m);
	want_mem(m.head, "\x89" "E2PACK\n\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24);
	want_eq(get_le64(m.head, 32), 128 + 10 + 20);
	want_eq(get_le64(m.head, 24), 128 + 10 + 20 + get_le32(m.head, 40));
	want_eq(get_le32(m.head, 48), 2);
	want_eq(get_le32(m.head, 52), 3);
	want_eq(get_le32(m.head, 56), 9);
	want_mem(m.table, first, sizeof(first));
	want_eq(get_le64(m.table, 58), 1ULL << 33);
	want_mem(m.table + RECORD, "\x2a\0\0\0\x08\0\0\0\x80\0\0\0\0\0\0\0\x0a\0\0\0\0\0\0\0\5\0\0\0"
		 "\0\0\2\0" "\4file\4link", 42);
	want_eq(get_le32(m.table, SECOND), get_le32(m.head, 40) - SECOND);
	want_eq(get_le16(m.table, SECOND + 28), 1 | 4 | 32 | 64 | 128);
}
END_TEST

/* A byte that is not the one that was written, anywhere, is damage. */
START_TEST(checksums_are_looked_at)
{
	struct made m;
	size_t i;

	make(&m);
	want(!look(&m));
	for (i = 0; i < BFO_COMPOSITE_HEAD; i++) {
		m.head[i] ^= 4;
		want(look(&m));
		m.head[i] ^= 4;
	}
	for (i = 0; i < get_le32(m.head, 40); i++) {
		m.table[i] ^= 4;
		want(look(&m));
		m.table[i] ^= 4;
	}
}
END_TEST


/* What is written to the table, with right checksums, and what is said of it. */
static const struct hostile {
	const char *what;
	uint32_t at, bytes;
	uint64_t value;
	const char *why;
} hostile[] = {
	{ "name with a slash", RECORD + 33, 1, '/', "a name is none" },
	{ "name with a zero byte", RECORD + 34, 1, 0, "a name is none" },
	{ "empty name", SECOND + 32 + 2 + 12 + 8 + 4, 1, 0, "a name is none" },
	{ "name twice", RECORD + 37, 5, 0x656c696604, "a name is there twice" },
	{ "no name", RECORD + 30, 2, 0, "a member has no name, or too many" },
	{ "more names", RECORD + 30, 2, 3, "a record is too short" },
	{ "fewer names", RECORD + 30, 2, 1, "a record is too long" },
	{ "overlap", SECOND + 8, 8, 128 + 9, "contents overlap" },
	{ "content in the header", RECORD + 8, 8, 127, "contents overlap" },
	{ "content in the table", SECOND + 16, 8, 21, "a content lies behind all contents" },
	{ "content nowhere", SECOND + 8, 8, UINT64_MAX - 3, "a content lies behind all contents" },
	{ "large content", SECOND + 16, 8, UINT64_MAX, "a member is too large" },
	{ "directory", SECOND + 32, 2, 040755, "a member is more than a file without set-id bits" },
	{ "set-user-id", SECOND + 32, 2, 04755, "a member is more than a file without set-id bits" },
	{ "sticky", 8, 2, 01644, "a member is more than a file without set-id bits" },
	{ "unknown field", SECOND + 28, 2, 0x200, "a record has fields that there are not" },
	{ "common without a field", 4, 2, 0x3f, "its first record lacks fields" },
	{ "time", 10 + 8, 4, 1000000000, "a time is none" },
	{ "number 0", RECORD + 4, 4, 0, "a member has a number that is free" },
	{ "number that comes later", RECORD + 4, 4, 9, "a member has a number that is free" },
	{ "number twice", RECORD + 4, 4, 3, "two members have the same number" },
	{ "short record", RECORD, 4, 31, "its table is cut" },
	{ "record without end", SECOND, 4, UINT32_MAX, "its table is cut" },
	{ "record without its names", RECORD, 4, 34, "a record is too short" },
	{ "long record", 0, 4, 71, "a record is too long" },
};

/* Of the attributes: where the bytes of the first one's name begin. */
#define XATTR (SECOND + 32 + 2 + 12 + 8 + 4 + 2 + 2)

static const struct hostile hostile_xattrs[] = {
	{ "security", XATTR + 5, 4, 0x75636573, "an attribute is none that any user may set" },
	{ "too short", XATTR, 1, 5, "an attribute is none that any user may set" },
	{ "zero byte", XATTR + 10, 1, 0, "an attribute is none that any user may set" },
	{ "value without end", XATTR + 1, 4, UINT32_MAX, "a record is too short" },
	{ "out of order", XATTR + 10, 1, 'b', "attributes are out of order" },
	{ "more of them", XATTR - 2, 2, 3, "a record is too short" },
};

static void try(const struct hostile *h)
{
	const char *why;
	struct made m;

	make(&m);
	memcpy(m.table + h->at, (uint64_t []) { to_le64(h->value) }, h->bytes);
	seal(&m);
	why = look(&m);
	if (!why || strcmp(why, h->why))
		ck_abort_msg("%s: %s", h->what, why ? why : "nothing is said");
}

START_TEST(what_cannot_be_is_refused)
{
	size_t i;

	for (i = 0; i < sizeof(hostile) / sizeof(*hostile); i++)
		try(&hostile[i]);
	for (i = 0; i < sizeof(hostile_xattrs) / sizeof(*hostile_xattrs); i++)
		try(&hostile_xattrs[i]);
}
END_TEST

START_TEST(dots_are_no_names)
{
	struct made m;

	make(&m);
	m.table[SECOND + 32 + 2 + 12 + 8 + 4 + 1] = '.';
	seal(&m);
	want(!strcmp(look(&m), "a name is one of a directory itself"));
}
END_TEST

/* Attributes that are one: the second becomes "user.a" and begins with what was its last byte. */
START_TEST(attributes_come_once)
{
	struct made m;

	make(&m);
	m.table[XATTR + 11] = 6;
	put_le32(m.table, XATTR + 12, 6);
	seal(&m);
	want(!strcmp(look(&m), "a member has an attribute twice"));
}
END_TEST

START_TEST(headers_are_checked)
{
	struct bfo_composite_head h;
	struct made m;
	int is_new, i;

	for (i = 0; i < 8; i++) {
		make(&m);
		switch (i) {
		case 0: put_le16(m.head, 8, 2); break;
		case 1: put_le32(m.head, 20, 1); break;
		case 2: put_le64(m.head, 32, 127); break;
		case 3: put_le32(m.head, 40, get_le32(m.head, 40) - 1); break;
		case 4: put_le32(m.head, 40, UINT32_MAX); break;
		case 5: put_le64(m.head, 32, UINT64_MAX); break;
		case 6: m.head[0] = 'x'; break;
		case 7: put_le64(m.head, 24, get_le64(m.head, 24) + 1); break;
		}
		put_le32(m.head, 124, bfo_composite_crc(UINT32_MAX, m.head, 124));
		want(bfo_composite_get_head(m.head, 128 + 30 + m.w.head.table_bytes, &h,
					    &is_new));
		want_eq(is_new, i < 2);
	}
	/* what may be ignored */
	make(&m);
	put_le32(m.head, 12, 1);
	put_le32(m.head, 16, 1);
	put_le16(m.head, 10, 7);
	seal(&m);
	want(!look(&m));
	/* counts */
	for (i = 0; i < 2; i++) {
		make(&m);
		put_le32(m.head, 48 + 4 * i, 4);
		seal(&m);
		want(!strcmp(look(&m), "its table does not have what its header says"));
	}
}
END_TEST

/* Places of the table that agree with the size of the file, and cannot be. */
START_TEST(tables_have_a_place)
{
	static const struct {
		uint64_t file, at;
		int is_good;
	} places[] = {
		{ 200, 128, 1 }, { 200, 127, 0 }, { 200, 200, 1 }, { 200, UINT64_MAX - 99, 0 },
		{ 128 + BFO_COMPOSITE_TABLE_MOST, 128, 1 },
		{ 129 + BFO_COMPOSITE_TABLE_MOST, 128, 0 },
	};
	struct bfo_composite_head h;
	struct made m;
	int is_new;
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		make(&m);
		put_le64(m.head, 24, places[i].file);
		put_le64(m.head, 32, places[i].at);
		put_le32(m.head, 40, places[i].file - places[i].at);
		put_le32(m.head, 124, bfo_composite_crc(UINT32_MAX, m.head, 124));
		want_eq(!bfo_composite_get_head(m.head, places[i].file, &h, &is_new),
			places[i].is_good);
	}
}
END_TEST

START_TEST(values_have_a_limit)
{
	static char value[BFO_COMPOSITE_VALUE_MOST + 1];
	struct bfo_composite_xattr x = { .name = "user.x", .name_len = 6, .value = value };
	struct bfo_composite_attrs common = attrs_of(0);
	struct bfo_composite_writer w;
	uint8_t head[BFO_COMPOSITE_HEAD];
	struct bfo_composite c;
	int i;

	for (i = 0; i < 2; i++) {
		x.len = BFO_COMPOSITE_VALUE_MOST + i;
		want_ok(bfo_composite_begin(&w, &common, 2));
		want_ok(bfo_composite_add(&w, &(struct bfo_composite_new) { .number = 1,
			.attrs = common, .names = names, .n_names = 1, .xattrs = &x,
			.n_xattrs = 1 }));
		bfo_composite_end(&w, head);
		want_err(bfo_composite_open(&c, &w.head, w.table.v), i ? BFO_ET_DAMAGED : 0);
		bfo_composite_free(&c);
		bfo_composite_writer_free(&w);
	}
}
END_TEST

/* A table that ends anywhere. */
START_TEST(tables_are_cut)
{
	uint32_t bytes, len;
	struct made m;

	make(&m);
	bytes = get_le32(m.head, 40);
	for (len = 0; len < bytes; len++) {
		make(&m);
		put_le32(m.head, 40, len);
		put_le64(m.head, 24, get_le64(m.head, 24) - (bytes - len));
		seal(&m);
		want(look(&m));
	}
}
END_TEST

START_TEST(tables_have_a_limit)
{
	static char value[BFO_COMPOSITE_VALUE_MOST];
	struct bfo_composite_xattr x = { .name = "user.x", .name_len = 6, .value = value,
					 .len = sizeof(value) };
	struct bfo_composite_attrs common = attrs_of(0);
	struct bfo_composite_writer w;
	errcode_t err;
	uint32_t i;

	want_ok(bfo_composite_begin(&w, &common, UINT32_MAX));
	for (i = 1, err = 0; !err; i++)
		err = bfo_composite_add(&w, &(struct bfo_composite_new) { .number = i,
			.attrs = common, .names = names, .n_names = 1, .xattrs = &x,
			.n_xattrs = 1 });
	want_err(err, BFO_ET_OVERFLOW);
	want(w.table.n <= BFO_COMPOSITE_TABLE_MOST && i > 1000);
	bfo_composite_writer_free(&w);
}
END_TEST

Suite *composite_suite(void)
{
	Suite *suite = suite_create("composite");

	unit_case(suite, "comes back", what_is_written_comes_back, 0);
	unit_case(suite, "names, attributes", names_and_attributes_come_back, 0);
	unit_case(suite, "places", every_byte_has_its_place, 0);
	unit_case(suite, "checksums", checksums_are_looked_at, 0);
	unit_case(suite, "hostile", what_cannot_be_is_refused, 0);
	unit_case(suite, "dots", dots_are_no_names, 0);
	unit_case(suite, "attributes once", attributes_come_once, 0);
	unit_case(suite, "headers", headers_are_checked, 0);
	unit_case(suite, "place", tables_have_a_place, 0);
	unit_case(suite, "values", values_have_a_limit, 0);
	unit_case(suite, "cut", tables_are_cut, 0);
	unit_case(suite, "limit", tables_have_a_limit, 0);
	return suite;
}
