/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spec.h - how a volume is named: the words that users write for one
 *
 *   PATH  PATH?OPTIONS	a device or a file, or a part of it (device/store.h has the options)
 *   TAG=VALUE		what libblkid finds by it: UUID=..., LABEL=...; options may follow
 *   file:PATH		PATH as it stands, be there a '?' in it, or what looks like a tag
 *   file?OPTIONS:PATH	the same with options
 *   ext:NAME		NAME, any of these: a volume, and nothing else
 *   dir:PATH, tar:PATH	a directory, an archive, which are no volumes (job/end.h): PATH as it stands
 */
#ifndef BFO_DEVICE_SPEC_H
#define BFO_DEVICE_SPEC_H

#include "base/context.h"

struct bfo_spec {
	char *path;		/* or TAG=VALUE */
	char *options;		/* without the '?'; or NULL */
	int is_tag;
};

/* Takes TEXT apart; returns 0 or ENOMEM.  Release with bfo_spec_free(). */
errcode_t bfo_spec_parse(const char *text, struct bfo_spec *spec);
void bfo_spec_free(struct bfo_spec *spec);

/* TEXT as it means the same in every directory: malloc'ed, or NULL if there is no memory. */
char *bfo_spec_absolute(const char *text);

/* TEXT with OPTIONS, which it must not have yet: malloc'ed, or NULL if there is no memory. */
char *bfo_spec_with_options(const char *text, const char *options);

#endif
