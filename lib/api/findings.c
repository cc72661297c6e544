// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * findings.c - what is damaged or could not be kept, told to the caller
 */
#include "api/handle.h"
#include "base/bfo_err.h"
#include "tree/path.h"

errcode_t bfo_api_tell(e2bfo *c, const struct e2bfo_finding *f)
{
	if (!c->finding || !c->finding(c->finding_priv, f))
		return 0;
	return bfo_fail(&c->ctx, BFO_ET_CANCELLED, "telling what was found");
}

static errcode_t tell(e2bfo *c, const struct bfo_tree *t, const struct bfo_finding *f, int side,
		      const char *path, size_t len)
{
	const struct bfo_finding_row *row = &bfo_finding_table[f->kind];
	struct e2bfo_finding found = { .size = sizeof(found), .side = side,
				       .is_loss = row->is_loss, .kind = row->word,
				       .text = row->text, .done = row->done, .path = path,
				       .path_len = len, .ino = bfo_tree_shown_ino(t, f->ino),
				       .block = f->blk, .count = 1 };

	return bfo_api_tell(c, &found);
}

errcode_t bfo_api_tell_tree(e2bfo *c, const struct bfo_tree *t, size_t *told)
{
	char path[BFO_API_PATH_BYTES];
	errcode_t err = 0;

	while (*told < t->findings.n && !err) {
		const struct bfo_finding *f = &t->findings.v[(*told)++];

		err = tell(c, t, f, 0, path, bfo_tree_finding_path(t, f, path, sizeof(path)));
	}
	return err;
}

errcode_t bfo_api_tell_compared(e2bfo *c, const struct bfo_compare *compare, int side, uint64_t *n)
{
	const struct bfo_tree *t = compare->tree[side];
	char path[BFO_API_PATH_BYTES];
	errcode_t err = 0;
	size_t i, len;

	for (i = 0; i < t->findings.n && !err; i++) {
		const struct bfo_finding *f = &t->findings.v[i];

		len = bfo_compare_finding_path(compare, side, f, path, sizeof(path));
		if (!len)
			continue;
		++*n;
		err = tell(c, t, f, side, path, len);
	}
	return err;
}
