// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * medium.c - opening a volume that perhaps cannot be read everywhere
 *
 * What is missing from the start is told once; which files lie there, where it is found that they do.
 */
#include "cli/message.h"
#include "medium.h"

errcode_t medium_open(struct medium *m, struct bfo_context *ctx, const char *spec,
		      const struct bfo_journal_use *use, struct bfo_volume **out)
{
	errcode_t err = 0;

	m->how.accept_short = 1;
	if (m->mapfile) {
		bfo_mapfile_free(&m->map);
		err = bfo_mapfile_read(ctx, m->mapfile, &m->map);
		m->how.map = &m->map;
	}
	return err ? err : bfo_volume_open_source(ctx, spec, use, &m->how, NULL, out);
}

void medium_free(struct medium *m)
{
	bfo_mapfile_free(&m->map);
}

void medium_warn(const char *name, const struct bfo_volume *vol)
{
	if (vol && bfo_media_missing(vol))
		message("warning: %s ends before its filesystem does: it has %llu bytes, %llu are "
			"missing", name, (unsigned long long) vol->store.size,
			(unsigned long long) bfo_media_missing(vol));
}

void medium_json(struct json *j, const char *key, const struct bfo_volume *vol)
{
	if (!vol || !bfo_media_missing(vol))
		return;
	json_open(j, key, '{');
	json_number(j, "bytes", vol->store.size);
	json_number(j, "missing_bytes", bfo_media_missing(vol));
	json_close(j, '}');
}
