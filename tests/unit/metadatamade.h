/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metadatamade.h - texts of metadata, made up
 */
#ifndef UNIT_METADATAMADE_H
#define UNIT_METADATAMADE_H

/* The first line; fields of a line. */
#define HEAD "e2bfo-metadata 1\n"
#define ALL " mode=0644 uid=1 gid=2 project=3 mtime=4.000000000 atime=5.000000000" \
	    " ctime=6.000000000 generation=7 version=8 flags=0x0"
#define FILE_ALL " type=f size=10" ALL

/* BODY between a header and the last line that belongs to them; free() it. */
char *metadata_whole(const char *body);

#endif
