// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loss_names.c - names that a casefolded directory of the target cannot hold
 *
 * What folds alike has the same hashes there (plan/names.h): only names that share them are looked
 * at together.
 */
#include <sys/stat.h>
#include <ext2fs/ext2_fs.h>

#include "base/sort.h"
#include "plan/loss.h"
#include "tree/access.h"
#include "tree/folded.h"
#include "tree/slices.h"

struct names {
	const struct bfo_plan *plan;
	struct bfo_folded folded;
	bfo_numbers *lost;
};

/* Of a volume.  (Names that are encrypted are ciphertext: whoever has the key folds them.) */
static int folds_names(const struct bfo_plan *plan, const struct bfo_inode *dir)
{
	return (dir->flags & (EXT4_CASEFOLD_FL | EXT4_ENCRYPT_FL)) == EXT4_CASEFOLD_FL &&
	       !plan->target->is_serial &&
	       !(bfo_loss_flags(plan->target, plan->tree) & EXT4_CASEFOLD_FL);
}

/* Name AT is to be on the target, as far as it is known yet. */
static int comes_along(const struct bfo_tree *t, uint32_t at)
{
	const struct bfo_name *n = &t->names.v[at];
	bfo_row row = bfo_name_is_fixed(n) ? BFO_NONE : bfo_name_row(t, n);

	return row != BFO_NONE && !(t->inodes.v[row].state & BFO_INODE_BAD) &&
	       !(S_ISDIR(t->inodes.v[row].mode) &&
		 t->inodes.v[row].state & (BFO_INODE_PLACED | BFO_INODE_EXISTS));
}

static errcode_t met(void *priv, const struct bfo_folded_name *n, const char *text)
{
	const struct names *names = priv;

	(void) text;
	return bfo_vec_push(names->lost, n->id);
}

/* Names from AT to END share their hashes. */
static errcode_t judge(struct names *names, uint32_t at, uint32_t end)
{
	const struct bfo_tree *t = names->plan->tree;
	struct bfo_folded_mark mark = bfo_folded_mark(&names->folded);
	int is_alone = end - at == 1;
	errcode_t err = 0;

	for (; at < end && !err; at++) {
		const char *text = bfo_name_text(t, &t->names.v[at]);
		uint32_t len = bfo_name_len(&t->names.v[at]);

		if (!comes_along(t, at))
			continue;
		if (names->plan->target->is_strict &&
		    !bfo_folded_is_text(names->plan->target->encoding, text, len))
			err = bfo_vec_push(names->lost, at);
		else if (!is_alone)
			err = bfo_folded_add(&names->folded, text, len, at);
	}
	return err ? err : bfo_folded_judge(&names->folded, mark, met, names);
}

errcode_t bfo_loss_of_names(const struct bfo_plan *plan, const struct bfo_inode *dir,
			    bfo_numbers *lost)
{
	struct names names = { .plan = plan, .lost = lost };
	struct bfo_slice s;
	size_t before = lost->n;
	uint32_t at, end;
	errcode_t err;

	if (!folds_names(plan, dir))
		return 0;
	s = bfo_dir_names(plan->tree, dir);
	err = bfo_folded_init(&names.folded, plan->target->encoding);
	for (at = s.first; at < s.end && !err; at = end) {
		end = bfo_slices_tie_end(plan->tree, at);
		err = judge(&names, at, end);
	}
	if (lost->n > before)
		bfo_sort_numbers(lost->v + before, lost->n - before);
	bfo_folded_free(&names.folded);
	return err;
}
