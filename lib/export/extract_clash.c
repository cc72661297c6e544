// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * extract_clash.c - what is in the way: all of it, before anything is written
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "export/extract_state.h"

#define SEALED (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)

void bfo_extract_clashes_free(struct bfo_extract_clash_list *l)
{
	bfo_vec_free(&l->rows);
	bfo_vec_free(&l->text);
	free(l->list);
	l->list = NULL;
}

errcode_t bfo_extract_clash_add(struct bfo_extract_clash_list *l, enum bfo_clash_kind kind,
				const char *path, size_t len)
{
	struct bfo_extract_clash_row row = { .kind = kind };
	errcode_t err = len ? bfo_extract_keep(&l->text, path, len, &row.path)
			    : bfo_extract_keep(&l->text, "/", 1, &row.path);

	return err ? err : bfo_vec_push(&l->rows, row);
}

const struct bfo_extract_clash *bfo_extract_clash_list(struct bfo_extract_clash_list *l, size_t *n)
{
	size_t i;

	*n = 0;
	free(l->list);
	l->list = calloc(l->rows.n + 1, sizeof(*l->list));
	if (!l->list)
		return NULL;
	for (i = 0; i < l->rows.n; i++)
		l->list[i] = (struct bfo_extract_clash) {
			.path = l->text.v + l->rows.v[i].path.at,
			.word = bfo_clash_texts[l->rows.v[i].kind].word,
			.text = bfo_clash_texts[l->rows.v[i].kind].text };
	*n = l->rows.n;
	return l->list;
}

/* ---- what keeps names from being made ---- */

int bfo_extract_is_sealed(const struct statx *st)
{
	return !!(st->stx_attributes & st->stx_attributes_mask & SEALED);
}

enum bfo_clash_kind bfo_extract_judge_dir(int at, struct statx *st)
{
	if (statx(at, "", AT_EMPTY_PATH, STATX_BASIC_STATS, st))
		return BFO_CLASH_DENIED;
	if (bfo_extract_is_sealed(st))
		return BFO_CLASH_SEALED;
	return faccessat(at, ".", W_OK | X_OK, AT_EACCESS) && errno == EACCES ? BFO_CLASH_DENIED
									       : BFO_CLASH_KINDS;
}

/* In a sticky directory files belong to their owners. */
enum bfo_clash_kind bfo_extract_judge_file(const struct statx *dir,
						   const struct statx *old)
{
	uid_t me = geteuid();

	if (bfo_extract_is_sealed(old))
		return BFO_CLASH_SEALED;
	return dir->stx_mode & S_ISVTX && me && old->stx_uid != me && dir->stx_uid != me ?
	       BFO_CLASH_DENIED : BFO_CLASH_KINDS;
}
