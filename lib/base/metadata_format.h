/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metadata_format.h - what begins the text of e2bfo-metadata(5): who writes it, and who reads it
 */
#ifndef BFO_BASE_METADATA_FORMAT_H
#define BFO_BASE_METADATA_FORMAT_H

#define BFO_METADATA_WORD "e2bfo-metadata"
#define BFO_METADATA_VERSION 1

#endif
