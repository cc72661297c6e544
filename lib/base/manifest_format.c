// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * manifest_format.c - lists of files with their digests: which formats there are
 */
#include <errno.h>
#include <string.h>

#include "base/hasher.h"
#include "base/manifest_format.h"

static const struct {
	const char *name;
	unsigned int sums;
} formats[BFO_MANIFEST_FORMATS] = {
	[BFO_MANIFEST_MTREE] = { "mtree", BFO_SUM_SHA256 },
	[BFO_MANIFEST_SHA256SUM] = { "sha256sum", BFO_SUM_SHA256 },
	[BFO_MANIFEST_HASHDEEP] = { "hashdeep", BFO_SUM_MD5 | BFO_SUM_SHA256 },
	[BFO_MANIFEST_DFXML] = { "dfxml", BFO_SUM_SHA256 },
	[BFO_MANIFEST_BODYFILE] = { "bodyfile", BFO_SUM_MD5 },
};

errcode_t bfo_manifest_tell(const char *spec, enum bfo_manifest_format *format, const char **path)
{
	const char *colon = strchr(spec, ':');
	size_t len = colon ? colon - spec : 0, i;

	for (i = 0; colon && colon[1] && i < BFO_MANIFEST_FORMATS; i++)
		if (strlen(formats[i].name) == len && !memcmp(formats[i].name, spec, len)) {
			*format = i;
			*path = colon + 1;
			return 0;
		}
	return EINVAL;
}

const char *bfo_manifest_name(enum bfo_manifest_format format)
{
	return formats[format].name;
}

unsigned int bfo_manifest_sums(enum bfo_manifest_format format)
{
	return formats[format].sums;
}
