// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * filesystems.c - a filesystem that is open for reading
 */
#include <errno.h>
#include <stdlib.h>

#include "api/filesystems.h"
#include "gather/batch.h"

e2bfo_err e2bfo_fs_open(e2bfo *c, const struct e2bfo_end *volume, e2bfo_fs **out)
{
	e2bfo_fs *fs = calloc(1, sizeof(*fs));
	errcode_t err;

	*out = NULL;
	bfo_api_begin(c);
	if (!fs)
		return bfo_api_end(c, bfo_fail(&c->ctx, ENOMEM, "opening a filesystem"));
	fs->c = c;
	err = bfo_api_take_source(c, &fs->end, volume, 1U << E2BFO_ANY | 1U << E2BFO_VOLUME,
			       "a filesystem");
	if (!err)
		err = bfo_medium_open(&fs->end.medium, &c->ctx, fs->end.spec, &fs->end.journal,
				      &fs->volume);
	if (err)
		e2bfo_fs_close(fs);
	else
		*out = fs;
	return bfo_api_end(c, err);
}

void e2bfo_fs_close(e2bfo_fs *fs)
{
	if (!fs)
		return;
	bfo_volume_close(fs->volume);
	bfo_medium_free(&fs->end.medium);
	bfo_api_free_end(&fs->end);
	free(fs);
}
