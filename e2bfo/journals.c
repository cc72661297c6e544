// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * journals.c - what is told about sources that were not unmounted cleanly
 *
 * A file that was deleted while it was open has no name, and is gone after the next mount: not to
 * copy it is no loss, but worth knowing.
 */
#include <stdio.h>
#include <string.h>

#include "volume/recovery.h"
#include "journals.h"

void journals_print(const char *name, const struct bfo_volume *vol, const struct bfo_tree *t)
{
	const struct bfo_recovery *r = vol->recovery;

	if (r && r->replay.transactions)
		printf("%s was read as its journal leaves it: %u transaction%s, %zu block%s.\n",
		       name, r->replay.transactions, r->replay.transactions == 1 ? "" : "s",
		       r->replay.blocks.n, r->replay.blocks.n == 1 ? "" : "s");
	if (t->unlinked.n)
		printf("%zu %s deleted while still open on %s: without a name, left out.\n",
		       t->unlinked.n, t->unlinked.n == 1 ? "file was" : "files were", name);
}

void journals_warn(const char *name, const struct bfo_volume *vol)
{
	if (vol && vol->unrecovered)
		fprintf(stderr, "e2bfo: warning: %s was not unmounted cleanly, and its journal was "
			"ignored: what was written last may be missing or half done\n", name);
	if (vol && vol->recovery && vol->recovery->journal.aborted)
		fprintf(stderr, "e2bfo: warning: %s: the kernel gave up writing its journal (%s): "
			"what was written last is missing; run e2fsck -f\n", name,
			strerror(vol->recovery->journal.aborted < 0 ?
				 -vol->recovery->journal.aborted :
				 vol->recovery->journal.aborted));
}

void journals_json(struct json *j, const char *key, const struct bfo_volume *vol,
		   const struct bfo_tree *t)
{
	const struct bfo_recovery *r = vol ? vol->recovery : NULL;
	size_t i;

	if (!vol || (!r && !vol->unrecovered && !t->unlinked.n))
		return;
	json_open(j, key, '{');
	json_bool(j, "ignored", vol->unrecovered);
	json_number(j, "transactions", r ? r->replay.transactions : 0);
	json_number(j, "blocks", r ? r->replay.blocks.n : 0);
	json_bool(j, "aborted", r && r->journal.aborted);
	json_open(j, "open_unlinked", '[');
	for (i = 0; i < t->unlinked.n; i++)
		json_number(j, NULL, t->unlinked.v[i]);
	json_close(j, ']');
	json_close(j, '}');
}
