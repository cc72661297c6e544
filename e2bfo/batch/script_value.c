// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script_value.c - the fields of operations, each by itself
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "gather/attrs.h"
#include "intake/manifest_fields.h"
#include "intake/xml_time.h"
#include "script_value.h"

#define MODE_MOST 07777
#define SIZE_MOST INT64_MAX
#define ID_MOST (UINT32_MAX - 1)	/* the last one is nobody */
#define SECONDS_MOST (1ULL << 40)

enum as {
	AS_BYTES, AS_TEXT, AS_LIST, AS_SIZE, AS_MODE, AS_ID, AS_FLAGS, AS_TIME, AS_TYPE, AS_FLAG,
};

static const struct {
	const char *name;
	enum as as;
} fields[SCRIPT_FIELDS] = {
	[SCRIPT_LOCAL] = { "local", AS_TEXT },
	[SCRIPT_DATA] = { "data", AS_BYTES },
	[SCRIPT_PATH] = { "path", AS_LIST },
	[SCRIPT_TO] = { "to", AS_TEXT },
	[SCRIPT_TARGET] = { "target", AS_TEXT },
	[SCRIPT_OFFSET] = { "offset", AS_SIZE },
	[SCRIPT_SIZE] = { "size", AS_SIZE },
	[SCRIPT_ATTR_MODE] = { "mode", AS_MODE },
	[SCRIPT_UID] = { "uid", AS_ID },
	[SCRIPT_GID] = { "gid", AS_ID },
	[SCRIPT_PROJECT] = { "project", AS_ID },
	[SCRIPT_FLAGS] = { "flags", AS_FLAGS },
	[SCRIPT_ATIME] = { "atime", AS_TIME },
	[SCRIPT_MTIME] = { "mtime", AS_TIME },
	[SCRIPT_CRTIME] = { "crtime", AS_TIME },
	[SCRIPT_NAME] = { "name", AS_TEXT },
	[SCRIPT_VALUE] = { "value", AS_BYTES },
	[SCRIPT_TYPE] = { "type", AS_TYPE },
	[SCRIPT_MAJOR] = { "major", AS_ID },
	[SCRIPT_MINOR] = { "minor", AS_ID },
	[SCRIPT_COMMAND] = { "command", AS_LIST },
	[SCRIPT_PARENTS] = { "parents", AS_FLAG },
	[SCRIPT_RECURSIVE] = { "recursive", AS_FLAG },
	[SCRIPT_FORCE] = { "force", AS_FLAG },
	[SCRIPT_NEW] = { "new", AS_FLAG },
	[SCRIPT_SYMBOLIC] = { "symbolic", AS_FLAG },
	[SCRIPT_CREATE] = { "create", AS_FLAG },
};

const char *script_field_name(enum script_field field)
{
	return fields[field].name;
}

int script_field_is_flag(enum script_field field)
{
	return fields[field].as == AS_FLAG;
}

int script_field_is_number(enum script_field field)
{
	enum as as = fields[field].as;

	return as == AS_SIZE || as == AS_ID || as == AS_FLAGS || as == AS_TIME;
}

static const char *read_size(const char *text, size_t len, uint64_t *out)
{
	int is_plain = bfo_manifest_number(text, len, 10, SIZE_MOST, out);

	return is_plain || (bfo_text_size(text, out) && *out <= SIZE_MOST) ? NULL : "no size";
}

/* @SECONDS, or as XML has it; JSON may have whole seconds as a number. */
static const char *read_time(const char *text, size_t len, struct timespec *out)
{
	uint64_t seconds;
	uint32_t nsec = 0;
	int64_t sec;
	int has_fraction, is_seconds = *text == '@';

	if (bfo_manifest_number(text + is_seconds, len - is_seconds, 10, SECONDS_MOST, &seconds))
		sec = seconds;
	else if (is_seconds || !bfo_xml_time(text, len, &sec, &nsec, &has_fraction))
		return "no time as 2026-01-31T23:59:59.5Z or @SECONDS";
	*out = (struct timespec) { .tv_sec = sec, .tv_nsec = nsec };
	return bfo_time_is_possible(sec) ? NULL : "no inode has such a time";
}

static const char *read_type(const char *text, uint64_t *out)
{
	static const struct {
		const char *letter, *word;
		mode_t type;
	} types[] = {
		{ "p", "fifo", S_IFIFO }, { "s", "socket", S_IFSOCK },
		{ "c", "char", S_IFCHR }, { "b", "block", S_IFBLK },
	};
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(text, types[i].letter) || !strcmp(text, types[i].word)) {
			*out = types[i].type;
			return NULL;
		}
	return "not p, s, c or b";
}

static const char *read_number(const char *text, size_t len, unsigned int base, uint64_t most,
			       uint64_t *out)
{
	return bfo_manifest_number(text, len, base, most, out) ? NULL
	       : base == 8 ? "no octal number up to 7777" : "no number, or out of range";
}

const char *script_value_read(enum script_field field, const char *text, size_t len,
			      struct script_value *out)
{
	enum as as = fields[field].as;

	*out = (struct script_value) { .text = text, .len = len };
	if (as == AS_BYTES)
		return NULL;
	if (strnlen(text, len) != len)
		return "a zero byte";
	switch (as) {
	case AS_SIZE:
		return read_size(text, len, &out->number);
	case AS_MODE:
		return read_number(text, len, 8, MODE_MOST, &out->number);
	case AS_ID:
		return read_number(text, len, 10, ID_MOST, &out->number);
	case AS_FLAGS:
		return read_number(text, len, 10, UINT32_MAX, &out->number);
	case AS_TIME:
		return read_time(text, len, &out->time);
	case AS_TYPE:
		return read_type(text, &out->number);
	default:
		return len ? NULL : "it is empty";
	}
}
