/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * manifest_format.h - lists of files with their digests: which formats there are
 *
 * What writers (export/manifest.h) and readers (intake/manifest_read.h) have in common.  The
 * formats themselves: e2bfo-manifest(5).
 */
#ifndef BFO_BASE_MANIFEST_FORMAT_H
#define BFO_BASE_MANIFEST_FORMAT_H

#include <et/com_err.h>

enum bfo_manifest_format {
	BFO_MANIFEST_MTREE,
	BFO_MANIFEST_SHA256SUM,
	BFO_MANIFEST_HASHDEEP,
	BFO_MANIFEST_DFXML,
	BFO_MANIFEST_BODYFILE,		/* is written, not read */
	BFO_MANIFEST_FORMATS
};

/* The last line of formats that have comments is this, and 64 hexadecimal digits. */
#define BFO_MANIFEST_TRAILER "# sha256 of the lines above: "

/* In the namespace of DFXML's attributes that are ours. */
#define BFO_DFXML_NAMESPACE "urn:e2bfo:dfxml"
#define BFO_DFXML_BYTES "original_bytes_base64"

/* SPEC is "FORMAT:FILE"; *PATH is FILE, within it.  EINVAL if it is none, or FILE is empty. */
errcode_t bfo_manifest_tell(const char *spec, enum bfo_manifest_format *format, const char **path);

/* "mtree", "sha256sum", ... */
const char *bfo_manifest_name(enum bfo_manifest_format format);

/*
 * Mask of enum bfo_algorithm (hasher.h): what FORMAT has of every regular file.  Bodyfile does
 * without, too; mtree and DFXML also take MD5.
 */
unsigned int bfo_manifest_sums(enum bfo_manifest_format format);

#endif
