/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apibed.h - a context of the public interface, and images to try it on
 *
 * Images are made by the interface itself, of directories: mke2fs(8) has to be there.
 */
#ifndef UNIT_APIBED_H
#define UNIT_APIBED_H

#include <e2bfo/e2bfo.h>

#include "unit.h"

#define APIBED_TEXTS 8

struct apibed {
	e2bfo *c;
	char *path[APIBED_TEXTS];	/* what apibed_path() has returned */
	int n;
	int findings, lines;		/* told so far */
	char last[32];			/* the kind of the last finding */
};

/* 0 or an error, which is told with its text. */
#define want_call(b, expr) \
	do { \
		e2bfo_err want_err = (expr); \
		if (want_err) \
			ck_abort_msg("%s: %s while %s", #expr, e2bfo_message(want_err), \
				     e2bfo_what((b)->c)); \
	} while (0)

void apibed_open(struct apibed *b);
void apibed_close(struct apibed *b);

/* NAME in the folder of the run, as long as B is open. */
const char *apibed_path(struct apibed *b, const char *name);

/*
 * Makes directory NAME: FILES files file-0 ... of SIZE bytes, a folder below/ with a file `deep`, a
 * symbolic link and a hard link.
 */
void apibed_tree(struct apibed *b, const char *name, int files, size_t size);

/* An end of KIND for the file or directory NAME. */
struct e2bfo_end apibed_end(struct apibed *b, enum e2bfo_kind kind, const char *name);

/* Makes image NAME, 16 MiB, of directory TREE; "" : an empty one. */
void apibed_image(struct apibed *b, const char *tree, const char *name);

#endif
