/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pax_acl.h - access control lists as pax archives have them, read: tree/acl.h has the form
 *
 * The number in the end counts.  A pure function.
 */
#ifndef BFO_INTAKE_PAX_ACL_H
#define BFO_INTAKE_PAX_ACL_H

#include <et/com_err.h>

#include "base/vec.h"
#include "intake/pax_text.h"

/*
 * OUT becomes the value of system.posix_acl_access, or of system.posix_acl_default, that the kernel
 * would show, entries in its order.  Whether it takes such a list is not asked here: a
 * volume may have one that it does not.  BFO_ET_DAMAGED: it is no list; ENOMEM.
 */
errcode_t bfo_pax_acl(const struct bfo_pax_text *text, bfo_chars *out);

#endif
