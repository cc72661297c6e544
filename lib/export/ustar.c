// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ustar.c - the header that each member of a tar archive has
 */
#include <string.h>

#include "export/ustar.h"

#define PREFIX 155U

/* The fields, as the table in ustar.h has them. */
struct fields {
	char name[BFO_USTAR_NAME], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type;
	char link[BFO_USTAR_NAME], magic[8], owners[64], major[8], minor[8], prefix[PREFIX];
	char zero[12];
};

_Static_assert(sizeof(struct fields) == BFO_USTAR_BYTES, "a header is a block");

/*
 * Bytes of NAME that become the prefix, as few as will do: the slash behind them belongs to neither
 * field.  0: none need be, or nothing helps.
 */
static size_t prefix_of(const char *name, size_t len)
{
	size_t at;

	if (len <= BFO_USTAR_NAME)
		return 0;
	for (at = len - BFO_USTAR_NAME - 1; at <= PREFIX && at + 1 < len; at++)
		if (at && name[at] == '/')
			return at;
	return 0;
}

int bfo_ustar_has_room(const char *name, size_t len)
{
	return len <= BFO_USTAR_NAME || prefix_of(name, len);
}

static void put_name(struct fields *f, const struct bfo_ustar *h)
{
	size_t prefix = prefix_of(h->name, h->name_len);
	const char *name = prefix ? h->name + prefix + 1 : h->name;
	size_t len = h->name_len - (name - h->name);

	if (len > sizeof(f->name))
		for (len = sizeof(f->name); len && name[len - 1] == '/'; len--)
			;
	memcpy(f->prefix, h->name, prefix);
	memcpy(f->name, name, len);
}

/* Octal digits, to the end of the field. */
static void put_octal(char *field, size_t digits, uint64_t value)
{
	while (digits--) {
		field[digits] = '0' + (value & 7);
		value >>= 3;
	}
}

/* A field of SIZE bytes, 8 or 12, which ends with a NUL where the number is octal. */
static void put_number(char *field, size_t size, int64_t value)
{
	size_t i;

	if (value >= 0 && !(value >> (3 * (size - 1)))) {
		put_octal(field, size - 1, value);
		return;
	}
	memset(field, value < 0 ? 0xff : 0, size);
	for (i = 0; i < sizeof(value); i++)
		field[size - 1 - i] = value >> (8 * i);
	field[0] |= (char) 0x80;
}

void bfo_ustar_write(const struct bfo_ustar *h, void *block)
{
	struct fields *f = block;
	unsigned int sum = 0;
	size_t i;

	memset(f, 0, sizeof(*f));
	put_name(f, h);
	if (h->link)
		memcpy(f->link, h->link, h->link_len < sizeof(f->link) ? h->link_len
			: sizeof(f->link));
	put_number(f->mode, sizeof(f->mode), h->mode);
	put_number(f->uid, sizeof(f->uid), h->uid);
	put_number(f->gid, sizeof(f->gid), h->gid);
	put_number(f->size, sizeof(f->size), h->size);
	put_number(f->mtime, sizeof(f->mtime), h->mtime);
	put_number(f->major, sizeof(f->major), h->major);
	put_number(f->minor, sizeof(f->minor), h->minor);
	f->type = h->type;
	memcpy(f->magic, "ustar\00000", sizeof(f->magic));
	memset(f->sum, ' ', sizeof(f->sum));
	for (i = 0; i < sizeof(*f); i++)
		sum += ((const uint8_t *) block)[i];
	put_octal(f->sum, 6, sum);
	f->sum[6] = 0;
}
