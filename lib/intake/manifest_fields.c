// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * manifest_fields.c - readers of lists of files: what the formats have in common
 */
#include <errno.h>
#include <string.h>

#include "base/bfo_err.h"
#include "base/text.h"
#include "intake/manifest_fields.h"
#include "intake/member_path.h"

#define TRAILER_BYTES (sizeof(BFO_MANIFEST_TRAILER) - 1)

/* Lines behind a trailer have a digest of their own: lists may stand behind each other. */
static errcode_t compare(struct bfo_manifest_list *l, const char *line, size_t len)
{
	struct bfo_sums is, said = { 0 };

	l->seen.is_sealed = 0;
	if (!l->hasher.md || len < TRAILER_BYTES ||
	    memcmp(line, BFO_MANIFEST_TRAILER, TRAILER_BYTES))
		return 0;
	if (!bfo_manifest_sum(line + TRAILER_BYTES, len - TRAILER_BYTES, BFO_SUM_SHA256, &said))
		return bfo_text_in_damaged(&l->in, "no SHA-256");
	bfo_hasher_end(&l->hasher, &is);
	if (memcmp(is.sha256, said.sha256, sizeof(is.sha256)))
		return bfo_text_in_damaged(&l->in, "the lines above it were changed");
	l->seen.is_sealed = 1;
	return 0;
}

errcode_t bfo_manifest_line(struct bfo_manifest_list *l, char **line, size_t *len)
{
	errcode_t err;
	size_t at;

	for (;;) {
		err = bfo_text_in_line(&l->in, line, len);
		if (!err && *line)
			err = compare(l, *line, *len);
		if (err || !*line)
			return err;
		if (l->hasher.md && !l->seen.is_sealed)
			bfo_hasher_add(&l->hasher, l->in.text.v, l->in.text.n);
		for (at = 0; at < *len && ((*line)[at] == ' ' || (*line)[at] == '\t'); at++)
			;
		if (at == *len || (*line)[at] != '#')
			return 0;
	}
}

errcode_t bfo_manifest_append(struct bfo_manifest_list *l, bfo_chars *chars, const char *text,
			      size_t len)
{
	errcode_t err;

	if (len > BFO_TEXT_MOST - chars->n)
		return bfo_text_in_damaged(&l->in, "too long");
	err = bfo_vec_reserve(chars, len + 1);
	if (err)
		return bfo_text_in_failed(&l->in, err);
	if (len)
		memcpy(chars->v + chars->n, text, len);
	chars->n += len;
	return 0;
}

errcode_t bfo_manifest_join(struct bfo_manifest_list *l, const char *text, size_t len)
{
	struct bfo_member_path p = { .at = text, .end = text + len };
	errcode_t err = 0;
	const char *why;

	if (len && memchr(text, 0, len))
		return bfo_text_in_damaged(&l->in, "a zero byte in a path");
	while (!err) {
		why = bfo_member_path_step(&p);
		if (why)
			return bfo_text_in_damaged(&l->in, why);
		if (!p.len)
			break;
		if (l->path.n)
			err = bfo_manifest_append(l, &l->path, "/", 1);
		if (!err)
			err = bfo_manifest_append(l, &l->path, p.name, p.len);
	}
	return err;
}

errcode_t bfo_manifest_give(struct bfo_manifest_list *l)
{
	struct bfo_manifest_entry *e = &l->e;
	errcode_t err;

	e->path = l->path.n ? l->path.v : "";
	e->path_len = l->path.n;
	if (e->has & BFO_HAS_TARGET) {
		e->target = l->target.v;
		e->target_len = l->target.n;
	}
	e->line = l->in.line;
	err = l->reader->entry(l->reader->priv, e);
	l->seen.entries++;
	l->e = (struct bfo_manifest_entry) { 0 };
	l->path.n = l->target.n = 0;
	return err;
}

int bfo_manifest_number(const char *text, size_t len, unsigned int base, uint64_t most,
			uint64_t *value)
{
	uint64_t v = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		unsigned int digit = text[i] - '0';

		if (text[i] < '0' || digit >= base || v > (most - digit) / base)
			return 0;
		v = v * base + digit;
	}
	*value = v;
	return len != 0;
}

int bfo_manifest_number32(const char *text, size_t len, unsigned int base, uint32_t most,
			  uint32_t *value, unsigned int *has, unsigned int field)
{
	uint64_t v;

	if (!bfo_manifest_number(text, len, base, most, &v))
		return 0;
	*value = v;
	*has |= field;
	return 1;
}

int bfo_manifest_sum(const char *text, size_t len, enum bfo_algorithm which, struct bfo_sums *sums)
{
	uint8_t *sum = which == BFO_SUM_SHA256 ? sums->sha256 : sums->md5;
	size_t bytes = which == BFO_SUM_SHA256 ? sizeof(sums->sha256) : sizeof(sums->md5);

	if (len != 2 * bytes || !bfo_text_get_hex(text, sum, bytes))
		return 0;
	sums->which |= which;
	return 1;
}
