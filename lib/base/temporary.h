/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * temporary.h - files that get their name when they are complete, or never
 */
#ifndef BFO_BASE_TEMPORARY_H
#define BFO_BASE_TEMPORARY_H

#include "base/context.h"

#define BFO_TEMPORARY_LETTERS 6

/* Draws letters and digits, so many, without an end, into OUT.  Returns 0 or an error number. */
int bfo_temporary_draw(char *out);

/*
 * Makes an empty file beside PATH, called PATH.XXXXXX with six letters or digits, as open(2) makes
 * files (0666 without the umask): *NAME, malloc'ed, and *FD, open for reading and writing.  Returns
 * 0, or an error number and NULL in *NAME.
 */
int bfo_temporary_make(const char *path, char **name, int *fd);

/*
 * What bfo_temporary_make() made for PATH, and is called MADE, gets that name; another file there
 * goes if REPLACE, else that is EEXIST.  The name is on the medium, too, or that is left to the
 * filesystem.
 */
errcode_t bfo_temporary_publish(struct bfo_context *ctx, const char *made, const char *path,
				int replace);

/* Where files belong that have no name. */
static inline const char *bfo_temporary_folder(const struct bfo_context *ctx)
{
	return ctx->temp_dir ? ctx->temp_dir : "/var/tmp";
}

/*
 * Makes a file without a name in FOLDER: *FD, or -1.  Nobody else can open it, and it is gone with
 * the process, however that ends.  (Where O_TMPFILE is not known it has a name for a moment.)
 * Returns 0 or an error number.
 */
int bfo_temporary_unnamed(const char *folder, int *fd);

#endif
