// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * journals.c - what is told about sources that were not unmounted cleanly, or have errors
 *
 * A file that was deleted while it was open has no name, and is gone after the next mount: not to
 * copy it is no loss, but worth knowing.
 */
#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "volume/recovery.h"
#include "journals.h"

#define TEXT 4400		/* bytes: a name of a file, and a sentence */

/*
 * What was replayed, and what had no name any more: a sentence each without its full stop, or none.
 */
static int replayed_text(const char *name, const struct bfo_volume *vol, char *out)
{
	const struct bfo_recovery *r = vol ? vol->recovery : NULL;

	if (!r || !r->replay.transactions)
		return 0;
	snprintf(out, TEXT, "%s was read as its journal leaves it: %u transaction%s, %zu block%s",
		 name, r->replay.transactions, r->replay.transactions == 1 ? "" : "s",
		 r->replay.blocks.n, r->replay.blocks.n == 1 ? "" : "s");
	return 1;
}

static int unlinked_text(const char *name, const struct bfo_tree *t, char *out)
{
	if (!t->unlinked.n)
		return 0;
	snprintf(out, TEXT, "%zu %s deleted while still open on %s: without a name, left out",
		 t->unlinked.n, t->unlinked.n == 1 ? "file was" : "files were", name);
	return 1;
}

void journals_print(const char *name, const struct bfo_volume *vol, const struct bfo_tree *t)
{
	char text[TEXT];

	if (replayed_text(name, vol, text))
		message_printf("%s.\n", text);
	if (unlinked_text(name, t, text))
		message_printf("%s.\n", text);
}

void journals_note(const char *name, const struct bfo_volume *vol, const struct bfo_tree *t)
{
	char text[TEXT];

	if (vol && replayed_text(name, vol, text))
		message("%s", text);
	if (vol && unlinked_text(name, t, text))
		message("%s", text);
}

void journals_warn(const char *name, const struct bfo_volume *vol)
{
	if (vol && vol->fs && vol->fs->super->s_state & EXT2_ERROR_FS)
		message("warning: %s: its superblock says that the kernel has found errors in it: "
			"run e2fsck -f",
			name);
	if (vol && vol->unrecovered)
		message("warning: %s was not unmounted cleanly, and its journal was ignored: what "
			"was written last may be missing or half done", name);
	if (vol && vol->recovery && vol->recovery->journal.aborted)
		message("warning: %s: the kernel gave up writing its journal (%s): what was "
			"written last is missing; run e2fsck -f", name,
			strerror(vol->recovery->journal.aborted < 0 ?
				 -vol->recovery->journal.aborted :
				 vol->recovery->journal.aborted));
}

void journals_json(struct json *j, const char *key, const struct bfo_volume *vol,
		   const struct bfo_tree *t)
{
	const struct bfo_recovery *r = vol ? vol->recovery : NULL;
	int errors = vol && vol->fs && vol->fs->super->s_state & EXT2_ERROR_FS;
	size_t i;

	if (!vol || (!r && !vol->unrecovered && !errors && !t->unlinked.n))
		return;
	json_open(j, key, '{');
	json_bool(j, "ignored", vol->unrecovered);
	json_number(j, "transactions", r ? r->replay.transactions : 0);
	json_number(j, "blocks", r ? r->replay.blocks.n : 0);
	json_bool(j, "aborted", r && r->journal.aborted);
	json_bool(j, "with_errors", errors);
	json_open(j, "open_unlinked", '[');
	for (i = 0; i < t->unlinked.n; i++)
		json_number(j, NULL, t->unlinked.v[i]);
	json_close(j, ']');
	json_close(j, '}');
}
