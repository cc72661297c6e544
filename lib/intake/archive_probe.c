// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * archive_probe.c - is this an archive?
 *
 * A tar of whatever kind begins with a header whose bytes add up to what it says, in octal digits;
 * old ones have no other sign.  Everything else has a magic number.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "intake/archive_probe.h"

#define SUM_AT 148U
#define SUM_LEN 8U

static const struct {
	enum bfo_archive_kind kind;
	uint8_t len;
	const char *bytes;
} magics[] = {
	{ BFO_ARCHIVE_CPIO, 6, "070701" },			/* newc */
	{ BFO_ARCHIVE_CPIO, 6, "070702" },			/* with checksums */
	{ BFO_ARCHIVE_CPIO, 6, "070707" },			/* of POSIX */
	{ BFO_ARCHIVE_COMPRESSED, 3, "\x1f\x8b\x08" },		/* gzip */
	{ BFO_ARCHIVE_COMPRESSED, 6, "\xfd" "7zXZ\0" },
	{ BFO_ARCHIVE_COMPRESSED, 4, "\x28\xb5\x2f\xfd" },	/* zstd */
	{ BFO_ARCHIVE_COMPRESSED, 4, "\x04\x22\x4d\x18" },	/* lz4 */
	{ BFO_ARCHIVE_COMPRESSED, 4, "\x02\x21\x4c\x18" },	/* lz4, as it was */
	{ BFO_ARCHIVE_COMPRESSED, 4, "LZIP" },
	{ BFO_ARCHIVE_COMPRESSED, 2, "\x1f\x9d" },		/* compress */
};

/* A frame of zstd or lz4 that is for others, which may come first. */
static int is_skipped_frame(const uint8_t *v, size_t len)
{
	return len >= 4 && (v[0] & 0xf0) == 0x50 && !memcmp(v + 1, "\x2a\x4d\x18", 3);
}

static int is_bzip2(const uint8_t *v, size_t len)
{
	return len >= 10 && !memcmp(v, "BZh", 3) && v[3] >= '1' && v[3] <= '9' &&
	       (!memcmp(v + 4, "\x31\x41\x59\x26\x53\x59", 6) ||
		!memcmp(v + 4, "\x17\x72\x45\x38\x50\x90", 6));
}

/* The sum in the header at V, or -1: it has no digits. */
static long stored_sum(const uint8_t *v)
{
	long sum = 0;
	size_t i = 0;

	while (i < SUM_LEN && v[SUM_AT + i] == ' ')
		i++;
	if (i == SUM_LEN || v[SUM_AT + i] < '0' || v[SUM_AT + i] > '7')
		return -1;
	for (; i < SUM_LEN && v[SUM_AT + i] >= '0' && v[SUM_AT + i] <= '7'; i++)
		sum = sum * 8 + v[SUM_AT + i] - '0';
	return i == SUM_LEN || !v[SUM_AT + i] || v[SUM_AT + i] == ' ' ? sum : -1;
}

/* In former times some had added bytes with a sign. */
static int is_tar(const uint8_t *v, size_t len)
{
	long plain = 0, is_signed = 0, stored;
	size_t i;

	if (len < BFO_ARCHIVE_PROBE_BYTES || !v[0])
		return 0;
	for (i = 0; i < BFO_ARCHIVE_PROBE_BYTES; i++) {
		uint8_t c = i >= SUM_AT && i < SUM_AT + SUM_LEN ? ' ' : v[i];

		plain += c;
		is_signed += (int8_t) c;
	}
	stored = stored_sum(v);
	return stored >= 0 && (stored == plain || stored == is_signed);
}

enum bfo_archive_kind bfo_archive_look(const void *data, size_t len)
{
	const uint8_t *v = data;
	size_t i;

	if (is_tar(v, len))
		return BFO_ARCHIVE_TAR;
	if (is_bzip2(v, len) || is_skipped_frame(v, len))
		return BFO_ARCHIVE_COMPRESSED;
	for (i = 0; i < sizeof(magics) / sizeof(*magics); i++)
		if (len >= magics[i].len && !memcmp(v, magics[i].bytes, magics[i].len))
			return magics[i].kind;
	return BFO_ARCHIVE_NONE;
}

enum bfo_archive_kind bfo_archive_probe(int fd)
{
	uint8_t v[BFO_ARCHIVE_PROBE_BYTES];
	size_t have = 0;
	ssize_t got;

	while (have < sizeof(v)) {
		got = pread(fd, v + have, sizeof(v) - have, have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		have += got;
	}
	return bfo_archive_look(v, have);
}
