// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extract_paths.c - paths of items: what they may be, and how messages show them
 *
 * A path is checked as a whole, however many of its names were checked before: who made it is not
 * trusted.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/text.h"
#include "export/extract_state.h"

#define SHOWN 300U			/* bytes of a path in a message */

errcode_t bfo_extract_fail(struct bfo_extract *s, errcode_t err, const char *what,
			   const char *path, size_t len)
{
	char shown[SHOWN + 1];
	size_t from = len > SHOWN / 2 ? len - SHOWN / 2 : 0;

	bfo_text_escape(path + from, len - from, shown, sizeof(shown));
	return bfo_fail(s->outlet.ctx, err, "%s \"%s%s\" below %s", what, from ? "..." : "",
			shown, s->path);
}

errcode_t bfo_extract_keep(bfo_chars *text, const char *bytes, size_t len,
			   struct bfo_extract_text *place)
{
	errcode_t err = bfo_vec_reserve(text, len + 1);

	if (err)
		return err;
	*place = (struct bfo_extract_text) { .at = text->n, .len = len };
	memcpy(text->v + text->n, bytes, len);
	text->v[text->n + len] = 0;
	text->n += len + 1;
	return 0;
}

size_t bfo_extract_base(const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);

	return slash ? slash + 1 - path : 0;
}

int bfo_extract_is_name(const char *name, size_t len)
{
	return len && (len > 2 || memcmp(name, "..", len));
}

/* PATH without slashes at its end: where its last name begins; *LEN: of all of it. */
static size_t last_name(const char *path, size_t *len)
{
	*len = strlen(path);
	while (*len > 1 && path[*len - 1] == '/')
		(*len)--;
	return bfo_extract_base(path, *len);
}

errcode_t bfo_extract_above(const char *path, int *at, char **name)
{
	size_t len, base = last_name(path, &len);
	char *above = base ? strndup(path, base) : strdup(".");
	errcode_t err = 0;

	*at = -1;
	*name = strndup(path + base, len - base);
	if (!*name || !above)
		err = ENOMEM;
	else if (!bfo_extract_is_name(*name, strlen(*name)))
		err = ENOENT;
	if (!err) {
		*at = open(above, O_PATH | O_DIRECTORY | O_CLOEXEC);
		err = *at < 0 ? errno : 0;
	}
	free(above);
	if (err) {
		free(*name);
		*name = NULL;
	}
	return err;
}

static int is_path(const char *path, size_t len)
{
	size_t at, n;

	if (memchr(path, 0, len) || path[len])
		return 0;
	for (at = 0; at <= len; at += n + 1) {
		const char *slash = memchr(path + at, '/', len - at);

		n = slash ? (size_t) (slash - path) - at : len - at;
		if (!bfo_extract_is_name(path + at, n))
			return 0;
	}
	return 1;
}

static int is_type(uint16_t mode)
{
	return S_ISREG(mode) || S_ISDIR(mode) || S_ISLNK(mode) || S_ISCHR(mode) || S_ISBLK(mode) ||
	       S_ISFIFO(mode) || S_ISSOCK(mode);
}

errcode_t bfo_extract_check(struct bfo_extract *s, const struct bfo_item *item)
{
	if (item->path_len && !is_path(item->path, item->path_len))
		return bfo_extract_fail(s, BFO_ET_DAMAGED, "extracting", item->path,
					item->path_len);
	if (item->first && !is_path(item->first, item->first_len))
		return bfo_extract_fail(s, BFO_ET_DAMAGED, "linking to", item->first,
					item->first_len);
	if (!is_type(item->attrs.mode))
		return bfo_extract_fail(s, BFO_ET_DAMAGED, "telling the type of", item->path,
					item->path_len);
	if (S_ISREG(item->attrs.mode) && item->attrs.size > INT64_MAX)
		return bfo_extract_fail(s, EFBIG, "extracting", item->path, item->path_len);
	return 0;
}
