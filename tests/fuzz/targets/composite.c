// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * composite.c - composite files: whatever stands in their tables, what is read can be
 *
 * The first byte: bit 0, what follows is a whole file; else it is a table, and the header is made
 * for it, with counts that agree as far as that can be told, unless bit 1 is set.  Bit 2: the
 * lengths of records are made right, too.
 */
#include <stdlib.h>
#include <string.h>

#include "../../same_attrs.h"
#include "../fuzz.h"
#include "base/bfo_err.h"
#include "base/disk.h"
#include "pack/composite.h"

#define CONTENTS 4096U			/* bytes, before a table that is made a file */
#define MEMBER_HEAD 32U

/* Contents that come so far, names and numbers that were met. */
static void check_member(const struct bfo_composite *c, size_t i, uint64_t *end)
{
	const uint8_t *at;
	struct bfo_composite_member m;
	struct bfo_composite_name name;
	struct bfo_composite_xattr x;
	size_t found;
	uint32_t k;

	bfo_composite_member(c, i, &m);
	if (m.at < *end || m.at + m.bytes < m.at || m.at + m.bytes > c->head.table_at)
		fuzz_fail("member %zu has content from %llu on", i, (unsigned long long) m.at);
	if (!m.number || m.number >= c->head.next || m.attrs.mode & ~0777)
		fuzz_fail("member %zu is number %u of mode %o", i, m.number, m.attrs.mode);
	*end = m.at + m.bytes;
	for (at = m.first_name, k = 0; k < m.names; k++) {
		bfo_composite_next_name(&at, &name);
		if (!name.len || memchr(name.name, '/', name.len) || memchr(name.name, 0, name.len))
			fuzz_fail("member %zu has a name that is none", i);
		if (!bfo_composite_find(c, name.name, name.len, &found) || found != i)
			fuzz_fail("a name of member %zu is not found", i);
	}
	for (at = m.first_xattr, k = 0; k < m.xattrs; k++) {
		bfo_composite_next_xattr(&at, &x);
		if (x.name_len < 6 || memcmp(x.name, "user.", 5))
			fuzz_fail("member %zu has an attribute that is not a user's", i);
	}
}

/* What was read, written once more, is read as the same. */
static void write_again(const struct bfo_composite *c)
{
	static struct bfo_composite_name names[BFO_COMPOSITE_NAMES_MOST];
	static struct bfo_composite_xattr xattrs[UINT16_MAX];
	struct bfo_composite_head head;
	struct bfo_composite_member m, other;
	struct bfo_composite_writer w;
	struct bfo_composite again;
	uint8_t bytes[BFO_COMPOSITE_HEAD];
	const uint8_t *at;
	errcode_t err = bfo_composite_begin(&w, &c->common, c->head.next);
	uint32_t k;
	size_t i;
	int is_new;

	for (i = 0; i < c->places.n && !err; i++) {
		bfo_composite_member(c, i, &m);
		for (at = m.first_name, k = 0; k < m.names; k++)
			bfo_composite_next_name(&at, &names[k]);
		for (at = m.first_xattr, k = 0; k < m.xattrs; k++)
			bfo_composite_next_xattr(&at, &xattrs[k]);
		err = bfo_composite_add(&w, &(struct bfo_composite_new) {
			.number = m.number, .bytes = m.bytes, .crc = m.crc, .attrs = m.attrs,
			.names = names, .n_names = m.names, .xattrs = xattrs,
			.n_xattrs = m.xattrs });
	}
	if (err)
		fuzz_fail("what was read cannot be written");
	bfo_composite_end(&w, bytes);
	if (bfo_composite_get_head(bytes, w.head.bytes, &head, &is_new) ||
	    bfo_composite_open(&again, &head, w.table.v))
		fuzz_fail("what was written cannot be read");
	for (i = 0; i < c->places.n; i++) {
		bfo_composite_member(c, i, &m);
		bfo_composite_member(&again, i, &other);
		if (m.number != other.number || m.bytes != other.bytes || m.names != other.names ||
		    m.xattrs != other.xattrs || !same_attrs(&m.attrs, &other.attrs))
			fuzz_fail("member %zu has become another", i);
	}
	bfo_composite_free(&again);
	bfo_composite_writer_free(&w);
}

static void look(const uint8_t *head_bytes, const uint8_t *table, uint64_t bytes)
{
	uint64_t end = BFO_COMPOSITE_HEAD;
	struct bfo_composite_head head;
	struct bfo_composite c;
	errcode_t err;
	size_t i;
	int is_new;

	if (bfo_composite_get_head(head_bytes, bytes, &head, &is_new))
		return;
	err = bfo_composite_open(&c, &head, table ? table : head_bytes + head.table_at);
	for (i = 0; i < c.places.n && !err; i++)
		check_member(&c, i, &end);
	if (!err)
		write_again(&c);
	else if (err != BFO_ET_DAMAGED || !c.why)
		fuzz_fail("an error that is none of a table");
	bfo_composite_free(&c);
}

static uint32_t length_of(const uint8_t *at, size_t left)
{
	uint32_t len = get_le32(at, 0);

	return len > left ? left : len;
}

/* Counts what the records say; MEND: their lengths end with the table. */
static void count(uint8_t *table, size_t size, int mend, uint32_t *members, uint32_t *names)
{
	size_t at = size >= 8 ? length_of(table, size) : size;

	if (mend && size >= 8)
		put_le32(table, 0, at);
	for (*members = *names = 0; size - at >= MEMBER_HEAD; ++*members) {
		uint32_t len = length_of(table + at, size - at);

		if (len < MEMBER_HEAD || mend)
			len = len < MEMBER_HEAD ? size - at : len;
		if (mend)
			put_le32(table, at, len);
		*names += get_le16(table, at + 30);
		at += len;
	}
}

static void look_at_table(const uint8_t *data, size_t size, int flags)
{
	uint8_t head[BFO_COMPOSITE_HEAD] = { 0 }, *table = malloc(size + 1);
	uint32_t members, names;

	if (!table)
		return;
	memcpy(table, data, size);
	count(table, size, flags & 4, &members, &names);
	memcpy(head, BFO_COMPOSITE_MAGIC, BFO_COMPOSITE_MAGIC_BYTES);
	put_le16(head, 8, BFO_COMPOSITE_MAJOR);
	put_le64(head, 24, CONTENTS + size);
	put_le64(head, 32, CONTENTS);
	put_le32(head, 40, size);
	put_le32(head, 44, bfo_composite_crc(BFO_COMPOSITE_SEED, table, size));
	put_le32(head, 48, flags & 2 ? size : members);
	put_le32(head, 52, names);
	put_le32(head, 56, 100);
	put_le32(head, 124, bfo_composite_crc(BFO_COMPOSITE_SEED, head, 124));
	look(head, table, CONTENTS + size);
	free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;

	if (!size)
		return 0;
	if (!(*data & 1)) {
		look_at_table(data + 1, size - 1, *data);
		return 0;
	}
	copy = size > BFO_COMPOSITE_HEAD ? malloc(size - 1) : NULL;
	if (!copy)
		return 0;
	memcpy(copy, data + 1, size - 1);
	put_le32(copy, 124, bfo_composite_crc(BFO_COMPOSITE_SEED, copy, 124));
	look(copy, NULL, size - 1);
	free(copy);
	return 0;
}
