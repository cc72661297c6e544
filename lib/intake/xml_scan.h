/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xml_scan.h - XML as a row of tags and texts
 *
 * What it takes is less than XML 1.0: UTF-8 only, no document type, so no entities but the five
 * that XML has by itself.  Nothing else is refused that is well-formed; depth and lengths have
 * limits.  Namespaces are not looked at: names come without what stands before a colon.
 */
#ifndef BFO_INTAKE_XML_SCAN_H
#define BFO_INTAKE_XML_SCAN_H

#include "intake/text_in.h"

#define BFO_XML_DEPTH 64U

enum bfo_xml_kind {
	BFO_XML_OPEN,		/* a tag; an empty element has an end, too */
	BFO_XML_TEXT,		/* a part of a text: another one may follow it */
	BFO_XML_CLOSE,		/* the end of an element */
	BFO_XML_END,		/* of the document */
};

/* A zeroed one with `in` has nothing yet. */
struct bfo_xml {
	struct bfo_text_in *in;
	unsigned int depth;		/* of the element at hand, 1: the outermost */
	const char *name;		/* of BFO_XML_OPEN and BFO_XML_CLOSE */
	bfo_chars text;			/* of BFO_XML_TEXT; has no NUL */
	bfo_chars attributes;		/* of BFO_XML_OPEN: name, NUL, value, NUL, and so on */
	bfo_chars open;			/* names of the elements that are open, each with a NUL */
	size_t at[BFO_XML_DEPTH];	/* where they begin */
	int ahead;			/* a byte that was read, + 1; 0: none */
	int is_empty, had_root;		/* the last tag was an empty element; there was one */
	int leaves;			/* the last piece was the end of one */
};

/* The next piece.  BFO_ET_DAMAGED: it is no XML, or none of what is taken. */
errcode_t bfo_xml_next(struct bfo_xml *x, enum bfo_xml_kind *kind);

/* The value of attribute NAME of the tag that came last, or NULL. */
const char *bfo_xml_attribute(const struct bfo_xml *x, const char *name);

void bfo_xml_free(struct bfo_xml *x);

#endif
