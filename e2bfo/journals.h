/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journals.h - what is told about sources that were not unmounted cleanly
 */
#ifndef E2BFO_JOURNALS_H
#define E2BFO_JOURNALS_H

#include "tree/tree.h"
#include "volume/volume.h"
#include "cli/json.h"

/* To standard output: what was replayed, what had no name any more.  VOL is called NAME. */
void journals_print(const char *name, const struct bfo_volume *vol, const struct bfo_tree *t);

/* The same to standard error, where standard output is a listing.  A VOL of NULL is fine. */
void journals_note(const char *name, const struct bfo_volume *vol, const struct bfo_tree *t);

/* To standard error: what makes VOL doubtful.  NULL is fine. */
void journals_warn(const char *name, const struct bfo_volume *vol);

/* The same as an object called KEY, if there is anything to be told. */
void journals_json(struct json *j, const char *key, const struct bfo_volume *vol,
		   const struct bfo_tree *t);

#endif
