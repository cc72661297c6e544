/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pax_read.h - our own archives, into frames
 *
 * A pax archive that e2bfo has written (e2bfo-tar(5)) tells all that an ext4 has: libarchive would
 * drop the keys that say so.  Whatever is not as it has to be is damage, of which the frame ERROR
 * tells the byte; so is an archive that ends anywhere but in its end mark.
 *
 * Memory: an extended header, of at most BFO_PAX_HEADER_MOST bytes, and a map (pax_map.h).
 */
#ifndef BFO_INTAKE_PAX_READ_H
#define BFO_INTAKE_PAX_READ_H

#include "wire/frames.h"
#include "intake/parse.h"
#include "intake/pax_bytes.h"

#define BFO_PAX_LOOK_BYTES 1024U
#define BFO_PAX_HEADER_MOST (64U << 20)

/* True if DATA, the first BFO_PAX_LOOK_BYTES bytes, are those of an archive that is ours. */
int bfo_pax_is_ours(const char *data);

/*
 * Writes frames to W of all members that come from B; the last is END, or ERROR.  P says what is
 * told of data.  Returns 0 once there is an END; BFO_ET_DAMAGED after an ERROR; EIO if B has
 * failed, about which W knows nothing; ENOMEM, BFO_ET_OVERFLOW, and errors of writing.
 */
errcode_t bfo_pax_read(struct bfo_pax_bytes *b, const struct bfo_parse *p,
		       struct bfo_frame_writer *w);

#endif
