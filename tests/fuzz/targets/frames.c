// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frames.c - what a process says that should have parsed an archive, but is somebody else's
 *
 * The first byte: a tar that is addressed, or another archive; whether checksums are made.  Then
 * frames: a byte for the kind, two for the length, and so many bytes.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../archived.h"
#include "../fuzz.h"
#include "base/crc32c.h"
#include "base/disk.h"

#define ARCHIVE_BYTES 65536U
#define MOST (1U << 20)

static uint8_t made[MOST];
static size_t made_bytes;

static void make(const uint8_t *data, size_t size)
{
	size_t len;

	for (made_bytes = 0; size >= 3 && made_bytes + 16 + 65535 < MOST;
	     data += len, size -= len) {
		uint8_t *head = made + made_bytes;

		len = data[1] | data[2] << 8;
		put_le32(head, 0, data[0]);
		data += 3;
		size -= 3;
		len = len < size ? len : size;
		memcpy(head + 16, data, len);
		put_le32(head, 4, len);
		put_le32(head, 8, bfo_crc32c(~0U, head + 16, len));
		put_le32(head, 12, bfo_crc32c(~0U, head, 12));
		made_bytes += 16 + len;
	}
}

static errcode_t begin(struct bfo_members *m, struct bfo_context *ctx, const char *name,
		       const struct bfo_parse *p)
{
	int fd = memfd_create("frames", MFD_CLOEXEC);

	(void) p;
	if (fd < 0 || write(fd, made, made_bytes) != (ssize_t) made_bytes)
		fuzz_fail("memfd: %s", strerror(errno));
	lseek(fd, 0, SEEK_SET);
	bfo_members_of(m, ctx, name, fd);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t zeros[ARCHIVE_BYTES];
	struct bfo_archive_options opt = { .name = "archive", .begin = begin };

	if (!size)
		return 0;
	if (*data & 2) {
		made_bytes = size - 1 < MOST ? size - 1 : MOST;
		memcpy(made, data + 1, made_bytes);
	} else {
		make(data + 1, size - 1);
	}
	opt.kind = *data & 1 ? BFO_ARCHIVE_TAR : BFO_ARCHIVE_CPIO;
	opt.fd = fuzz_archive_file(zeros, sizeof(zeros));
	fuzz_archive(&opt);
	return 0;
}
