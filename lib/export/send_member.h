/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send_member.h - an item of a plan as a member of a stream (wire/frames.h)
 */
#ifndef BFO_EXPORT_SEND_MEMBER_H
#define BFO_EXPORT_SEND_MEMBER_H

#include "export/items.h"
#include "wire/frames.h"

/* A zeroed one, with what the source does not tell (gather/source.h), makes members. */
struct bfo_send_member {
	uint32_t unknown;
	uint64_t lost;			/* attributes that no program sees, and that are left out */
	/* of the member that was made last: */
	BFO_VEC(struct bfo_member_xattr) xattrs;
	bfo_chars names, values;	/* of these */
};

/*
 * *M: what ITEM is, whose data end before byte END; its attributes are s->xattrs.  All of it is
 * valid until the next one.  ENOMEM.
 */
errcode_t bfo_send_member(struct bfo_send_member *s, const struct bfo_item *item, uint64_t end,
			  struct bfo_member *m);

/* What of PART are data: its bytes before END. */
uint64_t bfo_send_part(const struct bfo_part *part, uint64_t end);

void bfo_send_member_free(struct bfo_send_member *s);

#endif
