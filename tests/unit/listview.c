// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * listview.c - what a list of files says, as text
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "listview.h"
#include "unit.h"

char listview_seen[1 << 16];

static size_t print_sum(size_t at, char letter, const uint8_t *sum)
{
	char hex[9] = "";

	bfo_text_put_hex(sum, 4, hex);
	return at + snprintf(listview_seen + at, sizeof(listview_seen) - at, " %c%s", letter, hex);
}

errcode_t listview_note(void *priv, const struct bfo_manifest_entry *e)
{
	char shown[256];
	size_t at = strlen(listview_seen);

	(void) priv;
#define PRINT(field, ...) \
	if (field) \
		at += snprintf(listview_seen + at, sizeof(listview_seen) - at, __VA_ARGS__)
	PRINT(1, "%d:%s", (int) e->line,
	      bfo_text_escape(e->path, e->path_len, shown, sizeof(shown)));
	PRINT(e->has & BFO_HAS_TYPE, " y%o", e->type >> 12);
	PRINT(e->has & BFO_HAS_MODE, " m%o", e->mode);
	PRINT(e->has & BFO_HAS_UID, " u%u", e->uid);
	PRINT(e->has & BFO_HAS_GID, " g%u", e->gid);
	PRINT(e->has & BFO_HAS_SIZE, " s%llu", (unsigned long long) e->size);
	PRINT(e->has & BFO_HAS_SEC, " t%lld", (long long) e->sec);
	PRINT(e->has & BFO_HAS_NSEC, ".%u", e->nsec);
	PRINT(e->has & BFO_HAS_TARGET, " >%s",
	      bfo_text_escape(e->target, e->target_len, shown, sizeof(shown)));
	PRINT(e->has & BFO_HAS_NLINK, " n%u", e->nlink);
	PRINT(e->has & BFO_HAS_DEVICE, " d%u,%u", e->major, e->minor);
#undef PRINT
	if (e->sums.which & BFO_SUM_SHA256)
		at = print_sum(at, 'S', e->sums.sha256);
	if (e->sums.which & BFO_SUM_MD5)
		at = print_sum(at, 'M', e->sums.md5);
	snprintf(listview_seen + at, sizeof(listview_seen) - at, "\n");
	return 0;
}

errcode_t listview_read(struct bfo_context *ctx, enum bfo_manifest_format format,
			const char *text, size_t len, struct bfo_manifest_seen *found)
{
	struct bfo_manifest_reader reader = { .entry = listview_note };
	int fd = memfd_create("list", MFD_CLOEXEC);
	errcode_t err;

	want(write(fd, text, len) == (ssize_t) len && !lseek(fd, 0, SEEK_SET));
	*listview_seen = 0;
	err = bfo_manifest_read(ctx, format, fd, "x", &reader, found);
	close(fd);
	return err;
}
