// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pass2.c - the names of all these directories, in the order of their blocks
 *
 * Each name is added to its directory's sum, which tells whether a tree lists the same, and to what
 * is to be sorted.
 */
#include <string.h>

#include "base/bfo_err.h"
#include "base/dirblock.h"
#include "commit/itrees_write.h"
#include "gather/name_scan.h"
#include "plan/names.h"
#include "e2itree.h"
#include "problem.h"

/* The name of a container that gives way leads to another inode afterwards: pass 3 adds it. */
static int gives_way(const struct job *j, const struct dir *d, const struct bfo_found_name *n)
{
	return j->renews && d->ino == EXT2_ROOT_INO && n->len == strlen(ITREE_NAME) &&
	       !memcmp(n->text, ITREE_NAME, n->len);
}

static errcode_t take_name(void *priv, const struct bfo_found_name *n)
{
	struct job *j = priv;
	struct dir *d = &j->dirs.v[n->dir];
	uint32_t hash, minor;

	bfo_text_hash(&j->work.free, d->flags, n->text, n->len, n->hashes, &hash, &minor);
	d->names++;
	d->bytes += bfo_dirent_bytes(n->len) + (n->hashes ? BFO_HASH_BYTES : 0);
	d->set_hash += itree_name_digest(n->ino, n->text, n->len);
	if (gives_way(j, d, n))
		return 0;
	return bfo_itree_name_add(j->names, d->ino, n->ino, hash, n->type, n->text, n->len);
}

/* Whatever was found wrong, in inode or blocks, is e2fsck's business. */
static void tell_damage(struct job *j)
{
	struct about about = { 0 };
	const struct bfo_finding *f;
	struct dir *d;
	size_t i;

	for (i = 0; i < j->tree.findings.n; i++) {
		f = &j->tree.findings.v[i];
		d = job_dir(j, f->len == BFO_NO_NAME ? f->ino : f->dir);
		if (!d || d->damaged)
			continue;
		d->damaged = 1;
		about.ino = d->ino;
		problem(j, PR_2_DIR_DAMAGED, &about);
	}
}

errcode_t pass2(struct job *j)
{
	errcode_t err = bfo_extsort_open(&j->names, 3, j->opt.memory, j->ctx.temp_dir);

	say_pass(j, 2, "Reading directories");
	if (err)
		return bfo_fail(&j->ctx, err, "making room for names");
	err = bfo_name_scan_to(&j->reader, &j->tree, take_name, j);
	if (err && !*j->ctx.what)
		err = bfo_fail(&j->ctx, err,
			       "sorting names (a temporary file in $TMPDIR takes what "
			       "memory cannot)");
	tell_damage(j);
	return err;
}
